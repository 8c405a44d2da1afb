"""Definitions made to do harm."""

import time

import pytest

from inspector.boundary.bounded import Level
from inspector.hosts.definitions import paths
from inspector.hosts.definitions.projection import ProjectedDefinition, project_definition
from inspector.hosts.registry import host
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump_text, parse
from inspector.protocol.catalogue import Tool

KEYWORDS = (
    "properties",
    "patternProperties",
    "$defs",
    "dependentSchemas",
    "dependencies",
    "allOf",
    "anyOf",
    "oneOf",
    "prefixItems",
    "items",
    "additionalItems",
    "additionalProperties",
    "propertyNames",
    "contentSchema",
    "if",
    "then",
    "not",
    "contains",
    "required",
    "enum",
    "const",
    "maxProperties",
    "$ref",
    "$dynamicRef",
    "$schema",
    "$id",
    "x-vendor",
    "default",
)
ODD: tuple[Json, ...] = (
    None,
    True,
    5,
    Number("NaN"),
    "\ud800",
    [],
    [5, None],
    {},
    {"a": 5},
    {"\ud800": {}},
    DuplicateKeys((("a", 1), ("a", 2))),
    [DuplicateKeys((("a", 1), ("a", 2)))],
)


def of_output(schema: Json, level: Level = Level.DECLARED) -> ProjectedDefinition:
    spec = host("spec")
    assert spec
    definition: JsonObject = {"name": "t", "inputSchema": {}, "outputSchema": schema}
    return project_definition(Tool(name="t", definition=definition), level, spec)


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("wrapped", [False, True])
def test_no_keyword_makes_the_projection_raise(
    level: Level, subtests: pytest.Subtests, *, wrapped: bool
) -> None:
    for keyword in KEYWORDS:
        with subtests.test(keyword):
            for value in ODD:
                schema: JsonObject = {keyword: value}
                shown = of_output(
                    {"$defs": {"unused": schema}, "properties": {"a": {}}} if wrapped else schema, level
                )
                assert shown.model_bytes == len(dump_text(shown.model).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ('{"items":', "}"),
        ('{"properties":{"a":', "}}"),
        ('{"not":', "}"),
        ('{"$defs":{"a":', "}}"),
        ('{"x-a":', "}"),
    ],
)
def test_a_schema_of_three_thousand_levels_is_judged_or_left_out(opened: str, closed: str) -> None:
    parsed = parse(opened * 3000 + '{"x-sensitive":true}' + closed * 3000)
    assert isinstance(parsed, JsonText)
    for level in Level:
        shown = of_output(parsed.value, level)
        assert (
            level is Level.OPEN or '"x-sensitive":true' not in dump_text(shown.model) or opened == '{"x-a":'
        )
    deep = Tool(name="t", definition={"name": "t", "inputSchema": parsed.value, "outputSchema": True})
    spec = host("spec")
    assert spec
    assert project_definition(deep, Level.CLOSED, spec).model["inputSchema"] is parsed.value


def test_a_recursive_schema_is_written_once() -> None:
    shown = of_output({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/b"}}})
    assert dump_text(shown.model["outputSchema"]).count("$ref") == 2


def test_more_differences_than_can_be_listed_withhold_the_schema() -> None:
    key = "k" * 1_000_000
    rest: list[Json] = [{"required": ["a"]} for _ in range(10)]
    shown = of_output({"properties": {key: {"anyOf": rest}}})
    assert len(key) * 10 > paths.MAX_POINTER_CHARACTERS
    assert "outputSchema" not in shown.model
    assert [(difference.pointer, difference.rule) for difference in shown.differences] == [
        ("/outputSchema", "internal")
    ]


def test_the_cost_grows_linearly_with_the_schema() -> None:
    def seconds(count: int) -> float:
        properties: JsonObject = {
            f"p{index}": {"type": "object", "required": ["a"], "items": {"type": "integer"}}
            for index in range(count)
        }
        schema: JsonObject = {"properties": properties, "$defs": {"r": {"$ref": "#/properties/p0/items"}}}
        start = time.process_time()
        of_output(schema)
        return time.process_time() - start

    seconds(100)
    small = min(seconds(500) for _ in range(3))
    assert min(seconds(5_000) for _ in range(2)) < 40 * small
