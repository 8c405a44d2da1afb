"""How long the event loop stands still: by the clock, and by what this process had of the processor meanwhile."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from benchmarks.measuring import Measurement

PROBE_S = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The longest of some time, in seconds. Each is the longest of its kind, whichever moment that was."""

    wall_s: float = 0.0
    """How much later than asked the event loop came back to the probe."""
    held_s: float = 0.0
    """The same, but no more than this process had of the processor, in all threads: what others took is not ours."""
    loop_s: float = 0.0
    """What the thread of the event loop itself had of the processor."""

    def __str__(self) -> str:
        wall, held, loop = (f"{each * 1000:.1f}" for each in (self.wall_s, self.held_s, self.loop_s))
        return f"longest stall {held} ms of processor, {loop} of them by the event loop itself, {wall} by the clock"


@dataclass(slots=True)
class Stalls:
    """What a probe on the event loop sees."""

    longest: Stall = field(default_factory=Stall)

    def clear(self) -> None:
        """Forget what was."""
        self.longest = Stall()

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Probe as long as this lasts."""
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


def tell(what: str, stalls: list[Stall]) -> None:
    """Print the stalls of several runs."""
    for words, runs in (
        ("longest stall, of processor", tuple(stall.held_s for stall in stalls)),
        ("by the event loop itself", tuple(stall.loop_s for stall in stalls)),
        ("by the clock", tuple(stall.wall_s for stall in stalls)),
    ):
        print(Measurement(name=f"{what}: {words}", runs_s=runs).line())
