"""The members of a JSON value, or of two side by side."""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

from inspector.json.exact import DuplicateKeys, Json, dump_text, equal
from inspector.tui.values.alignment import GAP, align
from inspector.tui.values.blocks import MOST_PAIRS, BlockPairs


class Absent(Enum):
    """The type of `ABSENT`, which stands for a value that a side does not have."""

    ABSENT = auto()


ABSENT: Final = Absent.ABSENT
Value: TypeAlias = Json | Literal[Absent.ABSENT]
Container: TypeAlias = dict[str, Json] | list[Json] | DuplicateKeys
Side: TypeAlias = Literal[0, 1]

_ALIGNED = 2_000
"""The maximum length at which lists of unequal lengths are aligned by their items.

Longer ones are aligned by index.
"""


def members(one: Value, other: Value) -> Iterator[tuple[str, Value, Value]]:
    """Yield the members of a container, or of two objects: token, left, right.

    Each side keeps its order.
    """
    if one is other or other is ABSENT:
        both = one is other
        for token, value in _pairs(one):
            yield token, value, value if both else ABSENT
    elif one is ABSENT:
        for token, value in _pairs(other):
            yield token, ABSENT, value
    else:
        yield from _merged(list(_pairs(one)), list(_pairs(other)))


def _pairs(value: Value) -> Iterable[tuple[str, Json]]:
    match value:
        case dict():
            return value.items()
        case list():
            return ((str(index), item) for index, item in enumerate(value))
        case DuplicateKeys():
            return value.pairs
        case _:
            return ()


def are_by_index(one: list[Json], other: Value) -> bool:
    """True if the items of a list are paired with those of another value by index, whatever they are."""
    if other is one or other is ABSENT:
        return True
    return isinstance(other, list) and len(other) == len(one) and len(one) ** 2 > MOST_PAIRS


def covers(blocks: BlockPairs, one: list[Json], other: list[Json]) -> bool:
    """True if `blocks` contains each index of both lists once, in order."""
    return [a for a, _ in blocks if a != GAP] == [*range(len(one))] and [
        b for _, b in blocks if b != GAP
    ] == [*range(len(other))]


def paired(
    pairs: Iterable[tuple[int, int]], one: list[Json], other: list[Json]
) -> Iterator[tuple[str, Value, Value]]:
    """Yield the items that pairs of indexes name in two lists: token, left, right. An index may be `GAP`."""
    for a, b in pairs:
        yield str(b if a == GAP else a), ABSENT if a == GAP else one[a], ABSENT if b == GAP else other[b]


def items(one: list[Json], other: list[Json]) -> Iterator[tuple[str, Value, Value]]:
    """Yield the items of two lists that are not lists of content blocks: token, left, right."""
    if len(one) == len(other) or max(len(one), len(other)) > _ALIGNED:
        for index, (left, right) in enumerate(zip_longest(one, other, fillvalue=ABSENT)):
            yield str(index), left, right
        return
    rows = align(
        [dump_text(item) for item in one],
        [dump_text(item) for item in other],
        lambda a, b: shape_of(one[a]) is not None and shape_of(one[a]) == shape_of(other[b]),
    )
    yield from paired(zip(rows.left, rows.right, strict=True), one, other)


def _merged(
    left: list[tuple[str, Json]], right: list[tuple[str, Json]]
) -> Iterator[tuple[str, Value, Value]]:
    """Yield the members of both sides by key, each side in its own order.

    A key that moved is yielded twice.
    """
    there = {key for key, _ in right}
    here = {key for key, _ in left}
    a = b = 0
    while a < len(left) or b < len(right):
        if a < len(left) and b < len(right) and left[a][0] == right[b][0]:
            yield left[a][0], left[a][1], right[b][1]
            a, b = a + 1, b + 1
        elif a < len(left) and (left[a][0] not in there or b == len(right)):
            yield left[a][0], left[a][1], ABSENT
            a += 1
        elif right[b][0] not in here or a == len(left):
            yield right[b][0], ABSENT, right[b][1]
            b += 1
        else:
            yield left[a][0], left[a][1], ABSENT
            a += 1


def shape_of(value: Value) -> type[dict[str, Json]] | type[list[Json]] | None:
    """The kind of a container with members; None for any other value."""
    match value:
        case dict() if value:
            return dict
        case DuplicateKeys():
            return dict
        case list() if value:
            return list
        case _:
            return None


def kind_of(value: Value) -> type[dict[str, Json]] | type[list[Json]] | None:
    """The kind of a container, empty or not; None for a scalar."""
    match value:
        case dict() | DuplicateKeys():
            return dict
        case list():
            return list
        case _:
            return None


def is_container(value: Value) -> bool:
    """True if a value is a list or an object, empty or not."""
    return isinstance(value, (dict, list, DuplicateKeys))


def size_of(value: Value) -> int:
    """The number of members of a container; 0 for any other value."""
    if isinstance(value, DuplicateKeys):
        return len(value.pairs)
    return len(value) if isinstance(value, (dict, list)) else 0


def same(one: Value, other: Value) -> bool:
    """True if two scalars, or two empty containers, are equal as JSON."""
    if one is ABSENT or other is ABSENT:
        return one is other
    if type(one) is str or type(other) is str:
        return one == other
    return equal(one, other)
