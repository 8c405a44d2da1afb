"""Values that are sure to fit into one row."""

from collections.abc import Sequence
from typing import TypeVar, cast

from inspector.json.exact import DuplicateKeys
from inspector.tui.values.sides import Value

_Kind = TypeVar("_Kind", str, int)
_ONE_ROW = frozenset({float, bool, type(None), dict, list, DuplicateKeys})
_NUMBER_ROOM = 30
"""The maximum width, in cells, of a value of a type in `_ONE_ROW`, or of an integer of less than 64 bits.

Separators are included.
"""


def is_short(value: Value, room: int) -> bool:
    """True if a value is sure to fit into one row with `room` cells after its label."""
    kind = type(value)
    if kind is str:
        text = cast("str", value)
        return 5 + 2 * len(text) <= room and text.isascii() and text.isprintable()
    return room >= _NUMBER_ROOM and (
        kind in _ONE_ROW or (kind is int and cast("int", value).bit_length() < 64)
    )


def are_short(values: Sequence[Value], room: int) -> bool:
    """True if `is_short` is true for every value."""
    kinds = set[object](map(type, values))
    texts = _of_type(str, values, kinds)
    if texts:
        if 5 + 2 * max(map(len, texts)) > room:
            return False
        together = "".join(texts)
        if not together.isascii() or not together.isprintable():
            return False
    numbers = _of_type(int, values, kinds)
    if numbers and max(map(int.bit_length, numbers)) >= 64:
        return False
    kinds -= {str, int}
    return kinds <= _ONE_ROW and (room >= _NUMBER_ROOM or not (kinds or numbers))


def _of_type(kind: type[_Kind], values: Sequence[Value], kinds: set[object]) -> Sequence[_Kind]:
    """The values of one type. `kinds`: all types of the values."""
    if kind not in kinds:
        return ()
    found = values if len(kinds) == 1 else [each for each in values if type(each) is kind]
    return cast("Sequence[_Kind]", found)
