"""Output schemas with marks anywhere, and values that mostly fit them."""

from functools import cache

from hypothesis import strategies as st

from inspector.boundary.notice import MEMBER
from inspector.boundary.walking import WITHHELD
from inspector.json.exact import Json, JsonObject

KEYS: tuple[str, ...] = ("a", "b", "s-1", "~/", "type", MEMBER)
DIALECTS = (
    None,
    None,
    None,
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-04/schema#",
)
TARGETS = (
    "#",
    "#/$defs/one",
    "#/$defs/two",
    "#/definitions/one",
    "#anchored",
    "#/$defs/one/items",
    "#/$defs/one/properties/a",
    "#/properties/a",
    "#/properties/~0~1",
    "#/x-own/shared",
    "#/oneOf/0",
    "#/%24defs/two",
)

leaves: st.SearchStrategy[Json] = st.sampled_from(
    ["x", "secret text", "another secret", WITHHELD, "secret_reference", "", 0, 5, 123_456, 1.5, True, None]
)
NO_MARK: list[JsonObject] = [{}]
MARKS: list[JsonObject] = [{"x-sensitive": True}, {"x-sensitive": False}, {"x_sensitive": True}]
marks = st.sampled_from([*NO_MARK * 5, *MARKS])
texts: st.SearchStrategy[JsonObject] = st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": ["string", "null", "object", "array"]},
        {"type": "integer", "minimum": 1},
        {"enum": ["x", 5, {"a": "x"}]},
        {"const": "x"},
        {"const": {"a": "x", "b": "x"}},
        {"pattern": "^[a-z ]+$"},
        {"maxLength": 5},
    ]
)


@cache
def values(depth: int = 3) -> st.SearchStrategy[Json]:
    """Any JSON with the keys that the schemas know."""
    if depth == 0:
        return leaves
    inner = values(depth - 1)
    return leaves | st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)


@cache
@st.composite
def fitting(draw: st.DrawFn, depth: int = 3, *, whole: bool = False) -> tuple[Json, Json]:
    """A schema, and a value that fits all parts that it names, but perhaps not its other constraints.

    `whole`: for a whole result, which is useless if all of it is marked.
    """
    kinds = ["leaf", "object", "object", "array", "any"] if depth else ["leaf"]
    kind = draw(st.sampled_from(["object"] * 5 + ["array"] if whole else kinds))
    if kind == "any":
        return draw(st.sampled_from([True, {}])), draw(values(2))
    if kind == "object":
        schema, value = draw(objects(depth))
    elif kind == "array":
        schema, value = draw(arrays(depth))
    else:
        value = draw(leaves)
        forms: list[JsonObject] = [
            {},
            {"type": ["string", "number", "boolean", "null"]},
            {"const": value},
        ]
        schema = draw(st.sampled_from(forms))
    mark: JsonObject = {} if whole else draw(marks)
    return {**schema, **mark, **draw(applied(schema, value, depth))}, value


@cache
@st.composite
def objects(draw: st.DrawFn, depth: int) -> tuple[JsonObject, Json]:
    """An object schema, and an object."""
    properties: JsonObject = {}
    members: JsonObject = {}
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=4, unique=True)):
        properties[key], members[key] = draw(fitting(depth - 1))
    schema: JsonObject = {"type": "object", draw(st.sampled_from(["properties"] * 4 + ["$defs"])): properties}
    if draw(st.booleans()):
        rest, value = draw(fitting(depth - 1))
        schema["additionalProperties"] = rest
        members["more"] = value
    elif "properties" in schema and draw(st.booleans()):
        schema["additionalProperties"] = False
    if draw(st.integers(0, 3)) == 0:
        rest, value = draw(fitting(depth - 1))
        schema["patternProperties"] = {draw(st.sampled_from(["^p", "^_|^p", "p$"])): rest}
        members["p"] = value
    schema |= draw(
        st.sampled_from(
            [
                {},
                {"required": list[Json](members)},
                {"minProperties": len(members), "maxProperties": len(members)},
                {"unevaluatedProperties": False},
                {"propertyNames": {"maxLength": 4}},
                {"propertyNames": {"x-sensitive": True}},
                {"dependentRequired": {"a": list[Json](members)}},
                {"dependencies": {"a": list[Json](members), MEMBER: {"required": ["a"]}}},
                {"dependentSchemas": {"a": {"required": list[Json](members)}, MEMBER: False}},
                {"if": {"required": ["a"]}, "then": {"maxProperties": 9}, "else": {"required": []}},
                {"if": {"required": ["a", "b"]}, "else": False, "then": {"required": ["a"]}},
                {"not": {"maxProperties": max(len(members) - 1, 0)}},
                {"oneOf": [{"required": list[Json](members)}, {"maxProperties": len(members) - 1}]}
                if members
                else {},
                {"anyOf": [{"required": list[Json](members)}, {"properties": {"b": {"x-sensitive": True}}}]},
            ]
        )
    )
    return schema, members


@cache
@st.composite
def arrays(draw: st.DrawFn, depth: int) -> tuple[JsonObject, Json]:
    """An array schema, and an array."""
    schema: JsonObject = {"type": "array"}
    items: list[Json] = []
    if draw(st.booleans()):
        pairs = draw(st.lists(fitting(depth - 1), min_size=1, max_size=2))
        schema[draw(st.sampled_from([*["prefixItems"] * 9, "items"]))] = [pair[0] for pair in pairs]
        items += [pair[1] for pair in pairs]
    if not isinstance(schema.get("items"), list):
        rest, value = draw(fitting(depth - 1))
        schema["items"] = rest
        items += [value] * draw(st.integers(0, 2))
    schema |= draw(
        st.sampled_from(
            [
                {},
                {"minItems": len(items), "maxItems": len(items)},
                {"uniqueItems": True},
                {"contains": {"type": ["string", "object", "number"]}, "minContains": min(len(items), 1)},
                {"contains": {"x-sensitive": True}},
                {"unevaluatedItems": False},
                {"not": {"maxItems": max(len(items) - 1, 0)}},
            ]
        )
    )
    return schema, items


@st.composite
def applied(draw: st.DrawFn, schema: JsonObject, value: Json, depth: int) -> JsonObject:
    """Further keywords that apply to the same place."""
    choice = draw(st.integers(0, 40))
    if choice == 0:
        return {"$ref": draw(st.sampled_from(TARGETS))}
    if choice in {1, 2, 3} and depth:
        return {
            draw(st.sampled_from(["allOf", "anyOf", "anyOf", "anyOf", "oneOf"])): draw(
                st.permutations([dict(schema), draw(texts)])
            )
        }
    if choice in {4, 5, 6}:
        return {"default": value, "examples": [value], "x-vendor": {"value": value}}
    if choice == 7:
        return {"$anchor": "anchored", "title": "t"}
    return {}


@st.composite
def documents(draw: st.DrawFn) -> tuple[Json, Json]:
    """A whole schema with definitions, and a value."""
    schema, value = draw(fitting(whole=True))
    if isinstance(schema, bool) or not isinstance(schema, dict):
        return schema, value
    one, _ = draw(fitting(2))
    two, other = draw(fitting(1))
    schema["definitions"] = {"one": two}
    own = schema.get("$defs")
    schema["$defs"] = {"one": one, "two": two, **(own if isinstance(own, dict) else {})}
    schema["x-own"] = {"shared": one}
    dialect = draw(st.sampled_from(DIALECTS))
    if dialect:
        schema["$schema"] = dialect
    return schema, draw(st.sampled_from([*[value] * 7, other]))
