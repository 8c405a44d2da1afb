"""A server that Sightline did not start: it is connected to again when it returns."""

import asyncio
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from inspector.files import themes
from inspector.files.watching import watching_of
from inspector.protocol.targets import HttpTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.driven import drives
from tests.peers.ports import free_port
from tests.tui.scripted import LARGE
from tests.tui.watched import shows

ROOT = Path(__file__).parents[3]


@contextmanager
def served(port: int) -> Generator[None]:
    process = subprocess.Popen(
        (sys.executable, "-m", "inspector.demo", "http", "--port", str(port)),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


async def test_the_last_call_is_repeated_when_the_server_returns(tmp_path: Path) -> None:
    drives()
    port = free_port()
    target = HttpTarget(url=f"http://127.0.0.1:{port}/mcp")
    saved = tmp_path / "server.py"
    saved.touch()

    async def opened(listener: Listener) -> Session:
        return Session(target, Options(connect_timeout_s=10), listener)

    app = SightlineApp(
        [ServerSource(target=target, opener=opened)],
        theme_files=themes.shipped(),
        watching=watching_of(target, (str(saved),)),
    )
    async with app.run_test(size=LARGE) as pilot:
        # It may be started after Sightline.
        await shows(app, "The server is away", "All connection attempts failed")
        with served(port):
            await shows(app, "connected again", "clean_clock")
            await shows(app, "Tools 20", "Prompts 2")
            await pilot.press("slash")
            await shows(app, "Enter keep")
            await pilot.press(*"clean_clock")
            await shows(app, "▹ clean_clock")
            await pilot.press("enter", "enter")
            await shows(app, "Enter call")
            await pilot.press("enter")
            await shows(app, "#1 done")
            saved.write_text("1")
            await shows(app, "server.py saved: connected again, clean_clock called again", "#2 done")
        await shows(app, "The server is away", "#2 done")
        with served(port):
            await shows(app, "the server returned: connected again, clean_clock called again", "#3 done")
            app.leave()
            while app.return_code is None:
                await asyncio.sleep(0.01)
