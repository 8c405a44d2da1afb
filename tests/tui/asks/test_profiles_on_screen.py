"""Another client profile in the interface: chosen, announced to a new connection, and kept after a reconnect."""

import asyncio
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.files import themes
from inspector.json.members import object_at
from inspector.protocol.frames import Direction, Request, messages
from inspector.protocol.targets import Era, StdioTarget
from inspector.recording.files import RecordingFile
from inspector.recording.format import Connected
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.tui.scripted import LARGE, settled, until

SERVER = Path(__file__).parents[2] / "peers" / "asking_server.py"


TARGET = StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), "legacy"))


def interface(opened: list[Session]) -> SightlineApp:
    """The interface on a server. `opened`: gets each session."""

    async def open_session(listener: Listener) -> Session:
        opened.append(Session(TARGET, Options(era=Era.LEGACY), listener))
        return opened[-1]

    return SightlineApp([ServerSource(target=TARGET, opener=open_session)], theme_files=themes.shipped())


def announced(session: Session) -> set[str]:
    sent = (frame for frame in session.timeline.frames if frame.direction is Direction.SENT)
    every = (message for frame in sent for message in messages(frame.body))
    (first,) = (each for each in every if isinstance(each, Request) and each.method == "initialize")
    return set(object_at(first.params, "capabilities"))


async def test_a_chosen_profile_is_announced_from_then_on() -> None:
    opened: list[Session] = []
    app = interface(opened)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "thousand")
        assert "sampling" in announced(opened[0])
        await pilot.press("ctrl+a")
        await settled(pilot, app, "Connect as")
        await pilot.press("tab", "right", "enter")
        await until(pilot, app, lambda text: "  ready  " in text and "reconnected --as none" in text)
        assert announced(opened[1]) == set()
        assert "not supported" in str((await opened[1].call("form", {})).outcome)
        await pilot.press("R")
        async with asyncio.timeout(20):
            while len(opened) < 3 or opened[2].server is None:
                await pilot.pause(0.02)
        assert announced(opened[2]) == set()


async def recording_to(pilot: Pilot[None], app: SightlineApp, path: Path) -> None:
    """Record everything since the start."""
    await pilot.press("w")
    await settled(pilot, app, "Enter record")
    app.screen.query(Input).first().value = str(path)
    await pilot.press("enter")
    await settled(pilot, app, "● recording")


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
async def test_a_recording_says_where_the_profile_changes(tmp_path: Path, is_before: bool) -> None:  # noqa: FBT001
    path = tmp_path / "session.jsonl"
    app = interface([])
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "thousand")
        if is_before:
            await recording_to(pilot, app, path)
        await pilot.press("ctrl+a")
        await settled(pilot, app, "Connect as")
        await pilot.press("tab", "right", "enter")
        await settled(pilot, app, "reconnected --as none")
        await until(pilot, app, lambda text: "  ready  " in text and "--as none" in text)
        if not is_before:
            await recording_to(pilot, app, path)
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
    file = RecordingFile(path)
    lines = list(file.lines())
    file.close()
    assert file.header.client == "full"
    assert [(line.number, line.client) for line in lines if isinstance(line, Connected)] == [(2, "none")]


async def test_a_question_that_the_stateless_era_does_not_have_is_asked_after_a_handshake() -> None:
    target = StdioTarget(command=(sys.executable, str(SERVER.with_name("eliciting_server.py"))))

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(), listener)

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        text = await until(pilot, app, lambda text: "^a connects with a handshake" in " ".join(text.split()))
        assert "elicitation/create during a call" in text
        await pilot.press("ctrl+a")
        # The era in which the server can ask is chosen already.
        await settled(pilot, app, "< legacy >")
        await pilot.press("up", "enter")
        await settled(pilot, app, "This is how Sightline is connected now.")
        await pilot.press("down", "enter")
        await until(pilot, app, lambda text: "  ready  " in text and "MCP 2025-11-25  1 tool" in text)
        await settled(pilot, app, "r repeats the call")
        await pilot.press("r")
        await settled(pilot, app, "Who are you?")
        await pilot.press("escape")
