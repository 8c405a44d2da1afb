"""Secret references of a page's tools, redeemed in the frame that registered them, in a real Chromium."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from inspector.boundary.reading import raw_of
from inspector.secrets.holdings import holdings_in
from inspector.secrets.outcomes import (
    AlreadyUsed,
    Cause,
    Denied,
    Expired,
    ExpiredBy,
    Failed,
    NotFound,
    Outcome,
    RateLimited,
    Revealed,
)
from inspector.secrets.vault import KeptReference, VaultKey
from inspector.urls.host import RefusedUrl
from tests.webmcp.browser.browsing import Visit, visiting
from tests.webmcp.browser.site import Asked, Site, answer, page, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

CANARY = "cAnary-7f3Qz~pLm"
QUERY = "qUery-Bn5Hs1yT"
NEVER_STORED = "Cache-Control: no-store"
BODY = f'{{"value":"{CANARY}"}}'
SECRET = answer(BODY, "application/json", NEVER_STORED)
COOKIE = "Set-Cookie: session=1; HttpOnly; SameSite=Strict; Path=/"


def giving(url: str, ttl: str = "undefined") -> str:
    reference = f"{{type: 'secret_reference', id: '1', label: 'Key', redeemUrl: '{url}', ttl: {ttl}}}"
    return tool("give", f"() => ({{content: [{reference}]}})")


async def referred(visit: Visit, name: str = "give") -> VaultKey:
    """Call a tool that gives a reference; the key of the reference in the vault."""
    record = await visit.call(name)
    await visit.session.locate_secrets()
    vault = visit.session.custody.vault
    raw = raw_of(record.outcome)
    vault.keep(record.number, record.name, record.received_s, raw, holdings_in(raw, ()))
    return VaultKey(record.number, 0)


async def redeemed(visit: Visit, key: VaultKey) -> Outcome:
    await visit.session.custody.reveal(key)
    kept = visit.session.custody.vault.of(key)
    assert isinstance(kept, KeptReference)
    assert kept.outcome is not None
    return kept.outcome


@asynccontextmanager
async def at(site: Site, cdp: str, *scripts: str) -> AsyncGenerator[Visit]:
    async with visiting(site.put("/page", page(*scripts), COOKIE), cdp) as visit:
        yield visit


async def test_the_browser_sends_its_cookies_and_only_the_vault_gets_the_value(site: Site, cdp: str) -> None:
    async def guarded(asked: Asked, writer: asyncio.StreamWriter) -> None:
        ok = "session=1" in asked.headers.get("cookie", "")
        writer.write(SECRET if ok else answer("", "text/plain", status="401 Unauthorized"))

    site.pages["/secret"] = guarded
    async with at(site, cdp, giving(f"/secret?token={QUERY}")) as visit:
        key = await referred(visit)
        preview = visit.session.custody.preview(_reference(visit, key))
        assert str(getattr(preview, "shown", "")) == f"GET {site.origin}/secret"
        before = len(visit.frames)
        assert await redeemed(visit, key) == Revealed(value="")
        assert visit.session.custody.vault.value(key) == CANARY
        await visit.session.list_all()
        for traces in (CANARY.encode(), base64.b64encode(BODY.encode())):
            assert all(traces not in frame.raw for frame in visit.frames)
        assert all(b"btoa" not in frame.raw for frame in visit.frames)
        assert all(QUERY.encode() not in frame.raw for frame in visit.frames[before:])
    asked = next(asked for asked in site.asked if asked.path == "/secret")
    assert asked.method == "GET"
    assert asked.headers["accept"] == "application/json"
    assert "referer" not in asked.headers


def _reference(visit: Visit, key: VaultKey) -> KeptReference:
    kept = visit.session.custody.vault.of(key)
    assert isinstance(kept, KeptReference)
    return kept


async def test_a_page_with_its_own_fetch_does_not_see_the_secret(site: Site, cdp: str) -> None:
    site.pages["/secret"] = SECRET
    spying = """
      window.seen = [];
      for (const [holder, key] of [[window, "fetch"], [window, "btoa"], [window, "AbortController"],
        [JSON, "stringify"], [String, "fromCharCode"], [ReadableStream.prototype, "getReader"],
        [Headers.prototype, "get"], [Promise.prototype, "then"], [Object.prototype, "then"]]) {
        const original = holder[key];
        holder[key] = function (...given) { if (key !== "then") seen.push(key); return original?.apply(this, given); };
        if (holder === Object.prototype) delete holder[key];
      }
    """
    watched = tool("watched", "() => [...seen]")
    async with at(site, cdp, spying, giving("/secret"), watched) as visit:
        key = await referred(visit)
        before = await visit.result("watched")
        assert isinstance(await redeemed(visit, key), Revealed)
        assert await visit.result("watched") == before


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("401 Unauthorized", Denied(status=401)),
        ("403 Forbidden", Denied(status=403)),
        ("404 Not Found", NotFound()),
        ("410 Gone", Expired(by=ExpiredBy.SERVER)),
        ("429 Too Many Requests", RateLimited(retry_after_s=7)),
        ("500 Internal Server Error", Failed(cause=Cause.STATUS, status=500)),
    ],
)
async def test_a_status_has_the_same_meaning_as_over_http(
    site: Site, cdp: str, status: str, expected: Outcome
) -> None:
    site.pages["/secret"] = answer(CANARY, "text/plain", "Retry-After: 7", status=status)
    async with at(site, cdp, giving("/secret")) as visit:
        assert await redeemed(visit, await referred(visit)) == expected


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        (answer(f'{{"value":"{CANARY}"}}', "text/html"), Cause.CONTENT_TYPE),
        (answer('{"value": 1}', "application/json"), Cause.MALFORMED),
        (answer('{"value": "a", "value": "b"}', "application/json"), Cause.MALFORMED),
        (answer('{"value": "' + "x" * (1 << 20) + '"}', "application/json"), Cause.TOO_LARGE),
        (
            b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"value":"' + b"x" * (1 << 20) + b'"}',
            Cause.TOO_LARGE,
        ),
        (answer("", "text/plain", "Location: /elsewhere", status="302 Found"), Cause.REDIRECT),
        (b"nothing of HTTP", Cause.CONNECTION),
    ],
)
async def test_an_invalid_answer_is_a_failure(site: Site, cdp: str, given: bytes, cause: Cause) -> None:
    site.pages["/secret"] = given
    async with at(site, cdp, giving("/secret")) as visit:
        outcome = await redeemed(visit, await referred(visit))
    assert isinstance(outcome, Failed)
    assert outcome.cause is cause
    assert "/elsewhere" not in site.paths()


async def test_a_reference_to_another_origin_is_refused_before_any_request(site: Site, cdp: str) -> None:
    site.pages["/secret"] = SECRET
    async with at(site, cdp, giving(f"{site.other}/secret")) as visit:
        outcome = await redeemed(visit, await referred(visit))
    assert isinstance(outcome, RefusedUrl)
    assert "other origin" in outcome.reason
    assert "/secret" not in site.paths()


async def test_only_the_frame_that_registered_the_tool_redeems(site: Site, cdp: str) -> None:
    site.pages["/secret"] = SECRET
    site.put("/child", page(giving("/secret")), COOKIE)
    body = f'<iframe src="{site.other}/child" allow="tools"></iframe>'
    async with visiting(site.put("/page", page(body=body)), cdp) as visit:
        await visit.until(lambda: "give" in visit.names())
        key = await referred(visit)
        assert isinstance(await redeemed(visit, key), Revealed)
    asked = next(asked for asked in site.asked if asked.path == "/secret")
    assert asked.headers["host"] == site.other.partition("://")[2]


async def test_a_reference_of_a_frame_that_is_gone_is_refused(site: Site, cdp: str) -> None:
    site.pages["/secret"] = SECRET
    site.put("/next", page(tool("next")), COOKIE)
    go = tool("go", "() => { location.href = '/next'; return 1 }")
    async with at(site, cdp, giving("/secret"), go) as visit:
        key = await referred(visit)
        await visit.call("go")
        await visit.until(lambda: visit.names() == ["next"])
        assert isinstance(await redeemed(visit, key), RefusedUrl)
    assert "/secret" not in site.paths()


async def test_an_expired_reference_is_not_redeemed(site: Site, cdp: str) -> None:
    site.pages["/secret"] = SECRET
    async with at(site, cdp, giving("/secret", ttl="0")) as visit:
        assert await redeemed(visit, await referred(visit)) == Expired(by=ExpiredBy.TTL)
    assert "/secret" not in site.paths()


async def test_a_secret_already_revealed_in_this_session_is_already_used(site: Site, cdp: str) -> None:
    site.pages["/secret"] = SECRET
    async with at(site, cdp, giving("/secret")) as visit:
        key = await referred(visit)
        assert isinstance(await redeemed(visit, key), Revealed)
        site.pages["/secret"] = answer("", "text/plain", status="410 Gone")
        assert await redeemed(visit, key) == AlreadyUsed()
