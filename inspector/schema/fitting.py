"""Finds the parts of an output that do not fit its schema, for the boundary, which withholds them.

`validation` does the same for people, in words. Here a keyword that cannot be applied is left out, formats
are ignored, and a value that cannot be checked does not fit.
"""

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json, JsonText, dump, parse
from inspector.json.pointer import split
from inspector.json.weight import compact_bytes
from inspector.schema.engine import MAX_DEPTH, MAX_REPETITIONS, engine_of, exact_for_engine, levels_of

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

Path: TypeAlias = tuple[str | int, ...]

MAX_MISFITS = 10_000
"""The maximum number of parts that are reported. If more do not fit, the whole value does not fit."""
MAX_REPAIRS = 50
"""The maximum number of invalid keywords that are removed from a schema."""
MAX_EXPLAINED = 40_000_000_000
"""The maximum product of the sizes of value and schema, in bytes, for which misfits are located."""
EVERYTHING: tuple[Path, ...] = ((),)
"""The paths that `misfits` returns if the value as a whole does not fit, or cannot be checked: its root."""

_MAX_WAYS = 10_000_000


def misfits(
    value: Json, schema: Json, unjudged: tuple[str, ...] = (), *, repetition: int = 1
) -> tuple[Path, ...]:
    """The paths to the parts of `value` that do not fit `schema`; empty if all fits.

    `unjudged`: pointers to subschemas that count as fitting, because the values that they describe are
    withheld anyway. `repetition`: as `SchemaPositions.repetition`. To a part at depth d, a schema object is
    applied up to `repetition`**d times.

    If a required member is missing, the whole object does not fit. If a member is not allowed, only that
    member does not fit. `format` is ignored, nothing is fetched, an unknown `$schema` is read as 2020-12, and
    a keyword with an invalid value is ignored. Never raises: a value that cannot be checked does not fit.
    """
    try:
        depth, plain = levels_of(value)
        if repetition**depth > MAX_REPETITIONS:
            return EVERYTHING
        raw = dump(schema)
        validator = _validator(raw, unjudged)
        deep = _ways(value) if depth > MAX_DEPTH else ()
        # Null replaces the parts that are too deep, so that the others can be checked.
        shallow = Copied(value)
        for path in deep:
            shallow.put(path, None)
        judged = shallow.value if plain else exact_for_engine(shallow.value)
        found = _found(validator, judged, len(raw))
        return tuple(dict.fromkeys((*found, *deep)))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - a schema of a server can make the engine fail in any way; a panic is not an Exception
        return EVERYTHING


@lru_cache(maxsize=16)
def _validator(raw: bytes, unjudged: tuple[str, ...]) -> "Validator":
    from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError  # noqa: PLC0415 - the import takes a tenth of a second

    parsed = parse(raw)
    copied = Copied(parsed.value if isinstance(parsed, JsonText) else None)
    for pointer in sorted(unjudged, key=len, reverse=True):
        copied.put(split(pointer), True)
    if _names_a_key_twice(copied.value):
        raise ValueError("readers differ about what the schema says")
    schema = cast("dict[str, object] | bool", exact_for_engine(copied.value))
    named = schema.pop("$schema", "") if isinstance(schema, dict) else ""
    if not isinstance(named, str):
        raise TypeError("$schema")
    dialect = engine_of(named) or Draft202012Validator
    for _ in range(MAX_REPAIRS):
        try:
            return dialect(schema, validate_formats=False, offline=True, pattern_options=RegexOptions())
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
    """Remove from `schema` the keyword at `path`, because the engine cannot apply it.

    Sensitivity marks inside the keyword still count, because they are read from the original schema.
    """
    holder = schema
    for token in path[:-1]:
        holder = holder[token]  # type: ignore[index]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType]
    del holder[path[-1]]  # type: ignore[attr-defined]  # pyright: ignore[reportIndexIssue]


def _found(validator: "Validator", value: Json, schema_bytes: int) -> tuple[Path, ...]:
    if validator.is_valid(value):
        return ()
    # Each error of the engine holds a copy of the part that it is about, so many errors take much memory.
    if compact_bytes(value) * schema_bytes > MAX_EXPLAINED:
        return EVERYTHING
    found: dict[Path, None] = {}
    for error in islice(validator.iter_errors(value), MAX_MISFITS + 1):
        found.update(dict.fromkeys(_parts(error)))
    return tuple(found) if 0 < len(found) <= MAX_MISFITS else EVERYTHING


def _ways(value: Json) -> tuple[Path, ...]:
    """The paths to containers that are too deep for the engine. Raises OverflowError if there are too many."""
    level: list[tuple[Path, Json]] = [((), value)]
    for _ in range(MAX_DEPTH):
        level = [((*path, token), inner) for path, item in level for token, inner in _members(item)]
        if len(level) * MAX_DEPTH > _MAX_WAYS:
            raise OverflowError
    return tuple(path for path, _ in level)


def _members(value: Json) -> list[tuple[str | int, Json]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(token, inner) for token, inner in pairs if isinstance(inner, (dict, list))]


def _parts(error: "ValidationError") -> list[Path]:
    path = tuple(error.instance_path)
    if error.kind.name in {"additionalProperties", "unevaluatedProperties"}:
        unexpected: list[str] = error.kind.as_dict().get("unexpected", [])
        return [(*path, key) for key in unexpected] or [path]
    return [path]
