"""What JSON does not allow and a parsed value may hold all the same: repeated keys, NaN, infinity."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.json.exact import DuplicateKeys, Json, Number
from inspector.json.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One of them."""

    pointer: str
    message: str
    """Quotes the key that is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A value gone through."""

    nodes: int
    """How many values are in it, itself included."""
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Path:
    above: "_Path | None"
    token: str | int


def scan(value: Json, limit: int) -> Scan:
    """Counts the values in `value` and finds its faults, the first `limit` of them. Never raises."""
    nodes = 0
    faults: list[Fault] = []
    stack: list[tuple[Json, _Path | None]] = [(value, None)]
    while stack:
        item, path = stack.pop()
        nodes += 1
        members: Iterable[tuple[str | int, Json]]
        match item:
            case dict():
                members = item.items()
            case list():
                members = enumerate(item)
            case DuplicateKeys():
                members = item.pairs
                _add(faults, limit, path, f"names a key twice: {item.repeated[0] if item.repeated else ''}")
            case Number() if item.text in NO_NUMBERS:
                _add(faults, limit, path, f"{item.text} is no JSON number")
                continue
            case _:
                continue
        for token, member in members:
            # Most of a value are leaves that cannot be at fault: not worth a place on the stack.
            if type(member) in _LEAVES:
                nodes += 1
            else:
                stack.append((member, _Path(path, token)))
    return Scan(nodes=nodes, faults=tuple(faults))


_LEAVES = frozenset({str, int, bool, float, type(None)})


def _add(faults: list[Fault], limit: int, path: _Path | None, message: str) -> None:
    if len(faults) >= limit:
        return
    tokens: list[str | int] = []
    while path:
        tokens.append(path.token)
        path = path.above
    faults.append(Fault(pointer=join(reversed(tokens)), message=message))
