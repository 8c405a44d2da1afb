"""Starts the server again on a save, repeats the last call, and follows what came of it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace
from textual.screen import Screen

from inspector.boundary.options import Level
from inspector.connect.presence import is_there, until_back, until_gone
from inspector.errors import UsageError
from inspector.files.watching import Watching, saves
from inspector.pins.pins import ChangesSince, ServerDefinitions, definitions_of
from inspector.protocol.targets import HttpTarget, Target
from inspector.session.call_record import CallRecord
from inspector.tui.call.runner import CallRunner, RepeatableCall
from inspector.tui.connection.connection import SessionLink
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import count, headline
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
from inspector.tui.watch.screen import WatchScreen, WatchStrip
from inspector.tui.watch.view import Phase, WatchView, reason_in
from inspector.urls.origin import Origin, origin_of

_SOON_S = 1.0
"""A save within this time of the last start waits for quiet: saves may come in hundreds, as from a checkout."""
_QUIET_S = 0.15
_LONGEST_WAIT_S = 1.0
_MOST_IN_ROW = 20
"""Saves of one file, each right after a start, from which on the server is taken to write it itself."""
_PATIENCE_S = 3.0
"""The wait for quiet then."""
_TRIES = 8
"""How often a URL that accepts connections is tried before it answers."""
_AWAY_S = 1.0
_IDLE, _LEAST_IDLE_S = 0.2, 4.0
"""Two idle connections that were closed after about the same time were closed for being idle."""


class Compared(Protocol):
    """What compares every listing with the pins."""

    async def settled(self) -> None:
        """Wait until the listing is compared."""
        ...


class WatchLens(Protocol):
    """What results are shown at."""

    level: Level

    async def idle(self) -> None:
        """Wait until everything is drawn."""
        ...


class _Cause(Struct, frozen=True, kw_only=True):
    """Why the server is started again."""

    paths: tuple[str, ...] = ()
    """What was saved; nothing for a server that has returned."""
    at_s: float
    """By `time.monotonic`."""


class Watcher:
    """Follows saves, one after the other. The last one counts."""

    def __init__(  # noqa: PLR0913 - the parts that take part
        self,
        screen: Screen[None],
        link: SessionLink,
        runner: CallRunner,
        pins: Compared,
        lens: WatchLens,
        *,
        watching: Watching,
        target: Target,
        restart: Callable[[], Awaitable[None]],
        changed: Callable[[], None],
    ) -> None:
        """`restart`: ends the server and starts it again. `changed`: called when `view` is another."""
        self._screen = screen
        self._link = link
        self._runner = runner
        self._pins = pins
        self._lens = lens
        self._watching = watching
        self._origin = _origin(target)
        self._restart = restart
        self._changed = changed
        self.strip = WatchStrip()
        self._cause: _Cause | None = None
        """What is not followed yet."""
        self._asked = asyncio.Event()
        self._ended_s = 0.0
        """When the last save had been followed to its end."""
        self._in_row: tuple[tuple[str, ...], int] = ((), 0)
        self._tries = 0
        self._listed: asyncio.Future[str] | None = None
        """Waits for the complete listing (empty), or for why there is none."""
        self._finished: asyncio.Future[CallRecord | str] | None = None
        """Waits for the record of the repeated call, or for why it has none."""
        self._agreed: RepeatableCall | None = None
        """The call that the user asked to make again."""
        self._before: ServerDefinitions | None = None
        """The last complete listing."""
        self._last: CallRecord | None = None
        self._definitions = Latest(screen, definitions_changed, self._take_definitions, self._could_not)
        # The new result is drawn first.
        self._values = Latest(screen, values_changed, self._take_values, self._could_not, gives_way=lens.idle)
        self._reach = Latest(screen, reach_changed, self._take_reach, self._could_not, gives_way=lens.idle)
        self.view = WatchView(
            watched=_watched(watching, self._origin), is_started=not isinstance(target, HttpTarget)
        )

    def begin(self) -> None:
        """Watch until the screen goes."""
        self._show()
        if self._watching:
            self._screen.run_worker(self._hear_saves, group="watching")
        if self._origin is not None:
            self._screen.run_worker(self._attend, group="watching")
        self._screen.run_worker(self._work, group="watching")

    @property
    def has_changes(self) -> bool:
        """Whether there is more to see than the strip shows."""
        return self.view.has_changes

    def screen(self) -> WatchScreen:
        """All that the last save changed."""
        return WatchScreen(lambda: self.view)

    # What the screen hears.

    def listed(self) -> None:
        """A listing is complete, and its comparison with the pins has begun."""
        session = self._link.session
        if session is None or not self._link.is_listed or not self._link.is_ready:
            return
        instructions = session.server.instructions if session.server else None
        now = definitions_of(session.catalogue, instructions)
        waiting, self._listed = self._listed, None
        if waiting is not None and not waiting.done():
            self._definitions.ask(DefinitionsAsked(before=self._before, now=now))
            waiting.set_result("")
        elif self.view.phase in {Phase.BROKEN, Phase.AWAY}:
            self._say(phase=Phase.WATCHING, reason="")
        self._before = now
        self._tries = 0

    def shows_failure(self, message: str) -> bool:
        """Show in the strip that the server did not start, or has ended; false where there is no good state to keep.

        `message` may quote foreign text.
        """
        reason = reason_in(self._link.last_words(_LAST_LINES)) or headline(message.partition("\n")[0])
        waiting, self._listed = self._listed, None
        if waiting is not None and not waiting.done():
            waiting.set_result(reason)
        elif self.view.phase not in {Phase.STARTING, Phase.AWAY}:
            self._say(phase=Phase.BROKEN, reason=reason)
        return self._before is not None

    def finished(self, record: CallRecord) -> None:
        """A call has ended."""
        waiting, self._finished = self._finished, None
        before, self._last = self._last, record
        if waiting is not None and not waiting.done():
            waiting.set_result(record)
        if self.view.phase is Phase.STARTED and before is not None and is_same_call(before, record):
            # Called by the user after the save: its result is compared too.
            self._say(remark="")
            self._compare(before, record)

    def stopped(self, reason: str) -> None:
        """A call has ended without a record. `reason` may quote foreign text."""
        waiting, self._finished = self._finished, None
        if waiting is not None and not waiting.done():
            waiting.set_result(reason)

    def agree(self) -> None:
        """The user calls again: from now on, every save does."""
        self._agreed = self._runner.last

    # Saves.

    async def _hear_saves(self) -> None:
        try:
            async for paths in saves(self._watching):
                self._ask(_Cause(paths=paths, at_s=monotonic()))
        except UsageError as error:
            self._say(phase=Phase.WATCHING, watched=f"Not watching. {error.message}. {error.hint}")

    def _ask(self, cause: _Cause) -> None:
        self._cause = cause
        self._asked.set()

    async def _work(self) -> None:
        """Start the server again for each save. A start is not given up half-way: the old server has to be gone."""
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
                at=datetime.now().astimezone().strftime("%H:%M:%S"),
                called="",
                took_s=None,
                remark="",
                reason="",
                definitions=None,
                values=None,
                reach=None,
                is_comparing=False,
            )
            # What follows the save before is given up, and its call with it.
            self._screen.workers.cancel_group(self._screen, "following")  # pyright: ignore[reportUnknownMemberType]
            self._runner.cancel()
            # What the old server still says is about no new one.
            self._listed = self._finished = None
            await self._restart()
            self._listed = asyncio.get_running_loop().create_future()
            self._screen.run_worker(self._following(cause, self._listed), group="following")

    async def _quiet(self) -> None:
        """Wait for the last of many saves, so that they start the server once."""
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

    def _following(
        self, cause: _Cause, listed: "asyncio.Future[str]"
    ) -> Callable[[], Coroutine[None, None, None]]:
        # Not the coroutine: a worker that is cancelled before it begins would leave that unawaited.
        async def follow() -> None:
            await self._follow(cause, listed)

        return follow

    async def _follow(self, cause: _Cause, listed: "asyncio.Future[str]") -> None:
        reason = await listed
        if reason:
            self._say(phase=Phase.BROKEN, reason=reason)
            self._ended_s = monotonic()
            await self._try_again(cause)
            return
        await self._pins.settled()
        remark = await self._why_not()
        record, before, last = None, self._last, self._runner.last
        if last is not None and not remark:
            self._finished = asyncio.get_running_loop().create_future()
            finished = self._finished
            remark = self._runner.repeat_unasked(is_own_change=bool(cause.paths))
            ended = remark or await finished
            if isinstance(ended, str):
                remark = f"{last.title} was not called again: {ended}. r calls it, after asking where the policy does."
            else:
                record = ended
        if self._in_row[1] >= _MOST_IN_ROW:
            remark = f"{Path(cause.paths[0]).name} changes whenever the server starts. Name what to watch with --watch=PATH, or have git ignore it."
        is_comparable = record is not None and is_same_call(before, record)
        self._say(
            phase=Phase.STARTED,
            called=record.title if record else "",
            took_s=monotonic() - cause.at_s,
            remark=remark,
            is_comparing=is_comparable,
        )
        self._ended_s = monotonic()
        if record is not None and before is not None and is_comparable:
            self._compare(before, record)

    async def _why_not(self) -> str:
        """Why the last call is not repeated, with the key that does it; empty where it may be, or there is none."""
        last = self._runner.last
        if last is None or last is self._agreed:
            return ""
        tool = self._link.tool(last.name)
        if tool is None:
            return f"{last.title} is not listed any more, so it is not called again."
        if await asyncio.to_thread(repeats_safely, tool):
            return ""
        return f"{last.title} may change something, so it is not called again. r calls it, now and after each save."

    # A server that Sightline did not start.

    async def _attend(self) -> None:
        """Notice that the server at a URL has ended, and connect when it returns."""
        origin = self._origin
        idle_s = 0.0
        while origin is not None:
            open_s = await until_gone(origin)
            if open_s is None and self._link.is_ready:
                # It is reached in another way than directly, through a proxy for example.
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
                self._say(phase=Phase.AWAY, at=datetime.now().astimezone().strftime("%H:%M:%S"))
                if not await until_back(origin):
                    self._say(phase=Phase.BROKEN, reason="it has not returned for ten minutes; R connects")
                    while not self._link.is_ready:  # noqa: ASYNC110 - rare
                        await asyncio.sleep(_AWAY_S)
                    continue
            self._ask(_Cause(at_s=monotonic()))

    async def _try_again(self, cause: _Cause) -> None:
        """A server may accept connections before it answers."""
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
        self._say(definitions=found)

    def _take_values(self, _asked: ResultsAsked, found: ValueChanges) -> None:
        self._say(values=found)

    def _take_reach(self, _asked: ResultsAsked, found: HostReach) -> None:
        self._say(reach=found, is_comparing=False)

    def _could_not(self, _asked: object, error: BaseException) -> None:
        self._say(
            remark=f"What changed could not be compared ({type(error).__name__}): a defect of Sightline.",
            is_comparing=False,
        )

    def _say(self, **changed: object) -> None:
        view = replace(self.view, **changed)
        if view == self.view:
            return
        self.view = view
        self._show()
        self._changed()

    def _show(self) -> None:
        self.strip.show(self.view)
        shown = self._screen.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, WatchScreen):
            shown.news()


_LAST_LINES = 60


def _origin(target: Target) -> Origin | None:
    found = origin_of(target.url) if isinstance(target, HttpTarget) else None
    return found if isinstance(found, Origin) else None


def _saved(paths: tuple[str, ...]) -> str:
    if not paths:
        return "the server returned"
    # Editors write to another file first, and rename it.
    files = [path for path in paths if Path(path).exists()]
    name = Path((files or paths)[0]).name
    what = f"{name} and {count(len(files) - 1, 'other file')}" if len(files) > 1 else name
    return f"{what} saved" if files else f"{what} removed"


def _watched(watching: Watching, origin: Origin | None) -> str:
    home = str(Path.cwd())
    names = [path.removeprefix(f"{home}/") if path != home else "this folder" for path in watching.folders]
    inside = tuple(f"{folder}/" for folder in watching.folders)
    names += sorted(path.removeprefix(f"{home}/") for path in watching.files if not path.startswith(inside))
    if not names:
        return f"Watching {origin}. When it returns from a restart, the last call is repeated."
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if origin is not None:
        return f"Watching {shown} and {origin}. A save, or its return, repeats the last call."
    return f"Watching {shown}. A save restarts the server and repeats the last call."
