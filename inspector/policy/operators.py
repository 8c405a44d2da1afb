"""The operators of policy conditions. Each compares one fact with a value, and returns yes, no or maybe.

A list is a set of possible values, as in SEP-1913 for tools/list: if only some of them match, the operator
returns MAYBE.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import TypeAlias

from inspector.claims.claim import EFFECTS, LEVELS, OUTCOMES, words_of
from inspector.json.exact import Json, Number, equal


class Truth(IntEnum):
    """The truth of a condition: no, maybe or yes. `and` takes the minimum, `or` the maximum."""

    NO = 0
    MAYBE = 1
    """Undecided: a fact is malformed, unknown, or has several possible values."""
    YES = 2

    def negated(self) -> "Truth":
        return Truth(2 - self)


SCALES: Mapping[str, tuple[str, ...]] = {
    "outcome": OUTCOMES,
    "outcomes": OUTCOMES,
    "sensitivityLevel": LEVELS,
    "mcp.dev/resultSensitivity": LEVELS,
    "effect": EFFECTS,
    "mcp.dev/effect": EFFECTS,
}
"""The texts that `at_least` can compare, in ascending order, by the last part of a fact's name."""

Operator: TypeAlias = Callable[[Json, Json, Sequence[str]], Truth]
"""Takes the value of a fact, the operand of the condition, and what `scale_of` returns for the fact."""


def scale_of(name: str) -> tuple[str, ...]:
    """The values that a fact can have, in ascending order; empty if they have no order.

    `name`: the last part of the fact's name.
    """
    return SCALES.get(name, ())


def _equals(value: Json, wanted: Json, _scale: Sequence[str]) -> Truth:
    if isinstance(value, list) and not isinstance(wanted, list):
        return _of_several([equal(item, wanted) for item in value])
    return _truth(equal(value, wanted))


def _in(value: Json, wanted: Json, _scale: Sequence[str]) -> Truth:
    among = wanted if isinstance(wanted, list) else [wanted]
    items = value if isinstance(value, list) else [value]
    return _of_several([any(equal(item, one) for one in among) for item in items])


def _contains(value: Json, wanted: Json, _scale: Sequence[str]) -> Truth:
    match value:
        case list():
            named = isinstance(wanted, (str, bool)) and wanted in words_of(value)
            return _truth(named or any(equal(item, wanted) for item in value))
        case str() if isinstance(wanted, str):
            return _truth(wanted in value)
        case dict() if isinstance(wanted, str):
            return _truth(wanted in value or wanted in list(words_of(value)))
        case _:
            return Truth.MAYBE


def _at_least(value: Json, wanted: Json, scale: Sequence[str]) -> Truth:
    items = value if isinstance(value, list) else [value]
    compared = [_reaches(item, wanted, scale) for item in items]
    if Truth.MAYBE in compared:
        return Truth.MAYBE
    return _of_several([truth is Truth.YES for truth in compared])


def _reaches(value: Json, wanted: Json, scale: Sequence[str]) -> Truth:
    match value, wanted:
        case str(), str() if value in scale and wanted in scale:
            return _truth(scale.index(value) >= scale.index(wanted))
        case (bool(), _) | (_, bool()):
            return Truth.MAYBE
        case ((int() | float()), (int() | float())) if value == value and not _is_beyond(value):  # noqa: PLR0124
            return _truth(value >= wanted)
        case _:
            return Truth.MAYBE


def _is_beyond(value: float) -> bool:
    """True if the number is too large for a float, so that only its text shows its size."""
    return isinstance(value, Number) and value in {float("inf"), float("-inf")}


def _of_several(held: Sequence[bool]) -> Truth:
    if not any(held):
        return Truth.NO
    return Truth.YES if all(held) else Truth.MAYBE


def _truth(holds: bool) -> Truth:  # noqa: FBT001
    return Truth.YES if holds else Truth.NO


OPERATORS: Mapping[str, Operator] = {
    "equals": _equals,
    "in": _in,
    "contains": _contains,
    "at_least": _at_least,
}
"""The operators by name. `exists` is not among them: it tests the path, not the value."""
