"""Use cases: connect, list, call. The command line and the interface both stand on this and on nothing below."""

import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, cast

from inspector.core import exchanges
from inspector.core.boundary.policy import DEFAULT_POLICY, BoundaryPolicy
from inspector.core.catalogue import Catalogue, Entry, Kind, Listing, Tool
from inspector.core.exchanges import Timeline
from inspector.core.frames import Channel, Frame, Notification
from inspector.core.json_text import Json, JsonObject, Malformed, dump_text
from inspector.core.outcome import Failure, Outcome, Result, RpcError
from inspector.core.targets import DemoTarget, Era, HttpTarget, PageTarget, StdioTarget, Target
from inspector.errors import InspectorError, UnreachableError

if TYPE_CHECKING:
    from inspector.core.boundary.bounded import Removal
    from inspector.custody import Custody
    from inspector.store.recordings import Recorder
    from inspector.wire.connection import Connection
    from inspector.wire.dispatch import Answer
    from inspector.wire.webmcp.connection import PageConnection


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
    policy: BoundaryPolicy = DEFAULT_POLICY
    """What is withheld from models beyond what the boundary withholds."""
    recorder: "Recorder | None" = None
    """Where the session is recorded; closed with it."""
    redeem_origin: str | None = None
    """Where secrets of a command may be redeemed: what the user pinned, never what a server says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What the server said of itself. All of it is foreign text."""

    name: str
    version: str
    protocol_version: str
    era: Era
    """LEGACY or MODERN; AUTO for a page, which has neither."""
    capabilities: Json
    instructions: str | None
    raw: Json
    """The result of initialize or server/discover, as sent; of a page, what its browser says of itself."""
    notes: tuple[str, ...] = ()
    """What the user should know of this connection, in sentences of ours."""


class Judged:
    """What a result is masked by, kept for the next who asks. Two threads that ask at once both work it out."""

    __slots__ = ("removals",)

    def __init__(self) -> None:
        self.removals: Sequence[Removal] | None = None


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
    received_s: float = 0.0
    """When the answer arrived, on the clock of `Session.custody`."""
    nonce: str = ""
    """Drawn for this call and never sent: what untrusted text in its result is delimited with."""
    policy: BoundaryPolicy = DEFAULT_POLICY
    """In force when it was made."""
    judged: Judged = field(default_factory=Judged, compare=False, repr=False)


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
    entries: tuple[exchanges.Entry, ...]


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
        self._custody: Custody | None = None
        self._redeem_at: str | None = None
        self._listener = listener
        self._connection: Connection | PageConnection | None = None

    async def connect(self) -> ServerFacts:
        """Start or reach the server and agree on a protocol. Raises InspectorError."""
        self._enter(State.CONNECTING)
        try:
            if isinstance(self.target, PageTarget):
                self.server = await self._open_page(self.target)
            else:
                self.server = await self._open_server(self.target)
        except InspectorError as error:
            self._enter(State.FAILED, error.message, error.hint)
            raise
        except BaseException:
            self._enter(State.CLOSED)
            raise
        self._enter(State.READY)
        return self.server

    async def _open_server(self, named: StdioTarget | HttpTarget | DemoTarget) -> ServerFacts:
        # The wire loads after the interface has painted; a replayed session never needs it.
        from inspector.wire.connection import open_connection  # noqa: PLC0415

        target, self._redeem_at = self._reachable(named)
        self._connection = await open_connection(
            target,
            era=self.options.era,
            timeout_s=self.options.connect_timeout_s,
            on_frame=self._framed,
            on_notification=self._notified,
        )
        agreement = self._connection.agreement
        return _facts(agreement.era, agreement.revision, agreement.result)

    async def _open_page(self, target: PageTarget) -> ServerFacts:
        from inspector.wire.webmcp.connection import open_page  # noqa: PLC0415 - as above

        self._connection = await open_page(
            target,
            timeout_s=self.options.connect_timeout_s,
            on_frame=self._framed,
            on_change=lambda: self._tell(ListChanged()),
        )
        browser = self._connection.browser
        name, _, version = browser.product.partition("/")
        return ServerFacts(
            name=name,
            version=version,
            protocol_version=browser.api,
            era=Era.AUTO,
            capabilities={"tools": {"listChanged": True}},
            instructions=None,
            raw=browser.raw,
            notes=browser.notes,
        )

    @property
    def custody(self) -> "Custody":
        """The secrets of this session. Commands never ask for it."""
        if self._custody is None:
            from inspector.custody import Custody  # noqa: PLC0415 - what no command needs

            self._custody = Custody()
        return self._custody

    @property
    def is_recorded(self) -> bool:
        """Whether what happens now goes into a recording."""
        recorder = self.options.recorder
        return recorder is not None and not recorder.failure and self.state is State.READY

    async def locate_secrets(self) -> None:
        """Settle where secret references may be redeemed: to be asked as soon as the server was reached."""
        connection = self._connection
        if connection is None:
            return
        if isinstance(self.target, PageTarget):
            page = self._page()
            self.custody.belong_to_page(
                lambda number: page.redeemer(self._tool_of(number)), clock=connection.now_s
            )
            return
        await self.custody.belong_to(
            self._redeem_at, authorization=_authorization(self.target), clock=connection.now_s
        )

    async def list_all(self) -> Catalogue:
        """Every page of every list the server announces. Raises InspectorError where tools cannot be listed."""
        if isinstance(self.target, PageTarget):
            return await self._list_page()
        capabilities = self.server.capabilities if self.server else None
        entries: dict[Kind, tuple[Entry, ...]] = {}
        problems: list[Malformed] = []
        for kind in Kind:
            announced = not isinstance(capabilities, dict) or kind.capability in capabilities
            if kind is Kind.TOOL or announced:
                pages = Listing(kind, self._server_connection().objection)
                async for page in self._pages(pages, announced=announced):
                    entries[kind] = page
                    self.catalogue = Catalogue(entries=dict(entries), problems=tuple(problems))
                    self._tell(ListingAdvanced(catalogue=self.catalogue, complete=False))
                problems.extend(pages.problems)
        self.catalogue = Catalogue(entries=entries, problems=tuple(problems))
        self._tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        timeout_s: float | None = None,
    ) -> CallRecord:
        """Call a tool. A failing tool is an outcome, no exception; cancelling this task cancels the call."""
        connection = self._connected()
        tool = self.catalogue.tool(name)
        at_s = connection.now_s()
        answer = await self._answer(name, tool, arguments, on_progress, timeout_s or self.options.timeout_s)
        record = CallRecord(
            number=len(self.calls) + 1,
            name=name,
            tool=tool,
            arguments=arguments,
            outcome=answer.outcome,
            at_s=at_s,
            duration_s=connection.now_s() - at_s,
            size_bytes=len(answer.frame.raw) if answer.frame else 0,
            received_s=answer.frame.at_s if answer.frame else connection.now_s(),
            nonce=secrets.token_hex(8),
            policy=self.options.policy,
        )
        self.calls.append(record)
        if self.options.recorder and isinstance(self.target, PageTarget):
            self._record_page_call(record, self.options.recorder)
        self._see_whether_lost()
        return record

    async def _answer(
        self,
        name: str,
        tool: Tool | None,
        arguments: JsonObject,
        on_progress: Callable[[Progress], None] | None,
        timeout_s: float,
    ) -> "Answer":
        if isinstance(self.target, PageTarget):
            return await self._page().call(tool, name, arguments, timeout_s=timeout_s)
        return await self._server_connection().request(
            "tools/call",
            {"name": name, "arguments": arguments},
            timeout_s=timeout_s,
            on_progress=lambda params: on_progress(_progress(params)) if on_progress else None,
            input_schema=tool.input_schema if tool else None,
        )

    async def close(self) -> None:
        """End the connection and every process that it started. Secrets are forgotten."""
        if self._custody is not None:
            self._custody.end()
        connection, self._connection = self._connection, None
        if connection:
            await connection.close()
        if self.options.recorder:
            await asyncio.to_thread(self.options.recorder.close)
        if self.state is not State.FAILED:
            self._enter(State.CLOSED)

    def _record_page_call(self, record: CallRecord, recorder: "Recorder") -> None:
        from inspector.core.recording.scribe import PageCall  # noqa: PLC0415 - few sessions are recorded

        recorder.call(
            PageCall(
                number=record.number,
                name=record.name,
                tool=record.tool,
                arguments=record.arguments,
                outcome=record.outcome,
                at_s=record.at_s,
                duration_s=record.duration_s,
            )
        )

    def _reachable(
        self, named: StdioTarget | HttpTarget | DemoTarget
    ) -> tuple[StdioTarget | HttpTarget, str | None]:
        """What is connected to, and the address at whose origin its secrets may be redeemed."""
        match named:
            case HttpTarget() as target:
                return target, target.url
            case StdioTarget() as target:
                return target, self.options.redeem_origin
            case DemoTarget():
                from inspector.wire.redemption.addresses import free_port  # noqa: PLC0415 - as the wire

                port = free_port()
                command = (sys.executable, "-m", "inspector.demo", "stdio", "--port", str(port))
                return StdioTarget(command=command), f"http://127.0.0.1:{port}"

    async def _list_page(self) -> Catalogue:
        self.catalogue = await self._page().catalogue()
        self._tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue

    async def _pages(self, listing: Listing, *, announced: bool) -> AsyncGenerator[tuple[Entry, ...]]:
        connection = self._server_connection()
        while (params := listing.next_params()) is not None:
            answer = await connection.request(listing.kind.method, params, timeout_s=self.options.timeout_s)
            match answer.outcome:
                case Result(value=value):
                    listing.take(value)
                    yield tuple(listing.entries)
                case RpcError() if not announced:
                    return
                case failed:
                    if listing.kind is Kind.TOOL and not listing.entries:
                        self._see_whether_lost()
                        raise UnreachableError(
                            f"tools cannot be listed: {told(failed)}",
                            "The timeline has the frames (call --help).",
                        )
                    listing.problems.append(
                        Malformed(pointer="", reason=f"{listing.kind.method} ended early: {told(failed)}")
                    )
                    return

    def _connected(self) -> "Connection | PageConnection":
        if self._connection is None:
            raise UnreachableError("not connected", "Connect first.")
        return self._connection

    def _server_connection(self) -> "Connection":
        return cast("Connection", self._connected())

    def _page(self) -> "PageConnection":
        return cast("PageConnection", self._connected())

    def _tool_of(self, number: int) -> Tool | None:
        """The tool of a call, as it was listed then."""
        return next((call.tool for call in self.calls if call.number == number), None)

    def _see_whether_lost(self) -> None:
        lost = self._connection.lost if self._connection else None
        if lost and self.state is State.READY:
            self._enter(State.FAILED, lost.detail, "Reconnect to go on.")

    def _framed(self, frame: Frame) -> None:
        if self.options.recorder:
            self.options.recorder.frame(frame)
        self._tell(FrameSeen(frame=frame, entries=self.timeline.fold(frame)))
        if frame.channel is Channel.NOTE:
            # A process that ends between two calls is told at once, not at the next call.
            asyncio.get_running_loop().call_soon(self._see_whether_lost)

    def _notified(self, notification: Notification) -> None:
        if notification.method.endswith("/list_changed"):
            self._tell(ListChanged())

    def _enter(self, state: State, message: str = "", hint: str = "") -> None:
        self.state = state
        self._tell(StateChanged(state=state, message=message, hint=hint))

    def _tell(self, event: Event) -> None:
        if self._listener:
            self._listener(event)


def told(outcome: Outcome) -> str:
    """An outcome that is no result, in words. May quote foreign text."""
    match outcome:
        case Failure(detail=detail):
            return detail
        case RpcError(value=value):
            return f"the server answered with an error: {dump_text(value)}"
        case Result():
            return "the server answered with a result"


def _authorization(target: Target) -> str | None:
    """The connection's own Authorization header; None where there is none, or more than one."""
    headers = target.headers if isinstance(target, HttpTarget) else ()
    found = [value for name, value in headers if name.lower() == "authorization"]
    return found[0] if len(found) == 1 else None


def _facts(era: Era, revision: str, result: JsonObject) -> ServerFacts:
    meta = result.get("_meta")
    stamped = meta.get("io.modelcontextprotocol/serverInfo") if isinstance(meta, dict) else None
    identity = result.get("serverInfo", stamped)
    said = identity if isinstance(identity, dict) else {}
    name, version, instructions = said.get("name"), said.get("version"), result.get("instructions")
    return ServerFacts(
        name=name if isinstance(name, str) else "",
        version=version if isinstance(version, str) else "",
        protocol_version=revision,
        era=era,
        capabilities=result.get("capabilities"),
        instructions=instructions if isinstance(instructions, str) else None,
        raw=result,
    )


def _progress(params: JsonObject) -> Progress:
    done, total, message = params.get("progress"), params.get("total"), params.get("message")
    return Progress(
        progress=float(done) if isinstance(done, (int, float)) else 0.0,
        total=float(total) if isinstance(total, (int, float)) and total > 0 else None,
        message=message if isinstance(message, str) else None,
    )
