"""A server that ended the session, was restarted or was unreachable is connected to again by the next call; nothing is executed twice."""

import asyncio
import os
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from inspector.connect.http import TIME_LIMITS
from inspector.errors import NotConfirmedError, UnreachableError
from inspector.json.exact import Json
from inspector.protocol.frames import Request, messages
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result
from inspector.protocol.targets import Era, HttpTarget
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.recording.checking import checked
from inspector.recording.files import Break, Recorder, RecordingFile
from inspector.recording.format import Connected, Lenses, Projected
from inspector.recording.target import header_of, secret_values
from inspector.session.events import Event, SessionState, StateChanged
from inspector.session.live import Session
from inspector.session.options import Options
from tests.cli.sightline import spawned
from tests.connect.real_servers import PEERS
from tests.peers.http_server import HANDSHAKE, Asked, Reply, http_peer, raw, result, torn

EXPIRED = raw(
    "404 Not Found", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'
)
PATIENCE_S = 20


class Watched(Session):
    """A session that keeps its states, and can be awaited."""

    def __init__(self, target: HttpTarget, options: Options | None = None) -> None:
        self.states: list[StateChanged] = []
        self._changed = asyncio.Event()
        super().__init__(target, options or Options(timeout_s=10), self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, StateChanged):
            self.states.append(event)
            self._changed.set()

    async def is_in(self, state: SessionState) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self.state is not state:
                self._changed.clear()
                await self._changed.wait()

    async def outcome(self, **arguments: Json) -> Outcome:
        return (await self.call("t", arguments)).outcome


def sessions(valid: set[str]) -> dict[str, Reply]:
    """A server of the handshake era that accepts the sessions in `valid` and adds one at each `initialize`."""

    async def initialize(asked: Asked, writer: asyncio.StreamWriter) -> None:
        made.append(f"s{len(made) + 1}")
        valid.add(made[-1])
        value: Json = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        await result(value, mcp_session_id=made[-1])(asked, writer)

    def known(reply: Reply) -> Reply:
        async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
            is_known = asked.headers.get("mcp-session-id") in valid
            await (reply if is_known else EXPIRED)(asked, writer)

        return answer

    made: list[str] = []
    listed: Json = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
    return {
        **HANDSHAKE,
        "initialize": initialize,
        "tools/list": known(result(listed)),
        "tools/call": known(result({"content": []})),
    }


def methods(asked: list[Asked]) -> list[str]:
    return [one.message.get("method") or one.method for one in asked]


async def test_after_a_session_ended_a_new_one_is_initialized_and_the_call_resent(tmp_path: Path) -> None:
    valid: set[str] = set()
    async with http_peer(sessions(valid)) as peer:
        target = HttpTarget(url=peer.url())
        header = header_of(target, Lenses(), created="2026-11-21T00:00:00Z", software="mcp-sightline 0")
        path = tmp_path / "a.jsonl"
        recorder = Recorder(path, header, secret_values=secret_values(target))
        session = Watched(target, Options(timeout_s=10, recorder=recorder))
        await session.connect()
        await session.list_all()
        assert isinstance(await session.outcome(n=1), Result)
        valid.clear()
        before = len(peer.asked)
        assert isinstance(await session.outcome(n=2), Result)
        await session.close()
        await asyncio.to_thread(recorder.close)
    assert [method for method in methods(peer.asked[before:]) if method != "GET"] == [
        "tools/call",
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call",
        "DELETE",
    ]
    assert peer.asked[-1].headers["mcp-session-id"] == "s2"
    (again,) = [state for state in session.states if state.state is SessionState.READY and state.message]
    assert "connected again, and listing again" in again.message
    assert "HTTP 404" in again.message
    notes = [entry.title for entry in session.timeline.entries if entry.kind is EntryKind.NOTE]
    assert any(note.startswith("connecting again: POST") for note in notes)
    frames = session.timeline.frames
    assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
    assert [frame.at_s for frame in frames] == sorted(frame.at_s for frame in frames)
    sent = [
        message.id for frame in frames for message in messages(frame.body) if isinstance(message, Request)
    ]
    assert len(sent) == len(set(map(str, sent)))
    assert not [entry for entry in session.timeline.entries if entry.state is EntryState.PENDING]
    file = RecordingFile(path)
    lines = [line for line in file.lines() if not isinstance(line, Break)]
    file.close()
    assert len([line for line in lines if isinstance(line, Connected)]) == 1
    assert len([line for line in lines if isinstance(line, Projected)]) == 2
    assert [call.mismatches for call in checked(lines)] == [(), ()]


async def test_a_new_session_that_ends_too_fails_the_call_after_one_retry() -> None:
    async with http_peer(sessions(set())) as peer:
        session = Watched(HttpTarget(url=peer.url()))
        await session.connect()
        await session.list_all()
        peer.replies["tools/call"] = EXPIRED
        before = len(peer.asked)
        outcome = await session.outcome()
        assert isinstance(outcome, Failure)
        assert outcome.kind is FailureKind.SESSION_ENDED
        assert methods(peer.asked[before:]).count("initialize") == 1
        assert methods(peer.asked[before:]).count("tools/call") == 2
        peer.replies["tools/list"] = EXPIRED
        with pytest.raises(UnreachableError, match="tools cannot be listed"):
            await session.list_all()
        await session.close()


async def test_concurrent_calls_share_one_new_session_even_if_one_is_cancelled() -> None:
    valid: set[str] = set()
    async with http_peer(sessions(valid)) as peer:
        session = Watched(HttpTarget(url=peer.url()))
        await session.connect()
        await session.list_all()
        valid.clear()
        before = len(peer.asked)
        calls = [asyncio.ensure_future(session.outcome(n=n)) for n in range(4)]
        await session.is_in(SessionState.CONNECTING)
        calls[0].cancel()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(outcome, Result) for outcome in outcomes[1:])
        assert methods(peer.asked[before:]).count("initialize") == 1
        await session.close()


async def test_a_tool_that_changed_during_the_reconnect_is_not_called() -> None:
    valid: set[str] = set()
    async with http_peer(sessions(valid)) as peer:
        session = Watched(HttpTarget(url=peer.url()))
        await session.connect()
        await session.list_all()
        valid.clear()
        changed: Json = {"tools": [{"name": "t", "description": "Other.", "inputSchema": {"type": "object"}}]}
        peer.replies["tools/list"] = result(changed)
        before = len(peer.asked)
        with pytest.raises(NotConfirmedError, match="the definition of this tool has changed"):
            await session.outcome()
        assert methods(peer.asked[before:]).count("tools/call") == 1
        assert isinstance(await session.outcome(), Result)
        await session.close()


async def test_a_call_with_a_lost_answer_is_not_sent_again() -> None:
    async with http_peer({**HANDSHAKE, "tools/call": torn}) as peer:
        session = Watched(HttpTarget(url=peer.url()))
        await session.connect()
        await session.list_all()
        outcome = await session.outcome()
        # The server still accepts connections: it broke only this one.
        assert session.state is SessionState.READY
        await session.close()
    assert isinstance(outcome, Failure)
    assert "may have been executed: it is not sent again" in outcome.detail
    assert methods(peer.asked).count("tools/call") == 1


async def test_an_unknown_method_does_not_end_the_session() -> None:
    unknown = b'{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"no"}}'
    async with http_peer({**HANDSHAKE, "tools/call": raw("404 Not Found", unknown)}) as peer:
        session = Watched(HttpTarget(url=peer.url()))
        await session.connect()
        await session.outcome()
        await session.close()
    assert methods(peer.asked).count("initialize") == 1


async def test_a_command_reports_that_it_connected_again() -> None:
    valid: set[str] = set()
    replies = sessions(valid)

    async def forget(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await replies["tools/list"](asked, writer)
        valid.clear()

    async with http_peer({**replies, "tools/list": forget}) as peer:
        forgetting = dict(peer.replies)

        async def call(asked: Asked, writer: asyncio.StreamWriter) -> None:
            peer.replies["tools/list"] = replies["tools/list"]
            await forgetting["tools/call"](asked, writer)

        peer.replies["tools/call"] = call
        ran = await asyncio.to_thread(spawned, "call", "t", peer.url())
    assert ran.code == 0
    assert "connected again, and listing again: POST" in ran.err


async def test_an_unreachable_server_is_not_ready_until_the_next_call_reaches_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = int(chosen.getsockname()[1])
    async with http_peer({**HANDSHAKE}, port) as peer:
        session = Watched(HttpTarget(url=peer.url()))
        await session.connect()
        await session.list_all()
    # Only the call shows it: there is no event stream.
    outcome = await session.outcome()
    assert isinstance(outcome, Failure)
    assert "may have been executed" not in outcome.detail
    await session.is_in(SessionState.LOST)
    outcome = await session.outcome()
    assert isinstance(outcome, Failure)
    assert "All connection attempts failed" in outcome.detail
    assert session.state is SessionState.LOST
    async with http_peer({**HANDSHAKE, "tools/call": result({"content": []})}, port):
        assert isinstance(await session.outcome(), Result)
        assert session.state is SessionState.READY
        assert "All connection attempts failed" in session.states[-1].message
        await session.close()


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_a_server_killed_during_a_call_is_no_longer_ready(era: Era) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "inspector.demo", "http", stderr=PIPE, cwd=Path(__file__).parents[2]
    )
    assert process.stderr
    url = (await process.stderr.readline()).decode().split()[-1]
    session = Watched(HttpTarget(url=url), Options(era=era))
    try:
        await session.connect()
        calling = asyncio.ensure_future(session.call("export_report", {"seconds": 30}))
        await asyncio.sleep(1)
        process.kill()
        await process.wait()
        outcome = (await calling).outcome
        assert isinstance(outcome, Failure)
        assert "may have been executed: it is not sent again" in outcome.detail
        assert session.state is SessionState.LOST
        assert "may have been executed" not in session.states[-1].message
    finally:
        await session.close()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def test_reading_an_answer_has_no_separate_time_limit() -> None:
    assert TIME_LIMITS.read is None
    assert isinstance(TIME_LIMITS, httpx2.Timeout)
    assert TIME_LIMITS.connect == 10


async def test_an_answer_is_limited_by_the_request_timeout_and_not_by_connecting() -> None:
    async def slow(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2.3)
        await result({"content": []})(asked, writer)

    async with http_peer({**HANDSHAKE, "tools/call": slow}) as peer:
        session = Watched(HttpTarget(url=peer.url()), Options(timeout_s=10, connect_timeout_s=2))
        await session.connect()
        assert isinstance(await session.outcome(), Result)
        await session.close()


async def everything(mode: str, port: int) -> Process:
    """`server-everything`, once it listens."""
    process = await asyncio.create_subprocess_exec(
        "node",
        str(PEERS / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
        mode,
        env={**os.environ, "PORT": str(port)},
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return process
            await asyncio.sleep(0.02)


async def test_a_real_server_of_the_older_transport_is_detected_by_its_url_alone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = int(chosen.getsockname()[1])
    process = await everything("sse", port)
    session = Watched(HttpTarget(url=f"http://127.0.0.1:{port}/sse"))
    try:
        await session.connect()
        assert isinstance((await session.call("echo", {"message": "one"})).outcome, Result)
        await session.close()
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize(("mode", "path"), [("streamableHttp", "/mcp"), ("sse", "/sse")])
async def test_a_real_server_restarted_between_two_calls_is_reached_again(mode: str, path: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = int(chosen.getsockname()[1])
    target = HttpTarget(url=f"http://127.0.0.1:{port}{path}", older_sse=mode == "sse")
    session = Watched(target)

    async def said(text: str) -> Outcome:
        return (await session.call("echo", {"message": text})).outcome

    async def ended(process: Process, then: Callable[[], Awaitable[None]]) -> None:
        process.kill()
        await process.wait()
        await then()

    process = await everything(mode, port)
    try:
        await session.connect()
        tools = [tool.name for tool in (await session.list_all()).tools]
        assert isinstance(await said("one"), Result)

        async def noticed() -> None:
            if target.older_sse:
                await session.is_in(SessionState.LOST)

        await ended(process, noticed)
        process = await everything(mode, port)
        assert await said("two") == Result(value={"content": [{"type": "text", "text": "Echo: two"}]})
        assert session.state is SessionState.READY
        assert [tool.name for tool in session.catalogue.tools] == tools
        again = [state for state in session.states if state.state is SessionState.READY and state.message]
        assert "connected again" in again[-1].message
        await session.close()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
