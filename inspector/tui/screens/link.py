"""The link to a session: one worker enters and leaves it; its news reach the screen a few times a second."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from textual.message_pump import MessagePump

from inspector.core.catalogue import Tool
from inspector.core.json_text import JsonObject
from inspector.errors import InspectorError
from inspector.session import (
    Event,
    FrameSeen,
    ListChanged,
    Listener,
    ListingAdvanced,
    Progress,
    Session,
    State,
    StateChanged,
)
from inspector.tui.messages import (
    CallAdvanced,
    CallFinished,
    CallStopped,
    ConnectionFailed,
    ListingReported,
    StateReported,
    TimelineGrew,
)

Opener: TypeAlias = Callable[[Listener], Awaitable[Session]]
"""Makes a session that has not yet connected."""

_CALM_S = 0.1
"""News of one kind come no closer together than this: a server may send thousands of frames a second."""


class Link:
    """One session after the other, each from its connection to its end."""

    def __init__(self, opener: Opener, screen: MessagePump) -> None:
        self._opener = opener
        self._screen = screen
        self._waiting: set[type[ListingReported | TimelineGrew]] = set()
        self.session: Session | None = None
        """The session in use, or the last one."""
        self.state = State.IDLE

    @property
    def is_ready(self) -> bool:
        """Whether calls can be made."""
        return self.state is State.READY

    @property
    def timeout_s(self) -> float:
        """How long a call is waited for."""
        return self.session.options.timeout_s if self.session else 0.0

    def tool(self, name: str) -> Tool | None:
        """A tool that the session lists."""
        return self.session.catalogue.tool(name) if self.session else None

    async def live(self) -> None:
        """Connect, list, and stay until cancelled. The task that runs this owns the connection."""
        session = self.session = await self._opener(self._hear)
        try:
            await session.connect()
            await asyncio.gather(session.list_all(), session.locate_secrets())
            await asyncio.Event().wait()
        except InspectorError as error:
            self.state = State.FAILED
            self._screen.post_message(ConnectionFailed(error.message, error.hint))
        finally:
            await session.close()

    async def relist(self) -> None:
        """Read every list again."""
        if self.session is not None and self.is_ready:
            try:
                await self.session.list_all()
            except InspectorError as error:
                self._screen.post_message(ConnectionFailed(error.message, error.hint))

    async def call(self, name: str, arguments: JsonObject) -> None:
        """Call a tool and tell the screen how it went."""
        if self.session is None:
            return
        try:
            record = await self.session.call(name, arguments, on_progress=self._advanced)
        except InspectorError as error:
            self._screen.post_message(CallStopped(error.message))
        else:
            self._screen.post_message(CallFinished(record))

    def _advanced(self, progress: Progress) -> None:
        self._screen.post_message(CallAdvanced(progress))

    def _hear(self, event: Event) -> None:
        match event:
            case StateChanged():
                self.state = event.state
                self._screen.post_message(StateReported(event))
            case ListChanged():
                self._screen.post_message(ListingReported(outdated=True))
            case ListingAdvanced():
                self._soon(ListingReported)
            case FrameSeen():
                self._soon(TimelineGrew)

    def _soon(self, news: type[ListingReported | TimelineGrew]) -> None:
        if news not in self._waiting:
            self._waiting.add(news)
            asyncio.get_running_loop().call_later(_CALM_S, partial(self._tell, news))

    def _tell(self, news: type[ListingReported | TimelineGrew]) -> None:
        self._waiting.discard(news)
        self._screen.post_message(news())
