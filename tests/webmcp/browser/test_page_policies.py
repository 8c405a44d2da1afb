"""The evidence for a tool's declaration, and the policies about its document's right to offer tools, in a real Chromium."""

import pytest

from inspector.protocol.page import Evidence, FramePolicy, Reach
from tests.webmcp.browser.browsing import opened, visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_policy_of_a_frame_element_is_known_in_any_process(site: Site, cdp: str) -> None:
    for name in ("near", "own", "within"):
        site.put(f"/{name}", page(tool(name)))
    site.put("/far", page(tool("far"), body='<iframe src="/within" allow="tools"></iframe>'))
    body = (
        '<iframe src="/near"></iframe><object data="/own"></object>'
        f'<iframe src="{site.other}/far" allow="camera; tools *" sandbox="allow-scripts allow-same-origin"></iframe>'
    )
    async with visiting(site.put("/page", page(tool("top"), body=body)), cdp) as visit:
        await visit.until(lambda: len(visit.names()) == 5)
        documents = {name: visit.facts(name).document for name in visit.names()}
    assert all(document.is_permitted for document in documents.values())
    assert documents["top"].policy == FramePolicy(element=None)
    assert documents["near"].policy == FramePolicy(element="iframe")
    assert documents["own"].policy == FramePolicy(element="object")
    assert documents["within"].policy == FramePolicy(element="iframe", allow="tools")
    far = documents["far"].policy
    assert far == FramePolicy(element="iframe", allow="camera; tools *", is_sandboxed=True)
    assert far is not None
    assert far.grants == ("*",)


async def test_a_declaration_that_differs_for_each_reader_is_detected(site: Site, cdp: str) -> None:
    two_faced = (
        "let turn = 0; const faces = new Proxy({name: 'two', description: 'd', execute() {}}, {"
        "getOwnPropertyDescriptor: (of, key) => key === 'description'"
        " ? {value: 'shown', writable: true, enumerable: true, configurable: true} : Reflect.getOwnPropertyDescriptor(of, key)});"
        "document.modelContext.registerTool(faces)"
    )
    honest = tool("honest", inputSchema="{type: 'object', default: undefined, maximum: NaN}")
    hidden = (
        "document.modelContext.registerTool({name: 'hidden', get description() { return 'd' }, execute() {}})"
    )
    form = '<form toolname="form" tooldescription="d"></form>'
    url = site.put("/page", page(two_faced, honest, hidden, body=form))
    expected = {
        "honest": Evidence.SEEN,
        "hidden": Evidence.PARTLY,
        "two": Evidence.DIFFERS,
        "form": Evidence.FORM,
    }
    async with visiting(url, cdp) as visit:
        assert {name: visit.facts(name).evidence for name in visit.names()} == expected
        assert "/inputSchema" not in visit.facts("honest").changed
        assert visit.facts("honest").document.false_reports == 0
    async with opened(cdp, f"{url}?unwatched"), visiting(f"{url}?unwatched", cdp) as visit:
        assert visit.facts("honest").evidence is Evidence.UNWATCHED


async def test_each_origin_that_a_tool_is_exposed_to_is_classified(site: Site, cdp: str) -> None:
    exposing = (
        "document.modelContext.registerTool({name: 'a', description: 'd', execute() {}},"
        " {exposedTo: [origin, 'https://partner.example']})"
    )
    async with visiting(site.put("/page", page(exposing)), cdp) as visit:
        exposures = visit.facts("a").exposures
    assert [(each.text, each.reach) for each in exposures] == [
        (site.origin, Reach.OWN),
        ("https://partner.example", Reach.OTHER),
    ]
