"""POI: metadata that gives orders to the model, or hides what it says."""

import re
from collections.abc import Iterator

from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.properties import words_of
from inspector.review.prose import names_secret_path
from inspector.review.reviewed import Offer
from inspector.review.rule import DEFINITIONS, Rule
from inspector.review.signals import NOTABLE, judged
from inspector.review.texts import Place, Text

_LEAST = 12
"""Characters below which a text gives no orders."""
_ENCODED = 60
"""Characters from which one word may be sentences in base64."""


def _orders(offer: Offer) -> Iterator[Hit]:
    hidden = {found.pointer for found in offer.hidden}
    for text in offer.texts:
        spelt = _spelt_out(text)
        if spelt is None:
            continue
        found = judged(spelt, hidden=text.pointer in hidden)
        if found.score >= NOTABLE:
            yield Hit(
                message=f"A {text.place.value} of the {offer.kind.value} gives orders to whoever reads it: {'; '.join(found.reasons)} (score {found.score:g}).",
                pointer=text.pointer,
                evidence=quoted(text.text, found.at),
                confidence=found.confidence,
                severity=found.severity,
            )


def _spelt_out(text: Text) -> Text | None:
    """The text; a name that is a sentence, as a sentence. None where it is too short to give orders."""
    if len(text.text) < _LEAST or " " in text.text or "\n" in text.text:
        return text if len(text.text) >= _LEAST else None
    if text.place in {Place.KEY, Place.NAME} and "://" not in text.text:
        words = words_of(text.text)
        if len(words) > 3:
            return Text(pointer=text.pointer, place=text.place, text=f"{' '.join(words)} {text.text}")
        return None
    is_judged = len(text.text) >= _ENCODED or names_secret_path(text.text.lower()) or not text.text.isascii()
    return text if is_judged else None


# A run of one class, or an open end that is found by searching for text: no way to take more than linear time.
_GAP = re.compile(r"[ \t]{80}|(?:\n[ \t]{0,8}){15}")


def _out_of_sight(offer: Offer) -> Iterator[Hit]:
    for text in offer.texts:
        if text.place in {Place.KEY, Place.NAME} or len(text.text) < _LEAST:
            continue
        comment = text.text.find("<!--")
        end = text.text.find("-->", comment + 4) if comment >= 0 else -1
        if end > comment + 16:
            yield Hit(
                message="A comment of HTML is shown to nobody where the text is rendered, and given to the model all the same.",
                pointer=text.pointer,
                evidence=quoted(text.text, comment),
            )
        gap = _GAP.search(text.text)
        if gap and len(text.text[gap.end() :].strip()) > 40:
            yield Hit(
                message="So much blank space stands in the text that what follows is out of sight where it is shown.",
                pointer=text.pointer,
                evidence=quoted(text.text[gap.end() :].lstrip()),
            )


_STEERS = (
    re.compile(
        r"\b(?:always|only) (?:use|prefer|choose|call|select|pick) this (?:tool|server|function)\b",
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


def _advertises(offer: Offer) -> Iterator[Hit]:
    for text in offer.texts:
        if text.place is not Place.PROSE or not (
            "tool" in text.text or "function" in text.text or "server" in text.text
        ):
            continue
        for pattern in _STEERS:
            found = pattern.search(text.text)
            if found:
                yield Hit(
                    message="The description pushes the model to this tool, or away from all others.",
                    pointer=text.pointer,
                    evidence=quoted(text.text, found.start()),
                )
                break


RULES = (
    Rule(
        id="SL-POI001",
        title="Metadata gives orders to the model",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        meaning="Models read definitions as part of their context and may obey, also where the tool is never called.",
        fix="Do not connect a server that you do not trust with this. An author says in a description what the tool does, and nothing else.",
        references=("CWE-1427", "OWASP MCP03:2025", "WebMCP draft, 6.3.1.1"),
        subjects=DEFINITIONS - {SubjectKind.SERVER},
        each=_orders,
    ),
    Rule(
        id="SL-POI002",
        title="Text out of sight",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        meaning="Who reviews the tool on a screen does not see what the model reads.",
        fix="Take it out, or write it where it is seen.",
        references=("CWE-451", "OWASP MCP03:2025"),
        subjects=DEFINITIONS,
        each=_out_of_sight,
    ),
    Rule(
        id="SL-POI003",
        title="Instructions of the server are poisoned",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        meaning="Hosts put a server's instructions into the model's context, many into its system prompt.",
        fix="Do not connect a server that you do not trust with this. An author says how the tools are used, and nothing else.",
        references=("CWE-1427", "OWASP MCP03:2025"),
        subjects=frozenset({SubjectKind.SERVER}),
        each=_orders,
    ),
    Rule(
        id="SL-POI004",
        title="Pushes the model to itself",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        meaning="The choice between tools of several servers is made by what they say of themselves.",
        fix="Say what the tool does and when it fits; leave the choice to the model and the user.",
        references=("CWE-1427", "OWASP MCP03:2025"),
        subjects=DEFINITIONS,
        each=_advertises,
    ),
)
