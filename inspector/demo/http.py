"""The demo over HTTP, on loopback only: `/mcp`, the older `/sse` with `/messages`, and `/secrets/{id}`."""

import asyncio
import secrets
from http import HTTPStatus
from typing import Self

from inspector.demo.jsonrpc import read
from inspector.demo.protocol import Peer
from inspector.demo.server import DemoOptions, DemoServer
from inspector.demo.streamable import StreamableHttp
from inspector.http_server import ADDRESS, HttpConnection, HttpRequest, listen, serve
from inspector.json.exact import Json, dump_text

_SECRETS = "/secrets/"


class HttpSite:
    """The demo's HTTP server on 127.0.0.1. `async with` starts and stops it."""

    def __init__(
        self, server: DemoServer | None = None, *, port: int = 0, secrets_only: bool = False
    ) -> None:
        """`port`: 0 for any free port. `secrets_only`: serve only the redemption endpoint."""
        self.server = server or DemoServer(DemoOptions())
        self.origin = ""
        """The scheme, host and port; empty until the server runs."""
        self._port = port
        self._secrets_only = secrets_only
        self._streamable = StreamableHttp(self.server)
        self._older_sessions: dict[str, _OlderSession] = {}
        self._connections: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    async def __aenter__(self) -> Self:
        self._listener = await listen(self._port, self._connected)
        port: int = self._listener.sockets[0].getsockname()[1]
        self.origin = self.server.vault.origin = f"http://{ADDRESS}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._listener:
            self._listener.close()
        connections = tuple(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await self._streamable.close()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer, self.answer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def answer(self, request: HttpRequest, connection: HttpConnection) -> None:
        """Answer a request. `serve` lets only requests from this machine through."""
        if request.path.startswith(_SECRETS):
            await self.redeem(request, connection)
            return
        if not self.server.vault.authorizes(request.header("authorization")):
            await connection.respond(HTTPStatus.UNAUTHORIZED, headers=[("WWW-Authenticate", "Bearer")])
            return
        match request.method, request.path:
            case _ if self._secrets_only:
                await connection.respond(HTTPStatus.NOT_FOUND)
            case _, "/mcp":
                await self._streamable.handle(request, connection)
            case "GET", "/sse":
                await self._open_older_session(connection)
            case "POST", "/messages":
                await self._take_older_message(request, connection)
            case _, "/sse" | "/messages":
                await connection.respond(HTTPStatus.METHOD_NOT_ALLOWED)
            case _:
                await connection.respond(HTTPStatus.NOT_FOUND)

    async def redeem(self, request: HttpRequest, connection: HttpConnection) -> None:
        never_cached = ("Cache-Control", "no-store")
        if request.method != "GET":
            headers = [never_cached, ("Allow", "GET")]
            await connection.respond(HTTPStatus.METHOD_NOT_ALLOWED, headers=headers)
            return
        identifier = request.path.removeprefix(_SECRETS)
        redemption = self.server.vault.redeem(identifier, request.header("authorization"))
        headers = [never_cached, *redemption.headers]
        await connection.respond_json(redemption.status, redemption.body, headers)

    async def _open_older_session(self, connection: HttpConnection) -> None:
        session = _OlderSession(self.server)
        identifier = secrets.token_urlsafe(24)
        self._older_sessions[identifier] = session
        try:
            async with connection.watched(lambda: session.waiting.put_nowait(None)):
                await connection.open_stream()
                await connection.send_event("endpoint", f"/messages?session_id={identifier}")
                while (message := await session.waiting.get()) is not None:
                    await connection.send_event("message", dump_text(message))
        finally:
            del self._older_sessions[identifier]
            session.close()

    async def _take_older_message(self, request: HttpRequest, connection: HttpConnection) -> None:
        session = self._older_sessions.get(request.parameter("session_id") or "")
        if session is None:
            await connection.respond(HTTPStatus.NOT_FOUND)
            return
        session.take(request.body)
        await connection.respond(HTTPStatus.ACCEPTED)


class _OlderSession:
    """The session of one client of HTTP+SSE, which posts messages and reads all answers from one stream."""

    def __init__(self, server: DemoServer) -> None:
        self.waiting: asyncio.Queue[Json] = asyncio.Queue()
        """The messages to send; None ends the stream when the client has hung up."""
        self._peer = Peer(server)
        self._running: set[asyncio.Task[None]] = set()

    def take(self, raw: bytes) -> None:
        task = asyncio.create_task(self._answer(raw))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def close(self) -> None:
        for task in self._running:
            task.cancel()

    async def _answer(self, raw: bytes) -> None:
        answer = await self._peer.receive(read(raw), self.waiting.put_nowait)
        if answer is not None:
            self.waiting.put_nowait(answer)
