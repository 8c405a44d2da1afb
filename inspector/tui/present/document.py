"""Lines of a document: signs in front, colours by JSON's grammar."""

from textual.content import Content

from inspector.json.document import Line, SpanKind

REMOVED = "✗"
MARKED = "!"
GAP = "┄"

_STYLES = {
    SpanKind.PUNCTUATION: "$foreground 60%",
    SpanKind.KEY: "$text-primary",
    SpanKind.STRING: "$foreground",
    SpanKind.NUMBER: "$text-accent",
    SpanKind.WORD: "$text-accent",
}

SIGNS_WIDTH = 3
"""Cells in front of a line: the cursor's sign, the removal's, a blank."""


def document_line(line: Line, *, here: bool, sign: str = " ") -> Content:
    """One line. `here`: the cursor is on it. `sign`: what is the matter with it; `REMOVED` colours all of it.

    Every span comes from `Document`, which lets nothing through that acts or hides.
    """
    cursor = "▸" if here else " "
    if sign == REMOVED:
        text = "".join(span.text for span in line.spans)
        return Content.assemble(cursor, (f"{REMOVED} ", "bold $text-error"), (text, "$text-error"))
    return Content.assemble(
        cursor, (f"{sign} ", "bold $text-accent"), *((span.text, _STYLES[span.kind]) for span in line.spans)
    )


def gap_line(width: int, *, here: bool, sign: str = " ") -> Content:
    """A row on which this side has nothing. `sign`: why, where the other side has something."""
    cursor = "▸" if here else " "
    if sign == " ":
        return Content(cursor)
    style = "$text-error" if sign == REMOVED else "$text-accent"
    return Content.assemble(cursor, (f"{sign} ", style), (GAP * max(width - 4, 1), "$foreground 20%"))


def marked(line: Content) -> Content:
    """A line of which something is said: `!` stands before its text, and it has a colour of its own."""
    return Content.assemble(line[:2], (MARKED, "bold $text-warning"), line[3:]).stylize("on $warning 20%", 2)
