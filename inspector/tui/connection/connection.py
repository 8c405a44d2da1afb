"""The session that the screens use. Its events are posted as messages."""

import asyncio
from collections.abc import Callable, Mapping
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
from inspector.protocol.targets import Era, PageTarget
from inspector.protocol.timeline import Entry
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
    SubscriptionsChanged,
)
from inspector.session.facts import ServerFacts
from inspector.session.live import AUTHORIZATION, Session
from inspector.tui.connection.failure import STDERR_LINES, last_words
from inspector.tui.connection.source import Opener


@dataclass
class StateReported(Message):
    """Posted when the state of the session has changed."""

    link: "SessionLink"
    event: StateChanged


@dataclass
class ListingReported(Message):
    """Posted when the catalogue has grown. `outdated`: whether the server says that its lists have changed."""

    link: "SessionLink"
    outdated: bool = False


@dataclass
class ResourceReported(Message):
    """Posted when a resource to which the session is subscribed has changed."""

    link: "SessionLink"
    uri: str


@dataclass
class SubscriptionsReported(Message):
    """Posted when a subscription to a resource was added, was confirmed, or has ended."""

    link: "SessionLink"


@dataclass
class AuthorizationReported(Message):
    """Posted when a step of an authorization was made. `entry`: the step in the timeline."""

    link: "SessionLink"
    entry: Entry


@dataclass
class TimelineGrew(Message):
    """Posted when entries of the timeline were added or have changed."""

    link: "SessionLink"


@dataclass
class ConnectionFailed(Message):
    """Posted when connecting or listing has failed. `message` and `hint` may quote untrusted text."""

    link: "SessionLink"
    message: str
    hint: str


_CALM_S = 0.1
"""The minimum time in seconds between messages of one kind.

A server may send thousands of frames a second.
"""
_AUTHENTICATION_HINT = (
    'R asks you for authorization again. Or start Sightline with --header "Authorization: Bearer …".'
)


class SessionLink:
    """Holds the session in use, connects and closes it, and posts its events to the screen."""

    def __init__(self, opener: Opener, screen: MessagePump) -> None:
        self._opener = opener
        self._screen = screen
        self.responder: Responder | None = None
        """Answers requests by the server; None declines them all."""
        self.conceal: Callable[[list[str]], None] | None = None
        """Called with the private texts of an answer before it is sent; None for `Session.conceal`."""
        self.authorizer: Authorizer | None = None
        """Asks the user to authorize; None if no user can be asked."""
        self._waiting: dict[type[ListingReported | TimelineGrew], asyncio.TimerHandle] = {}
        self.announced: ClientProfile | None = None
        """The client profile for the next connections; None for the one that the program was started with."""
        self.era: Era | None = None
        """The protocol era for the next connections; None for the one that the program was started with."""
        self.session: Session | None = None
        """The session in use, or the last one; None before the first."""
        # The link connects as soon as the screen is there.
        self.state = SessionState.CONNECTING
        self._subscribed: tuple[str, ...] = ()
        """The subscriptions of the last session, which the next one has again."""
        self.is_listed = False
        """True if the catalogue is complete, and the server has not reported a change since."""

    @property
    def is_ready(self) -> bool:
        """True if calls can be made."""
        return self.state in {SessionState.READY, SessionState.LOST}

    @property
    def timeout_s(self) -> float:
        """The timeout of a call in seconds."""
        return self.session.options.timeout_s if self.session else 0.0

    @property
    def server(self) -> ServerFacts | None:
        """The server's description of itself; None before it has answered."""
        return self.session.server if self.session else None

    @property
    def profile(self) -> ClientProfile | None:
        """The client profile announced to the server; None for a page, and before the first connection."""
        return self.session.client_profile if self.session else None

    @property
    def is_insecure(self) -> bool:
        """True if the server's certificate is not checked."""
        return self.session is not None and self.session.options.certificates.is_insecure

    @property
    def tools(self) -> int | None:
        """The number of listed tools; None until the first page of the listing has arrived."""
        listed = self.session is not None and self.session.catalogue.entries
        return len(self.session.catalogue.tools) if self.session and listed else None

    @property
    def has_items(self) -> bool:
        """True if the server lists anything."""
        return self.session is not None and any(self.session.catalogue.entries.values())

    def last_words(self, lines: int = STDERR_LINES, *, since_request: bool = False) -> tuple[str, ...]:
        """The last lines that the server wrote to stderr. `since_request`: as in `failure.last_words`."""
        if self.session is None:
            return ()
        return last_words(reversed(self.session.timeline.entries), lines, since_request=since_request)

    def tool(self, name: str) -> Tool | None:
        """The tool of this name, or the resource, template or prompt as a tool; None if not listed."""
        return self.session.catalogue.tool(name) if self.session else None

    async def live(self) -> None:
        """Connect, list, and stay connected until cancelled. The task that runs this owns the connection."""
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
        if self.era is not None:
            session.options = replace(session.options, era=self.era)
        if self.responder is not None:
            session.asker.responder = self.responder
        if self.conceal is not None:
            session.asker.conceal = self.conceal
        session.options = replace(
            session.options,
            authorizing=replace(session.options.authorizing, authorizer=self.authorizer),
        )
        try:
            await session.connect()
            await asyncio.gather(session.list_all(), session.locate_secrets())
            await asyncio.gather(session.listen(), *map(session.subscribe, self._subscribed))
        except InspectorError as error:
            self._fail(error)
        finally:
            self._subscribed = tuple(session.subscriptions.states)
            await session.close()

    def _fail(self, error: InspectorError) -> None:
        self.state = SessionState.FAILED
        hint = error.hint.replace(AUTHENTICATION_HINT, _AUTHENTICATION_HINT)
        self._screen.post_message(ConnectionFailed(self, error.message, hint))

    async def ping(self) -> str:
        """Ping the server. Returns the outcome as a sentence of untrusted text."""
        try:
            return await self.session.ping() if self.session is not None else "No server is connected."
        except InspectorError as error:
            return error.message

    async def relist(self) -> bool:
        """Read every list again. Returns whether they were read."""
        if self.session is None or not self.is_ready:
            return False
        try:
            await self.session.list_all()
        except InspectorError as error:
            self._screen.post_message(ConnectionFailed(self, error.message, error.hint))
            return False
        return True

    async def complete(self, item: Item, argument: str, value: str, filled: JsonObject) -> tuple[str, ...]:
        """The values that the server suggests for an argument of a prompt or template."""
        session = self.session
        return await session.complete(item, argument, value, filled) if session and self.is_ready else ()

    @property
    def can_subscribe(self) -> bool:
        """True if the server is connected and announces subscriptions to resources."""
        return self.session is not None and self.is_ready and self.session.can_subscribe

    @property
    def subscriptions(self) -> Mapping[str, bool]:
        """The URIs of subscribed resources, each with whether the server has confirmed it. Untrusted text."""
        return self.session.subscriptions.states if self.session is not None else {}

    async def subscribe(self, uri: str, *, is_wanted: bool) -> str:
        """Subscribe to a resource, or end the subscription.

        Returns an error as untrusted text; empty on success.
        """
        if self.session is None or not self.is_ready:
            return f"There is no connection ({self.state}). R reconnects."
        change = self.session.subscribe if is_wanted else self.session.unsubscribe
        try:
            return await change(uri)
        except InspectorError as error:
            return error.message

    @property
    def peer(self) -> str:
        """The word for the other side of the connection: `page` or `server`."""
        return "page" if self.session and isinstance(self.session.target, PageTarget) else "server"

    async def submit(self) -> None:
        """Submit the forms of a page that a call has filled in."""
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
            case SubscriptionsChanged():
                self._screen.post_message(SubscriptionsReported(self))
            case ListingAdvanced():
                self.is_listed = event.complete
                if event.complete:
                    self._tell(ListingReported)
                else:
                    self._soon(ListingReported)
            case FrameSeen():
                self._soon(TimelineGrew)
            case Noted(entry=entry):
                self._soon(TimelineGrew)
                if entry.noted == AUTHORIZATION:
                    self._screen.post_message(AuthorizationReported(self, entry))

    def _soon(self, message: type[ListingReported | TimelineGrew]) -> None:
        if message not in self._waiting:
            loop = asyncio.get_running_loop()
            self._waiting[message] = loop.call_later(_CALM_S, partial(self._tell, message))

    def _tell(self, message: type[ListingReported | TimelineGrew]) -> None:
        waiting = self._waiting.pop(message, None)
        if waiting is not None:
            waiting.cancel()
        self._screen.post_message(message(self))
