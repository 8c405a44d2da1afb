"""The interface without a terminal, on a real server process, with a probe on its event loop."""

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from textual.pilot import Pilot
from textual.worker import Worker

from inspector.core.boundary.level import Level
from inspector.core.frames import Direction
from inspector.core.targets import StdioTarget
from inspector.session import (
    Event,
    FrameSeen,
    Listener,
    ListingAdvanced,
    Options,
    Session,
    State,
    StateChanged,
)
from inspector.store import themes
from inspector.tui.app import SightlineApp, calm_collector

SERVER = Path(__file__).parent.parent / "tests" / "peers" / "large_server.py"
PROBE_S = 0.002


@dataclass(slots=True)
class Observed:
    """What was seen of one run."""

    listed_s: float = 0.0
    """From the start of the application until the last tool was in."""
    last_result: bytes = b""
    """The frame of the last answer."""
    stalls_s: list[float] = field(default_factory=list[float])
    """How much later than asked the event loop came back to the probe."""

    @property
    def longest_stall_s(self) -> float:
        """The worst."""
        return max(self.stalls_s, default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one key took."""

    wall_s: float
    cpu_s: float
    """Of this process, in all threads."""
    stall_s: float
    """The longest of the event loop."""


@asynccontextmanager
async def application(tools: int, result_bytes: int) -> AsyncGenerator[tuple[Pilot[None], Observed]]:
    """The application, ready, at 140x45."""
    target = StdioTarget(command=(sys.executable, "-S", str(SERVER), str(tools), str(result_bytes)))
    calm_collector()
    observed = Observed()
    listed = asyncio.Event()
    started = time.perf_counter()

    async def opened(listener: Listener) -> Session:
        def hear(event: Event) -> None:
            listener(event)
            if isinstance(event, StateChanged) and event.state is State.READY:
                # What comes before is opening the screen, which is measured as time, not as stalls.
                observed.stalls_s.clear()
            elif isinstance(event, ListingAdvanced) and event.complete:
                observed.listed_s = time.perf_counter() - started
                listed.set()
            elif isinstance(event, FrameSeen) and event.frame.direction is Direction.RECEIVED:
                observed.last_result = event.frame.raw

        await asyncio.to_thread(__import__, "inspector.wire.connection")
        return Session(target, Options(), hear)

    app = SightlineApp(target, opened, level=Level.DECLARED, theme_files=themes.themes())
    async with app.run_test(size=(140, 45)) as pilot:
        probing = asyncio.ensure_future(_probe(observed))
        await listed.wait()
        await pilot.pause()
        yield pilot, observed
        probing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await probing


async def until(pilot: Pilot[None], shown: Callable[[], bool], limit_s: float = 60) -> None:
    """Wait for something to stand on the screen."""
    end = time.perf_counter() + limit_s
    while not shown():
        if time.perf_counter() > end:
            raise TimeoutError("it never stood on the screen")
        await asyncio.sleep(0.005)
    await pilot.pause()


async def pressed(pilot: Pilot[None], observed: Observed, key: str, limit_s: float = 120) -> Measured:
    """Press a key, and wait until all that it set going is done."""
    before = _running(pilot)
    observed.stalls_s.clear()
    started, busy = time.perf_counter(), time.process_time()
    await pilot.press(key)
    await until(pilot, lambda: not _running(pilot) - before, limit_s)
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - busy
    return Measured(wall_s=wall_s, cpu_s=cpu_s, stall_s=observed.longest_stall_s)


def _running(pilot: Pilot[None]) -> set[Worker[object]]:
    return {worker for worker in pilot.app.workers if worker.is_running}


async def _probe(observed: Observed) -> None:
    while True:
        asked = time.perf_counter()
        await asyncio.sleep(PROBE_S)
        observed.stalls_s.append(time.perf_counter() - asked - PROBE_S)
