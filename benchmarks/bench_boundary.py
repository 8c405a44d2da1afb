"""The cost of a boundary, relative to `json.loads` of the same bytes: `python -m benchmarks.bench_boundary`.

Each size runs in its own process, so that the memory is that of one result.
"""

import gc
import json
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

from inspector.boundary.bound import bound
from inspector.boundary.echoes import Echoes
from inspector.boundary.options import Level
from inspector.json.exact import JsonObject, JsonText, parse
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result

MEGABYTE = 1_000_000
SIZES_MB = (1, 4, 10, 40, 100)
NOTE_CHARACTERS = {"short fields": 20, "long strings": 100}
"""Length of the prose field of each row."""

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


def main() -> None:
    """Print all measurements."""
    print("Boundary, one sensitive field in each row; ratios are to `json.loads`")
    for shape in NOTE_CHARACTERS:
        for size_mb in SIZES_MB:
            argv = (sys.executable, "-m", "benchmarks.bench_boundary", shape, str(size_mb))
            print(subprocess.run(argv, check=True, capture_output=True, text=True).stdout, end="")
    print(_search())


def _one(shape: str, size_mb: int) -> str:
    """One size: time of both boundaries, and peak memory beyond the parsed result."""
    raw, count = _rows(size_mb * MEGABYTE, NOTE_CHARACTERS[shape])
    gc.freeze()
    loads = _seconds(lambda: json.loads(raw))
    before = _resident_bytes()
    parsed = parse(raw)
    if not isinstance(parsed, JsonText):
        raise TypeError("the sample is no JSON")
    result = Result(value=parsed.value)
    size = max(_resident_bytes() - before, 1)
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": _SCHEMA})
    parts = [f"  {shape}, {len(raw) / MEGABYTE:5.1f} MB, {count:,} marks: json.loads {loads:.3f} s"]
    for level in (Level.DECLARED, Level.CLOSED):
        taken = _seconds(lambda level=level: bound(result, tool, level))
        parts.append(f"{level.value} {taken:.2f} s = {taken / loads:.1f}x")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    return f"{', '.join(parts)}; memory {peak / size:.1f}x the parsed result\n"


def _search() -> str:
    """1,000 withheld values searched for in 10 MB of prose."""
    rng = random.Random(1)  # noqa: S311 - the same rows each time
    text = " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(1_430_000))
    echoes = Echoes(f"{rng.getrandbits(128):032x}" for _ in range(1_000))
    taken = _seconds(lambda: echoes.matches([text]))
    return f"  1,000 withheld values searched for in {len(text) / MEGABYTE:.1f} MB of text: {taken:.2f} s"


def _rows(size_bytes: int, note_characters: int) -> tuple[bytes, int]:
    rng = random.Random(3)  # noqa: S311 - the same rows each time
    rows: list[JsonObject] = []
    size = 0
    while size < size_bytes:
        number = len(rows)
        note = " ".join(rng.choices(_WORDS, k=note_characters // 6))
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


def _seconds(action: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(3):
        started = perf_counter()
        action()
        times.append(perf_counter() - started)
    return sorted(times)[1]


def _resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - no path of a user's
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(_one(sys.argv[1], int(sys.argv[2])))
    else:
        main()
