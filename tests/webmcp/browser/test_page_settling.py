"""The time at which the tools of a page are listed, and the reasons for an empty list, in a real Chromium."""

import asyncio
from pathlib import Path

import pytest

from inspector.errors import UnreachableError
from inspector.json.exact import JsonText
from inspector.session.options import Options
from tests.cli.sightline import ROOT, spawned
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


async def test_tools_registered_by_timers_and_a_service_worker_are_all_listed(site: Site, cdp: str) -> None:
    site.pages["/worker.js"] = answer("1", "text/javascript")
    ready = f"navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => {tool('ready')})"
    for number in range(3):
        site.put(f"/timers{number}", page(TIMERS, ready))
    found = await asyncio.gather(*(names(site, cdp, f"/timers{number}") for number in range(3)))
    assert found == [["after_50", "after_200", "after_500", "after_1500", "ready"]] * 3


async def test_listing_waits_for_open_requests_and_a_starting_service_worker(site: Site, cdp: str) -> None:
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


async def test_a_page_without_tools_is_an_error_with_the_reason(site: Site, cdp: str) -> None:
    site.put("/none", page("1"))
    site.put("/silent", page(tool("a")), "Permissions-Policy: tools=()")
    site.pages["/gone"] = answer("<p>gone", "text/html", status="410 Gone")
    site.pages["/text"] = answer("text", "text/plain")
    cases = {
        ("/none", 0.3): "registered no tools within 0.3 s",
        ("/none", 0.0): "had registered no tools when it had loaded",
        ("/silent", 8.0): "forbids `tools`, by the header Permissions-Policy",
        ("/gone", 8.0): "HTTP status 410",
        ("/text", 8.0): "text/plain, which is not a page",
    }
    told = await asyncio.gather(*(refusal(site, cdp, *case) for case in cases))
    for (case, words), message in zip(cases.items(), told, strict=True):
        assert words in message, (case, message)


async def test_network_events_are_in_no_frame(site: Site, cdp: str) -> None:
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


async def test_a_page_that_is_never_idle_is_listed_at_the_time_limit(site: Site, cdp: str) -> None:
    site.put(
        "/restless", page(tool("a"), "setInterval(() => history.replaceState(0, '', '#' + Date.now()), 100)")
    )
    assert await names(site, cdp, "/restless", 0.5) == ["a"]


async def test_a_page_without_tools_is_not_pinned(
    site: Site, cdp: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path))
    site.put("/none", page("1"))
    arguments = ("pin", "--cdp", cdp, "--wait", "0", f"web+{site.origin}/none")
    ran = await asyncio.to_thread(spawned, *arguments)
    assert ran.code == 4, ran
    assert (await asyncio.to_thread(spawned, "pin", "--list", "--format", "json")).json["pins"] == []


VITE = ROOT / ".venv/peers/node_modules/vite/bin/vite.js"
SOURCES = {
    "index.html": '<!doctype html><title>v</title><div id="app"></div><script type="module" src="/main.js"></script>',
    "main.js": "import {mount} from './app.js'; mount(document.querySelector('#app'));",
    "app.js": (
        "export const mount = (element) => setTimeout(async () => {"
        "element.textContent = 'mounted'; (await import('./tools.js')).register(); }, 400);"
    ),
    "tools.js": f"export const register = () => {{ {tool('from_chunk')} }};",
}


@pytest.mark.skipif(not VITE.exists(), reason="vite is not installed")
async def test_tools_registered_in_a_lazy_chunk_of_a_vite_page_are_listed(
    site: Site, cdp: str, tmp_path: Path
) -> None:
    for name, source in SOURCES.items():
        (tmp_path / name).write_text(source)
    building = await asyncio.create_subprocess_exec(
        *("node", VITE, "build", "--logLevel", "error", "--base", "/vite/"), cwd=tmp_path
    )
    assert await asyncio.wait_for(building.wait(), 60) == 0
    built = tmp_path / "dist"
    for path in filter(Path.is_file, built.rglob("*")):
        kind = "text/html; charset=utf-8" if path.suffix == ".html" else "text/javascript"
        place = "/vite/" if path.suffix == ".html" else f"/vite/{path.relative_to(built)}"
        site.pages[place] = answer(path.read_text(), kind)
    assert len(list(built.rglob("*.js"))) == 2
    assert await names(site, cdp, "/vite/") == ["from_chunk"]
