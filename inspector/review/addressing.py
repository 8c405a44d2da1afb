"""Finds the texts of a result or a request that give instructions to a model."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from inspector.hidden_characters import Hidden, hidden_characters
from inspector.json.exact import Json
from inspector.json.texts import OVERLAP, STRETCH, stretches
from inspector.review.signals import NO_SCORE, NOTABLE, InstructionScore, judged
from inspector.review.texts import Text, TextPlace, first_of, texts_of

_SHORTEST_TEXT = 12


class Addressing(Struct, frozen=True, kw_only=True):
    """The texts of a result that read like instructions to a model."""

    pointers: tuple[str, ...]
    limit: str
    """A clause that says how much of the result is searched; empty if all of it is searched."""


def addressing(result: Json) -> Addressing:
    """The texts of a result that the review rule SL-INJ001 finds. Takes up to a second for megabytes."""
    read = first_of(texts_of(result))
    found = addressed(read.texts, hidden_characters(result))
    return Addressing(pointers=tuple(text.pointer for text, _ in found), limit=read.limit)


def addressed(
    texts: Iterable[tuple[Text, int]], hiding: Iterable[Hidden]
) -> Iterator[tuple[Text, InstructionScore]]:
    """The texts that give instructions, each with its score.

    `texts`: each text with the number of its first characters to search. `hiding`: the hidden characters.
    """
    hidden = {found.pointer for found in hiding}
    for text, length in texts:
        if len(text.text) < _SHORTEST_TEXT or text.place is TextPlace.KEY:
            continue
        found = _highest(text.text[:length], text.pointer, hidden=text.pointer in hidden)
        if found.score >= NOTABLE:
            yield text, found


def _highest(text: str, pointer: str, *, hidden: bool) -> InstructionScore:
    """The score of the stretch of a text with the highest score.

    A long text is searched in stretches, so that no search holds the interpreter's lock for long.
    """
    best = NO_SCORE
    for number, stretch in enumerate(stretches(text)):
        # Prose may occur in any place of a result.
        prose = Text(pointer=pointer, place=TextPlace.PROSE, text=stretch)
        found = judged(prose, hidden=hidden)
        if found.score > best.score:
            best = replace(found, at=found.at + number * (STRETCH - OVERLAP))
    return best
