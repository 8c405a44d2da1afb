"""What was listed at a place of a recording, read from the lines that listed it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.json.exact import Json, Malformed
from inspector.protocol.catalogue import Catalogue, Entry, Kind, Listing
from inspector.protocol.frames import Response, messages
from inspector.recording.codec import Broken
from inspector.recording.definitions import Definitions
from inspector.recording.files.index import Index
from inspector.recording.format import Line, Listed, RecordedCall, RecordedFrame
from inspector.recording.replaying import Replay, tools_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was listed."""

    places: tuple[int, ...]
    """What it was read from."""
    catalogue: Catalogue = field(default_factory=Catalogue)
    definitions: Definitions = field(default_factory=Definitions)
    """The same, for whoever judges calls."""


class Listings:
    """Keeps what it read last: most steps change nothing of it."""

    def __init__(self, index: Index, line: Callable[[int], Line | Broken], *, is_page: bool) -> None:
        """`line`: reads a line."""
        self._index = index
        self._line = line
        self._is_page = is_page
        self._known = Known(places=())

    def at(self, position: int) -> Known:
        """What was listed since the connection in use began."""
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
            # In the first version, what a page listed is with its calls alone.
            calls = list(self._index.by_name.values())
            places[Kind.TOOL] = [place for name in calls if (place := name.last(position)) is not None]
        every = tuple(place for found in places.values() for place in (-1, *found))
        known = self._known
        if known.places != every:
            known = self._known = self._read(places, every)
        return known

    def _read(self, places: Mapping[Kind, Sequence[int]], every: tuple[int, ...]) -> Known:
        entries: dict[Kind, tuple[Entry, ...]] = {}
        problems: list[Malformed] = []
        definitions = Definitions()
        for kind, found in places.items():
            listing = Listing(kind)
            for place in found:
                line = self._line(place)
                if isinstance(line, (Listed, RecordedCall)):
                    listing.entries.extend(tools_in(line))
                    continue
                for result in results_in(line):
                    listing.take(result)
                    definitions.take(kind.method, result)
            entries[kind] = tuple(listing.entries)
            problems += listing.problems
        catalogue = Catalogue(entries=entries, problems=tuple(problems))
        return Known(places=every, catalogue=catalogue, definitions=definitions)


def results_in(line: Line | Broken) -> tuple[Json, ...]:
    """The results in a frame, with texts in place of what is withheld."""
    return tuple(_results(line)) if isinstance(line, RecordedFrame) else ()


def _results(line: RecordedFrame) -> Iterator[Json]:
    for message in messages(Replay().frame(line).body):
        if isinstance(message, Response) and not message.is_error:
            yield message.result
