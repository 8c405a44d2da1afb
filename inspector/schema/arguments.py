"""Arguments as a user writes them: one at a time as `k=v`, or all as JSON."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.json.exact import (
    Json,
    JsonObject,
    JsonText,
    Malformed,
    dump_text,
    equal,
    parse,
)
from inspector.schema.fields import Field, FieldKind, field_of, form_of
from inspector.schema.validation import faults_of

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SCALARS = frozenset(
    {FieldKind.STRING, FieldKind.INTEGER, FieldKind.NUMBER, FieldKind.BOOLEAN, FieldKind.CHOICE}
)
_QUOTED = 60
"""The maximum number of characters of the user's text that an error quotes."""


def coerce(text: str, declared: Json | Field, name: str = "") -> Json:
    """Convert `text` to the declared type.

    `declared`: a field, or a schema of the argument `name`. If a string is declared, the text stays as it is.
    A number keeps its digits as written. `null` becomes null if null is allowed. A list of scalars is written
    as JSON or with commas, and an object as JSON. A value that may have several types is written as JSON too.
    If one of the types is a string, a text that is not JSON of another of the types stays a string.

    Raises UsageError with the name, the expected type and the given text; a sensitive value is not repeated.
    """
    field = declared if isinstance(declared, Field) else field_of(declared, name)
    stripped = text.strip()
    if stripped == "null" and field.nullable:
        return None
    match field.kind:
        case FieldKind.STRING:
            return text
        case FieldKind.INTEGER if _INTEGER.fullmatch(stripped):
            return _parsed(stripped, field.name)
        case FieldKind.NUMBER if _NUMBER.fullmatch(stripped):
            return _parsed(stripped, field.name)
        case FieldKind.BOOLEAN if stripped.lower() in _BOOLEANS:
            return _BOOLEANS[stripped.lower()]
        case FieldKind.CHOICE:
            return _choice(field, text)
        case FieldKind.LIST:
            return _list(field, text)
        case FieldKind.OBJECT if stripped.startswith("{"):
            return _parsed(stripped, field.name)
        case FieldKind.JSON:
            return _text_or_json(field, text) if may_be_text(field) else _parsed(text, field.name)
        case _:
            return _refuse(field, text)


def assigned(assignments: Sequence[str], schema: Json) -> JsonObject:
    """Parse arguments in the form `k:=JSON` or `k=v`. The schema of `k` decides how `v` is read.

    `a.b=v` sets `b` in the object `a` if the schema has one; a declared key with a dot takes precedence.
    If an argument that may be a list is given several times, its items are joined. Values are read as in a
    form. If the schema declares no type, a value is text unless it is a JSON object or list, so that `1`
    stays text. Raises UsageError.
    """
    form = form_of(schema)
    arguments: JsonObject = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        is_json = name.endswith(":")
        name = name.removesuffix(":")
        if not equals or not name:
            raise UsageError(
                f"not an argument: {_cut(assignment)}", "Write k=v, or k:=JSON for anything but text."
            )
        target = _target(form.fields, name)
        try:
            value = _read(text, name, target.field, is_json=is_json)
        except UsageError as error:
            of_form = _form_hint(name, target.field) if target.field else ""
            error.hint = error.hint or of_form or (_JSON_TEXT if is_json else "")
            raise
        _place(arguments, name, target, value)
    return arguments


def _read(text: str, name: str, field: Field | None, *, is_json: bool) -> Json:
    """The value of an assignment. `field`: the declared field; None if there is none."""
    if is_json:
        return _parsed(text, name)
    if field is None or (may_be_text(field) and not field.types):
        return _open(text)
    return coerce(text, replace(field, name=name))


def assignments_for(paths: Iterable[Sequence[str]], schema: Json) -> Iterator[str]:
    """Assignments for the arguments at `paths`, with a placeholder for each value: `k=VALUE`, `k:={…}`.

    An object with required members gets an assignment for each of them. Paths that no assignment can set are
    left out, such as a path into a list. The names are untrusted text.
    """
    fields = form_of(schema).fields
    for path in paths:
        yield from _assignments(tuple(path), fields)


def _assignments(path: tuple[str, ...], fields: tuple[Field, ...]) -> Iterator[str]:
    name = ".".join(path)
    target = _target(fields, name)
    if target.path != path:
        return
    field = target.field
    required = [each.name for each in field.fields if each.required] if field else []
    if required:
        for member in required:
            yield from _assignments((*path, member), fields)
    else:
        yield name + _placeholder(field)


def _placeholder(field: Field | None) -> str:
    """What follows the name of an argument in an assignment: `=VALUE`, or `:=` and the beginning of its JSON."""
    match field:
        case Field(kind=FieldKind.OBJECT):
            return ":={…}"
        case Field(kind=FieldKind.LIST) if not splits_at_commas(field):
            return ":=[…]"
        case Field(kind=FieldKind.JSON) if not may_be_text(field):
            return ":=JSON"
        case _:
            return "=VALUE"


def _form_hint(name: str, field: Field) -> str:
    """A hint that shows how to write an object, or a list of anything but plain values; empty for others."""
    inner = field.fields or (field.item.fields if field.item else ())
    members = [each.name for each in inner if each.required] or [each.name for each in inner]
    member = _cut(members[0]) if members else "key"
    example = f"{{{dump_text(member)}: …}}"
    if field.kind is FieldKind.OBJECT:
        whole, one = shlex.quote(f"{name}:={example}"), shlex.quote(f"{name}.{member}=VALUE")
        return f"Write --arg {whole} or --arg {one}."
    if field.kind is FieldKind.LIST and not splits_at_commas(field):
        item = example if field.item and field.item.kind is FieldKind.OBJECT else "…"
        return f"Write --arg {shlex.quote(f'{name}:=[{item}]')}."
    return ""


def from_json(text: str) -> JsonObject:
    """Parse all arguments from one JSON object, exactly as written.

    Raises UsageError, with line and column if the text is not JSON. Duplicate keys and NaN are errors too.
    """
    value = _parsed(text, "")
    if not isinstance(value, dict):
        raise UsageError(f"expected a JSON object, got {_kind_of(value)}", _NO_ARGUMENTS)
    return value


_NO_ARGUMENTS = "Write {} for no arguments."
_EXPECTED = {
    FieldKind.STRING: "text",
    FieldKind.INTEGER: "an integer",
    FieldKind.NUMBER: "a number, such as 0.5",
    FieldKind.BOOLEAN: "true or false",
    FieldKind.LIST: "a JSON list",
    FieldKind.OBJECT: "a JSON object",
    FieldKind.JSON: "JSON",
}


class _Target(Struct, frozen=True, kw_only=True):
    """The argument that an assignment sets."""

    path: tuple[str, ...]
    field: Field | None
    """The declared field; None if nothing of that name is declared."""


def _target(fields: tuple[Field, ...], name: str) -> _Target:
    path: list[str] = []
    rest = name
    while True:
        declared = {field.name: field for field in fields}
        if rest in declared:
            return _Target(path=(*path, rest), field=declared[rest])
        above = [
            field
            for field in fields
            if (field.kind is FieldKind.OBJECT or "object" in field.types)
            and rest.startswith(f"{field.name}.")
            and len(rest) > len(field.name) + 1
        ]
        if not above:
            return _Target(path=(*path, rest), field=None)
        longest = max(above, key=lambda field: len(field.name))
        path.append(longest.name)
        rest = rest[len(longest.name) + 1 :]
        fields = longest.fields


def _place(arguments: JsonObject, name: str, target: _Target, value: Json) -> None:
    *above, last = target.path
    place = arguments
    for token in above:
        inner = place.setdefault(token, {})
        if not isinstance(inner, dict):
            raise UsageError(f"{_cut(name)}: {_cut(token)} was given a value that is not an object")
        place = inner
    if last not in place:
        place[last] = value
    elif target.field is not None and "array" in target.field.types:
        place[last] = [*_as_list(place[last]), *_as_list(value)]
    else:
        raise UsageError(f"{_cut(name)} is given twice", "Only lists can be given item by item.")


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def may_be_text(field: Field) -> bool:
    """True for a field of the kind JSON whose value may also be text."""
    return field.kind is FieldKind.JSON and (not field.types or "string" in field.types)


def splits_at_commas(field: Field) -> bool:
    """True for a list whose items can be written with commas between them."""
    item = field.item
    return field.kind is FieldKind.LIST and (item is None or item.kind in _SCALARS or may_be_text(item))


def _text_or_json(field: Field, text: str) -> Json:
    stripped = text.strip()
    begun = {"{": "object", "[": "array"}.get(stripped[:1])
    if begun and (not field.types or begun in field.types):
        return _parsed(stripped, field.name)
    parsed = parse(stripped)
    if not isinstance(parsed, JsonText) or faults_of(parsed.value, 1):
        return text
    match parsed.value:
        case str():
            fitting = {"string"}
        case bool():
            fitting = {"boolean"}
        case None | list() | dict():
            fitting = set[str]()
        case _:
            fitting = {"number", "integer"} if _INTEGER.fullmatch(stripped) else {"number"}
    return parsed.value if not field.types or not fitting.isdisjoint(field.types) else text


def _open(text: str) -> Json:
    """Read a text whose type is not declared: as JSON if it is an object or a list, otherwise as text."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return _parsed(text, "")
        except UsageError:
            return text
    return text


def _choice(field: Field, text: str) -> Json:
    stripped = text.strip()
    for candidate in (text, stripped):
        if candidate in [choice for choice in field.choices if isinstance(choice, str)]:
            return candidate
    parsed = parse(stripped)
    for choice in field.choices:
        if isinstance(parsed, JsonText) and equal(choice, parsed.value):
            return choice
    for choice, title in zip(field.choices, field.choice_titles, strict=False):
        if title == stripped:
            return choice
    return _refuse(field, text)


def _list(field: Field, text: str) -> Json:
    stripped = text.strip()
    if not stripped:
        return []
    if stripped.startswith("["):
        try:
            return _parsed(stripped, field.name)
        except UsageError as error:
            error.hint = _LIST if splits_at_commas(field) else ""
            raise
    if not splits_at_commas(field):
        _refuse(field, text)
    parts = [part.strip() for part in stripped.split(",")]
    if field.item is None:
        return list[Json](parts)
    item = field.item
    return [
        coerce(part, replace(item, name=f"{field.name}[{index}]", sensitive=field.sensitive))
        for index, part in enumerate(parts)
    ]


_JSON_TEXT = "A text after := needs double quotes, as in JSON; after = it needs none."
_LIST = 'Write a, b or, as JSON, ["a", "b"].'


def _parsed(text: str, name: str) -> Json:
    """Parse a text as JSON. Raises UsageError for anything that JSON does not allow."""
    prefix = f"{_cut(name)}: " if name else ""
    parsed = parse(text)
    if isinstance(parsed, Malformed):
        raise UsageError(f"{prefix}{_located(parsed.reason, text)}", "" if name else _NO_ARGUMENTS)
    for fault in faults_of(parsed.value, 1):
        where = f" (at {fault.pointer})" if fault.pointer else ""
        raise UsageError(f"{prefix}{_cut(fault.message)}{where}")
    return parsed.value


_CHARACTER = re.compile(r"(?:: line \d+ column \d+ \(char (\d+)\)| at character (\d+))$")


def _located(reason: str, text: str) -> str:
    """An error message of `parse` with line and column, both from 1, in place of the character's index."""
    found = _CHARACTER.search(reason)
    if not found:
        return reason
    before = text.removeprefix("\ufeff")[: int(found.group(1) or found.group(2))]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f"{reason[: found.start()]} (line {line}, column {column})"


def _refuse(field: Field, text: str) -> NoReturn:
    expected = _EXPECTED.get(field.kind) or f"one of {_cut(_listed(field.choices))}"
    given = "something else" if field.sensitive else f'"{_cut(text)}"'
    prefix = f"{_cut(field.name)}: " if field.name else ""
    close = "" if field.sensitive else _close_choice(field, text)
    raise UsageError(f"{prefix}expected {expected}, got {given}", f"Did you mean {close}?" if close else "")


def _close_choice(field: Field, text: str) -> str:
    """The choice that `text` probably means; empty if there is none."""
    plain = {_letters(choice): choice for choice in field.choices if isinstance(choice, str)}
    found = get_close_matches(_letters(_cut(text)), plain, n=1)
    return _cut(plain[found[0]]) if found else ""


def _letters(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text.strip().casefold())


def _listed(choices: tuple[Json, ...]) -> str:
    return ", ".join(choice if isinstance(choice, str) else dump_text(choice) for choice in choices[:20])


def _kind_of(value: Json) -> str:
    match value:
        case None:
            return "null"
        case list():
            return "a list"
        case str():
            return "a string"
        case bool():
            return "a boolean"
        case _:
            return "a number"


def _cut(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
