"""Suggests values for an input while the user types, from what the server offers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from textual.suggester import Suggester

from inspector.safe_text import safe_line

Offered = Callable[[str], Awaitable[tuple[str, ...]]]
"""Returns the values that a server offers for a typed text."""
_PAUSE_S = 0.2
"""The time in seconds without typing after which the server is asked."""


class OfferSuggester(Suggester):
    """Suggests a value for an input. Asks the server for values after a pause in typing.

    All values that the server offers are passed to `tell`. The first of them that continues the typed text is
    suggested.
    """

    def __init__(self, offered: Offered, tell: Callable[[tuple[str, ...]], None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._offered = offered
        self._tell = tell
        self._turn = 0

    async def get_suggestion(self, value: str) -> str | None:
        """The suggested value for the text of the input.

        None if there is none, or if the user has typed on.
        """
        self._turn += 1
        turn = self._turn
        await asyncio.sleep(_PAUSE_S)
        if turn != self._turn:
            return None
        found = await self._offered(value)
        if turn != self._turn:
            return None
        self._tell(found)
        return continuing(found, value)


def continuing(offers: Iterable[str], typed: str) -> str | None:
    """The first of the offered values that continues the typed text; None if none does.

    Values that are not safe text are skipped, because an input draws its suggestion unchanged.
    """
    return next(
        (each for each in offers if each.startswith(typed) and safe_line(each) == each != typed), None
    )
