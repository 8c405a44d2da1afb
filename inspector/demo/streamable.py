"""Streamable HTTP: POST and DELETE on one path, either with a handshake and sessions, or stateless.

Source: the transport chapters of revisions 2025-11-25 (sessions) and 2026-07-28 (one exchange per request).
"""

import asyncio
import base64
import binascii
import secrets
from collections.abc import Callable
from enum import Enum
from http import HTTPStatus
from typing import TypeAlias

from inspector.demo import eras
from inspector.demo.jsonrpc import Code, RefusedError, is_identity, read, refusal
from inspector.demo.protocol import Peer
from inspector.demo.server import DemoServer
from inspector.http_server import HttpConnection, HttpRequest
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump_text
from inspector.protocol.frames import Notification, Request, Response, messages
from inspector.protocol.targets import Era

SESSION_HEADER = "Mcp-Session-Id"

_STATUSES = {
    Code.PARSE_ERROR: HTTPStatus.BAD_REQUEST,
    Code.INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
    Code.INVALID_PARAMS: HTTPStatus.BAD_REQUEST,
    Code.HEADER_MISMATCH: HTTPStatus.BAD_REQUEST,
    Code.UNSUPPORTED_PROTOCOL_VERSION: HTTPStatus.BAD_REQUEST,
    Code.METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND,
}
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class _Signal(Enum):
    """What ends an exchange: its request is answered, or its client has hung up."""

    ANSWERED = "answered"
    GONE = "gone"


_Event: TypeAlias = JsonObject | _Signal


class StreamableHttp:
    """The endpoint `/mcp`, and its sessions."""

    def __init__(self, server: DemoServer) -> None:
        self._server = server
        self._sessions: dict[str, Peer] = {}
        self._work: set[asyncio.Task[Json]] = set()

    async def handle(self, request: HttpRequest, connection: HttpConnection) -> None:
        match request.method:
            case "POST":
                await self._post(request, connection)
            case "DELETE":
                await self._delete(request, connection)
            case _:
                # The server never sends requests, so it has no stream of its own.
                await connection.respond(HTTPStatus.METHOD_NOT_ALLOWED, headers=[("Allow", "POST, DELETE")])

    async def close(self) -> None:
        tasks = tuple(self._work)
        for work in tasks:
            work.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _post(self, request: HttpRequest, connection: HttpConnection) -> None:
        if not _accepts(request, "application/json") or not _accepts(request, "text/event-stream"):
            await _refuse(connection, HTTPStatus.NOT_ACCEPTABLE, "Accept has to allow JSON and event streams")
            return
        if (request.header("content-type") or "").partition(";")[0].strip().lower() != "application/json":
            await _refuse(
                connection, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type has to be application/json"
            )
            return
        body = read(request.body)
        version = request.header("mcp-protocol-version")
        stateless = version is not None and version not in eras.HANDSHAKE_VERSIONS
        if stateless or self._server.options.era is Era.MODERN:
            await self._post_stateless(body, request, connection)
        else:
            await self._post_in_session(body, request, connection)

    async def _post_stateless(
        self, body: JsonText | Malformed, request: HttpRequest, connection: HttpConnection
    ) -> None:
        parts = messages(body)
        if isinstance(body, JsonText) and (isinstance(body.value, list) or isinstance(parts[0], Response)):
            await _refuse(
                connection, HTTPStatus.BAD_REQUEST, "The body has to be one request or notification"
            )
            return
        if isinstance(parts[0], Notification):
            await connection.respond(HTTPStatus.ACCEPTED)
            return
        era = Era.LEGACY if self._server.options.era is Era.LEGACY else Era.MODERN
        if era is Era.MODERN and isinstance(parts[0], Request):
            mismatch = _header_mismatch(parts[0], request)
            if mismatch:
                await connection.respond_json(HTTPStatus.BAD_REQUEST, mismatch)
                return
        peer = Peer(self._server, era)
        # A stateless client cancels by hanging up.
        await self._exchange(peer, body, connection, status=_status, on_gone=peer.cancel_all)

    async def _post_in_session(
        self, body: JsonText | Malformed, request: HttpRequest, connection: HttpConnection
    ) -> None:
        parts = messages(body)
        if isinstance(body, Malformed):
            await connection.respond_json(
                HTTPStatus.BAD_REQUEST, await Peer(self._server).receive(body, _drop)
            )
            return
        if len(parts) == 1 and isinstance(parts[0], Request) and parts[0].method == "initialize":
            await self._open_session(body, connection)
            return
        peer = await self._session(request, connection)
        if peer is None:
            return
        if parts and all(isinstance(part, Notification | Response) for part in parts):
            await peer.receive(body, _drop)
            await connection.respond(HTTPStatus.ACCEPTED)
            return
        # A client with a session cancels by a notification; if it hangs up, its call continues.
        await self._exchange(peer, body, connection, status=_session_status, on_gone=lambda: None)

    async def _open_session(self, body: JsonText, connection: HttpConnection) -> None:
        peer = Peer(self._server, Era.LEGACY)
        answer = await peer.receive(body, _drop)
        headers: list[tuple[str, str]] = []
        if peer.version:
            session = secrets.token_urlsafe(24)
            self._sessions[session] = peer
            headers.append((SESSION_HEADER, session))
        await connection.respond_json(
            HTTPStatus.OK if peer.version else HTTPStatus.BAD_REQUEST, answer, headers
        )

    async def _session(self, request: HttpRequest, connection: HttpConnection) -> Peer | None:
        """The session that a request names. If there is none, answers with an error and returns None."""
        session = request.header(SESSION_HEADER.lower())
        if session is None:
            await _refuse(connection, HTTPStatus.BAD_REQUEST, f"{SESSION_HEADER} is missing")
            return None
        peer = self._sessions.get(session)
        if peer is None:
            await _refuse(connection, HTTPStatus.NOT_FOUND, "There is no such session")
        return peer

    async def _delete(self, request: HttpRequest, connection: HttpConnection) -> None:
        peer = await self._session(request, connection)
        if peer is None:
            return
        peer.cancel_all()
        del self._sessions[request.header(SESSION_HEADER.lower()) or ""]
        await connection.respond(HTTPStatus.OK)

    async def _exchange(
        self,
        peer: Peer,
        body: JsonText | Malformed,
        connection: HttpConnection,
        *,
        status: Callable[[Json], HTTPStatus],
        on_gone: Callable[[], None],
    ) -> None:
        """Answer with JSON, or with an event stream if a notification precedes the answer."""
        events: asyncio.Queue[_Event] = asyncio.Queue()
        work = asyncio.create_task(peer.receive(body, events.put_nowait))
        work.add_done_callback(lambda _: events.put_nowait(_Signal.ANSWERED))
        self._work.add(work)
        work.add_done_callback(self._work.discard)
        streaming = False
        try:
            async with connection.watched(lambda: events.put_nowait(_Signal.GONE)):
                while not isinstance(event := await events.get(), _Signal):
                    if not streaming:
                        await connection.open_stream()
                        streaming = True
                    await connection.send_event("message", dump_text(event))
        except ConnectionError:
            event = _Signal.GONE
        if event is _Signal.GONE:
            on_gone()
            return
        await _finish(connection, work.result(), streaming=streaming, status=status)


async def _finish(
    connection: HttpConnection, answer: Json, *, streaming: bool, status: Callable[[Json], HTTPStatus]
) -> None:
    if answer is not None and not streaming:
        await connection.respond_json(status(answer), answer)
        return
    # A cancelled request has no answer; its stream just ends.
    if not streaming:
        await connection.open_stream()
    if answer is not None:
        await connection.send_event("message", dump_text(answer))
    await connection.end_stream()


def _drop(_notification: JsonObject) -> None:
    pass


def _accepts(request: HttpRequest, kind: str) -> bool:
    accepted = {
        part.partition(";")[0].strip().lower() for part in (request.header("accept") or "").split(",")
    }
    return not accepted.isdisjoint({kind, f"{kind.partition('/')[0]}/*", "*/*"})


async def _refuse(connection: HttpConnection, status: HTTPStatus, reason: str) -> None:
    await connection.respond_json(status, refusal(None, RefusedError(Code.INVALID_REQUEST, reason)))


def _status(answer: Json) -> HTTPStatus:
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return next((status for known, status in _STATUSES.items() if known == code), HTTPStatus.OK)


def _session_status(answer: Json) -> HTTPStatus:
    """The status of an answer within a session. It is 400 for an error without a request id, otherwise 200."""
    is_rejected = isinstance(answer, dict) and "error" in answer and answer.get("id") is None
    return HTTPStatus.BAD_REQUEST if is_rejected else HTTPStatus.OK


def _header_mismatch(request: Request, http: HttpRequest) -> Json:
    """The error for a request whose headers contradict its body; None if they agree."""
    version = eras.request_meta(request.params).get(eras.VERSION_KEY)
    wrong = None
    if version is not None and http.header("mcp-protocol-version") != version:
        wrong = "MCP-Protocol-Version"
    elif http.header("mcp-method") != request.method:
        wrong = "Mcp-Method"
    elif request.method in _NAMED_BY and isinstance(request.params, dict):
        name = request.params.get(_NAMED_BY[request.method])
        wrong = "Mcp-Name" if name is not None and _decoded(http.header("mcp-name")) != name else None
    if wrong is None:
        return None
    identity = request.id if is_identity(request.id) else None
    return refusal(identity, RefusedError(Code.HEADER_MISMATCH, f"{wrong} does not match the body"))


def _decoded(value: str | None) -> str | None:
    """The value of a header, decoded if it is in base64 (`=?base64?…?=`); None if that is invalid."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
