"""Suggestions for an input while one types, from what the server offers."""

import asyncio
from collections.abc import Awaitable, Callable

from textual.suggester import Suggester

from inspector.safe_text import safe_line

Offered = Callable[[str], Awaitable[tuple[str, ...]]]
"""What a server offers for a beginning."""
_PAUSE_S = 0.2
"""How long typing must rest before the server is asked."""


class OfferSuggester(Suggester):
    """Asks once typing rests. Tells all that is offered, and suggests the first value that goes on as typed."""

    def __init__(self, offered: Offered, tell: Callable[[tuple[str, ...]], None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._offered = offered
        self._tell = tell
        self._turn = 0

    async def get_suggestion(self, value: str) -> str | None:
        """The suggestion for the text of the input; None while another text is typed."""
        self._turn += 1
        turn = self._turn
        await asyncio.sleep(_PAUSE_S)
        if turn != self._turn:
            return None
        found = await self._offered(value)
        if turn != self._turn:
            return None
        self._tell(found)
        # An input draws its suggestion as it is.
        return next(
            (each for each in found if each.startswith(value) and safe_line(each) == each != value), None
        )
