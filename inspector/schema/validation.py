"""Validates a value against its schema, and says in plain words what does not fit.

jsonschema-rs finds the errors; `messages` has the words for them. jsonschema-rs creates all errors at once,
each with a copy of its part of the value, so errors are requested only for values of limited size.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump, parse
from inspector.json.pointer import child, join, resolve, split
from inspector.json.weight import compact_bytes
from inspector.safe_text import safe_line
from inspector.schema.engine import (
    MAX_DEPTH,
    MAX_REPETITIONS,
    engine_of,
    exact_for_engine,
    has_exact_number,
    levels_of,
)
from inspector.schema.narrowing import FaultyPart, faulty_parts

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator, ValidatorMap

MAX_ERRORS = 1_000_000
"""The maximum product of the sizes of value and schema, in JSON values, for which the engine lists its errors."""
MAX_COPIED = 2_000_000_000
"""The maximum number of bytes that the engine may copy into its errors."""
MAX_COMPARED = 20_000_000
"""The maximum number of comparisons of values with members of `enum`.

They are counted as the number of values in the checked value, times the number of members of all `enum`s
except those of only texts or only numbers.
"""
MAX_REPAIRS = 50
"""The maximum number of parts of one schema that are replaced because the engine cannot compile them."""
MAX_BACKTRACKED = 20_000
"""The maximum size of a value, in characters, for which patterns with look-around and back-references are tried."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REMEMBERED_BYTES = 100_000
"""The maximum size, in bytes, of a schema that is compiled once and then cached."""
_LONGEST = 400
_UNCHECKED_FORMATS = (
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "regex",
    "relative-json-pointer",
    "uri-template",
)
_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


class Violation(Struct, frozen=True, kw_only=True):
    """One violation of a schema, or a part that cannot be checked."""

    pointer: str
    """Pointer into the value. For a missing member, the place where it should be."""
    message: str
    """The violation in plain words, safe to show.

    Quotes at most 60 characters of the value, and nothing if the schema marks any part of it.
    """
    plain: str = ""
    """The message without any quotation of the value."""
    schema_pointer: str = ""
    """Pointer into the schema, to the keyword; empty if there is none."""
    keyword: str = ""
    """The violated keyword; empty for an invalid schema, a duplicate key, or a check that was given up."""
    is_unchecked: bool = False
    """True if this is no violation, and only says that a part could not be checked."""


class SchemaCheck(Struct, frozen=True, kw_only=True):
    """The outcome of checking a value against its schema."""

    violations: tuple[Violation, ...] = ()
    more: int = 0
    """The number of violations that are not listed."""
    unchecked: tuple[str, ...] = ()
    """The reasons why parts could not be checked, in sentences that quote nothing of the value."""


def violations(value: Json, schema: Json, *, limit: int = 50) -> tuple[Violation, ...]:
    """The first `limit` violations of `schema` in `value`. A schema of None allows everything.

    The dialect is that of `$schema`, or else 2020-12. Nothing is fetched. A part that cannot be checked is a
    violation too: an invalid schema, an unknown dialect or reference, duplicate keys, too many levels, or too
    much work. `format` is checked if the engine knows the format, except for those in `_UNCHECKED_FORMATS`.

    Never raises. Takes seconds at most, and should not run on the event loop.
    """
    return _judged(value, schema, max(1, limit))[0]


def schema_check(value: Json, schema: Json, *, limit: int = 50) -> SchemaCheck:
    """Check a value as `violations` does. Parts that could not be checked are listed separately."""
    found, more = _judged(value, schema, max(1, limit))
    return SchemaCheck(
        violations=tuple(one for one in found if not one.is_unchecked),
        more=more,
        unchecked=tuple(dict.fromkeys(one.plain for one in found if one.is_unchecked)),
    )


def faults_of(value: Json, limit: int, *, digits: bool = False) -> tuple[Violation, ...]:
    """The first `limit` faults in a parsed value that JSON does not allow, such as duplicate keys and NaN.

    `digits`: True to include numbers that the engine cannot compare.
    """
    found: list[Violation] = []
    stack: list[tuple[Json, _Way | None]] = [(value, None)]
    while stack and len(found) < limit:
        item, way = stack.pop()
        members: Iterable[tuple[str | int, Json]]
        match item:
            case dict():
                members = item.items()
            case list():
                members = enumerate(item)
            case DuplicateKeys():
                members = item.pairs
                key = item.repeated[0] if item.repeated else ""
                found.append(_fault(way, f"names a key twice: {key}", "names a key twice"))
            case Number() if item.text in _NO_NUMBERS:
                found.append(_fault(way, f"{item.text} is not a JSON number"))
                continue
            case Number() if digits and not has_exact_number(item.text):
                words = "cannot be checked: the number has too many digits"
                found.append(_fault(way, words, is_unchecked=True))
                continue
            case _:
                continue
        stack += [(member, _Way(way, token)) for token, member in members if type(member) not in _LEAVES]
    return tuple(found)


_LEAVES = frozenset({str, int, bool, float, type(None)})


@dataclass(frozen=True, slots=True)
class _Way:
    above: "_Way | None"
    token: str | int


def _fault(way: _Way | None, message: str, plain: str = "", *, is_unchecked: bool = False) -> Violation:
    tokens: list[str | int] = []
    while way:
        tokens.append(way.token)
        way = way.above
    return Violation(
        pointer=join(reversed(tokens)),
        message=_shown(message),
        plain=plain or message,
        is_unchecked=is_unchecked,
    )


def _judged(value: Json, schema: Json, limit: int) -> tuple[tuple[Violation, ...], int]:
    if schema is None:
        return (), 0
    found: list[Violation] = []
    try:
        depth, plain = levels_of(value)
        known = _compiled(schema, is_small=_is_little(value))
        if known.broken:
            return (_unchecked(known.broken),), 0
        found += () if plain else faults_of(value, limit, digits=True)
        if depth > MAX_DEPTH:
            return (*found, _unchecked(f"cannot be checked: it nests deeper than {MAX_DEPTH} levels")), 0
        if known.repetition**depth > MAX_REPETITIONS:
            return (*found, _unchecked("cannot be checked: the schema takes too many steps")), 0
        if known.choices and _count(value, MAX_COMPARED // known.choices) * known.choices > MAX_COMPARED:
            return (*found, _unchecked("cannot be checked: the schema lists too many values")), 0
        engine = known.engine()
        judged = value if plain else exact_for_engine(value)
        try:
            fits = engine.is_valid(judged)
        except UnicodeError:
            value = judged = _without_surrogates(judged)
            fits = engine.is_valid(judged)
        if fits:
            return tuple(found), 0
        faulty = [fault.pointer for fault in found]
        listed, count = _listed(value, judged, known, depth, limit)
        found += [one for one in listed if not _is_at(one.pointer, faulty)]
        return tuple(found[:limit]), max(0, count - len(listed)) + len(found[limit:])
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a schema of a server can make the engine fail in any way; a panic is not an Exception
        return (*found, _unchecked(f"cannot be checked: {_reason(error)}")), 0


def _for_engine(schema: Json) -> Json:
    exact = exact_for_engine(schema)
    # In raw JSON, a lone surrogate is written as it is, or escaped.
    raw = dump(exact if isinstance(schema, bool) else schema)
    return _without_surrogates(exact) if _HALVES.search(raw) else exact


def _without_surrogates(value: Json) -> Json:
    """The value with U+FFFD for each lone surrogate, which the engine does not accept."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {
                _SURROGATE.sub("\ufffd", key): _without_surrogates(member) for key, member in value.items()
            }
        case _:
            return value


_HALVES = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _is_at(pointer: str, faulty: list[str]) -> bool:
    return any(pointer == fault or pointer.startswith(f"{fault}/") for fault in faulty)


def _reason(error: BaseException) -> str:
    if isinstance(error, UnicodeError):
        return "it has a character that is not valid Unicode"
    return f"the engine gave up ({type(error).__name__})"


def _unchecked(reason: str) -> Violation:
    shown = _shown(reason)
    return Violation(pointer="", message=shown, plain=shown, is_unchecked=True)


def _listed(
    value: Json, judged: Json, known: "_Compiled", depth: int, limit: int
) -> tuple[list[Violation], int]:
    """The first `limit` violations, and the number of all. In a large value, some may not be found."""
    repetition = known.repetition**depth

    def is_small(part: Json) -> bool:
        most = MAX_ERRORS // (known.size * repetition)
        return _count(part, most) <= most and compact_bytes(part) * known.size * depth <= MAX_COPIED

    if is_small(judged):
        return _bounded(_violations(known.engine().iter_errors(judged), value, known), limit)
    validators = known.validators()
    parts = faulty_parts(judged, known.schema, validators, is_small, limit)
    return _bounded(_violations_of_parts(parts, value, validators, known), limit)


def _bounded(violations: Iterator[Violation], limit: int) -> tuple[list[Violation], int]:
    found: list[Violation] = []
    count = 0
    for violation in violations:
        count += 1
        if len(found) < limit:
            found.append(violation)
    return found, count


def _violations_of_parts(
    parts: Iterator[FaultyPart], value: Json, validators: "ValidatorMap", known: "_Compiled"
) -> Iterator[Violation]:
    for part in parts:
        pointer, key = join(part.path), f"#{part.schema_pointer}"
        if not part.is_small:
            words = "does not fit the schema; it is too large to locate the error"
            yield Violation(pointer=pointer, message=words, plain=words, keyword="schema")
            continue
        original = value
        for token in part.path:
            original = resolve(original, child("", token))
        for each in _violations(validators[key].iter_errors(part.value), original, known):
            yield replace(each, pointer=pointer + each.pointer)


def _count(value: Json, most: int) -> int:
    """The number of values in a value, including itself. Counting stops soon after `most`."""
    count, stack = 0, [value]
    while stack and count <= most:
        item = stack.pop()
        count += 1
        if isinstance(item, (dict, list)):
            count += sum(type(member) in _LEAVES for member in _members(item))
            stack += [member for member in _members(item) if type(member) not in _LEAVES]
    return count


def _is_little(value: Json) -> bool:
    """True if a value is small enough to try patterns with look-around on all its texts."""
    left, stack = MAX_BACKTRACKED, [value]
    while stack and left >= 0:
        item = stack.pop()
        left -= len(item) if isinstance(item, str) else 1
        if isinstance(item, dict):
            stack += (*item, *item.values())
        elif isinstance(item, list):
            stack += item
    return left >= 0


def _members(value: list[Json] | JsonObject) -> Iterable[Json]:
    return value.values() if isinstance(value, dict) else value


def _violations(errors: "Iterable[ValidationError]", value: Json, known: "_Compiled") -> Iterator[Violation]:
    from inspector.schema.messages import messages_of  # noqa: PLC0415 - few values do not fit

    for found in (found for error in errors for found in messages_of(error, value)):
        schema_pointer = join(found.schema_path)
        reason = known.notes.get(schema_pointer)
        if found.keyword == "pattern" and not found.words.startswith("must"):
            reason = "the pattern takes too many steps"
        if reason is not None:
            message = _shown(f"cannot be checked: {reason}")
            yield Violation(pointer=join(found.path), message=message, plain=message, is_unchecked=True)
            continue
        plain = _shown(f"{found.words}{found.kind}")
        yield Violation(
            pointer=join(found.path),
            message=plain if known.marks else _shown(f"{found.words}{found.given}"),
            plain=plain,
            schema_pointer=schema_pointer,
            keyword=found.keyword,
        )


def _shown(message: str) -> str:
    """A message that is cut and safe to show.

    Control and invisible characters in untrusted text are escaped here.
    """
    return safe_line(message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…")


class _Compiled(Struct, frozen=True, kw_only=True):
    """A schema, compiled once for many values."""

    validator: "Validator | None" = None
    schema: Json = None
    """The schema as the engine compiles it."""
    options: "dict[str, Any]" = field(default_factory=dict[str, "Any"])
    broken: str = ""
    """The reason why nothing can be checked; empty if the schema can be used."""
    notes: dict[str, str] = field(default_factory=dict[str, str])
    """The reasons why parts of the schema cannot be checked, by pointer.

    In `schema`, `false` or `not` replaces these parts.
    """
    dialect: str = ""
    """The `$schema`; empty if there is none."""
    size: int = 1
    """The number of values in the schema."""
    choices: int = 0
    """The number of members of all `enum`s of the schema, except those of only texts or only numbers.

    In those `enum`s, the engine looks a value up without comparing it with each member.
    """
    repetition: int = 1
    marks: bool = True
    """True if the schema marks anything as sensitive, write-only or a password, or cannot be read in part."""

    def engine(self) -> "Validator":
        if self.validator is None:
            raise TypeError(self.broken)
        return self.validator

    def validators(self) -> "ValidatorMap":
        """A validator for each part of the schema, by `#` and its pointer."""
        from jsonschema_rs import validator_map_for  # noqa: PLC0415 - for few values

        schema = _for_engine(self.schema)
        if isinstance(schema, dict) and self.dialect:
            schema = {"$schema": self.dialect, **schema}
        return validator_map_for(cast("dict[str, object] | bool", schema), **self.options)


def _compiled(schema: Json, *, is_small: bool) -> _Compiled:
    raw = dump(schema)
    return _remembered(raw, is_small) if len(raw) <= _REMEMBERED_BYTES else _compile(schema, is_small)


@lru_cache(maxsize=32)
def _remembered(raw: bytes, is_small: bool) -> _Compiled:  # noqa: FBT001 - part of a key
    parsed = parse(raw)
    return _compile(parsed.value if isinstance(parsed, JsonText) else None, is_small)


def _compile(schema: Json, is_small: bool) -> _Compiled:  # noqa: FBT001 - as above
    from inspector.schema.positions import positions_of  # noqa: PLC0415 - loads jsonschema_rs

    for fault in faults_of(schema, 1):
        return _broken(fault.pointer, fault.message)
    if not isinstance(schema, (dict, bool)):
        return _broken("", "it is neither an object nor a boolean")
    dialect = schema.get("$schema", _DIALECT) if isinstance(schema, dict) else _DIALECT
    engine = engine_of(dialect) if isinstance(dialect, str) else None
    if engine is None:
        shown = dialect if isinstance(dialect, str) else "something that is not text"
        return _broken("/$schema", f"its dialect is not known: {shown}")
    if levels_of(schema)[0] > MAX_DEPTH:
        return _broken("", "it nests too deeply")
    positions = positions_of(schema)
    repairs = _Repairs(schema, positions.faulty)
    validator = repairs.compiled(engine, is_small=is_small)
    if isinstance(validator, str):
        return _Compiled(broken=validator)
    return _Compiled(
        validator=validator,
        schema=repairs.schema,
        options=repairs.options,
        dialect=dialect
        if isinstance(schema, dict) and "$schema" in schema and isinstance(dialect, str)
        else "",
        notes=repairs.notes,
        size=_count(schema, _REMEMBERED_BYTES),
        choices=sum(map(_compared, _objects(schema))),
        repetition=positions.repetition,
        marks=positions.marks_any or any(map(_is_private, _objects(schema))),
    )


def _broken(pointer: str, reason: str) -> _Compiled:
    where = f" at {pointer}" if pointer else ""
    return _Compiled(broken=f"the schema is broken{where}: {reason}")


class _Repairs:
    """A schema in which `false` or `not` replaces parts that the engine cannot compile."""

    def __init__(self, schema: Json, faulty: tuple[str | None, ...]) -> None:
        self.notes: dict[str, str] = {}
        self.options: dict[str, Any] = {}
        self._original = schema
        self._faulty = tuple(pointer for pointer in faulty if pointer is not None)
        self._copied = Copied(schema)
        if isinstance(schema, dict) and "$schema" in schema:
            self._copied.drop(("$schema",), None)

    @property
    def schema(self) -> Json:
        return self._copied.value

    def compiled(self, engine: "type[Validator]", *, is_small: bool) -> "Validator | str":
        """The validator for the schema, or a sentence with the reason why the schema cannot be compiled."""
        from jsonschema_rs import FancyRegexOptions, RegexOptions, ValidationError  # noqa: PLC0415

        size = 1_000_000
        self.options = {
            "formats": dict.fromkeys(_UNCHECKED_FORMATS, _any_text),
            "validate_formats": True,
            "offline": True,
            "mask": "a value",
            "pattern_options": FancyRegexOptions(backtrack_limit=10_000, size_limit=size, dfa_size_limit=size)
            if is_small
            else RegexOptions(size_limit=size, dfa_size_limit=size),
        }
        failed: ValidationError | None = None
        for _ in range(MAX_REPAIRS):
            try:
                schema = cast("dict[str, object] | bool", _for_engine(self.schema))
                return engine(schema, **self.options)
            except ValidationError as error:
                failed = error
                if not self._repaired(error):
                    break
        return self._violations(failed)

    def _violations(self, error: "ValidationError | None") -> str:
        from inspector.schema.messages import messages_of  # noqa: PLC0415

        if error is None or type(error.kind).__name__ == "Referencing":
            return "the schema is broken: it refers to a schema that it does not contain"
        found = next(messages_of(error, self._original), None)
        path = found.path if found else ()
        where = f" at {join(path)}" if path else ""
        return f"the schema is broken{where}: {found.words if found else ''}{found.given if found else ''}"

    def _repaired(self, error: "ValidationError") -> bool:
        """Replace the part of the schema that an error is about. Returns False if it cannot be replaced."""
        name, path = type(error.kind).__name__, tuple(error.instance_path)
        if name == "Referencing":
            return self._without_references()
        if name != "Format" or len(path) < 1:
            return False
        if path[-1] == "pattern":
            return self._without_pattern(path[:-1], path, str(self._copied.at(path)), {"type": "string"})
        if len(path) > 1 and path[-2] == "patternProperties":
            objects: JsonObject = {"type": "object", "minProperties": 1}
            return self._without_pattern(path[:-2], path, str(path[-1]), objects)
        return False

    def _without_references(self) -> bool:
        pointers = [pointer for pointer in self._faulty if pointer not in self.notes]
        for pointer in sorted(pointers, key=len, reverse=True):
            part = resolve(self._original, pointer)
            reference = part.get("$ref") if isinstance(part, dict) else None
            self._copied.put(split(pointer), False)
            self.notes[pointer] = (
                f"the schema refers to {reference if isinstance(reference, str) else 'a part'}, which it does not contain"
            )
        return bool(pointers)

    def _without_pattern(
        self, holder: tuple[str | int, ...], path: tuple[str | int, ...], pattern: str, about: JsonObject
    ) -> bool:
        around = self._copied.at(holder)
        listed = around.get("allOf", []) if isinstance(around, dict) else None
        if not isinstance(listed, list):
            return False
        self._copied.drop(path, None)
        self._copied.put((*holder, "allOf"), [*listed, {"not": about}])
        where = child(child(child(join(holder), "allOf"), len(listed)), "not")
        self.notes[where] = f"the pattern {pattern[:60]} cannot be matched safely"
        return True


def _any_text(_: str) -> bool:
    return True


def _objects(schema: Json) -> Iterator[JsonObject]:
    stack: list[Json] = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack += item.values()
        elif isinstance(item, list):
            stack += item


def _is_private(schema: JsonObject) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"


def _compared(schema: JsonObject) -> int:
    listed = schema.get("enum")
    if not isinstance(listed, list):
        return 0
    are_texts = all(isinstance(item, str) for item in listed)
    are_numbers = all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in listed)
    return 0 if are_texts or are_numbers else len(listed)
