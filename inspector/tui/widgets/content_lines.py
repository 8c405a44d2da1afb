"""Rows that were prepared elsewhere."""

from collections.abc import Sequence

from textual.content import Content

from inspector.tui.present.foreign import content
from inspector.tui.widgets.lines import Lines


class ContentLines(Lines):
    """A list of sentences, each wrapped into as many rows as it takes. For hundreds of them, not for thousands."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._sentences: Sequence[Content] = ()
        self._rows: list[Content] = []

    def show(self, sentences: Sequence[Content]) -> None:
        """Show other sentences, from the first."""
        self._sentences = sentences
        self._wrap(0)

    def on_resize(self) -> None:
        """Wrap them anew."""
        self._wrap(None)

    def row(self, index: int, width: int) -> Content:
        """One row."""
        del width
        return self._rows[index]

    def _wrap(self, cursor: int | None) -> None:
        width = max(self.scrollable_content_region.width, 20)
        self._rows = [row for sentence in self._sentences for row in sentence.wrap(width) or [sentence]]
        self.show_rows(len(self._rows), cursor)


class TextLines(Lines):
    """A text in lines, each made safe when it is drawn."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._lines: Sequence[str] = ()

    def show(self, lines: Sequence[str]) -> None:
        """Show another text: foreign, one line each."""
        self._lines = lines
        self.show_rows(len(lines), 0, width=max(map(len, lines), default=0))

    def row(self, index: int, width: int) -> Content:
        """One line."""
        del width
        return content(self._lines[index])
