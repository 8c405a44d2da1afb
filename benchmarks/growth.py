"""Whether the cost per megabyte, and per tool, stays the same as results and lists grow."""

import json
import sys

from benchmarks.interface import SERVER
from benchmarks.measuring import Measurement, Report, ran
from inspector.boundary.options import Level

SIZES_MB = (1, 4, 16, 64, 256)
COUNTS = (100, 1_000, 10_000, 100_000)


def measure(report: Report) -> None:
    """Print all rows."""
    for level in Level:
        report.section(f"Projection at {level.value}: seconds per megabyte, and memory beyond the text")
        first: Measurement | None = None
        for size_mb in SIZES_MB:
            runs = 3 if size_mb <= 16 else 1
            argv = (sys.executable, "-m", "benchmarks.results", str(size_mb), level.value)
            found = [json.loads(ran(argv).output) for _ in range(runs)]
            one = report.row(
                f"{size_mb} MB",
                [run["seconds"] / size_mb for run in found],
                yardstick=first,
                aim_ratio=2 if first else None,
            )
            report.row(f"{size_mb} MB, peak", [run["peak"] / run["size"] for run in found], unit="x the text")
            first = first or Measurement(name="1 MB", runs=one.runs)
    report.section("`sightline list`, and what each tool adds to a list of one")
    alone = min(_list_s(1) for _ in range(3))
    first = None
    for count in COUNTS:
        taken = [_list_s(count) for _ in range(3 if count <= 10_000 else 1)]
        report.row(f"{count:,} tools", taken)
        if count < 1_000:
            # Too few to be distinguished from the noise of a start.
            continue
        each = [(one - alone) / count for one in taken]
        row = report.row(f"{count:,} tools, each", each, yardstick=first, aim_ratio=2 if first else None)
        first = first or Measurement(name="of 1,000", runs=row.runs)


def _list_s(count: int) -> float:
    server = (sys.executable, "-S", str(SERVER), str(count), "10")
    return ran((sys.executable, "-m", "inspector", "list", "--", *server)).wall_s
