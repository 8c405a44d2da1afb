"""Plays a recording step by step: the listings, calls, boundary level, host and policy at any line."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject, Malformed
from inspector.json.members import text_at, value_at
from inspector.protocol.calls import called
from inspector.protocol.catalogue import Catalogue, Item, Kind, Listing, skill_in
from inspector.protocol.catalogue import Entry as ListedEntry
from inspector.protocol.exchanges import matched as matched_in
from inspector.protocol.frames import Channel, Direction, Frame, Response, messages
from inspector.protocol.outcome import Failure
from inspector.protocol.raised import stderr_words
from inspector.protocol.skills import GET
from inspector.protocol.timeline import (
    LATE_OUTPUT_S,
    MAX_FRAMES,
    Entry,
    EntryKind,
    EntryState,
    Timeline,
)
from inspector.recording.bounding import UNJUDGED
from inspector.recording.codec import Broken, decoded
from inspector.recording.definitions import RecordedDefinitions
from inspector.recording.exports import note_words
from inspector.recording.files.index import Index
from inspector.recording.files.reading import Break, RecordingFile, fault_of
from inspector.recording.format import (
    Connected,
    End,
    Header,
    Lenses,
    LensesChanged,
    Line,
    Listed,
    Note,
    RecordedCall,
    RecordedFrame,
)
from inspector.recording.markers import MARKER, STANDS, stood_in
from inspector.recording.replaying import Replay, ReplayedCall, tools_in


class KnownListing(Struct, frozen=True, kw_only=True):
    """The items that the server has listed up to a line of the recording."""

    places: tuple[int, ...]
    """The lines that the listing was read from, by kind of item. A -1 precedes the lines of each kind."""
    catalogue: Catalogue = field(default_factory=Catalogue)
    definitions: RecordedDefinitions = field(default_factory=RecordedDefinitions)
    """The definitions of the listed items, in the form that is used to judge calls."""


class Listings:
    """Reads the items that the server had listed up to a line of the recording.

    The last `KnownListing` is cached, because most steps do not change it.
    """

    def __init__(self, index: Index, line: Callable[[int], Line | Broken], *, is_page: bool) -> None:
        self._index = index
        self._line = line
        self._is_page = is_page
        self._known = KnownListing(places=())

    def at(self, position: int) -> KnownListing:
        """The items listed up to the line `position`, since the connection of that line began."""
        since = self._index.connections.last(position) or 0
        places: dict[Kind, list[int]] = {}
        for kind in Kind:
            begun = self._index.begun[kind].last(position)
            if begun is not None and begun > since:
                listed = self._index.listed[kind]
                places[kind] = listed.lines[listed.until(begun - 1) : listed.until(position)].tolist()
        page = self._index.page_listings.last(position)
        if page is not None and page > since:
            places[Kind.TOOL] = [page]
        elif page is None and self._is_page:
            # In version 1, the tools of a page are recorded only with its calls.
            calls = list(self._index.by_name.values())
            places[Kind.TOOL] = [place for name in calls if (place := name.last(position)) is not None]
        every = tuple(place for lines in places.values() for place in (-1, *lines))
        known = self._known
        if known.places != every:
            known = self._known = self._read(places, every)
        return known

    def _read(self, places: Mapping[Kind, Sequence[int]], every: tuple[int, ...]) -> KnownListing:
        entries: dict[Kind, tuple[ListedEntry, ...]] = {}
        problems: list[Malformed] = []
        definitions = RecordedDefinitions()
        got: list[Item] = []
        for kind, lines in places.items():
            listing = Listing(kind)
            for place in lines:
                line = self._line(place)
                if isinstance(line, (Listed, RecordedCall)):
                    listing.entries.extend(tools_in(line))
                    continue
                for result in results_in(line):
                    skill = skill_in(result) if kind is Kind.SKILL else ()
                    if skill:
                        got += skill
                        definitions.take(GET, result)
                        continue
                    listing.take(result)
                    definitions.take(kind.method, result)
            entries[kind] = tuple(listing.entries)
            problems += listing.problems
        catalogue = Catalogue(entries=entries, problems=tuple(problems), got=tuple(got))
        return KnownListing(places=every, catalogue=catalogue, definitions=definitions)


def results_in(line: Line | Broken) -> tuple[Json, ...]:
    """The results in a frame, with a placeholder for each withheld value."""
    return tuple(_results(line)) if isinstance(line, RecordedFrame) else ()


def _results(line: RecordedFrame) -> Iterator[Json]:
    for message in messages(Replay().frame(line).body):
        if isinstance(message, Response) and not message.is_error:
            yield message.result


class CallAt(Struct, frozen=True, kw_only=True):
    """The line of the recording at which a call ended."""

    position: int
    number: int
    """The number of the call, counted from 1 within the recording."""


class Moment(Struct, frozen=True, kw_only=True):
    """The state of a session at a line of its recording."""

    position: int
    catalogue: Catalogue
    server: JsonObject | None
    """The result of `initialize` or `server/discover`, with placeholders for withheld values."""
    lenses: Lenses
    calls: Mapping[str, CallAt]
    """For each tool, the last of its calls that has ended."""
    connection: int
    """The number of the connection, counted from 1."""
    client: str
    """The name of the client profile, as in the header."""
    notes: tuple[Note, ...]


class LastCalls(Mapping[str, CallAt]):
    """For each tool, the last of its calls that has ended.

    A call is searched for on access, because there may be as many names as lines.
    """

    def __init__(self, index: Index, position: int) -> None:
        self._index = index
        self._position = position

    def __getitem__(self, name: str) -> CallAt:
        places = self._index.by_name.get(name)
        place = places.last(self._position) if places else None
        if place is None:
            raise KeyError(name)
        return CallAt(position=place, number=self._index.calls.until(place))

    def __iter__(self) -> Iterator[str]:
        return (
            name
            for name, places in list(self._index.by_name.items())
            if places.last(self._position) is not None
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)


def noted(timeline: Timeline, line: Line | Broken, at_s: float) -> Entry:
    """A timeline entry for a line that is not a frame."""
    match line:
        case Note() | LensesChanged() | Connected():
            title, words = note_words(line) or ("", "")
            return timeline.note(line.at_s, title, words)
        case RecordedCall():
            return _page_call(line)
        case _:
            return timeline.note(at_s, "unreadable", "")


def _page_call(line: RecordedCall) -> Entry:
    failed = line.is_error or value_at(line.outcome, "isError") is True
    return Entry(
        number=1,
        kind=EntryKind.EXCHANGE,
        title=f"tools/call {line.tool}",
        state=EntryState.FAILED if failed else EntryState.DONE,
        at_s=line.at_s,
        frames=(),
        size_bytes=0,
        duration_s=line.duration_s,
        detail=(text_at(stood_in(line.outcome), "message") or "") if line.is_error else "",
    )


_NOT_RECORDED = "not recorded: without an answer, it is not known which values are secret"
"""The text that replaces stderr if a recording withholds it as `unjudged`."""
_MOST_READ = 20
"""The maximum number of lines that are read to summarize an entry of stderr. The last ones are read."""
MAX_NOTES = 100
"""The maximum number of notes in a `Moment`. The last ones are kept."""
_MOST_DURING = 2_000
"""The maximum number of lines after the request of a call that are searched for what the server printed."""
_MOST_OF_TASK = 200
"""The maximum number of lines about one task that are read for its entry. The last ones are read."""
_KEPT_LINES, _KEPT_BYTES = 64, 1 << 18
"""The maximum number of parsed lines in the cache, and the maximum size in bytes of a line in it."""
_STRIDE = 1_000
"""The number of lines between two checks whether the work was cancelled."""


class Played:
    """A recording that is read at any position; positions are line numbers. Line 0 is the header.

    While `index` runs in one thread, other threads may call the other methods.
    """

    def __init__(self, path: Path) -> None:
        """Find the beginnings of the lines. Raises UsageError if the file is not a recording."""
        self._file = RecordingFile(path)
        self.path = path
        self.header: Header = self._file.header
        self.broken: Break | None = None
        """The first fault of the recording; None if there is none. `index` finds it."""
        self.is_indexed = False
        self._index = Index()
        self._lines: OrderedDict[int, Line | Broken] = OrderedDict()
        self._lock = Lock()
        self._listings = Listings(self._index, self.line, is_page=self.header.kind == "page")

    def __len__(self) -> int:
        return len(self._file)

    @property
    def indexed(self) -> int:
        """The number of lines that `index` has processed."""
        return len(self._index.times)

    @property
    def last(self) -> int:
        """The last indexed line with an event; 0 if there is none."""
        return self._index.happenings.last(self.indexed) or 0

    @property
    def calls(self) -> Sequence[int]:
        return self._index.calls.lines

    def index(
        self,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> None:
        """Read all lines once. Blocks: call it in a thread."""
        ended = False
        for number, raw in enumerate(self._file.raws(1), 1):
            if number % _STRIDE == 0:
                on_progress(number, len(self))
                if is_cancelled():
                    return
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
        self._index.finish()
        self.is_indexed = True
        on_progress(len(self), len(self))

    def next(self, position: int) -> int | None:
        return self._index.happenings.after(position)

    def previous(self, position: int) -> int | None:
        return self._index.happenings.before(position)

    def step(self, position: int) -> int | None:
        """The next line with an event. Consecutive lines of stderr in one entry are one event, at its last line."""
        there = self.next(position)
        while there is not None and (after := self.next(there)) and self._index.continues_stderr(after):
            there = after
        return there

    def step_back(self, position: int) -> int | None:
        """The previous line with an event. Consecutive lines of stderr are one event, as in `step`."""
        first: int | None = position
        while first is not None and self._index.continues_stderr(first):
            first = self.previous(first)
        return None if first is None else self.previous(first)

    def next_call(self, position: int) -> int | None:
        return self._index.calls.after(position)

    def previous_call(self, position: int) -> int | None:
        return self._index.calls.before(position)

    def number_of_call(self, position: int) -> int:
        """The number of calls that have ended at `position` or before it."""
        return self._index.calls.until(position)

    def number_of_listings(self, position: int) -> int:
        """The number of lines up to `position` with a part of a listing of the server."""
        return sum(places.until(position) for places in self._index.listed.values())

    def number_unusual(self, position: int) -> int:
        """The number of lines up to `position` with a request by the server, or with a protocol fault."""
        return self._index.unusual.until(position)

    def begun(self, position: int) -> int:
        """The line at which the connection of `position` began; 0 for the first connection."""
        return self._index.connections.last(position) or 0

    def size(self, position: int) -> int:
        """The size of a line in bytes."""
        return self._file.size(position)

    def time_of(self, position: int) -> float:
        """The time of a line in seconds. It is never earlier than that of the previous line."""
        times = self._index.times
        return times[min(max(position, 0), len(times) - 1)]

    def line_at(self, at_s: float) -> int:
        """The last line with an event that is not later than `at_s`."""
        place = bisect_right(self._index.times, at_s) - 1
        return self._index.happenings.last(place) or 0

    def line_of(self, number: int) -> int | None:
        return self._index.line_of(number)

    def line(self, position: int) -> Line | Broken:
        with self._lock:
            line = self._lines.get(position)
        if line is None:
            line = self._file.line(position)
            if self._file.size(position) <= _KEPT_BYTES:
                with self._lock:
                    self._lines[position] = line
                    while len(self._lines) > _KEPT_LINES:
                        self._lines.popitem(last=False)
        return line

    def frame(self, number: int) -> Frame | None:
        """The frame `number`, with placeholders for withheld values; None if there is none."""
        position = self.line_of(number)
        return None if position is None else self._frame_at(position)

    def frames(self, first: int, last: int) -> Iterator[Frame]:
        for position in range(max(first, 1), min(last, self.indexed - 1) + 1):
            frame = self._frame_at(position)
            if frame:
                yield frame

    def entry_count(self, position: int) -> int:
        """The number of timeline entries that begin at `position` or before it."""
        return self._index.openings.until(position)

    def entry_of_call(self, number: int) -> int:
        """The number of the entry that the request of a call began; 0 for a call of a page. Both count from 1."""
        return self._index.call_entries[number - 1]

    def call_of_entry(self, number: int) -> int:
        """The number of the call that an entry is about; 0 if no line ends such a call.

        Calls are numbered from 1 in the order in which they ended.
        """
        try:
            return self._index.call_entries.index(number) + 1
        except ValueError:
            return 0

    def entry(self, number: int, position: int) -> Entry:
        """The timeline entry `number`, counted from 1, as it was at `position`. Raises IndexError."""
        openings = self._index.openings
        opening = openings.lines[number - 1] if number > 0 else -1
        if not 0 < opening <= position:
            raise IndexError(number)
        line = self.line(opening)
        timeline = Timeline()
        if isinstance(line, RecordedFrame) and line.channel is Channel.STDERR and not line.is_json:
            return self._stderr(number, line, position)
        if isinstance(line, RecordedFrame):
            for matched in matched_in(self._around(number, opening, position)):
                timeline.add(matched)
            begun = [entry for entry in timeline.entries if entry.frames[0] == line.number]
            place = number - 1 - openings.until(opening - 1)
            if place < len(begun):
                return replace(begun[place], number=number, detail=self._detail(begun[place], number))
        # The index read an outline, which may repeat keys. Read in full, the line has no frame or no message.
        return replace(noted(timeline, line, self.time_of(opening)), number=number)

    def _detail(self, entry: Entry, number: int) -> str:
        """The detail of an entry.

        If the detail is the reason why no answer came, and the recording withholds it, the reason that `call`
        finds replaces it.
        """
        ending = self._index.endings[number - 1]
        if ending not in self._index.unanswered or not STANDS.fullmatch(entry.detail):
            return entry.detail
        ended = self.call(ending)
        known = (call.outcome for call in ended if call.asked == entry.frames[0])
        return next((each.detail for each in known if isinstance(each, Failure)), entry.detail)

    def _stderr(self, number: int, first: RecordedFrame, position: int) -> Entry:
        """The entry of consecutive lines of stderr. Only the last of them are read."""
        more = [place for place in self._index.stderr.get(number, ()) if place <= position]
        last = (self.line(place) for place in more[-_MOST_READ:])
        read = [*([first] if len(more) < _MOST_READ else []), *last]
        lines = [line for line in read if isinstance(line, RecordedFrame)]
        is_withheld = all(value_at(line.content, MARKER) == UNJUDGED for line in lines)
        texts = [text for line in lines for text in str(stood_in(line.content)).splitlines()]
        count = len(more) + 1
        words = f"{count:,} line{'' if count == 1 else 's'}, {_NOT_RECORDED}"
        if not is_withheld:
            words = stderr_words(texts, count).removeprefix("stderr ") if more else "\n".join(texts)
        return Entry(
            number=number,
            kind=EntryKind.STDERR,
            title="stderr",
            state=EntryState.DONE,
            at_s=first.at_s,
            frames=(first.number, *(self._index.number_at(place) for place in more[1 - MAX_FRAMES :])),
            size_bytes=0,
            detail=words,
        )

    def _around(self, number: int, opening: int, position: int) -> Iterator[Frame]:
        """The frames of an entry, and the frames that they answer."""
        ending = self._index.endings[number - 1]
        needed: set[int] = {opening, *self._index.batches.get(opening, ())}
        more = self._index.more.get(number, ())
        needed.update(place for place in (*more[:1], *more[-_MOST_OF_TASK:]) if place <= position)
        if 0 < ending <= position:
            needed.add(ending)
        for place in sorted(needed):
            frame = self._frame_at(place)
            if frame:
                yield frame

    def call(self, position: int) -> tuple[ReplayedCall, ...]:
        """The calls that a line ends, with an answer or without."""
        index, line, replay = self._index, self.line(position), Replay()
        if isinstance(line, Broken):
            return ()
        before = position - 1 if isinstance(line, Connected) else position
        replay.definitions = self._listings.at(before).definitions
        ended = index.unanswered.get(position, ())
        unanswered = {place for one in ended for place in (one.line, one.note)}
        needed = unanswered.union(index.batches.get(position, ()), [index.asked_at(position) or 0])
        for place in sorted(needed - {0, position}):
            earlier = self.line(place)
            if isinstance(earlier, RecordedFrame):
                matched = replay.matched(earlier)
                if place in unanswered:
                    list(replay.take(matched))
        answered = tuple(replay.calls(line))
        keys = {
            (frame.number, one.key)
            for one in ended
            if isinstance(frame := self.line(one.line), RecordedFrame)
        }
        return (*answered, *(call for place, call in replay.unanswered.items() if place in keys))

    def printed(self, ended: int, end_s: float, position: int) -> tuple[Entry, ...]:
        """What the server printed up to `position` during the call that the line `ended` ends.

        These are lines of stderr, and lines of stdout that are not messages. What it printed during several calls
        belongs to the one that began last, as in a live session. For a page's call there is nothing. `end_s`: the
        time at which the call ended.
        """
        asked = self._index.asked_at(ended)
        if asked is None:
            return ()
        timeline, replay = Timeline(), Replay()
        for place in range(asked + 1, min(position, asked + _MOST_DURING) + 1):
            line = self.line(place)
            if isinstance(line, Connected):
                break
            if isinstance(line, RecordedFrame) and line.at_s > end_s + LATE_OUTPUT_S:
                break
            if isinstance(line, RecordedFrame) and line.direction is Direction.RECEIVED and not line.is_json:
                if line.channel in {Channel.STDERR, Channel.STDIO}:
                    timeline.add(replay.matched(line))
            elif self._begins_call(line, place):
                break
        return tuple(timeline.entries)

    def _begins_call(self, line: Line | Broken, place: int) -> bool:
        """True if a line has a request that begins a call. A further round of a call begins none."""
        if not isinstance(line, RecordedFrame) or line.direction is not Direction.SENT:
            return False
        call = called(text_at(line.content, "method") or "", value_at(line.content, "params"))
        return call is not None and self._index.openings.last(place) == place

    def moment(self, position: int) -> Moment:
        index = self._index
        lenses = self._at(index.lenses.last(position))
        connected = self._at(index.connections.last(position))
        announced = self._at(index.clients.last(position))
        first = max(index.notes.until(position) - MAX_NOTES, 0)
        notes = [self.line(place) for place in index.notes.lines[first : index.notes.until(position)]]
        return Moment(
            position=position,
            catalogue=self._listings.at(position).catalogue,
            server=self._server(position),
            lenses=lenses.lenses if isinstance(lenses, LensesChanged) else self.header.lenses,
            calls=LastCalls(index, position),
            connection=connected.number if isinstance(connected, Connected) else 1,
            client=announced.client if isinstance(announced, Connected) else self.header.client,
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
        """The next line with an event that contains the words; None if there is none.

        Blocks: call it in a thread.

        The search is case-sensitive if the words have capitals. `on_progress`: called with the bytes searched
        and their total.
        """
        place: int | None = position
        happenings = self._index.happenings
        while place is not None:
            place = self._file.search(
                words, place, backwards=backwards, is_cancelled=is_cancelled, on_progress=on_progress
            )
            if place is not None and happenings.last(place) == place:
                return place
        return None

    def close(self) -> None:
        self._file.close()

    def _at(self, position: int | None) -> Line | Broken | None:
        return None if position is None else self.line(position)

    def _frame_at(self, position: int) -> Frame | None:
        line = self.line(position)
        return Replay().frame(line) if isinstance(line, RecordedFrame) else None

    def _server(self, position: int) -> JsonObject | None:
        place = self._index.handshakes.last(position)
        results = results_in(self.line(place)) if place is not None else ()
        return next((result for result in reversed(results) if isinstance(result, dict)), None)
