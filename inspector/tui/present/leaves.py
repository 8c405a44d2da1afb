"""How two values differ, leaf by leaf: in numbers, and at which places."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text, equal
from inspector.json.pointer import child
from inspector.tui.present.alignment import GAP, align

_ALIGNED = 2_000
"""Lists of other lengths are compared item by item; up to so many items, those that are alike are found first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """A place at which two values differ."""

    left: str | None
    """As a pointer into the left one; None where it has nothing there."""
    right: str | None
    left_leaves: int
    right_leaves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafCount:
    """How many leaves differ."""

    left: int = 0
    """Only on the left."""
    right: int = 0
    changed: int = 0
    """On both sides, each time with another value."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.left + self.right + self.changed

    def with_(self, apart: Apart) -> "LeafCount":
        """These, and those of one place more."""
        both = min(apart.left_leaves, apart.right_leaves)
        return LeafCount(
            left=self.left + apart.left_leaves - both,
            right=self.right + apart.right_leaves - both,
            changed=self.changed + both,
        )


_Pair: TypeAlias = tuple[str, str, Json, Json]


def differences(left: Json, right: Json) -> Iterator[Apart]:
    """Every place at which two values differ, in the order of the left one. To any depth; never raises."""
    if not _is_container(left) or not _is_container(right):
        if not _same(left, right):
            yield _apart("", "", left, right)
        return
    stack = [_members("", "", left, right)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, Apart):
            yield found
        else:
            stack.append(_members(*found))


def leaf_count(value: Json) -> int:
    """How many leaves a value has; a container without members is one."""
    count = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case dict() if item:
                waiting.extend(item.values())
            case list() if item:
                waiting.extend(item)
            case DuplicateKeys():
                waiting.extend(inner for _, inner in item.pairs)
            case _:
                count += 1
    return count


def _members(at: str, other: str, left: Json, right: Json) -> Iterator["Apart | _Pair"]:
    """What differs among the members of two containers, and pairs of containers that may."""
    match left, right:
        case dict(), dict():
            yield from _in_objects(at, other, left, right)
        case list(), list():
            yield from _in_lists(at, other, left, right)
        case _:
            yield _apart(at, other, left, right)


def _in_objects(at: str, other: str, left: JsonObject, right: JsonObject) -> Iterator["Apart | _Pair"]:
    for key, value in left.items():
        if key not in right:
            yield _only_left(child(at, key), value)
        elif _is_container(value) and _is_container(right[key]):
            yield child(at, key), child(other, key), value, right[key]
        elif not _same(value, right[key]):
            yield _apart(child(at, key), child(other, key), value, right[key])
    for key in right:
        if key not in left:
            yield _only_right(child(other, key), right[key])


def _in_lists(at: str, other: str, left: list[Json], right: list[Json]) -> Iterator["Apart | _Pair"]:
    for a, b in _rows(left, right):
        if b == GAP:
            yield _only_left(child(at, a), left[a])
        elif a == GAP:
            yield _only_right(child(other, b), right[b])
        elif _is_container(left[a]) and _is_container(right[b]):
            yield child(at, a), child(other, b), left[a], right[b]
        elif not _same(left[a], right[b]):
            yield _apart(child(at, a), child(other, b), left[a], right[b])


def _rows(left: list[Json], right: list[Json]) -> Iterator[tuple[int, int]]:
    """The items that stand beside each other, by index."""
    if len(left) == len(right):
        yield from ((index, index) for index in range(len(left)))
        return
    if max(len(left), len(right)) <= _ALIGNED:
        found = align(
            list(map(dump_text, left)),
            list(map(dump_text, right)),
            lambda a, b: _is_container(left[a]) and type(left[a]) is type(right[b]),
        )
        yield from zip(found.left, found.right, strict=True)
        return
    for index in range(max(len(left), len(right))):
        yield index if index < len(left) else GAP, index if index < len(right) else GAP


def _is_container(value: Json) -> bool:
    return isinstance(value, (dict, list))


def _same(left: Json, right: Json) -> bool:
    if type(left) is str or type(right) is str:
        return left == right
    return left is right or equal(left, right)


def _apart(at: str, other: str, left: Json, right: Json) -> Apart:
    return Apart(left=at, right=other, left_leaves=leaf_count(left), right_leaves=leaf_count(right))


def _only_left(at: str, value: Json) -> Apart:
    return Apart(left=at, right=None, left_leaves=leaf_count(value), right_leaves=0)


def _only_right(at: str, value: Json) -> Apart:
    return Apart(left=None, right=at, left_leaves=0, right_leaves=leaf_count(value))
