"""Serves the demo page: its files, the workspace, and secrets that only the browser of the page can fetch."""

import html
import secrets
from functools import cache
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Self

from inspector.demo.http import HttpSite
from inspector.demo.jsonrpc import RefusedError, read
from inspector.demo.server import DemoOptions, DemoServer
from inspector.demo.tools.tool import Slow
from inspector.http_server import HttpConnection, HttpRequest
from inspector.json.exact import JsonObject, JsonText

COOKIE = "workspace_session"
OTHER_HOST = "localhost"
"""The host of the frame. The page has another host, so that the frame shares neither cookies nor a process with it."""

_FILES = Path(__file__).parent / "files"
_KINDS = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css"}
_NEVER_CACHED = ("Cache-Control", "no-store")
_NO_SNIFFING = ("X-Content-Type-Options", "nosniff")


class PartnerSite(HttpSite):
    """The site in the frame of another origin, without access to the workspace."""

    def __init__(self, embedder: str) -> None:
        """`embedder`: the origin that may show this site in a frame and call its tools."""
        super().__init__(DemoServer(DemoOptions()))
        self._embedder = embedder

    @property
    def url(self) -> str:
        return f"{self.origin.replace('127.0.0.1', OTHER_HOST)}/"

    async def answer(self, request: HttpRequest, connection: HttpConnection) -> None:
        names = {"/": "partner.html", "/partner.js": "partner.js", "/style.css": "style.css"}
        await _send_file(
            request, connection, names, {"{EMBEDDER}": self._embedder}, f"frame-ancestors {self._embedder}"
        )


class PageSite(HttpSite):
    """The page with its workspace, and the site of the frame. `async with` starts and stops both."""

    def __init__(self, server: DemoServer | None = None, *, port: int = 0) -> None:
        super().__init__(server, port=port)
        self._session = secrets.token_urlsafe(24)
        self._partner: PartnerSite | None = None

    @property
    def url(self) -> str:
        return f"{self.origin}/"

    @property
    def partner_url(self) -> str:
        return self._partner.url if self._partner else ""

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._partner = await PartnerSite(self.origin).__aenter__()
        return self

    async def __aexit__(self, *details: object) -> None:
        if self._partner:
            await self._partner.__aexit__(*details)
        await super().__aexit__(*details)

    async def answer(self, request: HttpRequest, connection: HttpConnection) -> None:
        match request.method, request.path:
            case _, path if path.startswith("/secrets/"):
                await self.redeem(request, connection)
            case "POST", "/api/call":
                await self._call(request, connection)
            case "GET", "/api/workspace":
                await connection.respond_json(HTTPStatus.OK, self._shown(), [_NEVER_CACHED])
            case "GET", "/search":
                await self._search(request, connection)
            case _:
                await self._file(request, connection)

    async def redeem(self, request: HttpRequest, connection: HttpConnection) -> None:
        if await self._has_cookie(request, connection):
            await super().redeem(request, connection)

    async def _file(self, request: HttpRequest, connection: HttpConnection) -> None:
        names = {"/": "index.html", **{f"/{name}": name for name in _SCRIPTS}}
        cookie = ("Set-Cookie", f"{COOKIE}={self._session}; Path=/; HttpOnly; SameSite=Strict")
        more = (cookie,) if request.path == "/" else ()
        frames = f"connect-src 'self'; frame-src 'self' {self.partner_url}; form-action 'self'; frame-ancestors 'none'"
        await _send_file(request, connection, names, {"{PARTNER}": self.partner_url}, frames, more)

    async def _call(self, request: HttpRequest, connection: HttpConnection) -> None:
        """Call one of the demo server's tools for the page.

        The request body is `{"name", "arguments"}`, the response body the tool's result.
        """
        if not await self._has_cookie(request, connection):
            return
        body = read(request.body)
        asked = body.value if isinstance(body, JsonText) else None
        try:
            result = self.server.call(asked if isinstance(asked, dict) else {}, lambda _level, _data: None)
        except RefusedError as error:
            await connection.respond_json(HTTPStatus.BAD_REQUEST, {"error": str(error)}, [_NEVER_CACHED])
            return
        answer = result.result if isinstance(result, Slow) else result
        await connection.respond_json(HTTPStatus.OK, answer, [_NEVER_CACHED])

    async def _search(self, request: HttpRequest, connection: HttpConnection) -> None:
        """Answer with the search results, which the frame of the search form shows."""
        words = (request.parameter("q") or "").casefold()
        paths = [path for path, text in self.server.workspace.documents.items() if words in text.casefold()]
        items = "".join(f"<li>{html.escape(path)}</li>" for path in paths)
        shown = items or "<li>Nothing found</li>"
        page = f'<!doctype html><html lang="en"><link rel="stylesheet" href="/style.css"><title>Found</title><ul>{shown}</ul>'
        headers = _headers(".html", "form-action 'none'; frame-ancestors 'self'")
        await connection.respond(HTTPStatus.OK, page.encode(), headers)

    async def _has_cookie(self, request: HttpRequest, connection: HttpConnection) -> bool:
        """True if the request carries the page's cookie. If it does not, answers it with status 401."""
        cookies = SimpleCookie()
        try:
            cookies.load(request.header("cookie") or "")
        except CookieError:
            cookies.clear()
        cookie = cookies.get(COOKIE)
        if cookie and secrets.compare_digest(cookie.value.encode(), self._session.encode()):
            return True
        await connection.respond_json(HTTPStatus.UNAUTHORIZED, {"error": "not authorized"}, [_NEVER_CACHED])
        return False

    def _shown(self) -> JsonObject:
        workspace = self.server.workspace
        return {
            "documents": dict(workspace.documents),
            "people": [
                {"name": person.name, "role": person.role, "email": person.email}
                for person in workspace.people.values()
            ],
            "projects": [
                {"id": project.id, "name": project.name, "open_tasks": project.open_tasks}
                for project in workspace.projects.values()
            ],
        }


_SCRIPTS = ("workspace.js", "reading.js", "acting.js", "edges.js", "style.css")


async def _send_file(
    request: HttpRequest,
    connection: HttpConnection,
    names: dict[str, str],
    values: dict[str, str],
    policy: str,
    more: tuple[tuple[str, str], ...] = (),
) -> None:
    """Answer with a packaged file. `names`: file names by path. `values`: texts by placeholder."""
    name = names.get(request.path)
    if name is None or request.method != "GET":
        await connection.respond(HTTPStatus.METHOD_NOT_ALLOWED if name else HTTPStatus.NOT_FOUND)
        return
    text = _packaged(name)
    for placeholder, value in values.items():
        text = text.replace(placeholder, html.escape(value))
    await connection.respond(HTTPStatus.OK, text.encode(), [*_headers(Path(name).suffix, policy), *more])


def _headers(suffix: str, policy: str) -> list[tuple[str, str]]:
    fixed = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'"
    return [
        ("Content-Type", _KINDS[suffix]),
        ("Content-Security-Policy", f"{fixed}; {policy}"),
        ("Referrer-Policy", "no-referrer"),
        _NEVER_CACHED,
        _NO_SNIFFING,
    ]


@cache
def _packaged(name: str) -> str:
    return (_FILES / name).read_text("utf-8")
