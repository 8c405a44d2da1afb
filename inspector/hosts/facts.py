"""Properties of a JSON value, such as big integers, that different programs handle in different ways."""

import math
import re
from dataclasses import dataclass

from msgspec import Struct

from inspector.hosts.sharing import shared
from inspector.json.exact import MAX_INTEGER_DIGITS, DuplicateKeys, Json, Number

EXACT = 2**53
"""Doubles represent all integers up to this one exactly."""
STRIDE = 1_000_000
"""The number of characters to process at once while holding the interpreter's lock."""


@dataclass(slots=True, kw_only=True)
class ValueFacts:
    """The properties of a value and everything in it. Nothing below an object with duplicate keys is read."""

    levels: int = 0
    """The nesting depth, in which leaves are a level too."""
    container_levels: int = 0
    """The nesting depth of objects and lists."""
    has_twice: bool = False
    """True if an object has a duplicate key."""
    has_half: bool = False
    """True if a text or key has a lone surrogate."""
    has_spelt: bool = False
    """True if a number is a `Number`, which keeps the text with which it was sent."""
    has_hard: bool = False
    """True if some programs cannot read a number."""
    has_float: bool = False
    """True if a number is a float. A `Number` is a float too."""
    has_infinite: bool = False
    """True if a number is not finite."""
    has_rounded: bool = False
    """True if an integer may exceed the exact range of doubles."""
    has_odd_keys: bool = False
    """True if JavaScript may treat a key specially, because it begins with a digit or with `__proto__`."""

    @property
    def is_plain(self) -> bool:
        """True if every parser can read the value, unless it is nested too deeply."""
        return not (self.has_twice or self.has_half or self.has_hard)


@shared
def facts(value: Json) -> ValueFacts:
    """The properties of `value`, at any depth."""
    found = ValueFacts()
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
                    # Several values share this part, such as the result and the views of client libraries and hosts.
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


def _merge(found: ValueFacts, part: ValueFacts, depth: int) -> None:
    """Add the properties of a part that is at `depth`."""
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
    """True if a text contains a lone surrogate."""
    return not text.isascii() and any(
        _SURROGATE.search(text, start, start + STRIDE) for start in range(0, len(text), STRIDE)
    )


def _note_keys(names: tuple[str, ...], found: ValueFacts) -> None:
    for name in names:
        if has_lone_surrogate(name):
            found.has_half = True
        if name.startswith(_ODD):
            found.has_odd_keys = True


def _note(item: Json, found: ValueFacts) -> None:
    """Add the properties of a number, or of an object with duplicate keys."""
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
"""The size of the largest numbers that every program can be expected to parse, in characters and in bits."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_APART, _MANY = 8, 256
"""Containers with more than `_MANY` members in the first `_APART` levels are analysed separately.

Other values that contain the same container reuse its analysis.
"""
_ODD = ("__proto__", *"0123456789")


_OWN_LEVELS = 100
"""The nesting depth up to which the profiles were tested; real parsers may accept more."""


class Parser(Struct, frozen=True, kw_only=True):
    """The known limits of a parser."""

    name: str
    max_depth: int
    """The maximum nesting depth of containers in a value that the parser accepts."""
    lone_surrogates: bool
    """True if the parser accepts lone surrogates."""
    huge_numbers: bool
    """True if the parser accepts numbers beyond the range of doubles."""
    max_digits: int
    """The maximum number of digits of an integer."""

    @property
    def max_bits(self) -> int:
        """The approximate number of bits of an integer with `max_digits` digits."""
        return self.max_digits * 10 // 3


JAVASCRIPT = Parser(
    name="JSON.parse", max_depth=5_000, lone_surrogates=True, huge_numbers=True, max_digits=10**9
)
PYDANTIC = Parser(
    name="pydantic's parser",
    max_depth=200,
    lone_surrogates=False,
    huge_numbers=True,
    max_digits=MAX_INTEGER_DIGITS,
)
SERDE = Parser(
    name="serde's parser", max_depth=126, lone_surrogates=False, huge_numbers=False, max_digits=300
)


def obstacle(value: Json, parser: Parser) -> str:
    """The reason why the parser may reject the value, in a sentence; empty if the parser can read it."""
    known = facts(value)
    if known.is_plain and known.container_levels <= parser.max_depth:
        return ""
    return _first(value, parser)


def is_deep(value: Json) -> bool:
    """True if the value is nested deeper than the values with which the profiles were tested."""
    return facts(value).levels > _OWN_LEVELS


def _first(value: Json, parser: Parser) -> str:
    level: list[Json] = [value]
    depth = 0
    while level:
        below: list[Json] = []
        for item in level:
            reason = _reason(item, parser)
            if reason:
                return reason
            if isinstance(item, dict):
                if not parser.lone_surrogates and any(map(has_lone_surrogate, item)):
                    return _NO_LONE_SURROGATE.format(parser.name)
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        depth += any(isinstance(item, (dict, list)) for item in level)
        if depth > parser.max_depth:
            return f"{parser.name} does not read values nested more than {parser.max_depth} levels deep"
        level = below
    return ""


_TWICE = "an object has a duplicate key"
_NO_LONE_SURROGATE = "{} does not read a lone surrogate"
_HUGE = "{} does not read numbers of this size"


def _reason(item: Json, parser: Parser) -> str:
    match item:
        case DuplicateKeys():
            return _TWICE
        case str():
            return (
                _NO_LONE_SURROGATE.format(parser.name)
                if not parser.lone_surrogates and has_lone_surrogate(item)
                else ""
            )
        case int() if not isinstance(item, bool) and item.bit_length() > parser.max_bits:
            return _HUGE.format(parser.name)
        case Number():
            if item.text.lstrip("-") in {"NaN", "Infinity"}:
                return f"JSON has no {item.text}"
            beyond = not parser.huge_numbers and math.isinf(item)
            return _HUGE.format(parser.name) if beyond or len(item.text) > parser.max_digits else ""
        case _:
            return ""
