"""Finds the properties that a schema declares."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inspector.credentials.names import words_of
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.review.texts import MAX_POINTER

MAX_PROPERTIES = 2_000
"""The maximum number of properties per schema. Later ones are not checked one by one."""

_DATA = frozenset({"enum", "const", "default", "examples", "example", "required"})
_NAMED = frozenset({"$defs", "definitions", "patternProperties", "dependentSchemas"})


@dataclass(frozen=True, kw_only=True)
class Property:
    """A property that a schema declares."""

    name: str
    pointer: str
    """A pointer to the property's schema, from the root of the definition."""
    schema: JsonObject
    """The property's schema; empty if it is not an object."""
    required: bool

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words_of(self.name)

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types that the property's own schema names; empty if there are none."""
        types = self.schema.get("type")
        return frozenset(
            kind for kind in (types if isinstance(types, list) else [types]) if isinstance(kind, str)
        )

    @property
    def may_be_text(self) -> bool:
        """True if the property can contain text."""
        return not self.types or bool(self.types & {"string", "object", "array"})

    @property
    def description(self) -> str:
        text = self.schema.get("description")
        return text if isinstance(text, str) else ""


def properties_of(schema: Json, pointer: str) -> tuple[Property, ...]:
    """The properties in a schema, in document order.

    `pointer`: the pointer of the schema. References are not followed.
    """
    properties: list[Property] = []
    for each in _properties(schema, pointer):
        properties.append(each)
        if len(properties) == MAX_PROPERTIES:
            break
    return tuple(properties)


def _properties(schema: Json, pointer: str) -> Iterator[Property]:
    stack: list[tuple[Json, str]] = [(schema, pointer)]
    while stack:
        item, at = stack.pop()
        if len(at) > MAX_POINTER:
            continue
        below: list[tuple[Json, str]] = []
        if isinstance(item, list):
            below = [(member, child(at, index)) for index, member in enumerate(item)]
        elif isinstance(item, dict):
            for key, member in item.items():
                place = child(at, key)
                if key == "properties" and isinstance(member, dict):
                    for one in _own(member, place, item.get("required")):
                        yield one
                        below.append((one.schema, one.pointer))
                elif key in _NAMED and isinstance(member, dict):
                    below.extend((inner, child(place, name)) for name, inner in member.items())
                elif key not in _DATA and isinstance(member, (dict, list)):
                    below.append((member, place))
        stack.extend(reversed(below))


def _own(members: JsonObject, pointer: str, required: Json) -> Iterator[Property]:
    needed = set(map(str, required)) if isinstance(required, list) else set[str]()
    for name, schema in members.items():
        yield Property(
            name=name,
            pointer=child(pointer, name),
            schema=schema if isinstance(schema, dict) else {},
            required=name in needed,
        )
