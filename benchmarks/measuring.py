"""Timing, repeated, with its spread, and as a ratio to a yardstick of the same run."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Seconds of several runs of one thing."""

    name: str
    runs_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The middle run."""
        return statistics.median(self.runs_s)

    def line(self, yardstick: "Measurement | None" = None) -> str:
        """Median, spread, and the ratio to the yardstick's median."""
        spread = f"{_told(min(self.runs_s))} to {_told(max(self.runs_s))}"
        ratio = f"   {self.median_s / yardstick.median_s:.2f} x {yardstick.name}" if yardstick else ""
        return f"  {self.name:<44} {_told(self.median_s):>9}   ({spread}, {len(self.runs_s)} runs){ratio}"


def measured(name: str, run: Callable[[], float | None], *, runs: int = 5) -> Measurement:
    """`run` so often. It may time itself and return seconds; otherwise all of it counts."""
    found: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        own = run()
        found.append(time.perf_counter() - started if own is None else own)
    return Measurement(name=name, runs_s=tuple(found))


def _told(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
