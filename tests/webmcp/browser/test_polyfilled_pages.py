"""Pages in a browser without WebMCP: they get a polyfill, and everything else works as with a native API."""

import asyncio
from pathlib import Path

import pytest

from inspector.errors import UnreachableError
from inspector.protocol.outcome import Failure, FailureKind, RpcError
from inspector.protocol.page import Evidence, FramePolicy, PageDocument, ToolKind
from inspector.secrets.outcomes import Revealed
from inspector.webmcp.browser.calls import PolyfillBackend
from tests.webmcp.browser.browsing import browser, opened, visiting
from tests.webmcp.browser.site import Site, answer, page, tool
from tests.webmcp.browser.test_page_secrets import CANARY, giving, redeemed, referred

HTML = page(
    tool("add", "({a}) => a + 1", annotations="{readOnlyHint: true, sensitiveHint: true}"),
    tool("fail", "() => { throw new RangeError('no such floor') }"),
    tool("wait", "() => new Promise(() => {})"),
    tool("more", "() => { " + tool("later") + "; return 1 }"),
    giving("/secret"),
)


async def test_a_page_with_a_polyfill_is_listed_called_and_followed() -> None:
    async with Site() as site:
        site.pages["/secret"] = answer(f'{{"value":"{CANARY}"}}', "application/json")
        async with visiting(site.put("/page", HTML), polyfill=True) as visit:
            assert visit.session.server is not None
            assert visit.session.server.protocol_version == "WebMCP polyfill"
            assert any("polyfill" in note for note in visit.session.server.notes)
            await visit.until(lambda: len(visit.names()) == 5)
            facts = visit.facts("add")
            assert isinstance(facts.kept, dict)
            assert "/annotations/sensitiveHint" in facts.dropped
            assert "/annotations/readOnlyHint" not in facts.dropped
            assert await visit.result("add", a=2) == 3
            failed = (await visit.call("fail")).outcome
            assert isinstance(failed, RpcError)
            assert isinstance(failed.value, dict)
            assert failed.value["message"] == "RangeError: no such floor"
            waited = (await visit.call("wait", timeout_s=0.3)).outcome
            assert isinstance(waited, Failure)
            assert waited.kind is FailureKind.TIMEOUT
            await visit.call("more")
            await visit.until(lambda: "later" in visit.names())
            assert isinstance(await redeemed(visit, await referred(visit)), Revealed)
            assert all(CANARY.encode() not in frame.raw for frame in visit.frames)


async def test_a_browser_without_an_api_gets_the_polyfill_automatically(tmp_path: Path) -> None:
    older = tmp_path / "older"
    older.write_text('#!/bin/bash\nexec chromium "${@/--enable-features=WebMCP/--disable-features=WebMCP}"\n')
    older.chmod(0o755)
    async with Site() as site, visiting(site.put("/page", HTML), chromium=str(older)) as visit:
        await visit.until(lambda: len(visit.names()) == 5)
        assert visit.session.server is not None
        assert visit.session.server.protocol_version == "WebMCP polyfill"
        assert visit.facts("add").declared is not None
        assert await visit.result("add", a=2) == 3


async def test_a_running_browser_without_an_api_stays_unchanged() -> None:
    async with Site() as site, browser(polyfill=True) as cdp:
        url = site.put("/page", page("window.mark = 1"))
        async with opened(cdp, url):
            with pytest.raises(UnreachableError, match="does not offer WebMCP") as raised:
                async with visiting(url, cdp):
                    pass
    assert "--enable-features=WebMCP" in raised.value.hint


FORMS = """<form toolname="book" tooldescription="Book" toolautosubmit action="/booked"><input name="who"></form>
<form toolname="ask" tooldescription="Ask"><input name="q"><button>Go</button></form>
<iframe src="%s/framed" allow="tools"></iframe><iframe src="%s/framed"></iframe>"""


async def test_forms_and_frames_of_other_origins_work_with_the_polyfill() -> None:
    linked = '<script type="application/ld+json">{"booked": [1]}</script><script type="application/ld+json">no</script>'
    async with Site() as site:
        site.put("/booked", page(body=linked))
        site.put("/framed", page(tool("framed", "({a}) => [a, origin]")))
        url = site.put("/page", page(body=FORMS % (site.other, site.other)))
        async with visiting(url, polyfill=True) as visit:
            await visit.until(lambda: len(visit.names()) == 3)
            book, framed = visit.facts("book"), visit.facts("framed")
            assert (book.kind, book.evidence) == (ToolKind.FORM, Evidence.FORM)
            assert isinstance(book.kept, dict)
            assert book.kept["annotations"] == {"autosubmit": True}
            assert visit.tool("book").input_schema == {
                "type": "object",
                "properties": {"who": {"type": "string"}},
                "required": [],
            }
            assert framed.kind is ToolKind.SCRIPT
            assert framed.document.origin == site.other
            assert framed.document.policy == FramePolicy(element="iframe", allow="tools")
            assert await visit.result("framed", a=1) == [1, site.other]
            refused = (await visit.call("book", {"nobody": 1})).outcome
            assert isinstance(refused, RpcError)
            assert isinstance(refused.value, dict)
            assert "no such parameter" in str(refused.value["message"])
            assert await visit.result("book", who="me") == [{"booked": [1]}]
            assert "/booked" in site.paths()
            await visit.until(lambda: visit.names() == [])


async def test_a_page_is_open_once_the_polyfill_has_listed_its_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = PolyfillBackend.watch

    async def slowly(backend: PolyfillBackend, document: PageDocument, session: str) -> None:
        await asyncio.sleep(0.5)
        await watch(backend, document, session)

    monkeypatch.setattr(PolyfillBackend, "watch", slowly)
    async with Site() as site, visiting(site.put("/slow", page(tool("ready"))), polyfill=True) as visit:
        assert visit.names() == ["ready"]
