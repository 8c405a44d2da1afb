"""Roots in the interface: shown, added, removed, and sent to a server of the handshake era."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.files import themes
from inspector.files.roots import root_of
from inspector.protocol.frames import Direction
from inspector.protocol.targets import Era, StdioTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.tui.scripted import LARGE, settled

SERVER = Path(__file__).parents[2] / "peers" / "asking_server.py"
CHANGED = b"notifications/roots/list_changed"


def sent(session: Session) -> bytes:
    frames = session.timeline.frames
    return b"\n".join(frame.raw for frame in frames if frame.direction is Direction.SENT)


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_roots_are_added_and_removed_and_kept_after_a_reconnection(tmp_path: Path, era: Era) -> None:
    (first := tmp_path / "first").mkdir()
    (second := tmp_path / "second").mkdir()
    target = StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), era.value))
    opened: list[Session] = []

    async def open_session(listener: Listener) -> Session:
        opened.append(Session(target, Options(era=era, roots=(root_of(first),)), listener))
        return opened[-1]

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "thousand")
        await pilot.press("ctrl+t")
        text = await settled(pilot, app, "Roots: 1 folder")
        # A long path is wrapped.
        assert "first" in re.sub(r"[\s│]", "", text)
        await pilot.press(*"nowhere", "enter")
        await settled(pilot, app, "There is no folder nowhere")
        assert CHANGED not in sent(opened[0])
        app.screen.query_one(Input).value = str(second)
        await pilot.press("tab", "right", "enter")
        words = "Sent to the server" if era is Era.LEGACY else "Not sent: the stateless protocol"
        await settled(pilot, app, words)
        assert (CHANGED in sent(opened[0])) is (era is Era.LEGACY)
        assert opened[0].options.roots == opened[0].asker.roots == (root_of(second),)
        await settled(pilot, app, "1 folder from now on")
        await pilot.press("R")
        await settled(pilot, app, "thousand")
        async with asyncio.timeout(30):
            while len(opened) < 2 or opened[1].catalogue.tool("roots") is None:
                await pilot.pause(0.05)
        await opened[-1].call("roots", {})
        assert "second" in str([frame.raw for frame in opened[-1].timeline.frames])
