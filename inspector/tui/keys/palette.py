"""The command palette: commands, hosts and themes by name."""

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
"""Commands that people look for most."""


def offered() -> tuple[Command, ...]:
    """The commands of the palette, those first that people look for most."""

    def rank(found: Command) -> int:
        return _FIRST.index(found.id) if found.id in _FIRST else len(_FIRST)

    return tuple(sorted((found for found in COMMANDS if found.palette), key=rank))


_OFFERED = offered()


class RankedHit(DiscoveryHit):
    """A command of the list that is shown before anything is typed. The list is sorted by score."""

    rank: int = 0

    @property
    def score(self) -> float:
        """Higher is further up."""
        return float(self.rank)


@runtime_checkable
class PlayedScreen(Protocol):
    """A screen that looks into a recording."""

    def action_play(self) -> None:
        """Play from here on, or pause."""
        ...


class CommandSearch(Provider):
    """The palette: the commands that it offers, by their words."""

    def _offered(self) -> Iterable[Command]:
        """Those of places that there are: only a recording is played."""
        is_played = isinstance(self.screen, PlayedScreen)
        return (found for found in _OFFERED if is_played or found.place is not KeyPlace.RECORDING)

    async def discover(self) -> Hits:
        """All of them, while nothing has been typed."""
        for number, found in enumerate(self._offered()):
            hit = RankedHit(Content(_title(found)), self._run(found), _title(found), found.tooltip)
            hit.rank = len(_OFFERED) - number
            yield hit

    async def search(self, query: str) -> Hits:
        """Those that match."""
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
    """The palette: things that are chosen by their names."""

    KIND: ClassVar[str]

    def names(self) -> Iterable[tuple[str, str]]:
        """All there are, each with a line about it."""
        raise NotImplementedError

    def choose(self, name: str) -> None:
        """Take one."""
        raise NotImplementedError

    async def discover(self) -> Hits:
        """All of them."""
        for name, about in self.names():
            shown = f"{self.KIND} {name}"
            yield DiscoveryHit(Content(shown), partial(self.choose, name), shown, about or None)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        for name, about in self.names():
            shown = f"{self.KIND} {name}"
            score = matcher.match(shown)
            if score > 0:
                yield Hit(score, matcher.highlight(shown), partial(self.choose, name), shown, about or None)


@runtime_checkable
class Lensed(Protocol):
    """A screen that looks at results through a host."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host by its name."""
        ...

    def set_host(self, host: str) -> None:
        """Look through this one."""
        ...


class HostSearch(_NameSearch):
    """The palette: hosts."""

    KIND = "Host"

    def names(self) -> Iterable[tuple[str, str]]:
        """Those of the screen, where it has some."""
        if isinstance(self.screen, Lensed) and self.screen.hosts:
            from inspector.hosts.profile import evidence  # noqa: PLC0415 - the screen has loaded them
            from inspector.hosts.registry import hosts  # noqa: PLC0415

            yield from ((host.name, f"{evidence(host.how)}: {host.model_gets}") for host in hosts())

    def choose(self, name: str) -> None:
        """Look through it."""
        if isinstance(self.screen, Lensed):
            self.screen.set_host(name)


class ThemeSearch(_NameSearch):
    """The palette: themes."""

    KIND = "Theme"

    def names(self) -> Iterable[tuple[str, str]]:
        """Ours and the user's; Textual's own are not made for our signs."""
        return [(name, "") for name in self.app.available_themes if name not in BUILTIN_THEMES]

    def choose(self, name: str) -> None:
        """Take it on."""
        self.app.theme = name


def _title(found: Command) -> str:
    return f"{found.label[0].upper()}{found.label[1:]}  ({found.key})"
