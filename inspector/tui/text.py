"""Escapes control and invisible characters, shortens texts, and writes sizes and times in words."""

import re
from collections.abc import Iterable

from textual.content import Content

from inspector.boundary.bounded import Level
from inspector.json import weight
from inspector.json.pointer import readable
from inspector.safe_text import safe, safe_line

size = weight.size


def content(text: str, style: str = "") -> Content:
    """`text` on one line, without control and invisible characters.

    `style`: a style of Sightline's own, such as `bold $error`.
    """
    return Content.styled(safe_line(text), style) if style else Content(safe_line(text))


def paragraph(text: str, style: str = "") -> Content:
    """`text` without control and invisible characters, but with its line feeds.

    Each tab becomes four spaces, so that its width is known.
    """
    shown = safe(text).replace("\t", "    ")
    return Content.styled(shown, style) if style else Content(shown)


def flowed(parts: Iterable[Content], width: int) -> Content:
    """Parts in rows of `width` cells, two blanks apart.

    A row ends between two parts. Only a part that is longer than a row is wrapped.
    """
    rows: list[Content] = []
    room = 0
    for part in parts:
        if rows and part.cell_length + 2 <= room:
            rows[-1] = Content.assemble(rows[-1], "  ", part)
            room -= part.cell_length + 2
        else:
            rows.append(part)
            room = width - part.cell_length
    return Content("\n").join(rows)


def hanging(line: Content, width: int, indent: int) -> Content:
    """A line wrapped to `width` cells, with all rows but the first indented."""
    if line.cell_length <= width or width <= 2 * indent:
        return line
    first = line.wrap(width)[0]
    start = len(first.plain)
    start += len(line.plain[start:]) - len(line.plain[start:].lstrip(" "))
    rest = (row.pad_left(indent) for row in line[start:].wrap(width - indent))
    return Content("\n").join([first, *rest])


def path(pointer: str, most: int = 120, *, whole: str = "the whole result") -> str:
    """A JSON pointer as a path that is easy to read, such as `content[0].text`. Still untrusted text.

    `most`: the length, in characters, to which the pointer is cut. `whole`: the words for an empty pointer.
    """
    return readable(shortened(pointer, most)) or whole


def shortened(text: str, length: int) -> str:
    """`text` cut to `length` characters, with an ellipsis if it was longer.

    Control characters are not removed. Call `content` afterwards, not before, because it searches the whole
    text, which may be a megabyte.
    """
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"


def cut_at_front(text: str, length: int) -> str:
    """`text` cut to `length` characters, with an ellipsis at its front, for texts that differ at their ends."""
    return text if len(text) <= length else f"…{text[len(text) - max(length - 1, 0) :]}"


def cut_in_the_middle(text: str, length: int) -> str:
    """`text` cut to `length` characters, with an ellipsis in the middle.

    Addresses are cut in this way, because they differ at their ends.
    """
    if len(text) <= length:
        return text
    head = max(length - 1, 0) // 3
    tail = max(length - 1 - head, 0)
    return f"{text[:head]}…{text[len(text) - tail :]}"


_PLAIN_NAME = re.compile(r"[\w.@/+~\u2026-]*")
_BLANKS = re.compile(r"[^\S\n\t]+")
_QUOTES = re.compile(r'["\u201c-\u201f]')


def row_name(name: str, length: int) -> str:
    """The name of a server or a tool for a row with words of Sightline, cut to `length` characters.

    A name that is not one plain word is quoted, so that a part of it cannot be taken for words of Sightline. Still
    untrusted text.
    """
    cut = cut_in_the_middle(name, length)
    if _PLAIN_NAME.fullmatch(cut):
        return cut
    return f"\u201c{_QUOTES.sub(chr(39), row_text(cut_in_the_middle(name, length - 2)))}\u201d"


def row_text(text: str) -> str:
    """An untrusted text for a row of parts that are two blanks apart.

    Each run of blanks in it becomes one blank, so that it cannot be taken for several parts. Still untrusted text.
    """
    return _BLANKS.sub(" ", text)


def duration(duration_s: float) -> str:
    """A duration such as `4 ms`, `1.25 s` or `2 min 05 s`."""
    if duration_s < 0.9995:
        return f"{duration_s * 1000:.0f} ms"
    if duration_s < 59.95:
        return f"{duration_s:.2f} s" if duration_s < 9.995 else f"{duration_s:.1f} s"
    minutes, seconds = divmod(round(duration_s), 60)
    return f"{minutes} min {seconds:02d} s"


def count(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun, such as `1 tool` or `10,000 tools`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def tokens(size_bytes: int) -> str:
    """A rough number of tokens in words, at four bytes per token."""
    return f"about {count(max(1, round(size_bytes / 4)), 'token')}"


def level_style(level: Level) -> str:
    """The colour of a boundary level. The name of the level is always shown as well."""
    return {Level.OPEN: "$text-error", Level.DECLARED: "$text-warning", Level.CLOSED: "$text-success"}[level]


def level_in_force(level: Level) -> str:
    """The style of the boundary level in force. `open` is conspicuous, because a stray key may choose it."""
    return f"bold {'reverse ' if level is Level.OPEN else ''}{level_style(level)}"


_MEANINGS = {
    Level.OPEN: "withholds nothing",
    Level.DECLARED: "withholds what the declarations mark",
    Level.CLOSED: "passes only declared, non-sensitive fields",
}


def level_note(level: Level) -> Content:
    """A boundary level and its effect, such as `closed: passes only declared, non-sensitive fields`."""
    style = level_in_force(level)
    return Content.assemble((f"{level}: ", style), (_MEANINGS[level], style if level is Level.OPEN else ""))
