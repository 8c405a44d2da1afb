"""The removals of one result, and the object that collects them while the result is read."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, cast, overload

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.contract import Contract
from inspector.claims.claim import Claim
from inspector.json.exact import Json
from inspector.json.pointer import child, join, split
from inspector.schema.positions import Source


class Marked(NamedTuple):
    """The removal of one sensitive value, in compact form."""

    above: str
    """The pointer to the container of the sensitive value; to the value itself if it is the root."""
    token: str | int | None
    """The key or index of the value; None if the value is the root, or if its key must not be shown."""
    source: Source
    name: str | None


class MarkedRows(NamedTuple):
    """The removals in consecutive objects of an array, in compact form. The objects have the same keys."""

    above: str
    """The pointer to the array."""
    start: int
    """The index of the first object."""
    length: int
    marked: tuple[tuple[str, Source, str | None], ...]
    """For each member withheld in every object: its key, what marks it sensitive, its name in the schema."""

    @property
    def size(self) -> int:
        """The number of withheld values: rows times sensitive members."""
        return self.length * len(self.marked)

    def at(self, place: int) -> Marked:
        row, column = divmod(place, len(self.marked))
        return Marked(child(self.above, self.start + row), *self.marked[column])


class NotedRemovals(Sequence[Removal]):
    """The removals in one structured value, in the order in which its places were read."""

    def __init__(self, entries: Sequence[Marked | MarkedRows | Removal], contract: Contract) -> None:
        self._entries = entries
        self._contract = contract
        self._stops = tuple(
            accumulate(entry.size if isinstance(entry, MarkedRows) else 1 for entry in entries)
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
        number, within = _place(self._stops, index)
        entry = self._entries[number]
        return self._removal(entry.at(within) if isinstance(entry, MarkedRows) else entry)

    def __iter__(self) -> Iterator[Removal]:
        for entry in self._entries:
            if isinstance(entry, MarkedRows):
                yield from (self._removal(entry.at(place)) for place in range(entry.size))
            else:
                yield self._removal(entry)

    def _removal(self, entry: Marked | Removal) -> Removal:
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

    def changed(self, change: Callable[[Removal], Removal]) -> "NotedRemovals":
        return NotedRemovals([change(removal) for removal in self], self._contract)

    def places(self) -> Iterator[tuple[str, str | MarkedRows]]:
        for entry in self._entries:
            if isinstance(entry, Removal):
                yield entry.rule, entry.pointer
            elif isinstance(entry, MarkedRows):
                yield Rule.X_SENSITIVE, entry
            else:
                yield (
                    Rule.X_SENSITIVE,
                    entry.above if entry.token is None else child(entry.above, entry.token),
                )

    def names(self) -> Iterator[str | None]:
        for entry in self._entries:
            if isinstance(entry, MarkedRows):
                yield from [name for _, _, name in entry.marked] * entry.length
            else:
                yield entry.name

    def rules(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for entry in self._entries:
            rule = entry.rule if isinstance(entry, Removal) else Rule.X_SENSITIVE
            counts[str(rule)] += entry.size if isinstance(entry, MarkedRows) else 1
        return counts


def _place(stops: tuple[int, ...], index: int) -> tuple[int, int]:
    """The index of the part that contains `index`, and the index within that part. Raises IndexError.

    `stops`: the indices at which the parts end.
    """
    place = index + stops[-1] if index < 0 and stops else index
    if place < 0 or not stops or place >= stops[-1]:
        raise IndexError(index)
    part = bisect_right(stops, place)
    return part, place - (stops[part - 1] if part else 0)


class Removals(Sequence[Removal]):
    """The removals of several rules, in the order of the rules."""

    def __init__(self, segments: tuple[Sequence[Removal], ...] = ()) -> None:
        self.segments = segments
        self._stops = tuple(accumulate(len(segment) for segment in self.segments))

    def and_then(self, segment: Sequence[Removal]) -> "Removals":
        return Removals((*self.segments, segment))

    def changed(self, change: Callable[[Removal], Removal]) -> "Removals":
        return Removals(
            tuple(
                segment.changed(change) if isinstance(segment, NotedRemovals) else tuple(map(change, segment))
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
        segment, within = _place(self._stops, index)
        return self.segments[segment][within]

    def __iter__(self) -> Iterator[Removal]:
        for segment in self.segments:
            yield from segment

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Removals, tuple)) and list(self) == list(cast("Iterable[object]", other))

    def __hash__(self) -> int:
        return hash(len(self))

    def by_rule(self) -> dict[str, int]:
        """The number of removals by rule, in the order of the first removal of each."""
        counts: Counter[str] = Counter()
        for segment in self.segments:
            counts.update(
                segment.rules()
                if isinstance(segment, NotedRemovals)
                else Counter(str(one.rule) for one in segment)
            )
        return dict(counts)


def places(removals: Iterable[Removal]) -> Iterator[tuple[str, str | MarkedRows]]:
    """The rule and the pointer of each removal.

    For removals in consecutive objects of an array, a `MarkedRows` takes the place of the pointers. No
    `Removal` objects are created, so that very many removals cost little.
    """
    for segment in removals.segments if isinstance(removals, Removals) else (removals,):
        if isinstance(segment, NotedRemovals):
            yield from segment.places()
        else:
            for removal in segment:
                yield removal.rule, removal.pointer


class RemovalPlaces:
    """Finds the removal at a pointer or around it.

    Construction is linear in the removals, and each search is linear in the length of the pointer.
    """

    def __init__(self, removals: Iterable[Removal], *, without: Container[str] = ()) -> None:
        """`without`: rules whose removals do not count."""
        self._at: dict[str, str] = {}
        self._rows: dict[str, list[MarkedRows]] = {}
        for rule, place in places(removals):
            if rule in without:
                continue
            if isinstance(place, str):
                self._at.setdefault(place, rule)
            else:
                self._rows.setdefault(place.above, []).append(place)

    def __bool__(self) -> bool:
        return bool(self._at or self._rows)

    def around(self, pointer: str) -> tuple[str, str] | None:
        """The pointer and the rule of the outermost removal at `pointer` or around it; None if there is none."""
        above, tokens = "", split(pointer)
        for depth in range(len(tokens) + 1):
            if above in self._at:
                return above, self._at[above]
            for rows in self._rows.get(above, ()):
                if _is_in(rows, tokens[depth : depth + 2]):
                    return join(tokens[: depth + 2]), Rule.X_SENSITIVE
            if depth < len(tokens):
                above = child(above, tokens[depth])
        return None


def _is_in(rows: MarkedRows, tokens: Sequence[str]) -> bool:
    if len(tokens) < 2 or not tokens[0].isdecimal():
        return False
    at = int(tokens[0]) - rows.start
    return 0 <= at < rows.length and any(key == tokens[1] for key, _, _ in rows.marked)


MAX_POINTER_CHARACTERS = 64_000_000
"""The maximum total length of all pointers of one result, in characters.

Beyond it, the whole result is withheld.
"""

SECRET: frozenset[str] = frozenset(
    {
        Rule.X_SENSITIVE,
        Rule.SECRET_REFERENCE,
        Rule.LABELLED,
        Rule.INVALID_OUTPUT,
        Rule.INTERNAL,
    }
)
"""Rules whose withheld values are searched for in the rest of the result.

They withhold declared secrets, and values that cannot be judged. Copies of values that other rules withhold,
such as undeclared values, free text and metadata, may pass. The values that `sensitive-hint` and `audience`
withhold are searched for too, but `Secrets` has separate lists for them.
"""

_TOO_MANY = "too many values are withheld to list them"


class UnjudgeableError(Exception):
    """Raised for a result that must be withheld as a whole. The message quotes nothing of the result."""


class Secrets:
    """Withheld values whose copies in other parts of the result must be withheld too."""

    __slots__ = ("declared", "hinted", "personal")

    def __init__(self) -> None:
        self.declared: list[Json] = []
        """Values withheld by one of the rules in `SECRET`."""
        self.hinted: list[Json] = []
        """Values that are sensitive only because the whole result is declared sensitive."""
        self.personal: list[Json] = []
        """Values that are for the user only and are shown to the user."""

    def add(self, rule: str, values: Iterable[Json]) -> "Secrets":
        """Add the values that `rule` withholds, if copies of them must be withheld too."""
        if rule == Rule.SENSITIVE_HINT:
            self.hinted.extend(values)
        elif rule == Rule.AUDIENCE:
            self.personal.extend(values)
        elif rule in SECRET:
            self.declared.extend(values)
        return self

    def and_then(self, more: "Secrets") -> "Secrets":
        both = Secrets()
        both.declared += [*self.declared, *more.declared]
        both.hinted += [*self.hinted, *more.hinted]
        both.personal += [*self.personal, *more.personal]
        return both


class Ledger:
    """Collects removals in the order in which the values are read, and limits the length of their pointers."""

    def __init__(self, contract: Contract, root: str) -> None:
        self.root = root
        """The pointer of the current value in the raw result."""
        self._contract = contract
        self._entries: list[Marked | MarkedRows | Removal] = []
        self._values: list[Json] = []
        """The withheld value of each entry in `_entries`; for a `MarkedRows`, the list of its values."""
        self._left = MAX_POINTER_CHARACTERS

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def removals(self) -> NotedRemovals:
        return NotedRemovals(self._entries, self._contract)

    @property
    def secrets(self) -> "Secrets":
        """The withheld values whose copies must be withheld too."""
        secrets = Secrets()
        for entry, value in zip(self._entries, self._values, strict=True):
            if isinstance(entry, Marked):
                secrets.declared.append(value)
            elif isinstance(entry, MarkedRows):
                secrets.declared.extend(cast("list[Json]", value))
            else:
                secrets.add(entry.rule, (value,))
        return secrets

    def spend(self, pointer: str) -> str:
        """Count the length of `pointer` towards the limit for all pointers. Returns `pointer`.

        Raises UnjudgeableError past the limit.
        """
        self._left -= len(pointer)
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        return pointer

    def mark(
        self, above: str, token: str | int | None, source: Source, name: str | None, value: Json
    ) -> None:
        """Add the removal of a sensitive value. Raises UnjudgeableError past the limit."""
        self._left -= len(above) + (len(token) if isinstance(token, str) else 1)
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        self._entries.append(Marked(above, token, source, name))
        self._values.append(value)

    def mark_rows(self, rows: MarkedRows, values: list[Json]) -> None:
        """Add the removals of the sensitive values in rows. Raises UnjudgeableError past the limit.

        `values`: the withheld values, row by row.
        """
        keys = sum(len(key) + len(rows.above) + 1 for key, _, _ in rows.marked)
        digits = sum(len(str(index)) for index in range(rows.start, rows.start + rows.length))
        self._left -= rows.length * keys + len(rows.marked) * digits
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        self._entries.append(rows)
        self._values.append(values)

    def note(
        self,
        pointer: str,
        rule: Rule,
        detail: str,
        value: Json,
        *,
        name: str | None = None,
        claim: Claim | None = None,
    ) -> None:
        """Add a removal by a rule other than `x-sensitive`. Raises UnjudgeableError past the limit."""
        removal = Removal(pointer=self.spend(pointer), rule=rule, detail=detail, claim=claim, name=name)
        self._entries.append(removal)
        self._values.append(value)

    def note_at(
        self,
        path: tuple[str | int, ...],
        rule: Rule,
        detail: str,
        value: Json,
        *,
        hides_key: bool = False,
        claim: Claim | None = None,
    ) -> None:
        """Add the removal of the value at a path from the root.

        The name for the notice is the last key of `path` that the output schema names. `hides_key`: true if
        the pointer must not contain the key.
        """
        names = self._contract.names
        name = next((str(token) for token in reversed(path) if token in names), None)
        to = path[:-1] if hides_key else path
        self.note(self.root + join(to), rule, detail, value, name=name, claim=claim)

    def forget(self, since: int) -> None:
        """Drop the removals after the first `since`, because a container around them is withheld."""
        del self._entries[since:]
        del self._values[since:]
