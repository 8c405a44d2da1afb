"""Third-party servers side by side in the interface: each is called, one ends, the others continue."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.files import themes
from inspector.policy.gate.agreement import Terms
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.connect.real_servers import DEMO, EVERYTHING, GIT, ROOT, RealServer
from tests.policy.gate.played import rule, rules
from tests.tui.scripted import LARGE, shows

SERVERS = {"demo": DEMO, "everything": EVERYTHING, "git": GIT, "demo-2": DEMO}


def source(name: str, server: RealServer) -> ServerSource:
    async def open_session(listener: Listener) -> Session:
        return Session(server.target, Options(timeout_s=30), listener)

    return ServerSource(target=server.target, opener=open_session, name=name)


def started() -> dict[int, str]:
    """The child processes of this one, by number, with their command lines."""
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if parent == os.getpid() and command:
            found[int(folder.name)] = command
    return found


async def open_tool(pilot: Pilot[None], app: SightlineApp, tool: str, place: int, *, downs: int = 0) -> str:
    """Filter the catalogue down to a tool, go `downs` rows down, and open it."""
    await pilot.press("escape", "escape", "escape", "escape", "slash", *tool, "enter", *["down"] * downs)
    return await shows(pilot, app, f"server {place} of 4", f"▸ {tool}")


@pytest.mark.skipif(not Path(EVERYTHING.command[1]).exists(), reason="server-everything is not installed")
async def test_four_servers_answer_and_the_end_of_one_does_not_affect_the_others() -> None:
    before = set(started())
    policy = rules(rule("confirm", "session.sensitive", equals=True))
    sources = [source(name, server) for name, server in SERVERS.items()]
    app = SightlineApp(sources, theme_files=themes.shipped(), terms=Terms(policy=policy))
    async with app.run_test(size=(LARGE[0], 70)) as pilot:
        await shows(pilot, app, "demo  ready  20 tools", "everything  ready  19 tools")
        await pilot.press("G")
        await shows(pilot, app, "git  ready  12 tools", "demo-2  ready  20 tools", "server 4 of 4")

        await open_tool(pilot, app, "get-sum", 2)
        await pilot.press("enter", *"4", "tab", *"5", "ctrl+r")
        await shows(pilot, app, "#1 done", "The sum of 4 and 5 is 9")
        await open_tool(pilot, app, "git_log", 3)
        await pilot.press("enter", *str(ROOT), "ctrl+r")
        await shows(pilot, app, "#2 done", "Author")
        text = await open_tool(pilot, app, "clean_clock", 1)
        assert "≡ also at demo-2" in text
        await pilot.press("ctrl+r")
        await shows(pilot, app, "#3 done", "output fits its schema")
        await pilot.press("2")
        text = " ".join((await shows(pilot, app, "is also a tool of demo-2")).split())
        assert "mcp__demo__clean_clock, and that of the other server mcp__demo-2__clean_clock" in text

        # Private data of one server affects the decision on a call of another.
        await open_tool(pilot, app, "read_drafts", 1)
        await pilot.press("ctrl+r")
        await shows(pilot, app, "#4 done")
        await open_tool(pilot, app, "get-sum", 2)
        await pilot.press("r")
        await pilot.press("ctrl+r")
        await shows(pilot, app, "Call get-sum?", "read_drafts")
        await pilot.press("y")
        await shows(pilot, app, "#5 done")

        (pid,) = (pid for pid, command in started().items() if "mcp-server-git" in command)
        os.kill(pid, signal.SIGKILL)
        await open_tool(pilot, app, "git_log", 3)
        await shows(pilot, app, "git  failed  the server was ended", "R tries again")
        await open_tool(pilot, app, "clean_clock", 4, downs=2)
        await pilot.press("ctrl+r")
        await shows(pilot, app, "Call clean_clock?")
        await pilot.press("y")
        await shows(pilot, app, "#6 done")
        await pilot.press("escape", "escape", "escape", "escape", "t")
        rows = (await shows(pilot, app, "#6 clean_clock")).split("─Timeline")[1]
        calls = [line for line in rows.splitlines() if "#" in line]
        assert [
            name in line
            for name, line in zip(
                ("everything", "git", "demo", "demo", "everything", "demo-2"), calls, strict=True
            )
        ] == [True] * 6
        app.leave()
        async with asyncio.timeout(20):
            while app.return_code is None:
                await asyncio.sleep(0.02)
    assert set(started()) <= before
