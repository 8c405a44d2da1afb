"""An interface in a real Chromium: its traffic besides requests, and the reasons for which it is ended."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from inspector.apps.browser.window import AppWindow
from inspector.apps.interface import AppInterface, interface_in
from inspector.json.exact import Json, JsonObject
from tests.driven import drives
from tests.webmcp.browser.site import Site, answer

URI = "ui://a/b"


def interface(html: str, ui: Json = None) -> AppInterface:
    content: JsonObject = {
        "uri": URI,
        "mimeType": "text/html;profile=mcp-app",
        "text": html,
        "_meta": {"ui": ui},
    }
    found = interface_in(URI, {"contents": [content]}, {})
    assert isinstance(found, AppInterface), found
    return found


@dataclass
class Seen:
    """Everything that a window reported."""

    messages: list[str] = field(default_factory=list[str])
    reports: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(40):
            while not holds():
                await asyncio.sleep(0.02)


@asynccontextmanager
async def opened_window(shown: AppInterface) -> AsyncGenerator[tuple[AppWindow, Seen]]:
    drives()
    seen = Seen()
    opened = AppWindow(
        shown,
        is_headed=False,
        chromium=None,
        on_message=seen.messages.append,
        on_report=seen.reports.append,
        on_end=seen.ends.append,
    )
    try:
        await opened.open(30)
        yield opened, seen
    finally:
        await opened.close()


@asynccontextmanager
async def window(shown: AppInterface) -> AsyncGenerator[Seen]:
    async with opened_window(shown) as (_, seen):
        yield seen


@dataclass
class Listener:
    """A port that keeps every connection, also those that send nothing."""

    heard: list[bytes] = field(default_factory=list[bytes])

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place = len(self.heard)
        self.heard.append(b"")
        self.heard[place] = await reader.read(1000)
        writer.close()


@asynccontextmanager
async def listening() -> AsyncGenerator[tuple[Listener, int]]:
    listener = Listener()
    server = await asyncio.start_server(listener.take, "127.0.0.1", 0)
    try:
        yield listener, server.sockets[0].getsockname()[1]
    finally:
        server.close()


HINTS = """<!doctype html>
<link rel="preconnect" href="https://preconnect.example">
<link rel="preconnect" href="http://localhost:UNDECLARED">
<link rel="preconnect" href="http://127.0.0.2:UNDECLARED">
<meta http-equiv="x-dns-prefetch-control" content="on">
<link rel="dns-prefetch" href="https://dns-prefetch.example">
<link rel="prefetch" href="https://prefetch.example/x">
<link rel="preload" as="image" href="https://preload.example/x">
<link rel="modulepreload" href="https://modulepreload.example/x">
<script type="speculationrules">
  {"prefetch": [{"source": "list", "urls": ["https://speculation.example/"]}],
   "prerender": [{"source": "list", "urls": ["https://prerender.example/"]}]}
</script>
FRAME
<script>
  // The last one is declared: when it connects, the others would have.
  addEventListener("load", () => {
    const link = document.createElement("link");
    link.rel = "preconnect";
    link.href = "http://127.0.0.1:DECLARED";
    document.head.append(link);
    setTimeout(() => parent.postMessage({ jsonrpc: "2.0", method: "late" }, "*"), 500);
  });
</script>"""


@pytest.mark.parametrize("is_declared", [False, True])
async def test_a_preconnect_hint_reaches_only_declared_hosts_and_no_proxy(
    monkeypatch: pytest.MonkeyPatch, *, is_declared: bool
) -> None:
    async with Site() as site, listening() as (proxy, port), listening() as (declared, declared_port):
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        header = f"Link: <http://localhost:{port}>; rel=preconnect, <https://header.example>; rel=preconnect"
        site.pages["/frame"] = answer("<p>framed", "text/html", header)
        html = HINTS.replace("FRAME", f'<iframe src="{site.other}/frame"></iframe>' if is_declared else "")
        html = html.replace("UNDECLARED", str(port)).replace("DECLARED", str(declared_port))
        ui: Json = {
            "csp": {"frameDomains": [site.other], "connectDomains": [f"http://127.0.0.1:{declared_port}"]}
        }
        async with window(interface(html, ui if is_declared else None)) as seen:
            await seen.until(lambda: bool(seen.messages) and bool(declared.heard) is is_declared)
            assert site.paths() == ["/frame"] * is_declared
        assert not proxy.heard
        assert bool(declared.heard) is is_declared


FRAMED = """<script>
  new Worker("/worker.js");
  new SharedWorker("/shared.js");
  navigator.serviceWorker.register("/service.js");
  fetch(`/${typeof RTCPeerConnection}`);
</script>"""
TRIES = "try { new WebSocket('ws://127.0.0.1:OTHER/socket'); } catch {} fetch('http://127.0.0.1:OTHER/fetched', { mode: 'no-cors' }).catch(() => 0).then(() => fetch('/said-NAME'));"


async def test_a_declared_frame_and_its_workers_reach_no_other_port_of_their_host() -> None:
    async with Site() as site:
        served = {
            "/frame": f"<script>{TRIES}</script>" + FRAMED,
            "/worker.js": TRIES,
            "/shared.js": TRIES,
            "/service.js": TRIES,
        }
        for path, text in served.items():
            kind = "text/html" if path == "/frame" else "text/javascript"
            filled = text.replace("OTHER", str(site.port)).replace("NAME", path.strip("/"))
            site.pages[path] = answer(filled, kind)
        html = f'<iframe src="{site.other}/frame"></iframe>'
        async with window(interface(html, {"csp": {"frameDomains": [site.other]}})) as seen:
            said = {f"/said-{path.strip('/')}" for path in served if path != "/worker.js"}
            await seen.until(lambda: said <= {*site.paths()})
        assert "/undefined" in site.paths(), "it has no WebRTC"
        assert not {"/socket", "/fetched"} & {*site.paths()}


GREETING = """<script>
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  HERE
</script>"""


async def test_a_long_report_is_cut_and_a_repeated_one_is_kept_once() -> None:
    html = GREETING.replace(
        "HERE",
        """for (let i = 0; i < 20; i++) setTimeout(() => { throw new Error("x".repeat(100_000) + i); });
        setTimeout(() => send({ method: "done" }), 100);""",
    )
    async with window(interface(html)) as seen:
        await seen.until(lambda: bool(seen.messages and seen.reports))
    assert len(seen.reports) == 1
    assert len(seen.reports[0]) == 400
    assert not seen.ends


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("console.log('x'.repeat(9 << 20));", "the browser sent a message of more than 8 MiB"),
        (
            "for (let i = 0; i < 30000; i++) console.log(i);",
            "the interface caused too many events in the browser",
        ),
    ],
)
async def test_an_interface_that_makes_the_browser_send_too_much_is_ended(does: str, why: str) -> None:
    html = GREETING.replace("HERE", "addEventListener('message', () => { " + does + " }); send({});")
    async with opened_window(interface(html)) as (there, seen):
        await seen.until(lambda: bool(seen.messages))
        await there.give({"go": True})
        await seen.until(lambda: bool(seen.ends))
    assert seen.ends == [why]


async def test_an_interface_and_its_messages_may_be_as_large_as_their_limits() -> None:
    html = GREETING.replace(
        "HERE", "addEventListener('message', ({ data }) => send({ id: data.text.length }));"
    )
    html += "<!--" + "é" * ((2 << 20) - len(html)) + "-->"
    shown = interface(html)
    assert shown.size_bytes > 4_000_000
    async with opened_window(shown) as (there, seen):
        assert await there.give({"text": "é" * 4_000_000})
        await seen.until(lambda: bool(seen.messages))
        assert not await there.give({"text": "é" * 4_200_000})
    assert seen.messages == ['{"jsonrpc":"2.0","id":4000000}']
