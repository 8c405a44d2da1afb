from http import HTTPStatus

import pytest

from inspector.demo.http import HttpSite
from inspector.demo.secrets import TRIES_A_SECOND, DemoVault
from inspector.demo.server import DemoOptions, DemoServer
from inspector.json.exact import JsonObject
from tests.demo.clients import Reply, call, enveloped, fetch, member, post, request, stateless_headers


class Clock:
    """A clock that a test sets forward."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.mark.parametrize(
    ("identifier", "bearer", "authorization", "waited_s", "status"),
    [
        ("a", None, None, 0, HTTPStatus.OK),
        ("a", None, "Bearer whatever", 0, HTTPStatus.OK),
        ("a", "demo", "Bearer demo", 0, HTTPStatus.OK),
        ("a", "demo", None, 0, HTTPStatus.UNAUTHORIZED),
        ("a", "demo", "Bearer other", 0, HTTPStatus.UNAUTHORIZED),
        ("a", "demo", "demo", 0, HTTPStatus.UNAUTHORIZED),
        ("nobody", "demo", None, 0, HTTPStatus.UNAUTHORIZED),
        ("nobody", None, None, 0, HTTPStatus.NOT_FOUND),
        ("", None, None, 0, HTTPStatus.NOT_FOUND),
        ("a", None, None, 9.9, HTTPStatus.OK),
        ("a", None, None, 10, HTTPStatus.GONE),
    ],
)
def test_a_redemption_answers_with_the_status_of_the_contract(
    identifier: str,
    bearer: str | None,
    authorization: str | None,
    waited_s: float,
    status: HTTPStatus,
) -> None:
    clock = Clock()
    vault = DemoVault(clock, bearer)
    vault.deposit("a", "value", ttl_s=10)
    clock.now_s += waited_s
    redemption = vault.redeem(identifier, authorization)
    assert redemption.status is status
    assert (redemption.body == {"value": "value"}) is (status is HTTPStatus.OK)


def test_a_secret_is_given_once() -> None:
    vault = DemoVault(Clock())
    vault.deposit("a", "value", ttl_s=10)
    assert [vault.redeem("a", None).status for _ in range(3)] == [HTTPStatus.OK, *[HTTPStatus.GONE] * 2]


def test_more_than_five_attempts_within_a_second_are_refused() -> None:
    clock = Clock()
    vault = DemoVault(clock)
    vault.deposit("a", "value", ttl_s=10)
    for _ in range(TRIES_A_SECOND):
        assert vault.redeem("b", None).status is HTTPStatus.NOT_FOUND
    refused = vault.redeem("a", None)
    assert refused.status is HTTPStatus.TOO_MANY_REQUESTS
    assert refused.headers == (("Retry-After", "1"),)
    clock.now_s += 1
    assert vault.redeem("a", None).status is HTTPStatus.OK


async def link(site: HttpSite, arguments: JsonObject | None = None, **headers: str) -> str:
    """The path of a share link's secret, from a call over HTTP."""
    message = request(1, "tools/call", enveloped(call("create_share_link", arguments)))
    reply = await post(site.origin, message, stateless_headers(message, **headers))
    url = str(member(reply.value, "result", "content", 1, "redeemUrl"))
    assert url.startswith(f"{site.origin}/secrets/")
    return url.removeprefix(site.origin)


async def statuses(site: HttpSite, path: str, count: int) -> list[int]:
    return [(await fetch(site.origin, "GET", path)).status for _ in range(count)]


def never_cached(reply: Reply) -> bool:
    return reply.headers["cache-control"] == "no-store"


async def test_the_url_of_a_share_link_gives_its_secret_once() -> None:
    async with HttpSite() as site:
        path = await link(site)
        first = await fetch(site.origin, "GET", path)
        assert first.status == 200
        assert first.headers["content-type"] == "application/json"
        assert str(first.value["value"]).startswith("DEMO-SECRET-share-")
        second = await fetch(site.origin, "GET", path)
        assert second.status == 410
        unknown = await fetch(site.origin, "GET", "/secrets/unknown")
        assert unknown.status == 404
        assert all(never_cached(reply) for reply in (first, second, unknown))


async def test_a_secret_expires_after_its_ttl() -> None:
    clock = Clock()
    async with HttpSite(DemoServer(DemoOptions(), clock)) as site:
        path = await link(site, {"document": "/handbook.md", "ttl": 2})
        clock.now_s += 2
        reply = await fetch(site.origin, "GET", path)
        assert (reply.status, reply.value) == (410, {"error": "expired"})


async def test_too_frequent_attempts_get_a_retry_after() -> None:
    async with HttpSite(DemoServer(DemoOptions(), Clock())) as site:
        assert await statuses(site, "/secrets/x", 6) == [*[404] * 5, 429]
        reply = await fetch(site.origin, "GET", "/secrets/x")
        assert (reply.headers["retry-after"], never_cached(reply)) == ("1", True)


async def test_a_server_with_authorization_asks_for_it_everywhere() -> None:
    token = "Bearer demo"
    async with HttpSite(DemoServer(DemoOptions(auth=True))) as site:
        message = request(1, "server/discover", enveloped())
        refused = await post(site.origin, message, stateless_headers(message))
        assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
        path = await link(site, Authorization=token)
        assert (await fetch(site.origin, "GET", path)).status == 401
        assert (await fetch(site.origin, "GET", path, {"Authorization": "Bearer x"})).status == 401
        assert (await fetch(site.origin, "GET", path, {"Authorization": token})).status == 200


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", "DELETE", "OPTIONS"])
async def test_only_get_consumes_a_secret(method: str) -> None:
    async with HttpSite() as site:
        path = await link(site)
        reply = await fetch(site.origin, method, path)
        assert (reply.status, reply.headers["allow"]) == (405, "GET")
        assert (await fetch(site.origin, "GET", path)).status == 200


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "attacker.example", 421),
        ("Host", "127.0.0.1.attacker.example", 421),
        ("Origin", "https://attacker.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost:3000", 404),
        ("Host", "localhost:1", 404),
        ("Host", "[::1]:80", 404),
        ("Host", "[", 421),
    ],
)
async def test_only_requests_to_this_machine_are_answered(header: str, value: str, status: int) -> None:
    async with HttpSite() as site:
        assert (await fetch(site.origin, "GET", "/secrets/x", {header: value})).status == status
