"""Timing: repeated runs, stalls of an event loop, and output of a terminal program."""

import asyncio
import contextlib
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

REFERENCE_S = 0.157
"""`import textual` on the machine that the aims were set on, warm bytecode. Aims in seconds are scaled by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The figures of several runs: seconds, or another unit."""

    name: str
    runs: tuple[float, ...]
    unit: str = "s"

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    def __str__(self) -> str:
        spread = f"{_figure(min(self.runs), self.unit)} to {_figure(max(self.runs), self.unit)}"
        return f"{_figure(self.median, self.unit):>10}   ({spread}, n={len(self.runs)})"


def _figure(number: float, unit: str) -> str:
    if unit == "s":
        if abs(number) < 0.001:
            return f"{number * 1_000_000:.0f} µs"
        return f"{number * 1000:.1f} ms" if number < 1 else f"{number:.2f} s"
    return f"{number:,.0f} {unit}" if number >= 10 else f"{number:.1f} {unit}"


class Report:
    """Prints each measurement against its yardstick, and keeps it for the history."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, object]] = {}
        self.machine = 1.0
        """How much slower this machine is than the one on which the aims were set."""
        self.textual: Measurement | None = None
        """`import textual`, the yardstick of every start."""
        self._section = ""

    def section(self, title: str) -> None:
        self._section = title
        print(f"\n{title}", flush=True)

    def row(
        self,
        name: str,
        runs: Sequence[float],
        *,
        unit: str = "s",
        yardstick: Measurement | None = None,
        aim: float | None = None,
        aim_ratio: float | None = None,
    ) -> Measurement:
        """Print one row. `aim`: in `unit`; seconds are scaled to this machine. `aim_ratio`: to the yardstick's median."""
        found = Measurement(name=name, runs=tuple(runs), unit=unit)
        parts = [f"  {name:<52} {found}"]
        ratio = found.median / yardstick.median if yardstick else None
        if yardstick and ratio is not None:
            parts.append(f"{ratio:.2f} x {yardstick.name}")
        if aim_ratio is not None and ratio is not None:
            parts.append(f"aim {aim_ratio:.1f} x: {_verdict(ratio, aim_ratio)}")
        if aim is not None:
            scaled = aim * self.machine if unit == "s" else aim
            parts.append(f"aim {_figure(scaled, unit)}: {_verdict(found.median, scaled)}")
        print("   ".join(parts), flush=True)
        self.rows[f"{self._section}: {name}"] = {"unit": unit, "runs": list(found.runs), "ratio": ratio}
        return found

    def stalls(self, what: str, stalls: Sequence["Stall"]) -> None:
        """The longest stalls of the event loop in several runs."""
        self.row(f"{what}: longest stall, of processor", [stall.held_s for stall in stalls], aim=0.05)
        self.row(f"{what}: the same, by the clock", [stall.wall_s for stall in stalls])


def _verdict(found: float, aim: float) -> str:
    return "met" if found <= aim else "MISSED"


def seconds(run: Callable[[], object], *, runs: int = 5) -> list[float]:
    """The time of each of several calls."""
    taken: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run of a command."""

    wall_s: float
    peak_mb: float
    """Peak memory of the command's own process."""
    output: bytes


# Linux counts the memory of the parent in the peak of a child that it starts, so that the parent must be small.
_LAUNCHER = """
import os, sys, time
output, errors, *argv = sys.argv[1:]
started = time.perf_counter()
actions = [(os.POSIX_SPAWN_DUP2, int(output), 1), (os.POSIX_SPAWN_DUP2, int(errors), 2)]
child = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
_, waited, used = os.wait4(child, 0)
print(time.perf_counter() - started, os.waitstatus_to_exitcode(waited), used.ru_maxrss)
"""


def ran(argv: Sequence[str], *, status: Sequence[int] = (0,)) -> Ran:
    """Run a command to its end. Raises RuntimeError if it ends with another exit code."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        launched = subprocess.run(
            (sys.executable, "-I", "-S", "-c", _LAUNCHER, str(output.fileno()), str(errors.fileno()), *argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=(output.fileno(), errors.fileno()),
            check=True,
        )
        wall_s, code, peak_kb = launched.stdout.split()
        if int(code) not in status:
            errors.seek(0)
            raise RuntimeError(f"{argv} ended with {int(code)}: {errors.read()[-2000:].decode()}")
        output.seek(0)
        return Ran(wall_s=float(wall_s), peak_mb=int(peak_kb) / 1024, output=output.read())


PROBE_S = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The longest stalls of a period, in seconds. Each maximum is independent."""

    wall_s: float = 0.0
    """The delay with which the event loop returned to the probe."""
    held_s: float = 0.0
    """The same delay, limited to the processor time of this process, all threads: time of other processes does not count."""
    loop_s: float = 0.0
    """Processor time of the event loop's thread."""

    def __str__(self) -> str:
        wall, held, loop = (f"{each * 1000:.1f}" for each in (self.wall_s, self.held_s, self.loop_s))
        return f"longest stall {held} ms of processor, {loop} of them by the event loop itself, {wall} by the clock"


@dataclass(slots=True)
class Stalls:
    """A probe on the event loop."""

    longest: Stall = field(default_factory=Stall)

    def clear(self) -> None:
        self.longest = Stall()

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Run the probe while the block runs."""
        probing = asyncio.ensure_future(self._probe())
        try:
            yield
        finally:
            probing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await probing

    async def _probe(self) -> None:
        while True:
            asked, busy, own = time.perf_counter(), time.process_time(), time.thread_time()
            await asyncio.sleep(PROBE_S)
            late_s = time.perf_counter() - asked - PROBE_S
            before = self.longest
            self.longest = Stall(
                wall_s=max(before.wall_s, late_s),
                held_s=max(before.held_s, min(late_s, time.process_time() - busy)),
                loop_s=max(before.loop_s, time.thread_time() - own),
            )


def seconds_until(
    argv: Sequence[str], *shown: bytes, size: tuple[int, int] = (140, 45), limit_s: float = 30
) -> list[float]:
    """Start a program in a terminal, and end it; the seconds until it wrote each text, in order."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    started = time.perf_counter()
    process = subprocess.Popen(
        argv, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    os.close(slave)
    found: list[float] = []
    written = b""
    try:
        while len(found) < len(shown):
            left_s = limit_s - (time.perf_counter() - started)
            if left_s <= 0 or not select.select([master], [], [], left_s)[0]:
                raise TimeoutError(f"{shown[len(found)]!r} was not shown within {limit_s} s")
            written += os.read(master, 1 << 16)
            while len(found) < len(shown) and shown[len(found)] in written:
                found.append(time.perf_counter() - started)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(master)
    return found
