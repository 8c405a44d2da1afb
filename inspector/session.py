"""Use cases: connect, list, call. The command line and the interface both stand on this and on nothing below."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.core.catalogue import Catalogue, Tool
from inspector.core.exchanges import Entry, Timeline
from inspector.core.frames import Frame
from inspector.core.json_text import Json, JsonObject
from inspector.core.outcome import Outcome
from inspector.core.targets import Era, Target


class State(StrEnum):
    """Of a session, in words that may be shown."""

    IDLE = "idle"
    CONNECTING = "connecting"
    READY = "ready"
    FAILED = "failed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to connect and how long to wait."""

    era: Era = Era.AUTO
    timeout_s: float = 60.0
    """For one request."""
    connect_timeout_s: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What the server said of itself. All of it is foreign text."""

    name: str
    version: str
    protocol_version: str
    era: Era
    """LEGACY or MODERN."""
    capabilities: Json
    instructions: str | None
    raw: Json
    """The result of initialize or server/discover, as sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call that has ended."""

    number: int
    """Counts from 1 within a session."""
    name: str
    tool: Tool | None
    """None where the server lists no tool of that name."""
    arguments: JsonObject
    outcome: Outcome
    at_s: float
    """Seconds since the session started."""
    duration_s: float
    size_bytes: int
    """Of the answer's frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The session has another state; `message` and `hint` say why where it failed."""

    state: State
    message: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameSeen:
    """A frame went over the wire, and these entries of the timeline are new or changed."""

    frame: Frame
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingAdvanced:
    """The catalogue so far; `complete` when all pages of all lists are in."""

    catalogue: Catalogue
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanged:
    """The server said that one of its lists is out of date."""


Event: TypeAlias = StateChanged | FrameSeen | ListingAdvanced | ListChanged
Listener: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a running call says it is."""

    progress: float
    total: float | None
    message: str | None


class Session:
    """One target, from the wish to connect until it is closed."""

    def __init__(self, target: Target, options: Options, listener: Listener | None = None) -> None:
        """`listener` hears every event, in the event loop's thread, and must return at once."""
        self.target = target
        self.options = options
        self.timeline = Timeline()
        self.catalogue = Catalogue()
        self.server: ServerFacts | None = None
        self.calls: list[CallRecord] = []
        self.state = State.IDLE
        self._listener = listener

    async def connect(self) -> ServerFacts:
        """Start or reach the server and agree on a protocol. Raises InspectorError."""
        raise NotImplementedError

    async def list_all(self) -> Catalogue:
        """Every page of every list the server announces. Raises InspectorError where tools cannot be listed."""
        raise NotImplementedError

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        timeout_s: float | None = None,
    ) -> CallRecord:
        """Call a tool. A failing tool is an outcome, no exception; cancelling this task cancels the call."""
        raise NotImplementedError

    async def close(self) -> None:
        """End the connection and every process that it started."""
        raise NotImplementedError
