"""A call that the server turns into a task, in the interface."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.files import themes
from inspector.protocol.targets import Era, StdioTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.tui.scripted import LARGE, settled

SERVER = Path(__file__).parents[2] / "peers" / "tasking_server.py"
SECRET = "canary-51c0"


@asynccontextmanager
async def calling(era: Era, tool: str) -> AsyncGenerator[tuple[SightlineApp, Pilot[None]]]:
    """The interface, after `tool` was called."""
    target = StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), era.value))

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(era=era), listener)

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "thousand")
        await pilot.press("slash", *tool, "enter")
        await settled(pilot, app, f"{tool} ")
        await pilot.press("enter", "enter")
        yield app, pilot


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_a_task_is_one_row_and_its_result_is_masked_like_any_other(era: Era) -> None:
    async with calling(era, "secret") as (app, pilot):
        await settled(pilot, app, "#1 done")
        text = await settled(pilot, app, "#1 secret  ok")
        assert "kept" in text
        assert "x-sensitive" in text
        rows = [line for line in text.splitlines() if "#1 secret" in line]
        assert len(rows) == 1
        assert "tasks/get" not in text
        assert SECRET not in text


async def test_a_running_task_shows_its_next_poll_and_escape_cancels_it() -> None:
    async with calling(Era.MODERN, "endless") as (app, pilot):
        await settled(pilot, app, "task working: thinking")
        await settled(pilot, app, "asks again in 0.")
        await pilot.press("escape")
        await settled(pilot, app, "cancelled after")
        await settled(pilot, app, "the task was cancelled")
