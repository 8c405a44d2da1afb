"""A long recording: checked on the command line, indexed, and played in the interface."""

import asyncio
import json
import random
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.interface import Observed, left, pressed, until
from benchmarks.measuring import Measurement, Report, Stalls, ran, seconds, seconds_until
from inspector.files import themes
from inspector.recording.files.playing import Played
from inspector.recording.files.reading import header_at
from inspector.recording.target import OpenedRecording
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from inspector.tui.player.transport import TransportBar
from inspector.tui.runtime.memory import keep_responsive

FRAMES = 1_000_000
FEWER = 200_000
TOOLS = 20
SAMPLED_STEPS = 200
SCREEN = 50
"""The number of timeline entries on one screen."""
_WORD = "needle"
_POLICY = {
    "sensitivityThreshold": "confidential",
    "withholdPrivate": False,
    "hideUntrusted": False,
    "withholdCredentials": False,
}
_LENSES = {"boundary": "declared", "host": "spec", "policy": _POLICY}
_STEPS = (
    (("<",), "to the start"),
    (("]",), "a step"),
    (("}",), "to the next call"),
    ((">",), "to the end"),
    (("{",), "to the call before"),
    (("<", "ctrl+f", *_WORD, "enter"), "from the start, words near the end found"),
)


def measure(report: Report) -> None:
    """Print all rows."""
    with tempfile.TemporaryDirectory() as folder:
        for frames, aim in ((FEWER, 3), (FRAMES, 12)):
            path = written(Path(folder) / f"{frames}.jsonl", frames)
            report.section(f"A recording of {frames:,} frames, {path.stat().st_size / 1e6:.0f} MB")
            loads = report.row("json.loads, line by line", seconds(lambda path=path: _loaded(path), runs=1))
            yardstick = Measurement(name="json.loads", runs=loads.runs)
            one = ran((sys.executable, "-m", "inspector", "replay", "-q", str(path)))
            report.row("`sightline replay`", [one.wall_s], yardstick=yardstick, aim=aim)
            report.row("`sightline replay`: peak", [one.peak_mb], unit="MB", aim=150)
        _index(report, path)
        _opening(report, path)
        # In a process of its own, to measure its memory alone.
        found = json.loads(ran((sys.executable, "-m", "benchmarks.recordings", str(path))).output)
        for name, value, unit in found:
            aim = 0.02 if name == "interface: a step" else 0.05 if "stall" in name else None
            report.row(name, [value], unit=unit, aim=aim)


def _loaded(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _index(report: Report, path: Path) -> None:
    report.row("lines found", seconds(lambda: Played(path).close(), runs=1))
    found = Played(path)
    taken_s, stall_s = asyncio.run(_indexed(found))
    report.row("index, in a thread", [taken_s])
    report.row("index: longest stall of the event loop", [stall_s], aim=0.05)
    chance = random.Random(1)  # noqa: S311 - the same steps in every run
    moments: list[float] = []
    screens: list[float] = []
    for _ in range(SAMPLED_STEPS):
        started = perf_counter()
        position = found.next(chance.randrange(found.last)) or found.last
        found.moment(position).calls.get("tool_1")
        moments.append(perf_counter() - started)
        started = perf_counter()
        last = found.entry_count(position)
        for number in range(max(last - SCREEN, 0), last):
            found.entry(number + 1, position)
        screens.append(perf_counter() - started)
    report.row("a step: what is known there", moments, aim=0.02)
    report.row(f"{SCREEN} entries of the timeline before it", screens, aim=0.02)
    for words, position in (("search of the whole file", 0), ("the same, backwards", found.last)):
        report.row(words, seconds(lambda at=position: _searched(found, at), runs=1))
    found.close()


async def _indexed(found: Played) -> tuple[float, float]:
    """The seconds for the index, and the longest stall of the event loop during it."""
    stalls = Stalls()
    started = perf_counter()
    async with stalls.watched():
        await asyncio.to_thread(found.index)
    return perf_counter() - started, stalls.longest.held_s


def _searched(found: Played, position: int) -> None:
    if found.search("nowhere in it", position, backwards=position > 0) is not None:
        raise ValueError("these words are in no frame")


def _opening(report: Report, path: Path) -> None:
    command = (sys.executable, "-m", "inspector", str(path))
    found = [seconds_until(command, b"frame 1 of", b"frame 1,000,000 of", limit_s=120) for _ in range(2)]
    first, last = zip(*found, strict=True)
    report.row("interface: first content", first, aim=1)
    report.row("interface: all read", last, aim=8)


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


async def _keys(path: Path) -> list[tuple[str, float, str]]:
    keep_responsive()
    opened = OpenedRecording(path=str(path), header=header_at(path))
    found: list[tuple[str, float, str]] = []

    async def open_session(listener: Listener) -> Session:
        return RecordedSession(opened, listener)

    observed = Observed()
    app = SightlineApp(
        [ServerSource(target=opened.target, opener=open_session)],
        theme_files=themes.themes(),
        recording=opened,
    )
    async with app.run_test(size=(140, 45)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(TransportBar)))
        bar = app.screen.query_one(TransportBar)
        await until(pilot, lambda: bool(bar.view.busy))
        async with observed.stalls.watched():
            await until(pilot, lambda: not bar.view.busy, limit_s=120)
            found.append(("interface: longest stall while it is read", observed.stalls.longest.held_s, "s"))
            memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            found.append(("interface: memory when all is read", memory_mb, "MB"))
            for keys, words in _STEPS:
                *first, last = keys
                for key in first:
                    await pressed(pilot, observed, key)
                took = await pressed(pilot, observed, last)
                found.append((f"interface: {words}", took.wall_s, "s"))
                found.append((f"interface: {words}: longest stall", took.stall.held_s, "s"))
        await left(app)
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_keys(Path(sys.argv[1])))))
