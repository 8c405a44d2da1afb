"""A session with a server that requires authorization, up to a call."""

import asyncio
import socket
import time
from urllib.parse import urlsplit

import httpx2
import pytest

from inspector.connect.oauth.provider import Provider
from inspector.errors import AuthenticationRequiredError
from inspector.protocol.authorization import (
    Access,
    AuthorizationAsk,
    Authorizing,
    ClientIdentity,
    MemoryStore,
    StepLog,
)
from inspector.protocol.outcome import Result
from inspector.protocol.targets import Era, HttpTarget
from inspector.protocol.timeline import EntryState
from inspector.secrets.own_credentials import OwnCredentials
from inspector.session.live import Session
from inspector.session.options import Options
from tests.peers.authorizing_server import Issued, authorizing_server, browse
from tests.peers.ports import free_redirect_uri


def steps(session: Session) -> list[str]:
    return [
        f"{entry.title}: {entry.detail}"
        for entry in session.timeline.entries
        if entry.title.startswith("OAuth ")
    ]


def text_of(session: Session) -> str:
    """The whole timeline: titles, details and frames."""
    entries = "\n".join(f"{entry.title} {entry.detail}" for entry in session.timeline.entries)
    return entries + "".join(frame.raw.decode("utf-8", "replace") for frame in session.timeline.frames)


async def used(url: str, authorizing: Authorizing, era: Era = Era.AUTO) -> Session:
    session = Session(HttpTarget(url=url), Options(era=era, authorizing=authorizing, connect_timeout_s=10))
    try:
        await session.connect()
        await session.list_all()
        assert isinstance((await session.call("t", {})).outcome, Result)
    finally:
        await session.close()
    assert not [entry for entry in session.timeline.entries if entry.state is EntryState.PENDING]
    return session


@pytest.mark.parametrize("era", [Era.AUTO, Era.LEGACY])
async def test_a_refused_request_is_sent_again_with_a_token(era: Era) -> None:
    issued = Issued()
    with authorizing_server(issued) as url:
        session = await used(url, Authorizing(authorizer=browse), era)
    names = [step.partition(":")[0] for step in steps(session)]
    assert names == [
        f"OAuth {name}"
        for name in ("resource metadata", "server metadata", "registration", "user", "redirect", "token")
    ]
    text = text_of(session)
    assert "code_verifier: •••" in text
    assert "access_token: •••" in text
    assert "WWW-Authenticate: Bearer" in text
    assert not [secret for secret in (*issued.secrets, *issued.states) if secret in text]
    times = [entry.at_s for entry in session.timeline.entries]
    assert times == sorted(times)
    assert times[-1] > 0


async def test_time_limits_are_paused_while_the_user_decides() -> None:
    async def slowly(ask: AuthorizationAsk) -> bool:
        await asyncio.sleep(4)
        return await browse(ask)

    with authorizing_server(Issued()) as url:
        session = Session(
            HttpTarget(url=url),
            Options(authorizing=Authorizing(authorizer=slowly), connect_timeout_s=3, timeout_s=3),
        )
        await session.connect()
        await session.close()
    asked = [entry.title for entry in session.timeline.entries if entry.frames]
    assert "initialize" not in asked[: asked.index("server/discover") + 1]


async def test_stored_tokens_are_used_by_the_next_session_and_renewed() -> None:
    issued, store = Issued(lifetime_s=1), MemoryStore()
    with authorizing_server(issued) as url:
        await used(url, Authorizing(authorizer=browse, store=store))
        first = set(issued.tokens)
        await asyncio.sleep(1.1)
        session = await used(url, Authorizing(store=store, is_stored_only=True))
    assert set(issued.tokens) > first
    names = [step.partition(":")[0] for step in steps(session)]
    assert names[0] == "OAuth kept token"
    assert "OAuth refresh" in names
    assert "OAuth user" not in names


async def refused(url: str, authorizing: Authorizing) -> tuple[str, Session]:
    session = Session(HttpTarget(url=url), Options(authorizing=authorizing, connect_timeout_s=10))
    with pytest.raises(AuthenticationRequiredError) as caught:
        await session.connect()
    await session.close()
    return caught.value.message, session


async def disagree(ask: AuthorizationAsk) -> bool:
    del ask
    return False


async def test_the_reason_for_a_missing_token_is_shown() -> None:
    async def said(issued: Issued, authorizing: Authorizing) -> tuple[str, Session]:
        with authorizing_server(issued) as url:
            return await refused(url, authorizing)

    message, session = await said(Issued(), Authorizing(authorizer=disagree))
    assert message.endswith("Authorization failed: you did not agree")
    failed = [each.title for each in session.timeline.entries if each.state is EntryState.FAILED]
    assert "OAuth failed" in failed
    message, _ = await said(Issued(refuses="access_denied"), Authorizing(authorizer=browse))
    assert "the authorization server answered access_denied: not today" in message
    echoing = Issued(echoes=True)
    message, session = await said(echoing, Authorizing(authorizer=browse))
    assert "token: HTTP 400; error: invalid_grant" in message
    assert not [secret for secret in echoing.secrets if secret in message + text_of(session)]
    message, _ = await said(Issued(), Authorizing())
    assert "no terminal to ask you in" in message
    message, _ = await said(Issued(), Authorizing(authorizer=browse, is_stored_only=True))
    assert "--stored-auth-only" in message
    own = ClientIdentity(client_id="mine", client_secret="a secret of the client")
    message, session = await said(Issued(), Authorizing(authorizer=disagree, client=own))
    assert "OAuth registration" not in text_of(session)
    assert "a secret of the client" not in message + text_of(session)


async def test_the_scopes_that_the_user_chose_are_asked_for() -> None:
    asked: list[tuple[str, ...]] = []

    async def look(ask: AuthorizationAsk) -> bool:
        asked.append(ask.scopes)
        return False

    with authorizing_server(Issued()) as url:
        for scope in (None, "read write"):
            own = ClientIdentity(client_id="mine", scope=scope)
            await refused(url, Authorizing(authorizer=look, client=own))
    assert asked == [("call",), ("read", "write")]


async def test_a_redirect_port_in_use_is_reported() -> None:
    uri = free_redirect_uri()
    port = urlsplit(uri).port
    own = ClientIdentity(client_id="mine", redirect_uri=uri)
    with socket.create_server(("127.0.0.1", port or 0)), authorizing_server(Issued()) as url:
        message, _ = await refused(url, Authorizing(authorizer=browse, client=own))
    assert f"cannot listen for the redirect on port {port}: Address already in use" in message
    assert "127.0.0.1" not in message.partition("cannot listen")[2]


async def test_a_kept_token_is_for_the_client_that_got_it() -> None:
    issued, store = Issued(), MemoryStore()
    uri = free_redirect_uri()
    clients = [ClientIdentity(client_id=name, redirect_uri=uri) for name in ("one", "two")]
    for client in clients:
        issued.know(client.client_id or "", None, client.redirect_uri or "")
    with authorizing_server(issued) as url:
        await used(url, Authorizing(authorizer=browse, store=store, client=clients[0]))
        await used(url, Authorizing(store=store, is_stored_only=True, client=clients[0]))
        message, _ = await refused(url, Authorizing(store=store, is_stored_only=True, client=clients[1]))
    assert "--stored-auth-only" in message


async def test_concurrent_requests_for_a_token_ask_the_user_once() -> None:
    asked: list[float] = []

    async def count(ask: AuthorizationAsk) -> bool:
        asked.append(time.monotonic())
        return await browse(ask)

    issued = Issued()
    with authorizing_server(issued) as url:
        session = Session(HttpTarget(url=url), Options(authorizing=Authorizing(authorizer=count)))
        await session.connect()
        await session.list_all()
        issued.tokens.clear()
        issued.refreshing.clear()
        records = await asyncio.gather(*(session.call("t", {}) for _ in range(3)))
        await session.close()
    assert [isinstance(record.outcome, Result) for record in records] == [True] * 3
    assert len(asked) == 2


def noted(step: str, detail: str, is_failed: bool) -> None:  # noqa: FBT001 - a state
    del step, detail, is_failed


async def test_nothing_is_sent_to_an_authorization_server_without_encryption() -> None:
    asked: list[str] = []

    async def flow(own: str, metadata: str, authorization_server: str) -> str:
        def answer(request: httpx2.Request) -> httpx2.Response:
            asked.append(f"{request.method} {request.url}")
            body = {"resource": own, "authorization_servers": [authorization_server]}
            return (
                httpx2.Response(200, json=body) if "protected" in request.url.path else httpx2.Response(404)
            )

        own_credentials = OwnCredentials(())
        step_log = StepLog(note=noted, conceal=own_credentials.add, mask=own_credentials.mask)
        access = Access(step_log=step_log, authorizing=Authorizing(authorizer=browse))
        provider = Provider(HttpTarget(url=own), access, lambda _: httpx2.MockTransport(answer))
        await provider.restore()
        request = httpx2.Request("POST", own)
        named = {"www-authenticate": f'Bearer resource_metadata="{metadata}"'}
        asked.clear()
        return await provider.authorize(request, httpx2.Response(401, headers=named, request=request))

    own, path = "http://mcp.test/mcp", "/.well-known/oauth-protected-resource/mcp"
    said = await flow(own, f"http://mcp.test{path}", "http://login.test")
    assert "http://login.test/.well-known/oauth-authorization-server is not encrypted" in said
    assert asked == [f"GET http://mcp.test{path}"]
    for metadata in (f"http://login.test{path}", f"http://mcp.test:81{path}"):
        said = await flow(own, metadata, "https://login.test")
        assert ("is not encrypted" in said, asked) == (True, [])
    await flow(own, f"http://mcp.test{path}", "https://login.test")
    assert asked[1:]
    assert all("https://login.test" in each for each in asked[1:] if "login" in each)
    assert not [each for each in asked[1:] if "http://" in each]
