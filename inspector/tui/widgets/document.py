"""A JSON document, line by line, with a cursor."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.tui.present.document import SIGNS_WIDTH, document_line
from inspector.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from inspector.json.document import Document


class DocumentLines(Lines):
    """One document. Nothing of it is laid out but what is visible."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._document: Document | None = None

    @property
    def document(self) -> "Document | None":
        """What is shown."""
        return self._document

    def show(self, document: "Document | None") -> None:
        """Show another document, from its first line."""
        self._document = document
        self.show_rows(
            document.line_count if document else 0, 0, width=document.width + SIGNS_WIDTH if document else 0
        )
        self.scroll_to(x=0, y=0, animate=False)

    def row(self, index: int, width: int) -> Content:
        """One line."""
        del width
        if self._document is None:
            return Content("")
        return document_line(self._document.line(index), here=index == self.cursor)


class SignedLines(DocumentLines):
    """A document with signs in front of some of its lines."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget has it
        super().__init__(id=id)
        self._signs: Mapping[int, str] = {}

    def show(self, document: "Document | None", signs: Mapping[int, str] = MappingProxyType({})) -> None:
        """Show another document. `signs`: by the number of the line."""
        self._signs = signs
        super().show(document)

    def row(self, index: int, width: int) -> Content:
        """One line."""
        del width
        if self.document is None:
            return Content("")
        return document_line(
            self.document.line(index), here=index == self.cursor, sign=self._signs.get(index, " ")
        )
