"""401 and 403: exit 3 with the server's challenge, from any request and with any body."""

import asyncio

import pytest

from inspector.errors import AuthenticationRequiredError
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.protocol.targets import Era, HttpTarget
from inspector.protocol.timeline import EntryState
from inspector.session.events import Event, FrameSeen
from inspector.session.live import Session
from inspector.session.options import Options
from tests.cli.sightline import sightline, spawned
from tests.peers.authenticated_server import Tokens, authenticated_server
from tests.peers.http_server import HANDSHAKE, Asked, error, http_peer, raw, result

OAUTH = b'{"error":"invalid_token","error_description":"Authentication required"}'
CHALLENGE = (
    'Bearer error="invalid_token", error_description="it is \\"old\\"", scope="a b", '
    'resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource"'
)


async def refusal(target: HttpTarget, era: Era) -> str:
    session = Session(target, Options(era=era, connect_timeout_s=10))
    try:
        with pytest.raises(AuthenticationRequiredError) as caught:
            await session.connect()
    finally:
        await session.close()
    assert "--header" in caught.value.hint
    assert not [entry for entry in session.timeline.entries if entry.state is EntryState.PENDING]
    return caught.value.message


def test_an_sdk_server_refuses_and_accepts_credentials() -> None:
    tokens = Tokens({"good": ["call"], "narrow": ["look"]})
    with authenticated_server(tokens) as url:
        for era in Era:
            message = asyncio.run(refusal(HttpTarget(url=url), era))
            assert "answered HTTP 401" in message
            assert "WWW-Authenticate: Bearer" in message
            assert "error: invalid_token" in message
            assert "error_description: Authentication required" in message
            metadata = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
            assert f"resource_metadata: {metadata}" in message
        ran = sightline("list", url)
        assert (ran.code, "WWW-Authenticate: Bearer" in ran.err) == (3, True)
        narrow = sightline("list", url, "--header", "Authorization: Bearer narrow")
        assert (narrow.code, "error: insufficient_scope" in narrow.err) == (3, True)
        good = sightline("call", "t", url, "--header", "Authorization: Bearer good")
        assert (good.code, good.err) == (0, "calling t …\n")


def test_a_token_that_expires_during_a_session_ends_the_call_with_exit_3() -> None:
    tokens = Tokens({"good": ["call"]})

    async def use(url: str) -> Failure:
        session = Session(HttpTarget(url=url, headers=(("Authorization", "Bearer good"),)), Options())
        await session.connect()
        await session.list_all()
        assert isinstance((await session.call("t", {})).outcome, Result)
        tokens.good.clear()
        outcome = (await session.call("t", {})).outcome
        with pytest.raises(AuthenticationRequiredError, match="tools cannot be listed"):
            await session.list_all()
        await session.close()
        assert isinstance(outcome, Failure)
        return outcome

    with authenticated_server(tokens) as url:
        failure = asyncio.run(use(url))
    assert (failure.kind, failure.http_status) == (FailureKind.HTTP_STATUS, 401)
    assert "error: invalid_token" in failure.detail


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
async def test_a_call_that_is_refused_ends_with_exit_3_and_the_challenge(status: str) -> None:
    refuse = raw(status, OAUTH, www_authenticate=CHALLENGE)
    async with http_peer({**HANDSHAKE, "tools/call": refuse}) as peer:
        ran = await asyncio.to_thread(spawned, "call", "t", peer.url())
    assert ran.code == 3
    assert 'error_description: it is "old"' in ran.err
    assert "scope: a b" in ran.err
    assert "resource_metadata: http://127.0.0.1:1/.well-known" in ran.err
    assert "--header" in ran.err
    assert "still there" not in ran.err


async def test_a_challenge_is_shown_even_if_the_body_looks_like_an_answer() -> None:
    """A challenge is not hidden by another error of `initialize`, nor by a body that looks like an answer."""

    async def late(asked: Asked, writer: asyncio.StreamWriter) -> None:
        # Also after `initialize` was sent.
        await initialized.wait()
        await raw("401 Unauthorized", OAUTH, www_authenticate="Bearer\x1b[31m x")(asked, writer)

    async def other(asked: Asked, writer: asyncio.StreamWriter) -> None:
        initialized.set()
        await error("400 Bad Request", -32020)(asked, writer)

    whole = raw("401 Unauthorized", b'{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"no"}}')
    for reply in (raw("401 Unauthorized", OAUTH), whole, late):
        initialized = asyncio.Event()
        async with http_peer({"server/discover": reply, "initialize": other}) as peer:
            message = await refusal(HttpTarget(url=peer.url()), Era.AUTO)
            assert "answered HTTP 401" in message
    initialized.set()
    async with http_peer({"server/discover": late}) as peer:
        ran = await asyncio.to_thread(spawned, "list", peer.url())
    assert ran.code == 3
    assert "\x1b" not in ran.err


async def test_only_a_json_rpc_error_with_the_same_id_answers_a_refused_request() -> None:
    bodies = (
        b'{"error":"invalid_request"}',
        b'{"error":{"code":-32602,"message":"no"},"id":$ID}',
        b'{"jsonrpc":"2.0","id":4711,"error":{"code":-32602,"message":"no"}}',
        b'{"jsonrpc":"2.0","id":$ID,"result":{}}',
    )
    async with http_peer({**HANDSHAKE}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options())
        await session.connect()
        for body in bodies:
            peer.replies["tools/call"] = raw("400 Bad Request", body)
            outcome = (await session.call("t", {})).outcome
            assert isinstance(outcome, Failure)
            assert (outcome.kind, outcome.http_status) == (FailureKind.HTTP_STATUS, 400)
        peer.replies["tools/call"] = error("400 Bad Request", -32602)
        assert isinstance((await session.call("t", {})).outcome, RpcError)
        await session.close()


async def test_an_error_without_id_does_not_answer_another_http_request() -> None:
    """Many servers answer the GET for the event stream with 405 and an error without an id."""
    denied, listing = asyncio.Event(), asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, FrameSeen) and event.frame.head.startswith("405"):
            denied.set()

    async def deny(asked: Asked, writer: asyncio.StreamWriter) -> None:
        body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Method not allowed."}}'
        await listing.wait()
        await raw("405 Method Not Allowed", body)(asked, writer)

    async def listed(asked: Asked, writer: asyncio.StreamWriter) -> None:
        listing.set()
        await denied.wait()
        await result({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})(asked, writer)

    async with http_peer({**HANDSHAKE, "GET": deny, "tools/list": listed}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=5), hear)
        await session.connect()
        assert [tool.name for tool in (await session.list_all()).tools] == ["t"]
        await session.close()
