"""Where a text breaks so that each piece, as it is shown, fits a number of terminal cells."""

import re
from array import array
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len

from inspector.json.exact import scalar_text
from inspector.safe_text import safe_line

LEAST = 9
"""Cells that a piece has at least: no character is shown in more (`⟨U+E0100⟩`, `\\ud800`)."""


def quoted(text: str) -> str:
    """What stands between the quotes of a JSON string, safe to show."""
    return safe_line(scalar_text(text)[1:-1])


def breaks(text: str, room: int, first: int | None = None) -> Sequence[int]:
    """The index at which each piece of `text` begins; the first is 0.

    A piece, quoted and made safe, takes at most `room` cells, the first one `first`. A line feed ends a piece. Other
    pieces end behind a blank where there is one in their second half. Linear; a printable ASCII text takes no loop.
    """
    room = max(room, LEAST)
    first = room if first is None else max(first, LEAST)
    starts = array("Q", [0])
    at = 0
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        line = text[at:stop]
        if at:
            starts.append(at)
        _break_line(line, at, room, first if not at else room, starts)
        at = stop
    return starts


def _break_line(line: str, at: int, room: int, first: int, starts: "array[int]") -> None:
    """Append the starts of all pieces of a line but its first, as indexes into the whole text."""
    length = len(line)
    if length <= first and _is_plain(line):
        return
    if _is_plain(line):
        end = _plain_end(line, 0, first)
        if end < length:
            starts.append(at + end)
            for piece in _pattern(room).finditer(line, end):
                if piece.end() < length:
                    starts.append(at + piece.end())
        return
    _break_odd_line(line, at, room, first, starts)


def _plain_end(line: str, start: int, room: int) -> int:
    found = _pattern(room).match(line, start)
    return found.end() if found else len(line)


@lru_cache(maxsize=64)
def _pattern(room: int) -> re.Pattern[str]:
    """A piece of a plain text: to the last blank of its second half, else all the room, or all that is left."""
    return re.compile(rf"(?s).{{1,{room}}}\Z|.{{{room // 2},{room}}}(?<= )|.{{{room}}}")


def _break_odd_line(line: str, at: int, room: int, first: int, starts: "array[int]") -> None:
    widths = _WIDTHS
    left, begin, blank, since = first, 0, 0, 0
    for index, character in enumerate(line):
        width = widths.get(character)
        if width is None:
            width = widths[character] = cell_len(quoted(character))
        if width > left:
            # Behind the last blank, where half of the piece or more is before it and the rest fits the next one.
            if blank - begin > (index - begin) // 2 and since + width <= room:
                begin, left = blank, room - since
            else:
                begin, left, since = index, room, 0
            starts.append(at + begin)
            blank = 0
        left -= width
        since += width
        if character == " ":
            blank, since = index + 1, 0


def _is_plain(text: str) -> bool:
    """Whether each character is shown as itself, in one cell."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


class _Widths(dict[str, int]):
    """Cells by character. Bounded: a text may hold every character there is."""

    def __setitem__(self, key: str, value: int) -> None:
        if len(self) >= _MOST_WIDTHS:
            self.clear()
        super().__setitem__(key, value)


_MOST_WIDTHS = 20_000
_WIDTHS = _Widths()
