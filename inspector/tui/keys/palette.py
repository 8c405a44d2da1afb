"""The command palette: finds commands, hosts and themes by name."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

from textual import on
from textual.app import ComposeResult
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input
from textual.worker import WorkerError

from inspector.files.themes import remember
from inspector.tui.keys.command import Command, KeyPlace
from inspector.tui.keys.table import COMMANDS, command

_FIRST = (
    "app.help",
    "form.run",
    "call.repeat",
    "session.reconnect",
    "session.record",
    "result.copy",
    "host.compare",
    "boundary.next",
    "host.choose",
    "findings.open",
    "history.open",
    "main.timeline",
    "secrets.open",
    "pins.open",
    "trust.open",
    "policy.open",
    "context.open",
    "call.copy",
    "session.export",
    "main.filter",
)
"""The ids of the commands that users search for most. The first is harmless, because Enter runs it at once."""

_CALLING = frozenset({"form.run", "form.send-anyway", "call.repeat", "call.submit"})
"""The ids of the commands that call a tool. They are found by their labels only."""


_LIVE = _CALLING | {
    *(
        "session.reconnect",
        "session.record",
        "session.announce",
        "session.list",
        "session.roots",
        "session.ping",
    ),
    *("call.copy", "history.open", "pins.open", "trust.open", "trust.new-session", "policy.open"),
    "resource.subscribe",
}
"""The ids of the commands that need a connected server. The palette of a recording does not list them."""


def offered() -> tuple[Command, ...]:
    """The commands of the palette. Those that users search for most come first."""

    def rank(found: Command) -> int:
        return _FIRST.index(found.id) if found.id in _FIRST else len(_FIRST)

    return tuple(sorted((found for found in COMMANDS if found.palette), key=rank))


_OFFERED = offered()


class RankedHit(DiscoveryHit):
    """A command in the list that the palette shows before the user types.

    Textual sorts that list by score.
    """

    rank: int = 0

    @property
    def score(self) -> float:
        """The rank. A higher score is listed further up."""
        return float(self.rank)


@runtime_checkable
class PlayedScreen(Protocol):
    """A screen that plays a recording."""

    def action_play(self) -> None:
        """Play the recording from the current position on, or pause."""
        ...


class _Search(Provider):
    """The base of all searches of the palette."""

    def _highlighted(self, title: str, letters: Iterable[int]) -> Content:
        content = Content(title)
        for letter in letters:
            content = content.stylize(self.match_style or "reverse", letter, letter + 1)
        return content


class Palette(CommandPalette):
    """The command palette, with its keys on the last line."""

    def compose(self) -> ComposeResult:
        """Yield the palette, and the line of keys."""
        from inspector.tui.keys.footer import KeyLine, KeyOffer  # noqa: PLC0415 - after the first paint

        yield from super().compose()
        line = KeyLine()
        line.offers = [KeyOffer(command(known), label) for known, label in _PALETTE_KEYS]
        yield line

    @on(Input.Submitted)
    async def run_found(self, event: Input.Submitted) -> None:
        """Run the command under the cursor once the search for all that was typed has ended.

        Until then, the list has the matches for the first letters only, so Enter could run another command.
        """
        event.stop()
        event.prevent_default()
        try:
            async with asyncio.timeout(_PATIENCE_S):
                for worker in self.workers:
                    if worker.group == self._GATHER_COMMANDS_GROUP and not worker.is_finished:
                        await worker.wait()
        except (TimeoutError, WorkerError):
            return
        self._select_or_command()  # pyright: ignore[reportUnknownMemberType]


_PATIENCE_S = 2.0
"""The time in seconds after which Enter does nothing if the search has not ended."""
_PALETTE_KEYS = (
    ("form.call", "run"),
    ("host-list.next", "next"),
    ("host-list.previous", "previous"),
    ("asking.back", "close"),
)


class CommandSearch(_Search):
    """Searches commands by label and, unless they call a tool, by description."""

    def _offered(self) -> Iterable[Command]:
        """The commands for the screen.

        For a recording, all but those that need a server; for a server, all but those that play a recording.
        """
        is_played = isinstance(self.screen, PlayedScreen)
        return (
            found
            for found in _OFFERED
            if (found.id not in _LIVE if is_played else found.place is not KeyPlace.RECORDING)
        )

    async def discover(self) -> Hits:
        """Yield all commands, before anything is typed."""
        for number, found in enumerate(self._offered()):
            hit = RankedHit(Content(_title(found)), self._run(found), _title(found), found.tooltip)
            hit.rank = len(_OFFERED) - number
            yield hit

    async def search(self, query: str) -> Hits:
        """Yield the commands that match."""
        for found in self._offered():
            title = _title(found)
            score, letters = match(query, title, "" if found.id in _CALLING else found.tooltip)
            if score > 0:
                yield Hit(score, self._highlighted(title, letters), self._run(found), title, found.tooltip)

    def _run(self, found: Command) -> Callable[[], Awaitable[None]]:
        return partial(self.screen.run_action, found.qualified_action)


class _NameSearch(_Search):
    """The base of searches for things that the user chooses by name: hosts and themes."""

    KIND: ClassVar[str]

    @property
    def in_force(self) -> str:
        """The name in use, which comes first among equally good matches; empty to prefer no name."""
        return ""

    def names(self) -> Iterable[tuple[str, str]]:
        """The names to choose from, each with a line of description."""
        raise NotImplementedError

    def choose(self, name: str) -> None:
        """Use the host or theme with this name."""
        raise NotImplementedError

    async def discover(self) -> Hits:
        """Yield all names, before anything is typed."""
        for name, about in self.names():
            shown = f"{self.KIND} {name}"
            yield DiscoveryHit(Content(shown), partial(self.choose, name), shown, about or None)

    async def search(self, query: str) -> Hits:
        """Yield the names that match."""
        for name, about in self.names():
            shown = f"{self.KIND} {name}"
            score, letters = match(query, shown)
            if score > 0:
                title = self._highlighted(shown, letters)
                score += 0.1 * (name == self.in_force)
                yield Hit(score, title, partial(self.choose, name), shown, about or None)


@runtime_checkable
class HostScreen(Protocol):
    """A screen that shows results as the model of a host gets them."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all hosts."""
        ...

    def set_host(self, host: str) -> None:
        """Show results for this host."""
        ...


class HostSearch(_NameSearch):
    """Searches the hosts for which a result can be shown, and known hosts without a profile."""

    KIND = "Host"

    def names(self) -> Iterable[tuple[str, str]]:
        """The names of all hosts, those without a profile last; empty if the screen shows no host's view."""
        if isinstance(self.screen, HostScreen) and self.screen.hosts:
            from inspector.hosts.profile import evidence  # noqa: PLC0415 - the screen has loaded them
            from inspector.hosts.registry import NOT_OBSERVED, hosts, without_profile  # noqa: PLC0415

            yield from ((host.name, f"{evidence(host.how)}: {host.model_gets}") for host in hosts())
            yield from ((name, without_profile((name,))) for name in NOT_OBSERVED)

    def choose(self, name: str) -> None:
        """Show results for this host. A host without a profile is only explained."""
        from inspector.hosts.registry import NOT_OBSERVED, without_profile  # noqa: PLC0415

        if name in NOT_OBSERVED:
            self.app.notify(without_profile((name,)), markup=False)
        elif isinstance(self.screen, HostScreen):
            self.screen.set_host(name)


class ThemeSearch(_NameSearch):
    """Searches themes."""

    KIND = "Theme"

    @property
    def in_force(self) -> str:
        """The name of the theme in use."""
        return self.app.theme

    def names(self) -> Iterable[tuple[str, str]]:
        """The themes of Sightline and of the user. Textual's are left out: they do not suit the signs."""
        # Some themes of Sightline replace a theme of Textual with the same name.
        return [
            (name, "in force" if name == self.in_force else "")
            for name, theme in self.app.available_themes.items()
            if BUILTIN_THEMES.get(name) is not theme
        ]

    def choose(self, name: str) -> None:
        """Use this theme, also in later runs."""
        self.app.theme = name
        kept = "kept for later runs" if remember(name) else "for this run only: the choice could not be saved"
        self.app.notify(f"Theme {name}, {kept}.", markup=False)


def match(query: str, title: str, about: str = "") -> tuple[float, list[int]]:
    """How well a title and its description match `query`: a score, and the letters found in the title.

    The letters are given by their indexes. The score is 0 if the words do not match. Each word must be in the
    title or in the description, or all letters must be in the title, in their order. Textual's own matcher
    tries every combination of letters, which takes seconds for long titles.
    """
    words, low, low_about = _lower(query).split(), _lower(title), _lower(about)
    if all(word in low or word in low_about for word in words):
        letters: set[int] = set()
        score = 1.0
        for word in words:
            at = low.find(word)
            if at >= 0:
                letters.update(range(at, at + len(word)))
                score += 1 + (not low[at - 1 : at].isalnum())
        return score, sorted(letters)
    found = list[int]()
    for letter in "".join(words):
        at = low.find(letter, found[-1] + 1 if found else 0)
        if at < 0:
            return 0.0, []
        found.append(at)
    return 0.5, found


def _lower(text: str) -> str:
    """The text in lower case, with the same number of characters."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _title(found: Command) -> str:
    return f"{found.label[0].upper()}{found.label[1:]}  ({found.key})"
