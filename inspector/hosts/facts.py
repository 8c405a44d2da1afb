"""What there is in a value that programs read or write each in its own way. Of most values: nothing."""

import math
import re
from dataclasses import dataclass

from inspector.hosts.sharing import shared
from inspector.json.exact import DuplicateKeys, Json, Number

EXACT = 2**53
"""Up to here a double holds every whole number."""
STRIDE = 1_000_000
"""Characters that are searched or written in one go, with the interpreter's lock held."""


@dataclass(slots=True, kw_only=True)
class Facts:
    """Of one value with all that is in it; of an object that names a key twice, nothing below it."""

    levels: int = 0
    """Levels of values in each other."""
    container_levels: int = 0
    """Those of them that hold an object or a list."""
    has_twice: bool = False
    """Whether an object names a key twice."""
    has_half: bool = False
    """Whether a text or key has half a UTF-16 pair."""
    has_spelt: bool = False
    """Whether a number is kept as it was spelt."""
    has_hard: bool = False
    """Whether a number is none that every program reads."""
    has_float: bool = False
    """Whether a number is no integer; also one that is kept as it was spelt."""
    has_infinite: bool = False
    """Whether a number is not finite."""
    has_rounded: bool = False
    """Whether an integer may be more than a double holds."""
    has_odd_keys: bool = False
    """Whether JavaScript may treat a key in its own way: one that begins with a digit, or `__proto__`."""

    @property
    def is_plain(self) -> bool:
        """Whether every parser reads it, unless it is too deep."""
        return not (self.has_twice or self.has_half or self.has_hard)


@shared
def facts(value: Json) -> Facts:
    """What is known of `value`, to any depth."""
    found = Facts()
    level: list[Json] = [value]
    known = set[tuple[str, ...]]()
    depth = 0
    while level:
        below: list[Json] = []
        has_container = False
        for item in level:
            kind = type(item)
            if kind is str:
                if not item.isascii() and has_lone_surrogate(item):  # pyright: ignore[reportArgumentType, reportAttributeAccessIssue, reportOptionalMemberAccess, reportUnknownMemberType]
                    found.has_half = True
            elif isinstance(item, (dict, list)):
                if 0 < depth < _APART and len(item) > _MANY:
                    # Several values share it: the result, what a client library makes of it, what a host makes of that.
                    _merge(found, facts(item), depth)
                    continue
                has_container = True
                if isinstance(item, list):
                    below.extend(item)
                    continue
                names = tuple(item)
                if names not in known:
                    _note_keys(names, found)
                    known.add(names)
                below.extend(item.values())
            elif item is not None and kind is not bool:
                _note(item, found)
        depth += 1
        found.levels = max(found.levels, depth)
        found.container_levels = max(found.container_levels, depth if has_container else 0)
        level = below
    return found


def _merge(found: Facts, part: Facts, depth: int) -> None:
    """Add the facts of a part that lies `depth` levels down."""
    found.levels = max(found.levels, depth + part.levels)
    found.container_levels = max(found.container_levels, depth + part.container_levels)
    found.has_twice |= part.has_twice
    found.has_half |= part.has_half
    found.has_spelt |= part.has_spelt
    found.has_hard |= part.has_hard
    found.has_float |= part.has_float
    found.has_infinite |= part.has_infinite
    found.has_rounded |= part.has_rounded
    found.has_odd_keys |= part.has_odd_keys


def has_lone_surrogate(text: str) -> bool:
    """Whether there is half a UTF-16 pair in a text."""
    return not text.isascii() and any(
        _HALF.search(text, start, start + STRIDE) for start in range(0, len(text), STRIDE)
    )


def _note_keys(names: tuple[str, ...], found: Facts) -> None:
    for name in names:
        if has_lone_surrogate(name):
            found.has_half = True
        if name.startswith(_ODD):
            found.has_odd_keys = True


def _note(item: Json, found: Facts) -> None:
    """Note what is special in a number, or in an object that names a key twice."""
    match item:
        case DuplicateKeys():
            found.has_twice = True
        case float():
            found.has_float = True
            found.has_spelt = found.has_spelt or isinstance(item, Number)
            found.has_infinite = found.has_infinite or not math.isfinite(item)
            found.has_hard = found.has_hard or not math.isfinite(item) or _is_long(item)
        case int() if not -EXACT <= item <= EXACT:
            found.has_rounded = True
            found.has_hard = found.has_hard or item.bit_length() > _READ_BITS
        case _:
            pass


def _is_long(number: float) -> bool:
    return isinstance(number, Number) and len(number.text) > _READ_CHARACTERS


_READ_CHARACTERS, _READ_BITS = 200, 600
"""Of a number: fewer than any program is known to read."""
_HALF = re.compile("[\ud800-\udfff]")
_APART, _MANY = 8, 256
"""Containers of more members, in the first levels, are looked at on their own, so that it is done once."""
_ODD = ("__proto__", *"0123456789")
