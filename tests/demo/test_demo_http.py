import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from inspector.demo.http import HttpSite
from inspector.demo.server import DemoOptions, DemoServer
from inspector.demo.tools.tool import Slow
from inspector.errors import UnreachableError
from inspector.http_server import MOST_BODY_BYTES
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.targets import Era
from tests.demo.clients import (
    ARGUMENTS,
    LEGACY,
    MODERN,
    PATIENCE_S,
    POSTED,
    Reply,
    call,
    enveloped,
    fetch,
    initialize,
    member,
    post,
    read_object,
    request,
    stateless_headers,
)


class Watched(DemoServer):
    """A server that signals when a call has arrived."""

    def __init__(self) -> None:
        super().__init__(DemoOptions(seed="1"))
        self.called = asyncio.Event()

    def call(self, params: JsonObject, log: Callable[[str, Json], None]) -> JsonObject | Slow:
        self.called.set()
        return super().call(params, log)


@pytest.fixture
async def site() -> AsyncIterator[HttpSite]:
    async with HttpSite(Watched()) as running:
        yield running


async def session(site: HttpSite, version: str = LEGACY) -> dict[str, str]:
    """The headers of a session that was just opened."""
    reply = await post(site.origin, initialize(version))
    assert reply.status == 200
    assert member(reply.value, "result", "protocolVersion") == version
    headers = {"Mcp-Session-Id": reply.headers["mcp-session-id"], "MCP-Protocol-Version": version}
    notified: JsonObject = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await post(site.origin, notified, headers)).status == 202
    return headers


async def ask(site: HttpSite, message: JsonObject, headers: dict[str, str] | None = None) -> Reply:
    return await post(site.origin, message, stateless_headers(message) if headers is None else headers)


def slow(seconds: float, meta: JsonObject | None = None) -> JsonObject:
    params = enveloped(call("export_report", {"seconds": seconds, "steps": 3}), meta)
    return request("slow", "tools/call", params)


def in_session(message: JsonObject) -> JsonObject:
    """The message as a client with a session sends it: without the stateless metadata, but with its progress token."""
    params = message["params"]
    assert isinstance(params, dict)
    meta = params["_meta"]
    assert isinstance(meta, dict)
    return {**message, "params": {**params, "_meta": {key: meta[key] for key in meta if "/" not in key}}}


async def test_every_tool_answers_once_in_both_eras(site: HttpSite) -> None:
    headers = await session(site)
    for name in ARGUMENTS:
        stateless = request(1, "tools/call", enveloped(call(name)))
        reply = await ask(site, stateless)
        assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
        assert member(reply.value, "result", "resultType") == "complete"
        with_session = await ask(site, request(1, "tools/call", call(name)), headers)
        assert member(with_session.value, "result", "content"), name


async def test_a_session_lives_until_it_is_deleted(site: HttpSite) -> None:
    headers = await session(site)
    ping = request(1, "ping")
    assert (await ask(site, ping, headers)).status == 200
    assert (await fetch(site.origin, "DELETE", "/mcp", headers)).status == 200
    assert (await ask(site, ping, headers)).status == 404
    assert (await fetch(site.origin, "DELETE", "/mcp", headers)).status == 404


async def test_a_request_without_its_session_is_refused(site: HttpSite) -> None:
    ping = request(1, "ping")
    assert (await ask(site, ping, {})).status == 400
    assert (await ask(site, ping, {"Mcp-Session-Id": "nobody's"})).status == 404
    assert (await fetch(site.origin, "DELETE", "/mcp")).status == 400


async def test_a_failed_handshake_opens_no_session(site: HttpSite) -> None:
    reply = await ask(site, request(1, "initialize", {}), {})
    assert (reply.status, member(reply.value, "error", "code")) == (400, -32602)
    assert "mcp-session-id" not in reply.headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/mcp", 405),
        ("PUT", "/mcp", 405),
        ("POST", "/sse", 405),
        ("GET", "/messages", 405),
        ("POST", "/messages", 404),
        ("POST", "/messages?session_id=nobody", 404),
        ("GET", "/", 404),
        ("GET", "/mcp/", 404),
    ],
)
async def test_a_path_or_method_that_is_not_offered_is_refused(
    site: HttpSite, method: str, path: str, status: int
) -> None:
    assert (await fetch(site.origin, method, path, {"Accept": "text/event-stream"})).status == status


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Accept", "application/json", 406),
        ("Accept", "text/event-stream", 406),
        ("Accept", "*/*", 200),
        ("Accept", "application/*;q=0.5, text/*", 200),
        ("Content-Type", "text/plain", 415),
        ("Content-Type", "Application/JSON; charset=utf-8", 200),
    ],
)
async def test_a_request_with_an_unsuitable_media_type_is_refused(
    site: HttpSite, header: str, value: str, status: int
) -> None:
    message = request(1, "server/discover", enveloped())
    reply = await ask(site, message, {**stateless_headers(message), header: value})
    assert reply.status == status


DISCOVER = request(1, "server/discover", enveloped())
CLOCK = request(1, "tools/call", enveloped(call("clean_clock")))
LATER: JsonObject = {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}


@pytest.mark.parametrize(
    ("message", "headers", "status", "code"),
    [
        (DISCOVER, {"Mcp-Method": "tools/list"}, 400, -32020),
        (DISCOVER, {"MCP-Protocol-Version": "2031-01-01"}, 400, -32020),
        (CLOCK, {"Mcp-Name": "patient_record"}, 400, -32020),
        (CLOCK, {"Mcp-Name": "=?base64?Y2xlYW5fY2xvY2s=?="}, 200, None),
        (CLOCK, {"Mcp-Name": "=?base64?!?="}, 400, -32020),
        (
            request(1, "tools/list", enveloped(meta=LATER)),
            {"MCP-Protocol-Version": "2031-01-01"},
            400,
            -32022,
        ),
        (request(1, "tools/list", {}), {}, 400, -32602),
        (request(1, "tools/call", enveloped({"name": "nobody"})), {}, 400, -32602),
        (request(1, "initialize", enveloped({"protocolVersion": LEGACY})), {}, 400, -32022),
        (request(1, "ping", enveloped()), {}, 404, -32601),
        (request(None, "ping", enveloped()), {}, 400, -32600),
        (b"garbage", {"MCP-Protocol-Version": MODERN}, 400, -32700),
        (b"[]", {"MCP-Protocol-Version": MODERN}, 400, -32600),
        (b"[" + dump(DISCOVER) + b"]", {"MCP-Protocol-Version": MODERN}, 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', {"MCP-Protocol-Version": MODERN}, 400, -32600),
    ],
)
async def test_a_stateless_request_gets_the_status_of_its_error(
    site: HttpSite, message: JsonObject | bytes, headers: dict[str, str], status: int, code: int | None
) -> None:
    repeated = stateless_headers(message) if isinstance(message, dict) else {}
    reply = await post(site.origin, message, {**repeated, **headers})
    assert reply.status == status
    assert (member(reply.value, "error", "code") if "error" in reply.value else None) == code
    assert "mcp-session-id" not in reply.headers


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"garbage", 400, -32700),
        (b"[]", 400, -32600),
        (b"1", 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"nothing"}', 200, -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nobody"}}', 200, -32602),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600),
    ],
)
async def test_an_error_in_a_session_has_status_200_if_it_answers_a_request(
    site: HttpSite, body: bytes, status: int, code: int
) -> None:
    reply = await post(site.origin, body, await session(site))
    assert (reply.status, member(reply.value, "error", "code")) == (status, code)


async def test_a_batch_is_answered_as_a_batch_in_the_revision_that_has_batches(site: HttpSite) -> None:
    headers = await session(site, "2025-03-26")
    reply = await post(site.origin, [request(1, "ping"), request(2, "ping")], headers)
    assert (reply.status, reply.body) == (
        200,
        b'[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]',
    )


@pytest.mark.parametrize("stateless", [True, False])
async def test_an_answer_with_progress_is_an_event_stream(site: HttpSite, *, stateless: bool) -> None:
    message = slow(0.05, {"progressToken": 7})
    reply = await (ask(site, message) if stateless else ask(site, in_session(message), await session(site)))
    assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream")
    *progress, last = reply.events
    assert [member(event, "params", "progress") for event in progress] == [1, 2, 3]
    assert last["id"] == "slow"


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_call_cancelled_in_its_session_ends_without_an_answer(
    site: HttpSite, *, streaming: bool
) -> None:
    headers = await session(site)
    message = slow(0.2 if streaming else 60, {"progressToken": 1} if streaming else None)
    if streaming:
        params: JsonObject = call("export_report", {"seconds": 60, "steps": 100})
        message = request("slow", "tools/call", {**params, "_meta": {"progressToken": 1}})
    asked = asyncio.create_task(ask(site, in_session(message), headers))
    cancelled: JsonObject = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": "slow"},
    }
    await running(site)
    assert (await ask(site, cancelled, headers)).status == 202
    reply = await asked
    assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream")
    assert all("method" in event for event in reply.events)


async def running(site: HttpSite) -> asyncio.Task[Json]:
    """The task that answers the call that has just arrived."""
    assert isinstance(site.server, Watched)
    async with asyncio.timeout(PATIENCE_S):
        await site.server.called.wait()
    (task,) = (task for task in asyncio.all_tasks() if "Peer.receive" in repr(task))
    return task


def raw_post(message: JsonObject, headers: dict[str, str]) -> bytes:
    body = dump(message)
    named = {"Host": "localhost", **POSTED, **headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


async def connect(site: HttpSite) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = site.origin.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


@pytest.mark.parametrize("stateless", [True, False])
async def test_disconnecting_cancels_a_stateless_call_but_not_one_in_a_session(
    site: HttpSite, *, stateless: bool
) -> None:
    message = slow(60 if stateless else 0.3)
    headers = stateless_headers(message) if stateless else await session(site)
    _, writer = await connect(site)
    writer.write(raw_post(message if stateless else in_session(message), headers))
    task = await running(site)
    writer.close()
    async with asyncio.timeout(PATIENCE_S):
        answer = await task
    assert (answer is None) is stateless


@pytest.mark.parametrize("hurried", [True, False])
async def test_requests_on_one_connection_are_answered_in_turn(site: HttpSite, *, hurried: bool) -> None:
    message = request(1, "tools/call", enveloped(call("export_report", {"seconds": 0.1, "steps": 1})))
    reader, writer = await connect(site)
    writer.write(raw_post(message, stateless_headers(message)))
    await running(site)
    discover = raw_post(DISCOVER, stateless_headers(DISCOVER))
    if hurried:
        writer.write(discover)
    assert b'"content"' in await read_answer(reader)
    if not hurried:
        writer.write(discover)
    assert b'"supportedVersions"' in await read_answer(reader)
    writer.write(discover)
    assert b'"supportedVersions"' in await read_answer(reader)
    writer.close()
    await writer.wait_closed()


async def read_answer(reader: asyncio.StreamReader) -> bytes:
    """The body of the next response, read by its Content-Length."""
    async with asyncio.timeout(PATIENCE_S):
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        return await reader.readexactly(length)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET / HTTP/1.0\r\n\r\n", b"HTTP/1.1 421 "),
        (
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
            b"HTTP/1.1 100 ",
        ),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", b"HTTP/1.1 431 "),
    ],
)
async def test_the_rules_of_http_are_followed(site: HttpSite, raw: bytes, expected: bytes) -> None:
    reader, writer = await connect(site)
    writer.write(raw)
    assert (await reader.read(64)).startswith(expected)
    writer.close()
    await writer.wait_closed()


async def test_a_body_that_is_too_large_is_refused(site: HttpSite) -> None:
    reader, writer = await connect(site)
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
    writer.write(b" " * (MOST_BODY_BYTES + 1))
    assert (await reader.readline()).startswith(b"HTTP/1.1 413 ")
    writer.close()


async def test_a_client_that_disconnects_early_does_not_affect_others(site: HttpSite) -> None:
    for raw in (b"", b"POST /mcp HTTP/1.1\r\nHost: loc", raw_post(DISCOVER, {})[:-5]):
        _, writer = await connect(site)
        writer.write(raw)
        writer.close()
    assert (await ask(site, DISCOVER)).status == 200


async def read_event(reader: asyncio.StreamReader) -> tuple[str, str]:
    """One event of a chunked event stream: its kind and its content."""
    async with asyncio.timeout(PATIENCE_S):
        size = int(await reader.readline(), 16)
        kind, content, *_ = (await reader.readexactly(size)).decode().split("\n")
        await reader.readline()
    return kind.removeprefix("event: "), content.removeprefix("data: ")


async def test_the_older_transport_serves_a_whole_conversation(site: HttpSite) -> None:
    reader, writer = await connect(site)
    writer.write(b"GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    head = await reader.readuntil(b"\r\n\r\n")
    assert b"text/event-stream" in head
    kind, path = await read_event(reader)
    assert kind == "endpoint"

    async def say(message: Json | bytes) -> JsonObject:
        raw = message if isinstance(message, bytes) else dump(message)
        assert (await fetch(site.origin, "POST", path, POSTED, raw)).status == 202
        kind, content = await read_event(reader)
        assert kind == "message"
        return read_object(content.encode())

    assert member(await say(initialize()), "result", "protocolVersion") == LEGACY
    assert member(await say(request(1, "tools/call", call("clean_clock"))), "result", "content")
    assert member(await say(b"garbage"), "error", "code") == -32700
    first = await say(in_session(slow(0.1, {"progressToken": "p"})))
    assert member(first, "params", "progress") == 1
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(PATIENCE_S):
        while (await fetch(site.origin, "POST", path, POSTED, b"{}")).status != 404:
            pass


async def test_a_site_for_secrets_only_serves_nothing_else() -> None:
    async with HttpSite(secrets_only=True) as site:
        assert (await ask(site, DISCOVER)).status == 404
        assert (await fetch(site.origin, "GET", "/sse")).status == 404
        assert (await fetch(site.origin, "GET", "/secrets/x")).value == {"error": "no such secret"}


@pytest.mark.parametrize(
    ("era", "discover", "handshake"),
    [(Era.AUTO, 200, 200), (Era.LEGACY, 404, 200), (Era.MODERN, 200, 400)],
)
async def test_a_site_may_refuse_an_era(era: Era, discover: int, handshake: int) -> None:
    async with HttpSite(DemoServer(DemoOptions(era=era))) as site:
        assert (await ask(site, DISCOVER)).status == discover
        assert (await ask(site, initialize(), {})).status == handshake
        contradicting = await post(site.origin, DISCOVER, {"MCP-Protocol-Version": MODERN})
        code = member(contradicting.value, "error", "code")
        assert code == (-32601 if era is Era.LEGACY else -32020)


async def test_a_port_that_is_in_use_is_a_clear_error(site: HttpSite) -> None:
    port = int(site.origin.rpartition(":")[2])
    with pytest.raises(UnreachableError, match=f"cannot listen on 127.0.0.1 port {port}"):
        async with HttpSite(port=port):
            pass


async def test_stopping_ends_streams_and_calls_at_once() -> None:
    async with HttpSite(Watched()) as site:
        message = slow(60)
        reader, writer = await connect(site)
        writer.write(raw_post(message, stateless_headers(message)))
        task = await running(site)
    assert task.cancelled()
    assert await reader.read() == b""
    writer.close()
