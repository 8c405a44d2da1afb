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
import termios
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Seconds of several runs."""

    name: str
    runs_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        return statistics.median(self.runs_s)

    def line(self, yardstick: "Measurement | None" = None) -> str:
        """Median, spread, and the ratio to the yardstick's median."""
        spread = f"{_duration(min(self.runs_s))} to {_duration(max(self.runs_s))}"
        ratio = f"   {self.median_s / yardstick.median_s:.2f} x {yardstick.name}" if yardstick else ""
        return f"  {self.name:<44} {_duration(self.median_s):>9}   ({spread}, {len(self.runs_s)} runs){ratio}"


def measured(name: str, run: Callable[[], float | None], *, runs: int = 5) -> Measurement:
    """Call `run` several times. It may return its own seconds; otherwise the whole call counts."""
    seconds: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        own = run()
        seconds.append(time.perf_counter() - started if own is None else own)
    return Measurement(name=name, runs_s=tuple(seconds))


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


PROBE_S = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The longest stalls of a period, in seconds. Each maximum counts for itself."""

    wall_s: float = 0.0
    """How late the event loop returned to the probe."""
    held_s: float = 0.0
    """The same, limited to the processor time of this process, all threads: time of other processes does not count."""
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
        """Probe while the block runs."""
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


def print_stalls(what: str, stalls: list[Stall]) -> None:
    """Print the stalls of several runs."""
    for words, runs in (
        ("longest stall, of processor", tuple(stall.held_s for stall in stalls)),
        ("by the event loop itself", tuple(stall.loop_s for stall in stalls)),
        ("by the clock", tuple(stall.wall_s for stall in stalls)),
    ):
        print(Measurement(name=f"{what}: {words}", runs_s=runs).line())


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
