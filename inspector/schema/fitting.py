"""Whether an output fits its schema, and which parts do not: for results of any size, so by an engine of its own.

`validation` tells a person what is wrong and takes seconds for what this does in a hundredth of one.
"""

import json
import sys
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from inspector.json.edit import Copied
from inspector.json.exact import MAX_INTEGER_DIGITS, DuplicateKeys, Json, JsonText, dump, parse
from inspector.json.pointer import split
from inspector.json.weight import compact_bytes

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

Path: TypeAlias = tuple[str | int, ...]

MAX_MISFITS = 10_000
"""Parts that are told apart; with more, nothing fits."""
MAX_REPETITIONS = 100_000_000
"""How often the schema may be applied to one place, over all levels of a value."""
MAX_REPAIRS = 50
"""Keywords of a schema that may be wrong."""
MAX_EXPLAINED = 40_000_000_000
"""Bytes of a value times bytes of its schema, up to which the parts that do not fit are told apart."""
MAX_DEPTH = 400
"""Levels that are checked; what is below does not fit."""
EVERYTHING: tuple[Path, ...] = ((),)
"""The answer where the whole does not fit, or cannot be checked."""

_MAX_WAYS = 10_000_000
_CONTAINERS = frozenset({dict, list})
_PLAIN = frozenset({dict, list, str, int, float, bool, type(None)})


def misfits(
    value: Json, schema: Json, unjudged: tuple[str, ...] = (), *, repetition: int = 1
) -> tuple[Path, ...]:
    """The parts of `value` that do not fit `schema`, each by its path; none where all fits.

    `unjudged`: pointers to subschemas that fit everything here, since whatever they are about is withheld anyway.
    `repetition`: how often the schema may be applied to one place, for each time that it is to the place above.
    A member that an object must have and lacks makes that object a misfit; one that it must not have is one itself.
    `format` is no constraint, nothing is fetched, an unknown `$schema` is read as 2020-12, a keyword with a value that
    it cannot have is none. Never raises: what cannot be checked does not fit.
    """
    try:
        depth, plain = _looked_through(value)
        if repetition**depth > MAX_REPETITIONS:
            return EVERYTHING
        raw = dump(schema)
        validator = _validator(raw, unjudged)
        deep = _ways(value) if depth > MAX_DEPTH else ()
        # Null stands for what is too deep, so that nothing else is.
        shallow = Copied(value)
        for path in deep:
            shallow.put(path, None)
        # The engine knows plain numbers alone; rounding them moves no value to another place.
        judged = shallow.value if plain else _plain(shallow.value)
        found = _found(validator, judged, len(raw))
        return tuple(dict.fromkeys((*found, *deep)))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - what a stranger's schema does to the engine has no closed list; a panic is no Exception
        return EVERYTHING


@lru_cache(maxsize=16)
def _validator(raw: bytes, unjudged: tuple[str, ...]) -> "Validator":
    from jsonschema_rs import (  # noqa: PLC0415 - a tenth of a second, for those alone who need it
        Draft4Validator,
        Draft6Validator,
        Draft7Validator,
        Draft201909Validator,
        Draft202012Validator,
        RegexOptions,
        ValidationError,
    )

    parsed = parse(raw)
    copied = Copied(parsed.value if isinstance(parsed, JsonText) else None)
    for pointer in sorted(unjudged, key=len, reverse=True):
        copied.put(split(pointer), True)
    if _names_a_key_twice(copied.value):
        raise ValueError("readers differ about what the schema says")
    schema = cast("dict[str, object] | bool", _plain(copied.value))
    known = {
        "http://json-schema.org/draft-04/schema": Draft4Validator,
        "http://json-schema.org/draft-06/schema": Draft6Validator,
        "http://json-schema.org/draft-07/schema": Draft7Validator,
        "https://json-schema.org/draft/2019-09/schema": Draft201909Validator,
    }
    named = schema.pop("$schema", "") if isinstance(schema, dict) else ""
    if not isinstance(named, str):
        raise TypeError("$schema")
    dialect = known.get(
        named.rstrip("#").replace("https://json-schema.org/draft-0", "http://json-schema.org/draft-0")
    )
    for _ in range(MAX_REPAIRS):
        try:
            return (dialect or Draft202012Validator)(
                schema, validate_formats=False, offline=True, pattern_options=RegexOptions()
            )
        except ValidationError as error:
            _repair(schema, error.instance_path)
    raise ValueError("too much of the schema cannot be applied")


def _names_a_key_twice(schema: Json) -> bool:
    stack = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, DuplicateKeys):
            return True
        stack.extend(item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
    return False


def _repair(schema: object, path: "list[str | int]") -> None:
    """Take a keyword that cannot be applied out of a schema: what it is about is judged by its marks all the same."""
    holder = schema
    for token in path[:-1]:
        holder = holder[token]  # type: ignore[index]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType]
    del holder[path[-1]]  # type: ignore[attr-defined]  # pyright: ignore[reportIndexIssue]


def _found(validator: "Validator", value: Json, schema_bytes: int) -> tuple[Path, ...]:
    if validator.is_valid(value):
        return ()
    # Each message of the engine holds the part that it is about.
    if compact_bytes(value) * schema_bytes > MAX_EXPLAINED:
        return EVERYTHING
    found: dict[Path, None] = {}
    for error in islice(validator.iter_errors(value), MAX_MISFITS + 1):
        found.update(dict.fromkeys(_parts(error)))
    return tuple(found) if 0 < len(found) <= MAX_MISFITS else EVERYTHING


def _looked_through(value: Json) -> tuple[int, bool]:
    """The levels of containers, one past MAX_DEPTH where there are more, and whether all is of Python's own types."""
    below = [value]
    kinds = {type(value)}
    for depth in range(1, MAX_DEPTH + 1):
        level, below = below, list[Json]()
        for item in level:
            inner = item.values() if type(item) is dict else item if type(item) is list else ()
            kinds.update(map(type, inner))
            below += [one for one in inner if type(one) in _CONTAINERS]
        if not below:
            return depth, kinds <= _PLAIN
    return MAX_DEPTH + 1, False


def _ways(value: Json) -> tuple[Path, ...]:
    """Where the containers stand that are too deep for the engine.

    Raises OverflowError where they are too many to tell apart.
    """
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
