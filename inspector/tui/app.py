"""The terminal interface. The command line calls `run`."""

import asyncio
import dataclasses
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from time import time
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import events
from textual.binding import BindingType
from textual.command import Provider
from textual.filter import LineFilter
from textual.theme import Theme

from inspector.boundary.options import Level
from inspector.files import paths, themes
from inspector.files.recent import recent_targets
from inspector.protocol.targets import StdioTarget, Target
from inspector.safe_text import safe_line
from inspector.tui.connection.source import ServerSource
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.palette import CommandSearch, HostSearch, Palette, ThemeSearch
from inspector.tui.keys.table import bindings, command
from inspector.tui.main.opening import OpeningScreen
from inspector.tui.runtime import key_reader
from inspector.tui.runtime.few_colours import FewColours
from inspector.tui.runtime.guard import GuardedApp
from inspector.tui.runtime.key_order import KeyOrder
from inspector.tui.runtime.leaving import end_with_the_terminal, run_and_leave, wait_a_moment
from inspector.tui.runtime.memory import keep_responsive
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import shortened

if TYPE_CHECKING:
    from inspector.files.settings import Settings
    from inspector.files.watching import Watching
    from inspector.launch import Launch
    from inspector.policy.gate.agreement import Terms
    from inspector.recording.target import OpenedRecording
    from inspector.secrets.session import Custody
    from inspector.session.events import Listener
    from inspector.session.live import Session
    from inspector.tui.keys.footer import KeyLine
    from inspector.tui.main.screen import MainScreen


def run(launch: "Launch") -> int:
    """Run the terminal interface until the user quits. Returns the exit code.

    Raises UsageError if a theme file or the user's settings are wrong, or if the theme is unknown.
    """
    recording, theme = launch.recording, launch.theme
    own = _own()
    found = themes.themes()
    chosen = theme or themes.remembered()
    themes.check(chosen, found)

    launches = (launch, *launch.further)
    names = _names(launches)
    sources = [_source(each, name, own) for each, name in zip(launches, names, strict=True)]
    keep_responsive()
    key_reader.install()
    end_with_the_terminal()
    app = SightlineApp(
        sources,
        level=launch.level,
        host=launch.host,
        theme_files=found,
        theme=chosen,
        own=own,
        recording=recording,
        terms=launch.terms,
        is_history_kept=launch.is_history_kept and (own is None or own.history),
        is_first=not recent_targets(),
        watching=launch.watching,
    )
    try:
        asyncio.run(run_and_leave(app.run_async))
    finally:
        wait_a_moment()
        if launch.options.recorder:
            launch.options.recorder.close()
        with suppress(OSError):  # the terminal may be gone
            sys.stderr.writelines(f"{safe_line(words)}\n" for words in app.last_words)
    return app.return_code or 0


def _names(launches: "Sequence[Launch]") -> list[str]:
    """The name of each server.

    Of several servers with one name, the second is called `demo-2`, for example. A single server has the name
    "".
    """
    names: list[str] = []
    for launch in launches if len(launches) > 1 else ():
        name, number = launch.name, 2
        while name in names:
            name, number = f"{launch.name}-{number}", number + 1
        names.append(name)
    return names or [""]


def _source(launch: "Launch", name: str, own: "Settings | None") -> ServerSource:
    recording, options = launch.recording, launch.options
    if own is not None:
        options = replace(options, redeem_origin=own.redeem_origin(launch.target))
    targets = _targets(launch)

    async def open_session(listener: "Listener") -> "Session":
        if launch.unreadable is not None:
            raise launch.unreadable
        if recording is not None:
            await asyncio.to_thread(import_module, "inspector.session.recorded")
            from inspector.session.recorded import RecordedSession  # noqa: PLC0415 - after the first paint

            return RecordedSession(recording, listener)
        # The protocol library takes half a second to load. It is loaded in a thread, so that the screen
        # responds.
        await asyncio.to_thread(import_module, "inspector.connect.connection")
        from inspector.session.live import Session  # noqa: PLC0415 - after the first paint

        # The targets of a run only differ if files are watched.
        return Session(next(targets), options, listener)

    return ServerSource(target=launch.target, opener=open_session, name=name, as_saved=launch.as_saved)


def _targets(launch: "Launch") -> Iterator[Target]:
    """Yield the target of the first connection, then the target of each further one."""
    target = launch.target
    yield target
    if launch.watching is not None and isinstance(target, StdioTarget):
        # Python compares a source with its compiled file by size and time in seconds. After two quick saves,
        # it could run the code of the first save.
        target = replace(target, environment={"PYTHONDONTWRITEBYTECODE": "1", **target.environment})
    while True:
        yield target


def _own() -> "Settings | None":
    """The user's own settings; None if there is no settings file. Raises UsageError."""
    if not os.path.lexists(paths.own_settings()):
        return None
    from inspector.files.settings import settings  # noqa: PLC0415 - most users have none, and the first paint waits

    return settings()


_TYPING_S = 0.4
"""A key within this many seconds after an ignored key is ignored too, as part of the same typed word."""
_NEVER_TYPED = frozenset({"escape", "ctrl+q", "ctrl+c"})
"""Keys that are never part of a typed word, and therefore act right after an ignored key."""
_QUITTING = {command("app.quit").keys, command("app.quit-anywhere").keys}

_FEW_COLOURS = {"256": 256, "standard": 16}
"""The number of a terminal's colours, by Rich's name for its colour system. Other systems are not listed."""


class SightlineApp(GuardedApp, inherit_bindings=False):
    """The app, with the keys that work on every screen, and the themes."""

    TITLE = "Sightline"
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.EVERYWHERE)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {
        CommandSearch,
        HostSearch,
        ThemeSearch,
    }
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    # All style sheets are loaded at once: one loaded with its screen would restyle every widget.
    CSS_PATH = [  # noqa: RUF012 - Textual declares it so
        "main/main.tcss",
        "keys/palette.tcss",
        "widgets/secondary.tcss",
        "timeline/frame.tcss",
        "hosts/hosts.tcss",
        "secrets/secrets.tcss",
        "page/page.tcss",
        "policy/policy.tcss",
        "trust/trust.tcss",
        "context/context.tcss",
        "pins/pins.tcss",
        "findings/findings.tcss",
        "history/history.tcss",
        "apps/apps.tcss",
        "help/help.tcss",
        "dialogs/ask.tcss",
        "asks/asks.tcss",
    ]
    # The breakpoints of screens that define none: dialogs and the palette.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    NOTIFICATION_TIMEOUT = 4
    CSS = """
    Input > .input--placeholder { color: $foreground 70%; }
    /* Below the keys, in rows of their own: what is said covers nothing. */
    ToastRack { layer: default; margin-bottom: 0; max-height: 60%; overflow-y: hidden; }
    ToastHolder { align-horizontal: left; }
    Toast { width: 1fr; max-width: 100%; padding: 0 1; margin-top: 0; }
    """

    def __init__(  # noqa: PLR0913 - all that a run of the interface is about
        self,
        sources: Sequence[ServerSource],
        *,
        level: Level = Level.DECLARED,
        host: str = "spec",
        theme_files: Sequence[themes.ThemeFile],
        theme: str = themes.DEFAULT,
        own: "Settings | None" = None,
        recording: "OpenedRecording | None" = None,
        terms: "Terms | None" = None,
        is_history_kept: bool = False,
        is_first: bool = False,
        watching: "Watching | None" = None,
    ) -> None:
        """`own`: the user's own settings; None for the defaults.

        `recording`: the recording to open instead of a server. `terms`: the policy, and where its decisions
        are logged; None for the built-in policy. `is_history_kept`: whether calls are kept after this run.
        `is_first`: whether to show a hint on the keys at first. `watching`: the files to watch; when one is
        saved, the server is restarted.
        """
        super().__init__()
        number = 0 if self.no_color else _FEW_COLOURS.get(self.console.color_system or "", 0)
        self._few_colours = FewColours(number) if number else None
        self._allow_copy = own is not None and own.allow_copy
        targets = [source.target for source in sources]
        self._remarks = (own.warning, *map(own.why_unpinned, targets)) if own else ()
        self._sources = sources
        self._opened = recording
        self._terms = terms
        self._is_history_kept = is_history_kept
        self._is_first = is_first
        self._watching = watching
        self._level = level
        self._host = host
        self._main: MainScreen | None = None
        self._theme_files = theme_files
        self.last_words: list[str] = []
        """Sentences that are written to the terminal after the app has ended."""
        self._leaving = False
        self._is_warned = False
        """True while the next `q` quits although a call is running."""
        self._early_s = float("-inf")
        """The time of the last key that came before the first listing, or right after such a key."""
        self._typed = KeyOrder(self, self._act, self._will_focus, self.end_old_answers)
        for each in theme_files:
            self.register_theme(_in_greys(theme_of(each)) if self.no_color else theme_of(each))
        self.theme = theme

    async def _act(self, event: events.Event) -> None:
        self.key_began_s = time()
        refused = self._refusal(event) if isinstance(event, events.Key) else ""
        if refused:
            self.notify(refused)
        else:
            await super().on_event(event)

    def _refusal(self, event: events.Key) -> str:
        """The reason why a key is ignored; empty if the key acts.

        Most keys are ignored before the first listing. A key is also ignored if it follows such a key within
        `_TYPING_S` seconds.
        """
        waits = self._main is not None and self.screen is self._main and self._main.waits_for(event.key)
        follows = event.time - self._early_s < _TYPING_S and event.key not in _NEVER_TYPED
        if self._main is None or waits or follows:
            self._early_s = event.time
        if waits:
            return "This key works once the server has listed its tools. q quits."
        return (
            "This key did nothing: it came right after keys typed before the tools were listed."
            if follows
            else ""
        )

    def _will_focus(self) -> bool:
        return self._main is not None and self.screen is self._main and self._main.will_focus

    @property
    def place(self) -> tuple[object, ...]:
        return (self.screen, *(self._main.place if self._main is not None else ()))

    def end_answers(self, before_s: float) -> None:
        super().end_answers(before_s)
        if self._main is not None:
            self._main.end_note(before_s)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters for every line, and the filter for terminals with few colours if it is needed."""
        filters = super().get_line_filters()
        return filters if self._few_colours is None or self.is_headless else [*filters, self._few_colours]

    def get_default_screen(self) -> OpeningScreen:
        """The screen that is painted first."""
        shown = ", ".join(source.name or str(self._opened or source.target) for source in self._sources)
        return OpeningScreen(shown, self._level.value, self._host, self._load_main)

    @property
    def custodies(self) -> "Sequence[Custody]":
        """The vaults and redeemers of all sessions in use."""
        return self._main.custodies if self._main is not None else ()

    def _load_main(self) -> None:
        self.run_worker(self._open_main, group="opening")

    async def _open_main(self) -> None:
        self._main = await self._made_main()
        await self.push_screen(self._main)
        for remark in filter(None, self._remarks):
            self.notify(remark, severity="warning", timeout=15)

    async def _made_main(self) -> "MainScreen":
        copy_secret = self.copy_secret if self._allow_copy else None
        # Modules are loaded in a thread, so that keys are accepted meanwhile.
        if self._opened is not None:
            await asyncio.to_thread(import_module, "inspector.tui.player.screen")
            from inspector.tui.player.screen import PlayerScreen  # noqa: PLC0415 - after the first paint

            return PlayerScreen(
                self._sources[0].opener,
                self._opened,
                level=self._level,
                host=self._host,
                copy_secret=copy_secret,
            )
        await asyncio.to_thread(import_module, "inspector.tui.main.screen")
        from inspector.tui.main.screen import MainScreen  # noqa: PLC0415 - after the first paint

        return MainScreen(
            self._sources,
            level=self._level,
            host=self._host,
            copy_secret=copy_secret,
            terms=self._terms,
            is_history_kept=self._is_history_kept,
            is_first=self._is_first,
            watching=self._watching,
        )

    async def on_event(self, event: events.Event) -> None:
        """Hide the hint at the first key. Keys and pastes act in the order in which they arrive."""
        if isinstance(event, events.Key):
            self._is_warned = self._is_warned and event.key in _QUITTING
            if self._main is not None:
                self._main.hide_hint()
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded:
            await self._typed.take(event)
        else:
            await super().on_event(event)

    def action_command_palette(self) -> None:
        """Open the command palette."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def action_leave(self) -> None:
        """End the session, then the program. If a call is running, only warn at first."""
        running = self._main.results_to_lose if self._main is not None else ()
        if running and not self._is_warned and not self._leaving:
            self._is_warned = True
            what = f"{shortened(running[0], 60)} is" if len(running) == 1 else f"{len(running)} calls are"
            words = f"{what} still running: q or ctrl+q again quits without a result. Esc cancels the call."
            self.notify(words, severity="warning")
        else:
            self.leave()

    def leave(self, return_code: int = 0) -> None:
        """End the session, then the program. If called again, do not wait for the session."""
        # Nothing drawn while the session ends may show a secret.
        self.mask()
        if self._leaving:
            self.exit(return_code=return_code)
        else:
            self._leaving = True
            self.run_worker(work_of(self._leave, return_code))

    async def _leave(self, return_code: int) -> None:
        if self._main is not None:
            await self._main.end()
            self.last_words = await self._main.close_files()
        self.exit(return_code=return_code)

    def action_help(self) -> None:
        """Show all keys."""
        from inspector.tui.help.screen import HelpScreen  # noqa: PLC0415 - after the first paint
        from inspector.tui.keys.command import KeyPlace  # noqa: PLC0415
        from inspector.tui.keys.footer import KeyLine, KeyOffer  # noqa: PLC0415
        from inspector.tui.keys.palette import PlayedScreen  # noqa: PLC0415
        from inspector.tui.keys.table import COMMANDS  # noqa: PLC0415

        if not isinstance(self.screen, HelpScreen):
            offers = next((line.offers for line in self.screen.query(KeyLine)), ())
            if isinstance(self.screen, PlayedScreen):
                # The keys that move the position are on the line of the position, not in the footer.
                known = {offer.command.id for offer in offers}
                moving = (one for one in COMMANDS if one.place is KeyPlace.RECORDING and one.id not in known)
                offers = (*offers, *(KeyOffer(command=one, label=one.label) for one in moving))
            self.push_screen(HelpScreen(offers))

    def action_interrupt(self) -> None:
        """Copy the selected text. If nothing is selected, show how to quit."""
        selected = None if self.is_guarding else self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
        else:
            self.notify("q or ctrl+q quits. Esc goes back.")

    def on_key_line_pressed(self, message: "KeyLine.Pressed") -> None:
        """Press the key that was clicked in the footer."""
        self.simulate_key(message.command.keys.partition(",")[0])


def theme_of(file: themes.ThemeFile) -> Theme:
    """Convert a theme file to a theme of Textual."""
    colours = dict(file.colours)
    primary = colours.pop("primary")
    theme = Theme(name=file.name, primary=primary, dark=file.dark, variables=dict(file.variables))
    return dataclasses.replace(theme, **colours)


def _in_greys(theme: Theme) -> Theme:
    """The theme for NO_COLOR, with errors in the clearest grey.

    The red of errors would become a grey that is fainter than the greys of less severe texts.
    """
    clearest = "#ffffff" if theme.dark else "#000000"
    return dataclasses.replace(theme, variables={**theme.variables, "text-error": clearest})
