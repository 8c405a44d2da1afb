"""Rules POI: definitions with instructions to the model or hidden text."""

import re
from collections.abc import Callable, Iterable, Iterator

from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.orders import SHORTEST, orders_in
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.review.rule import DEFINITIONS, ReviewRule
from inspector.review.texts import Text, TextPlace


def _orders(offer: Offer) -> Iterator[Hit]:
    for text, found in orders_in(offer.texts, offer.hidden):
        yield Hit(
            message=f"A {text.place.value} of the {offer.kind.value} contains instructions to the model: {'; '.join(found.reasons)} (score {found.score:g}).",
            pointer=text.pointer,
            evidence=quoted(text.text, found.at),
            confidence=found.confidence,
            severity=found.severity,
        )


# Each repetition is of one class, so matching is linear.
_GAP = re.compile(r"[ \t]{80}|(?:\n[ \t]{0,8}){15}")


def _of_skill(call: ReviewedCall) -> Iterator[Text]:
    """The texts of a skill that was read; none for other results. The skill's content counts as prose."""
    tool = call.offer.tool
    if tool is not None and tool.item is not None and tool.item.skills:
        for text, length in call.read.texts:
            place = TextPlace.PROSE if text.pointer.endswith("/text") else text.place
            yield Text(pointer=text.pointer, place=place, text=text.text[:length])


def _quoted(text: Text, at: int) -> str:
    return quoted(text.text, at)


def _quoted_from(call: ReviewedCall) -> Callable[[Text, int], str]:
    return lambda text, at: call.quoted(text.pointer, text.text, at)


def _out_of_sight(texts: Iterable[Text], quote: Callable[[Text, int], str] = _quoted) -> Iterator[Hit]:
    for text in texts:
        if text.place in {TextPlace.KEY, TextPlace.NAME} or len(text.text) < SHORTEST:
            continue
        comment = text.text.find("<!--")
        end = text.text.find("-->", comment + 4) if comment >= 0 else -1
        if end > comment + 16:
            yield Hit(
                message="Rendering hides an HTML comment from the user, but the model gets it.",
                pointer=text.pointer,
                evidence=quote(text, comment),
            )
        gap = _GAP.search(text.text)
        rest = text.text[gap.end() :] if gap else ""
        if gap and len(rest.strip()) > 40:
            yield Hit(
                message="The text contains so much blank space that the rest is out of sight on a screen.",
                pointer=text.pointer,
                evidence=quote(Text(pointer=text.pointer, place=text.place, text=rest.lstrip()), 0),
            )


_STEERS = (
    # `Only use this tool if …` restricts the tool itself.
    re.compile(
        r"\b(?:always (?:use|prefer|choose|call|select|pick) this (?:tool|server|function)\b|"
        r"only (?:use|prefer|choose|call|select|pick) this (?:tool|server|function)\b(?!\s+(?:if|when|once|after|as)\b))",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:instead of|rather than|over|replaces|supersedes|ignore|avoid|never use|do not use|don't use) "
        r"(?:any|all|every|the) other (?:similar |available |such )?(?:tool|server|function)s?\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:the best|most trusted|highest priority|only trusted|only correct) (?:tool|server)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bbefore (?:using|calling|invoking|running) any (?:other )?(?:tool|function)s?\b", re.IGNORECASE
    ),
    re.compile(
        r"\b(?:pick|choose|use|prefer) (?:this )?\w{1,60} (?:over|instead of) (?:any|all|every) other\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bother tools are (?:deprecated|insecure|broken|unsafe|unreliable|obsolete)\b", re.IGNORECASE
    ),
)


def _advertises(
    texts: Iterable[Text], what: str, quote: Callable[[Text, int], str] = _quoted
) -> Iterator[Hit]:
    for text in texts:
        if text.place is not TextPlace.PROSE or not (
            "tool" in text.text or "function" in text.text or "server" in text.text
        ):
            continue
        for pattern in _STEERS:
            found = pattern.search(text.text)
            if found:
                yield Hit(
                    message=f"The {what} pushes the model towards this tool, or away from all others.",
                    pointer=text.pointer,
                    evidence=quote(text, found.start()),
                )
                break


RULES = (
    ReviewRule(
        id="SL-POI001",
        title="Metadata contains instructions to the model",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="Models read definitions as part of their context and may obey, even if the tool is never called.",
        fix="Do not connect a server that you do not trust. Authors: describe only what the tool does.",
        is_scored=True,
        references=("CWE-1427", "OWASP MCP03:2025", "WebMCP draft, 6.3.1.1"),
        subjects=DEFINITIONS - {SubjectKind.SERVER},
        each=_orders,
    ),
    ReviewRule(
        id="SL-POI002",
        title="Hidden text",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="A reviewer does not see the text on a screen, but the model gets it. The rule searches definitions and the skills that were read.",
        fix="Remove it, or make it visible.",
        references=("CWE-451", "OWASP MCP03:2025"),
        subjects=DEFINITIONS,
        each=lambda offer: _out_of_sight(offer.texts),
        call=lambda call: _out_of_sight(_of_skill(call), _quoted_from(call)),
    ),
    ReviewRule(
        id="SL-POI003",
        title="Poisoned server instructions",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="Hosts put a server's instructions into the model's context, often into its system prompt.",
        fix="Do not connect a server that you do not trust. Authors: describe only how to use the tools.",
        is_scored=True,
        references=("CWE-1427", "OWASP MCP03:2025"),
        subjects=frozenset({SubjectKind.SERVER}),
        each=_orders,
    ),
    ReviewRule(
        id="SL-POI004",
        title="Promotes itself to the model",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        consequence="Models choose between the tools of several servers by their descriptions. The rule searches definitions and the skills that were read.",
        fix="Describe what the tool does and when to use it; leave the choice to the model and the user.",
        references=("CWE-1427", "OWASP MCP03:2025"),
        subjects=DEFINITIONS,
        each=lambda offer: _advertises(offer.texts, "description"),
        call=lambda call: _advertises(_of_skill(call), "skill", _quoted_from(call)),
    ),
)
