"""Whether a value occurs again in JSON: as a whole leaf or key, the plainest form of an echo."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from inspector.core.boundary.bounded import Removal
from inspector.core.json_text import DuplicateKeys, Json, Number
from inspector.core.pointer import resolve

LEAST_NUMBER = 1_000
"""Smaller numbers, truth values and null occur everywhere by chance."""

Trace: TypeAlias = str | float


def traces(raw: Json, removals: Iterable[Removal], names: frozenset[str]) -> frozenset[Trace]:
    """What can be recognised of the withheld parts of `raw`. `names`: keys that are no secret."""
    found = (_traces(resolve(raw, removal.pointer)) for removal in removals)
    return frozenset(trace for traced in found for trace in traced if trace not in names)


def holds_any(value: Json, wanted: frozenset[Trace]) -> bool:
    """Whether `value` holds one of them, as a leaf or a key."""
    return bool(wanted) and any(trace in wanted for trace in _traces(value))


def _traces(value: Json) -> Iterator[Trace]:
    stack = [value]
    while stack:
        item = stack.pop()
        match item:
            case dict():
                yield from item
                stack.extend(item.values())
            case DuplicateKeys():
                yield from (key for key, _ in item.pairs)
                stack.extend(inner for _, inner in item.pairs)
            case list():
                stack.extend(item)
            case str() if item:
                yield item
            case bool() | None | str():
                pass
            case Number():
                yield item.text
            case _:
                if abs(item) >= LEAST_NUMBER:
                    yield item
