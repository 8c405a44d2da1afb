"""A real server that is edited while it is watched, and the screen that watches it."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from inspector.boundary.options import Level
from inspector.files import themes
from inspector.files.watching import watching_of
from inspector.protocol.targets import StdioTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.driven import drives
from tests.peers.edited_server import source
from tests.tui.scripted import LARGE, screen_text


class Edited:
    """A server in a folder of its own, and the screen that watches it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "server"
        self.folder.mkdir()
        self.file = self.folder / "server.py"
        self.pids = folder / "pids"
        self.save()

    def save(self, **changes: str | tuple[str, ...] | dict[str, bool]) -> None:
        self.file.write_text(source(str(self.pids), **changes))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

    @property
    def started(self) -> list[int]:
        return [int(line) for line in self.pids.read_text().split()]

    @property
    def calls(self) -> list[str]:
        """The tools that were called, in order."""
        made = Path(f"{self.pids}.calls")
        return made.read_text().split() if made.exists() else []


async def shows(app: SightlineApp, *texts: str, absent: str = "") -> str:
    """The screen once it shows all texts; fails after 40 s."""
    until = time.monotonic() + 40
    while True:
        screen = screen_text(app)
        if all(text in screen for text in texts) and (not absent or absent not in screen):
            return screen
        assert time.monotonic() < until, f"{texts} are not shown:\n{screen}"
        await asyncio.sleep(0.02)


@asynccontextmanager
async def watched(
    edited: Edited, *, notifications: bool = False
) -> AsyncGenerator[tuple[Pilot[None], SightlineApp]]:
    drives()
    target = StdioTarget(command=(sys.executable, "-S", str(edited.file)), cwd=str(edited.folder))

    async def opened(listener: Listener) -> Session:
        return Session(target, Options(is_quick_to_end=True), listener)

    app = SightlineApp(
        [ServerSource(target=target, opener=opened)],
        level=Level.DECLARED,
        theme_files=themes.shipped(),
        watching=watching_of(target, ()),
    )
    async with app.run_test(size=LARGE, notifications=notifications) as pilot:
        await shows(app, "Watching", "3 tools", "Reads.")
        yield pilot, app
        app.leave()
        while app.return_code is None:
            await asyncio.sleep(0.01)
    await asyncio.to_thread(ended, edited.started)


def runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def ended(pids: list[int]) -> None:
    """Wait until none of these processes runs."""
    until = time.monotonic() + 10
    while alive := [pid for pid in pids if runs(pid)]:
        assert time.monotonic() < until, f"{alive} of {pids} run"
        time.sleep(0.02)
