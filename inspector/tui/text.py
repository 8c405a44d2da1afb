"""Safe text, sizes, times and counts in words, and the colours of boundaries."""

from textual.content import Content

from inspector.boundary.bounded import Level
from inspector.safe_text import safe, safe_line


def content(text: str, style: str = "") -> Content:
    """`text` on one line, whatever it holds; `style` is ours, as in `bold $error`."""
    return Content.styled(safe_line(text), style) if style else Content(safe_line(text))


def paragraph(text: str, style: str = "") -> Content:
    """`text` with its line feeds; tabs become four spaces, so that cells can be counted."""
    shown = safe(text).replace("\t", "    ")
    return Content.styled(shown, style) if style else Content(shown)


def shortened(text: str, length: int) -> str:
    """`text` cut to `length` characters with an ellipsis, made safe afterwards by the widget that shows it.

    Cutting comes first: a megabyte of text is never made safe for the sake of one line.
    """
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"


def headline(message: str) -> str:
    """A message on one line: how it begins and, where it ends in a traceback or the like, how it ends."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return f"{lines[0]}: {lines[-1]}" if len(lines) > _FEW_LINES else ", ".join(lines)


_FEW_LINES = 3


def cut_in_the_middle(text: str, length: int) -> str:
    """`text` cut to `length` characters with an ellipsis in its middle: addresses differ at their ends."""
    if len(text) <= length:
        return text
    head = max(length - 1, 0) // 3
    tail = max(length - 1 - head, 0)
    return f"{text[:head]}…{text[len(text) - tail :]}"


def size(size_bytes: int) -> str:
    """`812 B`, `1.2 kB`, `5.0 MB`: powers of ten."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    value = size_bytes / 1000
    for unit in ("kB", "MB"):
        if value < 999.5:
            return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def duration(duration_s: float) -> str:
    """`4 ms`, `1.25 s`, `2 min 05 s`."""
    if duration_s < 0.9995:
        return f"{duration_s * 1000:.0f} ms"
    if duration_s < 59.95:
        return f"{duration_s:.2f} s" if duration_s < 9.995 else f"{duration_s:.1f} s"
    minutes, seconds = divmod(round(duration_s), 60)
    return f"{minutes} min {seconds:02d} s"


def count(number: int, singular: str, plural: str = "") -> str:
    """`1 tool`, `10,000 tools`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def tokens(size_bytes: int) -> str:
    """A rough count of tokens, at four bytes each."""
    return f"about {count(max(1, round(size_bytes / 4)), 'token')}"


def level_style(level: Level) -> str:
    """The colour of a boundary; its word says the same."""
    return {Level.OPEN: "$text-error", Level.DECLARED: "$text-warning", Level.CLOSED: "$text-success"}[level]


_MEANINGS = {
    Level.OPEN: "withholds nothing",
    Level.DECLARED: "withholds what the declarations mark",
    Level.CLOSED: "passes only declared, non-sensitive fields",
}


def level_note(level: Level) -> Content:
    """`closed: passes only declared, non-sensitive fields`."""
    return Content.assemble((f"{level}: ", f"bold {level_style(level)}"), _MEANINGS[level])
