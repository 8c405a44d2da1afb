"""A page in a real Chromium: stalls of the event loop for ten thousand tools and for 50 MB."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from textual.pilot import Pilot

from benchmarks.interface import called, left, screen_text, until
from benchmarks.measuring import Report, Stall, Stalls
from inspector.boundary.options import Level
from inspector.files import themes
from inspector.protocol.frames import Direction
from inspector.protocol.targets import PageTarget
from inspector.session.events import Event, FrameSeen, Listener, ListingAdvanced, SessionState, StateChanged
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from inspector.tui.runtime.memory import keep_responsive

MEGABYTE = 1_000_000
SETTLE_S = 0.5

_ROW = (
    '{id: 9007199254740991, name: "person", mail: "p@example.org", note: "neither short nor long ".repeat(4)}'
)
_ROW_BYTES = 165
_PAGE = """<!doctype html><title>Large</title><script>
const row = %(row)s;
for (let n = 0; n < %(tools)d; n++) document.modelContext.registerTool({
  name: `tool_${String(n).padStart(5, "0")}`, description: `Does number ${n}`,
  inputSchema: { type: "object", properties: { a: { type: "string", description: "an argument" } } },
  annotations: { readOnlyHint: true, sensitiveHint: false }, execute: () => ({ rows: Array(%(rows)d).fill(row) }),
});
</script>"""


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("A page in Chromium, in the interface at 140x45")
    asyncio.run(_many_tools(report, 10_000))
    asyncio.run(_large_result(report, 50 * MEGABYTE))


@contextmanager
def _served(tools: int, result_bytes: int) -> Generator[str]:
    html = (_PAGE % {"row": _ROW, "tools": tools, "rows": max(1, result_bytes // _ROW_BYTES)}).encode()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html)

        def log_message(self, *_: object) -> None:  # type: ignore[override]
            ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@dataclass(slots=True)
class Watched:
    """Observations of one page."""

    stalls: Stalls = field(default_factory=Stalls)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    listed: asyncio.Event = field(default_factory=asyncio.Event)
    asked_s: float = 0.0
    """The time at which the last call was sent to the browser."""
    answered_s: float = 0.0
    """The time at which the last large message was there, before it was parsed."""


@asynccontextmanager
async def _opened(url: str, tools: int) -> AsyncGenerator[tuple[Pilot[None], Watched]]:
    """The application on a page, with all tools listed. Stalls before that do not count."""
    target = PageTarget(url=url)
    keep_responsive()
    watched = Watched()

    async def opened(listener: Listener) -> Session:
        def hear(event: Event) -> None:
            listener(event)
            if isinstance(event, StateChanged) and event.state is SessionState.READY:
                watched.ready.set()
            elif isinstance(event, FrameSeen):
                frame = event.frame
                if frame.direction is Direction.SENT and b'"WebMCP.invokeTool"' in frame.raw:
                    watched.asked_s = frame.at_s
                elif len(frame.raw) > MEGABYTE:
                    watched.answered_s = frame.at_s
            elif isinstance(event, ListingAdvanced) and len(event.catalogue.tools) == tools:
                watched.listed.set()

        await asyncio.to_thread(__import__, "inspector.webmcp.browser.connection")
        return Session(target, Options(), hear)

    app = SightlineApp(
        [ServerSource(target=target, opener=opened)], level=Level.DECLARED, theme_files=themes.themes()
    )
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        async with watched.stalls.watched():
            await watched.listed.wait()
            await asyncio.sleep(SETTLE_S)
            await pilot.pause()
            yield pilot, watched
        await left(app)


async def _many_tools(report: Report, count: int, runs: int = 2) -> None:
    taken: list[float] = []
    stalls: list[Stall] = []
    with _served(count, 100) as url:
        for _ in range(runs):
            started = time.perf_counter()
            async with _opened(url, count) as (_, watched):
                taken.append(time.perf_counter() - started - SETTLE_S)
                stalls.append(watched.stalls.longest)
    report.row(f"{count:,} tools: page opened and listed", taken, aim=3)
    report.stalls(f"{count:,} tools", stalls)


async def _large_result(report: Report, size_bytes: int, runs: int = 1) -> None:
    taken: list[float] = []
    of_browser: list[float] = []
    stalls: list[Stall] = []
    with _served(1, size_bytes) as url:
        async with _opened(url, 1) as (pilot, watched):
            await pilot.press("enter")
            await until(pilot, lambda: "Enter call" in screen_text(pilot))
            for number in range(1, runs + 1):
                taken.append(await called(pilot, watched.stalls, number))
                of_browser.append(watched.answered_s - watched.asked_s)
                await asyncio.sleep(SETTLE_S)
                stalls.append(watched.stalls.longest)
    size = f"{size_bytes // MEGABYTE} MB"
    report.row(f"{size}: from Enter to both panes", taken, aim=4)
    report.row(f"{size}: of that, until the browser has sent it", of_browser)
    report.stalls(size, stalls)
