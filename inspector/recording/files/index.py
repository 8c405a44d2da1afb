"""An index of the events in a recording, by line. It takes a few bytes per line, however large the lines are."""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from msgspec import Struct

from inspector.json.exact import Malformed
from inspector.json.members import object_at
from inspector.protocol.calls import called
from inspector.protocol.catalogue import Kind
from inspector.protocol.exchanges import (
    Answered,
    Asked,
    Event,
    Exchange,
    Exchanges,
    GivenUp,
    Late,
    Unasked,
    ending_of,
    task_of,
)
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.skills import GET
from inspector.protocol.timeline import goes_on, is_unfinished, titled
from inspector.recording.format import (
    Connected,
    LensesChanged,
    Line,
    Listed,
    Note,
    RecordedCall,
    RecordedFrame,
    frame_of,
)

LISTINGS = {kind.method: kind for kind in Kind}
HANDSHAKES = frozenset({"initialize", "server/discover"})


MOST_STDERR = 1_000
"""The maximum number of lines of stderr in one entry."""


class _Task(Struct, frozen=True, kw_only=True):
    """A request that was turned into a task."""

    entry: int
    made: int
    """The number of the line with the answer that created the task."""


@dataclass(slots=True)
class _Open:
    """A request that is waiting for its answer."""

    entry: int
    line: int
    call: str | None = None
    """The name of the called item; None if the request is not a call by Sightline."""
    given_up: int = 0
    """The line at which the request was given up; 0 if it was not."""


class Unanswered(Struct, frozen=True, kw_only=True):
    """A call that ended without an answer."""

    line: int
    """The line with the request of the call."""
    key: str
    """The `request_key` of the request."""
    note: int
    """The line with the last note before the call ended; 0 if there is none. The note may hold the reason."""


class Places:
    """The line numbers of one kind of event, in ascending order. Each takes 4 bytes."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        self.lines = array("I")

    def take(self, line: int) -> None:
        self.lines.append(line)

    def until(self, line: int) -> int:
        """How many of the lines are at `line` or before it."""
        return bisect_right(self.lines, line)

    def last(self, line: int) -> int | None:
        count = self.until(line)
        return self.lines[count - 1] if count else None

    def after(self, line: int) -> int | None:
        count = self.until(line)
        return self.lines[count] if count < len(self.lines) else None

    def before(self, line: int) -> int | None:
        return self.last(line - 1)


class Index:
    """The index of a recording, filled line by line in order. Other threads may read it meanwhile."""

    def __init__(self) -> None:
        self.times = array("d", [0.0])
        """The time of each line, in seconds. Times never decrease."""
        self.frames = Places()
        self.numbers = array("Q")
        """The number of each frame. In a file of unknown origin, the numbers need not ascend."""
        self.happenings = Places()
        """The lines with an event, which excludes headers, projections and the end."""
        self.calls = Places()
        """The lines that end calls, with an answer or without. A line occurs once for each call that it ends."""
        self.unanswered: dict[int, tuple[Unanswered, ...]] = {}
        """The calls that end without an answer, by the line that ends them: the note with the reason, the next
        connection, the next request with the same id, or the last event of the recording."""
        self.by_name: dict[str, Places] = {}
        """The lines that end calls, by the name of the tool."""
        self.call_entries = array("I")
        """For each call, the entry that its request began; 0 for a call of a page."""
        self.openings = Places()
        """The line at which each timeline entry begins.

        The line of a batch is listed once for each entry; a page's list of tools begins no entry.
        """
        self.more: dict[int, array[int]] = {}
        """For each entry of a request with a task or several rounds, its lines after the opening line."""
        self.stderr: dict[int, array[int]] = {}
        """For each entry of stderr, its lines after the first.

        Lines of stderr form one entry if no other entry begins between them, up to `MOST_STDERR` lines.
        """
        self._stderr = 0
        """The last entry of stderr; 0 if there is none."""
        self.endings = array("I")
        """For each entry, the line that ended it; 0 if none did."""
        self.listed = {kind: Places() for kind in Kind}
        """By kind of item, the lines with pages of a listing."""
        self.begun = {kind: Places() for kind in Kind}
        """By kind of item, the lines with the first page of a listing.

        A first page answers a request without a cursor.
        """
        self.handshakes, self.page_listings = Places(), Places()
        self.lenses, self.notes, self.connections = Places(), Places(), Places()
        self.unusual = Places()
        """The lines with a request by the server, a malformed message, or an answer to no open request."""
        self.clients = Places()
        """The lines that begin a connection with another client profile than the one before."""
        self.batches: dict[int, tuple[int, ...]] = {}
        """By line, the earlier lines that are needed to read it.

        Lines with a single message are left out if they need only one earlier line.
        """
        self._noted = 0
        """The line with the last note that ended no request; 0 if there is none."""
        self._exchanges = Exchanges()
        self._open: dict[tuple[Direction, str], _Open] = {}
        self._rounds: dict[str, list[int]] = {}
        """The entries with an unfinished answer, by title. A later request may continue such an entry."""
        self._tasks: dict[tuple[int, str], _Task] = {}
        """The task that each request became, by the frame and the id of the request."""

    def take(self, line: Line) -> None:
        """Add the next line. A line of which only the outline was parsed is enough."""
        place = len(self.times)
        at_s = None
        match line:
            case RecordedFrame():
                if _is_notification(line):
                    self._opens(place)
                else:
                    self._frame(place, frame_of(line, line.content))
                self.numbers.append(line.number)
                self.frames.take(place)
                at_s = line.at_s
            case RecordedCall():
                self._opens(place)
                self._called(place, line.tool)
                at_s = line.at_s
            case Note() | LensesChanged() | Listed() | Connected():
                self._places(line).take(place)
                if not isinstance(line, Listed):
                    self._opens(place)
                if isinstance(line, Connected):
                    if line.client:
                        self.clients.take(place)
                    self._end_open(place)
                    self._exchanges.connect()
                    self._open.clear()
                    self._rounds.clear()
                at_s = line.at_s
            case _:
                pass
        if at_s is not None:
            self.happenings.take(place)
        self.times.append(max(at_s or 0.0, self.times[-1]))

    def finish(self) -> None:
        """End the calls that are still open, because there are no more lines."""
        self._end_open(self.happenings.last(len(self.times)) or 0)

    def _end_open(self, line: int) -> None:
        for (_, key), asked in self._open.items():
            if not asked.given_up:
                self._ends_unanswered(line, key, asked)

    def _ends_unanswered(self, line: int, key: str, asked: _Open) -> None:
        if asked.call is None:
            return
        ended = Unanswered(line=asked.line, key=key, note=self._noted if self._noted > asked.line else 0)
        self.unanswered[line] = (*self.unanswered.get(line, ()), ended)
        self._called(line, asked.call, asked.entry)

    def line_of(self, number: int) -> int | None:
        place = bisect_left(self.numbers, number)
        if self.numbers[place : place + 1].tolist() != [number]:
            try:
                place = self.numbers.index(number)
            except (ValueError, OverflowError):
                return None
        return self.frames.lines[place]

    def number_at(self, line: int) -> int:
        """The number of the frame that `line` contains. The line must contain a frame."""
        return self.numbers[self.frames.until(line) - 1]

    def continues_stderr(self, line: int) -> bool:
        """True if a line of stderr directly follows another one of the same entry."""
        entry = self.openings.until(line)
        lines = self.stderr.get(entry, array("I"))
        at = bisect_left(lines, line)
        if lines[at : at + 1].tolist() != [line]:
            return False
        return self.happenings.before(line) == (lines[at - 1] if at else self.openings.lines[entry - 1])

    def asked_at(self, line: int) -> int | None:
        """The line with the request of the last call that `line` answers.

        None if there is none, or for a page's call.
        """
        place = self.calls.until(line) - 1
        if place < 0 or self.calls.lines[place] != line or not self.call_entries[place]:
            return None
        return self.openings.lines[self.call_entries[place] - 1]

    def _places(self, line: Note | LensesChanged | Listed | Connected) -> Places:
        match line:
            case Note():
                return self.notes
            case LensesChanged():
                return self.lenses
            case Listed():
                return self.page_listings
            case Connected():
                return self.connections

    def _called(self, line: int, name: str, entry: int = 0) -> None:
        self.call_entries.append(entry)
        self.calls.take(line)
        self.by_name.setdefault(name, Places()).take(line)

    def _opens(self, line: int) -> int:
        self.openings.take(line)
        self.endings.append(0)
        return len(self.endings)

    def _frame(self, line: int, frame: Frame) -> None:
        events = self._exchanges.take(frame).events
        if not events and frame.channel is Channel.STDERR:
            self._take_stderr(line)
        elif not events and frame.channel is Channel.NOTE:
            self._opens(line)
            self._noted = line
        is_page = frame.channel is Channel.CDP
        if any(map(_is_unusual, events)):
            self.unusual.take(line)
        if len(events) == 1:
            answered = self._event(line, events[0], is_page=is_page)
            if len(answered) > 1:
                self.batches[line] = answered
            return
        lines = tuple(asked for event in events for asked in self._event(line, event, is_page=is_page))
        if lines:
            self.batches[line] = lines

    def _take_stderr(self, line: int) -> None:
        entry = self._stderr
        is_last = entry and entry == len(self.endings)
        if is_last and len(self.stderr.get(entry, ())) < MOST_STDERR - 1:
            self.stderr.setdefault(entry, array("I")).append(line)
        else:
            self._stderr = self._opens(line)

    def _event(self, line: int, event: Event, *, is_page: bool) -> tuple[int, ...]:
        """Add one event. If it is an answer, returns the earlier lines that are needed to read it."""
        match event:
            case Asked(exchange=exchange):
                task = self._task(exchange)
                entry = task.entry if task else self._round_before(exchange) or self._opens(line)
                before = self._open.get((exchange.asked_by, exchange.key))
                if before is not None and not before.given_up and before.line != line:
                    self._ends_unanswered(line, exchange.key, before)
                name = called(exchange.request.method, exchange.request.params)
                is_ours = exchange.asked_by is Direction.SENT
                self._open[exchange.asked_by, exchange.key] = _Open(
                    entry=entry, line=line, call=name[0] if name and is_ours else None
                )
                self._goes_on(entry, line)
            case GivenUp(exchange=exchange):
                asked = self._open[exchange.asked_by, exchange.key]
                self._goes_on(asked.entry, line)
                self.endings[asked.entry - 1] = asked.given_up = line
                self._ends_unanswered(line, exchange.key, asked)
            case Late(exchange=exchange):
                self._opens(line)
                asked = self._open.pop((exchange.asked_by, exchange.key))
                return self.openings.lines[asked.entry - 1], asked.line, asked.given_up
            case Answered(exchange=exchange):
                asked = self._open.pop((exchange.asked_by, exchange.key))
                self.endings[asked.entry - 1] = line
                task = self._task(exchange)
                if is_unfinished(event.response) and not is_page and not exchange.call:
                    request = exchange.request
                    self._rounds.setdefault(titled(request.method, request.params), []).append(asked.entry)
                    self.more.setdefault(asked.entry, array("I"))
                self._goes_on(asked.entry, line)
                if task_of(exchange, event.response):
                    self._tasks[exchange.frame, exchange.key] = _Task(entry=asked.entry, made=line)
                    self.more.setdefault(asked.entry, array("I", [line]))
                if exchange.asked_by is Direction.SENT:
                    self._answers(line, asked.entry, event)
                opening = self.openings.lines[asked.entry - 1]
                if task:
                    return opening, task.made, asked.line
                return (opening,) if asked.line == opening else (opening, asked.line)
            case _:
                self._opens(line)
        return ()

    def _task(self, exchange: Exchange) -> _Task | None:
        """The task that a request is about; None for any other request."""
        return self._tasks.get((exchange.call.frame, exchange.call.key)) if exchange.call else None

    def _round_before(self, exchange: Exchange) -> int:
        """The unfinished entry that a request continues; 0 if the request starts an entry of its own."""
        request = exchange.request
        if exchange.asked_by is not Direction.SENT or not goes_on(request.params):
            return 0
        entries = self._rounds.get(titled(request.method, request.params))
        return entries.pop(0) if entries else 0

    def _goes_on(self, entry: int, line: int) -> None:
        if entry in self.more:
            self.more[entry].append(line)

    def _answers(self, line: int, entry: int, answered: Answered) -> None:
        exchange = answered.exchange
        if exchange.call:
            exchange = exchange.call if ending_of(exchange, answered.response) else exchange
        request = exchange.request
        call = called(request.method, request.params)
        if call:
            self._called(line, call[0], entry)
        elif answered.response.is_error:
            return
        elif request.method in HANDSHAKES:
            self.handshakes.take(line)
        elif request.method == GET:
            self.listed[Kind.SKILL].take(line)
        elif request.method in LISTINGS:
            self.listed[LISTINGS[request.method]].take(line)
            if "cursor" not in object_at(request.params):
                self.begun[LISTINGS[request.method]].take(line)


def _is_unusual(event: Event) -> bool:
    match event:
        case Asked(exchange=exchange):
            return exchange.asked_by is Direction.RECEIVED
        case Malformed() | Unasked():
            return True
        case _:
            return False


def _is_notification(line: RecordedFrame) -> bool:
    """True if a frame is a single notification, which belongs to no exchange."""
    body = line.body
    return (
        isinstance(body, dict)
        and line.channel is not Channel.NOTE
        and isinstance(body.get("method"), str)
        and body.keys().isdisjoint(_OF_EXCHANGES)
    )


_OF_EXCHANGES = frozenset({"id", "result", "error"})
"""The members that a notification does not have."""
