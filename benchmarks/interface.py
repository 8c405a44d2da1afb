"""The interface without a terminal, on a real server process, with a probe on its event loop."""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Static
from textual.worker import Worker

from benchmarks.measuring import Stall, Stalls
from inspector.boundary.options import Level
from inspector.files import themes
from inspector.protocol.frames import Direction
from inspector.protocol.targets import StdioTarget
from inspector.session.events import Event, FrameSeen, Listener, ListingAdvanced, SessionState, StateChanged
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from inspector.tui.runtime.memory import keep_responsive
from inspector.tui.widgets.lines import Lines

_QUIET = 3
"""The number of turns of the event loop without a waiting message after which a key has had its effect."""
SERVER = Path(__file__).with_name("large_server.py")


@dataclass(slots=True)
class Observed:
    """Observations of one run."""

    listed_s: float = 0.0
    """Seconds from the start of the application to the last tool."""
    last_result: bytes = b""
    """The frame with the last answer."""
    stalls: Stalls = field(default_factory=Stalls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The time that one key took."""

    wall_s: float
    cpu_s: float
    """Processor time of this process, all threads."""
    stall: Stall


@asynccontextmanager
async def application(
    tools: int, result_bytes: int, *, marked: bool = False
) -> AsyncGenerator[tuple[Pilot[None], Observed]]:
    """The application, ready, at 140x45. `marked`: a text of each row of the result is sensitive."""
    options = ("marked",) if marked else ()
    target = StdioTarget(command=(sys.executable, "-S", str(SERVER), str(tools), str(result_bytes), *options))
    keep_responsive()
    observed = Observed()
    listed = asyncio.Event()
    started = time.perf_counter()

    async def opened(listener: Listener) -> Session:
        def hear(event: Event) -> None:
            listener(event)
            if isinstance(event, StateChanged) and event.state is SessionState.READY:
                # Opening the screen is measured as time, not as stalls.
                observed.stalls.clear()
            elif isinstance(event, ListingAdvanced) and event.complete:
                observed.listed_s = time.perf_counter() - started
                listed.set()
            elif isinstance(event, FrameSeen) and event.frame.direction is Direction.RECEIVED:
                observed.last_result = event.frame.raw

        await asyncio.to_thread(__import__, "inspector.connect.connection")
        return Session(target, Options(), hear)

    app = SightlineApp(
        [ServerSource(target=target, opener=opened)], level=Level.DECLARED, theme_files=themes.themes()
    )
    async with app.run_test(size=(140, 45)) as pilot, observed.stalls.watched():
        await listed.wait()
        await pilot.pause()
        yield pilot, observed
        await left(app)


async def call(pilot: Pilot[None], observed: Observed, number: int) -> float:
    """Call the only tool, as call `number`; the seconds until both panes show its result."""
    if number == 1:
        # The first Enter opens the tool, the next one calls it.
        await pilot.press("enter")
        await until(pilot, lambda: "Enter call" in screen_text(pilot))
    return await called(pilot, observed.stalls, number)


async def called(pilot: Pilot[None], stalls: Stalls, number: int) -> float:
    """Press the key that makes call `number`; the seconds until both panes show its result."""
    stalls.clear()
    started = time.perf_counter()
    pilot.app.simulate_key("enter" if number == 1 else "r")
    await until(pilot, lambda: shows_call(pilot, number), 120, every_s=0.002)
    taken_s = time.perf_counter() - started
    await pilot.pause()
    return taken_s


def shows_call(pilot: Pilot[None], number: int) -> bool:
    """Whether both panes show the result of this call. Reads two widgets: drawing the screen would slow down the measured work."""
    verdict = pilot.app.screen.query_one("#result-verdict", Static)
    values = pilot.app.screen.query_one("#result-values", Lines)
    return f"#{number} done" in str(verdict.content) and values.count > 0


def screen_text(pilot: Pilot[None]) -> str:
    """The content of the screen."""
    strips = pilot.app.screen._compositor.render_strips()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return "\n".join(strip.text for strip in strips)


async def until(
    pilot: Pilot[None], shown: Callable[[], bool], limit_s: float = 60, *, every_s: float = 0.02
) -> None:
    """Wait for text on the screen, without waiting for an idle screen as `Pilot.press` and `Pilot.pause` do."""
    end = time.perf_counter() + limit_s
    while not shown():
        if time.perf_counter() > end:
            raise TimeoutError(f"it never appeared on the screen:\n{screen_text(pilot)}")
        await asyncio.sleep(every_s)


async def left(app: SightlineApp) -> None:
    """Leave and wait: the connection must close before its event loop does."""
    app.leave()
    while app.return_code is None:  # noqa: ASYNC110 - Textual has no event for it
        await asyncio.sleep(0.005)


async def typed(pilot: Pilot[None], key: str) -> float:
    """Type a key; the seconds until it has changed the screen, except for changes by threads.

    `Pilot.press` waits for the process to be idle, 20 ms at least and up to a second for each key. Its way to wait for
    the widgets posts a callback to each of them, which takes longer than the key.
    """
    started = time.perf_counter()
    app = pilot.app
    app.simulate_key(key)
    quiet = 0
    while quiet < _QUIET:
        await asyncio.sleep(0)
        pumps = (app, app.screen, *app.screen.walk_children())
        quiet = 0 if any(pump.message_queue_size for pump in pumps) else quiet + 1
    app.screen._on_timer_update()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return time.perf_counter() - started


async def percentile_95(pilot: Pilot[None], keys: Sequence[str], rest_s: float = 0.05) -> float:
    """Type keys, each after a rest; the seconds within which 95 of 100 have changed the screen."""
    taken: list[float] = []
    for key in keys:
        taken.append(await typed(pilot, key))
        await asyncio.sleep(rest_s)
    return statistics.quantiles(taken, n=20, method="inclusive")[-1]


async def pressed(pilot: Pilot[None], observed: Observed, key: str, limit_s: float = 120) -> Measured:
    """Press a key, and wait for all the workers that it starts."""
    before = _running(pilot)
    observed.stalls.clear()
    started, busy = time.perf_counter(), time.process_time()
    await typed(pilot, key)
    await until(pilot, lambda: not _running(pilot) - before, limit_s, every_s=0.002)
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - busy
    return Measured(wall_s=wall_s, cpu_s=cpu_s, stall=observed.stalls.longest)


def _running(pilot: Pilot[None]) -> set[Worker[object]]:
    return {worker for worker in pilot.app.workers if worker.is_running}
