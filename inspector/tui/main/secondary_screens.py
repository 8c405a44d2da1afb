"""The screens and dialogs that keys open over the main screen."""

from collections.abc import Callable
from typing import TypeVar

from textual.screen import Screen

from inspector.hosts.registry import hosts
from inspector.protocol.client import ClientProfile
from inspector.protocol.targets import Era
from inspector.tui.asks.profiles import profiles_dialog
from inspector.tui.asks.roots import roots_dialog
from inspector.tui.history.comparing import PairAsked, PairScreen
from inspector.tui.hosts.choice import HostChoice
from inspector.tui.hosts.screen import ChosenLenses, HostsScreen
from inspector.tui.main.parts import MainParts
from inspector.tui.main.selection import NO_RESULT
from inspector.tui.main.warnings import refused_by_era
from inspector.tui.page.screen import PageScreen
from inspector.tui.pins.screen import PinsScreen
from inspector.tui.policy.gate import PolicyGate
from inspector.tui.policy.screen import PolicyScreen
from inspector.tui.secrets.fetching import SecretFetcher
from inspector.tui.secrets.screen import SecretsScreen
from inspector.tui.trust.screen import TrustScreen

Chosen = TypeVar("Chosen")


class SecondaryScreens:
    """Opens a screen about what the main screen shows, or says why there is nothing to open."""

    def __init__(self, parts: MainParts, gate: PolicyGate, copy_secret: Callable[[str], None] | None) -> None:
        """`copy_secret`: copies a secret to the clipboard; None if that is not allowed."""
        self._parts, self._gate, self._copy_secret = parts, gate, copy_secret

    def open(self, screen: Screen[Chosen], take: Callable[[Chosen | None], None] | None = None) -> None:
        """Show a screen.

        `take`: called with what the user has chosen there, or with None if the user has chosen nothing.
        """
        self._parts.screen.app.push_screen(screen, take)  # pyright: ignore[reportUnknownMemberType]

    def _say(self, words: str) -> None:
        self._parts.screen.notify(words, markup=False)

    def choose_host(self) -> None:
        """Choose a host from a list; if two model views are compared, the host of the view on the right."""
        selection = self._parts.server.selection
        if not selection.hosts:
            self._say("Hosts are still being loaded.")
            return

        def take(chosen: str | None) -> None:
            if chosen is not None:
                selection.set_host(chosen)

        left = selection.host if selection.comparing.is_on else None
        among = [host for host in hosts() if host.name != left]
        self.open(HostChoice(among, selection.shown_host), take)

    def compare_hosts(self) -> None:
        """Compare all hosts on one result.

        The boundary level and host that the user chooses there apply afterwards.
        """
        selection = self._parts.server.selection
        if selection.record is None or not selection.hosts:
            self._say("There is no result yet. Call the tool, then compare the hosts.")
            return
        if not selection.record.is_answered:
            self._say(NO_RESULT)
            return

        def take(chosen: ChosenLenses | None) -> None:
            if chosen is not None:
                selection.set_lenses(chosen.level, chosen.host)

        screen = HostsScreen(
            selection.record,
            self._parts.server.vault.known_beside,
            level=selection.level,
            host=selection.host,
            hosts=len(selection.hosts),
        )
        self.open(screen, take)

    def compare_calls(self) -> None:
        """Compare the shown call with the one before it."""
        server, record = self._parts.server, self._parts.server.selection.record
        found = server.history.before_call(record) if record is not None else None
        if found is None:
            words = "Call the tool again: there is no other call to compare this one with."
            self._say(words if record is not None else "There is no result yet.")
            return
        left, right = found
        self.open(PairScreen(PairAsked(left=left, right=right, known=server.vault.known_beside)))

    def secrets(self) -> None:
        servers = self._parts.servers
        fetcher = SecretFetcher(
            self._gate.oversight,
            lambda: [server.link.session for server in servers.all],
            servers.conceal,
        )
        self.open(SecretsScreen(lambda: servers.shown.vault.custody, self._copy_secret, fetcher.fetch))

    def trust(self) -> None:
        self.open(TrustScreen(self._gate.oversight, str(self._parts.server.target), self._gate.renew))

    def policy(self) -> None:
        self.open(PolicyScreen(self._gate.oversight.policy, self._gate.source, self._gate.doubts))

    def page(self) -> None:
        """Show where on its page the open tool comes from."""
        tool = self._parts.server.selection.tool
        if tool is None or tool.page is None:
            self._say("This key shows tools of web pages only (web+http://…).")
        else:
            self.open(PageScreen(tool))

    def pins(self) -> None:
        reviewer = self._parts.server.reviewer
        self.open(PinsScreen(self._parts.server.pins, lambda: reviewer.counted))

    def saves(self) -> None:
        """Show everything that the last save of a watched file has changed."""
        watch = self._parts.server.watch
        if watch is None:
            self._say("Nothing is watched: start Sightline with --watch.")
        else:
            self.open(watch.screen())

    def roots(self) -> None:
        """Ask which folders a server gets when it asks for roots."""
        link, session = self._parts.server.link, self._parts.server.link.session
        is_live = session is not None and session.server is not None and session.server.era is not Era.AUTO
        if session is not None and link.is_ready and is_live:
            self.open(roots_dialog(session))
        else:
            self._say(f"Roots need a connected server ({link.state}).")

    def profiles(self) -> None:
        """Choose the announced capabilities and the protocol era, and connect again."""
        server, record = self._parts.server, self._parts.server.selection.record
        profile, session = server.link.profile, server.link.session
        if profile is None or session is None:
            self._say(f"Client profiles need a connected server ({server.link.state}).")
            return

        def choose(chosen: ClientProfile, era: Era) -> None:
            server.link.announced, server.link.era = chosen, era
            if server.watch is not None:
                server.watch.forget_results()
            server.restart(then=say_again if is_refused else None)

        def say_again() -> None:
            self._parts.screen.notify("Connected again. r repeats the call.", timeout=10, markup=False)

        is_refused = record is not None and bool(refused_by_era(record, server))
        proposed = Era.LEGACY if is_refused else None
        self.open(profiles_dialog(profile, session.options.era, choose, proposed=proposed))
