"""What was known at a place of a recording."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.timeline import Entry, EntryKind, EntryState, Timeline
from inspector.recording.codec import Broken
from inspector.recording.exports import told
from inspector.recording.files.index import Index
from inspector.recording.format import Connected, Lenses, LensesChanged, Line, Note, RecordedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAt:
    """Where a call was answered."""

    position: int
    number: int
    """Counts from 1 within the recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What was known at a place of a recording."""

    position: int
    catalogue: Catalogue
    server: JsonObject | None
    """The result of initialize or server/discover, with texts in place of what is withheld."""
    lenses: Lenses
    calls: Mapping[str, CallAt]
    """By tool, its last call that was answered."""
    connection: int
    """Counts from 1."""
    notes: tuple[Note, ...]


class LastCalls(Mapping[str, CallAt]):
    """The last answered call of each tool, looked up when it is asked for: there may be as many names as lines."""

    def __init__(self, index: Index, position: int) -> None:
        """`position`: the last line that counts."""
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
    """A line that is no frame, as an entry of a timeline."""
    match line:
        case Note() | LensesChanged() | Connected():
            title, words = told(line) or ("", "")
            return timeline.note(line.at_s, title, words)
        case RecordedCall():
            return _page_call(line)
        case _:
            return timeline.note(at_s, "unreadable", "")


def _page_call(line: RecordedCall) -> Entry:
    failed = line.is_error or (isinstance(line.outcome, dict) and line.outcome.get("isError") is True)
    return Entry(
        number=1,
        kind=EntryKind.EXCHANGE,
        title=f"tools/call {line.tool}",
        state=EntryState.FAILED if failed else EntryState.DONE,
        at_s=line.at_s,
        frames=(),
        size_bytes=0,
        duration_s=line.duration_s,
    )
