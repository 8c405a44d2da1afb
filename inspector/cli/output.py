"""The one place that writes to stdout."""

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence

from inspector.json.exact import Json, dump_text
from inspector.safe_text import safe, safe_line

WIDE_COLUMNS = 100
"""From this width on, two views stand side by side."""

_NOT_PLAIN = re.compile(r"[^\x20-\x7e\xa1-\xac\xae-\u02ff]")


def columns() -> int:
    """The width to write for: the terminal's, COLUMNS, or 120 where there is neither."""
    return shutil.get_terminal_size((120, 24)).columns


def print_json(value: Json) -> None:
    """One JSON document, exact. Characters that could act on a terminal are escaped, which JSON reads back."""
    _write(_NOT_PLAIN.sub(_escaped, dump_text(value)) + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """Text for a person, each line made safe: no server begins a line of its own."""
    for line in lines:
        _write(safe_line(line) + "\n")


def table(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Rows as aligned columns; the last column takes what is left and is cut there, visibly."""
    clean = [[safe_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in clean) for index in range(len(clean[0]) - 1)] if clean else []
    lines: list[str] = []
    for row in clean:
        fixed = "".join(f"{cell:<{size}}  " for cell, size in zip(row, widths, strict=False))
        lines.append((fixed + clipped(row[-1], max(width - len(fixed), 20))).rstrip())
    return lines


def clipped(text: str, width: int) -> str:
    """`text` in at most `width` characters, with an ellipsis where it was longer."""
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
    """Whoever read stdout has ended. No OSError, which click would take for its own and exit with 1."""


def finish() -> None:
    """Write what is buffered. Raises UnreadError."""
    try:
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise UnreadError from error


def discard() -> None:
    """Have what is still buffered go nowhere, without a complaint at the end of the program."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _write(text: str) -> None:
    try:
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "ascii"
            sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    except BrokenPipeError as error:
        raise UnreadError from error
