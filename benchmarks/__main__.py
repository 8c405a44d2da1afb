"""`make bench`: every measurement, each with a yardstick of the same run. `python -m benchmarks PART…` takes some parts."""

import importlib
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measuring import REFERENCE_S, Report, seconds

PARTS = ("start", "results", "documents", "tools", "recordings", "pages", "saved", "testing", "watching")
LONG_PARTS = ("growth",)
"""The parts that run only if they are named."""
HISTORY = Path(__file__).parent.parent / ".venv" / "bench.jsonl"


def main(names: list[str]) -> None:
    """Measure, print, and append a line to the history."""
    if unknown := set(names) - {*PARTS, *LONG_PARTS}:
        raise SystemExit(
            f"no such part: {', '.join(sorted(unknown))}. The parts are {', '.join((*PARTS, *LONG_PARTS))}."
        )
    # Without bytecode, each start would compile all modules.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    report, started = Report(), time.perf_counter()
    load = os.getloadavg()[0]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}, load {load:.1f};"
        " warm bytecode; medians with the spread; aims in seconds are scaled to this machine"
    )
    report.section("Yardsticks")
    command = (sys.executable, "-c", "import textual")
    report.textual = report.row(
        "`import textual`", seconds(lambda: subprocess.run(command, check=True), runs=7)
    )
    report.machine = report.textual.median / REFERENCE_S
    for name in names or PARTS:
        importlib.import_module(f"benchmarks.{name}").measure(report)
    took_s = time.perf_counter() - started
    print(f"\n{took_s:.0f} s in all. `make bench-compare` compares this run with the one before it.")
    run = {
        "at": time.strftime("%Y-%m-%d %H:%M:%S"),
        "commit": _commit(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": load,
        "seconds": took_s,
        "rows": report.rows,
    }
    HISTORY.parent.mkdir(exist_ok=True)
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def _commit() -> str:
    command = ("git", "describe", "--always", "--dirty")
    found = subprocess.run(command, capture_output=True, text=True, cwd=HISTORY.parent.parent, check=False)
    return found.stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1:])
