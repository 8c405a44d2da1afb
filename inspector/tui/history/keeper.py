"""Keeps the tool calls of one target: those of earlier runs, read from a file, and those of this run."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from textual.screen import Screen

from inspector.errors import InspectorError
from inspector.files import stamp
from inspector.history.files import HistoryFile, Stored, history_of
from inspector.history.past_call import Keeper, PastCall
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.targets import Target
from inspector.recording.target import secret_values
from inspector.session.call_record import CallRecord
from inspector.tui.text import content, count, shortened

_PATIENCE_S = 2.0
"""The maximum time in seconds that the end of the program waits for calls to be written."""


@dataclass(slots=True, eq=False, kw_only=True)
class HistoryCall:
    """One call of the history, with its record if the call was made in this run."""

    past: PastCall
    is_new: bool = False
    """True if the call was made in this run."""
    record: CallRecord | None = field(default=None, repr=False)
    """The call with its arguments and result; None for a call of an earlier run, or one without a result."""


@dataclass(slots=True)
class LeftAt:
    """The filter and the call under the cursor at the time when the user last left the history."""

    query: str = ""
    call: HistoryCall | None = None


class HistoryKeeper:
    """Holds all calls of a target in order, over all connections of the run."""

    def __init__(
        self, screen: Screen[None], target: Target, changed: Callable[[], None], *, is_kept: bool
    ) -> None:
        """`is_kept`: whether calls are written to a file. `changed`: called when the calls have changed."""
        self._screen = screen
        self._target = target
        self._changed = changed
        self._is_kept = is_kept
        self._file: HistoryFile | None = None
        self._keeper: Keeper | None = None
        self._jobs: list[Callable[[], Awaitable[None]]] = []
        self._idle = asyncio.Event()
        self._idle.set()
        self.calls: list[HistoryCall] = []
        """The calls, the oldest first."""
        self.listeners: list[Callable[[], None]] = []
        """Functions called when the calls have changed."""
        self.fault = "" if is_kept else "Calls are not kept beyond this run."
        """The reason why the file with the calls was not read or is not written; empty if there is none.

        May quote a path.
        """
        self.before = LeftAt()

    def begin(self) -> None:
        """Read the calls of earlier runs, if calls are kept."""
        if self._is_kept:
            self._do(self._read)

    def finished(self, record: CallRecord) -> None:
        """Add a call that has ended with a record."""
        if record.kind is Kind.TOOL:
            # The time of the frame, as in the timeline: a question about the answer may have taken a while.
            at = stamp.at(record.sent_at_s) if record.sent_at_s else _at(record.duration_s)
            self._do(lambda: self._add(lambda keeper: keeper.answered(record, at), record))

    def cancelled(self, name: str, tool: Tool | None, arguments: JsonObject, duration_s: float) -> None:
        """Add a call that was sent and then cancelled."""
        if tool is None or tool.kind is Kind.TOOL:
            at = _at(duration_s)
            self._do(
                lambda: self._add(lambda keeper: keeper.cancelled(name, tool, arguments, at, duration_s))
            )

    def before_call(self, record: CallRecord) -> tuple[HistoryCall, HistoryCall] | None:
        """The previous call of the same tool, then the call of `record`; None if there is no previous call."""
        calls = [call for call in self.calls if call.past.tool == record.name]
        place = next((index for index, call in enumerate(calls) if call.record is record), 0)
        return (calls[place - 1], calls[place]) if place else None

    def conceal(self, values: list[str]) -> None:
        """In all calls that are added later, leave out the arguments that repeat one of these values."""

        async def learn() -> None:
            await asyncio.to_thread(lambda: self._known().conceal(values))

        self._do(learn)

    def forget(self) -> None:
        """Remove all calls, also from the file."""
        self._do(self._forget)

    @property
    def place(self) -> str:
        """The path of the file with the calls; empty if there is no file."""
        return str(self._file.path) if self._file is not None else ""

    async def close(self) -> None:
        """Wait up to two seconds until all calls are written."""
        try:
            await asyncio.wait_for(self._idle.wait(), _PATIENCE_S)
        except TimeoutError:
            return

    def _do(self, job: Callable[[], Awaitable[None]]) -> None:
        """Queue a job; it runs when all earlier jobs have ended."""
        self._jobs.append(job)
        if self._idle.is_set():
            self._idle.clear()
            self._screen.run_worker(self._work, group="history", exit_on_error=True)

    async def _work(self) -> None:
        try:
            while self._jobs:
                try:
                    await self._jobs.pop(0)()
                except InspectorError as error:
                    self._fail(f"{error.message}. {error.hint}")
        finally:
            self._idle.set()

    async def _read(self) -> None:
        file = await asyncio.to_thread(history_of, self._target)
        if file is None:
            self.fault = "A page without an address has no history beyond this run."
            return
        stored, calls = await asyncio.to_thread(_stored, file)
        self._file = file
        self.calls[:0] = calls
        if stored.unreadable:
            self._fail(f"{count(stored.unreadable, 'line')} of {file.path} cannot be read, and stay there.")
        self._notify()

    async def _add(self, make: Callable[[Keeper], PastCall], record: CallRecord | None = None) -> None:
        past = await asyncio.to_thread(self._made, make)
        self.calls.append(HistoryCall(past=past, is_new=True, record=record))
        self._notify()
        if self._file is not None:
            await asyncio.to_thread(self._file.append, past)

    def _made(self, make: Callable[[Keeper], PastCall]) -> PastCall:
        return make(self._known())

    def _known(self) -> Keeper:
        if self._keeper is None:
            self._keeper = Keeper(secrets.token_bytes(32), secret_values(self._target))
        return self._keeper

    async def _forget(self) -> None:
        if self._file is not None:
            await asyncio.to_thread(self._file.forget)
        self.calls.clear()
        self._notify()

    def _notify(self) -> None:
        self._changed()
        for listener in self.listeners:
            listener()

    def _fail(self, words: str) -> None:
        self.fault = words
        self._screen.notify(
            content(shortened(f"History: {words}", 400)).plain, severity="warning", timeout=10, markup=False
        )
        self._notify()


def _stored(file: HistoryFile) -> tuple[Stored, list[HistoryCall]]:
    stored = file.read()
    return stored, [HistoryCall(past=past) for past in stored.calls]


def _at(duration_s: float) -> str:
    """The start time of a call that ends now, in UTC as ISO 8601."""
    began = datetime.now(UTC) - timedelta(seconds=duration_s)
    return began.isoformat(timespec="milliseconds").replace("+00:00", "Z")
