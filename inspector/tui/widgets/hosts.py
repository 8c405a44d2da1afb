"""The comparison of hosts: one row a host, the one under the cursor explained beneath."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.tui.present.hosts import (
    ComparedHost,
    HostsView,
    host_detail,
    host_line,
    hosts_head,
    hosts_summary,
)
from inspector.tui.widgets.lines import Lines


class HostLines(Lines):
    """The rows."""

    def __init__(self) -> None:
        super().__init__(id="host-lines")
        self._view: HostsView | None = None
        self._chosen = ""

    def show(self, view: HostsView, host: str, cursor: int) -> None:
        """Show another comparison. `host`: the one in force."""
        self._view = view
        self._chosen = host
        self.show_rows(len(view.rows), cursor)

    def row(self, index: int, width: int) -> Content:
        """One host."""
        if self._view is None:
            return Content("")
        row = self._view.rows[index]
        return host_line(row, self._view, width, here=index == self.cursor, chosen=row.name == self._chosen)


class HostsPane(Vertical):
    """What the comparison amounts to, the hosts, and all there is to say of one."""

    DEFAULT_CSS = """
    HostsPane {
        height: 1fr;
        background: $surface;
        & > #hosts-summary { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > HostLines { height: 3fr; }
        & > #hosts-head { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #hosts-detail {
            height: 2fr; padding: 0 1; border-top: solid $panel; scrollbar-size: 1 1;
        }
        & > #hosts-detail:focus { border-top: solid $primary; }
        &.-empty > HostLines, &.-empty > #hosts-head, &.-empty > #hosts-detail { display: none; }
        &.-empty > #hosts-summary { height: auto; padding: 1 2; text-wrap: wrap; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The user wants to look through a host."""

        host: str

    def __init__(self) -> None:
        super().__init__(id="hosts", classes="-empty")
        self._summary = Static("", markup=False, id="hosts-summary")
        self._head = Static("", markup=False, id="hosts-head")
        self._lines = HostLines()
        self._detail = Static("", markup=False)
        self._view: HostsView | None = None

    def compose(self) -> ComposeResult:
        """Summary, titles of the columns, rows, detail."""
        yield self._summary
        yield self._head
        yield self._lines
        with VerticalScroll(id="hosts-detail"):
            yield self._detail

    def show(self, view: HostsView, host: str) -> None:
        """Show a comparison; the cursor stays on its host, and begins on the one in force."""
        row = self._row()
        self._view = view
        self.remove_class("-empty")
        self._summary.update(hosts_summary(view))
        self._lines.show(view, host, view.place(row.name if row else host))
        self._explain()
        self._lines.focus()

    def say(self, note: Content) -> None:
        """Show nothing but a note: there is no comparison."""
        self.add_class("-empty")
        self._summary.update(note)

    def on_resize(self) -> None:
        """The columns follow the width."""
        self._head.update(hosts_head(self.size.width - 1))

    @on(Lines.Moved)
    def explain(self, event: Lines.Moved) -> None:
        """The cursor stands on another host."""
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Enter on a host."""
        event.stop()
        row = self._row()
        if row is not None:
            self.post_message(self.Chosen(row.name))

    def _row(self) -> ComparedHost | None:
        return self._view.rows[self._lines.cursor] if self._view and self._view.rows else None

    def _explain(self) -> None:
        row = self._row()
        self._detail.update(host_detail(row, self._view) if row and self._view else "")
