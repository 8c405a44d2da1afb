"""Rules UNI: invisible and confusable characters.

Source: Unicode Technical Report 36 and Technical Standard 39.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from inspector.hidden_characters import Hidden, HiddenKind
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.prose import tagged
from inspector.review.reviewed import Offer
from inspector.review.rule import SHOWN, ReviewRule
from inspector.review.texts import Text, TextPlace

_UTR36 = "Unicode Technical Report 36"


def _invisible(offer: Offer) -> Iterator[Hit]:
    for place, named, text in _places(offer, HiddenKind.INVISIBLE):
        spelt = tagged(text)
        says = f" They spell “{quoted(spelt)}”, which models read." if spelt else ""
        yield Hit(
            message=f"Invisible characters: {named}.{says}",
            pointer=place.pointer,
            evidence=quoted(text, _first(text)),
            severity=Severity.HIGH if spelt or place.count > 2 else None,
        )


def _bidirectional(offer: Offer) -> Iterator[Hit]:
    for place, named, text in _places(offer, HiddenKind.BIDIRECTIONAL):
        yield Hit(
            message=f"Characters that change the direction of text, so the displayed order differs from the stored order: {named}.",
            pointer=place.pointer,
            evidence=quoted(text, _first(text)),
        )


def _unassigned(offer: Offer) -> Iterator[Hit]:
    for place, named, text in _places(offer, HiddenKind.UNASSIGNED):
        yield Hit(
            message=f"Private-use or unassigned characters: {named}.",
            pointer=place.pointer,
            evidence=quoted(text, _first(text)),
        )


def _places(offer: Offer, kind: HiddenKind) -> Iterator[tuple[Hidden, str, str]]:
    """The places with characters of a kind, each with the names of the characters and the text."""
    if not offer.hidden:
        return
    texts = {(text.pointer, text.place is TextPlace.KEY): text.text for text in offer.texts}
    for place in offer.hidden:
        named = [
            f"U+{found.code:04X} {found.name}" + (f" ({found.count})" if found.count > 1 else "")
            for found in place.characters
            if found.kind is kind
        ]
        if named:
            more = f" and {len(named) - 4} others" if len(named) > 4 else ""
            yield place, ", ".join(named[:4]) + more, texts.get((place.pointer, place.in_key), "")


def _first(text: str) -> int:
    """The index of the first non-ASCII character."""
    return next((at for at, character in enumerate(text) if not character.isascii()), 0)


_LOOKALIKES = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")


def _mixed(offer: Offer) -> Iterator[Hit]:
    for text in offer.texts:
        if text.text.isascii():
            continue
        word = _mixed_word(text)
        if word:
            names = sorted({unicodedata.name(character, "") for character in word if not character.isascii()})
            yield Hit(
                message=f"A word mixes Latin letters with others that look like them: {', '.join(names[:4])}.",
                pointer=text.pointer,
                evidence=quoted(word),
                severity=Severity.HIGH if text.place in {TextPlace.NAME, TextPlace.KEY} else None,
            )


def _mixed_word(text: Text) -> str | None:
    # Greek letters next to Latin ones are common in scientific prose, but not in identifiers.
    least = 1 if text.place in {TextPlace.NAME, TextPlace.KEY} else 2
    for word in text.text.split():
        if word.isascii() or len(word) > 200:
            continue
        scripts = [_script(character) for character in word]
        if "LATIN" in scripts and (
            "CYRILLIC" in scripts
            or (scripts.count("LATIN") > 1 and sum(script in _LOOKALIKES for script in scripts) >= least)
        ):
            return word
    return None


@lru_cache(maxsize=4_096)
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""


RULES = (
    ReviewRule(
        id="SL-UNI001",
        title="Invisible characters",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="A reader of the definition does not see the text that the model gets; tag characters can encode whole sentences.",
        fix="Remove them.",
        references=("CWE-1007", "OWASP MCP03:2025", _UTR36),
        subjects=SHOWN,
        each=_invisible,
    ),
    ReviewRule(
        id="SL-UNI002",
        title="Bidirectional control characters",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="The displayed text is not the text that the model reads.",
        fix="Remove them.",
        references=("CWE-1007", _UTR36),
        subjects=SHOWN,
        each=_bidirectional,
    ),
    ReviewRule(
        id="SL-UNI003",
        title="Lookalike letters",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="A name can look the same as another, and a filter for a word misses its look-alike.",
        fix="Write each word in one script.",
        references=("CWE-1007", "Unicode Technical Standard 39"),
        subjects=SHOWN,
        each=_mixed,
    ),
    ReviewRule(
        id="SL-UNI004",
        title="Private-use or unassigned characters",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        consequence="What a reader sees depends on the font, and what a model understands depends on its training.",
        fix="Remove them.",
        references=("CWE-1007",),
        subjects=SHOWN,
        each=_unassigned,
    ),
)
