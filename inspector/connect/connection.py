"""Connections to servers: opens them, agrees on a protocol revision, sends requests, and closes them."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from inspector.connect.dispatch import Dispatcher, FramedAnswer, MessageChannel, ProgressListener, Replier
from inspector.connect.errors import connect_error
from inspector.connect.negotiation import NegotiatedProtocol, NoAgreement, negotiate
from inspector.connect.stdio import PATIENCE_S, StdioProcess
from inspector.connect.tap import MAX_MESSAGE_BYTES, Tap
from inspector.errors import InspectorError, UnreachableError
from inspector.json.exact import Json, JsonObject
from inspector.protocol.authorization import Access
from inspector.protocol.catalogue import Tool
from inspector.protocol.client import USUAL, Announcement
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Notification
from inspector.protocol.outcome import Failure, FailureKind
from inspector.protocol.targets import Era, HttpTarget, StdioTarget
from inspector.secrets.own_credentials import own_credentials

_OF_OLDER_SERVERS = frozenset({400, 404, 405})


class Transport(MessageChannel, Protocol):
    """Carries messages to a server and back, over stdio or HTTP, from `start` to `close`."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class Connection:
    """A connection with an agreed protocol revision. Requests may run concurrently.

    The task that opens the connection must close it.
    """

    def __init__(
        self, target: StdioTarget | HttpTarget, tap: Tap, dispatcher: Dispatcher, transport: Transport
    ) -> None:
        self._target = target
        self._tap = tap
        self._dispatcher = dispatcher
        self._transport = transport
        self._agreement: NegotiatedProtocol | None = None
        self.is_second = False
        """True if the server was started twice.

        It had ended at the request for a stateless revision, and was started again for the handshake.
        """

    @property
    def agreement(self) -> NegotiatedProtocol:
        if self._agreement is None:
            raise RuntimeError("not agreed yet")
        return self._agreement

    @property
    def lost(self) -> Failure | None:
        return self._dispatcher.lost

    @property
    def is_idle(self) -> bool:
        return self._dispatcher.is_idle

    @property
    def place(self) -> tuple[Tap, int]:
        """The tap and the id of the last request. A connection that replaces this one continues from both."""
        return self._tap, self._dispatcher.last_id

    def note(self, text: str) -> None:
        """Add a note to the timeline and the recording, about an event for which no message was sent."""
        self._tap.note(text)

    def now_s(self) -> float:
        """Seconds since the connection was requested, on the clock of its frames."""
        return self._tap.now_s()

    async def agree(self, era: Era, announced: Announcement, timeout_s: float) -> None:
        await self._transport.start()
        over_http = isinstance(self._target, HttpTarget)
        agreement = await negotiate(
            self._dispatcher, era, announced, timeout_s=timeout_s, over_http=over_http
        )
        if isinstance(agreement, NoAgreement):
            printed = self._transport.printed if isinstance(self._transport, StdioProcess) else None
            error = connect_error(
                self._target, agreement.outcome, asked=agreement.asked, printed=printed, mask=self._tap.mask
            )
            raise _PostRefusedError(error) if self._may_be_older(era, agreement) else error
        self._agreement = agreement

    def _may_be_older(self, era: Era, agreement: NoAgreement) -> bool:
        """True if the server may speak the older transport (HTTP+SSE), which has no stateless revisions.

        Source: MCP 2025-11-25, Transports, "Backwards Compatibility".
        """
        target = self._target
        is_open = isinstance(target, HttpTarget) and not (target.older_sse or target.is_declared)
        outcome = agreement.outcome
        is_refused = isinstance(outcome, Failure) and outcome.http_status in _OF_OLDER_SERVERS
        return is_open and is_refused and era is not Era.MODERN

    async def request(
        self,
        method: str,
        params: JsonObject,
        *,
        timeout_s: float | None,
        on_progress: ProgressListener | None = None,
        input_schema: Json = None,
    ) -> FramedAnswer:
        """Send a request and wait for the answer. A failure is an outcome, not an exception.

        `timeout_s`: None for a subscription. `input_schema`: the input schema of the called tool, which may
        declare headers.
        """
        headers: dict[str, str] = {}
        if self._routes_by_header and input_schema is not None:
            from inspector.connect.http import declared_headers  # noqa: PLC0415 - the SDK loads late

            headers = declared_headers(input_schema, params.get("arguments"))
        return await self._dispatcher.request(
            method, params, timeout_s=timeout_s, on_progress=on_progress, headers=headers
        )

    @property
    def _routes_by_header(self) -> bool:
        return isinstance(self._target, HttpTarget) and self.agreement.era is Era.MODERN

    def objection(self, tool: Tool) -> str | None:
        """The reason why a well-formed tool must not be called over this connection; None if it may be."""
        if not self._routes_by_header:
            return None
        from inspector.connect.http import header_fault  # noqa: PLC0415 - the SDK is loaded by now

        return header_fault(tool.input_schema)

    async def notify(self, method: str, params: JsonObject) -> None:
        await self._dispatcher.notify(method, params)

    def paused(self) -> AbstractContextManager[None]:
        """The context in which the time limits of requests are paused."""
        return self._dispatcher.paused()

    def withdraw(self, key: str, why: str) -> None:
        """Stop answering a request by the server.

        `key`: the `request_key` of the request. `why`: the reason, for the timeline and the answering task.
        """
        self._dispatcher.withdraw(key, why)

    async def close(self) -> None:
        closed = Failure(kind=FailureKind.CONNECTION_LOST, detail="Sightline closed the connection")
        self._dispatcher.fail_all(self.lost or closed)
        await self._transport.close()


TransportOf = Callable[[Tap, Dispatcher], Transport]
"""Called with the tap and the dispatcher; returns the transport of a connection."""


class Opening(Struct, frozen=True, kw_only=True):
    """Options for opening a connection."""

    era: Era = Era.AUTO
    timeout_s: float
    announced: Announcement = USUAL
    access: Access | None = None
    """The authorization and the certificates.

    If it is None, only the target's own token is sent, and only the target's credentials are masked.
    """
    max_message_bytes: int = MAX_MESSAGE_BYTES
    """The maximum size of a message. A longer one closes a stdio connection; over HTTP it fails the request."""
    transport: TransportOf | None = None
    """The transport to use in place of the target's process or URL."""
    patience_s: float = PATIENCE_S
    """The time that a command has to end after its input is closed, before SIGTERM."""
    mask_lines: Callable[[Sequence[str]], Sequence[str]] = tuple
    """Masks secrets other than credentials in lines of the server that a failure quotes."""


async def open_connection(
    target: StdioTarget | HttpTarget,
    opening: Opening,
    *,
    on_frame: Callable[[Matched], None],
    on_notification: Callable[[Notification], None],
    on_request: Replier | None = None,
    on_refusal: Callable[[str], None] | None = None,
    after: Connection | None = None,
) -> Connection:
    """Open a connection that is ready for requests. Raises InspectorError; then no process is left running.

    A stdio server that exits at the first message of the stateless revisions is started again for the
    handshake, unless the user chose the era. `on_request`: answers the server's requests; servers send them in
    protocol revisions with a handshake only. `on_refusal`: called with the reason why such a request was
    refused unread. `after`: the connection to replace; its clock, frame numbers and request ids continue.
    """
    mask = opening.access.step_log.mask if opening.access else own_credentials(target).mask
    tap, last_id = after.place if after else (Tap(on_frame, mask, opening.mask_lines), 0)

    def dispatcher(last_id: int = 0) -> Dispatcher:
        return Dispatcher(tap, on_notification, on_request=on_request, on_refusal=on_refusal, last_id=last_id)

    try:
        return await _opened(target, opening, dispatcher(last_id), tap)
    except _DiedEarly:
        tap.note("the server exited when asked for the stateless era: starting it again with initialize")
        again = replace(opening, era=Era.LEGACY)
        connection = await _opened(target, again, dispatcher(), tap)
        connection.is_second = True
        return connection
    except _PostRefusedError as refused:
        if not isinstance(target, HttpTarget) or opening.transport is not None:
            raise refused.error from None
        tap.note(
            f"{refused.error.message}\nThe server may speak the older transport (HTTP+SSE): asking for its event stream by GET"
        )
        return await _opened_older(target, opening, dispatcher(refused.last_id), tap, refused.error)


async def _opened_older(
    target: HttpTarget, opening: "Opening", dispatcher: Dispatcher, tap: Tap, refused: InspectorError
) -> Connection:
    """Connect over the older transport (HTTP+SSE). Raises InspectorError.

    `refused`: the error with which the attempt over Streamable HTTP ended.
    """
    try:
        return await _opened(
            replace(target, older_sse=True), replace(opening, era=Era.LEGACY), dispatcher, tap
        )
    except UnreachableError as error:
        text = f"{refused.message}\nasked for the event stream of the older transport (HTTP+SSE) too: {error.message}"
        raise UnreachableError(text, refused.hint) from error


class _PostRefusedError(Exception):
    """Raised if the server refused the first POST, and may speak only the older transport (HTTP+SSE)."""

    def __init__(self, error: InspectorError) -> None:
        super().__init__(error.message)
        self.error = error
        self.last_id = 0


class _DiedEarly(Exception):  # noqa: N818 - a signal between two functions, never shown as an error
    """Raised if the process exited at the first message, which probes for stateless protocol revisions."""


async def _opened(
    target: StdioTarget | HttpTarget,
    opening: Opening,
    dispatcher: Dispatcher,
    tap: Tap,
) -> Connection:
    transport: Transport
    limit = opening.max_message_bytes
    if opening.transport is not None:
        transport = opening.transport(tap, dispatcher)
    elif isinstance(target, StdioTarget):
        transport = StdioProcess(
            target, tap, dispatcher, max_message_bytes=limit, patience_s=opening.patience_s
        )
    else:
        from inspector.connect.http import HttpChannel  # noqa: PLC0415 - the SDK takes a third of a second to import

        transport = HttpChannel(
            target,
            tap,
            dispatcher,
            open_timeout_s=opening.timeout_s,
            max_message_bytes=limit,
            access=opening.access,
        )
    dispatcher.attach(transport)
    connection = Connection(target, tap, dispatcher, transport)
    try:
        await connection.agree(opening.era, opening.announced, opening.timeout_s)
    except BaseException as error:
        if isinstance(error, _PostRefusedError):
            error.last_id = dispatcher.last_id
        lost = dispatcher.lost
        has_died = (
            lost is not None
            and lost.kind is FailureKind.CONNECTION_LOST
            and opening.era is Era.AUTO
            and isinstance(transport, StdioProcess)
        )
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(connection.close())
        if has_died and isinstance(error, InspectorError):
            raise _DiedEarly from error
        raise
    return connection
