"""Search in the labels and values of an outline, as they are drawn."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.json.exact import Json
from inspector.tui.values.outline import ABSENT, Outline, Side, Value
from inspector.tui.values.texts import leaf_text
from inspector.tui.values.wrap import PieceKind, is_plain, quoted

MOST = 10_000
"""The maximum number of matches listed."""
_LABEL = -1
_STRETCH = 20_000
"""The number of characters searched at once. More would block other threads, the event loop among them."""
_PIECE = 500
"""The number of characters of a text that are escaped at once.

A match in escaped characters is reported at the first of these characters.
"""


class Match(NamedTuple):
    """A place where the words were found."""

    node: int
    side: Side
    offset: int
    """The index of the match in a string; -1 if it is in the label or in a value that is not a string."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchAsked:
    """A request to search for `query` in the drawn sides of an outline."""

    outline: Outline
    sides: Sequence[Side]
    query: str


def pattern_of(query: str) -> re.Pattern[str]:
    """A pattern that finds a query as a whole in drawn text, ignoring case."""
    return re.compile(re.escape(query), re.IGNORECASE)


def matches(asked: SearchAsked) -> tuple[Match, ...]:
    """The first `MOST` places where the words occur, in order.

    Takes linear time in the size of the outline.
    """
    return tuple(_limited(_matches(asked))) if asked.query else ()


def _limited(found: Iterator[Match]) -> Iterator[Match]:
    for _, match in zip(range(MOST), found, strict=False):
        yield match


def _matches(asked: SearchAsked) -> Iterator[Match]:
    outline, wanted = asked.outline, pattern_of(asked.query)
    for node in range(len(outline)):
        values = [outline.value(node, side) for side in asked.sides]
        if outline.label(node) and wanted.search(outline.label(node)) and outline.is_drawn(node):
            yield Match(node, _first_side(asked.sides, values), _LABEL)
        before: Value = ABSENT
        for side, value in zip(asked.sides, values, strict=True):
            # A value that both sides have counts as one match.
            if value is not ABSENT and value is not before and value != before and not outline.is_end(node):
                yield from (Match(node, side, offset) for offset in _offsets(value, wanted, len(asked.query)))
            before = value


def _first_side(sides: Sequence[Side], values: Sequence[Value]) -> Side:
    for side, value in zip(sides, values, strict=True):
        if value is not ABSENT:
            return side
    return sides[0]


def _offsets(value: Json, wanted: re.Pattern[str], longest: int) -> Iterator[int]:
    if isinstance(value, (dict, list)):
        return
    text, kind = leaf_text(value)
    if kind is not PieceKind.STRING:
        if wanted.search(text):
            yield _LABEL
        return
    found = False
    for start in range(0, len(text), _STRETCH):
        for match in wanted.finditer(text, start, start + _STRETCH + longest):
            if match.start() < start + _STRETCH:
                found = True
                yield match.start()
    # Characters that are made safe are also found in the form in which they are drawn.
    if not found and not is_plain(text):
        for start in range(0, len(text), _PIECE):
            if wanted.search(quoted(text[start : start + _PIECE + longest])):
                yield start
