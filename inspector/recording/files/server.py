"""An MCP server that answers from a recording, over standard input and output or over Streamable HTTP on loopback."""

import asyncio
import hmac
import secrets
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

from inspector.http_server import ADDRESS, HttpConnection, HttpRequest, listen, serve
from inspector.json.exact import JsonText, Malformed, dump, parse
from inspector.recording.answering import Reply

PATH = "/mcp"

Answering = Callable[[JsonText | Malformed], Reply]
Say = Callable[[str], None]


def serve_stdio(answer: Answering, say: Say) -> None:
    """Serve one client until it closes its input. `say`: called with remarks about answers."""
    with suppress(BrokenPipeError):
        for line in sys.stdin.buffer:
            if line.strip():
                answered = answer(parse(line))
                for remark in answered.remarks:
                    say(remark)
                if answered.message is not None:
                    sys.stdout.buffer.write(dump(answered.message) + b"\n")
                    sys.stdout.buffer.flush()


def serve_http(answer: Answering, say: Say, port: int) -> None:
    """Serve on 127.0.0.1 until SIGTERM or SIGINT, for clients that have the token.

    `port`: 0 takes any free port.

    Raises UnreachableError if it cannot listen.
    """
    asyncio.run(_serve_http(answer, say, port))


async def _serve_http(answer: Answering, say: Say, port: int) -> None:
    site = _Site(answer, say)
    listener = await listen(port, lambda reader, writer: serve(reader, writer, site.respond))
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    say(f"listening on http://{ADDRESS}:{listener.sockets[0].getsockname()[1]}{PATH}")
    say(f"header: Authorization: Bearer {site.token}")
    await stopped.wait()
    listener.close()


class _Site:
    """The HTTP endpoint. Each request is one exchange; there are no sessions."""

    def __init__(self, answer: Answering, say: Say) -> None:
        self.token = secrets.token_urlsafe(24)
        self._answer = answer
        self._say = say

    async def respond(self, request: HttpRequest, connection: HttpConnection) -> None:
        refused = self._refused(request)
        if refused:
            await connection.respond(refused)
            return
        answered = self._answer(parse(request.body))
        for remark in answered.remarks:
            self._say(remark)
        if answered.message is None:
            await connection.respond(HTTPStatus.ACCEPTED)
        else:
            await connection.respond_json(HTTPStatus.OK, answered.message)

    def _refused(self, request: HttpRequest) -> HTTPStatus | None:
        given = (request.header("authorization") or "").encode()
        if not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
            return HTTPStatus.UNAUTHORIZED
        if request.path != PATH:
            return HTTPStatus.NOT_FOUND
        return None if request.method == "POST" else HTTPStatus.METHOD_NOT_ALLOWED
