"""Compares two JSON values, place by place."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from inspector.json.exact import Json, equal
from inspector.json.pointer import child


class ChangeKind(StrEnum):
    """The kinds of differences between two JSON values."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Change(Struct, frozen=True, kw_only=True):
    """One place at which two values differ."""

    pointer: str
    """Pointer into the earlier value; for an added value, into the later one."""
    kind: ChangeKind
    before: Json = None
    after: Json = None


def changes(before: Json, after: Json) -> Iterator[Change]:
    """Every place at which the values differ. Never raises.

    Containers of the same kind are compared member by member; items of lists by index.
    """
    stack: list[tuple[Json, Json, str]] = [(before, after, "")]
    while stack:
        old, new, pointer = stack.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            for key in old.keys() - new.keys():
                yield Change(pointer=child(pointer, key), kind=ChangeKind.REMOVED, before=old[key])
            for key in new.keys() - old.keys():
                yield Change(pointer=child(pointer, key), kind=ChangeKind.ADDED, after=new[key])
            stack.extend((old[key], new[key], child(pointer, key)) for key in old if key in new)
        elif isinstance(old, list) and isinstance(new, list):
            shared = min(len(old), len(new))
            for index in range(shared, len(old)):
                yield Change(pointer=child(pointer, index), kind=ChangeKind.REMOVED, before=old[index])
            for index in range(shared, len(new)):
                yield Change(pointer=child(pointer, index), kind=ChangeKind.ADDED, after=new[index])
            stack.extend((old[index], new[index], child(pointer, index)) for index in range(shared))
        elif not equal(old, new):
            yield Change(pointer=pointer, kind=ChangeKind.CHANGED, before=old, after=new)
