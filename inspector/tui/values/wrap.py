"""Breaks texts into rows, so that each piece, as it is shown, fits into a number of terminal cells."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from rich.cells import cell_len

from inspector.boundary.mask import MASK
from inspector.json.exact import scalar_text
from inspector.safe_text import safe_line

LEAST = 9
r"""The minimum width of a piece in cells. No single character is shown wider (`⟨U+E0100⟩`, `\ud800`)."""


def quoted(text: str) -> str:
    """The text between the quotes of a JSON string, safe to show."""
    return safe_line(scalar_text(text)[1:-1])


def breaks(
    text: str, room: int, first: int | None = None, *, shown: Callable[[str], str] = quoted
) -> Sequence[int]:
    """The indexes at which the pieces of `text` begin; the first is 0.

    A piece, as `shown` draws it (quoted, with control characters escaped), takes at most `room` cells, and
    the first piece at most `first`. A line feed ends a piece. Other pieces end after a blank if there is one
    in their second half. The note of a mask, `(36 characters)`, stays whole if it fits. Takes linear time; a
    printable ASCII text needs no loop over its characters.
    """
    room = max(room, LEAST)
    first = room if first is None else max(first, LEAST)
    starts = array("Q", [0])
    at = 0
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        line = text[at:stop]
        if shown is not quoted:
            line = line.removesuffix("\n")
        if at:
            starts.append(at)
        _break_line(line, at, room, first if not at else room, starts, _WIDTHS[shown])
        at = stop
    return starts


def plain_rows(before: int, text: str, after: int, room: int) -> int:
    """The number of rows of a plain text between quotes in `room` cells; 0 if it does not fit beside its label.

    `before`: the width of what precedes the text in its first row. `after`: the width of what follows the
    text in its last row.
    """
    room, outside, length = max(room, LEAST), 2 + after, len(text)
    if before and before + outside + min(length, LEAST) > room:
        return 0
    first = max(room - outside - before, LEAST)
    rest = max(room - outside - 2 - len(CONTINUED), LEAST)
    at, rows, width = 0, 1, first
    while length - at > width:
        blank = text.rfind(" ", at + max(width // 2, 1) - 1, at + width)
        at = blank + 1 if blank >= 0 else at + width
        rows, width = rows + 1, rest
    return rows


def _break_line(line: str, at: int, room: int, first: int, starts: "array[int]", widths: "_Widths") -> None:
    """Append the starts of the pieces of a line, except the first piece, as indexes into the whole text."""
    length = len(line)
    is_simple = line.isascii() and line.isprintable() and (widths is _WIDTHS[safe_line] or is_plain(line))
    if is_simple and length <= first:
        return
    if is_simple:
        end = _plain_end(line, 0, first)
        if end < length:
            starts.append(at + end)
            for piece in _pattern(room).finditer(line, end):
                if piece.end() < length:
                    starts.append(at + piece.end())
        return
    _break_odd_line(line, at, room, first, starts, widths)


def _plain_end(line: str, start: int, room: int) -> int:
    found = _pattern(room).match(line, start)
    return found.end() if found else len(line)


@lru_cache(maxsize=64)
def _pattern(room: int) -> re.Pattern[str]:
    """A pattern for a piece of plain text.

    It ends after the last blank in its second half, else at `room` characters, or at the end of the text.
    """
    return re.compile(rf"(?s).{{1,{room}}}\Z|.{{{room // 2},{room}}}(?<= )|.{{{room}}}")


def _break_odd_line(
    line: str, at: int, room: int, first: int, starts: "array[int]", widths: "_Widths"
) -> None:
    left, begin, blank, since = first, 0, 0, 0
    notes = [found.span(1) for found in _NOTE.finditer(line)] if MASK in line else []
    notes.reverse()
    for index, character in enumerate(line):
        while notes and index >= notes[-1][1]:
            notes.pop()
        note = notes[-1][0] if notes and notes[-1][0] <= index else -1
        width = widths[character]
        if width > left:
            if note > begin and notes[-1][1] - note <= room:
                # A note is ASCII: each character takes one cell.
                begin, left = note, room - (index - note)
                since = index - note
            # Break after the last blank, if at least half of the piece is before it and the rest fits the
            # next piece.
            elif blank - begin > (index - begin) // 2 and since + width <= room:
                begin, left = blank, room - since
            else:
                begin, left, since = index, room, 0
            starts.append(at + begin)
            blank = 0
        left -= width
        since += width
        if character == " " and note < 0:
            blank, since = index + 1, 0


_NOTE = re.compile(rf"{MASK} (\([a-z0-9, ]+\))")
_IS_MASK = _NOTE.fullmatch


def is_plain(text: str) -> bool:
    """True if each character of a text is shown as itself, in one cell."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


class _Widths(dict[str, int]):
    """The width of characters in cells, as they are drawn.

    The cache is emptied when it is full, because a text may contain any character of Unicode.
    """

    def __init__(self, shown: Callable[[str], str]) -> None:
        self._shown = shown

    def __missing__(self, key: str) -> int:
        if len(self) >= _MOST_WIDTHS:
            self.clear()
        self[key] = width = cell_len(self._shown(key))
        return width


_MOST_WIDTHS = 20_000
_WIDTHS: dict[Callable[[str], str], _Widths] = {shown: _Widths(shown) for shown in (quoted, safe_line)}


class PieceKind(StrEnum):
    """The kind of a piece of a row, which determines its colour."""

    LABEL = "label"
    STRING = "string"
    SCALAR = "scalar"
    PUNCTUATION = "punctuation"
    CONTINUATION = "continuation"
    """The sign in front of a continued text."""


Span: TypeAlias = tuple[str, PieceKind | str]
"""A text and its kind. In a picture, a text and its colours: `#aabbcc on #ddeeff`."""
CONTINUED = "↪ "
_QUOTE = '"'


class Wrapped:
    """A label and a text in rows of `width` cells. Rows are made on demand."""

    __slots__ = (
        "_blanks",
        "_comma",
        "_first",
        "_kind",
        "_labels",
        "_quoted_length",
        "_separator",
        "_starts",
        "_text",
        "count",
    )

    def __init__(
        self, label: str, separator: str, text: str, kind: PieceKind, comma: str, indent: int, width: int
    ) -> None:
        """`label`, `separator`: safe text. `text`: as it was sent if it is a string, otherwise safe text."""
        self._blanks: Span = (" " * indent, PieceKind.PUNCTUATION)
        self._text, self._kind, self._comma, self._separator = text, kind, comma, separator
        room = max(width - indent, LEAST)
        quotes = 2 if kind is PieceKind.STRING else 0
        outside = quotes + len(comma)
        taken = cell_len(label) + len(separator)
        is_below = bool(label) and taken + outside + _least_cells(text, kind) > room
        self._labels: tuple[str, ...] = (
            (label,) if not is_below else tuple(_pieces(label, room, room - len(CONTINUED)))
        )
        self._first = len(self._labels) if is_below else 0
        """The row on which the text begins."""
        first = room - outside - (2 if is_below else taken)
        rest = room - outside - 2 - len(CONTINUED)
        self._starts: Sequence[int] = breaks(text, rest, first) if quotes else _safe_starts(text, first, rest)
        self._quoted_length = len(MASK) if quotes and _IS_MASK(text) else len(text)
        """The number of characters between the quotes."""
        if is_below and not text and not quotes:
            self.count = self._first
        else:
            self.count = self._first + len(self._starts)

    def row(self, number: int) -> list[Span]:
        if number < self._first:
            sign: list[Span] = [(CONTINUED, PieceKind.CONTINUATION)] if number else []
            return [self._blanks, *sign, (self._labels[number], PieceKind.LABEL)]
        at = number - self._first
        piece = self._piece(at)
        if at:
            begins_line = self._kind is PieceKind.STRING and self._text[self._starts[at] - 1] == "\n"
            sign = (
                [("    ", PieceKind.PUNCTUATION)]
                if begins_line
                else [("  ", PieceKind.PUNCTUATION), (CONTINUED, PieceKind.CONTINUATION)]
            )
            return [self._blanks, *sign, (piece, self._kind)]
        if self._first:
            return [self._blanks, ("  ", PieceKind.PUNCTUATION), (piece, self._kind)]
        return [
            self._blanks,
            (self._labels[0], PieceKind.LABEL),
            (self._separator, PieceKind.PUNCTUATION),
            (piece, self._kind),
        ]

    def row_of(self, offset: int) -> int:
        """The row that shows the character at `offset`."""
        return self._first + max(bisect_right(self._starts, offset) - 1, 0)

    def _piece(self, at: int) -> str:
        is_last = at + 1 == len(self._starts)
        piece = self._text[self._starts[at] : None if is_last else self._starts[at + 1]]
        if self._kind is PieceKind.STRING:
            # The note of a mask is no part of the value: it is behind the quotes.
            end = self._quoted_length - self._starts[at]
            inside, behind = quoted(piece[: max(end, 0)]), quoted(piece[max(end, 0) :])
            closing = _QUOTE if 0 < end <= len(piece) or not self._text else ""
            piece = f"{'' if at else _QUOTE}{inside}{closing}{behind}"
        return piece + (self._comma if is_last else "")


class LinedText:
    """A label, and below it a text with line feeds, line by line behind a border. Rows are made on demand.

    Characters are drawn as they are, without quotes and escapes; only control and invisible characters are
    replaced. A text that ends with a line feed has an empty last line.
    """

    __slots__ = ("_blanks", "_labels", "_starts", "_text", "count")

    def __init__(self, label: str, text: str, indent: int, width: int) -> None:
        """`label`: safe text. `text`: as it was sent."""
        self._blanks: Span = (" " * indent, PieceKind.PUNCTUATION)
        self._text = text
        room = max(width - indent, LEAST)
        self._labels = tuple(_pieces(label, room, room - len(CONTINUED))) if label else ()
        starts = breaks(text, room - len(_BORDER) - len(CONTINUED), shown=safe_line)
        self._starts = [*starts, len(text)] if text.endswith("\n") else starts
        self.count = len(self._labels) + len(self._starts)

    def row(self, number: int) -> list[Span]:
        at = number - len(self._labels)
        if at < 0:
            sign: list[Span] = [(CONTINUED, PieceKind.CONTINUATION)] if number else []
            return [self._blanks, *sign, (self._labels[number], PieceKind.LABEL)]
        start = self._starts[at]
        stop = self._starts[at + 1] if at + 1 < len(self._starts) else len(self._text)
        piece = safe_line(self._text[start:stop].removesuffix("\n"))
        is_continued = start > 0 and self._text[start - 1] != "\n"
        border = f"{_BORDER}{CONTINUED if is_continued else ''}"
        return [self._blanks, (border, PieceKind.CONTINUATION), (piece, PieceKind.STRING)]

    def row_of(self, offset: int) -> int:
        """The row that shows the character at `offset`."""
        return len(self._labels) + max(bisect_right(self._starts, offset) - 1, 0)


_BORDER = "  ▏"


def _least_cells(text: str, kind: PieceKind) -> int:
    """The minimum width, in cells, of a text after its label.

    This is the width of the text if it is short, otherwise the width that is enough for any character.
    """
    if len(text) >= LEAST:
        return LEAST
    return min(cell_len(quoted(text) if kind is PieceKind.STRING else text), LEAST)


def _safe_starts(text: str, first: int, rest: int) -> Sequence[int]:
    if text.isascii() and len(text) <= first:
        return (0,)
    starts = [0]
    for piece in _pieces(text, max(first, LEAST), max(rest, LEAST)):
        starts.append(starts[-1] + len(piece))
    return starts[:-1] or (0,)


def _pieces(text: str, first: int, rest: int) -> Iterator[str]:
    """Split text that is already safe into a piece of `first` cells and pieces of `rest` cells."""
    begin, left = 0, first
    for index, character in enumerate(text):
        width = cell_len(character)
        if width > left:
            yield text[begin:index]
            begin, left = index, rest
        left -= width
    yield text[begin:]


def row_text(spans: Sequence[Span]) -> str:
    """The plain text of a row."""
    return "".join(text for text, _ in spans)
