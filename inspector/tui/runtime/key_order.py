"""Keeps the order of keys, so that each key acts on the screen as the previous keys have changed it."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING

from textual import events
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.app import App

_POLL_S = 0.005
_LONGEST_TURNS = 60
"""How many times a key waits for `_POLL_S` until the previous key, which may be stuck, has had its effect.

On a busy machine, a wait takes longer than `_POLL_S`.
"""
_LONGEST_OPENING_TURNS = 400
"""How many times a key waits for `_POLL_S` until the item that is being opened has the focus."""


class KeyOrder:
    """Holds back keys until the previous key has had its effect.

    Textual sends a key to the widget that has the focus when the key arrives, but moves the focus later. If
    keys arrive together, as over a slow line, on a busy machine or from a paste, the keys after `/` would act
    on the list instead of being typed into the search line.
    """

    def __init__(
        self,
        app: "App[None]",
        act: Callable[[events.Event], Awaitable[None]],
        will_focus: Callable[[], bool],
        settled: Callable[[], None],
    ) -> None:
        """`act`: passes a key or a paste to Textual.

        `will_focus`: returns true while something is being opened that will get the focus. `settled`: called
        after each key has had its effect.
        """
        self._app = app
        self._act = act
        self._will_focus = will_focus
        self._settled = settled
        self._held: deque[events.Event] = deque()
        self._settling: asyncio.Task[None] | None = None

    async def take(self, event: events.Event) -> None:
        """Act on a key or a paste, after earlier keys and pastes have taken effect."""
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
        await _within(_LONGEST_TURNS, self._handled(focused))
        await _within(_LONGEST_OPENING_TURNS, self._opened())
        self._settled()
        if not self._app.call_later(self._next):
            self._settling = None

    async def _handled(self, focused: MessagePump) -> None:
        # A key bubbles from the focused widget up to the app, which runs the action of the key. The action posts
        # messages to the focused widget, which bubble too. A widget may answer one by a message to itself.
        for passes in (1, 2):
            node: MessagePump | None = focused
            while node is not None:
                for _ in range(passes):
                    await _processed(node)
                node = node._parent  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - every pump has it, and it never raises
        # The key may have asked the app for another focus, or for another screen, which then sets the focus itself.
        await _processed(self._app)
        await _processed(self._app.screen)

    async def _opened(self) -> None:
        while self._will_focus():  # noqa: ASYNC110 - no event says that the focus has moved
            await asyncio.sleep(_POLL_S)
        await _processed(self._app)


async def _within(turns: int, waiting: Coroutine[None, None, None]) -> None:
    """Wait until `waiting` has ended, at most `turns` times `_POLL_S`; then cancel it."""
    task = asyncio.ensure_future(waiting)
    try:
        for _ in range(turns):
            if (await asyncio.wait({task}, timeout=_POLL_S))[0]:
                return
    finally:
        task.cancel()


async def _processed(pump: MessagePump) -> None:
    """Wait until `pump` has processed all messages sent to it so far."""
    done = asyncio.Event()
    if pump.call_later(done.set):
        await done.wait()
