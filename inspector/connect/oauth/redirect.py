"""Listens on loopback for the redirect that ends an authorization flow, and refuses every other request.

Source: RFC 8252, sections 7.3 and 8.3; RFC 6749, sections 4.1.2 and 10.12.
"""

import asyncio
import secrets
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

import h11

from inspector.http_server import ADDRESS, HttpConnection, HttpRequest

SLOW_S = 5.0
"""The time that a client has to send its request."""
MOST_REFUSED = 50
"""The number of refused requests after which the listener is closed."""
PATH = "/callback"
_HEADERS = (
    ("Content-Type", "text/plain; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'"),
    ("Referrer-Policy", "no-referrer"),
    ("Connection", "close"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """The parameters of a redirect that has the expected `state` parameter. All values are untrusted text."""

    code: str | None = field(repr=False)
    state: str = field(repr=False)
    iss: str | None
    error: str | None
    description: str


class TooManyRefusedError(Exception):
    """Raised if the listener was closed because too many requests were not the expected redirect."""


def bound_redirect() -> tuple[str, socket.socket]:
    """A redirect URI with a free port, and the socket that keeps the port from other processes until closed."""
    bound = socket.create_server((ADDRESS, 0))
    return f"http://{ADDRESS}:{bound.getsockname()[1]}{PATH}", bound


_LISTENING: dict[tuple[asyncio.AbstractEventLoop, int], asyncio.Event] = {}
"""By event loop and port, an event that is set when the authorization that listens there ends."""


@asynccontextmanager
async def _alone_on(port: int) -> AsyncGenerator[None]:
    """Wait until no other authorization listens on `port`, because several clients may have the same redirect URI."""
    key = asyncio.get_running_loop(), port
    while (other := _LISTENING.get(key)) is not None:
        await other.wait()
    ended = _LISTENING[key] = asyncio.Event()
    try:
        yield
    finally:
        del _LISTENING[key]
        ended.set()


@asynccontextmanager
async def redirect_to(
    uri: str, state: str, refused: Callable[[str], None], bound: socket.socket | None = None
) -> AsyncGenerator[asyncio.Future[Redirect]]:
    """Listen until the redirect arrives, or until the block ends. Raises OSError if the port is in use.

    `refused`: called with the reason why a request was refused, in a clause without untrusted text.
    `bound`: the socket of `bound_redirect`, which is closed at the end; None to use the port of `uri`.
    """
    port = urlsplit(uri).port or 0
    async with _alone_on(port):
        redirects = _Redirects(uri, state, refused)
        listening = bound or socket.create_server((ADDRESS, port))
        server = await asyncio.start_server(redirects.start, sock=listening)
        redirects.arrived.add_done_callback(lambda _: server.close())
        try:
            yield redirects.arrived
        finally:
            server.close()
            await redirects.end()


class _Redirects:
    def __init__(self, uri: str, state: str, refused: Callable[[str], None]) -> None:
        parts = urlsplit(uri)
        self._host = parts.netloc
        self._path = parts.path
        self._state = state.encode()
        self._refused = refused
        self._count = 0
        self._serving: set[asyncio.Task[None]] = set()
        self.arrived: asyncio.Future[Redirect] = asyncio.get_running_loop().create_future()

    def start(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def end(self) -> None:
        self.arrived.cancel()
        serving = tuple(self._serving)
        if serving:
            # The page that answers the redirect may still be on its way.
            await asyncio.wait(serving, timeout=0.5)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = HttpConnection(reader, writer)
        try:
            with suppress(ConnectionError, h11.LocalProtocolError):
                async with asyncio.timeout(SLOW_S):
                    await self._answer(connection)
        except TimeoutError:
            self._refuse(f"a client did not send a complete request within {SLOW_S:g} s")
        finally:
            writer.close()

    async def _answer(self, connection: HttpConnection) -> None:
        request = await connection.next_request()
        if request is None:
            self._refuse("a client did not send an HTTP request")
            return
        found = self._redirect_in(request)
        if isinstance(found, Redirect):
            self.arrived.set_result(found)
            words = "Sightline has the answer. You can close this page."
            await connection.respond(HTTPStatus.OK, words.encode(), _HEADERS)
            return
        status, reason = found
        self._refuse(reason)
        await connection.respond(status, b"This is not the redirect that Sightline waits for.", _HEADERS)

    def _redirect_in(self, request: HttpRequest) -> Redirect | tuple[HTTPStatus, str]:
        if self.arrived.done():
            return HTTPStatus.GONE, "a second request came"
        if request.header("host") != self._host:
            return HTTPStatus.MISDIRECTED_REQUEST, "a request named another host"
        if request.path != self._path:
            return HTTPStatus.NOT_FOUND, "a request was for another path"
        if request.method != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED, "a request was not a GET"
        values = parse_qs(request.query, keep_blank_values=True)
        if any(len(values.get(name, ())) > 1 for name in ("code", "state", "iss", "error")):
            return HTTPStatus.BAD_REQUEST, "a request had a parameter twice"
        one = {name: each[0] for name, each in values.items()}
        if not secrets.compare_digest(one.get("state", "").encode(), self._state):
            return HTTPStatus.FORBIDDEN, "a request had another state"
        if not one.get("code") and not one.get("error"):
            return HTTPStatus.BAD_REQUEST, "a request had neither code nor error"
        return Redirect(
            code=one.get("code"),
            state=one["state"],
            iss=one.get("iss"),
            error=one.get("error"),
            description=one.get("error_description", ""),
        )

    def _refuse(self, reason: str) -> None:
        self._count += 1
        self._refused(reason)
        if self._count >= MOST_REFUSED and not self.arrived.done():
            self.arrived.set_exception(TooManyRefusedError())
