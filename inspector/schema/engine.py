"""Adapts values and schemas for jsonschema-rs, the validator that `validation` and `fitting` use."""

import json
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, cast

from inspector.json.exact import MAX_INTEGER_DIGITS, Json, dump
from inspector.json.walk import below

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MAX_REPETITIONS = 100_000_000
"""The maximum number of times that a schema may be applied to the deepest part of a value."""
MAX_DEPTH = 400
"""The maximum nesting depth that is checked. The engine's stack overflows at some greater depth."""

CONTAINERS = frozenset({dict, list})
_PLAIN = frozenset({dict, list, str, int, float, bool, type(None)})


def engine_of(named: str) -> "type[Validator] | None":
    """The validator class for a `$schema`; None if the dialect is not known."""
    from jsonschema_rs import (  # noqa: PLC0415 - the import takes a tenth of a second
        Draft4Validator,
        Draft6Validator,
        Draft7Validator,
        Draft201909Validator,
        Draft202012Validator,
    )

    known: dict[str, type[Validator]] = {
        "json-schema.org/draft-04/schema": Draft4Validator,
        "json-schema.org/draft-06/schema": Draft6Validator,
        "json-schema.org/draft-07/schema": Draft7Validator,
        "json-schema.org/draft/2019-09/schema": Draft201909Validator,
        "json-schema.org/draft/2020-12/schema": Draft202012Validator,
    }
    scheme, _, address = named.partition("://")
    return known.get(address.removesuffix("#")) if scheme in {"http", "https"} else None


def exact_for_engine(value: Json) -> Json:
    """A copy of `value` with numbers that the validator compares exactly.

    NaN becomes null; of duplicate keys, the last is kept.
    """
    return cast(
        "Json",
        json.loads(dump(value), parse_float=_decimal, parse_int=_integer, parse_constant=lambda _: None),
    )


def has_exact_number(text: str) -> bool:
    """True if the engine can compare a number exactly. `text`: the number as written in JSON."""
    if len(text) > MAX_INTEGER_DIGITS:
        return False
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def levels_of(value: Json) -> tuple[int, bool]:
    """The nesting depth of containers, and whether all values are of Python's own types.

    `Number` and `DuplicateKeys` are not among these types. If the depth is greater than MAX_DEPTH, returns
    MAX_DEPTH + 1 and False.
    """
    inner = [value] if type(value) in CONTAINERS else []
    kinds = {type(value)}
    for depth in range(1, MAX_DEPTH + 1):
        level, inner = inner, list[Json]()
        for piece in below(level):
            kinds.update(map(type, piece))
            inner += [one for one in piece if type(one) in CONTAINERS]
        if not inner:
            return depth, kinds <= _PLAIN
    return MAX_DEPTH + 1, False


def _decimal(text: str) -> object:
    return Decimal(text) if has_exact_number(text) else 0.5


def _integer(text: str) -> int:
    return int(text[:MAX_INTEGER_DIGITS])
