"""Writes the output of commands to stdout, and messages to stderr, and defines the colours."""

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TextIO, TypeAlias

from inspector.errors import ExitCode, InspectorError, UsageError
from inspector.json.exact import Json, dump_text
from inspector.safe_text import safe, safe_line

WIDE_COLUMNS = 100
"""The width in columns from which two views are printed side by side."""
_COLUMNS_WITHOUT_TERMINAL = 120

_NOT_PLAIN = re.compile(r"[^\x20-\x7e\xa1-\xac\xae-\u02ff]")


class Colour(StrEnum):
    """The SGR parameters of the colours in use."""

    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    DIM = "2"
    BOLD = "1"


class Coloured(NamedTuple):
    """A piece of a line, in one colour."""

    text: str
    colour: Colour | None = None


OutputLine: TypeAlias = str | tuple[Coloured, ...]


def columns() -> int:
    """The width to write for: COLUMNS, else the terminal's width, else 120."""
    return shutil.get_terminal_size((_COLUMNS_WITHOUT_TERMINAL, 24)).columns


def has_colours() -> bool:
    """True if stdout is a terminal that shows colours, and the user did not set NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_json(value: Json) -> None:
    """Write one JSON document on one line, with all values unchanged.

    Characters that could act on a terminal are written as JSON escapes.
    """
    _write(_NOT_PLAIN.sub(_escaped, dump_text(value)) + "\n")


def print_lines(lines: Iterable[OutputLine], *, exactly: bool = False) -> None:
    """Write text for a person.

    Control and invisible characters are escaped, so that a server cannot start a line of its own or set a
    colour. On a terminal, lines are wrapped at words, but not with `exactly`, which is for code, reports and
    commands.
    """
    with_colours = has_colours()
    width = columns() if sys.stdout.isatty() and not exactly else sys.maxsize
    for line in lines:
        if isinstance(line, str):
            _write("".join(f"{row}\n" for row in at_words(safe_line(line), width)))
        elif width == sys.maxsize and not with_colours:
            _write(safe_line("".join([piece.text for piece in line])).rstrip() + "\n")
        else:
            pieces = [Coloured(safe_line(piece.text), piece.colour) for piece in line]
            rows = (
                "".join(_painted(piece, with_colours=with_colours) for piece in row)
                for row in _rows_of(pieces, width)
            )
            _write("\n".join(rows).rstrip() + "\n")


def at_words(text: str, width: int) -> list[str]:
    """Split a text without control characters into rows of at most `width` cells. A longer word stays whole.

    Rows after the first are indented.

    Each break replaces one blank, so the rows without their indents, joined by blanks, are the text.
    """
    spans = _spans(text, width)
    return [" " * indent + text[start:stop] for indent, start, stop in spans]


def _rows_of(pieces: Sequence[Coloured], width: int) -> Iterator[list[Coloured]]:
    """The rows of a text in several colours, broken as `at_words` breaks a plain text."""
    for indent, start, stop in _spans("".join(piece.text for piece in pieces), width):
        row, at = [Coloured(" " * indent)], 0
        for text, colour in pieces:
            row.append(Coloured(text[max(start - at, 0) : max(stop - at, 0)], colour))
            at += len(text)
        yield row


def _spans(text: str, width: int) -> list[tuple[int, int, int]]:
    """The rows of a text: for each, the number of blanks before it, and its start and end in the text."""
    if len(text) <= width and (width == sys.maxsize or text.isascii()):
        return [(0, 0, len(text))]
    spans: list[tuple[int, int, int]] = []
    leading = len(text) - len(text.lstrip(" "))
    end = len(text.rstrip(" "))
    indent = start = 0
    while (stop := _fitting(text, start, width - indent)) < end:
        first = start if spans else leading
        blank = text.rfind(" ", first, stop + 1)
        if blank < 0:
            blank = text.find(" ", max(first, stop), end)
        if blank < 0:
            break
        spans.append((indent, start, blank))
        start = blank + 1
        indent = min(leading + 2, width // 2)
    return [*spans, (indent, start, len(text))]


def _painted(piece: Coloured, *, with_colours: bool) -> str:
    text, colour = piece
    return f"\x1b[{colour}m{text}\x1b[0m" if with_colours and colour and text.strip() else text


def masked_line(line: OutputLine, mask: Callable[[str], str]) -> OutputLine:
    """A line with its texts masked by `mask`."""
    if isinstance(line, str):
        return mask(line)
    return tuple(Coloured(mask(piece.text), piece.colour) for piece in line)


def cells(text: str) -> int:
    """The number of terminal columns that a safe text takes."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def wrapped(text: str, width: int) -> list[str]:
    """Split a safe text into pieces of at most `width` cells, at blanks if possible.

    The joined pieces are the text. If `width` is 1, a character of two cells is a piece of its own.
    """
    if len(text) <= width and text.isascii():
        return [text]
    pieces: list[str] = []
    start = 0
    while start < len(text):
        stop = _fitting(text, start, width)
        if stop < len(text):
            blank = text.rfind(" ", start, stop)
            if blank - start > width // 2 and _cells_of(text[blank + 1]):
                stop = blank + 1
        pieces.append(text[start:stop])
        start = stop
    return pieces or [""]


def _fitting(text: str, start: int, width: int) -> int:
    """The end of the longest piece of `text` that begins at `start` and takes at most `width` cells.

    The piece has at least one character, even if that takes more cells.
    """
    usual = start + max(width, 1)
    # One character more is examined, because it may take no cell and then belongs to this piece.
    if text[start : usual + 1].isascii():
        return min(usual, len(text))
    taken, stop = 0, start
    while stop < len(text):
        taken += _cells_of(text[stop])
        if taken > width and stop > start:
            break
        stop += 1
    return stop


@lru_cache(maxsize=4096)
def _cells_of(character: str) -> int:
    if character.isascii() or character == "…":
        return 1
    # The interface measures with the same table. Most output is ASCII and does not need it.
    from rich.cells import get_character_cell_size  # noqa: PLC0415

    return get_character_cell_size(character)


def table(rows: Sequence[Sequence[str]], width: int, *, is_whole: bool = False) -> list[str]:
    """Rows as aligned columns.

    On a terminal, the last column takes the rest of the width, and a longer cell of it ends in an ellipsis. With
    `is_whole`, or if nearly no room is left for the last column, cells that do not fit are written in full on lines
    of their own.
    """
    return list(table_lines(rows, width, is_whole=is_whole))


def table_lines(rows: Iterable[Sequence[str]], width: int, *, is_whole: bool = False) -> Iterator[str]:
    """The lines of a table, as in `table`, one at a time. Iterates over `rows` twice."""
    widths: list[int] = []
    longest = 0
    for row in rows:
        widths = widths or [0] * (len(row) - 1)
        widths = [max(size, cells(safe_line(cell))) for size, cell in zip(widths, row, strict=False)]
        longest = max(longest, cells(safe_line(row[-1])))
    has_width = sys.stdout.isatty()
    room = width - sum(widths) - 2 * len(widths)
    is_stacked = has_width and room < (longest if is_whole else _LEAST_LAST)
    for row in rows:
        clean = [safe_line(cell) for cell in row]
        if is_stacked:
            yield from _stacked(clean, widths, width)
            continue
        fixed = "".join(f"{padded(cell, size)}  " for cell, size in zip(clean, widths, strict=False))
        yield (fixed + (clipped(clean[-1], room) if has_width else clean[-1])).rstrip()


_LEAST_LAST = 20
"""The minimum width, in cells, of the last column of a table."""


def _stacked(row: Sequence[str], widths: Sequence[int], width: int) -> Iterator[str]:
    """The lines of one row of a table. The first has as many cells as fit, and each further cell has its own line."""
    number = next((n for n in range(len(widths), 1, -1) if sum(widths[:n]) + 2 * (n - 1) <= width), 1)
    yield "  ".join(map(padded, row[:number], widths)).rstrip()
    yield from (f"    {cell}" for cell in row[number:] if cell)


def padded(text: str, width: int) -> str:
    """A safe text, padded with blanks to `width` cells."""
    return text + " " * (width - cells(text))


def clipped(text: str, width: int) -> str:
    """`text` in at most `width` characters; a longer one ends in an ellipsis."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def _escaped(found: "re.Match[str]") -> str:
    character = found[0]
    code = ord(character)
    if not unicodedata.category(character).startswith("C") and character == safe(character):
        return character
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class UnreadError(Exception):
    """Raised if the program that reads stdout has ended.

    It is not an OSError, because click handles an OSError itself and exits with 1.
    """


def finish() -> None:
    """Write the buffered output. Raises UnreadError, UsageError."""
    try:
        sys.stdout.flush()
    except OSError as error:
        raise _unwritten(error) from error


def discard(stream: TextIO) -> None:
    """Drop what `stream` has buffered, so that the interpreter does not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _unwritten(error: OSError) -> UnreadError | UsageError:
    """The error to raise if stdout cannot be written."""
    discard(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return UnreadError()
    reason = error.strerror or type(error).__name__
    return UsageError(
        f"cannot write the output: {reason}", "Check the destination of the output, and its free space."
    )


def _write(text: str) -> None:
    try:
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "ascii"
            sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    except OSError as error:
        raise _unwritten(error) from error


class Diagnostics:
    """Writes messages for the user to stderr.

    With `-q`, it writes only questions and errors. With `--format json`, it writes the error that ends the command as
    one JSON object, and no notes.
    """

    def __init__(self) -> None:
        self.quiet = False
        self.as_json = False
        self._masks: list[Callable[[str], str]] = []
        self._said: set[str] = set()

    def conceal(self, mask: Callable[[str], str]) -> None:
        """Apply `mask` to every later message, because messages may quote servers that repeat credentials."""
        self._masks.append(mask)

    def mask(self, text: str) -> str:
        """Return `text` with the user's credentials for every server of this run masked."""
        for mask in self._masks:
            text = mask(text)
        return text

    def say(self, text: str) -> None:
        """Write a note, unless `-q` or JSON output is in use."""
        if not self.quiet and not self.as_json:
            self._write(self.mask(text))

    def say_once(self, text: str) -> None:
        """Write a note, unless it was written before, because each connection of a command may have the same notes."""
        if text not in self._said:
            self._said.add(text)
            self.say(text)

    def prompt(self, text: str) -> None:
        """Write a question, or an address to open, even with `-q`. Nothing is masked."""
        self._write(text)

    def add(self, text: str) -> None:
        """Write a part of an error message, even with `-q`.

        With JSON output, nothing is written, because the JSON document reports the error.
        """
        if not self.as_json:
            self._write(self.mask(text))

    def fail(self, error: InspectorError) -> ExitCode:
        """Write what failed and what to do. Returns the exit code."""
        error.mask(self.mask)
        if self.as_json:
            shape = {"code": error.code, "message": error.message, "hint": error.hint}
            # ASCII escapes, so that no untrusted text acts on a terminal.
            self._write(json.dumps({"error": shape}), exactly=True)
        else:
            # Indented, so that a line of a server cannot be taken for one of Sightline's.
            self._write("\n  ".join(f"sightline: {error.message}".split("\n")))
            if error.hint:
                self._write("\n  ".join(f"  {error.hint}".split("\n")))
        return error.exit_code

    def _write(self, text: str, *, exactly: bool = False) -> None:
        width = columns() if sys.stderr.isatty() and not exactly else sys.maxsize
        rows = (row for line in text.split("\n") for row in at_words(safe_line(line), width))
        try:
            sys.stderr.write("\n".join(rows) + "\n")
            sys.stderr.flush()
        except OSError:
            # A full disk or a pipe without a reader must not end the command, whose output may be complete.
            discard(sys.stderr)


DIAGNOSTICS = Diagnostics()


def defect(error: BaseException) -> InspectorError:
    """The error for a defect of Sightline, with its kind and place.

    The text of `error` is left out, because it may quote a server or a secret.
    """
    frame = error.__traceback__
    place = ""
    while frame is not None:
        place = f" at {frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}"
        frame = frame.tb_next
    return InspectorError(
        f"internal error: {type(error).__name__}{place}", "This is a defect of Sightline; please report it."
    )
