"""One result through every host, side by side."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Static

from inspector.boundary.options import Level
from inspector.session.call_record import CallRecord
from inspector.tui.commands import Place, bindings, command
from inspector.tui.latest import Latest
from inspector.tui.present.foreign import content
from inspector.tui.present.hosts import HostsView, comparing, hosts_title
from inspector.tui.present.keys import Offer
from inspector.tui.screens.making import HostsAsked, hosts_view
from inspector.tui.widgets.hosts import HostsPane
from inspector.tui.widgets.keys import KeyLine

if TYPE_CHECKING:
    from textual.timer import Timer

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
class Lenses:
    """What the user chose to look through."""

    level: Level
    host: str


class HostsScreen(Screen[Lenses], inherit_bindings=False):
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
        self._making = Latest(self, hosts_view, self._take, self._could_not)

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
        self.dismiss(Lenses(level=self._level, host=message.host))

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
