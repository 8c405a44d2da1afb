"""Rules INJ: instructions to the model, and hidden text, in results and in requests by the server.

Source: the WebMCP draft, 6.3.1.2.
"""

from collections.abc import Iterator

from inspector.hidden_characters import Hidden, HiddenKind
from inspector.json.exact import Json
from inspector.json.pointer import resolve, split
from inspector.review.addressing import addressed
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.prose import tagged
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.review.rule import ReviewRule
from inspector.review.texts import first_of


def _orders(call: ReviewedCall) -> Iterator[Hit]:
    untrusted = call.offer.traits.untrusted.value is True
    for text, found in addressed(call.read.texts, call.hidden):
        declared = " The tool declares that its content is untrusted." if untrusted else ""
        yield Hit(
            message=f"The result contains instructions to the model: {'; '.join(found.reasons)} (score {found.score:g}).{declared}",
            pointer=call.place_of(text.pointer),
            evidence=call.quoted(text.pointer, text.text, found.at),
            confidence=found.confidence,
            severity=min(found.severity, Severity.MEDIUM, key=lambda each: each.rank)
            if untrusted
            else found.severity,
        )


def _asks(offer: Offer) -> Iterator[Hit]:
    for text, found in addressed(first_of(offer.texts).texts, offer.hidden):
        yield Hit(
            message=f"The request contains instructions: {'; '.join(found.reasons)} (score {found.score:g}).",
            pointer=text.pointer,
            evidence=quoted(text.text, found.at),
            confidence=found.confidence,
            severity=found.severity,
        )


_NAMES = {
    HiddenKind.CONTROL: "control",
    HiddenKind.BIDIRECTIONAL: "bidirectional",
    HiddenKind.INVISIBLE: "invisible",
    HiddenKind.UNASSIGNED: "private or unassigned",
}


def _hides(call: ReviewedCall) -> Iterator[Hit]:
    for place in call.hidden:
        kinds = list(dict.fromkeys(_NAMES[found.kind] for found in place.characters))
        text = _text_at(call.raw, place)
        spelt = tagged(text)
        yield Hit(
            message=f"The result contains {place.count} {' and '.join(kinds)} characters.{_spelling(call, place, text)}",
            pointer=call.place_of(place.pointer),
            evidence=call.quoted(place.pointer, text, _first(text), in_key=place.in_key),
            severity=Severity.HIGH if spelt or _acts(text) else None,
        )


def _spelling(call: ReviewedCall, place: Hidden, text: str) -> str:
    """A sentence about the text that tag characters encode; empty if there are none.

    The sentence does not quote that text if it is withheld.
    """
    spelt = tagged(text)
    if not spelt:
        return ""
    shown = call.quoted(place.pointer, text, in_key=place.in_key) and call.masked_words(spelt)
    return (
        f" They spell “{quoted(shown)}”, which models read."
        if shown
        else " They spell a text that models read."
    )


def _text_at(value: Json, place: Hidden) -> str:
    if place.in_key:
        return split(place.pointer)[-1]
    try:
        found = resolve(value, place.pointer)
    except LookupError:
        return ""
    return found if isinstance(found, str) else ""


def _acts(text: str) -> bool:
    return not {"\x1b", "\x9b", "\x9d"}.isdisjoint(text)


def _first(text: str) -> int:
    return next((at for at, letter in enumerate(text) if not (letter.isprintable() or letter in "\n\t")), 0)


RULES = (
    ReviewRule(
        id="SL-INJ001",
        title="Result contains instructions to the model",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="Models may treat the results of tools as part of their task, and obey.",
        fix="If the text comes from third parties, it should be declared untrusted, so that hosts can delimit or withhold it. If it is the server's own text, do not trust the server.",
        is_scored=True,
        references=("CWE-1427", "OWASP MCP06:2025", "WebMCP draft, 6.3.1.2"),
        call=_orders,
    ),
    ReviewRule(
        id="SL-INJ002",
        title="Result contains hidden characters",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="The user does not see the text that the model gets, or a terminal executes control sequences in it.",
        fix="Remove the characters before returning the text.",
        references=("CWE-1007", "CWE-150", "OWASP MCP06:2025"),
        call=_hides,
    ),
    ReviewRule(
        id="SL-INJ003",
        title="Request contains instructions",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="A sampling request reaches the model of the host, and the text of a form or URL reaches the user, during any call.",
        fix="Decline the request, and do not connect a server that you do not trust. Authors: ask only for what the call needs.",
        is_scored=True,
        references=("CWE-1427", "OWASP MCP06:2025", "MCP 2025-11-25, Sampling, Elicitation"),
        subjects=frozenset({SubjectKind.REQUEST}),
        each=_asks,
    ),
)
