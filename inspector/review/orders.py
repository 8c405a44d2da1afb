"""Finds instructions to a model in the texts of a definition."""

from collections.abc import Iterable, Iterator

from inspector.credentials.names import words_of
from inspector.hidden_characters import Hidden
from inspector.review.prose import names_secret_path
from inspector.review.signals import NOTABLE, InstructionScore, judged
from inspector.review.texts import Text, TextPlace

SHORTEST = 12
"""The minimum number of characters of a text that can give instructions."""
_ENCODED = 60
"""The minimum length, in characters, of a single word that is judged because it may encode sentences."""


def orders_in(texts: Iterable[Text], hiding: Iterable[Hidden]) -> Iterator[tuple[Text, InstructionScore]]:
    """The texts that give instructions to a model, each with its score.

    `hiding`: the hidden characters in `texts`.
    """
    hidden = {found.pointer for found in hiding}
    for text in texts:
        spelt = _spelt_out(text)
        if spelt is None:
            continue
        found = judged(spelt, hidden=text.pointer in hidden)
        if found.score >= NOTABLE:
            yield text, found


def _spelt_out(text: Text) -> Text | None:
    """The text to judge; None if it cannot contain an instruction.

    The words of a long name become a sentence.
    """
    if len(text.text) < SHORTEST or " " in text.text or "\n" in text.text:
        return text if len(text.text) >= SHORTEST else None
    if text.place in {TextPlace.KEY, TextPlace.NAME} and "://" not in text.text:
        words = words_of(text.text)
        if len(words) > 3:
            return Text(pointer=text.pointer, place=text.place, text=f"{' '.join(words)} {text.text}")
        return None
    is_judged = len(text.text) >= _ENCODED or names_secret_path(text.text.lower()) or not text.text.isascii()
    return text if is_judged else None
