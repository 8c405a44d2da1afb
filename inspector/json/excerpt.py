"""A value as lines that may be shown as they are, in commands and in documents."""

from inspector.json.document import Document
from inspector.json.exact import Json

MAX_LINES = 400
"""Longer values are cut, visibly: JSON output has them whole."""


def document_lines(value: Json) -> list[str]:
    """A value as indented JSON, safe to show, cut visibly where it is long."""
    document = Document(value)
    lines = [
        "".join(span.text for span in line.spans)
        for line in document.lines(0, min(document.line_count, MAX_LINES))
    ]
    if document.line_count > MAX_LINES:
        lines.append(f"… {document.line_count - MAX_LINES:,} more lines")
    return lines
