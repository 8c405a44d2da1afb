"""Opens interfaces of tools (MCP Apps), one at a time.

The modules that serve an interface are loaded only when one is opened.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module

from textual.screen import Screen
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from inspector.boundary.bounded import Level
from inspector.pins.pins import ConfirmReason
from inspector.protocol.outcome import Result, unfinished
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.call.runner import CallRunner
from inspector.tui.connection.connection import SessionLink
from inspector.tui.policy.gate import PolicyGate
from inspector.tui.result.sides import KnownBeside
from inspector.tui.runtime.workers import work_of


class AppOpener:
    """Opens at most one interface of a tool (MCP Apps) at a time.

    The interface ends when its screen, the session, or Sightline ends.
    """

    def __init__(
        self,
        screen: Screen[None],
        link: SessionLink,
        gate: PolicyGate,
        runner: CallRunner,
        asking: Callable[[str], Awaitable[Sequence[ConfirmReason]]],
        *,
        called: Callable[[CallRecord], None],
        known: KnownBeside,
    ) -> None:
        """`asking`: returns the reasons to ask before a tool's first call, such as a changed definition.

        `called`: called with the record of each call that the interface makes. `known`: returns the values
        that were withheld from the results of calls so far; it blocks.
        """
        self._screen = screen
        self._link = link
        self._gate = gate
        self._runner = runner
        self._asking = asking
        self._called = called
        self._known = known
        self._worker: Worker[None] | None = None
        self._is_ending = False

    def open(self, record: CallRecord | None, uri: str | None, level: Level) -> None:
        """Ask the user, then open the interface `uri` with a result. If that is impossible, show why."""
        obstacle = self._runner.obstacle() or _obstacle(record, uri)
        if obstacle or record is None or uri is None or self._link.session is None:
            self._screen.notify(obstacle or "There is no session.", severity="warning", markup=False)
        elif self._worker is not None and self._worker.is_running:
            self._screen.notify("Another interface is still open, or is closing.", markup=False)
        else:
            work = work_of(self._live, self._link.session, record, uri, level)
            self._is_ending = False
            self._worker = self._screen.run_worker(work, group="app")

    async def end(self) -> None:
        """End the open interface, and wait until its browser has ended."""
        worker = self._worker
        if worker is None or not worker.is_running:
            return
        if not self._is_ending:
            # Cancelling a second time would interrupt the ending.
            self._is_ending = True
            worker.cancel()
        try:
            await worker.wait()
        except (WorkerCancelled, WorkerFailed):
            return

    async def _live(self, session: Session, record: CallRecord, uri: str, level: Level) -> None:
        await asyncio.to_thread(import_module, "inspector.tui.apps.serving")
        from inspector.tui.apps.serving import AppServer  # noqa: PLC0415 - few open an interface

        server = AppServer(self._screen, session, self._gate, self._asking, self._called, self._known, uri)
        await server.open(record, level, on_left=self._leave)

    def _leave(self) -> None:
        self._screen.run_worker(self.end, group="leaving an app")


def _obstacle(record: CallRecord | None, uri: str | None) -> str:
    """The reason why no interface can be opened; empty if one can."""
    if uri is None:
        return "The open tool names no interface (MCP Apps)."
    if record is None or not isinstance(record.outcome, Result) or unfinished(record.outcome):
        return "There is no result to show. Call the tool, then open its interface."
    return ""
