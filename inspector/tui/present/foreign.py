"""The one way from text to `Content`: made safe, and never read as markup."""

from textual.content import Content

from inspector.safe_text import safe, safe_line


def content(text: str, style: str = "") -> Content:
    """`text` on one line, whatever it holds; `style` is ours, as in `bold $error`."""
    return Content.styled(safe_line(text), style) if style else Content(safe_line(text))


def paragraph(text: str, style: str = "") -> Content:
    """`text` with its line feeds; tabs become four spaces, so that cells can be counted."""
    shown = safe(text).replace("\t", "    ")
    return Content.styled(shown, style) if style else Content(shown)


def shortened(text: str, length: int) -> str:
    """`text` cut to `length` characters with an ellipsis, made safe afterwards by whoever shows it.

    Cutting comes first: a megabyte of text is never made safe for the sake of one line.
    """
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"
