"""A list of findings, and all there is to say of the one under the cursor."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.tui.findings.rows import FindingRow, FindingsView, Row, row_detail, row_line
from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings
from inspector.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from inspector.review.report import Entry

_NOTHING = "Only a finding can be accepted. Put the cursor on one."


class FindingLines(Lines):
    """The rows; each is drawn when it is seen."""

    def __init__(self, name: str, *, with_name: bool) -> None:
        """`with_name`: whether each row says what it is about."""
        super().__init__(id=name)
        self._with_name = with_name
        self._rows: tuple[Row, ...] = ()

    def show(self, rows: tuple[Row, ...], cursor: int) -> None:
        """Show other findings."""
        self._rows = rows
        self.show_rows(len(rows), cursor)

    @property
    def here(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def row(self, index: int, width: int) -> Content:
        """One row."""
        return row_line(self._rows[index], width, here=index == self.cursor, with_name=self._with_name)


class FindingsPane(Vertical):
    """A title, the findings, and the one under the cursor in full."""

    DEFAULT_CSS = """
    FindingsPane {
        height: 1fr;
        background: $surface;
        & > .findings-title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > FindingLines { height: 1fr; min-height: 3; }
        & > .findings-detail {
            height: auto; max-height: 50%; padding: 0 1; border-top: solid $panel; scrollbar-size: 1 1;
        }
        & > .findings-detail:focus { border-top: solid $primary; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.FINDINGS)

    @dataclass
    class Opened(Message):
        """The user wants to see the place of a finding."""

        entry: "Entry"

    @dataclass
    class Judged(Message):
        """The user wants to accept a finding, or to take that back."""

        entry: "Entry"

    def __init__(self, name: str, *, with_name: bool) -> None:
        """`name`: the id. `with_name`: whether each row says what it is about."""
        super().__init__(id=name)
        self.lines = FindingLines(f"{name}-lines", with_name=with_name)
        self._title = Static("", markup=False, classes="findings-title")
        self._detail = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """Title, rows, detail."""
        yield self._title
        yield self.lines
        with VerticalScroll(classes="findings-detail", can_focus=False):
            yield self._detail

    @property
    def entry(self) -> "Entry | None":
        """The finding under the cursor."""
        here = self.lines.here
        return here.entry if isinstance(here, FindingRow) else None

    def show(self, view: FindingsView, *, entry: "Entry | None" = None) -> None:
        """Show other findings. The cursor stays on the one that it was on, or goes to `entry`."""
        here = entry or self.entry
        self._title.update(view.title)
        self.lines.show(view.rows, view.place_of(here))
        self._explain()

    def clear(self) -> None:
        """Another item is shown: what was found of it comes in a moment."""
        self.show(FindingsView(title=Content.styled("…", "$foreground 70%"), rows=(), counting=0))

    def say(self, words: Content) -> None:
        """Say why there is nothing."""
        self._title.update(words)

    def action_accept(self) -> None:
        """Accept the finding under the cursor, or take that back."""
        if self.entry is None:
            self.notify(_NOTHING, markup=False)
        else:
            self.post_message(self.Judged(self.entry))

    @on(Lines.Moved)
    def explain(self, event: Lines.Moved) -> None:
        """The cursor stands on another row."""
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Enter on a row."""
        event.stop()
        if self.entry is not None:
            self.post_message(self.Opened(self.entry))

    def _explain(self) -> None:
        self._detail.update(row_detail(self.lines.here))
