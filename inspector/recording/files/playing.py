"""One recording to step through: what was listed, called and in force at any place of it."""

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

from inspector.json.exact import JsonObject
from inspector.protocol.exchanges import matched as matched_in
from inspector.protocol.frames import Frame
from inspector.protocol.timeline import Entry, Timeline
from inspector.recording.codec import Broken, decoded
from inspector.recording.files.index import Index
from inspector.recording.files.listings import Listings, results_in
from inspector.recording.files.moments import LastCalls, Moment, noted
from inspector.recording.files.reading import Break, RecordingFile, fault_of
from inspector.recording.format import (
    Connected,
    End,
    Header,
    LensesChanged,
    Line,
    Note,
    RecordedCall,
    RecordedFrame,
)
from inspector.recording.replaying import Replay, ReplayedCall

MAX_NOTES = 100
"""Of a moment: the last ones."""
_KEPT_LINES, _KEPT_BYTES = 64, 1 << 18
"""So many lines are kept as they were read, and none that is larger."""
_STRIDE = 1_000
"""Lines between two looks at whether the work is still wanted."""
_BREATH, _BREATH_S = 100, 0.0005
"""After so many lines, about a millisecond of work, the interpreter is left to others for so long."""


class Played:
    """A recording, by the lines of its file from 0, the header. While `index` runs in one thread, others may ask."""

    def __init__(self, path: Path) -> None:
        """Find the lines. Raises UsageError where it is no recording."""
        self._file = RecordingFile(path)
        self.path = path
        self.header: Header = self._file.header
        self.broken: Break | None = None
        """Where it is not as it should be; `index` finds that out."""
        self.is_indexed = False
        self._index = Index()
        self._lines: OrderedDict[int, Line | Broken] = OrderedDict()
        self._lock = Lock()
        self._listings = Listings(self._index, self.line, is_page=self.header.kind == "page")

    def __len__(self) -> int:
        """How many lines there are, the header included."""
        return len(self._file)

    @property
    def indexed(self) -> int:
        """How many lines `index` has gone through."""
        return len(self._index.times)

    @property
    def last(self) -> int:
        """The last line so far at which something happened; 0 where nothing did."""
        return self._index.happenings.last(self.indexed) or 0

    @property
    def calls(self) -> Sequence[int]:
        """Lines that answer calls, ascending, and those of calls of a page."""
        return self._index.calls.lines

    def index(
        self,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> None:
        """Go through all lines once. Not on the event loop."""
        ended = False
        for number, raw in enumerate(self._file.raws(1), 1):
            if number % _STRIDE == 0:
                on_progress(number, len(self))
                if is_cancelled():
                    return
            if number % _BREATH == 0:
                time.sleep(_BREATH_S)
            line = decoded(raw, self.header.version, is_outline=True)
            reason = fault_of(line, ended=ended)
            if reason:
                self.broken = Break(line=number + 1, reason=reason)
                break
            ended = isinstance(line, End)
            if not isinstance(line, Broken):
                self._index.take(line)
        else:
            self.broken = self._file.ending(ended=ended)
        self.is_indexed = True
        on_progress(len(self), len(self))

    def next(self, position: int) -> int | None:
        """The first line behind `position` at which something happened."""
        return self._index.happenings.after(position)

    def previous(self, position: int) -> int | None:
        """The last line before `position` at which something happened."""
        return self._index.happenings.before(position)

    def next_call(self, position: int) -> int | None:
        """The first line behind `position` that answers a call."""
        return self._index.calls.after(position)

    def previous_call(self, position: int) -> int | None:
        """The last line before `position` that answers a call."""
        return self._index.calls.before(position)

    def number_of_call(self, position: int) -> int:
        """How many calls were answered up to there: the number of the last one."""
        return self._index.calls.until(position)

    def time_of(self, position: int) -> float:
        """When that was, in seconds. Never earlier than the line before."""
        times = self._index.times
        return times[min(max(position, 0), len(times) - 1)]

    def line_at(self, at_s: float) -> int:
        """The last line of something that happened no later than that."""
        found = bisect_right(self._index.times, at_s) - 1
        return self._index.happenings.last(found) or 0

    def line_of(self, number: int) -> int | None:
        """Where the frame of that number is."""
        return self._index.line_of(number)

    def line(self, position: int) -> Line | Broken:
        """A line. Raises IndexError."""
        with self._lock:
            found = self._lines.get(position)
        if found is None:
            found = self._file.line(position)
            if self._file.size(position) <= _KEPT_BYTES:
                with self._lock:
                    self._lines[position] = found
                    while len(self._lines) > _KEPT_LINES:
                        self._lines.popitem(last=False)
        return found

    def frame(self, number: int) -> Frame | None:
        """The frame of that number, with texts in place of what is withheld."""
        position = self.line_of(number)
        return None if position is None else self._frame_at(position)

    def frames(self, first: int, last: int) -> Iterator[Frame]:
        """The frames between two lines, both included."""
        for position in range(max(first, 1), min(last, self.indexed - 1) + 1):
            frame = self._frame_at(position)
            if frame:
                yield frame

    def entry_count(self, position: int) -> int:
        """How many entries a timeline of all frames up to there has."""
        return self._index.openings.until(position)

    def entry(self, number: int, position: int) -> Entry:
        """One of them, from 1, as it was at `position`. Raises IndexError."""
        openings = self._index.openings
        opening = openings.lines[number - 1] if number > 0 else -1
        if not 0 < opening <= position:
            raise IndexError(number)
        line = self.line(opening)
        timeline = Timeline()
        if isinstance(line, RecordedFrame):
            for matched in matched_in(self._around(number, opening, position)):
                timeline.fold(matched)
            begun = [entry for entry in timeline.entries if entry.frames[0] == line.number]
            place = number - 1 - openings.until(opening - 1)
            if place < len(begun):
                return replace(begun[place], number=number)
        # What the index takes for a frame or a message and nobody else does says a key twice.
        return replace(noted(timeline, line, self.time_of(opening)), number=number)

    def _around(self, number: int, opening: int, position: int) -> Iterator[Frame]:
        """The frames that an entry is made of, and what they in turn answer."""
        ending = self._index.endings[number - 1]
        needed: set[int] = {opening, *self._index.batches.get(opening, ())}
        if 0 < ending <= position:
            needed.add(ending)
        for place in sorted(needed):
            frame = self._frame_at(place)
            if frame:
                yield frame

    def call(self, position: int) -> tuple[ReplayedCall, ...]:
        """The calls that are answered in a line; none where it answers none."""
        line = self.line(position)
        replay = Replay()
        if isinstance(line, RecordedCall):
            return (replay.call(line),)
        asked = {*self._index.batches.get(position, ()), self._index.asked_at(position)} - {None}
        if not asked or not isinstance(line, RecordedFrame):
            return ()
        replay.definitions = self._listings.at(position).definitions
        for place in sorted(filter(None, asked)):
            before = self.line(place)
            if isinstance(before, RecordedFrame):
                replay.matched(before)
        return tuple(replay.calls(line))

    def moment(self, position: int) -> Moment:
        """What was known there."""
        index = self._index
        lenses = self._at(index.lenses.last(position))
        connected = self._at(index.connections.last(position))
        first = max(index.notes.until(position) - MAX_NOTES, 0)
        notes = [self.line(place) for place in index.notes.lines[first : index.notes.until(position)]]
        return Moment(
            position=position,
            catalogue=self._listings.at(position).catalogue,
            server=self._server(position),
            lenses=lenses.lenses if isinstance(lenses, LensesChanged) else self.header.lenses,
            calls=LastCalls(index, position),
            connection=connected.number if isinstance(connected, Connected) else 1,
            notes=tuple(note for note in notes if isinstance(note, Note)),
        )

    def search(
        self,
        words: str,
        position: int,
        *,
        backwards: bool = False,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> int | None:
        """The next line at which something happened that says the words. Not on the event loop.

        Capitals count where the words have any. `on_progress`: bytes gone through, and all there are to go through.
        """
        found: int | None = position
        happenings = self._index.happenings
        while found is not None:
            found = self._file.search(
                words, found, backwards=backwards, is_cancelled=is_cancelled, on_progress=on_progress
            )
            if found is not None and happenings.last(found) == found:
                return found
        return None

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _at(self, position: int | None) -> Line | Broken | None:
        return None if position is None else self.line(position)

    def _frame_at(self, position: int) -> Frame | None:
        line = self.line(position)
        return Replay().frame(line) if isinstance(line, RecordedFrame) else None

    def _server(self, position: int) -> JsonObject | None:
        place = self._index.handshakes.last(position)
        found = results_in(self.line(place)) if place is not None else ()
        return next((result for result in reversed(found) if isinstance(result, dict)), None)
