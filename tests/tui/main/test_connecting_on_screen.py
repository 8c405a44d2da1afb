"""What is on the screen while a server does not answer."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from inspector.boundary.options import Level
from inspector.files import themes
from inspector.protocol.targets import StdioTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.driven import drives
from tests.tui.scripted import SMALL
from tests.tui.watched import shows

SILENT = "import sys\nfor line in sys.stdin:\n    pass\n"


@pytest.mark.parametrize("size", [SMALL, (140, 45)])
async def test_a_server_that_does_not_answer_is_waited_for_with_seconds_limit_and_a_hint(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    drives()
    file = tmp_path / "silent.py"
    file.write_text(SILENT)
    target = StdioTarget(command=(sys.executable, "-S", str(file)), cwd=str(tmp_path))

    sessions: list[Session] = []

    async def opened(listener: Listener) -> Session:
        sessions.append(Session(target, Options(is_quick_to_end=True, connect_timeout_s=30), listener))
        return sessions[0]

    app = SightlineApp(
        [ServerSource(target=target, opener=opened)], level=Level.DECLARED, theme_files=themes.shipped()
    )
    async with app.run_test(size=size):
        text = await shows(app, "Connecting to")
        assert "without an answer" not in text or sessions[0].now_s >= 2
        text = await shows(app, " s of 30 s without an answer", "Is this an")
        assert re.search(r"[1-9][0-9]* s of 30 s without", text)
        assert re.search(r"to (initialize|server/discover)\. Is this", text)
        app.leave()
        while app.return_code is None:
            await asyncio.sleep(0.01)


async def test_the_header_says_connecting_from_the_start() -> None:
    async def opened(_listener: Listener) -> Session:
        await asyncio.Event().wait()
        raise AssertionError

    app = SightlineApp(
        [ServerSource(target=StdioTarget(command=("true",)), opener=opened)],
        level=Level.DECLARED,
        theme_files=themes.shipped(),
    )
    async with app.run_test(size=(140, 45)):
        text = await shows(app, "Connecting to")
        assert "  connecting  " in text.splitlines()[0]
        app.leave()
        while app.return_code is None:
            await asyncio.sleep(0.01)
