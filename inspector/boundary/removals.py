"""All removals of one result, made one by one as they are asked for: a result may have hundreds of thousands."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, cast, overload

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.contract import Contract
from inspector.json.pointer import child
from inspector.schema.positions import Source


class Marked(NamedTuple):
    """A sensitive position, as short as a walk can note it."""

    above: str
    """The pointer to the container that holds it."""
    token: str | int | None
    """Where in that; None where the pointer leads to it already, or must not lead further."""
    source: Source
    name: str | None


class Noted(Sequence[Removal]):
    """Removals in one structured value, in the order of the walk."""

    def __init__(self, entries: Sequence[Marked | Removal], contract: Contract) -> None:
        self._entries = entries
        self._contract = contract

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Removal: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Removal]: ...
    def __getitem__(self, index: int | slice) -> Removal | Sequence[Removal]:
        if isinstance(index, slice):
            return Noted(self._entries[index], self._contract)
        entry = self._entries[index]
        if isinstance(entry, Removal):
            return entry
        return Removal(
            pointer=entry.above if entry.token is None else child(entry.above, entry.token),
            rule=Rule.X_SENSITIVE,
            detail=entry.source.reason,
            claim=self._contract.claim_at(entry.source),
            schema_pointer=entry.source.schema_pointer,
            name=entry.name,
        )

    def changed(self, change: Callable[[Removal], Removal]) -> "Noted":
        """The same, each as `change` gives it."""
        return Noted([change(removal) for removal in self], self._contract)

    def names(self) -> Iterator[str | None]:
        """What a model may be told of each."""
        return (entry.name for entry in self._entries)

    def rules(self) -> Counter[str]:
        """How often each rule is among them."""
        return Counter(
            Rule.X_SENSITIVE.value if isinstance(entry, Marked) else str(entry.rule)
            for entry in self._entries
        )


class Removals(Sequence[Removal]):
    """Removals of several rules, in the order of the rules."""

    def __init__(self, segments: tuple[Sequence[Removal], ...] = ()) -> None:
        self.segments = segments
        self._stops = tuple(accumulate(len(segment) for segment in self.segments))

    def and_then(self, segment: Sequence[Removal]) -> "Removals":
        """These, and more behind them."""
        return Removals((*self.segments, segment))

    def changed(self, change: Callable[[Removal], Removal]) -> "Removals":
        """The same, each as `change` gives it."""
        return Removals(
            tuple(
                segment.changed(change) if isinstance(segment, Noted) else tuple(map(change, segment))
                for segment in self.segments
            )
        )

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    @overload
    def __getitem__(self, index: int) -> Removal: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Removal]: ...
    def __getitem__(self, index: int | slice) -> Removal | Sequence[Removal]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        if place < 0:
            raise IndexError(index)
        segment = bisect_right(self._stops, place)
        return self.segments[segment][place - (self._stops[segment - 1] if segment else 0)]

    def __iter__(self) -> Iterator[Removal]:
        for segment in self.segments:
            yield from segment

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Removals, tuple)) and list(self) == list(cast("Iterable[object]", other))

    def __hash__(self) -> int:
        return hash(len(self))

    def by_rule(self) -> dict[str, int]:
        """How often each rule withheld something, in the order of their first removals."""
        found: Counter[str] = Counter()
        for segment in self.segments:
            found.update(
                segment.rules() if isinstance(segment, Noted) else Counter(str(one.rule) for one in segment)
            )
        return dict(found)
