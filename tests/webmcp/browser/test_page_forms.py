"""Forms that a call only fills in, because their page leaves the submit button to the user, in a real Chromium."""

import asyncio

import pytest

from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.protocol.page import Forms
from inspector.review.registry import findings_of
from inspector.review.reviewed import ReviewedCall, reviewed
from inspector.session.call_record import FILLED, Progress
from inspector.session.options import Options
from tests.cli.sightline import spawned
from tests.webmcp.browser.browsing import visiting
from tests.webmcp.browser.site import Site, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIELDS = '<input name="who" required><input name="elements"><input name="requestSubmit"><button name="how" value="booked">Book</button>'
FORM = f'<form toolname="book" tooldescription="Book" action="/booked">{FIELDS}</form>'
ANSWERING = (
    "document.forms[0].addEventListener('submit', (event) => { event.preventDefault();"
    "event.respondWith(Promise.resolve({who: event.target.who.value, how: event.submitter.value})) })"
)


async def test_a_form_that_waits_for_its_submit_button_ends_the_call_at_once(site: Site, cdp: str) -> None:
    url = site.put("/form", page(ANSWERING, body=FORM))
    async with visiting(url, cdp, options=Options(forms=Forms.LEAVE)) as visit:
        record = await visit.call("book", {"who": "me"})
        assert isinstance(record.outcome, Failure)
        assert (record.outcome.kind, record.duration_s < 5) == (FailureKind.UNSUBMITTED, True)
        assert len(visit.sent("WebMCP.cancelInvocation")) == 1
        found = reviewed(visit.session.catalogue)
    offer = next(each for each in found.tools if each.name == "book")
    called = reviewed(visit.session.catalogue, calls=(ReviewedCall(offer=offer, outcome=record.outcome),))
    assert "SL-OUT013" not in [finding.id for finding in findings_of(called)]


@pytest.mark.parametrize("polyfill", [False, True])
async def test_a_form_is_submitted_as_by_its_own_button_if_requested(
    site: Site, cdp: str, *, polyfill: bool
) -> None:
    url = site.put("/answering", page(ANSWERING, body=FORM))
    options = Options(forms=Forms.SUBMIT)
    async with visiting(url, None if polyfill else cdp, options=options, polyfill=polyfill) as visit:
        assert await visit.result("book", who="me") == {"who": "me", "how": "booked"}
        invalid = await visit.call("book", {"who": ""})
    assert isinstance(invalid.outcome, Failure)
    assert "required fields are empty or invalid" in invalid.outcome.detail


async def test_a_form_that_leads_to_another_page_answers_when_it_is_submitted(site: Site, cdp: str) -> None:
    site.put("/booked", page(tool("booked")))
    url = site.put("/leading", page(body=FORM))
    async with visiting(url, cdp, options=Options(forms=Forms.SUBMIT)) as visit:
        assert (await visit.call("book", {"who": "me"})).outcome == Result(value=[])
        await visit.until(lambda: visit.names() == ["booked"])


async def test_a_call_can_wait_for_the_user_to_submit_the_form(site: Site, cdp: str) -> None:
    url = site.put("/waiting", page(ANSWERING, body=FORM))
    said: asyncio.Queue[Progress] = asyncio.Queue()
    async with visiting(url, cdp) as visit:
        assert await visit.session.submit() is False
        calling = asyncio.ensure_future(
            visit.session.call("book", {"who": "me"}, on_progress=said.put_nowait, timeout_s=20)
        )
        assert await asyncio.wait_for(said.get(), 30) is FILLED
        assert visit.ended("book") == ("pending", "")
        assert await visit.session.submit() is True
        assert (await calling).outcome == Result(value={"who": "me", "how": "booked"})
        assert visit.ended("book") == ("done", "")
        assert await visit.session.submit() is False


async def test_a_command_reports_that_a_form_waits_for_its_submit_button(site: Site) -> None:
    url = site.put("/form", page(ANSWERING, body=FORM))
    words = ("call", "book", "--arg", "who=me", "--timeout", "30", "--wait", "0", f"web+{url}", "-q")
    left, submitted = await asyncio.gather(
        asyncio.to_thread(spawned, *words), asyncio.to_thread(spawned, *words, "--submit")
    )
    assert (left.code, submitted.code) == (5, 0), (left, submitted)
    assert "waits for its submit button" in left.err
    assert "--submit" in left.err
