"""Answers over HTTP that are broken, endless, or lead elsewhere: one clear message, and only the affected request fails."""

import asyncio
import gzip
import resource

import pytest

from inspector.connect.http_tap import endpoint_fault
from inspector.errors import UnreachableError
from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.protocol.targets import HttpTarget
from inspector.session.live import Session
from inspector.session.options import Options
from tests.peers.http_server import HANDSHAKE, Asked, Reply, events, http_peer, raw, result

OK = b'{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}'
LIBRARIES = ("pydantic", "validation error", "Traceback", "zlib", "Error -3")
SMALL_BYTES = 1024 * 1024


def stream(body: bytes, kind: str = "text/event-stream", **headers: str) -> Reply:
    return raw("200 OK", body, kind, **headers)


async def endless(asked: Asked, writer: asyncio.StreamWriter, kind: str, start: bytes) -> None:
    """Megabytes, until the client closes the connection."""
    _ = asked
    writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode() + start)
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def test_an_unreadable_answer_is_described_and_fails_only_its_call() -> None:
    zipped = gzip.compress(b"x" * 1000)
    cases: list[tuple[Reply, str]] = [
        (events(b"data: {broken\n\n"), "sent an event that is not a JSON-RPC message: not JSON: "),
        (events(b'data: {"jsonrpc":"2.0"}\n\n'), "neither method, result nor error"),
        (events(b"data: \x1b[31m\xff\n\n"), "not JSON"),
        (events(b'data: {"jsonrpc":"2.0","id":$ID,"resu'), "without an answer within an event: data:"),
        (raw("200 OK", b"{broken"), "sent a body that is not a JSON-RPC message: not JSON: "),
        (raw("200 OK", b""), "sent a body that is not a JSON-RPC message: it is empty"),
        (raw("200 OK", b"[1, 2]"), "not an object: [1, 2]"),
        (raw("200 OK", b'{"jsonrpc":"2.0","id":99,"result":{}}'), "does not answer the request: {"),
        (raw("200 OK", b"\x00\x01", content_encoding="br"), "the content encoding `br`"),
        (stream(b"\x00\x01", content_encoding="zstd"), "the content encoding `zstd`"),
        (raw("200 OK", b"no gzip", content_encoding="gzip"), "not a valid `gzip`"),
        (raw("200 OK", zipped, content_encoding="gzip, br"), "the content encoding `gzip, br`"),
        (raw("200 OK", OK.decode().encode("utf-16")), "sent JSON in UTF-16"),
        (
            raw("200 OK", OK.decode().encode("utf-16-le"), "application/json; charset=utf-16le"),
            "sent JSON in utf-16le",
        ),
        (stream(b"data: 1\n\n", "text/event-stream; charset=utf-16"), "sent events in utf-16"),
        (stream("data: 1\n\n".encode("utf-16")), "sent events in UTF-16"),
    ]
    async with http_peer({**HANDSHAKE}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=10))
        await session.connect()
        for reply, words in cases:
            peer.replies["tools/call"] = reply
            outcome = (await session.call("t", {})).outcome
            assert isinstance(outcome, Failure), words
            assert outcome.kind is FailureKind.PROTOCOL, words
            assert words in outcome.detail
            assert f"POST {peer.url()} " in outcome.detail
            assert "not sent again" in outcome.detail
            assert not [word for word in LIBRARIES if word in outcome.detail]
        peer.replies["tools/call"] = stream(OK.join((b"data: ", b"\n\n")))
        assert isinstance((await session.call("t", {})).outcome, Result)
        await session.close()


async def test_an_event_ends_at_a_bare_carriage_return() -> None:
    """Also if nothing follows, and if a message is one that the SDK would not accept."""

    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        odd = b'data: {"jsonrpc":"2.0","method":"notifications/x","params":[1]}\r\r'
        writer.write(odd + b"data: " + OK.replace(b"$ID", str(asked.id).encode()) + b"\r\r")
        await writer.drain()
        await answered.wait()

    answered = asyncio.Event()
    async with http_peer({**HANDSHAKE, "tools/call": reply}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=5))
        await session.connect()
        assert isinstance((await session.call("t", {})).outcome, Result)
        answered.set()
        await session.close()


@pytest.mark.parametrize(
    ("kind", "start", "what"),
    [
        ("application/json", b'{"jsonrpc":"2.0","result":"', "a body of more than 1,048,576 bytes"),
        ("text/event-stream", b"data: ", "an event of more than 1,048,576 bytes"),
    ],
)
async def test_an_endless_answer_is_not_read_to_its_end(kind: str, start: bytes, what: str) -> None:
    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await endless(asked, writer, kind, start)

    async with http_peer({**HANDSHAKE, "tools/call": reply}) as peer:
        session = Session(HttpTarget(url=peer.url()), Options(timeout_s=20, max_message_bytes=SMALL_BYTES))
        await session.connect()
        before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        outcome = (await session.call("t", {})).outcome
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 32 * 1024
        assert isinstance(outcome, Failure)
        assert f"sent {what}: reading was stopped" in outcome.detail
        peer.replies["tools/call"] = result({"content": []})
        assert isinstance((await session.call("t", {})).outcome, Result)
        await session.close()


async def test_an_endless_error_body_is_not_read_to_its_end() -> None:
    async def reply(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 500 Oops\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n")
        while asked:
            writer.write(b"x" * 65536)
            await writer.drain()

    async with http_peer({"POST": reply}) as peer:
        session = Session(
            HttpTarget(url=peer.url()), Options(connect_timeout_s=20, max_message_bytes=SMALL_BYTES)
        )
        with pytest.raises(UnreachableError, match="more than 1,048,576 bytes"):
            await session.connect()
        await session.close()


async def test_an_endpoint_of_another_origin_is_refused_with_the_reason() -> None:
    async with http_peer({}) as other, http_peer({}) as peer:
        cases = {
            f"http://127.0.0.1:{other.port}/messages": "at another port",
            f"https://127.0.0.1:{peer.port}/messages": "another scheme",
            f"http://user:pass@127.0.0.1:{peer.port}/messages": "user information",
            f"http:\\\\127.0.0.1:{other.port}\\messages": "a backslash",
            f"\\\\127.0.0.1:{other.port}/messages": "a backslash",
            f"http://localhost:{peer.port}/messages": "another host",
            f"//localhost:{peer.port}/messages": "another host",
            "file:///etc/passwd": "another scheme",
            "": "not a URL",
            "http://[": "not a URL",
        }
        for url, reason in cases.items():
            peer.replies["GET"] = events(f"event: endpoint\ndata: {url}\n\n".encode(), b": more\n\n")
            session = Session(HttpTarget(url=peer.url("/sse"), older_sse=True), Options(connect_timeout_s=30))
            with pytest.raises(UnreachableError, match=reason) as caught:
                async with asyncio.timeout(30):
                    await session.connect()
            assert caught.value.message.count("GET http") == 1
            assert "MCP endpoint" in caught.value.hint
            await session.close()
        assert not other.asked
        assert {asked.method for asked in peer.asked} == {"GET"}


async def test_an_older_server_without_an_endpoint_event_times_out() -> None:
    async def silent(asked: Asked, writer: asyncio.StreamWriter) -> None:
        _ = asked
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        await writer.drain()
        await asyncio.Event().wait()

    async with http_peer({"GET": silent}) as peer:
        session = Session(HttpTarget(url=peer.url("/sse"), older_sse=True), Options(connect_timeout_s=0.3))
        with pytest.raises(UnreachableError, match=r"no `endpoint` event within 0\.3 s"):
            await session.connect()
        await session.close()


def test_an_endpoint_of_the_same_origin_is_accepted() -> None:
    for own, named in (
        ("http://127.0.0.1:1/sse", "/messages?session=1"),
        ("http://127.0.0.1:1/sse", "http://127.0.0.1:1/messages"),
        ("http://LOCALHOST/sse", "http://localhost:80/messages"),
        ("https://user:pass@a.example/sse", "messages"),
    ):
        assert endpoint_fault(own, named) == "", (own, named)
