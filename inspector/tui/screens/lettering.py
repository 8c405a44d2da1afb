"""Lettering: the badges of tools, made in a thread for those rows of the catalogue that are seen."""

from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

from textual.content import Content
from textual.screen import Screen

from inspector.protocol.catalogue import Tool
from inspector.tui.latest import Latest
from inspector.tui.screens.making import badge_letters

_Lettered: TypeAlias = tuple[tuple[Tool, Content], ...]

_AT_ONCE = 200
"""Tools that are asked for together: more than a screen shows."""
_KEPT = 2_000
"""Tools whose badges are known at a time."""
_NOT_YET = Content("")
_NEVER = Content.styled("!", "bold $text-error")


class Lettering:
    """What a definition declares may take long to read, so that drawing a row only looks up what is known."""

    def __init__(self, screen: Screen[None], changed: Callable[[], None]) -> None:
        """`changed`: told when more badges are known; it draws the rows anew."""
        self._screen = screen
        self._changed = changed
        self._known: dict[int, tuple[Tool, Content]] = {}
        """By the identity of the tool, which is kept so that no other takes it on."""
        self._wanted: dict[int, Tool] = {}
        self._letters = Latest(screen, badge_letters, self._take, self._could_not, self._keep)

    def of(self, tool: Tool) -> Content:
        """A tool's badges; none while they are being made."""
        known = self._known.get(id(tool))
        if known is not None:
            return known[1]
        if not self._wanted:
            self._screen.call_later(self._ask)
        self._wanted[id(tool)] = tool
        return _NOT_YET

    def _ask(self) -> None:
        # Those asked for last are on the screen now. A row that stays without is asked for as it is drawn again.
        wanted = [tool for key, tool in self._wanted.items() if key not in self._known]
        self._wanted.clear()
        if wanted:
            self._letters.ask(tuple(wanted[-_AT_ONCE:]))

    def _take(self, asked: tuple[Tool, ...], made: _Lettered) -> None:
        del asked
        self._keep(made)
        self._changed()

    def _keep(self, made: _Lettered) -> None:
        self._known.update((id(tool), (tool, letters)) for tool, letters in made)
        for oldest in tuple(islice(self._known, max(0, len(self._known) - _KEPT))):
            del self._known[oldest]

    def _could_not(self, asked: tuple[Tool, ...], error: BaseException) -> None:
        words = (
            f"Badges could not be made ({type(error).__name__}): a defect of Sightline. Rows without say !"
        )
        self._screen.notify(words, severity="error", markup=False)
        self._take(asked, tuple((tool, _NEVER) for tool in asked))
