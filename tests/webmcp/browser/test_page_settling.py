"""When the tools of a page are listed, and why there are none, in a real Chromium."""

import asyncio
from pathlib import Path

import pytest

from inspector.errors import UnreachableError
from inspector.json.exact import JsonText
from inspector.session.options import Options
from tests.cli.sightline import sightline
from tests.webmcp.browser.browsing import visiting
from tests.webmcp.browser.site import Asked, Site, answer, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

TIMERS = (
    "addEventListener('load', () => {"
    + ";".join(f"setTimeout(() => {tool(f'after_{ms}')}, {ms})" for ms in (50, 200, 500, 1500))
    + "})"
)


def slow(delay_s: float, body: str, content_type: str = "text/plain") -> object:
    async def script(_: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(delay_s)
        writer.write(answer(body, content_type))

    return script


def waiting(seconds: float = 5.0) -> Options:
    return Options(wait_s=seconds)


async def names(site: Site, cdp: str, path: str, seconds: float = 8.0) -> list[str]:
    async with visiting(f"{site.origin}{path}", cdp, options=waiting(seconds)) as visit:
        return visit.names()


async def refusal(site: Site, cdp: str, path: str, seconds: float) -> str:
    with pytest.raises(UnreachableError) as raised:
        await names(site, cdp, path, seconds)
    return raised.value.message


async def test_tools_of_timers_and_of_a_service_worker_are_all_listed_each_time(site: Site, cdp: str) -> None:
    site.pages["/worker.js"] = answer("1", "text/javascript")
    ready = f"navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => {tool('ready')})"
    for number in range(3):
        site.put(f"/timers{number}", page(TIMERS, ready))
    found = await asyncio.gather(*(names(site, cdp, f"/timers{number}") for number in range(3)))
    assert found == [["after_50", "after_200", "after_500", "after_1500", "ready"]] * 3


async def test_a_request_and_a_service_worker_under_way_are_waited_for(site: Site, cdp: str) -> None:
    site.pages["/data"] = slow(2.5, "data")  # pyright: ignore[reportArgumentType]
    site.pages["/asset"] = slow(2.5, "asset")  # pyright: ignore[reportArgumentType]
    site.pages["/slow.js"] = answer(
        "oninstall = (event) => event.waitUntil(fetch('/asset'))", "text/javascript"
    )
    fetched = f"setTimeout(() => fetch('/data').then(() => {tool('fetched')}), 700)"
    worker = (
        "navigator.serviceWorker.register('/slow.js', {scope: '/workers/'}).then((registration) => {"
        "const worker = registration.installing;"
        f"worker.addEventListener('statechange', () => worker.state === 'activated' && {tool('installed')})}})"
    )
    site.put("/fetching", page(tool("now"), fetched))
    site.put("/working", page(tool("now"), worker))
    found = await asyncio.gather(names(site, cdp, "/fetching"), names(site, cdp, "/working"))
    assert found == [["now", "fetched"], ["now", "installed"]]


async def test_a_page_without_tools_says_why(site: Site, cdp: str) -> None:
    site.put("/none", page("1"))
    site.put("/silent", page(tool("a")), "Permissions-Policy: tools=()")
    site.pages["/gone"] = answer("<p>gone", "text/html", status="410 Gone")
    site.pages["/text"] = answer("text", "text/plain")
    cases = {
        ("/none", 0.3): "registered no tools within 0.3 s",
        ("/none", 0.0): "had registered no tools when it had loaded",
        ("/silent", 8.0): "forbids `tools`, by the header Permissions-Policy",
        ("/gone", 8.0): "HTTP status 410",
        ("/text", 8.0): "text/plain, which is no page",
    }
    told = await asyncio.gather(*(refusal(site, cdp, *case) for case in cases))
    for (case, words), message in zip(cases.items(), told, strict=True):
        assert words in message, (case, message)


async def test_what_is_counted_of_the_network_enters_no_frame(site: Site, cdp: str) -> None:
    url = site.put("/cookie", page(tool("a"), "fetch('/data2?secret')"), "Set-Cookie: who=sesame; HttpOnly")
    site.pages["/data2"] = answer("x", "text/plain", "Set-Cookie: more=sesame")
    async with visiting(url, cdp, options=waiting()) as visit:
        assert visit.names() == ["a"]
    methods = [
        frame.body.value.get("method")
        for frame in visit.frames
        if isinstance(frame.body, JsonText) and isinstance(frame.body.value, dict)
    ]
    assert "Network.enable" in methods
    assert not [
        method for method in methods if str(method).startswith("Network.") and method != "Network.enable"
    ]
    assert not [frame for frame in visit.frames if b"sesame" in frame.raw]


async def test_a_page_that_never_rests_is_listed_when_the_time_is_up(site: Site, cdp: str) -> None:
    site.put(
        "/restless", page(tool("a"), "setInterval(() => history.replaceState(0, '', '#' + Date.now()), 100)")
    )
    assert await names(site, cdp, "/restless", 0.5) == ["a"]


async def test_nothing_is_pinned_of_a_page_without_tools(
    site: Site, cdp: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path))
    site.put("/none", page("1"))
    arguments = ("pin", "--cdp", cdp, "--wait", "0", f"web+{site.origin}/none")
    ran = await asyncio.to_thread(sightline, *arguments)
    assert ran.code == 4, ran
    assert (await asyncio.to_thread(sightline, "pin", "--list", "--format", "json")).json["pins"] == []


async def test_a_page_as_a_bundler_builds_it_registers_from_a_chunk_that_is_loaded_late(
    site: Site, cdp: str
) -> None:
    # The shape of what Vite writes: a module with a hash in its name, a preloaded one, and a chunk that it imports.
    site.pages["/assets/vendor-B2x.js"] = answer(
        "export const mount = (start) => setTimeout(start, 300)",
        "text/javascript",
    )
    site.pages["/assets/tools-C3y.js"] = slow(0.8, f"{tool('from_chunk')};export {{}}", "text/javascript")  # pyright: ignore[reportArgumentType]
    site.pages["/assets/index-A1w.js"] = answer(
        "import {mount} from './vendor-B2x.js'; mount(() => import('./tools-C3y.js'))", "text/javascript"
    )
    head = (
        '<script type="module" crossorigin src="/assets/index-A1w.js"></script>'
        '<link rel="modulepreload" crossorigin href="/assets/vendor-B2x.js">'
    )
    site.put("/built", page("1", body='<div id="app"></div>', head=head))
    assert await names(site, cdp, "/built") == ["from_chunk"]
