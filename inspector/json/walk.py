"""One walk over JSON values, for everything that looks at all of a value. Nothing recurses, and repeated keys are walked too."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from inspector.json.exact import DuplicateKeys, Json

Tokens = tuple[str | int, ...]
"""A place in a value: keys and indexes, from the outermost on."""


def members(value: Json) -> Iterable[tuple[str | int, Json]]:
    """The members of a container, each with its key or index; none of a leaf."""
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return enumerate(value)
    return value.pairs if isinstance(value, DuplicateKeys) else ()


def children(value: Json) -> Iterable[Json]:
    """The values of the members of a container; none of a leaf."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list):
        return value
    return [member for _, member in value.pairs] if isinstance(value, DuplicateKeys) else ()


def keys_of(value: Json) -> Iterable[str]:
    """The keys of an object, repeated ones each time; none of any other value."""
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
    """Where the values are for which `wanted` holds. What is inside of one, or of a `closed` value, is not looked at.

    Objects with repeated keys are judged as they are, and not entered: a place in them has no name.
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
