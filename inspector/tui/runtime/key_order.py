"""Each key acts on what the keys before it have made of the screen."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from textual import events
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.app import App

_LONGEST_S = 0.3
"""How long a key waits for the one before it: something may be stuck."""


class KeyOrder:
    """Holds back what is typed until the key before it has had its effect.

    Textual sends a key to what has the focus when the key arrives, and moves the focus later. Of keys that arrive together, as over
    a slow line, on a busy machine, or from a paste, those behind `/` would act on the list instead of being typed.
    """

    def __init__(self, app: "App[None]", act: Callable[[events.Event], Awaitable[None]]) -> None:
        """`act`: what Textual does with a key or a paste."""
        self._app = app
        self._act = act
        self._held: deque[events.Event] = deque()
        self._settling: asyncio.Task[None] | None = None

    async def take(self, event: events.Event) -> None:
        """Act on a key or a paste, now or when those before it have acted."""
        self._held.append(event)
        if self._settling is None:
            await self._next()

    async def _next(self) -> None:
        self._settling = None
        if self._held:
            event = self._held.popleft()
            focused = self._app.focused or self._app.screen
            await self._act(event)
            self._settling = asyncio.ensure_future(self._settle(focused))

    async def _settle(self, focused: MessagePump) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_S):
                # The way that the key goes, from the focus up to the app.
                node: MessagePump | None = focused
                while node is not None:
                    await _processed(node)
                    node = node._parent  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - of any pump, without raising
                # What it asked of the app: another focus, another screen, which takes the focus itself.
                await _processed(self._app)
                await _processed(self._app.screen)
                await _processed(self._app)
        if not self._app.call_later(self._next):
            self._settling = None


async def _processed(pump: MessagePump) -> None:
    """Wait until everything that was sent to it so far is processed."""
    done = asyncio.Event()
    if pump.call_later(done.set):
        await done.wait()
