"""MCP over HTTP: the SDK's transports between the dispatcher (JSON-RPC) and the HTTP tap (raw frames)."""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2

from inspector.connect.dispatch import Dispatcher
from inspector.connect.errors import connect_error
from inspector.connect.http_tap import HttpTap
from inspector.connect.oauth.auth import Authorization
from inspector.connect.sdk import (
    ClientMessageMetadata,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    SessionMessage,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    sse_client,
    streamable_http_client,
    x_mcp_header_map,
)
from inspector.connect.tap import MAX_MESSAGE_BYTES, Tap
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject
from inspector.protocol.authorization import Access, Certificates
from inspector.protocol.outcome import Failure, FailureKind
from inspector.protocol.targets import HttpTarget

CONNECT_TIMEOUT_S = 10.0
TIME_LIMITS = httpx2.Timeout(CONNECT_TIMEOUT_S, read=None)
"""The time limits of HTTP requests.

Reading has none: the dispatcher limits each request, and an event stream may be silent for hours.
"""

CLOSE_TIMEOUT_S = 3.0

for _name in ("mcp.client", "httpx2", "httpcore2"):
    # These loggers would write URLs with queries, and exceptions that quote servers.
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False


class HttpChannel:
    """An HTTP endpoint. Its own task enters and leaves the SDK's transport, as anyio requires."""

    def __init__(
        self,
        target: HttpTarget,
        tap: Tap,
        dispatcher: Dispatcher,
        *,
        open_timeout_s: float,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        access: Access | None = None,
    ) -> None:
        """`open_timeout_s`: time limit for the `endpoint` event of the older transport.

        Raises UsageError if the certificate file of `access` cannot be used.
        """
        self._target = target
        self._tap = tap
        self._open_timeout_s = open_timeout_s
        self._dispatcher = dispatcher
        proxy = _proxy_for(target.url)
        verify = certificates(access.certificates if access else Certificates())
        self._auth: Authorization | None = None
        if access is not None and not _has_credentials(target):
            self._auth = Authorization(
                target,
                access,
                dispatcher,
                lambda url: httpx2.AsyncHTTPTransport(proxy=_proxy_for(url), verify=verify),
            )
        self._http_tap = HttpTap(
            httpx2.AsyncHTTPTransport(proxy=proxy, socket_options=_keepalive(), verify=verify),
            tap,
            dispatcher,
            older_sse=target.older_sse,
            has_proxy=proxy is not None,
            max_message_bytes=max_message_bytes,
        )
        self._closing = asyncio.Event()
        self._opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._owner: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the transport.

        Raises InspectorError for HTTP+SSE only, because Streamable HTTP sends nothing at this point.
        """
        self._owner = asyncio.ensure_future(self._own())
        done, _ = await asyncio.wait({self._opened}, timeout=self._open_timeout_s)
        while not done and self._dispatcher.is_paused:
            done, _ = await asyncio.wait({self._opened}, timeout=self._open_timeout_s)
        if not done:
            detail = f"no `endpoint` event within {self._open_timeout_s:g} s"
            raise connect_error(self._target, Failure(kind=FailureKind.TIMEOUT, detail=detail))
        self._writer = self._opened.result()

    async def send(self, message: JsonObject, headers: dict[str, str]) -> None:
        """POST one message. Raises OSError if the transport has ended."""
        if self._owner is None or self._owner.done():
            raise ConnectionError("the HTTP transport has ended")
        metadata = ClientMessageMetadata(headers=headers) if headers else None
        try:
            await self._writer.send(SessionMessage(_typed(message), metadata))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise ConnectionError("the HTTP transport has ended") from error

    async def close(self) -> None:
        """Close the transport.

        In protocol revisions with a handshake this also deletes the session on the server.
        """
        self._closing.set()
        if self._owner is None:
            return
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await asyncio.shield(self._owner)
        except TimeoutError:
            self._owner.cancel()
            await asyncio.gather(self._owner, return_exceptions=True)

    async def _own(self) -> None:
        try:
            async with self._transport() as (reader, writer):
                self._opened.set_result(writer)
                draining = asyncio.ensure_future(self._drain(reader))
                try:
                    await self._closing.wait()
                finally:
                    draining.cancel()
                    await asyncio.gather(draining, return_exceptions=True)
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises ends this connection and nothing else
            self._ended(error)

    def _ended(self, error: Exception) -> None:
        failure = self._http_tap.stream_failure or self._http_tap.last_failure
        lost = failure or Failure(kind=FailureKind.CONNECTION_LOST, detail=_first_words(error))
        if not self._opened.done():
            self._opened.set_exception(connect_error(self._target, lost))
        self._dispatcher.fail_all(lost)

    @asynccontextmanager
    async def _transport(self) -> AsyncGenerator[tuple[Any, Any]]:
        async with AsyncExitStack() as stack:
            if self._target.older_sse:
                yield await stack.enter_async_context(
                    sse_client(self._target.url, httpx_client_factory=self._client)
                )
            else:
                client = await stack.enter_async_context(self._client())
                yield await stack.enter_async_context(
                    streamable_http_client(self._target.url, http_client=client, max_sse_event_size=None)
                )

    def _client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        _ = timeout, auth
        merged = [("accept-encoding", "identity"), *(headers or {}).items(), *self._target.headers]
        return httpx2.AsyncClient(
            transport=self._http_tap, headers=merged, timeout=TIME_LIMITS, auth=self._auth
        )

    async def _drain(self, reader: Any) -> None:
        """Discard the SDK's parsed messages, except its errors for requests that will get no answer."""
        async for item in reader:
            message = item.message if isinstance(item, SessionMessage) else None
            if isinstance(message, JSONRPCError) and self._dispatcher.is_pending(message.id):
                failure = Failure(kind=FailureKind.PROTOCOL, detail=message.error.message)
                self._dispatcher.fail(message.id, failure)
        if not self._closing.is_set():
            closed = Failure(
                kind=FailureKind.CONNECTION_LOST, detail=f"{self._target} closed its event stream"
            )
            lost = self._http_tap.stream_failure or closed
            self._dispatcher.fail_all(lost)
            self._tap.note(lost.detail)


def header_fault(input_schema: Json) -> str | None:
    """The fault in the header declarations (`x-mcp-header`) of an input schema; None if there is none.

    A tool with such a fault must not be offered over HTTP.
    """
    fault = find_invalid_x_mcp_header(input_schema)
    return f"`x-mcp-header` is not valid: {fault}" if fault else None


def declared_headers(input_schema: Json, arguments: Json) -> dict[str, str]:
    """The `Mcp-Param-*` headers that an input schema declares (`x-mcp-header`); empty if it is invalid."""
    if not isinstance(arguments, dict) or header_fault(input_schema) is not None:
        return {}
    return mcp_param_headers(x_mcp_header_map(input_schema), arguments)


def certificates(accepted: Certificates) -> ssl.SSLContext | bool:
    """The `verify` argument of httpx: an SSL context, or a bool. Raises UsageError for a file without certificates."""
    if accepted.is_insecure:
        return False
    if accepted.cacert is None:
        return True
    try:
        context = ssl.create_default_context()
        context.load_verify_locations(cafile=accepted.cacert)
    except OSError as error:
        reason = "it has no certificates in PEM" if isinstance(error, ssl.SSLError) else error.strerror
        raise UsageError(
            f"--cacert {accepted.cacert}: {reason}", "Name a file with certificates in PEM."
        ) from error
    return context


def _has_credentials(target: HttpTarget) -> bool:
    return any(name.lower() == "authorization" for name, _ in target.headers)


def _proxy_for(url: str) -> str | None:
    """The environment's proxy for this endpoint; None if there is none.

    httpx does not look it up for a custom transport.
    """
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)


def _keepalive() -> list[tuple[int, int, int]]:
    """Socket options that detect a vanished peer on a silent connection."""
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    # Option names differ between systems; if one is missing, the system default applies.
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    return options


def _typed(message: JsonObject) -> JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError:
    if "method" in message:
        model = JSONRPCRequest if "id" in message else JSONRPCNotification
    else:
        model = JSONRPCError if "error" in message else JSONRPCResponse
    return model.model_validate(message)


def _first_words(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return str(error) or type(error).__name__
