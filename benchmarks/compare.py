"""`make bench-compare`: two runs of the history, row by row. `python -m benchmarks.compare [BEFORE AFTER]`, counted from 1."""

import json
import statistics
import sys
from typing import Any

from benchmarks.__main__ import HISTORY


def main(chosen: list[str]) -> None:
    """Print the rows that both runs have."""
    runs: list[dict[str, Any]] = (
        [json.loads(line) for line in HISTORY.open(encoding="utf-8")] if HISTORY.exists() else []
    )
    if len(runs) < 2:
        raise SystemExit(
            f"{HISTORY} has {len(runs)} runs; two are needed: run `make bench` before and after a change."
        )
    before, after = (runs[int(number) - 1] for number in chosen) if chosen else runs[-2:]
    for name, run in (("before", before), ("after", after)):
        print(
            f"{name}: {run['commit']} at {run['at']}, load {run['load']:.1f}, {run['cores']} cores, Python {run['python']}"
        )
    print("\n   after/before   (‡: the spreads do not meet)")
    for name, old in before["rows"].items():
        new = after["rows"].get(name)
        if new is None or old["unit"] != new["unit"]:
            continue
        first, second = statistics.median(old["runs"]), statistics.median(new["runs"])
        apart = min(old["runs"]) > max(new["runs"]) or min(new["runs"]) > max(old["runs"])
        if first:
            print(
                f"  {second / first:>8.2f} {'‡' if apart else ' '}  {name}  ({first:.4g} → {second:.4g} {old['unit']})"
            )
    only = [name for name in after["rows"] if name not in before["rows"]]
    print("".join(f"\n  new: {name}" for name in only))


if __name__ == "__main__":
    main(sys.argv[1:])
