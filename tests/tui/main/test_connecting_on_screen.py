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
from tests.tui.scripted import SMALL, screen_text
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

    async def opened(listener: Listener) -> Session:
        return Session(target, Options(is_quick_to_end=True, connect_timeout_s=6), listener)

    app = SightlineApp(
        [ServerSource(target=target, opener=opened)], level=Level.DECLARED, theme_files=themes.shipped()
    )
    async with app.run_test(size=size):
        await shows(app, "Connecting to")
        assert "no answer" not in screen_text(app)
        text = await shows(app, "no answer to", "of 6 s")
        flat = re.sub(r"\s+", " ", re.sub(r"[│▎▏]", " ", text))
        assert re.search(r"no answer to \S+ yet, \d s of 6 s", flat)
        assert "Is this an MCP server on stdio?" in re.sub(r" +", " ", flat)
        await shows(app, "no answer to initialize", absent="Connecting to")
        app.leave()
        while app.return_code is None:
            await asyncio.sleep(0.01)
