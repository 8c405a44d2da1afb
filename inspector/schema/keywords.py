"""The keywords of JSON Schema that are applied here and not by jsonschema, so that a stranger's schema does no harm.

Its own ones run patterns on a backtracking engine, compare floats, search lists for every member, and put whole
values into messages. Here patterns are linear, numbers exact, and the steps counted.
Source: JSON Schema 2020-12, 2019-09 and draft-07.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import islice
from operator import ge, gt, le, lt
from typing import Protocol, TypeAlias

from jsonschema.exceptions import ValidationError

from inspector.json.exact import Json, JsonObject, dump_text
from inspector.schema.effort import CHECKED_FORMATS, Effort, cut
from inspector.schema.exact import exact, is_multiple
from inspector.schema.key_pattern import Match
from inspector.schema.merging import number_of


class Judge(Protocol):
    """A validator of jsonschema, as far as keywords need it."""

    # The one attribute that jsonschema hands on from a schema to those inside it.
    format_checker: Effort
    _resolver: object

    def is_type(self, instance: Json, type: str) -> bool:  # noqa: A002 - jsonschema's name
        """Whether the instance is of the type."""
        ...

    def is_valid(self, instance: Json) -> bool:
        """Whether the instance fits."""
        ...

    def iter_errors(self, instance: Json) -> Iterator[ValidationError]:
        """What does not fit."""
        ...

    def evolve(self, *, schema: Json) -> "Judge":
        """The validator of a schema inside this one."""
        ...

    def descend(
        self,
        instance: Json,
        schema: Json,
        path: str | int | None = None,
        schema_path: str | int | None = None,
    ) -> Iterator[ValidationError]:
        """What does not fit a schema inside this one."""
        ...


Keyword: TypeAlias = Callable[[Judge, Json, Json, JsonObject], Iterable[ValidationError]]

_TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_CONTEXT = 20
"""Errors of one alternative that are looked at."""


def _type(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    listed = value if isinstance(value, list) else [value]
    names = [name for name in listed if isinstance(name, str) and name in _TYPES]
    if not any(judge.is_type(instance, name) for name in names):
        words = " or ".join(_TYPES[name] for name in names)
        yield ValidationError(f"must be {words}, not {judge.format_checker.told(instance)}")


def _enum(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if isinstance(value, list) and not judge.format_checker.among(instance, value):
        listed = ", ".join(dump_text(choice) for choice in value[:10])
        yield ValidationError(f"must be one of {cut(listed)}{_not(judge, instance)}")


def _const(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if not judge.format_checker.equals(instance, value):
        yield ValidationError(f"must be {cut(dump_text(value))}{_not(judge, instance)}")


def _bound(words: str, breaks: Callable[[Decimal, Decimal], bool], exclusive: str = "") -> Keyword:
    """A limit of a number; `exclusive` is the boolean keyword that draft-04 sharpens it with."""

    def bound(judge: Judge, value: Json, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
        given, asked = number_of(instance), number_of(value)
        if given is None or asked is None:
            return
        number, limit = exact(given), exact(asked)
        if number is None or limit is None:
            yield _unchecked("the number has too many digits to be compared")
        elif breaks(number, limit) or (exclusive and schema.get(exclusive) is True and number == limit):
            yield ValidationError(f"must be {words} {cut(dump_text(value))}{_not(judge, instance)}")

    return bound


def _multiple_of(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    given, asked = number_of(instance), number_of(value)
    if given is None or asked is None:
        return
    number, step = exact(given), exact(asked)
    if number is None or step is None or not step:
        yield _unchecked("the number has too many digits to be divided")
    elif not is_multiple(number, step):
        yield ValidationError(f"must be a multiple of {cut(dump_text(value))}{_not(judge, instance)}")


def _size(of: type, noun: str, word: str, breaks: Callable[[float, float], bool]) -> Keyword:
    """A limit of how many characters, items or members there are."""

    def size(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
        limit = number_of(value)
        if limit is None or not isinstance(instance, (str, list, dict)) or not isinstance(instance, of):
            return
        if breaks(len(instance), limit):
            plural = "" if limit == 1 else "s"
            has = judge.format_checker.count(len(instance))
            yield ValidationError(f"must have {word} {cut(dump_text(value))} {noun}{plural}{has}")

    return size


def _pattern(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or not isinstance(value, str):
        return
    found = judge.format_checker.matches(value, instance)
    if found is Match.UNKNOWN:
        yield _unchecked(f"the pattern {cut(value)} is beyond what can be matched safely")
    elif found is Match.NO:
        yield ValidationError(f"must match {cut(value)}{_not(judge, instance)}")


def _format(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or not isinstance(value, str) or value not in CHECKED_FORMATS:
        return
    if not judge.format_checker.has_format(value, instance):
        yield ValidationError(f"must have the format {value}{_not(judge, instance)}")


def _unique_items(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if value is not True or not isinstance(instance, list):
        return
    first: dict[str, int] = {}
    for index, item in enumerate(instance):
        earlier = first.setdefault(judge.format_checker.canonical(item), index)
        if earlier != index:
            yield ValidationError(f"must have no two items alike; {earlier} and {index} are")
            return


def _required(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if not isinstance(instance, dict) or not isinstance(value, list):
        return
    judge.format_checker.spend(len(value) // 10)
    for name in value:
        if isinstance(name, str) and name not in instance:
            yield ValidationError(f"lacks “{cut(name)}”, which is required")


def _dependent_required(
    judge: Judge, value: Json, instance: Json, _: JsonObject
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict) or not isinstance(value, dict):
        return
    for name in _shared(judge, value, instance):
        needed = value[name]
        for other in needed if isinstance(needed, list) else []:
            if isinstance(other, str) and other not in instance:
                yield ValidationError(f"lacks “{cut(other)}”, which “{cut(name)}” requires")


def _dependencies(judge: Judge, value: Json, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
    yield from _dependent_required(judge, value, instance, schema)
    if isinstance(instance, dict) and isinstance(value, dict):
        for name in _shared(judge, value, instance):
            if not isinstance(value[name], list):
                yield from judge.descend(instance, value[name], schema_path=name)


def _properties(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and isinstance(value, dict):
        for name in _shared(judge, value, instance):
            yield from judge.descend(instance[name], value[name], path=name, schema_path=name)


def _pattern_properties(
    judge: Judge, value: Json, instance: Json, _: JsonObject
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict) or not isinstance(value, dict):
        return
    for pattern, schema in value.items():
        for key, member in instance.items():
            match judge.format_checker.matches(pattern, key):
                case Match.YES:
                    yield from judge.descend(member, schema, path=key, schema_path=pattern)
                case Match.UNKNOWN:
                    yield _unchecked(f"the pattern {cut(pattern)} is beyond what can be matched safely", key)
                case Match.NO:
                    continue


def _additional_properties(
    judge: Judge, value: Json, instance: Json, schema: JsonObject
) -> Iterator[ValidationError]:
    if value is True or not isinstance(instance, dict):
        return
    known = keys_named(judge, instance, schema)
    for key in [key for key in instance if key not in known]:
        yield from _unnamed(judge, value, instance[key], key)


def _property_names(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    judge.format_checker.spend(len(instance) // 4)
    for key in instance:
        for error in judge.descend(key, value):
            shown = judge.format_checker.key(key)
            yield ValidationError(f"has {shown}, a key that {error.message}", path=error.path)


def _any_of(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    tried = _alternatives(judge, value, instance, enough=1)
    if tried and all(tried):
        yield _none_fits(tried)


def _one_of(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    tried = _alternatives(judge, value, instance, enough=2)
    if tried and all(tried):
        yield _none_fits(tried)
    elif tried.count([]) > 1:
        yield ValidationError("must fit exactly one of the alternatives, fits more")


def _not_keyword(judge: Judge, value: Json, instance: Json, _: JsonObject) -> Iterator[ValidationError]:
    if judge.evolve(schema=value).is_valid(instance):
        yield ValidationError("must not fit the schema under `not`")


def keys_named(judge: Judge, instance: JsonObject, schema: JsonObject) -> set[str]:
    """The keys that `properties` and `patternProperties` of this very schema speak of."""
    properties, patterns = schema.get("properties"), schema.get("patternProperties")
    known = set(_shared(judge, properties, instance)) if isinstance(properties, dict) else set[str]()
    for pattern in patterns if isinstance(patterns, dict) else ():
        known.update(key for key in instance if judge.format_checker.matches(pattern, key) is Match.YES)
    return known


def _unnamed(judge: Judge, value: Json, member: Json, key: str) -> Iterator[ValidationError]:
    if value is False:
        yield ValidationError("is not allowed: the schema names no such member", path=[key])
    else:
        yield from judge.descend(member, value, path=key)


def _shared(judge: Judge, named: Mapping[str, Json], instance: JsonObject) -> list[str]:
    """The keys that both have, at the cost of the smaller one."""
    smaller, larger = (named, instance) if len(named) <= len(instance) else (instance, named)
    judge.format_checker.spend(len(smaller) // 10)
    return [key for key in smaller if key in larger]


def _alternatives(judge: Judge, value: Json, instance: Json, enough: int) -> list[list[ValidationError]]:
    """What keeps the instance from fitting each alternative, until `enough` of them fit."""
    tried: list[list[ValidationError]] = []
    for index, schema in enumerate(value if isinstance(value, list) else []):
        errors = judge.descend(instance, schema, schema_path=index)
        tried.append(list(islice(errors, _CONTEXT)))
        if tried.count([]) == enough:
            break
    return tried


def _none_fits(tried: list[list[ValidationError]]) -> ValidationError:
    """The alternative that got furthest is most likely the one that was meant."""
    nearest = max((error for errors in tried for error in errors), key=lambda error: len(error.path))
    where = "".join(f"/{cut(str(token))}" for token in nearest.path)
    return ValidationError(
        f"fits none of {len(tried)} alternatives; the nearest one: {f'{where} ' if where else ''}{nearest.message}"
    )


def _not(judge: Judge, instance: Json) -> str:
    return f", not {judge.format_checker.told(instance)}"


def _unchecked(reason: str, key: str | None = None) -> ValidationError:
    return ValidationError(f"cannot be checked: {reason}", path=() if key is None else [key])


KEYWORDS: dict[str, Keyword] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound("at least", lt, "exclusiveMinimum"),
    "maximum": _bound("at most", gt, "exclusiveMaximum"),
    "exclusiveMinimum": _bound("more than", le),
    "exclusiveMaximum": _bound("less than", ge),
    "multipleOf": _multiple_of,
    "minLength": _size(str, "character", "at least", lt),
    "maxLength": _size(str, "character", "at most", gt),
    "minItems": _size(list, "item", "at least", lt),
    "maxItems": _size(list, "item", "at most", gt),
    "minProperties": _size(dict, "member", "at least", lt),
    "maxProperties": _size(dict, "member", "at most", gt),
    "pattern": _pattern,
    "format": _format,
    "uniqueItems": _unique_items,
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependencies": _dependencies,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not_keyword,
}
"""By name; each takes a validator, the keyword's value, the instance and the schema."""
