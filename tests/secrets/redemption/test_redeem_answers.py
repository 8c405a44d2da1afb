import asyncio
import gzip
import time
import tracemalloc
from http import HTTPStatus

import pytest

from inspector.demo.http import HttpSite
from inspector.demo.server import DemoOptions, DemoServer
from inspector.secrets.http import EXPIRED, UNSENDABLE, HttpRedeemer, HttpServer
from inspector.secrets.outcomes import (
    BUSY,
    MAX_BODY_BYTES,
    AlreadyUsed,
    Cause,
    Denied,
    Expired,
    ExpiredBy,
    Failed,
    NotFound,
    Outcome,
    RateLimited,
    RedemptionFault,
    Revealed,
)
from inspector.secrets.redemption.addresses import AddressClass
from inspector.secrets.redemption.fetch import USER_AGENT
from tests.peers.redemption_server import Endpoint, Script, answer
from tests.secrets.redemption.redeeming import (
    CANARY,
    QUERY,
    SECRET,
    TOKEN,
    Clock,
    redeemed,
    redeemer,
    reference,
)

REVEALED = Revealed(value=CANARY)
MALFORMED = Failed(cause=Cause.MALFORMED)
PROTOCOL = Failed(cause=Cause.PROTOCOL)
TOO_LARGE = Failed(cause=Cause.TOO_LARGE)
TIMEOUT = Failed(cause=Cause.TIMEOUT)

STATES: dict[int, Outcome] = {
    200: REVEALED,
    401: Denied(status=401),
    403: Denied(status=403),
    404: NotFound(),
    410: Expired(by=ExpiredBy.SERVER),
    429: RateLimited(retry_after_s=7),
}


async def outcome_of(script: Script | bytes, *, time_limit_s: float = 5) -> Outcome:
    async with Endpoint(script) as endpoint:
        outcome = await redeemed(endpoint.origin, time_limit_s=time_limit_s)
        assert endpoint.connections == 1
        return outcome


async def test_one_request_is_sent_with_no_more_than_necessary() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        asked = reference(f"../secrets/./1?token={QUERY}&u=%2F")
        preview = redeemer(f"{endpoint.origin}/x/mcp").preview(asked)
        outcome = await redeemer(f"{endpoint.origin}/x/mcp").redeem(asked, received_s=1000)
        assert outcome == REVEALED
        (head,) = endpoint.heads
        first, *fields = head.rstrip().split("\r\n")
        assert first == f"GET /secrets/1?token={QUERY}&u=%2F HTTP/1.1"
        assert getattr(preview, "shown", "") == f"GET {endpoint.origin}/secrets/1"
        assert sorted(line.lower() for line in fields) == sorted(
            [
                f"host: 127.0.0.1:{endpoint.port}",
                "accept: application/json",
                "accept-encoding: identity",
                f"authorization: bearer {TOKEN.lower()}",
                "connection: close",
                f"user-agent: {USER_AGENT}",
            ]
        )


async def test_every_status_has_its_state_even_if_the_body_contains_a_secret() -> None:
    async with Endpoint() as endpoint, Endpoint() as other:
        redeem = redeemer(endpoint.origin).redeem
        for status in (
            *(each.value for each in HTTPStatus if each >= 200),
            209,
            299,
            399,
            418,
            499,
            520,
            599,
        ):
            endpoint.script = answer(
                b"" if status in {204, 304} else SECRET,
                f"{status} Any",
                "Retry-After: 7",
                f"Location: {other.origin}/",
                "Refresh: 0",
            )
            expected = STATES.get(
                status,
                Failed(cause=Cause.REDIRECT if 300 <= status < 400 else Cause.STATUS, status=status),
            )
            assert await redeem(reference(), received_s=1000) == expected, status
        assert other.connections == 0


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 305, 307, 308])
@pytest.mark.parametrize("location", ["{own}/secrets/2", "{other}/", "/secrets/1", "http://[", "\x7f", None])
async def test_no_redirect_is_followed(status: int, location: str | None) -> None:
    async with Endpoint() as endpoint, Endpoint() as other:
        fields = (
            []
            if location is None
            else [f"Location: {location.format(own=endpoint.origin, other=other.origin)}"]
        )
        endpoint.script = answer(b"", f"{status} Elsewhere", *fields)
        assert await redeemed(endpoint.origin) == Failed(cause=Cause.REDIRECT, status=status)
        assert (endpoint.connections, len(endpoint.heads), other.connections) == (1, 1, 0)


@pytest.mark.parametrize("status", [404, 409, 410])
async def test_a_second_reveal_of_a_one_time_reference_is_already_used(status: int) -> None:
    async with Endpoint(answer(b"", f"{status} Gone")) as endpoint:
        redeem = redeemer(endpoint.origin).redeem
        assert await redeem(reference(), received_s=1000, revealed_before=True) == AlreadyUsed()
        assert await redeem(reference(), received_s=1000) != AlreadyUsed()


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        (answer(SECRET, "200 OK", "Set-Cookie: a=1"), REVEALED),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer(SECRET), REVEALED),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", PROTOCOL),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n\r\n" + SECRET,
            REVEALED,
        ),
        (answer(SECRET, kind="application/problem+json; charset=utf-8"), REVEALED),
        (answer(SECRET, kind="text/html"), Failed(cause=Cause.CONTENT_TYPE)),
        (answer(SECRET, kind=None), Failed(cause=Cause.CONTENT_TYPE)),
        (answer(SECRET, "200 OK", "Content-Type: text/html"), Failed(cause=Cause.CONTENT_TYPE)),
        (
            answer(SECRET, "200 OK", "Cache-Control: private"),
            Revealed(value=CANARY, faults=(RedemptionFault.MAY_BE_STORED,)),
        ),
        (answer(b'{"value":"a","value":"b"}'), MALFORMED),
        (answer(b'{"value":7}'), MALFORMED),
        (answer(b'["value"]'), MALFORMED),
        (answer(CANARY.encode()), MALFORMED),
        (answer(b""), MALFORMED),
        (answer(gzip.compress(SECRET), "200 OK", "Content-Encoding: gzip"), Failed(cause=Cause.COMPRESSED)),
        (answer(SECRET, "200 OK", "Content-Encoding: br"), Failed(cause=Cause.COMPRESSED)),
        (answer(SECRET, "200 OK", "Content-Encoding: identity"), REVEALED),
        (answer(gzip.compress(SECRET)), MALFORMED),
        (
            answer(b'{"value":"' + b"x" * (MAX_BODY_BYTES - 12) + b'"}'),
            Revealed(value="x" * (MAX_BODY_BYTES - 12)),
        ),
        (answer(b'{"value":"' + b"x" * (MAX_BODY_BYTES - 11) + b'"}'), TOO_LARGE),
        (b"", PROTOCOL),
        (b"\x16\x03\x01\x02\x00\x01\x00", PROTOCOL),
        (b"SSH-2.0-x\r\n", PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", PROTOCOL),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000 + b"\r\n", PROTOCOL),
        (answer(SECRET)[:-3], PROTOCOL),
        (answer(SECRET, "200 OK", "X-\x00: y"), PROTOCOL),
    ],
)
async def test_an_answer_reveals_a_secret_only_if_it_is_entirely_valid(raw: bytes, outcome: Outcome) -> None:
    assert await outcome_of(raw) == outcome


async def test_a_compression_bomb_is_never_inflated() -> None:
    bomb = gzip.compress(b'{"value":"' + b"x" * 50_000_000 + b'"}', compresslevel=1)
    assert await outcome_of(answer(SECRET)) == REVEALED
    tracemalloc.start()
    try:
        declared = answer(bomb, "200 OK", "Content-Encoding: gzip")
        assert await outcome_of(declared) == Failed(cause=Cause.COMPRESSED)
        assert await outcome_of(answer(bomb)) == TOO_LARGE
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 30_000_000


async def test_an_endless_answer_is_abandoned_at_the_limit() -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        while True:
            writer.write(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")
            await writer.drain()
            sent += 0x1000

    assert await outcome_of(endless) == TOO_LARGE
    # The socket buffers of both sides are beyond our control.
    assert sent < 16_000_000


async def drip(writer: asyncio.StreamWriter, text: bytes) -> None:
    for index in range(len(text)):
        writer.write(text[index : index + 1])
        await writer.drain()
        await asyncio.sleep(0.1)


async def slow_head(writer: asyncio.StreamWriter) -> None:
    await drip(writer, answer(SECRET))


async def slow_body(writer: asyncio.StreamWriter) -> None:
    whole = answer(SECRET)
    writer.write(whole[: -len(SECRET)])
    await drip(writer, SECRET)


async def endless_hints(writer: asyncio.StreamWriter) -> None:
    await drip(writer, b"HTTP/1.1 103 Early Hints\r\n\r\n" * 99)


async def silence(writer: asyncio.StreamWriter) -> None:
    _ = writer
    await asyncio.sleep(5)


@pytest.mark.parametrize("script", [slow_head, slow_body, endless_hints, silence])
async def test_one_time_limit_applies_to_a_whole_redemption(script: Script) -> None:
    started = time.monotonic()
    assert await outcome_of(script, time_limit_s=1) == TIMEOUT
    assert time.monotonic() - started < 3


async def test_an_expired_reference_is_not_requested() -> None:
    clock = Clock()
    async with Endpoint(answer(SECRET)) as endpoint:
        redeem = redeemer(endpoint.origin, clock=clock).redeem
        assert await redeem(reference(ttl_s=60), received_s=940) == EXPIRED
        assert endpoint.connections == 0
        assert await redeem(reference(ttl_s=60), received_s=940.1) == REVEALED


async def test_a_secret_that_arrives_after_its_expiry_is_not_revealed() -> None:
    clock = Clock()

    async def late(writer: asyncio.StreamWriter) -> None:
        clock.now_s += 60
        writer.write(answer(SECRET))

    async with Endpoint(late) as endpoint:
        redeem = redeemer(endpoint.origin, clock=clock).redeem
        assert await redeem(reference(ttl_s=60), received_s=1000) == EXPIRED
        assert endpoint.connections == 1
        assert await redeem(reference(), received_s=1000) == REVEALED


async def test_only_one_redemption_runs_at_a_time() -> None:
    async with Endpoint(silence) as endpoint:
        one = redeemer(endpoint.origin)
        running = asyncio.ensure_future(one.redeem(reference(), received_s=1000))
        while not endpoint.heads:
            await asyncio.sleep(0)
        assert await one.redeem(reference(), received_s=1000) is BUSY
        assert endpoint.connections == 1
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        endpoint.script = answer(SECRET)
        assert await one.redeem(reference(), received_s=1000) == REVEALED


async def test_a_redemption_shares_no_connection_or_cookie_with_the_next() -> None:
    async with Endpoint(
        answer(SECRET, "200 OK", "Set-Cookie: a=1; Path=/", "Connection: keep-alive")
    ) as endpoint:
        redeem = redeemer(endpoint.origin).redeem
        for _ in range(2):
            assert await redeem(reference(), received_s=1000) == REVEALED
        assert endpoint.connections == 2
        assert endpoint.header("cookie") == []


async def test_no_credentials_are_sent_if_none_are_given() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        redeem = redeemer(endpoint.origin, authorization=None).redeem
        assert await redeem(reference(), received_s=1000) == REVEALED
        assert endpoint.header("authorization") == []


@pytest.mark.parametrize(
    "authorization", ["", " x", "x ", "Bearer a\r\nX-Other: 1", "Bearer grün", "Bearer \x00"]
)
async def test_credentials_that_are_invalid_in_a_header_are_refused(authorization: str) -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        redeem = redeemer(endpoint.origin, authorization=authorization).redeem
        assert await redeem(reference(), received_s=1000) is UNSENDABLE
        assert endpoint.connections == 0


async def test_the_demo_gives_a_secret_once_to_an_authorized_client() -> None:
    server = DemoServer(DemoOptions(auth=True))
    async with HttpSite(server) as site:
        deposit = server.vault.deposit("s1", CANARY, ttl_s=60)
        asked = reference(deposit.redeem_url)
        stranger = HttpRedeemer(HttpServer(url=site.url, reached_at=AddressClass.LOOPBACK))
        assert await stranger.redeem(asked, received_s=0) == Denied(status=401)
        redeem = redeemer(site.url, authorization="Bearer demo").redeem
        assert await redeem(asked, received_s=1000) == REVEALED
        assert await redeem(asked, received_s=1000, revealed_before=True) == AlreadyUsed()
        assert await redeem(reference("/secrets/unknown"), received_s=1000) == NotFound()
