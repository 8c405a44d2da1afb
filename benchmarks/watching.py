"""From a save to the new result on the screen, compared with a bare loop that ends, starts, lists and calls."""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from textual.content import Content
from textual.widgets import Static

from benchmarks.interface import left, until
from benchmarks.measuring import Report
from inspector.boundary.options import Level
from inspector.files import themes
from inspector.files.watching import watching_of
from inspector.protocol.targets import StdioTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from inspector.tui.runtime.memory import keep_responsive

RUNS = 7
_CALM_S = 1.5
"""The time between two saves: a save that comes sooner is delayed."""

SDK_SERVER = '''
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("sdk")

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def answer() -> str:
    """Answer."""
    return "v-0"

server.run("stdio")
'''
NODE_SERVER = """
const ANSWERS = {
  initialize: {protocolVersion: '2025-11-25', capabilities: {tools: {}}, serverInfo: {name: 'node', version: '1'}},
  'tools/list': {tools: [{name: 'answer', inputSchema: {type: 'object'}, annotations: {readOnlyHint: true}}]},
  'tools/call': {content: [{type: 'text', text: 'v-0'}]},
};
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const {id, method} = JSON.parse(line);
  const result = ANSWERS[method];
  if (id !== undefined)
    console.log(JSON.stringify({jsonrpc: '2.0', id, ...(result ? {result} : {error: {code: -32601, message: 'no'}})}));
});
"""


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("Watching: from a save to the result on the screen")
    with tempfile.TemporaryDirectory() as folder:
        sdk, node, demo = (Path(folder, name) for name in ("server.py", "server.js", "demo.txt"))
        for file, text in ((sdk, SDK_SERVER), (node, NODE_SERVER), (demo, "v-0")):
            file.write_text(text)
        demo_command = (sys.executable, "-m", "inspector.demo", "stdio")
        asyncio.run(_both(report, "the demo", demo_command, demo, "clean_clock"))
        asyncio.run(_both(report, "a Python SDK server", (sys.executable, str(sdk)), sdk, "answer"))
        asyncio.run(_both(report, "a Node server", ("node", str(node)), node, "answer"))


async def _both(report: Report, name: str, command: tuple[str, ...], file: Path, tool: str) -> None:
    target = StdioTarget(command=command, cwd=str(Path(__file__).parent.parent))

    async def opened(listener: Listener) -> Session:
        return Session(target, Options(is_quick_to_end=True), listener)

    keep_responsive()
    app = SightlineApp(
        [ServerSource(target=target, opener=opened)],
        level=Level.DECLARED,
        theme_files=themes.themes(),
        watching=watching_of(target, (str(file),)),
    )
    bare: list[float] = []
    watched: list[float] = []
    processor: list[float] = []
    server = _Bare(command)
    async with app.run_test(size=(140, 45)) as pilot:
        await until(pilot, lambda: " tool" in _shown(app, "HeaderLine"))
        await pilot.press("slash", *tool, "enter")
        await pilot.press("enter")
        await until(pilot, lambda: tool in _shown(app, "#tool-title"))
        await pilot.press("ctrl+r")
        verdict = app.screen.query_one("#result-verdict", Static)
        await until(pilot, partial(_shows_call, verdict, 1))
        for number in range(1, RUNS + 1):
            await asyncio.sleep(_CALM_S)
            # One after the other, so that the load of the machine is the same for both.
            bare.append(await asyncio.to_thread(server.again, tool))
            began, busy = time.perf_counter(), time.process_time()
            _save(file, number)
            await until(pilot, partial(_shows_call, verdict, number + 1), every_s=0.002)
            watched.append(time.perf_counter() - began)
            processor.append(time.process_time() - busy)
        await left(app)
    server.end()
    report.row(f"{name}: bare loop", bare)
    report.row(f"{name}: processor time of Sightline", processor)
    beyond = [on_screen - alone for on_screen, alone in zip(watched, bare, strict=True)]
    report.row(f"{name}: on the screen, beyond the bare loop", beyond, aim=0.25)


def _save(file: Path, number: int) -> None:
    file.write_text(file.read_text().replace(f"v-{number - 1}", f"v-{number}"))


def _shows_call(verdict: Static, number: int) -> bool:
    return f"#{number} done" in str(verdict.content)


def _shown(app: SightlineApp, selector: str) -> str:
    """The text that a one-line widget draws; empty if it does not exist yet."""
    for widget in app.screen.query(selector):
        drawn = widget.render() if not isinstance(widget, Static) else widget.content
        return drawn.plain if isinstance(drawn, Content) else str(drawn)
    return ""


class _Bare:
    """The minimum that does the same."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def again(self, tool: str) -> float:
        """End the server, start it, list, call; return the seconds."""
        began = time.perf_counter()
        self.end()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parent.parent,
        )
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bare", "version": "1"},
        }
        self._ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._ask("tools/list", {})
        self._ask("tools/call", {"name": tool, "arguments": {}})
        return time.perf_counter() - began

    def end(self) -> None:
        """End as quickly as possible."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def _ask(self, method: str, params: Mapping[str, object]) -> None:
        self._send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        if self._process is not None and self._process.stdout is not None:
            while json.loads(self._process.stdout.readline()).get("id") != method:
                pass

    def _send(self, message: Mapping[str, object]) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
