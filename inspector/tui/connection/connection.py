"""The session that the screens use, and its events as messages."""

import asyncio
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace
from textual.message import Message
from textual.message_pump import MessagePump

from inspector.errors import AUTHENTICATION_HINT, InspectorError
from inspector.json.exact import JsonObject
from inspector.protocol.authorization import Authorizer
from inspector.protocol.catalogue import Item, Tool
from inspector.protocol.client import ClientProfile
from inspector.protocol.targets import PageTarget
from inspector.session.asking import Responder
from inspector.session.events import (
    Event,
    FrameSeen,
    ListChanged,
    ListingAdvanced,
    Noted,
    ResourceUpdated,
    SessionState,
    StateChanged,
)
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.tui.connection.failure import STDERR_LINES, last_words
from inspector.tui.connection.source import Opener


@dataclass
class StateReported(Message):
    """The session has another state."""

    link: "SessionLink"
    event: StateChanged


@dataclass
class ListingReported(Message):
    """The catalogue has grown; or, where `outdated`, the server says that it is no longer true."""

    link: "SessionLink"
    outdated: bool = False


@dataclass
class ResourceReported(Message):
    """A resource that was read has changed."""

    link: "SessionLink"
    uri: str


@dataclass
class TimelineGrew(Message):
    """Entries of the timeline are new or changed."""

    link: "SessionLink"


@dataclass
class ConnectionFailed(Message):
    """No connection could be made, or listing failed. Both texts may quote foreign text."""

    link: "SessionLink"
    message: str
    hint: str


_CALM_S = 0.1
_AUTHENTICATION_HINT = 'R asks you again. Or start Sightline with --header "Authorization: Bearer …".'
"""News of one kind come no closer together than this: a server may send thousands of frames a second."""


class SessionLink:
    """Holds the session in use, from its connection to its end, and posts its events to the screen."""

    def __init__(self, opener: Opener, screen: MessagePump) -> None:
        self._opener = opener
        self._screen = screen
        self.responder: Responder | None = None
        """Answers what the server asks; None to decline."""
        self.authorizer: Authorizer | None = None
        """Asks the user to authorize; None to ask nothing."""
        self._waiting: dict[type[ListingReported | TimelineGrew], asyncio.TimerHandle] = {}
        self.announced: ClientProfile | None = None
        """What the next connections announce; None for what the program was started with."""
        self.session: Session | None = None
        """The session in use, or the last one."""
        self.state = SessionState.IDLE
        self.is_listed = False
        """Whether the catalogue is complete, and as true as the server says."""

    @property
    def is_ready(self) -> bool:
        """Whether calls can be made."""
        return self.state in {SessionState.READY, SessionState.LOST}

    @property
    def timeout_s(self) -> float:
        """How long a call is waited for."""
        return self.session.options.timeout_s if self.session else 0.0

    @property
    def server(self) -> ServerFacts | None:
        """What the server said of itself; None before it was reached."""
        return self.session.server if self.session else None

    @property
    def profile(self) -> ClientProfile | None:
        """What the server learns, or learned, of the client; None for a page, and before it was reached."""
        return self.session.client_profile if self.session else None

    @property
    def is_insecure(self) -> bool:
        """Whether the server's certificate is not checked."""
        return self.session is not None and self.session.options.trust.is_insecure

    @property
    def tools(self) -> int | None:
        """How many are listed; None before anything is."""
        listed = self.session is not None and self.session.catalogue.entries
        return len(self.session.catalogue.tools) if self.session and listed else None

    @property
    def has_items(self) -> bool:
        """Whether the server lists anything."""
        return self.session is not None and any(self.session.catalogue.entries.values())

    def last_words(self, lines: int = STDERR_LINES) -> tuple[str, ...]:
        """The end of what the server wrote to stderr."""
        return last_words(reversed(self.session.timeline.entries), lines) if self.session else ()

    def tool(self, name: str) -> Tool | None:
        """A tool that the session lists."""
        return self.session.catalogue.tool(name) if self.session else None

    async def live(self) -> None:
        """Connect, list, and stay until cancelled. The task that runs this owns the connection."""
        before = self.session
        try:
            session = self.session = await self._opener(self._hear)
        except InspectorError as error:
            self._fail(error)
            return
        self.is_listed = False
        if before is not None:
            session.hold_roots(before.options.roots)
        if self.announced is not None:
            session.announce(self.announced)
        if self.responder is not None:
            session.asker.responder = self.responder
        session.options = replace(
            session.options,
            authorizing=replace(session.options.authorizing, authorizer=self.authorizer),
        )
        try:
            await session.connect()
            await asyncio.gather(session.list_all(), session.locate_secrets())
            await session.listen()
        except InspectorError as error:
            self._fail(error)
        finally:
            await session.close()

    def _fail(self, error: InspectorError) -> None:
        self.state = SessionState.FAILED
        hint = _AUTHENTICATION_HINT if error.hint == AUTHENTICATION_HINT else error.hint
        self._screen.post_message(ConnectionFailed(self, error.message, hint))

    async def ping(self) -> str:
        """Ask the server whether it is there; what came of it, in a sentence of foreign text."""
        try:
            return await self.session.ping() if self.session is not None else "No server is connected."
        except InspectorError as error:
            return error.message

    async def relist(self) -> None:
        """Read every list again."""
        if self.session is not None and self.is_ready:
            try:
                await self.session.list_all()
            except InspectorError as error:
                self._screen.post_message(ConnectionFailed(self, error.message, error.hint))

    async def complete(self, item: Item, argument: str, value: str, filled: JsonObject) -> tuple[str, ...]:
        """What the server offers for an argument of a prompt or template."""
        session = self.session
        return await session.complete(item, argument, value, filled) if session and self.is_ready else ()

    async def subscribe(self, uri: str) -> None:
        """Subscribe to a resource, if the server supports it."""
        if self.session is not None and self.is_ready:
            await self.session.subscribe(uri)

    @property
    def peer(self) -> str:
        """What is spoken to, in a word."""
        return "page" if self.session and isinstance(self.session.target, PageTarget) else "server"

    async def submit(self) -> None:
        """Submit the forms of a page that calls have filled in."""
        if self.session is not None and self.is_ready:
            await self.session.submit()

    def _hear(self, event: Event) -> None:
        match event:
            case StateChanged():
                self.state = event.state
                self._screen.post_message(StateReported(self, event))
            case ListChanged():
                self.is_listed = False
                self._screen.post_message(ListingReported(self, outdated=True))
            case ResourceUpdated():
                self._screen.post_message(ResourceReported(self, event.uri))
            case ListingAdvanced():
                self.is_listed = event.complete
                if event.complete:
                    self._tell(ListingReported)
                else:
                    self._soon(ListingReported)
            case FrameSeen() | Noted():
                self._soon(TimelineGrew)

    def _soon(self, news: type[ListingReported | TimelineGrew]) -> None:
        if news not in self._waiting:
            loop = asyncio.get_running_loop()
            self._waiting[news] = loop.call_later(_CALM_S, partial(self._tell, news))

    def _tell(self, news: type[ListingReported | TimelineGrew]) -> None:
        waiting = self._waiting.pop(news, None)
        if waiting is not None:
            waiting.cancel()
        self._screen.post_message(news(self))
