"""The comparison of hosts: one result through every host."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from inspector.boundary.level import Level
from inspector.session.call_record import CallRecord
from inspector.tui.hosts.view import (
    ComparedHost,
    HostsAsked,
    HostsView,
    comparing,
    host_detail,
    host_line,
    hosts_head,
    hosts_summary,
    hosts_title,
    hosts_view,
)
from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.result.view import SERVER_NAME
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content
from inspector.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from textual.timer import Timer


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


_KEYS = (
    ("lines.choose", "look through it"),
    ("hosts.back", ""),
    ("hosts.boundary", ""),
    ("app.quit", ""),
    ("app.help", ""),
)

PATIENCE_S = 1.0
"""After so long without a comparison, the screen says what it waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenLenses:
    """What the user chose to look through."""

    level: Level
    host: str


class HostsScreen(Screen[ChosenLenses], inherit_bindings=False):
    """A table of hosts; Enter looks through one of them, Esc changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.HOSTS)

    def __init__(self, record: CallRecord, *, level: Level, host: str, hosts: int) -> None:
        """`host`: the one in force. `hosts`: how many there are."""
        super().__init__()
        self._record = record
        self._level = level
        self._host = host
        self._number = hosts
        self._title = Static(hosts_title(record, level), markup=False, id="hosts-title")
        self._pane = HostsPane()
        self._keys = KeyLine()
        self._waiting: Timer | None = None
        self._waited_s = 0
        self._edition = 0
        """Of the comparison that is waited for."""
        self._begun = 0
        self._making = Latest(self, _asked_hosts, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """Title, the table, keys."""
        yield self._title
        yield self._pane
        yield self._keys

    def on_mount(self) -> None:
        """Begin to compare."""
        self._keys.offers = [Offer(command(known), label or command(known).label) for known, label in _KEYS]
        self._compare()

    def action_cycle_level(self, step: int) -> None:
        """Compare at another boundary."""
        levels = list(Level)
        self._level = levels[(levels.index(self._level) + step) % len(levels)]
        self._title.update(hosts_title(self._record, self._level))
        self._compare()

    @on(HostsPane.Chosen)
    def choose(self, message: HostsPane.Chosen) -> None:
        """Look through a host, at the boundary that is shown."""
        self.dismiss(ChosenLenses(level=self._level, host=message.host))

    def on_unmount(self) -> None:
        """Nobody waits any more."""
        self._edition += 1

    def _compare(self) -> None:
        self._stop_waiting()
        self._edition += 1
        self._waited_s = self._begun = 0
        self._waiting = self.set_interval(PATIENCE_S, self._still_waiting)
        edition = self._edition
        self._making.ask(
            HostsAsked(record=self._record, level=self._level, turn=lambda begun: self._turn(edition, begun))
        )

    def _turn(self, edition: int, begun: int) -> bool:
        # In the worker's thread: a number is set, and another one read.
        if edition != self._edition:
            return False
        self._begun = begun
        return True

    def _still_waiting(self) -> None:
        self._waited_s += 1
        self._pane.say(comparing(self._record, self._begun, self._number, self._waited_s))

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None

    def _take(self, asked: HostsAsked, view: HostsView) -> None:
        del asked
        self._stop_waiting()
        self._pane.show(view, self._host)

    def _could_not(self, asked: HostsAsked, error: BaseException) -> None:
        if not asked.turn(self._begun):
            return
        self._stop_waiting()
        words = f"The hosts could not be compared ({type(error).__name__}): a defect of Sightline."
        self._pane.say(content(words, "$text-error"))


def _asked_hosts(asked: HostsAsked) -> HostsView:
    return hosts_view(asked.record, asked.level, server=SERVER_NAME, turn=asked.turn)
