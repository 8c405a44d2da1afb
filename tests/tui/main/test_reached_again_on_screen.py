"""A server that disconnects and returns, as the interface shows it: no key is needed."""

import asyncio
import json
import socket
import sys
from contextlib import AsyncExitStack

from inspector.files import themes
from inspector.json.exact import Json
from inspector.protocol.targets import HttpTarget, StdioTarget
from inspector.session.events import Listener, SessionState
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.cli.sightline import ROOT
from tests.peers.http_server import ACCEPTED, Asked, Reply, http_peer
from tests.tui.scripted import LARGE, settled, until

ANSWERS: dict[str, Json] = {
    "initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}},
    "tools/list": {
        "tools": [{"name": "clock", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]
    },
    "tools/call": {"content": [{"type": "text", "text": "It is noon."}]},
}


def older_server() -> dict[str, Reply]:
    """A server of the older transport, which ends with its one event stream."""
    streams: list[asyncio.StreamWriter] = []

    async def stream(asked: Asked, writer: asyncio.StreamWriter) -> None:
        _ = asked
        streams.append(writer)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        writer.write(b"event: endpoint\ndata: /messages\n\n")
        await writer.drain()
        await asyncio.Event().wait()

    async def take(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await ACCEPTED(asked, writer)
        method = asked.message["method"]
        if method in ANSWERS:
            answer = {"jsonrpc": "2.0", "id": asked.id, "result": ANSWERS[method]}
            streams[-1].write(b"data: " + json.dumps(answer).encode() + b"\n\n")

    replies: dict[str, Reply] = dict.fromkeys((*ANSWERS, "server/discover", "POST"), take)
    replies["GET"] = stream
    return replies


async def test_a_server_that_returns_is_connected_again_without_a_key() -> None:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = int(chosen.getsockname()[1])
    target = HttpTarget(url=f"http://127.0.0.1:{port}/sse", older_sse=True)

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(timeout_s=20, connect_timeout_s=5), listener)

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    served = AsyncExitStack()
    # The interface connects as soon as it runs.
    await served.enter_async_context(http_peer(older_server(), port))
    async with served, app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "Tools 1")
        await settled(pilot, app, "ready")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await served.aclose()
        text = await settled(pilot, app, "disconnected")
        assert "The next call connects again." in text
        assert "It is noon." in text
        async with http_peer(older_server(), port):
            await pilot.press("r")
            text = await settled(pilot, app, "#2 done")
            text = await settled(pilot, app, "connected again")
            assert "disconnected" not in text.splitlines()[0]
            assert "ready" in text.splitlines()[0]
            await pilot.press("t")
            await settled(pilot, app, "connecting again")


async def test_a_server_is_started_again_only_after_the_one_before_has_ended() -> None:
    # It never answers the end of a subscription, so each closing takes a while.
    command = (sys.executable, str(ROOT / "tests" / "peers" / "subscribing_server.py"), "silent")
    target = StdioTarget(command=command)
    opened: list[Session] = []
    states: list[set[SessionState]] = []

    async def open_session(listener: Listener) -> Session:
        states.append({each.state for each in opened})
        opened.append(Session(target, Options(is_quick_to_end=True), listener))
        return opened[-1]

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "U subscribe")
        await pilot.press("U")
        await settled(pilot, app, "U unsubscribes")
        await pilot.press("R")
        await until(pilot, app, lambda _: "unsubscribe" in opened[0].timeline.entries[-1].title)
        await pilot.press("R", "R")
        await until(pilot, app, lambda _: len(opened) > 1 and opened[-1].state is SessionState.READY)
    assert states == [set(), {SessionState.CLOSED}]
