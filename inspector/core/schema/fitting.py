"""Whether an output fits its schema, and which parts do not: for results of any size, so by an engine of its own.

`validation` tells a person what is wrong and takes seconds for what this does in a hundredth of one.
"""

import json
import sys
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from inspector.core.copied import Copied
from inspector.core.json_text import MAX_INTEGER_DIGITS, Json, JsonText, dump, parse
from inspector.core.pointer import split

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

Path: TypeAlias = tuple[str | int, ...]

MAX_MISFITS = 10_000
"""Parts that are told apart; with more, nothing fits."""
MAX_DEPTH = 400
"""Levels that are checked; what is below does not fit."""
EVERYTHING: tuple[Path, ...] = ((),)
"""The answer where the whole does not fit, or cannot be checked."""

_MAX_WAYS = 10_000_000
_CONTAINERS = frozenset({dict, list})
_PLAIN = frozenset({dict, list, str, int, float, bool, type(None)})


def misfits(value: Json, schema: Json, unjudged: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """The parts of `value` that do not fit `schema`, each by its path; none where all fits.

    `unjudged`: pointers to subschemas that fit everything here, since whatever they are about is withheld anyway.
    A member that an object must have and lacks makes that object a misfit; one that it must not have is one itself.
    `format` is no constraint, nothing is fetched, an unknown `$schema` is read as 2020-12. Never raises: what cannot be
    checked does not fit.
    """
    try:
        validator = _validator(dump(schema), unjudged)
        deep, plain = _looked_through(value)
        if deep:
            # Null stands for what is too deep, so that nothing else is.
            shallow = Copied(value)
            for path in deep:
                shallow.put(path, None)
            value = shallow.value
        # The engine knows plain numbers alone; rounding them moves no value to another place.
        found = _found(validator, value if plain else _plain(value))
        return tuple(dict.fromkeys((*found, *deep)))
    except Exception:  # noqa: BLE001 - what a stranger's schema does to the engine has no closed list
        return EVERYTHING


@lru_cache(maxsize=16)
def _validator(raw: bytes, unjudged: tuple[str, ...]) -> "Validator":
    from jsonschema_rs import (  # noqa: PLC0415 - a tenth of a second, for those alone who need it
        Draft4Validator,
        Draft6Validator,
        Draft7Validator,
        Draft201909Validator,
        Draft202012Validator,
    )

    parsed = parse(raw)
    copied = Copied(parsed.value if isinstance(parsed, JsonText) else None)
    for pointer in sorted(unjudged, key=len, reverse=True):
        copied.put(split(pointer), True)
    schema = cast("dict[str, object] | bool", _plain(copied.value))
    dialects = {
        "http://json-schema.org/draft-04/schema": Draft4Validator,
        "http://json-schema.org/draft-06/schema": Draft6Validator,
        "http://json-schema.org/draft-07/schema": Draft7Validator,
        "https://json-schema.org/draft/2019-09/schema": Draft201909Validator,
    }
    named = schema.pop("$schema", "") if isinstance(schema, dict) else ""
    dialect = dialects.get(named.rstrip("#"), Draft202012Validator) if isinstance(named, str) else None
    if dialect is None:
        raise TypeError("$schema")
    return dialect(schema, validate_formats=False, offline=True)


def _found(validator: "Validator", value: Json) -> tuple[Path, ...]:
    if validator.is_valid(value):
        return ()
    found: dict[Path, None] = {}
    for error in islice(validator.iter_errors(value), MAX_MISFITS + 1):
        found.update(dict.fromkeys(_parts(error)))
    return tuple(found) if 0 < len(found) <= MAX_MISFITS else EVERYTHING


def _looked_through(value: Json) -> tuple[tuple[Path, ...], bool]:
    """Where the containers stand that are too deep for the engine, and whether all is of Python's own types.

    Raises OverflowError where they are too many to tell apart.
    """
    below = [value]
    kinds = {type(value)}
    for _ in range(MAX_DEPTH):
        level, below = below, list[Json]()
        for item in level:
            inner = item.values() if type(item) is dict else item if type(item) is list else ()
            kinds.update(map(type, inner))
            below += [one for one in inner if type(one) in _CONTAINERS]
        if not below:
            return (), kinds <= _PLAIN
    return _ways(value), False


def _ways(value: Json) -> tuple[Path, ...]:
    level: list[tuple[Path, Json]] = [((), value)]
    for _ in range(MAX_DEPTH):
        level = [((*path, token), inner) for path, item in level for token, inner in _members(item)]
        if len(level) * MAX_DEPTH > _MAX_WAYS:
            raise OverflowError
    return tuple(path for path, _ in level)


def _members(value: Json) -> list[tuple[str | int, Json]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(token, inner) for token, inner in pairs if isinstance(inner, (dict, list))]


def _plain(value: Json) -> Json:
    """The same with numbers that every engine knows. What is no number to JSON becomes null."""
    return cast(
        "Json",
        json.loads(dump(value), parse_float=_finite, parse_int=_whole, parse_constant=lambda _: None),
    )


def _finite(text: str) -> float:
    return max(-sys.float_info.max, min(float(text), sys.float_info.max))


def _whole(text: str) -> int:
    return int(text[:MAX_INTEGER_DIGITS])


def _parts(error: "ValidationError") -> list[Path]:
    path = tuple(error.instance_path)
    if error.kind.name in {"additionalProperties", "unevaluatedProperties"}:
        unexpected: list[str] = error.kind.as_dict().get("unexpected", [])
        return [(*path, key) for key in unexpected] or [path]
    return [path]
