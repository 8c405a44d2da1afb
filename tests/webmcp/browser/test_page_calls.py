"""Calls of a page's tools, in a real Chromium."""

import asyncio
from typing import cast

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import ErrorCode, Level
from inspector.boundary.error_code import error_code
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import CANCELLED_HERE, Failure, FailureKind, Result, RpcError
from inspector.session.wording import page_answer
from tests.webmcp.browser.browsing import opened, visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

VALUES: dict[str, Json] = {
    "'text'": "text",
    "1.5": 1.5,
    "true": True,
    "null": None,
    "[1, [], {}]": [1, [], {}],
    "({content: [{type: 'text', text: 'hi'}]})": {"content": [{"type": "text", "text": "hi"}]},
    "({a: {b: 1}})": {"a": {"b": 1}},
}


async def test_a_result_may_be_any_json_value(site: Site, cdp: str) -> None:
    tools = [tool(f"t{index}", f"() => {value}") for index, value in enumerate(VALUES)]
    async with visiting(site.put("/page", page(*tools)), cdp) as visit:
        for index, (written, value) in enumerate(VALUES.items()):
            assert await visit.result(f"t{index}") == value, written


async def test_arguments_reach_the_page_unchanged(site: Site, cdp: str) -> None:
    given: dict[str, Json] = {"text": 'a "b" ☃', "list": [1, None, {"x": False}], "large": 2**53}
    async with visiting(site.put("/page", page(tool("echo", "(input) => input"))), cdp) as visit:
        assert await visit.result("echo", **given) == given


async def test_a_thrown_error_has_a_stack_for_the_user_and_a_code_for_the_model(site: Site, cdp: str) -> None:
    html = page(tool("fail", "function execute() { throw new RangeError('no such floor') }"))
    async with visiting(site.put("/page", html), cdp) as visit:
        record = await visit.call("fail")
        assert visit.ended("fail") == ("failed", "RangeError: no such floor")
        row = visit.entry("fail")
    assert row.duration_s == pytest.approx(record.duration_s, abs=0.002)
    assert isinstance(record.outcome, RpcError)
    assert isinstance(record.outcome.value, dict)
    assert record.outcome.of_page
    assert [*record.outcome.value] == ["message", "data"]
    assert record.outcome.value["message"] == "RangeError: no such floor"
    data = record.outcome.value["data"]
    assert isinstance(data, dict)
    assert f"{site.origin}/page:1" in str(data)
    # What only the debugger has, such as an id of the object, reaches no model.
    assert [*data] == ["exception"]
    assert [*cast("JsonObject", data["exception"])] == ["className", "description"]
    assert error_code(record.outcome, is_listed=True) is ErrorCode.TOOL_ERROR
    closed = bound(record.outcome, record.tool, Level.CLOSED)
    assert "floor" not in str(closed.error)
    assert "floor" not in str(closed.result)


@pytest.mark.parametrize(
    "execute",
    [
        "() => { const ring = {}; ring.ring = ring; return ring }",
        "() => ({toJSON() { throw new Error('never') }})",
        "() => { throw {plain: 1} }",
        "() => Promise.reject(undefined)",
    ],
)
async def test_a_value_that_cannot_be_a_result_is_an_error(site: Site, cdp: str, execute: str) -> None:
    async with visiting(site.put("/page", page(tool("odd", execute))), cdp) as visit:
        assert isinstance((await visit.call("odd")).outcome, RpcError)


async def test_a_call_of_an_unknown_tool_is_an_error_with_its_code(site: Site, cdp: str) -> None:
    async with visiting(site.put("/page", page(tool("a"))), cdp) as visit:
        record = await visit.call("nothing")
    assert error_code(record.outcome, is_listed=False) is ErrorCode.UNKNOWN_TOOL


async def test_a_call_of_a_tool_that_never_answers_times_out_and_is_cancelled(site: Site, cdp: str) -> None:
    html = page(tool("wait", "() => new Promise(() => {})"), tool("after"))
    async with visiting(site.put("/page", html), cdp) as visit:
        record = await visit.call("wait", timeout_s=0.3)
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.TIMEOUT
        assert len(visit.sent("WebMCP.cancelInvocation")) == 1
        assert visit.ended("wait") == ("failed", record.outcome.detail)
        assert await visit.result("after") == 1
        assert visit.ended("after") == ("done", "")


async def test_cancelling_a_call_cancels_the_invocation(site: Site, cdp: str) -> None:
    html = page(tool("wait", "() => new Promise(() => {})"))
    async with visiting(site.put("/page", html), cdp) as visit:
        calling = asyncio.ensure_future(visit.call("wait"))
        await visit.until(lambda: bool(visit.sent("WebMCP.invokeTool")), listing=False)
        await visit.until(lambda: any(b"toolInvoked" in frame.raw for frame in visit.frames), listing=False)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert len(visit.sent("WebMCP.cancelInvocation")) == 1
        assert visit.ended("wait") == ("failed", CANCELLED_HERE)


async def test_concurrent_calls_each_get_their_own_answer(site: Site, cdp: str) -> None:
    execute = "async ({n}) => { await new Promise((go) => setTimeout(go, n)); return n }"
    async with visiting(site.put("/page", page(tool("later", execute))), cdp) as visit:
        records = await asyncio.gather(*(visit.call("later", {"n": n}) for n in (80, 1, 40)))
    assert [record.outcome for record in records] == [Result(value=80), Result(value=1), Result(value=40)]


async def test_a_form_that_navigates_gives_an_answer(site: Site, cdp: str) -> None:
    site.put("/booked", page(tool("booked")))
    form = '<form toolname="book" tooldescription="Book" toolautosubmit action="/booked"><input name="who"></form>'
    data = '<script type="application/ld+json">{"a": 1}</script>'
    site.put("/found", page(tool("found"), body=data))
    leaves = tool("leave", "() => { location.href = '/found'; return new Promise(() => {}) }")
    html = page(leaves, tool("empty", "() => []"), body=form)
    async with visiting(site.put("/page", html), cdp) as visit:
        own = await visit.call("empty")
        assert page_answer(own.outcome) == "the tool itself returned []: the call did not leave the page"
        record = await visit.call("book", {"who": "me"})
        assert record.outcome == Result(value=[])
        assert page_answer(record.outcome).endswith("the new page has no JSON-LD, so it answered []")
        await visit.until(lambda: visit.names() == ["booked"])
    assert site.paths()[-1] == "/booked"
    async with visiting(site.put("/page", html), cdp) as visit:
        record = await visit.call("leave")
        assert record.outcome == Result(value=[{"a": 1}])
        assert page_answer(record.outcome).endswith("the new page has this JSON-LD")


async def test_no_value_and_the_text_undefined_have_one_answer_and_the_screen_says_so(
    site: Site, cdp: str
) -> None:
    html = page(tool("nothing", "async () => {}"), tool("word", "async () => 'undefined'"))
    async with visiting(site.put("/page", html), cdp) as visit:
        answers = [(await visit.call(name)).outcome for name in ("nothing", "word")]
    assert answers == [Result(value="undefined"), Result(value="undefined")]
    assert {page_answer(answer) for answer in answers} == {
        'the page returned no value or the text "undefined": Chromium answers both with this text'
    }


async def test_leaving_the_page_during_a_call_ends_the_call(site: Site, cdp: str) -> None:
    site.put("/next", page(tool("next")))
    html = page(tool("leave", "() => { location.href = '/next'; return new Promise(() => {}) }"))
    async with visiting(site.put("/page", html), cdp) as visit:
        record = await visit.call("leave")
        assert record.duration_s < 10
        await visit.until(lambda: visit.names() == ["next"])


async def test_removing_the_frame_during_a_call_ends_the_call(site: Site, cdp: str) -> None:
    child = tool("wait", "() => { parent.postMessage('drop', '*'); return new Promise(() => {}) }")
    site.put("/child", page(child))
    html = page(
        "addEventListener('message', () => document.querySelector('iframe').remove())",
        body=f'<iframe src="{site.other}/child" allow="tools"></iframe>',
    )
    async with visiting(site.put("/page", html), cdp) as visit:
        await visit.until(lambda: "wait" in visit.names())
        record = await visit.call("wait")
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.CONNECTION_LOST
        assert visit.ended("wait") == ("failed", record.outcome.detail)
        stale = await visit.session.call("wait", {})
        assert not isinstance(stale.outcome, Result)


async def test_a_dialog_in_a_headless_browser_is_dismissed(site: Site) -> None:
    html = page(tool("ask", "() => ({agreed: confirm('Sure?')})"))
    async with visiting(site.put("/page", html)) as visit:
        assert await visit.result("ask") == {"agreed": False}
    assert any(b"dismissed" in frame.raw for frame in visit.frames)


async def test_a_page_in_the_browser_of_the_user_is_not_closed_or_reloaded(site: Site, cdp: str) -> None:
    url = site.put("/page", page("window.mark = Math.random()", tool("mark", "() => ({mark})")))
    async with visiting(url, cdp) as first:
        mark = await first.result("mark")
        async with visiting(url, cdp) as second:
            assert await second.result("mark") == mark, (
                "the tab that shows the address is taken, not reloaded"
            )
            assert second.facts("mark").declared is None
            assert second.facts("mark").document.is_observed is False
        assert await first.result("mark") == mark
        assert first.session.state.value == "ready"
    assert site.paths().count("/page") == 1


async def test_frames_of_a_page_that_was_already_open_are_listed(site: Site, cdp: str) -> None:
    site.put("/child", page(tool("kid")))
    frame = f'<iframe src="{site.other}/child" allow="tools"></iframe>'
    url = site.put("/page", page(tool("mine"), body=frame))
    async with opened(cdp, url), visiting(url, cdp) as visit:
        assert sorted(visit.names()) == ["kid", "mine"]
        assert await visit.result("kid") == 1
        assert visit.facts("kid").document.is_observed is False
