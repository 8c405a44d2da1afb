"""`make bench`: every measurement, each with a yardstick of the same run."""

import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from functools import partial

from textual.pilot import Pilot
from textual.widgets import Static

from benchmarks import (
    bench_boundary,
    bench_document,
    bench_recordings,
    bench_review,
    pages,
    recorded,
    watching,
)
from benchmarks.interface import application, pressed, until
from benchmarks.measuring import Measurement, Stall, measured, print_stalls, seconds_until

SIGHTLINE = (sys.executable, "-m", "inspector")
FIRST_FRAME = b"Opening"
MEGABYTE = 1_000_000
SETTLE_S = 0.5


def main() -> None:
    """Print all measurements."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}\n")
    print("Start")
    bare = measured("bare `import textual`", _python("import textual"))
    print(bare.line())
    print(measured("bare interpreter", _python("pass")).line())
    frames: list[float] = []
    tools: list[float] = []
    for _ in range(7):
        first, listed = seconds_until((*SIGHTLINE, "demo"), FIRST_FRAME, b"generate_api_key")
        frames.append(first)
        tools.append(listed)
    print(Measurement(name="first frame of `sightline demo`", runs_s=tuple(frames)).line(bare))
    print(Measurement(name="its tool list on the screen", runs_s=tuple(tools)).line(bare))
    print(measured("`sightline list demo`", _command("list", "demo")).line(bare))
    print("\nInterface, in memory at 140x45, on a real server process")
    asyncio.run(_large_result(5 * MEGABYTE))
    asyncio.run(_keys(5 * MEGABYTE, "bnhdc"))
    asyncio.run(_large_result(40 * MEGABYTE, runs=2))
    asyncio.run(_keys(40 * MEGABYTE, "bn"))
    asyncio.run(_many_tools(10_000))
    pages.run()
    print()
    watching.run()
    print("\nDocuments")
    bench_document.main()
    print()
    bench_boundary.main()
    print()
    bench_review.main()
    print()
    bench_recordings.main()
    print()
    recorded.main()


def _python(code: str) -> "_Run":
    return _Run((sys.executable, "-c", code))


def _command(*argv: str) -> "_Run":
    return _Run((*SIGHTLINE, *argv))


class _Run:
    def __init__(self, argv: tuple[str, ...]) -> None:
        self._argv = argv

    def __call__(self) -> None:
        subprocess.run(self._argv, check=True, capture_output=True)


async def _large_result(size_bytes: int, runs: int = 5) -> None:
    taken: list[float] = []
    stalls: list[Stall] = []
    async with application(1, size_bytes) as (pilot, observed):
        # Opens the tool; Enter in its empty field calls it.
        await asyncio.sleep(SETTLE_S)
        await pilot.press("enter")
        await asyncio.sleep(SETTLE_S)
        for number in range(1, runs + 1):
            observed.stalls.clear()
            started = time.perf_counter()
            await pilot.press("enter" if number == 1 else "r")
            await until(pilot, partial(_shows_call, pilot, number))
            taken.append(time.perf_counter() - started)
            stalls.append(observed.stalls.longest)
        raw = observed.last_result
    size = f"{len(raw) / MEGABYTE:.1f} MB"
    loads = measured("`json.loads` of the same bytes", lambda: _discard(json.loads(raw)))
    print(loads.line())
    print(Measurement(name=f"{size}: from call to both panes", runs_s=tuple(taken)).line(loads))
    print_stalls(size, stalls)


async def _keys(size_bytes: int, keys: str) -> None:
    async with application(1, size_bytes) as (pilot, observed):
        await asyncio.sleep(SETTLE_S)
        await pilot.press("enter")
        await asyncio.sleep(SETTLE_S)
        await pilot.press("enter")
        await until(pilot, partial(_shows_call, pilot, 1))
        for key in keys:
            took = await pressed(pilot, observed, key)
            print(
                f"  {size_bytes / MEGABYTE:.0f} MB: key {key:<33} {took.wall_s:>8.2f} s   "
                f"({took.cpu_s:.2f} s of processor; {took.stall})"
            )
            if key in _BACK:
                await pressed(pilot, observed, _BACK[key])


_BACK = {"d": "d", "c": "escape"}
"""Leaves the view that a key opens."""


def _shows_call(pilot: Pilot[None], number: int) -> bool:
    return f"#{number} done" in str(pilot.app.screen.query(".pane-title").first(Static).content)


def _discard(_value: object) -> None: ...


async def _many_tools(count: int, runs: int = 3) -> None:
    listed: list[float] = []
    stalls: list[Stall] = []
    filtered: list[float] = []
    for _ in range(runs):
        async with application(count, 10) as (pilot, observed):
            listed.append(observed.listed_s)
            await pilot.press("slash")
            started = time.perf_counter()
            await pilot.press(*"09999")
            filtered.append(time.perf_counter() - started)
            stalls.append(observed.stalls.longest)
    print(Measurement(name=f"{count:,} tools: on the screen", runs_s=tuple(listed)).line())
    print(Measurement(name=f"{count:,} tools: filtered by five keys", runs_s=tuple(filtered)).line())
    print_stalls(f"{count:,} tools", stalls)


if __name__ == "__main__":
    main()
