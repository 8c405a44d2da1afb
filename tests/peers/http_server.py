"""An HTTP server on loopback that answers as a test scripts, byte for byte."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from inspector.json.exact import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        """The JSON-RPC message in it."""
        return json.loads(self.body) if self.body else {}

    @property
    def id(self) -> Any:
        """The id of that message."""
        return self.message.get("id")


Reply: TypeAlias = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class HttpPeer:
    """A server with scripted answers, and the requests that it received.

    The answer depends on the JSON-RPC method, else on the HTTP method; otherwise it is 404.
    """

    replies: dict[str, Reply]
    asked: list[Asked] = field(default_factory=list[Asked])
    port: int = 0

    def url(self, path: str = "/mcp") -> str:
        """The URL of a path on this server."""
        return f"http://127.0.0.1:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := (await reader.readline()).decode().strip():
                method, path, _ = line.split(" ")
                headers: dict[str, str] = {}
                while header := (await reader.readline()).decode().strip():
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                asked = Asked(method=method, path=path, headers=headers, body=body)
                self.asked.append(asked)
                reply = self.replies.get(asked.message.get("method", ""), self.replies.get(method, NOT_FOUND))
                await reply(asked, writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def http_peer(replies: dict[str, Reply], port: int = 0) -> AsyncGenerator[HttpPeer]:
    """A running server, stopped afterwards. `port`: 0 for any that is free."""
    peer = HttpPeer(replies)
    serving: set[asyncio.Task[None]] = set()

    def start(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(peer.serve(reader, writer))
        serving.add(task)

    server = await asyncio.start_server(start, "127.0.0.1", port)
    peer.port = int(server.sockets[0].getsockname()[1])
    try:
        yield peer
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


def raw(status: str, body: bytes, kind: str = "application/json", **headers: str) -> Reply:
    """An answer of exactly these bytes."""
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())

    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        filled = body.replace(b"$ID", json.dumps(asked.id).encode())
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{more}content-length: {len(filled)}\r\n\r\n".encode()
        )
        writer.write(filled)

    return reply


def result(value: Json, **headers: str) -> Reply:
    """A JSON-RPC result as one JSON body."""
    body = json.dumps({"jsonrpc": "2.0", "id": "$ID", "result": value}).replace('"$ID"', "$ID")
    return raw("200 OK", body.encode(), **headers)


def error(status: str, code: int, *, with_id: bool = True) -> Reply:
    """A JSON-RPC error under an HTTP status."""
    identity = "$ID" if with_id else "null"
    return raw(
        status, f'{{"jsonrpc":"2.0","id":{identity},"error":{{"code":{code},"message":"no"}}}}'.encode()
    )


def zipped(value: Json) -> Reply:
    """A JSON-RPC result that is compressed although the client did not accept that."""

    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        body = gzip.compress(json.dumps({"jsonrpc": "2.0", "id": asked.id, "result": value}).encode())
        await raw("200 OK", body, content_encoding="gzip")(asked, writer)

    return reply


def events(*chunks: bytes) -> Reply:
    """An event stream in these chunks, closed at its end. `$ID` is replaced by the request's id."""

    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for chunk in chunks:
            writer.write(chunk.replace(b"$ID", json.dumps(asked.id).encode()))
            await writer.drain()
        writer.close()

    return reply


async def torn(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Half a body, then nothing."""
    _ = asked
    writer.write(
        b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"jsonrpc"'
    )
    await writer.drain()
    writer.close()


NOT_FOUND = raw("404 Not Found", b"<h1>\nNothing here</h1>", "text/html")
ACCEPTED = raw("202 Accepted", b"", "text/plain")
HANDSHAKE: dict[str, Reply] = {
    "server/discover": error("400 Bad Request", -32600),
    "initialize": result(
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "p", "version": "1"},
        },
        mcp_session_id="s1",
    ),
    "notifications/initialized": ACCEPTED,
    "notifications/cancelled": ACCEPTED,
    "tools/list": result({"tools": [{"name": "t", "inputSchema": {"type": "object"}, "x-acme": 1}]}),
    "GET": raw("405 Method Not Allowed", b"", "text/plain"),
    "DELETE": raw("200 OK", b"", "text/plain"),
}
"""The answers of a plain server of the handshake era."""
