"""The command palette: finds commands, hosts and themes by name."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.theme import BUILTIN_THEMES

from inspector.tui.keys.command import Command, KeyPlace
from inspector.tui.keys.table import COMMANDS

_FIRST = (
    "form.run",
    "session.reconnect",
    "session.record",
    "call.copy",
    "host.compare",
    "call.repeat",
    "session.export",
)
"""The ids of the commands that users search for most."""


def offered() -> tuple[Command, ...]:
    """The commands of the palette. Those that users search for most come first."""

    def rank(found: Command) -> int:
        return _FIRST.index(found.id) if found.id in _FIRST else len(_FIRST)

    return tuple(sorted((found for found in COMMANDS if found.palette), key=rank))


_OFFERED = offered()


class RankedHit(DiscoveryHit):
    """A command in the list shown before anything is typed. Textual sorts that list by score."""

    rank: int = 0

    @property
    def score(self) -> float:
        """The rank. A higher score is listed further up."""
        return float(self.rank)


@runtime_checkable
class PlayedScreen(Protocol):
    """A screen that plays a recording."""

    def action_play(self) -> None:
        """Play from the position on, or pause."""
        ...


class CommandSearch(Provider):
    """Searches the commands of the palette by their labels and descriptions."""

    def _offered(self) -> Iterable[Command]:
        """The commands that apply to the screen. Those that play a recording apply only to the player."""
        is_played = isinstance(self.screen, PlayedScreen)
        return (found for found in _OFFERED if is_played or found.place is not KeyPlace.RECORDING)

    async def discover(self) -> Hits:
        """Yield all commands, before anything is typed."""
        for number, found in enumerate(self._offered()):
            hit = RankedHit(Content(_title(found)), self._run(found), _title(found), found.tooltip)
            hit.rank = len(_OFFERED) - number
            yield hit

    async def search(self, query: str) -> Hits:
        """Yield the commands that match."""
        matcher = self.matcher(query)
        for found in self._offered():
            score = matcher.match(f"{_title(found)} {found.tooltip}")
            if score > 0:
                yield Hit(
                    score, matcher.highlight(_title(found)), self._run(found), _title(found), found.tooltip
                )

    def _run(self, found: Command) -> Callable[[], Awaitable[None]]:
        return partial(self.screen.run_action, found.qualified_action)


class _NameSearch(Provider):
    """The base of searches for things that the user chooses by name: hosts and themes."""

    KIND: ClassVar[str]

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
        matcher = self.matcher(query)
        for name, about in self.names():
            shown = f"{self.KIND} {name}"
            score = matcher.match(shown)
            if score > 0:
                yield Hit(score, matcher.highlight(shown), partial(self.choose, name), shown, about or None)


@runtime_checkable
class Lensed(Protocol):
    """A screen that shows results as the model of a host gets them."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all hosts."""
        ...

    def set_host(self, host: str) -> None:
        """Show results for this host."""
        ...


class HostSearch(_NameSearch):
    """Searches hosts."""

    KIND = "Host"

    def names(self) -> Iterable[tuple[str, str]]:
        """The names of the screen's hosts; empty if the screen shows none."""
        if isinstance(self.screen, Lensed) and self.screen.hosts:
            from inspector.hosts.profile import evidence  # noqa: PLC0415 - the screen has loaded them
            from inspector.hosts.registry import hosts  # noqa: PLC0415

            yield from ((host.name, f"{evidence(host.how)}: {host.model_gets}") for host in hosts())

    def choose(self, name: str) -> None:
        """Show results for this host."""
        if isinstance(self.screen, Lensed):
            self.screen.set_host(name)


class ThemeSearch(_NameSearch):
    """Searches themes."""

    KIND = "Theme"

    def names(self) -> Iterable[tuple[str, str]]:
        """The themes of Sightline and of the user. Textual's own do not suit Sightline's signs."""
        return [(name, "") for name in self.app.available_themes if name not in BUILTIN_THEMES]

    def choose(self, name: str) -> None:
        """Use this theme."""
        self.app.theme = name


def _title(found: Command) -> str:
    return f"{found.label[0].upper()}{found.label[1:]}  ({found.key})"
