"""Merges the schemas that apply to one value into one schema object, as far as input forms need it.

It merges what `$ref` and `allOf` refer to, and alternatives that consist of one schema and null.

A schema that cannot be merged becomes a field for JSON; validation, not the form, decides what is allowed.
"""

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.schema.references import References

MAX_PARTS = 100
"""The maximum number of schema objects merged into one. If there are more, `Merged.problem` says so."""

_TYPES = frozenset({"null", "boolean", "object", "array", "number", "integer", "string"})
_LOWER_BOUNDS = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER_BOUNDS = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


class Merged(Struct, frozen=True, kw_only=True):
    """One schema object for one value, merged from all schemas that apply to the value."""

    keywords: JsonObject
    types: tuple[str, ...]
    """The JSON types that are allowed; empty if the schema does not say."""
    nullable: bool
    """True if null is allowed in addition to the values that the keywords allow."""
    references: frozenset[str]
    """The references that were followed, including those of the containers above."""
    problem: str = ""
    """The reason why a part could not be merged; empty if all was merged."""

    @property
    def concrete_types(self) -> tuple[str, ...]:
        """The types except `null`."""
        return tuple(name for name in self.types if name != "null")


def merge(schema: Json, references: References, above: frozenset[str] = frozenset()) -> Merged:
    """Merge `schema` with all schemas that it refers to. Never raises.

    `above`: the references followed to reach `schema`. A reference among them would lead into a cycle, so it
    is not followed.
    """
    merging = _Merging(references, above)
    merging.add(schema)
    # An optional value is often written as an alternative of the value and null.
    for keyword in ("anyOf", "oneOf"):
        branches = merging.keywords.get(keyword)
        if not isinstance(branches, list):
            continue
        values = [branch for branch in branches if not _is_null(branch)]
        if len(values) == 1 and len(values) < len(branches):
            del merging.keywords[keyword]
            merging.add(values[0])
            merging.nullable = True
        elif "type" not in merging.keywords:
            merging.allow(branches)
    return merging.merged()


class _Merging:
    def __init__(self, references: References, above: frozenset[str]) -> None:
        self.keywords: JsonObject = {}
        self.nullable = False
        self._references = references
        self._above = above
        self._followed: set[str] = set()
        self._types: tuple[str, ...] | None = None
        self._problem = ""

    def add(self, schema: Json) -> None:
        """Add a schema and those that it refers to.

        Types and bounds are narrowed. `properties` and `required` are united. `additionalProperties` becomes
        false if any schema says so. For any other keyword, the value of the earlier schema is kept.
        """
        parts: list[Json] = [schema]
        taken = 0
        while parts:
            part = parts.pop(0)
            taken += 1
            if taken > MAX_PARTS:
                self._fail("its schema has too many parts for a form")
                return
            match part:
                case True:
                    continue
                case dict():
                    self._take(part)
                    parts += self._further(part)
                case DuplicateKeys():
                    self._fail("its schema names a key twice")
                case False:
                    self._fail("its schema allows no value")
                case _:
                    self._fail("its schema is neither an object nor a boolean")

    def _further(self, part: JsonObject) -> list[Json]:
        further: list[Json] = []
        reference = part.get("$ref")
        if isinstance(reference, str):
            if reference in self._above:
                self._fail("its schema refers to itself")
            elif reference not in self._followed:
                further = self._followed_to(reference)
        every = part.get("allOf")
        if isinstance(every, list):
            further += every
        return further

    def _followed_to(self, reference: str) -> list[Json]:
        place = self._references.resolve(reference)
        if place is None or place.embedded:
            self._fail("its schema refers to a schema that is not in the definition")
            return []
        self._followed.add(reference)
        return [place.value]

    def _take(self, part: JsonObject) -> None:
        for keyword, value in part.items():
            own = self.keywords.get(keyword)
            if keyword == "type":
                self._narrow(value)
            elif keyword not in self.keywords:
                self.keywords[keyword] = value
            elif isinstance(own, dict) and isinstance(value, dict) and keyword == "properties":
                both: JsonObject = {
                    name: {"allOf": [own[name], value[name]]} for name in own if name in value
                }
                self.keywords[keyword] = {**own, **value, **both}
            elif isinstance(own, list) and isinstance(value, list) and keyword == "required":
                self.keywords[keyword] = own + value
            elif keyword in _LOWER_BOUNDS | _UPPER_BOUNDS:
                self._tighten(keyword, value)
            elif keyword == "additionalProperties" and value is False:
                self.keywords[keyword] = False

    def _tighten(self, keyword: str, value: Json) -> None:
        own, other = number_of(self.keywords[keyword]), number_of(value)
        if own is not None and other is not None:
            self.keywords[keyword] = (max if keyword in _LOWER_BOUNDS else min)(own, other)

    def _narrow(self, declared: Json) -> None:
        names = [declared] if isinstance(declared, str) else declared
        if not isinstance(names, list) or not all(isinstance(name, str) and name in _TYPES for name in names):
            self._fail("its schema has an unknown type")
            return
        types = tuple(name for name in names if isinstance(name, str))
        if self._types is not None:
            kept = tuple(name for name in self._types if name in types)
            numeric = [{"integer", "number"} & set(each) for each in (self._types, types)]
            # Every integer is a number.
            if "integer" not in kept and all(numeric) and {"integer"} in numeric:
                kept = (*kept, "integer")
            types = kept
        self._types = types
        self.keywords["type"] = list(types)

    def allow(self, branches: list[Json]) -> None:
        """Allow all types that the branches declare. If a branch declares none, the types stay unknown."""
        found: dict[str, None] = {}
        for branch in branches[:MAX_PARTS]:
            declared = branch.get("type") if isinstance(branch, dict) else None
            names = declared if isinstance(declared, list) else [declared]
            for name in names:
                if not isinstance(name, str) or name not in _TYPES:
                    return
                found[name] = None
        if len(branches) <= MAX_PARTS:
            self._types = tuple(found)

    def _fail(self, problem: str) -> None:
        self._problem = self._problem or problem

    def merged(self) -> Merged:
        return Merged(
            keywords=self.keywords,
            types=self._types or (),
            nullable=self.nullable or "null" in (self._types or ()),
            references=self._above | self._followed,
            problem=self._problem,
        )


def _is_null(schema: Json) -> bool:
    if not isinstance(schema, dict):
        return False
    return schema.get("type") == "null" or ("const" in schema and schema["const"] is None)


def number_of(value: Json) -> float | None:
    """`value` if it is a number that JSON allows; None for others, also for booleans and NaN."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return None if isinstance(value, Number) and value.text in _NO_NUMBERS else value


_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})
