from collections.abc import Iterator
from typing import TypeAlias, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.json.pointer import child
from inspector.schema import nodes, positions
from inspector.schema.fitting import EVERYTHING, misfits
from inspector.schema.positions import Position, SchemaPositions, positions_of
from inspector.schema.validation import violations

Written: TypeAlias = dict[str, object]
"""A schema as it is written in a test."""

TEXT: Written = {"type": "string"}
MARKED: Written = {"type": "string", "x-sensitive": True}
DIALECTS: dict[str, Written] = {
    "no dialect": {},
    "2020-12": {"$schema": "https://json-schema.org/draft/2020-12/schema"},
    "draft-07": {"$schema": "http://json-schema.org/draft-07/schema#"},
}


def compiled(schema: object) -> SchemaPositions:
    return positions_of(cast("Json", schema))


def word(position: Position, value: Json) -> str:
    if position.sensitive:
        return "sensitive"
    if position.released:
        return "released"
    if isinstance(value, dict):
        return "declared" if position.declares_object else "undeclared"
    if isinstance(value, list):
        return "declared" if position.declares_array else "undeclared"
    return "declared" if position.admits(value) else "undeclared"


def places(position: Position, value: Json, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every place with its judgement, except places below a sensitive one."""
    said = word(position, value)
    yield (
        pointer,
        "keys sensitive" if isinstance(value, dict) and position.keys and not position.sensitive else said,
    )
    if said == "sensitive":
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(position.step(key), inner, child(pointer, key))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(position.item(index), inner, child(pointer, index))


def judged(schema: object, value: object) -> dict[str, str]:
    return dict(places(compiled(schema).start(), cast("Json", value)))


def sensitive(schema: object, value: object) -> set[str]:
    return {pointer for pointer, said in judged(schema, value).items() if said == "sensitive"}


def an_object(**properties: object) -> Written:
    return {"type": "object", "properties": dict(properties)}


# name, schema, instance, the places that are sensitive
MARKS: list[tuple[str, Written, object, set[str]]] = [
    ("a property", an_object(a=MARKED, b=TEXT), {"a": "1", "b": "2"}, {"/a"}),
    ("the root", {"type": "object", "x-sensitive": True}, {"a": 1}, {""}),
    (
        "a discriminator",
        an_object(b=TEXT)
        | {
            "discriminator": {"propertyName": "kind", "mapping": {"x": "#/$defs/s"}},
            "$defs": {"s": an_object(a=MARKED)},
        },
        {"a": "1", "b": "2"},
        {"/a"},
    ),
    (
        "a container with its subtree",
        an_object(a={"type": "object", "x-sensitive": True}),
        {"a": {"b": 1}},
        {"/a"},
    ),
    ("every item", an_object(a={"type": "array", "items": MARKED}), {"a": ["1", "2"]}, {"/a/0", "/a/1"}),
    (
        "a field in every item",
        {"type": "array", "items": an_object(s=MARKED)},
        [{"s": "1"}, {"t": 2}, {"s": "3"}],
        {"/0/s", "/2/s"},
    ),
    ("$ref into $defs", {"$ref": "#/$defs/s", "$defs": {"s": MARKED}}, "x", {""}),
    (
        "$ref into definitions",
        an_object(a={"$ref": "#/definitions/s"}) | {"definitions": {"s": MARKED}},
        {"a": "x"},
        {"/a"},
    ),
    ("$ref to an escaped name", {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": MARKED}}, "x", {""}),
    ("$ref to an anchor", {"$ref": "#s", "$defs": {"x": {"$anchor": "s"} | MARKED}}, "x", {""}),
    (
        "$ref to an anchor of draft-07",
        {"$ref": "#s", "definitions": {"x": {"$id": "#s"} | MARKED}},
        "x",
        {""},
    ),
    (
        "$ref to the root by its own $id",
        {"$id": "https://a/b", **an_object(n={"$ref": "https://a/b#"}, s=MARKED)},
        {"n": {"s": 1}},
        {"/n/s"},
    ),
    (
        "$ref into a list of branches",
        an_object(a={"$ref": "#/allOf/1"}) | {"allOf": [{}, {"properties": {"s": MARKED}}]},
        {"a": {"s": 1}},
        {"/a/s"},
    ),
    (
        "recursion",
        an_object(value=MARKED, next={"$ref": "#"}),
        {"value": 1, "next": {"value": 2, "next": {"value": 3}}},
        {"/value", "/next/value", "/next/next/value"},
    ),
    (
        "$dynamicRef",
        an_object(a={"$dynamicRef": "#s"}) | {"$defs": {"x": {"$dynamicAnchor": "s"} | MARKED}},
        {"a": 1},
        {"/a"},
    ),
    ("$recursiveRef", an_object(a={"$recursiveRef": "#"}, s=MARKED), {"a": {"s": 1}}, {"/a/s"}),
    ("allOf", {"allOf": [an_object(a=TEXT), an_object(a=MARKED)]}, {"a": "x"}, {"/a"}),
    ("anyOf", {"anyOf": [an_object(a=TEXT), an_object(a=MARKED)]}, {"a": "x"}, {"/a"}),
    ("oneOf", {"oneOf": [an_object(a=TEXT), an_object(b=MARKED)]}, {"a": "x", "b": "y"}, {"/b"}),
    ("if", {"if": {"properties": {"a": MARKED}}}, {"a": "x"}, {"/a"}),
    ("then", {"if": {}, "then": {"properties": {"a": MARKED}}}, {"a": "x"}, {"/a"}),
    ("else", {"if": {}, "else": {"properties": {"a": MARKED}}}, {"a": "x"}, {"/a"}),
    ("not", {"not": {"properties": {"a": MARKED}}}, {"a": "x"}, {"/a"}),
    ("dependentSchemas", {"dependentSchemas": {"k": {"properties": {"a": MARKED}}}}, {"a": "x"}, {"/a"}),
    ("dependencies", {"dependencies": {"k": {"properties": {"a": MARKED}}, "l": ["k"]}}, {"a": "x"}, {"/a"}),
    ("patternProperties", {"patternProperties": {"^s-": MARKED}}, {"s-1": "x", "t": "y"}, {"/s-1"}),
    (
        "a pattern beside a name",
        an_object(ok=TEXT) | {"patternProperties": {"^s": MARKED}},
        {"ok": "x", "s": 1},
        {"/s"},
    ),
    ("a pattern that nobody can judge", {"patternProperties": {"(?=s)s": MARKED}}, {"a": "x"}, {"/a"}),
    (
        "a pattern and a key that is no Unicode",
        {"patternProperties": {"^s": MARKED}},
        {"\ud800": "x"},
        {"/\ud800"},
    ),
    (
        "a pattern that takes no end of time elsewhere",
        {"patternProperties": {"^(a+)+$": MARKED}},
        {"a" * 40 + "!": 1, "aa": 2},
        {"/aa"},
    ),
    (
        "additionalProperties",
        an_object(a=TEXT) | {"additionalProperties": MARKED},
        {"a": "x", "b": "y"},
        {"/b"},
    ),
    (
        "additionalProperties beside a pattern",
        {"patternProperties": {"^a": {}}, "additionalProperties": MARKED},
        {"a1": 1, "b": 2},
        {"/b"},
    ),
    (
        "additionalProperties beside a pattern that nobody can judge",
        {"patternProperties": {"(?=a)": {}}, "additionalProperties": MARKED},
        {"a1": 1},
        {"/a1"},
    ),
    (
        "unevaluatedProperties",
        an_object(a=TEXT) | {"unevaluatedProperties": MARKED},
        {"a": 1, "b": 2},
        {"/b"},
    ),
    (
        "unevaluatedProperties beside what always applies",
        {"allOf": [an_object(a=TEXT)], "unevaluatedProperties": MARKED},
        {"a": 1, "b": 2},
        {"/b"},
    ),
    (
        "unevaluatedProperties beside what may not apply",
        {"anyOf": [an_object(a=TEXT), an_object(b=TEXT)], "unevaluatedProperties": MARKED},
        {"a": 1, "b": 2},
        {"/a", "/b"},
    ),
    ("prefixItems", {"prefixItems": [TEXT, MARKED], "items": TEXT}, ["a", "b", "c"], {"/1"}),
    ("items behind prefixItems", {"prefixItems": [TEXT], "items": MARKED}, ["a", "b", "c"], {"/1", "/2"}),
    ("items as a list", {"items": [TEXT, MARKED]}, ["a", "b", "c"], {"/1"}),
    ("additionalItems", {"items": [TEXT], "additionalItems": MARKED}, ["a", "b"], {"/1"}),
    ("contains", {"contains": MARKED}, ["a", "b"], {"/0", "/1"}),
    ("unevaluatedItems", {"prefixItems": [TEXT], "unevaluatedItems": MARKED}, ["a", "b"], {"/1"}),
    (
        "unevaluatedItems beside what may not apply",
        {"anyOf": [{"items": TEXT}], "unevaluatedItems": MARKED},
        ["a"],
        {"/0"},
    ),
    (
        "unevaluatedItems beside what always applies",
        {"allOf": [{"items": TEXT}], "unevaluatedItems": MARKED},
        ["a"],
        set(),
    ),
    (
        "contentSchema",
        an_object(a=TEXT | {"contentSchema": {"properties": {"s": MARKED}}}, b=TEXT),
        {"a": "{}", "b": ""},
        {"/a"},
    ),
    (
        "a mark beside $ref",
        an_object(a={"$ref": "#/$defs/t", "x-sensitive": True}) | {"$defs": {"t": TEXT}},
        {"a": "x"},
        {"/a"},
    ),
    ("a property named x-sensitive", an_object(**{"x-sensitive": TEXT}), {"x-sensitive": "x"}, set()),
    (
        "a mark in data",
        an_object(a={"enum": [{"x-sensitive": True}], "default": {"x-sensitive": True}}),
        {"a": 1},
        set(),
    ),
    (
        "a definition that nothing refers to",
        an_object(a=TEXT) | {"$defs": {"s": MARKED}},
        {"a": "x", "s": "y"},
        set(),
    ),
    (
        "definitions under a name of their own",
        an_object(a={"$ref": "#/components/b"}) | {"components": {"b": TEXT, "s": MARKED}},
        {"a": "x", "s": "y"},
        set(),
    ),
    (
        "an anchor of draft-04",
        an_object(a={"$ref": "#s"})
        | {"$schema": "http://json-schema.org/draft-04/schema#", "definitions": {"x": {"id": "#s"} | TEXT}},
        {"a": "x"},
        set(),
    ),
    (
        "an unknown keyword with a reference, without any mark",
        an_object(a={"extends": {"$ref": "#/$defs/t"}}) | {"$defs": {"t": TEXT}},
        {"a": "x"},
        set(),
    ),
    ("no schema at all", {}, {"a": 1}, set()),
]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_mark_is_found_through_every_schema_construct(dialect: str, subtests: pytest.Subtests) -> None:
    for title, schema, value, expected in MARKS:
        with subtests.test(title):
            found = sensitive(DIALECTS[dialect] | schema, value)
            # Dialects without `prefixItems` apply `items` to the first item too.
            first = {"/0"} if "prefixItems" in schema and dialect != "2020-12" else set[str]()
            assert expected <= found <= expected | first


def test_a_dialect_without_prefix_items_applies_items_to_every_item() -> None:
    schema: Written = {"prefixItems": [TEXT], "items": MARKED}
    for dialect in (
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ):
        assert sensitive({"$schema": dialect, **schema}, ["a", "b"]) == {"/0", "/1"}
    assert sensitive(schema, ["a", "b"]) == {"/1"}


UNJUDGEABLE: list[tuple[str, Written]] = [
    ("a remote $ref", an_object(a={"$ref": "https://example.com/s.json"})),
    ("a relative $ref", an_object(a={"$ref": "other.json#/x"})),
    ("a dangling $ref", an_object(a={"$ref": "#/$defs/nothing"})),
    ("a $ref beyond a list", an_object(a={"$ref": "#/allOf/7"}) | {"allOf": [{}]}),
    ("a $ref with a leading zero", an_object(a={"$ref": "#/allOf/00"}) | {"allOf": [{}]}),
    ("a $ref into a string", an_object(a={"$ref": "#/title/x"}) | {"title": "t"}),
    ("a $ref to no schema", an_object(a={"$ref": "#/title"}) | {"title": "t"}),
    ("a dangling anchor", an_object(a={"$ref": "#nowhere"})),
    (
        "an anchor that two claim",
        an_object(a={"$ref": "#s"}) | {"$defs": {"x": {"$anchor": "s"}, "y": {"$anchor": "s"}}},
    ),
    ("a $ref that is not text", an_object(a={"$ref": 5})),
    (
        "a $ref in a resource of its own",
        an_object(a={"$id": "https://b/", "$ref": "#/$defs/t", "$defs": {"t": TEXT}}),
    ),
    (
        "a $ref below a resource of its own",
        an_object(a={"$id": "https://b/", "allOf": [{"$ref": "#/$defs/t"}]}) | {"$defs": {"t": TEXT}},
    ),
    (
        "an anchor in a resource of its own",
        an_object(a={"$ref": "#s"})
        | {"$defs": {"box": {"$id": "https://b/", "$defs": {"x": {"$anchor": "s"}}}}},
    ),
    (
        "a $ref in what a pointer finds in a resource of its own",
        an_object(a={"$ref": "#/$defs/box/properties/x"})
        | {"$defs": {"t": TEXT, "box": {"$id": "https://b/", "properties": {"x": {"$ref": "#/$defs/t"}}}}},
    ),
    ("a list as a schema", an_object(a=[TEXT])),
    ("null as a schema", an_object(a=None)),
    ("a schema that names a key twice", an_object(a=DuplicateKeys((("type", "string"), ("type", "string"))))),
    ("properties that name a key twice", an_object(a={"properties": DuplicateKeys((("k", {}), ("k", {})))})),
    ("properties that are not an object", an_object(a={"properties": [TEXT]})),
    ("allOf that is not a list", an_object(a={"allOf": TEXT})),
    ("two kinds of tuples", an_object(a={"items": [TEXT], "prefixItems": [TEXT]})),
    (
        "a mark below a keyword of another dialect",
        an_object(a={"propertyDependencies": {"b": {"x": {"properties": {"c": MARKED}}}}}),
    ),
    ("a mark in a list below an unknown keyword", an_object(a={"disallow": [MARKED]})),
    ("a mark below a misspelt keyword", an_object(a={"property": {"c": MARKED}})),
    (
        "a reference below an unknown keyword",
        an_object(a={"extends": {"$ref": "#/$defs/s"}}) | {"$defs": {"s": MARKED}},
    ),
    (
        "a key named twice below an unknown keyword",
        an_object(a={"extends": DuplicateKeys((("x-sensitive", True), ("x-sensitive", False)))}),
    ),
    *(
        (
            f"a discriminator that cannot be followed: {mapping}",
            an_object(a={"discriminator": discriminator}) | {"$defs": {"s": MARKED}},
        )
        for mapping, discriminator in (
            ("a name", {"mapping": {"x": "s"}}),
            ("a list", {"mapping": ["#/$defs/s"]}),
            ("a key twice", DuplicateKeys((("mapping", {"x": "#/$defs/s"}), ("mapping", {})))),
        )
    ),
    (
        "a $ref in a resource of its own of draft-04",
        an_object(a={"id": "https://b/", "$ref": "#/definitions/t", "definitions": {"t": MARKED}})
        | {"$schema": "http://json-schema.org/draft-04/schema#", "definitions": {"t": TEXT}},
    ),
    ("a mark with a typographic hyphen", an_object(a={"x\u2011sensitive": True})),
    ("a mark with an invisible character", an_object(a={"x-sensitive\u200b": True})),
    ("xSensitive", an_object(a={"xSensitive": True})),
    ("x_sensitive", an_object(a={"x_sensitive": True})),
    ("X-SENSITIVE", an_object(a={"X-SENSITIVE": True})),
    ("a mark of yes", an_object(a={"x-sensitive": "yes"})),
    ("a mark of null", an_object(a={"x-sensitive": None})),
    ("a mark of 0", an_object(a={"x-sensitive": 0})),
    ('a mark of "false"', an_object(a={"x-sensitive": "false"})),
    ("a misspelt mark beside a good one", an_object(a={"x-sensitive": False, "x_sensitive": True})),
]


@pytest.mark.parametrize("schema", [case[1] for case in UNJUDGEABLE], ids=[case[0] for case in UNJUDGEABLE])
def test_a_schema_that_cannot_be_judged_makes_values_sensitive_and_undeclared(schema: Written) -> None:
    value: Written = {"a": "x", "b": "y"}
    assert judged(schema, value) == {"": "declared", "/a": "sensitive", "/b": "undeclared"}
    assert judged({"allOf": [schema, an_object(a=TEXT)]}, value)["/a"] == "sensitive"


@pytest.mark.parametrize("schema", ["text", 5, None, [], DuplicateKeys((("type", "a"), ("type", "b")))])
def test_an_invalid_output_schema_makes_everything_sensitive(schema: object) -> None:
    assert judged(schema, {"a": 1}) == {"": "sensitive"}
    assert compiled(schema).faults == ("a part of the output schema is neither a valid object nor a boolean",)


# name, schema, instance, the judgement of each place
DECLARATIONS: list[tuple[str, object, object, dict[str, str]]] = [
    (
        "named and typed",
        an_object(a=TEXT, b={"type": "integer"}),
        {"a": "x", "b": 1, "c": 2},
        {"": "declared", "/a": "declared", "/b": "declared", "/c": "undeclared"},
    ),
    ("of another type", an_object(a=TEXT), {"a": 1}, {"": "declared", "/a": "undeclared"}),
    (
        "untyped",
        an_object(a={"description": "d"}, b=True),
        {"a": 1, "b": 2},
        {"": "declared", "/a": "undeclared", "/b": "undeclared"},
    ),
    (
        "one of several types",
        an_object(a={"type": ["string", "null"]}),
        {"a": None},
        {"": "declared", "/a": "declared"},
    ),
    ("an integer is a number", an_object(a={"type": "number"}), {"a": 1}, {"": "declared", "/a": "declared"}),
    ("1.0 is an integer", an_object(a={"type": "integer"}), {"a": 1.0}, {"": "declared", "/a": "declared"}),
    ("1.5 is none", an_object(a={"type": "integer"}), {"a": 1.5}, {"": "declared", "/a": "undeclared"}),
    (
        "true is no integer",
        an_object(a={"type": "integer"}),
        {"a": True},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "NaN is no number",
        an_object(a={"type": "number"}),
        {"a": Number("NaN")},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "1e400 is one",
        an_object(a={"type": "number"}),
        {"a": Number("1e400")},
        {"": "declared", "/a": "declared"},
    ),
    ("by enum", an_object(a={"enum": ["x", 1]}), {"a": "x"}, {"": "declared", "/a": "declared"}),
    (
        "not in enum",
        an_object(a={"type": "string", "enum": ["x"]}),
        {"a": "y"},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "true is not the 1 of enum",
        an_object(a={"enum": [1]}),
        {"a": True},
        {"": "declared", "/a": "undeclared"},
    ),
    ("by const", an_object(a={"const": 5}), {"a": 5.0}, {"": "declared", "/a": "declared"}),
    (
        "an enum that is not a list",
        an_object(a={"type": "string", "enum": "x"}),
        {"a": "x"},
        {"": "declared", "/a": "undeclared"},
    ),
    ("a type that is no type", an_object(a={"type": 5}), {"a": 5}, {"": "declared", "/a": "undeclared"}),
    ("an object without a type", {"properties": {"a": TEXT}}, {"a": "x"}, {"": "declared", "/a": "declared"}),
    (
        "an object where a string is due",
        an_object(a=TEXT),
        {"a": {"b": 1}},
        {"": "declared", "/a": "undeclared", "/a/b": "undeclared"},
    ),
    (
        "a free object",
        an_object(a={"type": "object"}),
        {"a": {"b": 1}},
        {"": "declared", "/a": "declared", "/a/b": "undeclared"},
    ),
    (
        "items",
        {"type": "array", "items": TEXT},
        ["x", 1],
        {"": "declared", "/0": "declared", "/1": "undeclared"},
    ),
    (
        "prefixItems",
        {"prefixItems": [TEXT]},
        ["x", "y"],
        {"": "declared", "/0": "declared", "/1": "undeclared"},
    ),
    (
        "contains declares nothing",
        {"type": "array", "contains": TEXT},
        ["x"],
        {"": "declared", "/0": "undeclared"},
    ),
    (
        "unevaluatedItems neither",
        {"type": "array", "unevaluatedItems": TEXT},
        ["x"],
        {"": "declared", "/0": "undeclared"},
    ),
    (
        "additionalProperties neither",
        {"type": "object", "additionalProperties": TEXT},
        {"a": "x"},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "patternProperties neither",
        {"type": "object", "patternProperties": {"a": TEXT}},
        {"a": "x"},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "unevaluatedProperties neither",
        {"type": "object", "unevaluatedProperties": TEXT},
        {"a": "x"},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "if neither",
        {"type": "object", "if": {"properties": {"a": TEXT}}},
        {"a": "x"},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "not neither",
        {"type": "object", "not": {"properties": {"a": TEXT}}},
        {"a": "x"},
        {"": "declared", "/a": "undeclared"},
    ),
    (
        "a branch declares",
        {"anyOf": [an_object(a=TEXT), an_object(b=TEXT)]},
        {"b": "x"},
        {"": "declared", "/b": "declared"},
    ),
    (
        "dependentSchemas declare",
        {"type": "object", "dependentSchemas": {"k": an_object(a=TEXT)}},
        {"a": "x"},
        {"": "declared", "/a": "declared"},
    ),
    (
        "a $ref declares",
        an_object(a={"$ref": "#/$defs/t"}) | {"$defs": {"t": TEXT}},
        {"a": "x"},
        {"": "declared", "/a": "declared"},
    ),
    ("anything", True, {"a": 1}, {"": "undeclared", "/a": "undeclared"}),
    ("nothing", False, 1, {"": "undeclared"}),
    ("released", an_object(a=TEXT | {"x-sensitive": False}), {"a": "x"}, {"": "declared", "/a": "released"}),
    (
        "released, and marked in a branch",
        {"allOf": [an_object(a={"x-sensitive": False}), {"anyOf": [an_object(a=MARKED)]}]},
        {"a": "x"},
        {"": "declared", "/a": "sensitive"},
    ),
    (
        "released only by a misspelling",
        an_object(a=TEXT | {"xSensitive": False}),
        {"a": "x"},
        {"": "declared", "/a": "declared"},
    ),
    (
        "released only under if",
        an_object(a=TEXT) | {"if": an_object(a={"x-sensitive": False})},
        {"a": "x"},
        {"": "declared", "/a": "declared"},
    ),
    (
        "a released container releases nothing in it",
        an_object(a=an_object(b=TEXT) | {"x-sensitive": False}),
        {"a": {"b": "x"}},
        {"": "declared", "/a": "released", "/a/b": "declared"},
    ),
    (
        "marked propertyNames",
        {"type": "object", "propertyNames": {"allOf": [{"x-sensitive": True}]}},
        {"a": 1},
        {"": "keys sensitive", "/a": "undeclared"},
    ),
]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [case[1:] for case in DECLARATIONS],
    ids=[case[0] for case in DECLARATIONS],
)
def test_a_declaration_is_a_named_position_with_a_type(
    schema: object, value: object, expected: dict[str, str]
) -> None:
    assert judged(schema, value) == expected


def test_in_draft_07_keywords_next_to_a_ref_only_mark() -> None:
    schema = {
        "$ref": "#/definitions/t",
        "properties": {"a": TEXT, "s": MARKED},
        "definitions": {"t": an_object(b=TEXT)},
    }
    value: Written = {"a": "x", "b": "y", "s": "z"}
    modern = judged(DIALECTS["2020-12"] | schema, value)
    old = judged(DIALECTS["draft-07"] | schema, value)
    assert modern == {"": "declared", "/a": "declared", "/b": "declared", "/s": "sensitive"}
    assert old == {"": "declared", "/a": "undeclared", "/b": "declared", "/s": "sensitive"}


def test_the_source_of_a_mark_is_named_by_its_place_in_the_schema() -> None:
    schema = an_object(a={"$ref": "#/$defs/s"}, b={"type": "array", "items": {"x_sensitive": 1}}) | {
        "$defs": {"s": MARKED}
    }
    start = compiled(schema).start()
    a, b = start.step("a").sensitive, start.step("b").item(3).sensitive
    assert a
    assert (a.schema_pointer, a.mark_key) == ("/$defs/s", "x-sensitive")
    assert b
    assert (b.schema_pointer, b.mark_key) == ("/properties/b/items", "x_sensitive")
    assert "misspelt" in b.reason


def test_only_a_key_found_by_a_marked_pattern_is_hidden_itself() -> None:
    start = compiled(
        an_object(a=MARKED) | {"patternProperties": {"^s": MARKED, "^o": an_object(in_it=MARKED)}}
    ).start()
    assert start.step("s1").hides_key
    assert not start.step("a").hides_key
    assert not start.step("open").hides_key


def test_a_place_is_harmless_if_it_can_reach_no_mark() -> None:
    start = compiled(
        an_object(a=an_object(b=TEXT), c=an_object(d=MARKED), e={"propertyNames": {"x-sensitive": True}})
    ).start()
    assert [start.step(key).harmless for key in ("a", "c", "e", "other")] == [True, False, False, True]
    assert not start.harmless


def test_every_item_is_one_position_only_if_all_items_are_alike() -> None:
    alike = compiled({"items": MARKED}).start().every_item
    assert alike
    assert alike.sensitive
    assert compiled({"prefixItems": [TEXT], "items": MARKED}).start().every_item is None


def test_a_schema_beyond_the_size_limit_makes_everything_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    many = an_object(**{f"p{index}": {"type": "string"} for index in range(30)})
    monkeypatch.setattr(nodes, "MAX_NODES", 32)
    assert judged(many, {"p1": "x"})["/p1"] == "declared"
    monkeypatch.setattr(nodes, "MAX_NODES", 20)
    assert judged(many, {"p1": "x"}) == {"": "sensitive"}


def test_every_value_below_the_depth_limit_is_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MAX_DEPTH", 4)
    schema = an_object(a=an_object(b=an_object(c=TEXT)))
    assert judged(schema, {"a": {"b": {"c": "x"}}}) == {
        "": "declared",
        "/a": "declared",
        "/a/b": "declared",
        "/a/b/c": "sensitive",
    }


def test_places_beyond_the_effort_limit_are_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"patternProperties": {f"p{index}": TEXT for index in range(20)}}
    value: Written = {f"key{index}": index for index in range(30)}
    assert sensitive(schema, value) == set()
    monkeypatch.setattr(positions, "MAX_EFFORT", 200)
    found = sensitive(schema, value)
    assert "/key0" not in found
    assert "/key29" in found


def test_a_single_place_that_costs_too_much_is_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "MAX_EFFORT", 20)
    assert judged({"anyOf": [dict(TEXT) for _ in range(30)]}, "x") == {"": "sensitive"}


def test_too_many_schemas_for_one_place_make_it_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = an_object(a={"anyOf": [TEXT for _ in range(5)]}, b={"anyOf": [dict(TEXT) for _ in range(20)]})
    monkeypatch.setattr(positions, "MAX_TOGETHER", 10)
    assert sensitive(schema, {"a": "x", "b": "y"}) == {"/b"}


def test_a_chain_of_references_as_long_as_the_schema_allows_is_followed() -> None:
    chain: Written = {f"d{index}": {"$ref": f"#/$defs/d{index + 1}"} for index in range(1_500)}
    schema = {"$ref": "#/$defs/d0", "$defs": chain | {"d1500": MARKED}}
    assert sensitive(schema, "x") == {""}


def test_circular_references_declare_nothing() -> None:
    assert judged(
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, 1
    ) == {"": "undeclared"}


def test_a_deeply_nested_schema_does_not_recurse() -> None:
    schema: object = MARKED
    for _ in range(3_000):
        schema = {"allOf": [schema]}
    assert sensitive(schema, "x") == {""}
    names: object = {"propertyNames": {}}
    for _ in range(200):
        names = {"propertyNames": names}
    assert judged(names, {"a": 1}) == {"": "undeclared", "/a": "undeclared"}


def test_an_unlimited_number_of_keys_is_not_cached() -> None:
    position = compiled({"patternProperties": {"^s": MARKED}}).start()
    for index in range(10_000):
        position.step(f"k{index}")
    assert len(position.by_key) < 5_000
    plain = compiled(an_object(a=MARKED)).start()
    for index in range(10_000):
        plain.step(f"k{index}")
    assert len(plain.by_key) == 0


KEYWORDS = [
    "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "items",
    "prefixItems", "additionalItems", "contains", "unevaluatedItems", "allOf", "anyOf", "oneOf", "if", "then", "else",
    "not", "dependentSchemas", "dependencies", "$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "$id",
    "$anchor", "$dynamicAnchor", "$schema", "type", "enum", "const", "x-sensitive", "xSensitive", "contentSchema",
]  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from(
        [
            "#",
            "#/$defs/a",
            "#a",
            "a",
            "string",
            "object",
            "array",
            "^a",
            "(",
            "http://json-schema.org/draft-07/schema#",
        ]
    )
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYWORDS, "a", "b"]), inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, min_size=2, max_size=2).map(
            lambda found: DuplicateKeys(tuple(found.items()) + tuple(found.items()))
        )
    ),
    max_leaves=25,
)
INSTANCES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "string"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "$ref", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(SCHEMAS, INSTANCES)
@settings(max_examples=150, deadline=None)
def test_judging_positions_never_raises_and_is_deterministic(schema: Json, value: Json) -> None:
    assert judged(schema, value) == judged(schema, value)


@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)), INSTANCES)
@settings(max_examples=150, deadline=None)
def test_a_mark_next_to_any_keywords_marks_the_root(schema: JsonObject, value: Json) -> None:
    assert judged(schema | {"x-sensitive": True}, value) == {"": "sensitive"}


@given(SCHEMAS, SCHEMAS, INSTANCES)
@settings(max_examples=150, deadline=None)
def test_one_more_branch_never_removes_a_mark(one: Json, other: Json, value: Json) -> None:
    # Branches are moved, so references by pointer would point elsewhere: only `#` is compared.
    alone = sensitive({"anyOf": [one]}, value)
    both = sensitive({"anyOf": [one, other]}, value)
    covered = {
        pointer for pointer in alone if any(pointer == top or pointer.startswith(f"{top}/") for top in both)
    }
    assert covered == alone


REPETITIONS: list[tuple[str, Written, int]] = [
    ("a tree", {"allOf": [{"type": "string"}, {"anyOf": [{}, {"not": {}}]}], "properties": {"a": {}}}, 1),
    ("recursion", {"properties": {"next": {"$ref": "#"}}}, 1),
    ("a circle", {"$ref": "#"}, 1),
    ("one part twice", {"$defs": {"a": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}, 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "count"), [case[1:] for case in REPETITIONS], ids=[case[0] for case in REPETITIONS]
)
def test_the_repetitions_of_a_schema_at_one_place_are_counted(schema: Written, count: int) -> None:
    assert positions_of(cast("Json", schema)).repetition == count


def test_schema_parts_that_double_at_each_step_are_counted_and_not_followed() -> None:
    parts: dict[str, Written] = {"a0": {"type": "string"}}
    for step in range(1, 60):
        parts[f"a{step}"] = {"allOf": [{"$ref": f"#/$defs/a{step - 1}"}, {"$ref": f"#/$defs/a{step - 1}"}]}
    assert positions_of(cast("Json", {"$defs": parts, "$ref": "#/$defs/a59"})).repetition > 2**59


@pytest.mark.parametrize("length", [900, 1_000, 2_000])
def test_a_long_chain_of_parts_that_double_at_each_step_is_not_checked(length: int) -> None:
    parts: dict[str, Written] = {
        f"a{step}": {"allOf": [{"$ref": f"#/$defs/a{step + 1}"}, {"$ref": f"#/$defs/a{step + 1}"}]}
        for step in range(length)
    }
    schema = cast("Json", {"$defs": {**parts, f"a{length}": {"type": "object"}}, "$ref": "#/$defs/a0"})
    values: list[Json] = [{"x": 1}, 1]
    for value in values:
        assert misfits(value, schema, repetition=positions_of(schema).repetition) == EVERYTHING
        assert [each.is_unchecked for each in violations(value, schema)] == [True]
