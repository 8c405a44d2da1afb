"""Pages that misbehave: each harms at most itself."""

import asyncio
import contextlib

import pytest

from inspector.connect.tap import Tap
from inspector.errors import UnreachableError
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.safe_text import safe_line
from inspector.session.events import SessionState
from inspector.webmcp.browser.cdp import Cdp, CdpError, CdpEvent
from tests.webmcp.browser.browsing import visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_ten_thousand_tools_are_all_listed(site: Site, cdp: str) -> None:
    many = (
        "for (let n = 0; n < 10000; n++) document.modelContext.registerTool("
        "{name: `tool_${n}`, description: 'd', execute: () => n})"
    )
    async with visiting(site.put("/page", page(many)), cdp) as visit:
        assert len(visit.names()) == 10_000
        assert visit.facts("tool_9999").declared is not None
        assert await visit.result("tool_9999") == 9999


async def test_a_result_of_fifty_megabytes_is_received_completely(site: Site, cdp: str) -> None:
    html = page(tool("large", "() => Array.from({length: 50}, (_, n) => String(n % 10).repeat(1 << 20))"))
    async with visiting(site.put("/page", html), cdp) as visit:
        value = await visit.result("large")
    assert value == [str(n % 10) * (1 << 20) for n in range(50)]


async def test_a_message_beyond_the_limit_ends_the_connection_with_a_reason(
    site: Site, cdp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.webmcp.browser.socket.MAX_MESSAGE_BYTES", 1 << 20)
    html = page(tool("huge", "() => 'x'.repeat(2 << 20)"))
    async with visiting(site.put("/page", html), cdp) as visit:
        record = await visit.call("huge")
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.CONNECTION_LOST
        assert "more than 1 MiB" in record.outcome.detail
        assert visit.session.state is SessionState.FAILED


async def test_endless_changes_of_tools_leave_the_others_usable(site: Site, cdp: str) -> None:
    html = page(
        tool("steady"),
        "setInterval(() => { const stop = new AbortController(); document.modelContext.registerTool("
        "{name: 'fleeting', description: 'd', execute() {}}, {signal: stop.signal}); stop.abort() }, 0)",
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        seen: set[bool] = set()
        for _ in range(20):
            assert await visit.result("steady") == 1
            await visit.session.list_all()
            seen.add("steady" in visit.names())
    assert seen == {True}


async def test_a_page_that_closes_during_a_call_is_reported(site: Site, cdp: str) -> None:
    html = page(tool("wait", "() => new Promise(() => {})"))
    async with visiting(site.put("/page", html), cdp) as visit:
        calling = asyncio.ensure_future(visit.call("wait"))
        await visit.until(lambda: any(b"toolInvoked" in frame.raw for frame in visit.frames), listing=False)
        target = visit.facts("wait").document.frame_id
        await asked(cdp, "Target.closeTarget", {"targetId": target})
        record = await calling
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.CONNECTION_LOST
        assert visit.session.state is SessionState.FAILED
        with pytest.raises(UnreachableError):
            await visit.session.list_all()


async def test_a_page_whose_process_crashes_during_a_call_is_reported(site: Site, cdp: str) -> None:
    html = page(tool("wait", "() => new Promise(() => {})"))
    async with visiting(site.put("/page", html), cdp) as visit:
        calling = asyncio.ensure_future(visit.call("wait"))
        await visit.until(lambda: any(b"toolInvoked" in frame.raw for frame in visit.frames), listing=False)
        target = visit.facts("wait").document.frame_id
        await asked(cdp, "Page.crash", {}, target)
        record = await calling
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.CONNECTION_LOST
        assert "crashed" in record.outcome.detail


async def unheard(event: CdpEvent) -> None:
    _ = event


async def asked(cdp: str, method: str, params: JsonObject, target: str = "") -> None:
    """Send the browser a request that does not go through the session."""
    client = Cdp(Tap(lambda _: None), unheard, lambda _: None)
    await client.open(cdp, 10)
    session = ""
    if target:
        attached = await client.send("Target.attachToTarget", {"targetId": target, "flatten": True})
        session = str(attached["sessionId"])
    with contextlib.suppress(CdpError, TimeoutError):
        await client.send(method, params, session=session, timeout_s=5)
    await client.close()


async def test_a_second_registration_of_a_name_does_not_replace_the_first(site: Site, cdp: str) -> None:
    first = tool("a", "() => ({})", annotations="{sensitiveHint: true}")
    second = tool("a", "() => ({})", annotations="{sensitiveHint: false}")
    html = page(f"{first}; {second}.catch(() => {{}})", tool("b"))
    async with visiting(site.put("/page", html), cdp) as visit:
        declared = visit.facts("a").declared
    assert isinstance(declared, dict)
    assert declared["annotations"] == {"sensitiveHint": True}


async def test_names_from_a_page_are_shown_as_plain_text(site: Site, cdp: str) -> None:
    form = '<form toolname="&#27;[31mred&#8238;" tooldescription=""><input name="x"></form>'
    async with visiting(site.put("/page", page(body=form)), cdp) as visit:
        shown: list[Json] = [safe_line(name) for name in visit.names()]
        for name in visit.names():
            assert visit.facts(name).faults
    assert all("\x1b" not in str(name) for name in shown)


async def test_the_answer_of_a_call_made_by_the_page_is_not_taken_for_another(site: Site, cdp: str) -> None:
    html = page(
        tool("mine", "async () => { await new Promise((go) => setTimeout(go, 50)); return 'mine' }"),
        tool("theirs", "() => 'theirs'"),
        "setInterval(async () => { const [, it] = await document.modelContext.getTools();"
        " document.modelContext.executeTool(it, '{}').catch(() => {}) }, 1)",
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        for _ in range(5):
            record = await visit.call("mine")
            assert record.outcome == Result(value="mine")
