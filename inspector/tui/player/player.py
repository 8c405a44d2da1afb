"""Moves through a recording: by steps, by jumps, by playing, and by searching."""

from collections.abc import Callable
from functools import partial
from time import monotonic

from msgspec import Struct
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from inspector.session.recorded import RecordedSession
from inspector.tui.player.transport import EndWanted, FrameWanted, Play, TimeWanted, Wanted
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import shortened

TICK_S = 0.1
LONGEST_PAUSE_S = 0.5
"""The pause in seconds to which longer pauses are cut when the recording is not played in real time."""

_MOST_AT_ONCE = 5_000
"""The maximum number of lines by which the position moves at one tick. The next tick moves it further."""


class PlayerChanged(Message):
    """Posted when reading, playing or a search begins, progresses or ends, for the transport bar."""


class _Found(Struct, frozen=True, kw_only=True):
    """What a search has found. `line`: the number of the line; None if no line matches."""

    line: int | None = None
    is_beyond_end: bool = False
    """True if the search reached one end of the recording and went on from the other end."""


class Player:
    """Moves the position in a recording, which is a line number. Threads read and search the file."""

    def __init__(self, screen: Screen[None], session: RecordedSession, moved: Callable[[], None]) -> None:
        """`moved`: called for every new position, in order, because each scene is built on the one before."""
        self._screen = screen
        self._moved = moved
        self._session = session
        self._played = session.played
        self.position = self.since = 0
        """`position`: the number of the current line.

        `since`: the number of an earlier line. A call that ended after it, up to `position`, is shown too.
        """
        self.shown = 0
        """The position of the scene that is shown, which differs from `position` while another scene is read."""
        self.play = Play.PAUSED
        self.speed = Play.COMPRESSED
        self._clock_s = 0.0
        self._ticked_s = 0.0
        self._ticking: Timer | None = None
        self._has_chosen = False
        """True if the user has chosen a position. If so, it is kept when the file is read to its end."""
        self._progress = (0, 0)
        self._searching: Worker[_Found] | None = None
        self._stop = False
        self._ended = False
        self.found: int | None = None
        """The line that the last search has found; None if the position was chosen in another way since."""
        self.words = ""
        """The words of the last search."""

    # Reading.

    def begin(self) -> None:
        """Read the whole file once, then move to its end."""
        self._screen.run_worker(self._read, group="reading", exit_on_error=True)

    async def _read(self) -> None:
        showing = self._screen.set_interval(TICK_S * 2, self._while_reading)
        work = self._screen.run_worker(
            self._index,
            thread=True,
            group="reading",
            exit_on_error=False,
        )
        try:
            await work.wait()
        except WorkerCancelled:
            return
        except WorkerFailed as failed:
            if self._ended:
                return
            words = f"The recording could not be read to its end ({type(failed.error).__name__}): a defect of Sightline."
            self._screen.notify(words, severity="error", markup=False)
        finally:
            showing.stop()
        if self._has_chosen or self._ended:
            self._changed()
        else:
            self._go(self._played.last, since=0)

    def _index(self) -> None:
        with self._session.reading() as played:
            played.index(is_cancelled=lambda: self._ended, on_progress=self._note_progress)

    def _while_reading(self) -> None:
        if self.position == 0 and (first := self._played.next(0)) is not None:
            self._go(first)
        else:
            self._changed()

    def _changed(self) -> None:
        self._screen.post_message(PlayerChanged())

    def end(self) -> None:
        """Stop all threads."""
        self._ended = self._stop = True
        self.pause()

    @property
    def is_open(self) -> bool:
        """True if the file may still be read."""
        return not self._ended

    # Moving.

    def step(self, step: int) -> None:
        """Move to the next line with an event, or to the previous one. Consecutive stderr is one step."""
        if step > 0:
            words = "This is the end. [ steps back, { goes to the call before, < to the start."
            self._choose(self._played.step(self.position), words, since=self.seen)
        else:
            words = "This is the start. ] steps on, } goes to the next call, > to the end."
            self._choose(self._played.step_back(self.position), words)

    def step_call(self, step: int) -> None:
        """Move to the end of the next or previous call, answered or not."""
        if step > 0:
            words = "There is no call after this one. { goes to the one before."
            self._choose(self._played.next_call(self.position), words)
        else:
            words = "There is no call before this one. } goes to the next."
            self._choose(self._played.previous_call(self.position), words)

    def ends(self, step: int) -> None:
        """Move to the end of the recording if `step` is positive, otherwise to its start."""
        if step > 0:
            self._choose(self._played.last or None, "The recording is empty.", since=0)
        else:
            self._choose(self._played.next(0), "The recording is empty.")

    def jump(self, there: Wanted) -> str:
        """Move to a frame, a time or an end of the recording. Returns an error message, or "" on success."""
        match there:
            case EndWanted():
                self.ends(1 if there is EndWanted.LAST else -1)
            case FrameWanted(number=number):
                line = self._played.line_of(number)
                if line is None:
                    return f"There is no frame {number:,}."
                self._choose(line, "")
            case TimeWanted(at_s=at_s):
                # Before the first line there is no position, so an earlier time leads to the first line.
                self._choose(self._played.line_at(at_s) or self._played.next(0), "The recording is empty.")
        return ""

    @property
    def seen(self) -> int:
        """The line up to which calls have been shown. It is before `position` while the scene there is being read."""
        return self.position if self.shown == self.position else self.since

    def _choose(self, there: int | None, otherwise: str, *, since: int | None = None) -> None:
        self._has_chosen = True
        self.pause()
        if there is None:
            self._screen.notify(otherwise, markup=False)
        else:
            self._go(there, since=since)

    def _go(self, there: int, *, since: int | None = None) -> None:
        if there != self.found:
            self.found = None
        self.position, self.since = there, there - 1 if since is None else since
        self._moved()

    # Playing.

    def toggle(self) -> None:
        """Play from the position on, or pause. At the end, play from the start."""
        if self.play is not Play.PAUSED:
            self.pause()
            return
        self._has_chosen = True
        if self._played.next(self.position) is None and (first := self._played.next(0)) is not None:
            self._go(first)
        self._clock_s = self._played.time_of(self.position)
        self._ticked_s = monotonic()
        self.play = self.speed
        self._ticking = self._screen.set_interval(TICK_S, self._tick)
        self._changed()

    def toggle_speed(self) -> None:
        """Switch between playing with shortened pauses and playing in real time."""
        self.speed = Play.REAL if self.speed is Play.COMPRESSED else Play.COMPRESSED
        if self.play is not Play.PAUSED:
            self.play = self.speed
            self._changed()
        else:
            words = "in real time" if self.speed is Play.REAL else "with pauses cut to half a second"
            self._screen.notify(f"Space plays {words}.", markup=False)
            self._changed()

    def pause(self) -> None:
        """Stop playing."""
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        if self.play is not Play.PAUSED:
            self.play = Play.PAUSED
            self._changed()

    def _tick(self) -> None:
        now_s = monotonic()
        self._clock_s += now_s - self._ticked_s
        self._ticked_s = now_s
        there, after = self.position, self._played.next(self.position)
        for _ in range(_MOST_AT_ONCE):
            if after is None or self._played.time_of(after) > self._clock_s:
                break
            there, after = after, self._played.next(after)
        if after is None and self._played.is_indexed:
            self.pause()
        elif after is not None and self.play is Play.COMPRESSED:
            self._clock_s = max(self._clock_s, self._played.time_of(after) - LONGEST_PAUSE_S)
        if there != self.position:
            self._go(there, since=self.seen)

    # Searching.

    @property
    def is_searching(self) -> bool:
        """True if a search is running."""
        return self._searching is not None and self._searching.is_running

    def find(self, words: str, *, backwards: bool = False) -> None:
        """Search for words from the position on, then from the other end, in a thread.

        `stop_search` cancels the search.
        """
        self.words = words
        self._screen.run_worker(
            work_of(self._find, words, backwards=backwards), group="search", exclusive=True
        )

    def stop_search(self) -> None:
        """Cancel the search."""
        self._stop = True

    async def _find(self, words: str, *, backwards: bool) -> None:
        self.pause()
        self._stop, self._progress = False, (0, 0)
        showing = self._screen.set_interval(TICK_S * 2, self._changed)
        self._searching = self._screen.run_worker(
            partial(self._search, words, self.position, backwards=backwards),
            thread=True,
            group="searching",
            exit_on_error=False,
        )
        try:
            found = await self._searching.wait()
        except (WorkerCancelled, WorkerFailed):
            self._stop = True
            found = _Found()
        finally:
            showing.stop()
            self._searching = None
        if not self._stop and (found.line is None or found.is_beyond_end):
            self._screen.notify(self._explained(found, words, backwards=backwards), markup=False)
        if found.line is not None:
            self.found = found.line
            self._choose(found.line, "")
        self._changed()

    def _explained(self, found: _Found, words: str, *, backwards: bool) -> str:
        """The sentence about a search that reached the end or start of the recording without a match."""
        shown = shortened(words, 60)
        if found.line is None:
            return f"Nothing in the recording contains {shown}."
        if found.line == self.position:
            return f"Nothing else contains {shown}."
        where, end = ("before", "end") if backwards else ("after", "start")
        return f"{shown} is not found {where} this position: the search went on from the {end}."

    def _search(self, words: str, position: int, *, backwards: bool) -> _Found:
        with self._session.reading() as played:
            search = partial(
                played.search,
                words,
                backwards=backwards,
                is_cancelled=lambda: self._stop,
                on_progress=self._note_progress,
            )
            line = search(position=position)
            if line is not None or self._stop:
                return _Found(line=line)
            return _Found(line=search(position=played.last + 1 if backwards else 0), is_beyond_end=True)

    def _note_progress(self, done: int, total: int) -> None:
        # Runs in a thread. Assigning one tuple is atomic.
        self._progress = (done, total)

    @property
    def busy(self) -> str:
        """The activity in progress and its percentage, such as `reading 34%`; empty if there is none."""
        if self.is_searching:
            return f"searching {self._percent()} (Esc stops)"
        return "" if self._played.is_indexed else f"reading {self._percent()}"

    def _percent(self) -> str:
        done, total = self._progress
        return f"{min(done * 100 // total, 99)}%" if total else "…"
