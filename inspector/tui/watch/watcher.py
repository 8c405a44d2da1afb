"""Restarts the server on a save, repeats the last call, and collects what changed."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from time import monotonic, time
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace
from textual.screen import Screen

from inspector.boundary.options import Level
from inspector.connect.presence import is_there, until_back, until_gone
from inspector.errors import UsageError, headline
from inspector.files.watching import Watching, is_written_by, saves
from inspector.json.exact import Json
from inspector.pins.pins import ChangesSince, PinState, ServerDefinitions, definitions_of
from inspector.protocol.outcome import Failure, FailureKind
from inspector.protocol.targets import HttpTarget, Target
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.call.runner import CallRunner, RepeatableCall
from inspector.tui.catalogue.marks import Mark
from inspector.tui.connection.connection import SessionLink
from inspector.tui.pins.view import changed_marks
from inspector.tui.runtime.latest import Latest
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, count, shortened
from inspector.tui.timeline.rows import called
from inspector.tui.watch.changes import (
    DefinitionsAsked,
    HostReach,
    ResultsAsked,
    ValueChanges,
    definitions_changed,
    is_same_call,
    reach_changed,
    repeats_safely,
    values_changed,
)
from inspector.tui.watch.remarks import (
    changes_itself,
    ended_the_server,
    may_write,
    no_longer_fits,
    not_called,
    not_listed,
)
from inspector.tui.watch.screen import WatchScreen, WatchStrip
from inspector.tui.watch.view import Phase, WatchView, outcome_line, reason_in
from inspector.urls.origin import Origin, origin_of

_SOON_S = 1.0
"""The time in seconds after a save was handled within which the next save waits until saves pause.

Saves may come in hundreds, for example from a checkout.
"""
_QUIET_S = 0.15
_LONGEST_WAIT_S = 1.0
_MOST_IN_ROW = 20
"""The number of saves of one file after which Sightline assumes that the server writes the file itself.

Only saves in a row count, each of which comes right after a start of the server.
"""
_PATIENCE_S = 3.0
"""The wait in seconds for a pause between saves, when the server is assumed to write the file itself."""
_TRIES = 8
"""The maximum number of attempts to reach a server that accepts connections but does not answer yet."""
_AWAY_S = 1.0
_IDLE, _LEAST_IDLE_S = 0.2, 4.0
"""For detecting that a server closes idle connections: a relative tolerance, and a minimum in seconds.

If two connections in a row were open for about the same time, longer than the minimum, the server has closed
them because they were idle.
"""

_NO_MARK = Mark()


class PinComparison(Protocol):
    """Compares every listing with the pins."""

    def edited(self, *, is_saved: bool) -> None:
        """Note that the server was started again.

        `is_saved`: whether the reason is that the user has saved a file of the server.
        """
        ...

    async def settled(self) -> None:
        """Wait until the last listing has been compared with the pins."""
        ...

    def mask(self, value: Json) -> Json:
        """Mask every part of a value that repeats a secret of the session. Blocks."""
        ...


class WatchLens(Protocol):
    """Knows the boundary level at which results are shown, and when they are drawn."""

    level: Level

    async def idle(self) -> None:
        """Wait until everything has been drawn."""
        ...


class _Cause(Struct, frozen=True, kw_only=True):
    """The reason for a restart of the server."""

    paths: tuple[str, ...] = ()
    """The saved files; empty if the server has returned by itself."""
    at_s: float
    """The time of the save or of the server's return, by `time.monotonic`."""


class Watcher:
    """Handles saves one after the other. A newer save replaces an older save that is not finished."""

    def __init__(  # noqa: PLR0913 - the parts that take part
        self,
        screen: Screen[None],
        link: SessionLink,
        runner: CallRunner,
        pins: PinComparison,
        lens: WatchLens,
        *,
        watching: Watching,
        target: Target,
        restart: Callable[[], Awaitable[None]],
        changed: Callable[[], None],
        marked: Callable[[], None],
        outdate: Callable[[int], None],
    ) -> None:
        """`restart`: ends the server and starts it again. `changed`: called when `view` has changed.

        `marked`: called when the marks of definitions have changed. `outdate`: called with the number of the
        last record from before a save.
        """
        self._screen = screen
        self._link = link
        self._runner = runner
        self._pins = pins
        self._lens = lens
        self._watching = watching
        self._origin = _origin(target)
        self._restart = restart
        self._changed = changed
        self._marked = marked
        self._outdate = outdate
        self._marks: dict[str, Mark] = {}
        """The marks of the definitions that the last save changed, by tool name."""
        self.strip = WatchStrip()
        self._cause: _Cause | None = None
        """The last save or return of the server; None before the first. If not yet handled, it is next."""
        self._asked = asyncio.Event()
        self._ended_s = 0.0
        """The time, by `time.monotonic`, at which the last save was completely handled."""
        self._in_row: tuple[tuple[str, ...], int] = ((), 0)
        self._tries = 0
        self._listed: asyncio.Future[str] | None = None
        """A future with "" once the listing is complete, or with the reason why there will be no listing."""
        self._finished: asyncio.Future[CallRecord | str] | None = None
        """A future with the record of the repeated call, or with the reason why it has none."""
        self._own: frozenset[str] = frozenset()
        """The files that changed during a call or a start of the server, and so count as written by it."""
        self._starts: list[tuple[float, float | None]] = []
        """Begin and end of the last two starts of the server, by `time.time`.

        The end is None during a start.
        """
        self._fatal: RepeatableCall | None = None
        """The last call, if the server ended during it."""
        self._agreed: RepeatableCall | None = None
        """The call that the user has repeated, so that every save may repeat it."""
        self._repeating: RepeatableCall | None = None
        """The call that the user is repeating. It has not ended yet, and may wait for their agreement."""
        self._before: ServerDefinitions | None = None
        """The last complete listing of definitions."""
        self._last: CallRecord | None = None
        self._is_restarting = False
        """True while the server from before the save is being ended."""
        self._ended: Session | None = None
        """The last session that has failed. A failure may be reported twice."""
        self._compared: CallRecord | None = None
        """The last record from before the last save, with which results after the save are compared."""
        self._definitions = Latest(screen, definitions_changed, self._take_definitions, self._could_not)
        # Both comparisons wait until the new result is drawn.
        self._values = Latest(
            screen, values_changed, self._take_values, self._could_not, before_each=lens.idle
        )
        self._reach = Latest(screen, reach_changed, self._take_reach, self._could_not, before_each=lens.idle)
        self.view = WatchView(
            watched=_watched(watching, self._origin), is_started=not isinstance(target, HttpTarget)
        )

    def begin(self) -> None:
        """Watch until the screen is closed."""
        self._show()
        self._start_began()
        if self._watching:
            self._screen.run_worker(self._hear_saves, group="watching")
        if self._origin is not None:
            self._screen.run_worker(self._attend, group="watching")
        self._screen.run_worker(self._work, group="watching")

    @property
    def has_changes(self) -> bool:
        """True if the last save changed a definition, a result, or the values that reach models."""
        return self.view.has_changes

    def mark(self, name: str) -> Mark:
        """The mark of a definition that the last save changed; an empty mark for other definitions."""
        return self._marks.get(name, _NO_MARK)

    def screen(self) -> WatchScreen:
        """A screen with everything that the last save changed."""
        return WatchScreen(lambda: self.view, self._pins.mask)

    # What the screen reports.

    def listed(self) -> None:
        """Called when a complete listing has arrived and its comparison with the pins has begun."""
        session = self._link.session
        if session is None or not self._link.is_listed or not self._link.is_ready:
            return
        instructions = session.server.instructions if session.server else None
        now = definitions_of(session.catalogue, instructions)
        self._start_ended()
        waiting, self._listed = self._listed, None
        if waiting is not None and not waiting.done():
            self._definitions.ask(DefinitionsAsked(before=self._before, now=now))
            waiting.set_result("")
        elif self.view.phase in {Phase.BROKEN, Phase.AWAY}:
            self._say(phase=Phase.WATCHING, reason="", remark="")
        self._before = now
        self._tries = 0

    def shows_failure(self, message: str) -> bool:
        """Show in the strip that the server did not start, or has ended. `message` may quote untrusted text.

        Returns false if there was no complete listing yet, and the main screen has to show the failure.
        """
        # If the server has answered, lines that it wrote before its last request are not about this failure.
        has_answered = self._link.server is not None
        self._start_ended()
        stderr = self._link.last_words(_LAST_LINES, since_request=has_answered)
        said = reason_in(stderr)
        how = headline(message.partition("\n")[0])
        waiting, self._listed = self._listed, None
        is_shown = self._ended is self._link.session and self.view.phase in {Phase.STARTING, Phase.BROKEN}
        self._ended = self._link.session
        # A server that ends at the first message is started twice, and writes the same lines twice.
        recent = self._link.last_words(_LINES_SHOWN, since_request=True) or stderr[-_LINES_SHOWN:]
        self._say(stderr=recent)
        if waiting is not None and not waiting.done():
            waiting.set_result(said or how)
        elif not (is_shown or self._is_restarting or self.view.phase is Phase.AWAY):
            call = _call_ended_by(how, self._link.session) if has_answered else ""
            during = f" during the call of {shortened(call, 60)}" if call else ""
            self._broke(f"{how}{during}{f': {said}' if said else ''}")
        return self._before is not None

    def _broke(self, reason: str) -> None:
        """Show that the server does not run, for a reason that is not a save."""
        self._say(phase=Phase.BROKEN, broke_at=_time_of_day(), reason=reason)

    def finished(self, record: CallRecord) -> None:
        """Note that a call has ended with a record."""
        waiting, self._finished = self._finished, None
        before, self._last = self._compared, record
        last, outcome = self._runner.last, record.outcome
        is_lost = isinstance(outcome, Failure) and outcome.kind is FailureKind.CONNECTION_LOST
        self._fatal = last if is_lost and last is not None and self._runner.is_made(record, last) else None
        if self._repeating is not None and self._runner.is_made(record, self._repeating):
            self._agreed, self._repeating = self._repeating, None
        if waiting is not None and not waiting.done():
            waiting.set_result(record)
        if self.view.phase is Phase.STARTED and before is not None and is_same_call(before, record):
            # The user has called after the save, so this result is compared too. `took_s` was that of another
            # call.
            self._say(called=record.title, took_s=None, remark="", is_result_old=False, is_comparing=True)
            self._compare(before, record)

    def forget_results(self) -> None:
        """Forget the results so far, because results with other settings are not comparable with them."""
        self._compared = self._last = None
        self._say(called="", took_s=None, remark="", values=None, reach=None, is_comparing=False)

    def stopped(self, reason: str) -> None:
        """Note that a call has ended without a record, and why. `reason` may quote untrusted text."""
        waiting, self._finished = self._finished, None
        if waiting is not None and not waiting.done():
            waiting.set_result(reason)

    def agree(self) -> None:
        """Note that the user repeats the last call. Once it has a record, every save may repeat it."""
        self._repeating = self._runner.last

    # Saves.

    async def _hear_saves(self) -> None:
        try:
            async for paths in saves(self._watching):
                spans = (*self._runner.spans, *self._starts)
                own = frozenset(path for path in paths if spans and is_written_by(path, spans))
                saved = tuple(path for path in paths if path not in own)
                if saved:
                    self._ask(_Cause(paths=saved, at_s=monotonic()))
                for path in own - self._own:
                    name = content(shortened(Path(path).name, 60)).plain
                    words = f"{name} changed during a call or a start of the server, so it counts as written by the server, not as saved. R restarts the server."
                    self._screen.notify(words, markup=False)
                self._own |= own
        except UsageError as error:
            self._say(phase=Phase.WATCHING, watched="", fault=f"{error.message}. {error.hint}")

    def _start_began(self) -> None:
        self._starts = [*self._starts[-1:], (time(), None)]

    def _start_ended(self) -> None:
        began_s, ended_s = self._starts[-1]
        if ended_s is None:
            self._starts[-1] = began_s, time()

    def _ask(self, cause: _Cause) -> None:
        self._cause = cause
        self._asked.set()

    async def _work(self) -> None:
        """Restart the server for each save.

        A restart is never interrupted: the old server has to end first.
        """
        while True:
            await self._asked.wait()
            await self._quiet()
            self._asked.clear()
            cause = self._cause
            if cause is None:
                continue
            self._say(
                phase=Phase.STARTING,
                saved=_saved(cause.paths),
                at=_time_of_day(),
                broke_at="",
                called="",
                took_s=None,
                remark="",
                reason="",
                stderr=(),
                definitions=None,
                values=None,
                reach=None,
                is_comparing=False,
            )
            # Stop handling the save before this one, and cancel its call.
            self._screen.workers.cancel_group(self._screen, "following")  # pyright: ignore[reportUnknownMemberType]
            self._runner.cancel()
            # Messages of the old server must not count for the new one.
            self._listed = self._finished = None
            self._is_restarting = True
            self._start_began()
            await self._restart()
            self._is_restarting = False
            self._pins.edited(is_saved=bool(cause.paths))
            self._listed = asyncio.get_running_loop().create_future()
            self._screen.run_worker(work_of(self._follow, cause, self._listed), group="following")

    async def _quiet(self) -> None:
        """Wait until saves pause, so that many saves start the server only once."""
        paths = self._cause.paths if self._cause else ()
        is_soon = monotonic() - self._ended_s < _SOON_S or self.view.phase is Phase.STARTING
        before, times = self._in_row
        self._in_row = (paths, times + 1 if is_soon and paths == before else 0)
        if not is_soon:
            return
        is_own = self._in_row[1] >= _MOST_IN_ROW
        ends_s = monotonic() + (_PATIENCE_S if is_own else _LONGEST_WAIT_S)
        while monotonic() < ends_s:
            self._asked.clear()
            try:
                await asyncio.wait_for(self._asked.wait(), _PATIENCE_S if is_own else _QUIET_S)
            except TimeoutError:
                return

    async def _follow(self, cause: _Cause, listed: "asyncio.Future[str]") -> None:
        reason = await listed
        before = self._compared = self._last
        if reason:
            self._say(phase=Phase.BROKEN, broke_at="", reason=reason)
            self._mark_old(before)
            self._ended_s = monotonic()
            await self._try_again(cause)
            return
        await self._pins.settled()
        remark = await self._why_not()
        record, last = None, self._runner.last
        if last is not None and not remark:
            self._finished = asyncio.get_running_loop().create_future()
            finished = self._finished
            remark = self._runner.repeat_unasked()
            ended = remark or await finished
            if isinstance(ended, str):
                remark = not_called(last.title, ended)
            else:
                record = ended
        if self._in_row[1] >= _MOST_IN_ROW:
            remark = changes_itself(Path(cause.paths[0]).name)
        is_comparable = record is not None and is_same_call(before, record)
        self._say(
            # The call may have ended the server.
            phase=Phase.BROKEN if self.view.phase is Phase.BROKEN else Phase.STARTED,
            called=record.title if record else "",
            took_s=monotonic() - cause.at_s,
            remark=remark,
            is_comparing=is_comparable,
            is_result_old=before is not None and self._last is before,
        )
        self._mark_old(before)
        self._ended_s = monotonic()
        if record is not None and before is not None and is_comparable:
            self._compare(before, record)

    def _mark_old(self, record: CallRecord | None) -> None:
        """Mark the results up to this record as results from before the save."""
        if record is not None:
            self._outdate(record.number)

    async def _why_not(self) -> str:
        """The reason why the last call is not repeated, and the key that repeats it.

        Empty if the call may be repeated, or if there was no call.
        """
        last = self._runner.last
        if last is not None and last is self._fatal:
            return ended_the_server(last.title)
        if last is None:
            return ""
        misfit = await self._runner.no_longer_fits(last)
        if misfit:
            return no_longer_fits(last.title, misfit)
        if last is self._agreed:
            return ""
        tool = self._link.tool(last.name)
        if tool is None:
            return not_listed(last.title)
        if await asyncio.to_thread(repeats_safely, tool):
            return ""
        return may_write(last.title)

    # A server that Sightline did not start.

    async def _attend(self) -> None:
        """Wait until the server at a URL ends, and connect again when it returns."""
        origin = self._origin
        idle_s = 0.0
        while origin is not None:
            open_s = await until_gone(origin)
            if open_s is None and self._link.is_ready:
                # The server cannot be reached directly, for example because there is a proxy.
                return
            was_there = open_s is not None and await is_there(origin)
            if (
                was_there
                and open_s is not None
                and open_s > _LEAST_IDLE_S
                and abs(open_s - idle_s) <= _IDLE * open_s
            ):
                continue
            idle_s = open_s or 0.0
            if not was_there:
                self._say(phase=Phase.AWAY, at=_time_of_day())
                if not await until_back(origin):
                    self._broke("the server has not returned for ten minutes")
                    while not self._link.is_ready:  # noqa: ASYNC110 - rare
                        await asyncio.sleep(_AWAY_S)
                    continue
            self._ask(_Cause(at_s=monotonic()))

    async def _try_again(self, cause: _Cause) -> None:
        """Try to connect again, because a server may accept connections before it can answer."""
        if self._origin is not None and self._tries < _TRIES:
            self._tries += 1
            await asyncio.sleep(0.1 * 2**self._tries)
            if await until_back(self._origin):
                self._ask(_Cause(paths=cause.paths, at_s=monotonic()))

    # What changed.

    def _compare(self, before: CallRecord, now: CallRecord) -> None:
        asked = ResultsAsked(before=before, now=now, level=self._lens.level)
        self._values.ask(asked)
        self._reach.ask(asked)

    def _take_definitions(self, _asked: DefinitionsAsked, found: ChangesSince | None) -> None:
        before, self._marks = self._marks, changed_marks(PinState(altered=(found,))) if found else {}
        self._say(definitions=found)
        if before or self._marks:
            self._marked()

    def _take_values(self, _asked: ResultsAsked, found: ValueChanges) -> None:
        self._say(values=found)

    def _take_reach(self, _asked: ResultsAsked, found: HostReach) -> None:
        self._say(reach=found, is_comparing=False)

    def _could_not(self, _asked: object, error: BaseException) -> None:
        self._say(
            remark=f"The versions before and after the save could not be compared ({type(error).__name__}): a defect of Sightline.",
            is_comparing=False,
        )

    def _say(self, **changed: object) -> None:
        before, view = self.view, replace(self.view, **changed)
        if view == before:
            return
        self.view = view
        self._show()
        if view.phase is not before.phase and view.phase not in {Phase.WATCHING, Phase.STARTING}:
            self._notify()
        self._changed()

    def _show(self) -> None:
        self.strip.show(self.view)
        shown = self._screen.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, WatchScreen):
            shown.show_current()

    def _notify(self) -> None:
        """Show the outcome as a notification if another screen covers the strip.

        Dialogs do not count, because they cover only a part of the screen.
        """
        stack = self._screen.app.screen_stack  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        shown = next(screen for screen in reversed(stack) if not screen.is_modal)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType, reportUnknownMemberType]
        if shown is not self._screen and not isinstance(shown, WatchScreen):
            severity = "information" if self.view.phase is Phase.STARTED else "warning"
            words = outcome_line(self.view, in_strip=False).plain
            self._screen.notify(words, severity=severity, timeout=5, markup=False)


_LAST_LINES = 60
"""The maximum number of lines of stderr that are searched for the reason why the server ended."""
_LINES_SHOWN = 30
"""The maximum number of lines of stderr that the screen with the changes shows."""


def _call_ended_by(how: str, session: Session | None) -> str:
    """The tool or item during whose call the server ended; empty if there was no call. Untrusted text.

    This is the call of the last request, if the request waits for an answer or has failed with the words
    `how`. `how`: the reason why the server ended.
    """
    entries = reversed(session.timeline.entries) if session is not None else ()
    last = next((entry for entry in entries if entry.kind is EntryKind.EXCHANGE), None)
    if last is None or not (last.state is EntryState.PENDING or last.detail.startswith(how)):
        return ""
    return called(last)


def _time_of_day() -> str:
    return datetime.now().astimezone().strftime("%H:%M:%S")


def _origin(target: Target) -> Origin | None:
    found = origin_of(target.url) if isinstance(target, HttpTarget) else None
    return found if isinstance(found, Origin) else None


def _saved(paths: tuple[str, ...]) -> str:
    if not paths:
        return "the server returned"
    # Editors write to a temporary file first and rename it. That file no longer exists.
    files = [path for path in paths if Path(path).exists()]
    name = Path((files or paths)[0]).name
    what = f"{name} and {count(len(files) - 1, 'other file')}" if len(files) > 1 else name
    return f"{what} saved" if files else f"{what} removed"


def _watched(watching: Watching, origin: Origin | None) -> str:
    here = str(Path.cwd())
    # The line may be cut: the folder of the server comes first.
    folders = [path.removeprefix(f"{here}/") for path in watching.folders if path != here]
    folders += ["the working folder"] if here in watching.folders else []
    inside = tuple(f"{folder}/" for folder in watching.folders)
    files = sorted(path for path in watching.files if not path.startswith(inside))
    names = folders + [path.removeprefix(f"{here}/") for path in files]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return " and ".join(filter(None, (shown, str(origin or ""))))
