"""The places of an output schema that mark a value as sensitive, and places that only look like marks."""

import pytest

from inspector.claims.claim import Claim
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import traits
from inspector.claims.vocabularies.sensitive_outputs import POINTER_LENGTH
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.schema.positions import positions_of

MARKED: Json = {"type": "string", "x-sensitive": True}


def marks(schema: Json) -> tuple[Claim, ...]:
    claims = claims_of_tool(
        Tool(name="a", definition={"name": "a", "inputSchema": MARKED, "outputSchema": schema})
    )
    assert all((claim.vocabulary, claim.key) == ("webmcp-110", "x-sensitive") for claim in claims)
    return claims


@pytest.mark.parametrize(
    ("schema", "position"),
    [
        (MARKED, ""),
        ({"properties": {"a": MARKED}}, "/properties/a"),
        ({"properties": {"x-sensitive": MARKED}}, "/properties/x-sensitive"),
        ({"properties": {"a/b~": MARKED}}, "/properties/a~1b~0"),
        ({"properties": {"default": MARKED}}, "/properties/default"),
        ({"properties": {"properties": MARKED}}, "/properties/properties"),
        (
            {"properties": {"properties": {"properties": {"a": MARKED}}}},
            "/properties/properties/properties/a",
        ),
        ({"patternProperties": {"^k": MARKED}}, "/patternProperties/^k"),
        ({"$defs": {"enum": MARKED}}, "/$defs/enum"),
        ({"definitions": {"a": MARKED}}, "/definitions/a"),
        ({"dependentSchemas": {"a": MARKED}}, "/dependentSchemas/a"),
        ({"dependencies": {"b": ["c"], "a": MARKED}}, "/dependencies/a"),
        ({"additionalProperties": MARKED}, "/additionalProperties"),
        ({"propertyNames": MARKED}, "/propertyNames"),
        ({"items": MARKED}, "/items"),
        ({"items": [True, MARKED]}, "/items/1"),
        ({"prefixItems": [MARKED]}, "/prefixItems/0"),
        ({"anyOf": [{"not": MARKED}]}, "/anyOf/0/not"),
        ({"if": {}, "then": MARKED}, "/then"),
        ({"unevaluatedItems": MARKED}, "/unevaluatedItems"),
        ({"components": {"schemas": {"a": MARKED}}}, "/components/schemas/a"),
        ([MARKED], "/0"),
    ],
)
def test_a_mark_is_found_at_every_place_of_a_subschema(schema: Json, position: str) -> None:
    (claim,) = marks(schema)
    assert claim.pointer == f"/outputSchema{position}/x-sensitive"
    assert claim.well_formed
    assert traits([claim]).sensitive_positions.value == (position,)


@pytest.mark.parametrize(
    "schema",
    [
        True,
        "x-sensitive",
        {"properties": {"x-sensitive": {"type": "boolean"}}},
        {"properties": {"x-sensitive": True, "x_sensitive": False}},
        {"$defs": {"xSensitive": {}}},
        {"enum": [MARKED]},
        {"const": MARKED},
        {"default": MARKED},
        {"examples": [MARKED]},
        {"properties": {"a": {"default": {"b": MARKED}}}},
        {"required": ["x-sensitive"]},
        {"title": "x-sensitive"},
    ],
)
def test_names_and_data_in_a_schema_are_not_marks(schema: Json) -> None:
    assert marks(schema) == ()


@pytest.mark.parametrize(
    "key",
    [
        "xSensitive",
        "x_sensitive",
        "X-Sensitive",
        "x-Sensitive",
        "XSENSITIVE",
        "x.sensitive",
        "x-sen-sitive",
        " x-sensitive",
        "x\u2003sensitive",
    ],
)
@pytest.mark.parametrize("value", [True, False, "yes"])
def test_a_misspelt_mark_is_malformed_but_still_marks(key: str, value: Json) -> None:
    (claim,) = marks({"properties": {"a": {key: value}}})
    assert (claim.key, claim.pointer, claim.well_formed) == (
        "x-sensitive",
        f"/outputSchema/properties/a/{key}",
        False,
    )
    assert "misspelt" in claim.problem
    if value is not False:
        schema: JsonObject = {"properties": {"a": {key: value}}}
        assert positions_of(schema).start().step("a").sensitive, "the boundary reads the same mark"
    assert traits([claim]).sensitive_positions.value == ("/properties/a",)


@pytest.mark.parametrize(
    "key", ["sensitive", "x-sensitiveness", "xx-sensitive", "x-\u017fensitive", "x-sensitiveHint"]
)
def test_other_similar_keys_are_not_taken_for_a_mark(key: str) -> None:
    assert marks({"properties": {"a": {key: True}}}) == ()


@pytest.mark.parametrize("value", ["yes", 1, None, [], {}, ["a"], {"a": MARKED}])
def test_a_mark_that_is_not_a_boolean_is_malformed_but_still_marks(value: Json) -> None:
    (claim,) = marks({"properties": {"a": {"x-sensitive": value}}})
    assert claim.problem == "is not a boolean"
    assert traits([claim]).sensitive_positions.value == ("/properties/a",)


def test_a_mark_that_is_false_marks_nothing() -> None:
    (claim,) = marks({"x-sensitive": False})
    assert claim.well_formed
    positions = traits([claim]).sensitive_positions
    assert (positions.value, positions.defaulted, positions.claims_for) == ((), False, (claim,))


def test_a_duplicate_mark_marks_whatever_its_values_are() -> None:
    schema: Json = {"properties": {"a": DuplicateKeys((("x-sensitive", False), ("x-sensitive", False)))}}
    claims = marks(schema)
    assert [claim.well_formed for claim in claims] == [False, False]
    assert traits(claims).sensitive_positions.value == ("/properties/a",)


def test_marks_are_in_the_order_of_the_wire() -> None:
    schema: Json = {
        "properties": {"b": {"items": MARKED, "x-sensitive": False}, "a": MARKED},
        "x-sensitive": False,
        "anyOf": [MARKED, MARKED],
    }
    assert [claim.pointer.removeprefix("/outputSchema") for claim in marks(schema)] == [
        "/properties/b/items/x-sensitive",
        "/properties/b/x-sensitive",
        "/properties/a/x-sensitive",
        "/x-sensitive",
        "/anyOf/0/x-sensitive",
        "/anyOf/1/x-sensitive",
    ]


def test_a_schema_that_is_too_deep_to_be_read_counts_as_marked() -> None:
    deep: Json = {"type": "string"}
    for _ in range(5000):
        deep = {"items": deep}
    claims = marks({"properties": {"a": deep, "b": MARKED}})
    assert [claim.well_formed for claim in claims] == [False, True]
    assert len(claims[0].pointer) > POINTER_LENGTH
    assert claims[0].pointer.startswith("/outputSchema/properties/a/items/items")
