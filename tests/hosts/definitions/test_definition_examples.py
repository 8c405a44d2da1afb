"""Hand-written definitions, and what a model gets of them."""

import pytest

from inspector.boundary.bounded import Level
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import (
    NOT_OBSERVED,
    PARTLY_RELEASED,
    SERVERS_WORDS,
    ProjectedDefinition,
    ProjectionStep,
    project_definition,
)
from inspector.hosts.registry import host, hosts
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump, dump_text
from inspector.protocol.catalogue import Tool

ANY: JsonObject = {"type": "object"}
MARKED: JsonObject = {"type": "string", "x-sensitive": True}
ITEM: JsonObject = {"enum": ["[withheld]"]}
NOTICE: JsonObject = {"description": "The parts withheld from this result."}


LEFT: list[tuple[Json, Json]] = [
    (
        {"properties": {"a": {}, "s": MARKED}, "required": ["a"]},
        {"properties": {"a": {}, "_withheld": NOTICE}},
    ),
    (
        {"properties": {"a": {}}, "additionalProperties": False},
        {"properties": {"a": {}, "_withheld": NOTICE}, "additionalProperties": False},
    ),
    (
        {"additionalProperties": False},
        {"additionalProperties": False, "properties": {"_withheld": NOTICE}},
    ),
    ({"additionalProperties": MARKED, "type": "object"}, {"type": "object"}),
    ({"patternProperties": {"^s": MARKED, "^a": True}}, {"patternProperties": {"^a": True}}),
    ({"type": "array", "items": MARKED, "minItems": 1}, {"type": "array", "items": ITEM}),
    ({"items": {"type": "integer"}}, {"items": {"anyOf": [ITEM, {"type": "integer"}]}}),
    ({"items": {"type": "string"}}, {"items": {"type": "string"}}),
    ({"prefixItems": [MARKED, True], "items": MARKED}, {"prefixItems": [ITEM, True]}),
    ({"prefixItems": [MARKED, True], "items": False}, {"prefixItems": [ITEM, True], "items": False}),
    ({"type": "array", "contains": {"type": "string"}, "uniqueItems": True}, {"type": "array"}),
    (
        {"oneOf": [{"type": "string"}, {"type": "object"}]},
        {"anyOf": [{"type": "string"}, {"type": "object"}]},
    ),
    (
        {"anyOf": [True], "oneOf": [{"type": "object"}], "allOf": [{}]},
        {"anyOf": [True], "allOf": [{}, {"anyOf": [{"type": "object"}]}]},
    ),
    (
        {"not": {"required": ["a"]}, "if": {}, "then": {"minProperties": 1}, "maxProperties": 2},
        {"maxProperties": 3},
    ),
    ({"const": {"a": 1}, "title": "t"}, {"title": "t"}),
    ({"enum": ["a", 1, None, True]}, {"enum": ["a", 1, None, True]}),
    (
        {"unevaluatedProperties": False, "propertyNames": {"maxLength": 3}},
        {"propertyNames": {"anyOf": [{"enum": ["_withheld"]}, {"maxLength": 3}]}},
    ),
    (
        {"dependentSchemas": {"_withheld": False, "a": {"required": ["b"]}}},
        {"dependentSchemas": {"a": {}}},
    ),
    ({"dependencies": {"a": ["b"], "b": True}}, {"dependencies": {"b": True}}),
    (True, True),
    (False, False),
    ({}, {}),
]


def projected(
    definition: JsonObject, level: Level = Level.DECLARED, name: str = "spec"
) -> ProjectedDefinition:
    profile = host(name)
    assert profile
    return project_definition(Tool(name="t", definition=definition), level, profile)


def of_output(schema: Json, level: Level = Level.DECLARED, **more: Json) -> ProjectedDefinition:
    return projected({"name": "t", "inputSchema": ANY, "outputSchema": schema, **more}, level)


def bounded(schema: Json) -> Json:
    return of_output(schema).model.get("outputSchema")


def told(shown: ProjectedDefinition) -> list[tuple[str, str]]:
    return [
        (difference.pointer, difference.rule or difference.step.value) for difference in shown.differences
    ]


@pytest.mark.parametrize(("schema", "left"), LEFT)
def test_sensitive_parts_and_unsatisfiable_constraints_leave_the_schema(schema: Json, left: Json) -> None:
    assert dump_text(bounded(schema)) == dump_text(left)


def test_a_key_pattern_that_matches_the_notice_also_allows_the_notice() -> None:
    left = bounded({"patternProperties": {"^.": {"type": "string"}}})
    assert isinstance(left, dict)
    patterns = left["patternProperties"]
    assert isinstance(patterns, dict)
    alternatives = patterns["^."]
    assert isinstance(alternatives, dict)
    assert isinstance(alternatives["anyOf"], list)
    assert alternatives["anyOf"][1] == {"type": "string"}


@pytest.mark.parametrize(
    "schema",
    [
        MARKED,
        {"allOf": [{"anyOf": [MARKED]}]},
        {"$ref": "#/$defs/s", "$defs": {"s": MARKED}},
        {"$ref": "https://elsewhere/schema"},
        {"$ref": "#/nowhere"},
        {"properties": 5},
        5,
        "schema",
        None,
        DuplicateKeys((("type", "object"), ("type", "array"))),
    ],
)
def test_an_empty_or_unjudgeable_schema_is_not_given_to_the_model(schema: Json) -> None:
    shown = of_output(schema)
    assert "outputSchema" not in shown.model
    assert [difference.pointer for difference in shown.differences] == ["/outputSchema"]
    assert shown.differences[0].rule in {"x-sensitive", "internal"}


def test_examples_and_defaults_are_removed_from_schemas_with_marks() -> None:
    values: JsonObject = {
        "default": {"s": "CANARY"},
        "examples": [{"s": "CANARY"}],
        "x-vendor": {"s": "CANARY"},
    }
    assert "CANARY" not in dump_text(bounded({"properties": {"s": MARKED}, **values}))
    assert bounded({"type": "object", **values}) == {"type": "object", **values}


def test_references_point_at_the_new_places_of_their_targets() -> None:
    left = bounded(
        {
            "properties": {
                "list": {"items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
                "n": {"$ref": "#/properties/list/items/properties/n"},
                "own": {"$ref": "#/x-own/shared"},
                "again": {"$ref": "#"},
                "free": {"$ref": "#/$defs/free"},
            },
            "$defs": {"free": True},
            "x-own": {"shared": {"type": "string"}},
        }
    )
    assert isinstance(left, dict)
    properties, definitions = left["properties"], left["$defs"]
    assert isinstance(properties, dict)
    assert isinstance(definitions, dict)
    assert properties["n"] == {"$ref": "#/properties/list/items/anyOf/1/properties/n"}
    assert properties["again"] == {"$ref": "#"}
    own, free = properties["own"], properties["free"]
    assert isinstance(own, dict)
    assert isinstance(free, dict)
    assert definitions[str(own["$ref"]).removeprefix("#/$defs/")] == {"type": "string"}
    assert definitions[str(free["$ref"]).removeprefix("#/$defs/")] == {}


def test_each_difference_names_boundary_or_host_and_its_place() -> None:
    shown = of_output(
        {"properties": {"s": MARKED}, "required": ["s"]},
        annotations={"readOnlyHint": True},
        _meta={"k": 1},
        title="T",
    )
    assert list(shown.model) == ["name", "inputSchema", "outputSchema", "title"]
    assert told(shown) == [
        ("/outputSchema/properties/s", "x-sensitive"),
        ("/outputSchema/required", LOOSENED),
        ("/outputSchema/properties", LOOSENED),
        ("/annotations", "host"),
        ("/_meta", "host"),
    ]
    assert shown.differences[0].claim
    assert shown.differences[0].claim.vocabulary == "webmcp-110"
    assert {difference.step for difference in shown.differences} == set(ProjectionStep)


def test_a_list_of_dependent_keys_is_loosened_and_not_a_fault() -> None:
    shown = of_output({"dependencies": {"a": ["b"]}})
    assert told(shown) == [("/outputSchema/dependencies/a", LOOSENED)]


def test_the_input_schema_passes_as_it_was_sent_with_its_marks() -> None:
    schema: JsonObject = {"type": "object", "properties": {"pin": MARKED}, "required": ["pin"]}
    for level in Level:
        shown = projected({"name": "t", "inputSchema": schema}, level)
        assert shown.model["inputSchema"] == schema
        assert shown.differences == ()


def test_schemas_pass_unchanged_at_open_and_closed_equals_declared() -> None:
    schema: JsonObject = {"properties": {"s": MARKED}, "required": ["s"]}
    assert of_output(schema, Level.OPEN).model["outputSchema"] == schema
    assert of_output(schema, Level.CLOSED).model == of_output(schema).model


def test_descriptions_pass_every_boundary_with_a_note() -> None:
    for level in Level:
        shown = projected({"name": "t", "description": "Do as I say", "inputSchema": ANY}, level)
        assert shown.model["description"] == "Do as I say"
        assert SERVERS_WORDS in shown.notes


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("description", 5),
        ("title", ["a"]),
        ("inputSchema", DuplicateKeys((("a", 1), ("a", 2)))),
        ("inputSchema", 5),
    ],
)
def test_a_member_of_a_wrong_type_is_not_given_to_the_model(key: str, value: Json) -> None:
    shown = projected({"name": "t", "inputSchema": ANY, key: value})
    assert key not in shown.model
    assert (f"/{key}", "internal") in told(shown)


def test_a_sensitive_tool_gives_the_model_only_a_releasing_schema() -> None:
    hint: JsonObject = {"sensitiveHint": True}
    withheld = of_output({"properties": {"a": {"type": "string"}}}, annotations=hint)
    assert "outputSchema" not in withheld.model
    assert ("/outputSchema", "sensitive-hint") in told(withheld)
    released = of_output({"properties": {"a": {"x-sensitive": False}}}, annotations=hint)
    assert "outputSchema" in released.model
    assert PARTLY_RELEASED in released.notes


def test_an_unobserved_host_shows_the_definition_of_spec_with_a_note() -> None:
    definition: JsonObject = {"name": "t", "inputSchema": ANY, "annotations": {}}
    spec = projected(definition)
    assert spec.observed
    for profile in hosts()[1:]:
        shown = projected(definition, name=profile.name)
        assert not shown.observed
        assert NOT_OBSERVED in shown.notes
        assert shown.model == spec.model


def test_sizes_are_bytes_of_compact_json_and_tokens_a_quarter_of_them() -> None:
    shown = projected({"name": "té", "inputSchema": ANY, "annotations": {}})
    assert (shown.raw_bytes, shown.model_bytes) == (len(dump(shown.raw)), len(dump(shown.model)))
    assert shown.about_tokens == (shown.model_bytes + 3) // 4
    assert shown.raw_about_tokens == (shown.raw_bytes + 3) // 4
