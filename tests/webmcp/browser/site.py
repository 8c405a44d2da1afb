"""A web site on loopback that serves what a test scripts, at two origins: `localhost` and `127.0.0.1`."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self, TypeAlias

Script: TypeAlias = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request."""

    method: str
    path: str
    """Without the query."""
    headers: dict[str, str]
    """Names in lower case."""


@dataclass(slots=True)
class Site:
    """Listens while entered. Keeps every request."""

    pages: dict[str, bytes | Script] = field(default_factory=dict[str, "bytes | Script"])
    asked: list[Asked] = field(default_factory=list[Asked])
    port: int = 0
    other_port: int = 0
    _listeners: list[asyncio.Server] = field(default_factory=list[asyncio.Server])
    _served: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def __aenter__(self) -> Self:
        for _ in range(2):
            self._listeners.append(await asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.port, self.other_port = (one.sockets[0].getsockname()[1] for one in self._listeners)
        return self

    async def __aexit__(self, *_: object) -> None:
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        for task in self._served:
            task.cancel()
        await asyncio.gather(*self._served, return_exceptions=True)

    @property
    def origin(self) -> str:
        """The first origin."""
        return f"http://localhost:{self.port}"

    @property
    def other(self) -> str:
        """Another origin, on another site, so that its frames get a process of their own."""
        return f"http://127.0.0.1:{self.other_port}"

    def put(self, path: str, html: str, *headers: str) -> str:
        """Serve a page; its address under the first origin."""
        self.pages[path] = answer(html, "text/html; charset=utf-8", *headers)
        return f"{self.origin}{path}"

    def paths(self) -> list[str]:
        """The requested paths, in order, without `/favicon.ico`: Chromium asks for it at any time."""
        return [asked.path for asked in self.asked if asked.path != "/favicon.ico"]

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._listeners:
            self._served.add(asyncio.ensure_future(self._serve(reader, writer)))
        else:
            # A browser may connect before it has a request, and so while the site closes.
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
                method, target, _ = head[0].split(" ", 2)
                fields = [line.partition(":") for line in head[1:] if line]
                asked = Asked(
                    method=method,
                    path=target.partition("?")[0],
                    headers={name.lower(): value.strip() for name, _, value in fields},
                )
                self.asked.append(asked)
                page = self.pages.get(
                    asked.path, answer("nothing here", "text/plain", status="404 Not Found")
                )
                if isinstance(page, bytes):
                    writer.write(page)
                else:
                    await page(asked, writer)
                await writer.drain()
            finally:
                writer.close()


def answer(body: str | bytes, content_type: str, *headers: str, status: str = "200 OK") -> bytes:
    """A whole HTTP answer."""
    content = body.encode() if isinstance(body, str) else body
    lines = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(content)}",
        "Connection: close",
        *headers,
    )
    return "\r\n".join((*lines, "", "")).encode() + content


def tool(name: str, execute: str = "() => 1", **members: str) -> str:
    """JavaScript that registers a tool. `members`: JavaScript for each further member."""
    given = {"description": '"A tool"', **members}
    inner = ", ".join(f"{key}: {value}" for key, value in given.items())
    return f'document.modelContext.registerTool({{name: "{name}", {inner}, execute: {execute}}})'


def page(*scripts: str, body: str = "", head: str = "") -> str:
    """An HTML page that runs these scripts."""
    return f"<!doctype html><title>A page</title>{head}{body}<script>{';'.join(scripts)}</script>"
