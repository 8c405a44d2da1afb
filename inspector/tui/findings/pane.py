"""A list of findings, with the finding under the cursor in full.

The Findings tab and the review screen use it.
"""

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from inspector.review.report import ReportEntry
from inspector.tui.findings.rows import FindingRow, FindingsView, Row, row_detail, row_line
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import Detail, DrawnLines

_NO_FINDING = "Only a finding can be accepted. Put the cursor on one."


class FindingsPane(Vertical):
    """Shows a title, the findings, and the finding under the cursor in full."""

    DEFAULT_CSS = """
    FindingsPane {
        height: 1fr;
        background: $surface;
        & > .findings-title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > DrawnLines { height: 1fr; min-height: 3; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.FINDINGS)

    @dataclass
    class Opened(Message):
        """Posted when the user wants to see the place of a finding."""

        entry: ReportEntry

    @dataclass
    class AcceptanceToggled(Message):
        """Posted when the user wants to accept a finding, or to withdraw its acceptance."""

        entry: ReportEntry

    class Moved(Message):
        """Posted when another row is under the cursor."""

    def __init__(self, name: str) -> None:
        """`name`: the id of the widget."""
        super().__init__(id=name)
        self._name_width = 0
        self._rows: tuple[Row, ...] = ()
        self._title = PlainText(classes="findings-title")
        self.lines = DrawnLines(f"{name}-lines", self._draw)
        self._detail = Detail(f"{name}-detail", can_focus=False)

    def compose(self) -> ComposeResult:
        yield self._title
        yield self.lines
        yield self._detail

    @property
    def entry(self) -> ReportEntry | None:
        """The finding under the cursor; None if the cursor is on another row."""
        here = self._here
        return here.entry if isinstance(here, FindingRow) else None

    def show(self, view: FindingsView, *, entry: ReportEntry | None = None) -> None:
        """Show other findings. The cursor goes to `entry`; if that is None, it stays on the same finding."""
        here = entry or self.entry
        self._rows, self._name_width = view.rows, view.name_width
        self._title.update(view.title)
        self.lines.show_rows(len(view.rows), view.place_of(here))
        self._explain()

    def clear(self) -> None:
        """Show a placeholder until the findings of another item are ready."""
        self.show(FindingsView(title=Content.styled("…", "$foreground 70%"), rows=(), counting=0))

    def action_accept(self) -> None:
        if self.entry is None:
            self.notify(_NO_FINDING, markup=False)
        else:
            self.post_message(self.AcceptanceToggled(self.entry))

    @on(Lines.Moved)
    def follow(self, event: Lines.Moved) -> None:
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        event.stop()
        if self.entry is not None:
            self.post_message(self.Opened(self.entry))

    @property
    def _here(self) -> Row | None:
        return self._rows[self.lines.cursor] if self.lines.cursor < len(self._rows) else None

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        return row_line(self._rows[index], width, here=here, name_width=self._name_width)

    def _explain(self) -> None:
        self._detail.show(row_detail(self._here))
        self.post_message(self.Moved())
