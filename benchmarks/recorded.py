"""A recording of a million frames in the interface: opening, stepping, searching, memory."""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.interface import Observed, left, pressed, until
from benchmarks.measuring import Measurement, seconds_until
from inspector.files import themes
from inspector.recording.files.reading import header_at
from inspector.recording.target import OpenedRecording
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.tui.app import SightlineApp
from inspector.tui.player.transport import TransportBar
from inspector.tui.runtime.memory import calm_collector

FRAMES = 1_000_000
TOOLS = 20
_POLICY = {
    "sensitivityThreshold": "confidential",
    "withholdPrivate": False,
    "hideUntrusted": False,
    "withholdCredentials": False,
}
_LENSES = {"boundary": "declared", "host": "spec", "policy": _POLICY}
_WORD = "needle"


def main() -> None:
    """Print all measurements."""
    print(f"A recording of {FRAMES:,} frames")
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / "million.jsonl", FRAMES)
        print(f"  {'its size':<44} {path.stat().st_size / 1e6:>6.0f} MB")
        _opening(path)
        # In its own process, to measure its memory alone.
        subprocess.run([sys.executable, "-m", "benchmarks.recorded", str(path)], check=True)


def written(path: Path, frames: int) -> Path:
    """A recording of `frames` frames: calls of some tools, with log messages."""
    with path.open("w", encoding="utf-8") as file:
        for line in _lines(frames):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    return path


def _lines(frames: int) -> Iterator[object]:
    yield {
        "sightline": "recording",
        "version": 1,
        "created": "2026-11-21T05:03:08Z",
        "software": "benchmark",
        "target": {"kind": "stdio", "name": "node"},
        "lenses": _LENSES,
    }
    tools = [{"name": f"tool_{number}", "inputSchema": {"type": "object"}} for number in range(TOOLS)]
    yield _frame(1, "sent", {"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": {}})
    yield _frame(2, "received", {"jsonrpc": "2.0", "id": 0, "result": {"tools": tools}})
    for number in range(3, frames + 1):
        turn, call = number % 4, number // 4
        if turn == 0:
            params = {"name": f"tool_{call % TOOLS}", "arguments": {"number": call}}
            body = {"jsonrpc": "2.0", "id": call, "method": "tools/call", "params": params}
            yield _frame(number, "sent", body)
        elif turn == 3:
            text = _WORD if number == frames - 1 else f"result number {call}"
            result = {"content": [{"type": "text", "text": text}]}
            yield _frame(number, "received", {"jsonrpc": "2.0", "id": call, "result": result})
        else:
            params = {"level": "info", "data": f"working on {call}, step {turn}"}
            yield _frame(
                number, "received", {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
            )
    yield {"end": {"frames": frames}}


def _frame(number: int, direction: str, body: object) -> object:
    return {
        "frame": number,
        "at": number / 1000,
        "direction": direction,
        "channel": "stdio",
        "size": 120,
        "body": body,
    }


def _opening(path: Path, runs: int = 5) -> None:
    command = (sys.executable, "-m", "inspector", str(path))
    found = [
        seconds_until(command, b"Opening", b"frame 1 of", b"frame 1,000,000 of", limit_s=120)
        for _ in range(runs)
    ]
    names = ("first frame", "its beginning on the screen", "its end on the screen, all read")
    for name, runs_s in zip(names, zip(*found, strict=True), strict=True):
        print(Measurement(name=name, runs_s=runs_s).line())


async def _keys(path: Path) -> None:
    calm_collector()
    opened = OpenedRecording(path=str(path), header=header_at(path))

    async def open_session(listener: Listener) -> Session:
        return RecordedSession(opened, listener)

    observed = Observed()
    app = SightlineApp(opened.target, open_session, theme_files=themes.themes(), recording=opened)
    async with app.run_test(size=(140, 45)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(TransportBar)))
        bar = app.screen.query_one(TransportBar)
        await until(pilot, lambda: bool(bar.view.busy))
        async with observed.stalls.watched():
            await until(pilot, lambda: not bar.view.busy, limit_s=120)
            print(f"  {'while it is read':<44} {observed.stalls.longest}")
            memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            print(f"  {'memory of the process then':<44} {memory_mb:>6.0f} MB")
            for keys, words in _STEPS:
                *first, last = keys
                for key in first:
                    await pressed(pilot, observed, key)
                took = await pressed(pilot, observed, last)
                print(f"  {words:<44} {took.wall_s * 1000:>6.0f} ms   ({took.stall})")
        await left(app)


_STEPS = (
    (("<",), "to the start"),
    (("]",), "a step"),
    (("}",), "to the next call"),
    ((">",), "to the end"),
    (("{",), "to the call before"),
    (("<", "ctrl+f", *_WORD, "enter"), "from the start, words near the end found"),
)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    os.environ.setdefault("TERM", "xterm-256color")
    asyncio.run(_keys(Path(sys.argv[1])))
