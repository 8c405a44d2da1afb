"""`unevaluatedProperties` and `unevaluatedItems`: what no other keyword has spoken of.

Source: JSON Schema 2020-12 and 2019-09. A reference is followed within the document only; what it says elsewhere
does not count, so that more is found unevaluated, never less.
"""

from collections.abc import Iterator

from jsonschema.exceptions import ValidationError

from inspector.json.exact import Json, JsonObject
from inspector.schema.keywords import Judge, Keyword, keys_named

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def _unevaluated_properties(
    judge: Judge, value: Json, instance: Json, schema: JsonObject
) -> Iterator[ValidationError]:
    if value is True or not isinstance(instance, dict):
        return
    known = _keys(judge, instance, schema)
    for key in [key for key in instance if key not in known]:
        if value is False:
            yield ValidationError("is not allowed: the schema names no such member", path=[key])
        else:
            yield from judge.descend(instance[key], value, path=key)


def _unevaluated_items(
    judge: Judge, value: Json, instance: Json, schema: JsonObject
) -> Iterator[ValidationError]:
    if value is True or not isinstance(instance, list):
        return
    known = _indexes(judge, instance, schema)
    for index, item in enumerate(instance):
        if index in known:
            continue
        if value is False:
            yield ValidationError("is not allowed: the schema names no such item", path=[index])
        else:
            yield from judge.descend(item, value, path=index)


def _keys(judge: Judge, instance: JsonObject, schema: JsonObject) -> set[str]:
    known: set[str] = set()
    for part in _in_place(judge, instance, schema):
        if "additionalProperties" in part or (part is not schema and "unevaluatedProperties" in part):
            return set(instance)
        known |= keys_named(judge, instance, part)
    return known


def _indexes(judge: Judge, instance: list[Json], schema: JsonObject) -> set[int]:
    known: set[int] = set()
    for part in _in_place(judge, instance, schema):
        items, prefix = part.get("items"), part.get("prefixItems")
        several = items if isinstance(items, list) else prefix if isinstance(prefix, list) else []
        rest = "additionalItems" in part if isinstance(items, list) else "items" in part
        if rest or (part is not schema and "unevaluatedItems" in part):
            return set(range(len(instance)))
        known |= set(range(len(several)))
        if "contains" in part:
            one = judge.evolve(schema=part["contains"])
            known |= {index for index, item in enumerate(instance) if one.is_valid(item)}
    return known


def _in_place(judge: Judge, instance: Json, schema: JsonObject) -> Iterator[JsonObject]:
    """`schema`, and all it applies to the same instance that the instance fits."""
    waiting: list[Json] = [schema]
    while waiting:
        part = waiting.pop()
        judge.format_checker.spend(1)
        if not isinstance(part, dict):
            continue
        yield part
        for keyword in _REFERENCES:
            place = judge.format_checker.follow(part[keyword], part) if keyword in part else None
            if place:
                waiting.append(place.value)
        waiting += _applied(judge, instance, part)


def _applied(judge: Judge, instance: Json, part: JsonObject) -> Iterator[Json]:
    every = part.get("allOf")
    yield from every if isinstance(every, list) else []
    for keyword in ("anyOf", "oneOf"):
        branches = part.get(keyword)
        for branch in branches if isinstance(branches, list) else []:
            judge.format_checker.spend(1)
            if judge.evolve(schema=branch).is_valid(instance):
                yield branch
    if "if" in part:
        fits = judge.evolve(schema=part["if"]).is_valid(instance)
        if fits:
            yield part["if"]
        yield part.get("then" if fits else "else")
    dependent = part.get("dependentSchemas")
    if isinstance(dependent, dict) and isinstance(instance, dict):
        judge.format_checker.spend(len(dependent) // 4)
        yield from (schema for key, schema in dependent.items() if key in instance)


UNEVALUATED: dict[str, Keyword] = {
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}
