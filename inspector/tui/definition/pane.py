"""The Definition tab: a definition as sent beside what the model is given; in one column where room is scarce."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from inspector.boundary.options import Level
from inspector.protocol.catalogue import Entry
from inspector.tui.definition.view import (
    DefinitionView,
    beside_line,
    column_line,
    every_reason,
    given_title,
    measure_line,
    why_line,
)
from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings
from inspector.tui.widgets.alignment import GAP
from inspector.tui.widgets.lines import SIGNS_WIDTH, Lines, document_line, marked

if TYPE_CHECKING:
    from inspector.json.document import Document

Side: TypeAlias = Literal["raw", "model"]

_MOST_SEARCHED = 400
"""Lines of a text in which a part of it is looked for."""

_LEAST_BESIDE = 72
"""Cells from which on both sides have room beside each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place in a definition that something is said of."""

    pointer: str
    words: Content
    """What is said of it."""
    near: str = ""
    """A part of the text there, to be brought into view. Foreign text."""


class DefinitionLines(Lines):
    """One side of a definition, or both in one column."""

    def __init__(self, side: Side) -> None:
        super().__init__(id=f"definition-{side}")
        self._side: Side = side
        self._raw: Document | None = None
        self._view: DefinitionView | None = None
        self._is_column = False
        self._marked = range(0)

    def mark(self, lines: range) -> None:
        """Mark these lines of what was sent, and no others."""
        self._marked = lines
        self.refresh()

    def show_raw(self, document: "Document | None") -> None:
        """Show a definition alone: nothing is known of what a model is given."""
        self._raw, self._view, self._marked = document, None, range(0)
        self.show_rows(
            document.line_count if document else 0, 0, width=document.width + SIGNS_WIDTH if document else 0
        )

    def show(self, view: DefinitionView, cursor: int, *, is_column: bool) -> None:
        """Show a side of a view, or all of it in one column."""
        self._raw, self._view, self._is_column = None, view, is_column
        document = view.model if self._side == "model" else view.raw
        width = max(view.raw.width, view.model.width) if is_column else document.width
        self.show_rows(len(view.column if is_column else view.rows), cursor, width=width + SIGNS_WIDTH)

    def raw_line(self, index: int) -> int:
        """Which line of what was sent stands on a row; `GAP` where none does."""
        if self._view is None:
            return index
        if self._side == "model":
            return GAP
        row, is_model = divmod(self._view.column[index], 2) if self._is_column else (index, 0)
        return GAP if is_model else self._view.rows.left[row]

    def row(self, index: int, width: int) -> Content:
        """A line."""
        line = self._line(index, width)
        return marked(line) if self._marked and self.raw_line(index) in self._marked else line

    def _line(self, index: int, width: int) -> Content:
        here = index == self.cursor
        if self._view is not None:
            if self._is_column:
                return column_line(self._view, index, here=here)
            return beside_line(self._view, index, width, is_model=self._side == "model", here=here)
        return document_line(self._raw.line(index), here=here) if self._raw else Content("")


class DefinitionPane(Vertical):
    """Both sides, their sizes, and why the line under the cursor differs."""

    DEFAULT_CSS = """
    DefinitionPane {
        height: 1fr;
        & > #definition-titles { height: 1; }
        & .side-title { width: 1fr; height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #definition-sides { height: 1fr; }
        & DefinitionLines { width: 1fr; scrollbar-size-horizontal: 0; }
        & #definition-model { border-left: vkey $panel; }
        & > #definition-line, & > #definition-why {
            height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & > #definition-line { background: $panel; }
        &.-column > #definition-titles, &.-column #definition-model { display: none; }
        &.-alone > #definition-titles, &.-alone #definition-model, &.-alone > #definition-why { display: none; }
        &.-alone.-marked > #definition-why { display: block; }
        &.-explaining > #definition-why {
            height: auto; max-height: 60%; text-wrap: wrap; overflow-y: auto;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.DEFINITION)

    def __init__(self) -> None:
        super().__init__(id="definition", classes="-alone")
        self._raw = DefinitionLines("raw")
        self._model = DefinitionLines("model")
        self._given = Static("", markup=False, classes="side-title")
        self._line = Static("", markup=False, id="definition-line")
        self._why = Static("", markup=False, id="definition-why")
        self._view: DefinitionView | None = None
        self._document: Document | None = None
        """What was sent."""
        self._mark: Mark | None = None
        self._marked = range(0)
        """The lines of what was sent that the mark is about."""

    def compose(self) -> ComposeResult:
        """Titles, both sides, sizes, the reason."""
        with Horizontal(id="definition-titles"):
            yield Static(Content.styled("As sent", "bold"), markup=False, classes="side-title")
            yield self._given
        with Horizontal(id="definition-sides"):
            yield self._raw
            yield self._model
        yield self._line
        yield self._why

    def on_mount(self) -> None:
        """Scroll both sides together."""
        self.watch(self._raw, "scroll_y", self._follow_raw, init=False)
        self.watch(self._model, "scroll_y", self._follow_model, init=False)
        self.watch(self._raw, "cursor", self._follow_raw_cursor, init=False)
        self.watch(self._model, "cursor", self._follow_model_cursor, init=False)

    @property
    def room(self) -> int:
        """How many characters of a text fit beside its indentation."""
        # While another tab is open, it has no size of its own.
        width = self.size.width or (self.parent.size.width if isinstance(self.parent, Widget) else 0)
        return max((width // 2 if width >= _LEAST_BESIDE else width) - 22, 24)

    @property
    def lines(self) -> Lines:
        """What takes the focus."""
        return self._raw

    @property
    def is_explaining(self) -> bool:
        """Whether all reasons are shown."""
        return self.has_class("-explaining")

    def shows(self, entry: Entry, level: Level, host: str) -> bool:
        """Whether it shows this item through these lenses."""
        view = self._view
        return view is not None and view.tool is entry and (view.level, view.host) == (level, host)

    def show_raw(self, document: "Document | None", line: Content) -> None:
        """Show a definition alone, and a line about it."""
        self._view, self._document = None, document
        self.add_class("-alone")
        self.remove_class("-explaining")
        self.mark(None)
        self._raw.show_raw(document)
        self._line.update(line)

    def show(self, view: DefinitionView) -> None:
        """Show both sides; the place is kept where only the lenses have changed."""
        before = self._view
        row = self._row() if before is not None and before.tool is view.tool else 0
        self._view, self._document = view, view.raw
        self.remove_class("-alone")
        self._given.update(given_title(view))
        self._line.update(measure_line(view))
        self._place(min(row, max(len(view.rows) - 1, 0)))
        # The lines may have been broken elsewhere.
        self._mark_lines()

    def mark(self, mark: Mark | None) -> None:
        """Mark a place of what was sent, and go there; None marks none."""
        self._mark = mark
        self.set_class(mark is not None, "-marked")
        self._mark_lines()
        if mark is not None and self._marked:
            self._raw.cursor = self._index_of_line(self._line_near(mark))
            self._raw.scroll_to(y=self._raw.cursor - self._raw.size.height // 3, animate=False)
        self._explain()

    def on_resize(self) -> None:
        """Side by side, or in one column."""
        is_column = self.size.width < _LEAST_BESIDE
        if is_column != self.has_class("-column"):
            row = self._row()
            self.set_class(is_column, "-column")
            if self._view is not None:
                self._place(row)

    def action_difference(self, step: int) -> None:
        """To the next or previous difference."""
        row = self._view.next_difference(self._row(), step) if self._view else None
        if row is None:
            self.notify(_no_difference(self._view, step), markup=False)
        else:
            self._raw.cursor = self._index(row)
            # What begins there goes on below.
            self._raw.scroll_to(y=self._raw.cursor - self._raw.size.height // 3, animate=False)

    @on(Lines.Moved)
    def explain_moved(self, event: Lines.Moved) -> None:
        """The cursor stands on another line."""
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def explain_chosen(self, event: Lines.Chosen) -> None:
        """Enter: all reasons, or one line again."""
        event.stop()
        if self._view is not None or self._mark is not None:
            self.toggle_class("-explaining")
            self._explain()

    def stop_explaining(self) -> None:
        """Back to the one line."""
        self.remove_class("-explaining")
        self._explain()

    def _place(self, row: int) -> None:
        view = self._view
        if view is None:
            return
        is_column = self.has_class("-column")
        self._raw.show(view, self._index(row), is_column=is_column)
        self._model.show(view, row, is_column=False)
        self._explain()

    def _index(self, row: int) -> int:
        return self._view.in_column(row) if self._view and self.has_class("-column") else row

    def _row(self) -> int:
        view, cursor = self._view, self._raw.cursor
        if view is None or not self.has_class("-column"):
            return cursor
        return view.column[cursor] // 2 if cursor < len(view.column) else 0

    def _mark_lines(self) -> None:
        found = self._document.extent(self._mark.pointer) if self._mark and self._document else None
        self._marked = found or range(0)
        self._raw.mark(self._marked)

    def _line_near(self, mark: Mark) -> int:
        """The marked line that shows the text that is meant; the first one where none of the first hundreds does."""
        start = self._marked.start
        if not mark.near or self._document is None:
            return start
        lines = self._document.lines(start, min(self._marked.stop, start + _MOST_SEARCHED))
        texts = ("".join(span.text for span in line.spans) for line in lines)
        return next((start + place for place, text in enumerate(texts) if mark.near in text), start)

    def _index_of_line(self, line: int) -> int:
        """Where a line of what was sent stands."""
        if self._view is None:
            return line
        left = self._view.rows.left
        row = next((row for row in range(line, len(left)) if left[row] == line), line)
        return self._index(row)

    def _explain(self) -> None:
        view, mark, cursor = self._view, self._mark, self._raw.cursor
        if mark is not None and (not self._marked or self._raw.raw_line(cursor) in self._marked):
            self._why.update(mark.words)
        elif view is not None:
            told = every_reason if self.is_explaining else why_line
            self._why.update(told(view, self._row()))
        else:
            self._why.update("")

    def _follow_raw(self, position: float) -> None:
        if not self.has_class("-column"):
            self._model.scroll_to(y=position, animate=False)

    def _follow_model(self, position: float) -> None:
        if not self.has_class("-column"):
            self._raw.scroll_to(y=position, animate=False)

    def _follow_raw_cursor(self, cursor: int) -> None:
        if not self.has_class("-column"):
            self._model.cursor = cursor

    def _follow_model_cursor(self, cursor: int) -> None:
        if not self.has_class("-column"):
            self._raw.cursor = cursor


def _no_difference(view: DefinitionView | None, step: int) -> str:
    if view is None:
        return "There is nothing to compare it with."
    if not view.reasons:
        return "The model is given all of it, as it was sent."
    return "No further difference below." if step > 0 else "No further difference above."
