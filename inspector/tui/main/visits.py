"""Visiting: the screens that open over the main screen, and what they bring back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.screen import Screen

from inspector.protocol.timeline import Entry
from inspector.tui.connection.connection import Link
from inspector.tui.hosts.screen import HostsScreen
from inspector.tui.main.selection import Looking
from inspector.tui.page.screen import PageScreen
from inspector.tui.pins.screen import PinsScreen
from inspector.tui.policy.dialog import DecisionScreen
from inspector.tui.policy.view import note_view
from inspector.tui.secrets.keeper import VaultKeeper, VaultScreen
from inspector.tui.secrets.screen import SecretsScreen
from inspector.tui.timeline.frame import FrameScreen, FramesWanted
from inspector.tui.trust.screen import TrustScreen

if TYPE_CHECKING:
    from inspector.tui.hosts.screen import ChosenLenses
    from inspector.tui.pins.watcher import PinWatcher
    from inspector.tui.policy.gate import PolicyGate


class Visiting:
    """Opens other screens on what the main screen looks at."""

    def __init__(
        self,
        screen: Screen[None],
        link: Link,
        looking: Looking,
        keeping: VaultKeeper,
        copy_secret: Callable[[str], None] | None,
    ) -> None:
        """`copy_secret`: puts a secret on the clipboard; None where that is not allowed."""
        self._screen = screen
        self._link = link
        self._looking = looking
        self._keeping = keeping
        self._copy_secret = copy_secret

    def frames(self, entry: Entry, pointer: str = "") -> None:
        """The frames of an entry of the timeline. `pointer`: a place in the last one, to be marked."""
        session = self._link.session
        if not entry.frames:
            self._screen.app.push_screen(DecisionScreen(note_view(entry)))  # pyright: ignore[reportUnknownMemberType]
        elif session is not None:
            wanted = FramesWanted(
                entry=entry,
                frames=session.timeline.frames_of(entry),
                catalogue=session.catalogue,
                pointer=pointer,
                own=session.own,
            )
            self._open(FrameScreen(wanted))

    def hosts(self) -> None:
        """One result through all hosts; the lenses chosen there hold here."""
        looking = self._looking
        if looking.record is None or not looking.hosts:
            self._say("There is no result yet. Call the tool, then compare the hosts.")
            return

        screen = HostsScreen(looking.record, level=looking.level, host=looking.host, hosts=len(looking.hosts))
        self._screen.app.push_screen(screen, self._take_lenses)  # pyright: ignore[reportUnknownMemberType]

    def secrets(self) -> None:
        """What is kept for the user."""
        self._open(SecretsScreen(lambda: self._keeping.custody, self._copy_secret))

    def trust(self, deciding: "PolicyGate", connected: str) -> None:
        """What the agent session has taken in. `connected`: the server in use."""
        self._open(TrustScreen(deciding.oversight, connected, deciding.renew))

    def page(self) -> None:
        """A page's tool as each knows it."""
        tool = self._looking.tool
        if tool is None or tool.page is None:
            self._say("Only tools of a page are declared, kept and told apart (web+http://…).")
            return

        self._open(PageScreen(tool))

    def pins(self, pinning: "PinWatcher") -> None:
        """Whether the definitions are as they were pinned."""
        self._open(PinsScreen(pinning))

    def tell_pins_changed(self) -> None:
        """The screen about pins hears of its news."""
        shown = self._screen.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, PinsScreen):
            shown.news()

    def tell_vault_changed(self) -> None:
        """A screen that shows the vault hears of its news."""
        shown = self._screen.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, VaultScreen):
            shown.news()

    def _take_lenses(self, chosen: "ChosenLenses | None") -> None:
        if chosen is not None:
            self._looking.set_lenses(chosen.level, chosen.host)

    def _open(self, screen: Screen[None]) -> None:
        self._screen.app.push_screen(screen)  # pyright: ignore[reportUnknownMemberType]

    def _say(self, words: str) -> None:
        self._screen.notify(words, markup=False)
