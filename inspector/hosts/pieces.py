"""JSON written piece by piece, however large the value is.

Code in C keeps the interpreter's lock, and with it the event loop, until it has written all that it was given.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from inspector.json.exact import Json, JsonObject

Item = TypeVar("Item")

_PIECE = 32
"""Members of a container that are written at once."""
_MANY = 256
"""Containers of more members are opened, wherever they are reached."""
_LEVELS = 6
"""Down to which containers of few members are opened too, outside of those of many."""
_DEEPEST = 100
"""Levels of containers of many members in each other that are opened."""


def _as_sent(value: JsonObject) -> Iterable[str]:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a program writes JSON on one line."""

    whole: Callable[[Json], str]
    """Any value at once, with the same commas and colons."""
    comma: str = ","
    colon: str = ":"
    order: Callable[[JsonObject], Iterable[str]] = _as_sent
    """The keys of an object in the order written."""


def in_pieces(value: Json, form: Form) -> str:
    """`form.whole(value)`, of which only small parts are written at a time."""
    return "".join(_pieces(value, form, _LEVELS, _DEEPEST))


def _pieces(value: Json, form: Form, levels: int, left: int) -> Iterator[str]:
    if not isinstance(value, (dict, list)) or not left or not _is_opened(value, levels):
        yield form.whole(value)
        return
    below = 0 if len(value) > _MANY else max(levels - 1, 0)
    opener, closer = "[]" if isinstance(value, list) else "{}"
    yield opener
    first = True
    for member in _members(value, form, below):
        if not first:
            yield form.comma
        first = False
        if isinstance(member, _Opened):
            yield member.front
            yield from _pieces(member.value, form, below, left - 1)
        else:
            yield form.whole(member)[1:-1]
    yield closer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A member that is written in pieces itself."""

    front: str
    """What stands in front of it."""
    value: Json


def _members(
    value: JsonObject | list[Json], form: Form, below: int
) -> Iterator[JsonObject | list[Json] | _Opened]:
    """The members of a container, those that need not be opened together in small containers."""
    if isinstance(value, list):
        for group in _groups(value):
            if not _has_opened(group, below):
                yield group
                continue
            for item in group:
                yield _Opened(front="", value=item) if _is_opened(item, below) else [item]
        return
    for keys in _groups(form.order(value)):
        members = {key: value[key] for key in keys}
        if not _has_opened(members.values(), below):
            yield members
            continue
        for key, item in members.items():
            if _is_opened(item, below):
                yield _Opened(front=form.whole(key) + form.colon, value=item)
            else:
                yield {key: item}


def _is_opened(value: Json, levels: int) -> bool:
    return isinstance(value, (dict, list)) and bool(value) and (levels > 0 or len(value) > _MANY)


def _has_opened(values: Iterable[Json], levels: int) -> bool:
    for value in values:
        kind = type(value)
        if (kind is dict or kind is list) and _is_opened(value, levels):
            return True
    return False


def _groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    waiting = iter(items)
    while group := list(islice(waiting, _PIECE)):
        yield group
