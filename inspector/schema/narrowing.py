"""Locates the errors in a large value.

It follows properties and items down to parts that are small enough for the engine to explain.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child, join, resolve
from inspector.schema.references import References

if TYPE_CHECKING:
    from jsonschema_rs import ValidatorMap

MAX_STEPS = 10_000
"""The number of faulty parts found after which no more are searched for inside a faulty part."""


class FaultyPart(Struct, frozen=True, kw_only=True):
    """A part of a value that does not fit the schema that applies to it."""

    path: tuple[str | int, ...]
    value: Json
    schema_pointer: str
    is_small: bool
    """True if the part is small enough to be explained. If not, no faulty part was found inside it."""


def faulty_parts(
    value: Json, schema: Json, validators: "ValidatorMap", is_small: Callable[[Json], bool], limit: int
) -> Iterator[FaultyPart]:
    """The parts of an invalid value that do not fit, at most `limit`.

    Some parts may be missed, but at least one part is found.
    """
    references = References(schema)
    waiting = [FaultyPart(path=(), value=value, schema_pointer="", is_small=is_small(value))]
    seen: set[tuple[tuple[str | int, ...], str]] = set()
    found = 0
    while waiting and found < limit:
        part = waiting.pop(0)
        below: list[FaultyPart] = []
        if not part.is_small and len(seen) < MAX_STEPS:
            for path, inner, pointer in _below(part, schema, references):
                key = f"#{pointer}"
                if (path, pointer) in seen or key not in validators or validators[key].is_valid(inner):
                    continue
                seen.add((path, pointer))
                below.append(
                    FaultyPart(path=path, value=inner, schema_pointer=pointer, is_small=is_small(inner))
                )
                if len(below) + found >= limit:
                    break
        waiting += below
        if not below:
            found += 1
            yield part


def _below(
    part: FaultyPart, schema: Json, references: References
) -> Iterator[tuple[tuple[str | int, ...], Json, str]]:
    """The path, the value and the pointer to the schema of each part that must fit for `part` to fit."""
    pointer, path, value = part.schema_pointer, part.path, part.value
    here = resolve(schema, pointer)
    if not isinstance(here, dict):
        return
    place = references.resolve(here.get("$ref"))
    if place and not place.embedded:
        yield path, value, join(place.tokens)
    every = here.get("allOf")
    for index in range(len(every)) if isinstance(every, list) else ():
        yield path, value, child(child(pointer, "allOf"), index)
    for keyword in ("anyOf", "oneOf"):
        possible = _possible(here.get(keyword), value, references)
        if len(possible) == 1:
            yield path, value, child(child(pointer, keyword), possible[0])
    properties, additional = here.get("properties"), here.get("additionalProperties")
    named = properties if isinstance(properties, dict) else {}
    if isinstance(value, dict):
        for key, member in value.items():
            if key in named:
                yield (*path, key), member, child(child(pointer, "properties"), key)
            elif isinstance(additional, dict) and "patternProperties" not in here:
                yield (*path, key), member, child(pointer, "additionalProperties")
    elif isinstance(value, list):
        yield from _items(value, here, path, pointer)


def _items(
    value: list[Json], here: JsonObject, path: tuple[str | int, ...], pointer: str
) -> Iterator[tuple[tuple[str | int, ...], Json, str]]:
    if isinstance(here.get("items"), dict) and "prefixItems" not in here:
        for index, item in enumerate(value):
            yield (*path, index), item, child(pointer, "items")


def _possible(branches: Json, value: Json, references: References) -> list[int]:
    """The indices of the alternatives that allow the type of `value`, as far as they declare a type."""
    kind = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else ""
    found: list[int] = []
    for index, branch in enumerate(branches if isinstance(branches, list) else []):
        place = references.resolve(branch.get("$ref")) if isinstance(branch, dict) else None
        meant = place.value if place else branch
        types = meant.get("type", kind) if isinstance(meant, dict) else kind
        if kind == types or (isinstance(types, list) and kind in types):
            found.append(index)
    return found
