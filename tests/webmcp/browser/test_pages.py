"""The listing of a page, in a real Chromium."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.claims.contradictions import ContradictionKind, contradictions
from inspector.claims.registry import DROPPED, claims_of_tool
from inspector.errors import UnreachableError, UsageError
from inspector.protocol.outcome import Result
from inspector.protocol.page import ToolKind
from tests.webmcp.browser.browsing import visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

SENSITIVE = tool(
    "reveal",
    title='"Reveal"',
    inputSchema='{type: "object", properties: {id: {type: "string"}}}',
    outputSchema='{type: "object", properties: {token: {type: "string", "x-sensitive": true}}}',
    annotations="{readOnlyHint: true, sensitiveHint: true, vendorHint: 1}",
    extra="[1, {a: null}]",
)


async def test_a_tool_is_listed_with_declared_and_dropped_members(site: Site, cdp: str) -> None:
    url = site.put("/page", page(SENSITIVE))
    async with visiting(url, cdp) as visit:
        facts, listed = visit.facts("reveal"), visit.tool("reveal")
    assert isinstance(facts.declared, dict)
    assert facts.declared["annotations"] == {"readOnlyHint": True, "sensitiveHint": True, "vendorHint": 1}
    assert facts.declared["execute"] == "[function]"
    assert isinstance(facts.kept, dict)
    assert facts.kept["annotations"] == {
        "readOnly": True,
        "untrustedContent": False,
        "consequential": False,
        "debugging": False,
    }
    assert set(facts.dropped) >= {"/annotations/sensitiveHint", "/annotations/vendorHint", "/extra"}
    assert "/annotations/readOnlyHint" not in facts.dropped
    assert listed.title == "Reveal"
    assert listed.annotations["sensitiveHint"] is True
    assert isinstance(facts.agent, dict)
    assert (facts.agent["title"], facts.agent["origin"]) == ("Reveal", site.origin)


async def test_a_dropped_member_is_a_claim_with_a_note_and_a_finding(site: Site, cdp: str) -> None:
    async with visiting(site.put("/page", page(SENSITIVE)), cdp) as visit:
        listed = visit.tool("reveal")
    claims = claims_of_tool(listed)
    noted = {claim.pointer for claim in claims if claim.note == DROPPED}
    assert noted >= {
        "/annotations/sensitiveHint",
        "/annotations/vendorHint",
        "/outputSchema/properties/token/x-sensitive",
    }
    assert all(not claim.note for claim in claims if claim.pointer == "/annotations/readOnlyHint")
    kinds = [found.kind for found in contradictions(claims, tool=listed)]
    assert ContradictionKind.NOT_KEPT in kinds


async def test_the_place_of_registration_is_a_line_of_the_page(site: Site, cdp: str) -> None:
    html = page("\n\n" + tool("first"), "\n" + tool("second"))
    async with visiting(site.put("/page", html), cdp) as visit:
        first, second = visit.facts("first").place, visit.facts("second").place
    assert first is not None
    assert second is not None
    assert (first.url, first.line) == (f"{site.origin}/page", 3)
    assert second.line == 4


async def test_a_form_is_a_tool_without_a_declaration_of_its_own(site: Site, cdp: str) -> None:
    form = '<form toolname="book" tooldescription="Book"><input name="who" toolparamdescription="Who"></form>'
    async with visiting(site.put("/page", page(body=form)), cdp) as visit:
        facts, listed = visit.facts("book"), visit.tool("book")
    assert facts.kind is ToolKind.FORM
    assert facts.declared is None
    assert facts.place is None
    assert isinstance(listed.input_schema, dict)
    assert listed.input_schema["properties"] == {"who": {"type": "string", "description": "Who"}}


async def test_frames_of_other_origins_are_separate_documents(site: Site, cdp: str) -> None:
    site.put("/child", page(tool("shared"), tool("kid")))
    frames = f'<iframe src="{site.other}/child" allow="tools"></iframe><iframe src="/child"></iframe>'
    async with visiting(site.put("/page", page(tool("shared"), body=frames)), cdp) as visit:
        await visit.until(lambda: len(visit.names()) == 5)
        facts = [visit.facts(name) for name in visit.names()]
        host, other = site.origin.partition("://")[2], site.other.partition("://")[2]
        assert visit.names() == [
            f"shared@{host}@page",
            f"shared@{other}",
            f"kid@{other}",
            f"shared@{host}@frame2",
            f"kid@{host}",
        ]
        with pytest.raises(UsageError, match="several documents of the page offer shared"):
            await visit.session.call("shared", {})
        assert {fact.document.origin for fact in facts} == {site.origin, site.other}
        assert len({fact.document.frame_id for fact in facts}) == 3
        assert await visit.result(f"shared@{other}") == 1


async def test_exposed_to_and_permission_are_in_the_facts_of_a_tool(site: Site, cdp: str) -> None:
    script = (
        f'document.modelContext.registerTool({{name: "a", description: "b", execute() {{}}}},'
        f' {{exposedTo: ["{site.other}"]}})'
    )
    async with visiting(site.put("/page", page(script)), cdp) as visit:
        facts = visit.facts("a")
    assert facts.exposed_to == (site.other,)
    assert facts.document.is_permitted is True


async def test_the_list_follows_changes_of_the_page(site: Site, cdp: str) -> None:
    html = page(
        "const stop = new AbortController()",
        "document.modelContext.registerTool({name: 'a', description: 'b', execute() {}}, {signal: stop.signal})",
        tool("more", "() => { " + tool("later") + "; return 1 }"),
        tool("less", "() => { stop.abort(); return 1 }"),
        tool("go", "() => { location.href = '/next'; return 1 }"),
    )
    site.put("/next", page(tool("next")))
    async with visiting(site.put("/page", html), cdp) as visit:
        await visit.call("more")
        await visit.until(lambda: "later" in visit.names())
        await visit.call("less")
        await visit.until(lambda: "a" not in visit.names())
        await visit.call("go")
        await visit.until(lambda: visit.names() == ["next"])
        assert visit.facts("next").document.url == f"{site.origin}/next"


async def test_removing_a_frame_removes_its_tools(site: Site, cdp: str) -> None:
    site.put("/child", page(tool("kid")))
    html = page(
        tool("drop", "() => { document.querySelector('iframe').remove(); return 1 }"),
        body=f'<iframe src="{site.other}/child" allow="tools"></iframe>',
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        await visit.until(lambda: "kid" in visit.names())
        await visit.call("drop")
        await visit.until(lambda: visit.names() == ["drop"])


async def test_a_reload_lists_the_new_declarations(site: Site, cdp: str) -> None:
    html = page(tool("again", "() => { location.reload(); return 1 }", annotations="{sensitiveHint: true}"))
    async with visiting(site.put("/page", html), cdp) as visit:
        before = visit.facts("again").document.loader_id
        await visit.call("again")
        await visit.until(
            lambda: visit.names() == ["again"] and visit.facts("again").document.loader_id != before
        )
        assert "/annotations/sensitiveHint" in visit.facts("again").dropped


async def test_a_page_that_cannot_be_opened_is_an_error_with_the_reason(cdp: str) -> None:
    async with Site() as gone:
        url = gone.put("/page", page())
    with pytest.raises(UnreachableError, match="ERR_CONNECTION_REFUSED"):
        async with visiting(url, cdp):
            pass


async def test_a_page_without_a_secure_context_is_an_error_with_a_hint(site: Site, cdp: str) -> None:
    site.put("/page", page(tool("a")).replace("document.modelContext", "document.modelContext?"))
    with pytest.raises(UnreachableError, match="not a secure context") as raised:
        async with visiting(f"data:text/html,{site.origin}", cdp):
            pass
    assert "https" in raised.value.hint


async def test_accessors_are_not_called_and_count_as_sensitive(site: Site, cdp: str) -> None:
    html = page(
        "window.asked = 0",
        "const given = {name: 'a', description: 'b', execute() { return window.asked }}",
        "Object.defineProperty(given, 'outputSchema', {enumerable: true, get() { window.asked++; return {} }})",
        "document.modelContext.registerTool(given)",
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        facts, listed = visit.facts("a"), visit.tool("a")
        record = await visit.call("a")
    bounded = bound(record.outcome, listed, Level.DECLARED)
    assert [removal.pointer for removal in bounded.removals] == [""]
    assert isinstance(facts.declared, dict)
    assert facts.declared["outputSchema"] == "[not read: accessor]"
    assert record.outcome in {Result(value=0), Result(value=1)}, "the browser itself may read it once"
    assert listed.output_schema == {"allOf": ["[not read: accessor]", {"$ref": "sightline:unread"}]}


async def test_a_page_can_be_opened_again_although_its_tab_takes_time_to_close(site: Site, cdp: str) -> None:
    slow = "addEventListener('pagehide', () => { const end = Date.now() + 700; while (Date.now() < end); })"
    url = site.put("/page", page(slow, tool("a")))
    for _ in range(3):
        async with visiting(url, cdp) as visit:
            assert visit.names() == ["a"]
            assert await visit.result("a") == 1


async def test_a_page_opened_again_has_the_same_definitions(site: Site, cdp: str) -> None:
    html = page(
        SENSITIVE,
        "document.modelContext.registerTool({name: 'a', description: 'd', frameId: 'mine', execute() {}})",
    )
    url = site.put("/page", html)
    definitions: list[object] = []
    for _ in range(2):
        async with visiting(url, cdp) as visit:
            definitions.append([visit.tool(name).definition for name in visit.names()])
    assert definitions[0] == definitions[1]
