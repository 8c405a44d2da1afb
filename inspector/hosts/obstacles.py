"""What a host's parser does not take: such a message never becomes a result there."""

import math
from dataclasses import dataclass

from inspector.hosts.facts import facts, has_lone_surrogate
from inspector.json.exact import MAX_INTEGER_DIGITS, DuplicateKeys, Json, Number

_OWN_LEVELS = 100
"""Levels that were tried, generously; real parsers read more, or do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """What is known of the parser of a host."""

    name: str
    max_depth: int
    """Containers in each other, those of the result alone."""
    lone_surrogates: bool
    """Whether it takes half a UTF-16 pair."""
    huge_numbers: bool
    """Whether it takes what is beyond a double."""
    max_digits: int
    """Of a whole number."""

    @property
    def max_bits(self) -> int:
        """Of a whole number, about."""
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
    """Why the parser cannot be relied on for this value, in a sentence; empty where it can."""
    known = facts(value)
    if known.is_plain and known.container_levels <= parser.max_depth:
        return ""
    return _first(value, parser)


def is_deep(value: Json) -> bool:
    """Whether a value goes deeper than what was tried."""
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
                    return _HALF.format(parser.name)
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        depth += any(isinstance(item, (dict, list)) for item in level)
        if depth > parser.max_depth:
            return f"{parser.name} does not read what is more than {parser.max_depth} levels deep"
        level = below
    return ""


_TWICE = "an object names a key twice"
_HALF = "{} does not read half a UTF-16 pair"
_HUGE = "{} does not read numbers that big"


def _reason(item: Json, parser: Parser) -> str:
    match item:
        case DuplicateKeys():
            return _TWICE
        case str():
            return (
                _HALF.format(parser.name) if not parser.lone_surrogates and has_lone_surrogate(item) else ""
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
