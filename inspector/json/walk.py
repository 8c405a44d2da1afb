"""Walks JSON values for all code that reads whole values. Nothing recurses, and duplicate keys are walked too."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple, cast

from inspector.json.exact import DuplicateKeys, Json, JsonObject

Tokens = tuple[str | int, ...]
"""A path in a value: keys and indices, from the outermost."""


def members(value: Json) -> Iterable[tuple[str | int, Json]]:
    """The members of a container, each with its key or index; empty for a leaf."""
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return enumerate(value)
    return value.pairs if isinstance(value, DuplicateKeys) else ()


def children(value: Json) -> Iterable[Json]:
    """The values of the members of a container; empty for a leaf."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list):
        return value
    return [member for _, member in value.pairs] if isinstance(value, DuplicateKeys) else ()


CONTAINERS: frozenset[type] = frozenset({dict, list, DuplicateKeys})
_OPENED, _PIECE = 2_000, 20_000


def below(containers: list[Json], keys: set[str] | None = None) -> Iterator[list[Json]]:
    """The members of containers, in any order, in lists of some thousand. Adds the keys to `keys`.

    A walk that calls this for each level takes a tenth of the time of a walk from container to container.
    """
    for start in range(0, len(containers), _OPENED):
        group = containers[start : start + _OPENED]
        objects = cast("list[JsonObject]", [one for one in group if type(one) is dict])
        if keys is not None:
            keys.update(chain.from_iterable(objects))
        yield from _pieces(chain.from_iterable(map(dict[str, Json].values, objects)))
        if len(objects) == len(group):
            continue
        yield from _pieces(chain.from_iterable(one for one in group if type(one) is list))
        for one in group:
            if isinstance(one, DuplicateKeys):
                if keys is not None:
                    keys.update(key for key, _ in one.pairs)
                yield [member for _, member in one.pairs]


def _pieces(members: Iterator[Json]) -> Iterator[list[Json]]:
    while piece := list(islice(members, _PIECE)):
        yield piece


def keys_of(value: Json) -> Iterable[str]:
    """The keys of an object, with every duplicate; empty for any other value."""
    if isinstance(value, dict):
        return value
    return [key for key, _ in value.pairs] if isinstance(value, DuplicateKeys) else ()


def walk(value: Json) -> Iterator[Json]:
    """Every value in `value`, itself included, containers before their members."""
    stack = [value]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(children(item))


class _Path(NamedTuple):
    above: "_Path | None"
    token: str | int


def places(
    value: Json, wanted: Callable[[Json], bool], *, closed: Callable[[Json], bool] = lambda _: False
) -> Iterator[Tokens]:
    """The paths to the values for which `wanted` is true.

    Values for which `wanted` or `closed` is true are not entered.

    An object with duplicate keys is passed to `wanted` but not entered, because places in it have no unique
    path.
    """
    stack: list[tuple[Json, _Path | None]] = [(value, None)]
    while stack:
        item, path = stack.pop()
        if wanted(item):
            yield _tokens(path)
        elif isinstance(item, (dict, list)) and not closed(item):
            stack.extend((member, _Path(path, token)) for token, member in members(item))


def _tokens(path: _Path | None) -> Tokens:
    tokens: list[str | int] = []
    while path:
        tokens.append(path.token)
        path = path.above
    return tuple(reversed(tokens))
