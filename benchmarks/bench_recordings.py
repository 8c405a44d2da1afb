"""The cost of opening, stepping through and searching a million frames: `python -m benchmarks.bench_recordings`."""

import asyncio
import random
import resource
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.measuring import Measurement, measured
from inspector.json.exact import dump
from inspector.recording.files.playing import Played

FRAMES = 1_000_000
CALLS_EACH = 10
"""One in so many exchanges is a call with a model view; the others are pings."""
STEPS = 200
SCREEN = 50
"""Entries of a timeline on one screen."""

_HEADER = (
    b'{"sightline":"recording","version":2,"created":"2026-11-22T00:00:00Z","software":"benchmark","target":{"kind":"demo",'
    b'"name":"demo"},"lenses":{"boundary":"declared","host":"spec","policy":{"sensitivityThreshold":"confidential",'
    b'"withholdPrivate":false,"hideUntrusted":false,"withholdCredentials":false}}}\n'
)
_TEXT = "an ordinary result, neither short nor long, as tools give them. " * 4


def main() -> None:
    """Print all measurements."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        _write(path)
        size = path.stat().st_size
        print(f"A recording of {FRAMES:,} frames, {size / 1e6:.0f} MB")
        print(measured("lines found", lambda: Played(path).close(), runs=3).line())
        before = _peak_mb()
        found = Played(path)
        taken, stall = asyncio.run(_indexed(found))
        print(Measurement(name="index, in a thread", runs_s=(taken,)).line())
        print(Measurement(name="longest stall of the event loop meanwhile", runs_s=(stall,)).line())
        print(f"  memory for both: {_peak_mb() - before:.0f} MB")
        _steps(found)
        print(measured("search of the whole file", lambda: _searched(found, 0), runs=3).line())
        print(measured("the same, backwards", lambda: _searched(found, found.last), runs=3).line())
        found.close()


def _write(path: Path) -> None:
    definition: bytes = dump({"name": "search", "inputSchema": {"type": "object"}})
    frame = b'{"frame":%d,"at":%.3f,"direction":"%s","channel":"stdio","size":%d,"body":%s}\n'
    with path.open("wb") as file:
        file.write(_HEADER)
        listed = b'{"jsonrpc":"2.0","id":0,"result":{"tools":[%s]}}' % definition
        file.write(frame % (1, 0, b"sent", 46, b'{"jsonrpc":"2.0","id":0,"method":"tools/list"}'))
        file.write(frame % (2, 0.001, b"received", len(listed), listed))
        for number in range(1, FRAMES // 2):
            asked, result = b'"method":"ping"', b"{}"
            is_call = number % CALLS_EACH == 0
            if is_call:
                asked = b'"method":"tools/call","params":{"name":"search","arguments":{"q":%d}}' % number
                result = dump({"content": [{"type": "text", "text": _TEXT}]})
            request = b'{"jsonrpc":"2.0","id":%d,%s}' % (number, asked)
            answer = b'{"jsonrpc":"2.0","id":%d,"result":%s}' % (number, result)
            at_s = number / 100
            file.write(frame % (2 * number + 1, at_s, b"sent", len(request), request))
            file.write(frame % (2 * number + 2, at_s + 0.004, b"received", len(answer), answer))
            if is_call:
                lenses = _HEADER[_HEADER.index(b'"lenses"') : -2]
                file.write(
                    b'{"projection":%d,"request":"%d","tool":"search",%s,"model":%s,"removals":[],"findings":[]}\n'
                    % (2 * number + 2, number, lenses, result)
                )
        file.write(b'{"end":{"frames":%d}}\n' % FRAMES)


async def _indexed(found: Played) -> tuple[float, float]:
    """Seconds for the index, and the longest stall of the event loop meanwhile."""
    started = last = perf_counter()
    worst = 0.0
    working = asyncio.create_task(asyncio.to_thread(found.index))
    while not working.done():
        await asyncio.sleep(0.001)
        now = perf_counter()
        worst, last = max(worst, now - last - 0.001), now
    await working
    return perf_counter() - started, worst


def _steps(found: Played) -> None:
    chance = random.Random(1)  # noqa: S311 - the same steps in every run
    moments: list[float] = []
    screens: list[float] = []
    for _ in range(STEPS):
        started = perf_counter()
        position = found.next(chance.randrange(found.last)) or found.last
        moment = found.moment(position)
        moment.calls.get("search")
        moments.append(perf_counter() - started)
        started = perf_counter()
        last = found.entry_count(position)
        for number in range(max(last - SCREEN, 0), last):
            found.entry(number + 1, position)
        screens.append(perf_counter() - started)
    print(Measurement(name="a step: what is known there", runs_s=tuple(moments)).line())
    print(Measurement(name=f"{SCREEN} entries of the timeline before it", runs_s=tuple(screens)).line())


def _searched(found: Played, position: int) -> None:
    if found.search("nowhere in it", position, backwards=position > 0) is not None:
        raise ValueError("these words are in no frame")


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
