"""Which scalars one schema object lets through by `type`, `enum` and `const`, each where it is there."""

from dataclasses import dataclass
from typing import TypeAlias

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number

Scalar: TypeAlias = bool | int | float | str | None
ScalarKey: TypeAlias = tuple[str, str | float | None]

SCALARS: frozenset[type] = frozenset({bool, int, float, Number, str, type(None)})
"""The exact types of all leaves."""

_EXACT: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
}
_NO_JSON = frozenset({"NaN", "Infinity", "-Infinity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The scalars that a schema object names. One with none of the three keywords names none."""

    types: frozenset[str] | None
    """None where there is no `type`."""
    values: frozenset[ScalarKey] | None
    """The scalars among `enum` and `const`; None where there is neither."""

    @property
    def names_any(self) -> bool:
        """Whether the position is typed at all."""
        return self.types is not None or self.values is not None

    @property
    def plain(self) -> frozenset[type]:
        """The exact types all of whose values are admitted, numbers of unusual spelling apart."""
        if self.types is None or self.values is not None:
            return frozenset()
        return frozenset(kind for name in self.types for kind in _EXACT.get(name, ()))

    def admits(self, value: Json) -> bool:
        """Whether `value` is among them; a container is not."""
        if not self.names_any or (isinstance(value, Number) and value.text in _NO_JSON):
            return False
        if isinstance(value, (dict, list, DuplicateKeys)):
            return False
        if self.types is not None and not any(_is(value, name) for name in self.types):
            return False
        return self.values is None or _key(value) in self.values


def admission_of(schema: JsonObject) -> Admission:
    """What `schema` itself says; its branches are schema objects of their own."""
    return Admission(types=_types(schema), values=_values(schema))


def _types(schema: JsonObject) -> frozenset[str] | None:
    match schema.get("type"):
        case None if "type" not in schema:
            return None
        case str() as name:
            return frozenset({name})
        case list() as names:
            return frozenset(name for name in names if isinstance(name, str))
        case _:
            return frozenset()


def _values(schema: JsonObject) -> frozenset[ScalarKey] | None:
    allowed: frozenset[ScalarKey] | None = None
    if "const" in schema:
        allowed = _keys([schema["const"]])
    if "enum" in schema:
        listed = schema["enum"]
        options = _keys(listed) if isinstance(listed, list) else frozenset[ScalarKey]()
        allowed = options if allowed is None else allowed & options
    return allowed


def _keys(values: list[Json]) -> frozenset[ScalarKey]:
    return frozenset(
        _key(value) for value in values if isinstance(value, (bool, int, float, str)) or value is None
    )


def _key(value: Scalar) -> ScalarKey:
    match value:
        case bool():
            return ("boolean", value)
        case Number() if value in _UNBOUNDED:
            return ("text", value.text)
        case int() | float():
            return ("number", value)
        case str():
            return ("string", value)
        case None:
            return ("null", None)


_UNBOUNDED = (float("inf"), float("-inf"))


def _is(value: Scalar, name: str) -> bool:
    match value:
        case bool():
            return name == "boolean"
        case int():
            return name in {"integer", "number"}
        case float():
            return name == "number" or (name == "integer" and value.is_integer())
        case str():
            return name == "string"
        case None:
            return name == "null"
