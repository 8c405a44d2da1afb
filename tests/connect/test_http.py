import asyncio
import json
import logging

import pytest
from msgspec.structs import replace

from inspector.errors import AuthenticationRequiredError, InspectorError, UnreachableError
from inspector.json.exact import Json, dump
from inspector.protocol.frames import Channel
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.targets import Era, HttpTarget
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.call_record import Progress
from inspector.session.live import Session
from inspector.session.options import Options
from tests.peers.http_server import (
    ACCEPTED,
    HANDSHAKE,
    Asked,
    HttpPeer,
    Reply,
    error,
    events,
    http_peer,
    raw,
    result,
    torn,
    zipped,
)

BIG: Json = {"content": [{"type": "text", "text": "x" * 200_000}]}


async def outcome_of(reply: Reply, *, timeout_s: float = 5) -> tuple[Outcome, Session, HttpPeer]:
    """The outcome of a call that gets this reply, followed by a second call that gets a good one."""
    async with http_peer({**HANDSHAKE, "tools/call": reply}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=timeout_s, connect_timeout_s=5))
        try:
            await session.connect()
            outcome = (await session.call("t", {})).outcome
            peer.replies["tools/call"] = result({"content": []})
            again = await session.call("t", {}, timeout_s=30)
            assert again.outcome == Result(value={"content": []})
        finally:
            await session.close()
        return outcome, session, peer


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (raw("200 OK", b'{"jsonrpc":"2.0","id":$ID,"result":{"n":1e400,"content":[{"type":"odd"}]}}'), None),
        (raw("200 OK", b'{"jsonrpc":"2.0","id":$ID,"result":null}'), None),
        (raw("200 OK", b'[{"jsonrpc":"2.0","id":$ID,"result":[1]}]'), [1]),
        (zipped({"content": []}), {"content": []}),
        (result(BIG), BIG),
        (events(b'data: {"jsonrpc":"2.0","id":$ID,"result":{"a":1}}\n\n'), {"a": 1}),
        (
            events(
                b"id: 1\ndata:\n\n", b'data: {"jsonrpc":"2.0",\r\ndata: "id":$ID,"result":{}}\r\n\r', b"\n"
            ),
            {},
        ),
        (
            events(b"data: " + json.dumps({"jsonrpc": "2.0", "id": "$ID", "result": BIG}).encode() + b"\n\n"),
            BIG,
        ),
    ],
)
async def test_an_odd_answer_is_an_unchanged_result(reply: Reply, value: Json) -> None:
    outcome, _, _ = await outcome_of(reply)
    assert isinstance(outcome, Result)
    if value is not None:
        assert outcome.value == value


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (error("200 OK", -32602), RpcError(value={"code": -32602, "message": "no"})),
        (error("400 Bad Request", -32602), RpcError(value={"code": -32602, "message": "no"})),
        (error("400 Bad Request", -32700, with_id=False), RpcError(value={"code": -32700, "message": "no"})),
    ],
)
async def test_an_error_answer_is_an_rpc_error_with_any_http_status(reply: Reply, outcome: Outcome) -> None:
    assert (await outcome_of(reply))[0] == outcome


@pytest.mark.parametrize(
    ("reply", "kind", "status", "detail"),
    [
        (raw("500 Oops", b"boom", "text/plain"), FailureKind.HTTP_STATUS, 500, "answered HTTP 500: boom"),
        (raw("429 Slow", b"", "text/plain"), FailureKind.HTTP_STATUS, 429, "answered HTTP 429"),
        (torn, FailureKind.CONNECTION_LOST, None, "peer closed connection"),
        (ACCEPTED, FailureKind.PROTOCOL, None, "server answered a request with 202 Accepted"),
        (events(b": nothing\n\n"), FailureKind.PROTOCOL, None, "closed the event stream without an answer"),
        (
            raw("200 OK", b"<p>hi", "text/html"),
            FailureKind.PROTOCOL,
            None,
            "Unexpected content type: text/html",
        ),
        (raw("302 Found", b"", location="http://127.0.0.1:1/x"), FailureKind.PROTOCOL, None, "not followed"),
    ],
)
async def test_a_missing_answer_fails_only_its_call(
    reply: Reply, kind: FailureKind, status: int | None, detail: str
) -> None:
    outcome, _, _ = await outcome_of(reply)
    assert isinstance(outcome, Failure)
    assert (outcome.kind, outcome.http_status) == (kind, status)
    assert detail in outcome.detail


async def test_an_error_without_id_answers_the_http_request_that_returned_it() -> None:
    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.message["params"]["arguments"]:
            await asyncio.Event().wait()
        await error("400 Bad Request", -32700, with_id=False)(asked, writer)

    async with http_peer({**HANDSHAKE, "tools/call": reply}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=1))
        await session.connect()
        hanging = asyncio.ensure_future(session.call("t", {"hang": True}))
        answered = await session.call("t", {})
        await session.close()
    assert answered.outcome == RpcError(value={"code": -32700, "message": "no"})
    assert isinstance((await hanging).outcome, Failure)


async def test_a_hanging_call_times_out_and_is_cancelled_on_the_wire() -> None:
    outcome, _, peer = await outcome_of(hang, timeout_s=0.5)
    assert outcome == Failure(kind=FailureKind.TIMEOUT, detail="no answer to tools/call within 0.5 s")
    assert "notifications/cancelled" in [asked.message.get("method") for asked in peer.asked]


async def hang(asked: Asked, writer: asyncio.StreamWriter) -> None:
    _ = asked, writer
    await asyncio.Event().wait()


async def test_a_request_that_waits_to_be_sent_fails_when_the_session_closes() -> None:
    changed = "notifications/roots/list_changed"
    async with http_peer({**HANDSHAKE, changed: hang}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=30))
        await session.connect()
        await session.set_roots(())
        async with asyncio.timeout(20):
            while not any(asked.message.get("method") == changed for asked in peer.asked):
                await asyncio.sleep(0.01)
        # The SDK sends nothing else before the notification is answered.
        waiting = asyncio.create_task(session.request("tools/list", {}))
        await asyncio.sleep(0.1)
        await session.close()
        assert isinstance(await asyncio.wait_for(waiting, 20), Failure)


def test_only_the_loggers_of_the_http_client_are_silent() -> None:
    # A test project that uses sightline.testing may have loggers of these names.
    reached = {
        name: logging.getLogger(name).propagate
        for name in ("client", "mcp", "mcp.client", "httpx2", "httpcore2")
    }
    assert reached == {"client": True, "mcp": True, "mcp.client": False, "httpx2": False, "httpcore2": False}


@pytest.mark.parametrize(
    ("reply", "kind", "message", "hint"),
    [
        (
            raw("401 Unauthorized", b"who?"),
            AuthenticationRequiredError,
            "answered HTTP 401: who?",
            "--header",
        ),
        (raw("403 Forbidden", b""), AuthenticationRequiredError, "answered HTTP 403", "--header"),
        (
            raw("403 Forbidden", b"only localhost"),
            AuthenticationRequiredError,
            "only localhost",
            "the host that the server expects",
        ),
        (raw("404 Not Found", b""), UnreachableError, "answered HTTP 404", "Check the path"),
        (
            raw("500 Oops", b"boom", "text/plain"),
            UnreachableError,
            "answered HTTP 500: boom",
            "server's side",
        ),
        (raw("200 OK", b"<html>", "text/html"), UnreachableError, "Unexpected content type", ""),
    ],
)
async def test_an_endpoint_that_cannot_be_used_is_one_clear_error(
    reply: Reply, kind: type[InspectorError], message: str, hint: str
) -> None:
    async with http_peer({"POST": reply, "GET": reply}) as peer:
        session = Session(HttpTarget(url=peer.url("/mcp?token=canary")), Options(connect_timeout_s=5))
        with pytest.raises(kind) as caught:
            await session.connect()
        await session.close()
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "canary" not in caught.value.message


async def test_a_refused_connection_names_the_url() -> None:
    async with http_peer({}) as peer:
        url = peer.url()
    with pytest.raises(
        UnreachableError, match=r"^POST http://127\.0\.0\.1:\d+/mcp: All connection attempts failed"
    ):
        await Session(HttpTarget(url=url), Options()).connect()


async def test_the_session_is_kept_and_deleted_and_headers_are_sent() -> None:
    async with http_peer({**HANDSHAKE}) as peer:
        session = Session(HttpTarget(url=peer.url(), headers=(("X-Team", "a"),)), Options())
        await session.connect()
        assert [tool.name for tool in (await session.list_all()).tools] == ["t"]
        await session.close()
    assert all(asked.headers["x-team"] == "a" for asked in peer.asked)
    listing = next(asked for asked in peer.asked if asked.message.get("method") == "tools/list")
    assert listing.headers["mcp-session-id"] == "s1"
    assert listing.headers["mcp-protocol-version"] == "2025-11-25"
    assert peer.asked[-1].method == "DELETE"


async def test_each_request_of_the_stateless_era_has_its_metadata() -> None:
    discovered: Json = {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "resultType": "complete",
    }
    tool: Json = {
        "name": "tö",
        "inputSchema": {"properties": {"r": {"type": "string", "x-mcp-header": "Region"}}},
    }
    replies = {
        "server/discover": result(discovered),
        "tools/list": result({"tools": [tool]}),
        "tools/call": result({"content": [], "resultType": "complete"}),
    }
    async with http_peer(replies) as peer:
        session = Session(HttpTarget(url=peer.url()), Options())
        facts = await session.connect()
        await session.list_all()
        record = await session.call("tö", {"r": "eu"})
        await session.close()
    assert (facts.era, facts.protocol_version) == (Era.MODERN, "2026-07-28")
    assert isinstance(record.outcome, Result)
    called = next(asked for asked in peer.asked if asked.message["method"] == "tools/call")
    assert called.headers["mcp-protocol-version"] == "2026-07-28"
    assert called.headers["mcp-method"] == "tools/call"
    assert called.headers["mcp-name"] == "=?base64?dMO2?="
    assert called.headers["mcp-param-region"] == "eu"
    meta = called.message["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "sightline"
    assert "initialize" not in [asked.message["method"] for asked in peer.asked]


async def test_a_stateless_tool_with_an_invalid_header_declaration_is_malformed() -> None:
    tools: list[Json] = [
        {"name": name, "inputSchema": {"properties": {"a": {"type": "string", "x-mcp-header": header}}}}
        for name, header in (("good", "A"), ("bad", "A B"))
    ]
    replies = {
        "server/discover": result({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        "tools/list": result({"tools": tools}),
    }
    async with http_peer(replies) as peer:
        session = Session(HttpTarget(url=peer.url()), Options())
        await session.connect()
        catalogue = await session.list_all()
        await session.close()
    assert [tool.name for tool in catalogue.tools] == ["good"]
    assert [(item.name, item.reason.partition(":")[0]) for item in catalogue.malformed] == [
        ("bad", "`x-mcp-header` is not valid")
    ]


async def test_a_refused_revision_is_retried_once_with_a_common_one() -> None:
    answers = [
        raw(
            "400 Bad Request",
            b'{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"no",'
            b'"data":{"supported":["2026-07-28","2099-01-01"]}}}',
        ),
        result({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
    ]

    async def discover(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await answers.pop(0)(asked, writer)

    async with http_peer({"server/discover": discover}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options())
        assert (await session.connect()).era is Era.MODERN
        await session.close()


async def test_progress_and_logs_of_a_stream_are_reported_as_they_arrive() -> None:
    async def stream(asked: Asked, writer: asyncio.StreamWriter) -> None:
        token = asked.message["params"]["_meta"]["progressToken"]
        step = {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1},
        }
        log = {
            "jsonrpc": "2.0",
            "method": "notifications/message",
            "params": {"level": "info", "data": "hello"},
        }
        await events(
            *(f"event: message\ndata: {json.dumps(message)}\n\n".encode() for message in (step, log)),
            b'data: {"jsonrpc":"2.0","id":$ID,"result":{}}\n\n',
        )(asked, writer)

    seen: list[Progress] = []
    async with http_peer({**HANDSHAKE, "tools/call": stream}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options())
        await session.connect()
        await session.call("t", {}, on_progress=seen.append)
        await session.close()
    assert seen == [Progress(progress=1, total=None, message=None)]
    assert [entry.detail for entry in session.timeline.entries if entry.kind is EntryKind.LOG] == ["hello"]


async def test_every_body_is_a_frame_with_its_exact_bytes() -> None:
    _, session, peer = await outcome_of(
        raw("200 OK", b'{"jsonrpc":"2.0", "id":$ID, "result": {"b":1, "a":1.10}}')
    )
    bodies = [frame.raw for frame in session.timeline.frames if frame.channel is Channel.HTTP]
    assert any(body.endswith(b'"result": {"b":1, "a":1.10}}') for body in bodies)
    posted = [asked.body for asked in peer.asked if asked.method == "POST"]
    assert [body for body in posted if body not in bodies] == []


def older_server(refusal: str, stream_status: str = "200 OK") -> dict[str, Reply]:
    """A server of the older transport at `/sse`, which answers a POST there with the status `refusal`."""
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    answers: dict[str, Json] = {
        "initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}},
        "tools/list": {"tools": [{"name": "t", "inputSchema": {}}]},
        "tools/call": {"content": [{"type": "text", "text": "ok"}]},
    }

    async def stream(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if stream_status != "200 OK":
            return await raw(stream_status, b"no", "text/plain")(asked, writer)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        writer.write(b"event: endpoint\ndata: /messages?sessionId=1\n\n")
        while True:
            await writer.drain()
            writer.write(b"event: message\ndata: " + await queue.get() + b"\n\n")

    async def take(asked: Asked, writer: asyncio.StreamWriter) -> None:
        message = asked.message
        if asked.path == "/sse":
            return await raw(refusal, b"not here", "text/plain")(asked, writer)
        if message["method"] in answers:
            queue.put_nowait(
                dump({"jsonrpc": "2.0", "id": message["id"], "result": answers[message["method"]]})
            )
        elif "id" in message:
            return await raw("500 Oops", b"unknown", "text/plain")(asked, writer)
        return await ACCEPTED(asked, writer)

    methods = ("initialize", "tools/list", "tools/call", "server/discover", "POST")
    return {"GET": stream, **dict.fromkeys(methods, take)}


async def test_the_older_transport_connects_and_calls() -> None:
    async with http_peer(older_server("404 Not Found")) as peer:
        session = Session(HttpTarget(url=peer.url("/sse"), older_sse=True), Options())
        facts = await session.connect()
        assert facts.protocol_version == "2024-11-05"
        assert [tool.name for tool in (await session.list_all()).tools] == ["t"]
        assert isinstance((await session.call("t", {})).outcome, Result)
        await session.close()


@pytest.mark.parametrize("refusal", ["400 Bad Request", "404 Not Found", "405 Method Not Allowed"])
async def test_a_server_that_refuses_streamable_http_is_tried_over_sse(
    refusal: str,
) -> None:
    async with http_peer(older_server(refusal)) as peer:
        session = Session(HttpTarget(url=peer.url("/sse")), Options())
        assert (await session.connect()).protocol_version == "2024-11-05"
        assert isinstance((await session.call("t", {})).outcome, Result)
        await session.close()
        asked = [one.method for one in peer.asked if one.path == "/sse"]
    assert asked == ["POST", "POST", "GET"]
    entries = session.timeline.entries
    titles = [entry.title for entry in entries if entry.kind in {EntryKind.EXCHANGE, EntryKind.NOTE}]
    assert titles[:2] == ["server/discover", "initialize"]
    assert any(f"answered HTTP {refusal[:3]}" in entry.title + entry.detail for entry in entries)
    assert any("asking for its event stream by GET" in entry.title + entry.detail for entry in entries)
    assert [entry.state for entry in entries if entry.title == "initialize"] == [
        EntryState.FAILED,
        EntryState.DONE,
    ]


@pytest.mark.parametrize(
    ("refusal", "target", "era"),
    [
        ("401 Unauthorized", HttpTarget(url=""), Era.AUTO),
        ("403 Forbidden", HttpTarget(url=""), Era.AUTO),
        ("500 Oops", HttpTarget(url=""), Era.AUTO),
        ("404 Not Found", HttpTarget(url="", is_declared=True), Era.AUTO),
        ("404 Not Found", HttpTarget(url=""), Era.MODERN),
    ],
)
async def test_the_older_transport_is_not_tried_after_other_errors(
    refusal: str, target: HttpTarget, era: Era
) -> None:
    async with http_peer(older_server(refusal)) as peer:
        session = Session(replace(target, url=peer.url("/sse")), Options(era=era))
        with pytest.raises(InspectorError, match=f"answered HTTP {refusal[:3]}"):
            await session.connect()
        await session.close()
        assert {one.method for one in peer.asked} == {"POST"}


async def test_both_reasons_are_shown_if_both_transports_fail() -> None:
    async with http_peer(older_server("405 Method Not Allowed", "410 Gone")) as peer:
        session = Session(HttpTarget(url=peer.url("/sse")), Options())
        with pytest.raises(UnreachableError, match=r"HTTP 405: not here\n.*HTTP 410"):
            await session.connect()
        await session.close()
    async with http_peer(older_server("404 Not Found", "401 Unauthorized")) as peer:
        session = Session(HttpTarget(url=peer.url("/sse")), Options())
        with pytest.raises(AuthenticationRequiredError):
            await session.connect()
        await session.close()


async def test_a_missing_endpoint_of_the_older_transport_is_one_clear_error() -> None:
    async with http_peer({}) as peer:
        session = Session(HttpTarget(url=peer.url("/sse"), older_sse=True), Options())
        with pytest.raises(UnreachableError, match="answered HTTP 404"):
            await session.connect()
        await session.close()
