"""The screen that compares all hosts on one result."""

from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer

from inspector.boundary.options import Level
from inspector.session.call_record import CallRecord
from inspector.tui.hosts.view import (
    ComparedHost,
    HostsAsked,
    HostsView,
    boundary_label,
    compared_call,
    host_detail,
    host_line,
    hosts_head,
    hosts_summary,
    hosts_view,
    progress_line,
)
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.result.sides import KnownBeside
from inspector.tui.result.view import SERVER_NAME
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import Detail, DrawnLines, Keys, SecondaryScreen

PATIENCE_S = 1.0
"""The time in seconds before the progress of a comparison is shown, and between its updates."""


class ChosenLenses(Struct, frozen=True, kw_only=True):
    """The boundary level and the host that the user chose."""

    level: Level
    host: str


class HostsScreen(SecondaryScreen[ChosenLenses], inherit_bindings=False):
    """A table of hosts. Enter selects a host for all results; Esc changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.HOSTS)
    NAME = "Compare hosts"
    KEYS: ClassVar[Keys] = (
        ("lines.choose", "use this host"),
        ("hosts.boundary", ""),
        ("hosts.back", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The hosts could not be compared"

    def __init__(
        self,
        record: CallRecord,
        known: KnownBeside,
        *,
        level: Level,
        host: str,
        hosts: int,
    ) -> None:
        """`host`: the current host. `hosts`: the number of hosts."""
        super().__init__()
        self._record = record
        self._known = known
        self._level = level
        self._host = host
        self._number = hosts
        self._summary = PlainText(id="hosts-summary")
        self._head = PlainText(id="hosts-head")
        self._lines = DrawnLines("host-lines", self._draw)
        self._detail = Detail("hosts-detail")
        self._view: HostsView | None = None
        self._waiting: Timer | None = None
        self._waited_s = 0
        self._edition = 0
        """The number of the latest comparison. Earlier ones stop."""
        self._begun = 0
        self._views = self.latest(_asked_hosts, self._take)

    def body(self) -> ComposeResult:
        yield self._summary
        yield self._head
        yield self._lines
        yield self._detail

    def on_mount(self) -> None:
        self._compare()

    def on_resize(self) -> None:
        self._head.update(hosts_head(self.size.width - 1))

    def on_unmount(self) -> None:
        self._edition += 1

    def action_cycle_level(self, step: int) -> None:
        levels = list(Level)
        self._level = levels[(levels.index(self._level) + step) % len(levels)]
        self._compare()

    @on(Lines.Moved)
    def follow(self, event: Lines.Moved) -> None:
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        event.stop()
        row = self._row()
        if row is not None:
            self.dismiss(ChosenLenses(level=self._level, host=row.name))

    def _explain(self) -> None:
        row = self._row()
        if row is not None and self._view is not None:
            self._detail.show(host_detail(row, self._view))

    def _row(self) -> ComparedHost | None:
        return self._view.rows[self._lines.cursor] if self._view and self._view.rows else None

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        if self._view is None:
            return Content("")
        row = self._view.rows[index]
        return host_line(row, self._view, width, here=here, chosen=row.name == self._host)

    def _compare(self) -> None:
        self.entitle(compared_call(self._record), boundary_label(self._level))
        self._stop_waiting()
        self._edition += 1
        self._waited_s = self._begun = 0
        self._waiting = self.set_interval(PATIENCE_S, self._show_progress)
        edition = self._edition
        self._views.ask(
            HostsAsked(
                record=self._record,
                level=self._level,
                known=self._known,
                turn=lambda begun: self._turn(edition, begun),
            )
        )

    def _turn(self, edition: int, begun: int) -> bool:
        # Runs in the worker's thread. It only sets one number and reads another.
        if edition != self._edition:
            return False
        self._begun = begun
        return True

    def _show_progress(self) -> None:
        self._waited_s += 1
        self.say(progress_line(self._record, self._begun, self._number, self._waited_s))

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None

    def _take(self, view: HostsView) -> None:
        before = self._row()
        self._stop_waiting()
        self._view = view
        self._summary.update(hosts_summary(view))
        cursor = view.place(before.name if before else self._host)
        self._lines.show_rows(len(view.rows), cursor)
        self._lines.focus()
        self._explain()

    def could_not(self, asked: object, error: BaseException) -> None:
        if isinstance(asked, HostsAsked) and asked.turn(self._begun):
            self._stop_waiting()
            super().could_not(asked, error)


def _asked_hosts(asked: HostsAsked) -> HostsView:
    known = asked.known(asked.record)
    return hosts_view(asked.record, asked.level, server=SERVER_NAME, turn=asked.turn, known=known)
