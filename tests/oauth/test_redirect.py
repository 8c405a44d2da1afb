"""The listener for the redirect: it accepts one request, and refuses, reports and closes every other."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from inspector.connect.oauth import redirect
from inspector.connect.oauth.redirect import Redirect, TooManyRefusedError, bound_redirect, redirect_to
from inspector.protocol.authorization import redirect_fault
from tests.peers.ports import free_redirect_uri

STATE = "the-state-of-this-flow"
GOOD = f"GET /callback?code=abc&state={STATE}&iss=https://as.example"


@asynccontextmanager
async def listening() -> AsyncGenerator[tuple[str, asyncio.Future[Redirect], list[str]]]:
    refused = list[str]()
    uri, bound = bound_redirect()
    async with redirect_to(uri, STATE, refused.append, bound) as arrived:
        yield uri, arrived, refused


async def asked(uri: str, line: str, host: str | None = None, more: str = "") -> str:
    """The whole answer to a request; empty if there is none."""
    parts = urlsplit(uri)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(f"{line} HTTP/1.1\r\nHost: {host or parts.netloc}\r\n{more}\r\n".encode())
    answer = (await asyncio.wait_for(reader.read(), 30)).decode()
    writer.close()
    return answer


REFUSED = (
    (f"GET /callback?code=abc&state={STATE}x", None, "403", "another state"),
    ("GET /callback?code=abc", None, "403", "another state"),
    ("GET /callback?code=abc&state=%E2%80%A2", None, "403", "another state"),
    (f"GET /other?code=abc&state={STATE}", None, "404", "another path"),
    (GOOD, "localhost:1", "421", "another host"),
    (GOOD, "attacker.example", "421", "another host"),
    (GOOD.replace("GET", "POST"), None, "405", "not a GET"),
    (f"{GOOD}&code=def", None, "400", "parameter twice"),
    (f"GET /callback?state={STATE}", None, "400", "neither code nor error"),
    ("not-HTTP", None, "400", "not send an HTTP request"),
)


async def test_every_other_request_is_refused_until_the_right_one_arrives() -> None:
    async with listening() as (uri, arrived, refused):
        for line, host, status, reason in REFUSED:
            answer = await asked(uri, line, host)
            assert answer.split(" ")[1] == status, (line, answer)
            assert reason in refused[-1]
            assert "abc" not in answer + refused[-1]
        assert not arrived.done()
        answer = await asked(uri, GOOD)
        found = await arrived
        assert (found.code, found.iss, found.error) == ("abc", "https://as.example", None)
        assert "abc" not in repr(found) + answer
        assert "Cache-Control: no-store" in answer
        with pytest.raises(OSError, match="Connect"):
            await asked(uri, GOOD)


async def test_a_second_request_on_an_open_connection_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redirect, "SLOW_S", 5.0)
    async with listening() as (uri, arrived, refused):
        parts = urlsplit(uri)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        await asked(uri, GOOD)
        writer.write(f"{GOOD.replace('abc', 'def')} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        assert b" 410 " in await asyncio.wait_for(reader.read(), 30)
        writer.close()
        assert (await arrived).code == "abc"
    assert refused == ["a second request came"]


async def test_the_port_of_a_bound_redirect_is_kept_until_the_flow_ends() -> None:
    uri, bound = bound_redirect()
    port = urlsplit(uri).port or 0
    with pytest.raises(OSError, match="in use"):
        socket.create_server(("127.0.0.1", port))
    async with redirect_to(uri, STATE, lambda _: None, bound) as arrived:
        await asked(uri, GOOD)
        await arrived
    # A second flow of the session has the same redirect URI, although connections of the first were closed just now.
    async with redirect_to(uri, STATE, lambda _: None) as arrived:
        await asked(uri, GOOD)
        assert (await arrived).code == "abc"


async def test_two_authorizations_with_one_redirect_take_turns() -> None:
    uri = free_redirect_uri()
    order = list[str]()

    async def flow(state: str) -> str | None:
        async with redirect_to(uri, state, order.append) as arrived:
            order.append(f"{state} listens")
            await asked(uri, f"GET /callback?code={state}&state={state}")
            order.append(f"{state} ends")
            return (await arrived).code

    async with asyncio.timeout(20):
        codes = await asyncio.gather(flow("one"), flow("two"), flow("three"))
    assert codes == ["one", "two", "three"]
    assert order == [f"{state} {what}" for state in codes for what in ("listens", "ends")]


async def test_a_slow_client_is_disconnected_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redirect, "SLOW_S", 0.2)
    async with listening() as (uri, arrived, refused):
        parts = urlsplit(uri)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(b"GET /callback")
        assert await asyncio.wait_for(reader.read(), 30) == b""
        writer.close()
        assert refused == ["a client did not send a complete request within 0.2 s"]
        assert not arrived.done()


async def test_too_many_refused_requests_end_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redirect, "MOST_REFUSED", 3)
    async with listening() as (uri, arrived, _):
        for _ in range(3):
            await asked(uri, "GET /favicon.ico")
        with pytest.raises(TooManyRefusedError):
            await arrived


async def test_an_error_redirect_is_accepted_as_the_answer() -> None:
    async with listening() as (uri, arrived, _):
        await asked(uri, f"GET /callback?error=access_denied&error_description=no&state={STATE}")
        found = await arrived
    assert (found.code, found.error, found.description) == (None, "access_denied", "no")


@pytest.mark.parametrize(
    ("uri", "fault"),
    [
        ("http://127.0.0.1:8765/callback", ""),
        ("http://localhost:8765/", ""),
        ("https://127.0.0.1:8765/callback", "127.0.0.1"),
        ("http://0.0.0.0:8765/callback", "127.0.0.1"),
        ("http://me@127.0.0.1:8765/callback", "127.0.0.1"),
        ("http://127.0.0.1/callback", "no port"),
        ("http://127.0.0.1:99999/callback", "not a URL"),
        ("http://127.0.0.1:8765/callback?x=1", "path"),
    ],
)
def test_a_redirect_uri_must_be_on_loopback(uri: str, fault: str) -> None:
    found = redirect_fault(uri)
    assert fault in found
    assert bool(found) == bool(fault)
