"""A large result: judged, on the command line, and in both panes of the interface."""

import asyncio
import gc
import json
import random
import resource
import subprocess
import sys
import time
from functools import partial

from benchmarks.interface import SERVER, application, call, percentile_95, pressed
from benchmarks.measuring import Measurement, Report, Stall, ran, seconds
from inspector.boundary.echoes import Echoes
from inspector.boundary.options import Level
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import JsonObject, JsonText, parse
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result

MEGABYTE = 1_000_000
_WORDS = ("alpha", "bravo", "charlie", "delta", "foxtrot", "golf", "hotel", "india", "juliet", "kilo")
_FIELDS: JsonObject = {
    "id": {"type": "integer"},
    "name": {"type": "string"},
    "mail": {"type": "string"},
    "token": {"type": "string", "x-sensitive": True},
    "note": {"type": "string"},
}
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"type": "object", "properties": _FIELDS}}},
}


_KEYS = (
    *(("down",) * 30),
    *(("pagedown",) * 10),
    *(
        "end",
        "home",
        "n",
        "N",
        "space",
        "space",
        "m",
        "m",
        "m",
        "e",
        "e",
        "z",
        "z",
        "t",
        "t",
        "tab",
        "shift+tab",
    ),
    *(("up", "down", "pageup") * 10),
)
"""Keys that are pressed while a result is read."""


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("Projection, with mask, remarks and sizes: a sensitive text in each row, no echo")
    for size_mb, runs in ((1, 3), (10, 3), (42, 1)):
        _project(report, size_mb, runs)
    report.row("1,000 withheld values searched for in 10 MB of prose", seconds(_search(), runs=3))
    report.section("`sightline call` of 50 MB")
    _command(report, 50)
    report.section("Interface at 140x45: from Enter to both panes")
    for size_mb, runs, marked, aim in ((1, 3, True, 0.2), (5, 3, False, None), (42, 1, True, 3)):
        asyncio.run(_panes(report, size_mb, runs, marked=marked, aim=aim))


def _project(report: Report, size_mb: int, runs: int) -> None:
    """The measurements of `sightline project`. Each run is a separate process, so that the memory is that of one result."""
    argv = (sys.executable, "-m", "benchmarks.results", str(size_mb))
    found: dict[str, list[float]] = {}
    loads: list[float] = []
    marks = size = 0
    for _ in range(runs):
        for level in Level:
            one = json.loads(ran((*argv, level.value)).output)
            found.setdefault(level.value, []).append(one["seconds"])
            found.setdefault(f"{level.value}, peak", []).append(one["peak"] / one["size"])
            loads.append(one["loads"])
            marks, size = one["marks"], one["size"]
    what = f"{size / MEGABYTE:.0f} MB, {marks:,} marks"
    yardstick = report.row(f"{what}: json.loads", loads)
    yardstick = Measurement(name="json.loads", runs=yardstick.runs)
    for level in Level:
        report.row(f"{what}: {level.value}", found[level.value], yardstick=yardstick, aim_ratio=8)
        report.row(f"{what}: {level.value}, peak", found[f"{level.value}, peak"], unit="x the text", aim=6)


def _one(size_mb: int, level: Level) -> None:
    raw, marks = _rows(size_mb * MEGABYTE)
    loads = min(seconds(lambda: json.loads(raw), runs=3))
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": _SCHEMA})
    spec = host("spec")
    if spec is None:
        raise LookupError("the profile spec is missing")
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    parsed = parse(raw)
    if not isinstance(parsed, JsonText):
        raise TypeError("the sample is no JSON")
    found = project(Result(value=parsed.value), tool, level, spec)
    _ = (found.masked, found.remarks, found.undeclared, found.raw_bytes, found.model_bytes)
    taken = time.perf_counter() - started
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    print(json.dumps({"seconds": taken, "loads": loads, "peak": peak, "size": len(raw), "marks": marks}))


def _search() -> partial[object]:
    rng = random.Random(1)  # noqa: S311 - the same text each time
    text = " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(1_430_000))
    echoes = Echoes(f"{rng.getrandbits(128):032x}" for _ in range(1_000))
    return partial(echoes.matches, [text])


def _rows(size_bytes: int) -> tuple[bytes, int]:
    rng = random.Random(3)  # noqa: S311 - the same rows each time
    rows: list[JsonObject] = []
    size = 0
    while size < size_bytes:
        number = len(rows)
        note = " ".join(rng.choices(_WORDS, k=14))
        row: JsonObject = {
            "id": number,
            "name": f"user {number}",
            "mail": f"user.{number}@example.com",
            "token": f"{rng.getrandbits(128):032x}",
            "note": note,
        }
        rows.append(row)
        size += 110 + len(note) + 2 * len(str(number))
    return json.dumps({"content": [], "structuredContent": {"rows": rows}}).encode(), len(rows)


def _command(report: Report, size_mb: int) -> None:
    server = (sys.executable, "-S", str(SERVER), "1", str(size_mb * MEGABYTE))
    raw = _answer(server)
    loads = report.row("json.loads of the same bytes", seconds(lambda: json.loads(raw), runs=3))
    found = [
        ran(
            (
                sys.executable,
                "-m",
                "inspector",
                "call",
                "tool_00000",
                "--format",
                "json",
                "--yes",
                "--",
                *server,
            )
        )
        for _ in range(3)
    ]
    report.row("to JSON", [run.wall_s for run in found], yardstick=loads, aim=1.8)
    report.row("to JSON: peak", [run.peak_mb for run in found], unit="MB")


def _answer(server: tuple[str, ...]) -> bytes:
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_00000"}}\n'
    return subprocess.run(server, input=request, capture_output=True, check=True).stdout


async def _panes(report: Report, size_mb: int, runs: int, *, marked: bool, aim: float | None) -> None:
    taken: list[float] = []
    stalls: list[Stall] = []
    what = f"{size_mb} MB{', a mark in each row' if marked else ''}"
    async with application(1, size_mb * MEGABYTE, marked=marked) as (pilot, observed):
        for number in range(1, runs + 1):
            taken.append(await call(pilot, observed, number))
            stalls.append(observed.stalls.longest)
        raw = observed.last_result
        loads = Measurement(name="json.loads", runs=tuple(seconds(lambda: json.loads(raw), runs=3)))
        report.row(f"{what}: both panes", taken, yardstick=loads, aim=aim)
        report.stalls(what, stalls)
        if not marked:
            moved = await percentile_95(pilot, _KEYS)
            report.row(f"{what}: 95 of 100 keys change the screen within", [moved], aim=0.05)
            for key in ("h", "down", "enter"):
                await pressed(pilot, observed, key)
            for key, back in (("b", "b"), ("H", "H"), ("d", "d"), ("c", "escape")):
                took = await pressed(pilot, observed, key)
                report.row(f"{what}: key {key}", [took.wall_s], aim=0.05 if key == "d" else None)
                report.stalls(f"{what}: key {key}", [took.stall])
                await pressed(pilot, observed, back)


if __name__ == "__main__":
    _one(int(sys.argv[1]), Level(sys.argv[2]))
