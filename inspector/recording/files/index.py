"""What happened in a recording, by the places of its lines: some bytes for each, whatever the lines hold."""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from inspector.protocol.catalogue import Kind
from inspector.protocol.exchanges import Matcher
from inspector.protocol.frames import Channel, Direction
from inspector.recording.files.rows import CallRow, FrameRow, Row, Said
from inspector.recording.format import Connected, LensesChanged, Line, Listed, Note

LISTINGS = {kind.method: kind for kind in Kind}
HANDSHAKES = frozenset({"initialize", "server/discover"})
CALL = "tools/call"


@dataclass(slots=True)
class _Asked:
    entry: int
    said: Said
    given_up: int = 0
    """Where; 0 where it was not."""


class Places:
    """Lines of one kind, ascending: 4 bytes each."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        self.lines = array("I")

    def take(self, line: int) -> None:
        """One more, behind all others."""
        self.lines.append(line)

    def until(self, line: int) -> int:
        """How many there are up to a line, that one included."""
        return bisect_right(self.lines, line)

    def last(self, line: int) -> int | None:
        """The last one up to a line."""
        count = self.until(line)
        return self.lines[count - 1] if count else None

    def after(self, line: int) -> int | None:
        """The first one behind a line."""
        count = self.until(line)
        return self.lines[count] if count < len(self.lines) else None

    def before(self, line: int) -> int | None:
        """The last one before a line."""
        return self.last(line - 1)


class Index:
    """Takes the rows of a recording in their order. May be asked by other threads meanwhile."""

    def __init__(self) -> None:
        self.times = array("d", [0.0])
        """By line: when, and never earlier than the line before."""
        self.frames = Places()
        self.numbers = array("Q")
        """By frame: its number, which need not ascend in a stranger's file."""
        self.happenings = Places()
        """Where something happened: no headers, no projections, no end."""
        self.calls = Places()
        """Where calls were answered; several times the same line for a batch."""
        self.by_name: dict[str, Places] = {}
        """`calls`, by the name of the tool."""
        self.call_entries = array("I")
        """By call: the entry that its request began; 0 for a call of a page."""
        self.openings = Places()
        """Where entries of a timeline begin; several times the same line for a batch, and never where a page lists its tools."""
        self.endings = array("I")
        """By entry: where it was answered; 0 where it was not."""
        self.listed = {kind: Places() for kind in Kind}
        """Where pages of listings came."""
        self.begun = {kind: Places() for kind in Kind}
        """Those of them that were asked for without a cursor."""
        self.handshakes, self.page_listings = Places(), Places()
        self.lenses, self.notes, self.connections = Places(), Places(), Places()
        self.batches: dict[int, tuple[int, ...]] = {}
        """By a line that answers among others, or late: where those requests were asked, and given up."""
        self._matcher = Matcher[_Asked]()

    def take(self, row: Row) -> None:
        """The row of one more line."""
        line = len(self.times)
        if isinstance(row, FrameRow):
            self._frame(line, row)
            self.numbers.append(row.number)
            self.frames.take(line)
            self._add(line, row.at_s)
            return
        if isinstance(row, CallRow):
            self._opens(line)
            self._called(line, row.name)
            self._add(line, row.at_s)
            return
        places = self._places(row.kind)
        if places is None:
            self._add(line, 0.0, happened=False)
            return
        places.take(line)
        if row.kind is Connected:
            self._matcher.clear()
        if row.kind is not Listed:
            self._opens(line)
        self._add(line, row.at_s)

    def line_of(self, number: int) -> int | None:
        """Where the frame of that number is."""
        place = bisect_left(self.numbers, number)
        if self.numbers[place : place + 1].tolist() != [number]:
            try:
                place = self.numbers.index(number)
            except (ValueError, OverflowError):
                return None
        return self.frames.lines[place]

    def asked_at(self, line: int) -> int | None:
        """Where the last call that a line answers was asked; None for a call of a page, and where it answers none."""
        place = self.calls.until(line) - 1
        if place < 0 or self.calls.lines[place] != line or not self.call_entries[place]:
            return None
        return self.openings.lines[self.call_entries[place] - 1]

    def _places(self, kind: type[Line]) -> Places | None:
        if kind is Note:
            return self.notes
        if kind is LensesChanged:
            return self.lenses
        if kind is Listed:
            return self.page_listings
        return self.connections if kind is Connected else None

    def _add(self, line: int, at_s: float, *, happened: bool = True) -> None:
        if happened:
            self.happenings.take(line)
        self.times.append(max(at_s, self.times[-1]))

    def _called(self, line: int, name: str, entry: int = 0) -> None:
        self.call_entries.append(entry)
        self.calls.take(line)
        self.by_name.setdefault(name, Places()).take(line)

    def _opens(self, line: int) -> int:
        self.openings.take(line)
        self.endings.append(0)
        return len(self.endings)

    def _frame(self, line: int, row: FrameRow) -> None:
        if row.channel is Channel.NOTE:
            asked = self._matcher.give_up(Direction.SENT, row.ends) if row.ends is not None else None
            if asked:
                self.endings[asked.entry - 1] = asked.given_up = line
            else:
                self._opens(line)
        elif row.channel is Channel.STDERR:
            self._opens(line)
        else:
            answered: list[int] = []
            for said in row.said:
                if said.is_answer:
                    answered += self._answer(line, row, said)
                else:
                    number = self._opens(line)
                    if said.key is not None:
                        asked_by = Direction.SENT if row.sent else Direction.RECEIVED
                        asked = _Asked(entry=number, said=said)
                        self._matcher.ask(asked_by, said.key, asked, method=said.method or "")
            if answered and len(row.said) > 1:
                self.batches[line] = (*self.batches.get(line, ()), *answered)

    def _answer(self, line: int, row: FrameRow, said: Said) -> list[int]:
        asked_by = Direction.RECEIVED if row.sent else Direction.SENT
        found = self._matcher.answer(
            asked_by, said.key or "", is_error=said.is_error, response_to=row.response_to
        )
        if found is None:
            self._opens(line)
            return []
        asked, is_late = found
        asked_at = self.openings.lines[asked.entry - 1]
        if is_late:
            self._opens(line)
            self.batches[line] = (*self.batches.get(line, ()), asked_at, asked.given_up)
            return []
        self.endings[asked.entry - 1] = line
        if not row.sent:
            self._answers(line, asked.entry, said, asked.said)
        return [asked_at]

    def _answers(self, line: int, entry: int, said: Said, request: Said) -> None:
        method = request.method or ""
        if method == CALL:
            self._called(line, request.name, entry)
        elif method in HANDSHAKES and not said.is_error:
            self.handshakes.take(line)
        elif method in LISTINGS and not said.is_error:
            self.listed[LISTINGS[method]].take(line)
            if not request.cursor:
                self.begun[LISTINGS[method]].take(line)
