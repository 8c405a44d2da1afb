"""Objects of scalars in a list, in runs of objects that all have the same keys.

A large result consists almost only of such runs. What all objects of a run have in common is computed once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, repeat, takewhile
from operator import is_
from typing import Final, cast

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json
from inspector.tui.values.sides import ABSENT, Value, same

LEAST_RUN = 8
"""The minimum number of objects of a run."""
MOST_RUN = 500
"""The maximum number of objects of a run, so that no step keeps the event loop waiting."""
CONTAINERS: Final = frozenset({dict, list, DuplicateKeys})

_IS_DICT = partial(is_, dict)
Record = dict[str, Json]


class RecordRun(Struct, frozen=True, kw_only=True):
    """A run of objects in an outline: consecutive nodes, each object followed by its members."""

    first: int
    """The node of the first object."""
    count: int
    """The number of objects."""
    members: int
    """The number of members of each object."""

    @property
    def size(self) -> int:
        """The number of nodes of one object: one for the object itself, and one for each of its members."""
        return self.members + 1

    @property
    def end(self) -> int:
        """The first node after the run."""
        return self.first + self.count * self.size


class Records(Struct, frozen=True, kw_only=True):
    """The values of both sides of a run: objects in a list that all have the same keys."""

    left: list[Record]
    right: list[Record] | None
    """The objects on the right side; None if there are none, or if they are the same as those on the left."""
    is_same: bool
    keys: tuple[str, ...]

    @property
    def lefts(self) -> Iterator[Value]:
        """The values on the left side of the outline, in the order of its nodes."""
        return _flat(self.left, zip(*map(Record.values, self.left), strict=True))

    @property
    def rights(self) -> Iterator[Value]:
        """The values on the right side of the outline, in the order of its nodes.

        All are ABSENT if there is no right side, or if both sides are the same.
        """
        if self.right is None:
            return repeat(ABSENT, len(self.left) * (len(self.keys) + 1))
        columns = dict(zip(self.right[0], zip(*map(Record.values, self.right), strict=True), strict=True))
        count = len(self.right)
        return _flat(self.right, (columns.get(key) or repeat(ABSENT, count) for key in self.keys))

    def differences(self, *, is_pair: bool) -> bytes:
        """The difference at each node, in order: 0 for none, 1 if a value is absent, 2 for another value."""
        count = len(self.left)
        if self.right is None:
            return bytes((is_pair and not self.is_same,)) * (count * (len(self.keys) + 1))
        there = dict(zip(self.right[0], zip(*map(Record.values, self.right), strict=True), strict=True))
        here = zip(*map(Record.values, self.left), strict=True)
        columns = (
            map(scalar_difference, column, there[key]) if key in there else repeat(1, count)
            for key, column in zip(self.keys, here, strict=True)
        )
        return bytes(chain.from_iterable(zip(repeat(0, count), *columns, strict=True)))


def _flat(records: list[Record], columns: "Iterable[Iterable[Value]]") -> Iterator[Value]:
    return chain.from_iterable(zip(cast("list[Value]", records), *columns, strict=True))


def records_at(
    one: list[Json], other: list[Json] | Value, at: int, is_plain: Callable[[tuple[str, ...]], bool]
) -> Records | None:
    """The run that begins at index `at` of a list; None if no run begins there, or if the run is short.

    `other`: the list on the right side, of the same length; the same list; or ABSENT. `is_plain`: whether the
    members of objects with these keys are drawn as they are.
    """
    left = _uniform(one[at : at + MOST_RUN])
    if left is None or not is_plain(keys := tuple(left[0])):
        return None
    if other is one or not isinstance(other, list):
        return Records(left=left, right=None, is_same=other is one, keys=keys)
    beside = other[at : at + len(left)]
    same_count = _count(bool, map(is_, left, beside))
    if same_count >= LEAST_RUN:
        return Records(left=left[:same_count], right=None, is_same=True, keys=keys)
    right = _uniform(beside)
    if right is None:
        return None
    kept = tuple(right[0])
    if not kept or kept != tuple(key for key in keys if key in right[0]):
        return None
    return Records(left=left[: len(right)], right=right, is_same=False, keys=keys)


def _uniform(items: list[Json]) -> list[Record] | None:
    """The first objects of scalars with the same keys in the same order; None if there are fewer than `LEAST_RUN`."""
    if len(items) < LEAST_RUN or type(items[0]) is not dict or type(items[LEAST_RUN - 1]) is not dict:
        return None
    count = _count(_IS_DICT, map(type, items))
    found = cast("list[Record]", items[:count])
    count = _count(tuple(found[0]).__eq__, map(tuple, found))
    kinds = map(map, repeat(type), map(Record.values, islice(found, count)))
    count = _count(CONTAINERS.isdisjoint, kinds)
    return found[:count] if count >= LEAST_RUN else None


def _count(is_good: Callable[..., object], items: Iterable[object]) -> int:
    """The number of items before the first one that is not good."""
    return len(list(takewhile(is_good, items)))


def scalar_difference(one: Json, other: Value) -> int:
    """The difference between two scalars: 0 for none, 1 if one is absent, 2 for another value."""
    if one is other:
        return 0
    return 1 if other is ABSENT else 0 if same(one, other) else 2


def column_of(values: Sequence[Value], run: RecordRun, member: int) -> Sequence[Value]:
    """The values of one member of all objects of a run; `member` counts from 1, and 0 is the objects themselves."""
    return values[run.first + member : run.end : run.size]
