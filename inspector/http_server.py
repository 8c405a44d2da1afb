"""A small HTTP/1.1 server on loopback, which reads requests, and writes responses and event streams."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

import h11
from msgspec import Struct

from inspector.errors import UnreachableError
from inspector.json.exact import Json, dump

ADDRESS = "127.0.0.1"
MOST_BODY_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 65_536
_LOOPBACK = frozenset({ADDRESS, "localhost", "::1"})

Headers: TypeAlias = Iterable[tuple[str, str]]


class HttpRequest(Struct, frozen=True, kw_only=True):
    """One request with its whole body."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    """The headers. Their names are in lower case."""
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    def parameter(self, name: str) -> str | None:
        return next(iter(parse_qs(self.query).get(name, ())), None)


class HttpConnection:
    """A client's connection, which handles one request after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._state = h11.Connection(h11.SERVER)

    async def next_request(self) -> HttpRequest | None:
        """The next request; None if the client left or broke the protocol."""
        if self._state.our_state is h11.DONE and self._state.their_state is h11.DONE:
            self._state.start_next_cycle()
        if self._state.our_state is not h11.IDLE:
            return None
        try:
            return await self._read_request()
        except h11.RemoteProtocolError as error:
            status = HTTPStatus(error.error_status_hint)
        if self._state.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            await self.respond(status)
        return None

    async def _read_request(self) -> HttpRequest | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._state.next_event()
            match event:
                case h11.NEED_DATA:
                    if self._state.they_are_waiting_for_100_continue:
                        await self._send(h11.InformationalResponse(status_code=100, headers=[]))
                    self._state.receive_data(await self._reader.read(_CHUNK_BYTES))
                case h11.Request():
                    head = event
                case h11.Data():
                    body += event.data
                    if len(body) > MOST_BODY_BYTES:
                        raise h11.RemoteProtocolError("body too large", error_status_hint=413)
                case h11.EndOfMessage() if head:
                    return _request(head, bytes(body))
                case _:
                    return None

    async def respond(self, status: HTTPStatus, body: bytes = b"", headers: Headers = ()) -> None:
        length = ("Content-Length", str(len(body)))
        await self._send(h11.Response(status_code=status, reason=status.phrase, headers=[*headers, length]))
        if body:
            await self._send(h11.Data(data=body))
        await self._send(h11.EndOfMessage())

    async def respond_json(self, status: HTTPStatus, body: Json, headers: Headers = ()) -> None:
        await self.respond(status, dump(body), (("Content-Type", "application/json"), *headers))

    async def open_stream(self, headers: Headers = ()) -> None:
        fixed = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache, no-transform"))
        await self._send(h11.Response(status_code=200, reason="OK", headers=[*fixed, *headers]))

    async def send_event(self, kind: str, content: str) -> None:
        """Send one event. `content` is one line."""
        await self._send(
            h11.Data(data=f"event: {kind}\ndata: {content}\n\n".encode("utf-8", "surrogatepass"))
        )

    async def end_stream(self) -> None:
        await self._send(h11.EndOfMessage())

    @asynccontextmanager
    async def watched(self, gone: Callable[[], None]) -> AsyncGenerator[None]:
        """Call `gone` if the client hangs up while the block runs."""
        watch = asyncio.create_task(self._watch(gone))
        try:
            yield
        finally:
            watch.cancel()
            # Only one task may read at a time, so wait for the end of this one.
            await asyncio.wait({watch})

    async def _watch(self, gone: Callable[[], None]) -> None:
        while chunk := await self._received():
            # These bytes belong to the next request.
            self._state.receive_data(chunk)
        gone()

    async def _received(self) -> bytes:
        try:
            return await self._reader.read(_CHUNK_BYTES)
        except ConnectionError:
            return b""

    async def _send(self, event: h11.Event) -> None:
        self._writer.write(self._state.send(event) or b"")
        await self._writer.drain()


def _request(head: h11.Request, body: bytes) -> HttpRequest:
    try:
        target = urlsplit(head.target.decode("ascii", "replace"))
    except ValueError as error:
        raise h11.RemoteProtocolError(f"bad target: {error}") from error
    return HttpRequest(
        method=head.method.decode("ascii"),
        path=unquote(target.path),
        query=target.query,
        headers=tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in head.headers),
        body=body,
    )


async def listen(
    port: int, connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None] | None]
) -> asyncio.Server:
    """Listen on 127.0.0.1. `port`: 0 for any free port. Raises UnreachableError."""
    try:
        return await asyncio.start_server(connected, ADDRESS, port)
    except OSError as error:
        raise UnreachableError(
            f"cannot listen on {ADDRESS} port {port}: {error.strerror}",
            "Choose another port, or 0 for any free one.",
        ) from error


async def serve(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    respond: Callable[[HttpRequest, HttpConnection], Awaitable[None]],
) -> None:
    """Answer the requests of one client until it leaves.

    Refuses requests that name another host, or that come from a page of another origin.
    """
    connection = HttpConnection(reader, writer)
    # Clients may hang up during an answer.
    with suppress(ConnectionError, h11.LocalProtocolError):
        try:
            while (request := await connection.next_request()) is not None:
                refused = _refused(request)
                await (connection.respond(refused) if refused else respond(request, connection))
        finally:
            writer.close()


def _refused(request: HttpRequest) -> HTTPStatus | None:
    """The status to refuse a request with; None to answer it.

    A page in the user's browser could send a request under another name for loopback, or from another origin.
    """
    if not _is_local(f"//{request.header('host') or ''}"):
        return HTTPStatus.MISDIRECTED_REQUEST
    origin = request.header("origin")
    return HTTPStatus.FORBIDDEN if origin is not None and not _is_local(origin) else None


def _is_local(url: str) -> bool:
    try:
        return urlsplit(url).hostname in _LOOPBACK
    except ValueError:
        return False
