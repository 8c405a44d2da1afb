"""Rules TRM: characters that control a terminal. Source: ECMA-48; CWE-150."""

from collections.abc import Iterator

from inspector.hidden_characters import HiddenKind
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.prose import SEQUENCE
from inspector.review.reviewed import Offer
from inspector.review.rule import SHOWN, ReviewRule
from inspector.review.texts import TextPlace

_INTRODUCERS = frozenset("\x1b\x90\x98\x9b\x9d\x9e\x9f")
"""The escape character, and the one-byte forms of DCS, SOS, CSI, OSC, PM and APC."""


def _sequences(offer: Offer) -> Iterator[Hit]:
    for pointer, text in _controlled(offer):
        at = next((at for at, character in enumerate(text) if character in _INTRODUCERS), None)
        if at is not None:
            yield Hit(
                message=f"A terminal control sequence: {_does(text)}.",
                pointer=pointer,
                evidence=quoted(text, at),
            )


_BY_LETTER = {
    "m": "it colours text",
    "J": "it erases the screen",
    "K": "it erases text",
    "h": "it changes the mode of the terminal",
    "l": "it changes the mode of the terminal",
}
_BY_NUMBER = {
    "0": "it sets the title of the window",
    "2": "it sets the title of the window",
    "8": "it turns the following text into a link",
    "52": "it writes to the clipboard",
}
_WORST = ("it conceals the text after it", "it writes to the clipboard", "it sets the title of the window")
_OTHER = "the character controls the terminal that shows it"


def _does(text: str) -> str:
    """The effects of the control sequences in a text, as clauses for the user, the worst first."""
    found = dict.fromkeys(_effects(text)) or {_OTHER: None}
    return "; ".join(
        sorted(found, key=lambda effect: _WORST.index(effect) if effect in _WORST else len(_WORST))
    )


def _effects(text: str) -> Iterator[str]:
    if "\x1bP" in text or "\x90" in text:
        yield "it sends a device control string"
    for match in SEQUENCE.finditer(text):
        parameters, letter, number = match.groups()
        if letter is None:
            yield _BY_NUMBER.get(number, "it sends a command to the terminal")
        elif letter == "m" and _conceals(parameters):
            yield _WORST[0]
        else:
            yield _BY_LETTER.get(letter, "it moves the cursor")


def _conceals(parameters: str) -> bool:
    """True if the parameters of an SGR sequence contain 8 (conceal). The numbers of a colour do not count."""
    left = iter(parameters.split(";"))
    for parameter in left:
        if parameter in {"38", "48", "58"}:
            for _ in range(1 if next(left, "") == "5" else 3):
                next(left, "")
        elif parameter.isdecimal() and int(parameter) == _CONCEAL:
            return True
    return False


_CONCEAL = 8


def _controls(offer: Offer) -> Iterator[Hit]:
    for pointer, text in _controlled(offer):
        if _INTRODUCERS.isdisjoint(text):
            at = next(
                (at for at, character in enumerate(text) if ord(character) < 32 and character not in "\n\t"),
                0,
            )
            yield Hit(
                message="The text contains control characters.",
                pointer=pointer,
                evidence=quoted(text, at),
            )


def _controlled(offer: Offer) -> Iterator[tuple[str, str]]:
    """The pointer and text of each place with control characters."""
    places = {
        (found.pointer, found.in_key)
        for found in offer.hidden
        if any(character.kind is HiddenKind.CONTROL for character in found.characters)
    }
    if places:
        for text in offer.texts:
            if (text.pointer, text.place is TextPlace.KEY) in places:
                yield text.pointer, text.text


RULES = (
    ReviewRule(
        id="SL-TRM001",
        title="Terminal control sequence",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="A terminal that shows the text unfiltered executes it: it can hide lines, change the screen, or write to the clipboard.",
        fix="Remove it.",
        references=("CWE-150", "OWASP MCP03:2025"),
        subjects=SHOWN,
        each=_sequences,
    ),
    ReviewRule(
        id="SL-TRM002",
        title="Control character",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Programs show it in different ways; some overwrite the text before it.",
        fix="Remove it.",
        references=("CWE-150",),
        subjects=SHOWN,
        each=_controls,
    ),
)
