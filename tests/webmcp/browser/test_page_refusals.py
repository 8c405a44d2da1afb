"""Tools that a page registers and its browser refuses, in a real Chromium."""

import asyncio

import pytest

from inspector.errors import UnreachableError
from inspector.review.registry import findings_of
from inspector.review.reviewed import reviewed
from inspector.session.options import Options
from tests.cli.sightline import spawned
from tests.webmcp.browser.browsing import visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

DECLARED = {
    "none": "{name: 'none', execute() {}}",
    "empty": "{name: 'empty', description: '', execute() {}}",
    "bad name": "{name: 'bad name', description: 'd', execute() {}}",
    "\x1b[31mred": "{name: '\\u001b[31mred', description: 'd', execute() {}}",
    "schema": "{name: 'schema', description: 'd', inputSchema: 7, execute() {}}",
    "large": "{name: 'large', description: 'd', inputSchema: {maximum: 1n}, execute() {}}",
    "twice": "{name: 'twice', description: 'again', execute() {}}",
    "aborted": "{name: 'aborted', description: 'd', execute() {}}, {signal: AbortSignal.abort()}",
}
REGISTERING = [
    "window.caught = {}",
    tool("twice"),
    *(
        f"\ndocument.modelContext.registerTool({given}).catch((error) => caught[{name!r}] = `${{error.name}}: ${{error.message}}`)"
        for name, given in DECLARED.items()
    ),
    tool("caught", "() => caught"),
]


async def test_a_refusal_of_the_browser_is_listed_with_its_message_and_place(site: Site, cdp: str) -> None:
    url = site.put("/page", page(*REGISTERING))
    async with visiting(url, cdp) as visit:
        await visit.until(lambda: len(visit.session.catalogue.refused) == len(DECLARED))
        caught = await visit.result("caught")
        assert {each.name: each.reason for each in visit.session.catalogue.refused} == caught
        assert visit.names() == ["twice", "caught"]
        assert visit.facts("twice").declared is not None
        catalogue = visit.session.catalogue
    places = [each.place for each in catalogue.refused]
    assert [(place.url, place.line) for place in places if place] == [
        (url, 2 + index) for index in range(len(DECLARED))
    ]
    assert {each.document.origin for each in catalogue.refused} == {site.origin}
    found = [finding for finding in findings_of(reviewed(catalogue)) if finding.id == "SL-WEB007"]
    assert len(found) == len(DECLARED)
    assert not [finding for finding in found if "\x1b" in f"{finding.message}{finding.evidence}"]


async def test_refusals_are_listed_as_text_and_as_json(site: Site, cdp: str) -> None:
    url = site.put("/page", page(*REGISTERING))
    words = ("list", "--cdp", cdp, "--wait", "3", "-q")
    # Two addresses: a tab that already shows the address is shared.
    text, listed = await asyncio.gather(
        asyncio.to_thread(spawned, *words, f"web+{url}"),
        asyncio.to_thread(spawned, *words, f"web+{url}?json", "--format", "json"),
    )
    assert (text.code, listed.code) == (0, 0), (text, listed)
    assert "\x1b" not in text.out
    assert "! bad name: InvalidStateError: Invalid tool name" in text.out
    refused = {each["name"]: each for each in listed.json["refused"]}
    assert set(refused) == set(DECLARED)
    assert refused["twice"]["reason"] == "InvalidStateError: Duplicate tool name"
    assert refused["twice"]["registeredAt"].startswith(url)
    assert listed.json["malformed"] == []


async def test_a_page_whose_tools_were_all_refused_is_an_error_with_the_reason(site: Site, cdp: str) -> None:
    url = site.put("/page", page(f"document.modelContext.registerTool({DECLARED['empty']})"))
    with pytest.raises(UnreachableError, match="refused empty: InvalidStateError: Description is required"):
        async with visiting(url, cdp, options=Options(wait_s=0.5)):
            pass


async def test_a_page_cannot_see_that_refusals_are_reported(site: Site, cdp: str) -> None:
    # A page that ignores the promise still gets the event, once for each.
    html = page(
        "window.unhandled = []",
        "addEventListener('unhandledrejection', (event) => { event.preventDefault(); unhandled.push(event.reason.message) })",
        *(f"document.modelContext.registerTool({DECLARED[name]})" for name in ("empty", "bad name")),
        tool("unhandled", "() => unhandled"),
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        assert await visit.result("unhandled") == ["Description is required", "Invalid tool name"]
