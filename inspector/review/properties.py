"""The properties that a schema names, and the words that their names are made of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.review.texts import MAX_POINTER

MAX_PROPERTIES = 2_000
"""In one schema; those behind them are not looked at one by one."""

_DATA = frozenset({"enum", "const", "default", "examples", "example", "required"})
_NAMED = frozenset({"$defs", "definitions", "patternProperties", "dependentSchemas"})
_WORD = re.compile(r"[A-Z]{2,500}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[^\W_a-zA-Z]+")


@dataclass(frozen=True, kw_only=True)
class Property:
    """One property."""

    name: str
    pointer: str
    """Of its schema, from the root of the definition."""
    schema: JsonObject
    """Empty where its schema is none."""
    required: bool

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return words_of(self.name)

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types that its schema allows by itself; empty where it does not say."""
        said = self.schema.get("type")
        return frozenset(
            kind for kind in (said if isinstance(said, list) else [said]) if isinstance(kind, str)
        )

    @property
    def may_be_text(self) -> bool:
        """Whether it can hold a text, or things that do."""
        return not self.types or bool(self.types & {"string", "object", "array"})

    @property
    def description(self) -> str:
        """Its description, empty where it has none."""
        said = self.schema.get("description")
        return said if isinstance(said, str) else ""


@lru_cache(maxsize=16_384)
def words_of(name: str) -> tuple[str, ...]:
    """A name as its words, in lower case: `getAPIKey_v2` is get, api, key, v, 2. Of long ones the first 500 characters."""
    return tuple(word.lower() for word in _WORD.findall(name[:500]))


def properties_of(schema: Json, pointer: str) -> tuple[Property, ...]:
    """The properties in `schema`, which stands at `pointer`, in document order. References are not followed."""
    found: list[Property] = []
    for each in _properties(schema, pointer):
        found.append(each)
        if len(found) == MAX_PROPERTIES:
            break
    return tuple(found)


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
