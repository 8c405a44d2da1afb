"""Structured content judged by its schema: marked values, and values that do not fit."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.schema.fitting import EVERYTHING, MAX_REPETITIONS, Path, misfits
from tests.boundary.bounding import (
    HINT,
    RELEASED,
    SECRET,
    SENSITIVE,
    STRICT,
    TEXT,
    WHOLE,
    content_of,
    fields,
    judged,
    member,
    removed,
    structured_of,
    text,
)


@pytest.mark.parametrize("level", STRICT)
def test_unknown_members_are_withheld_if_the_root_is_marked(level: Level) -> None:
    bounded = judged({"extra": "v", "more": 1}, {"type": "object", "x-sensitive": True}, level)
    assert removed(bounded) == ["/extra x-sensitive", "/more x-sensitive"]
    assert "extra" not in dump_text(bounded.result)


def test_a_marked_root_withholds_nothing_if_there_are_no_members() -> None:
    assert removed(judged({"content": [text("w")]}, {"type": "object", "x-sensitive": True})) == []


@pytest.mark.parametrize("level", STRICT)
def test_marked_property_names_withhold_members_and_meta_is_still_judged(level: Level) -> None:
    schema: JsonObject = {"type": "object", "propertyNames": {"x-sensitive": True}}
    bounded = judged({"extra": "v", "_meta": {"k": 1}}, schema, level)
    assert "/_meta/k meta" in removed(bounded)
    assert member(bounded, "_meta") is None
    assert member(bounded, "extra") is None


def test_a_schema_that_cannot_be_judged_is_a_finding_only_if_it_is_needed() -> None:
    schema = fields(a={"$ref": "https://example.com/schema"})
    assert judged({"content": [text("w")]}, schema).remarks == ()
    told = judged({"structuredContent": {"b": 1}}, schema).remarks
    assert told == ("a `$ref` of the output schema does not lead to a part of the same schema",)


def test_a_container_without_released_values_is_removed_from_a_sensitive_result() -> None:
    schema = fields(a=fields(b=RELEASED), c=RELEASED, p=SENSITIVE)
    result: JsonObject = {"structuredContent": {"a": {"b": f"it is {SECRET}"}, "c": "x", "p": SECRET}}
    bounded = judged(result, schema, annotations=HINT)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert list(left) == ["c", "_withheld"]
    assert removed(bounded) == [
        "/structuredContent/p x-sensitive",
        "/structuredContent/a/b echo",
        "/structuredContent/a sensitive-hint",
    ]
    bounded = judged(result, schema)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["a"] == {}


def test_a_schema_that_doubles_with_each_step_is_not_followed() -> None:
    parts: JsonObject = {"a0": {"type": "string"}}
    for step in range(1, 60):
        below: Json = {"$ref": f"#/$defs/a{step - 1}"}
        parts[f"a{step}"] = {"allOf": [below, dict(below)]}
    properties: JsonObject = {"a": {"$ref": "#/$defs/a59"}, "s": {"x-sensitive": True}}
    schema: JsonObject = {"type": "object", "$defs": parts, "properties": properties}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    bounded = bound(Result(value={"content": [], "structuredContent": {"a": "x"}}), tool, Level.DECLARED)
    assert [(removal.pointer, str(removal.rule)) for removal in bounded.removals] == [
        ("/structuredContent", "invalid-output")
    ]


@pytest.mark.parametrize(
    ("value", "repetition", "expected"),
    [
        (1, MAX_REPETITIONS, ()),
        (1, MAX_REPETITIONS + 1, EVERYTHING),
        ([[1]], 10_000, ()),
        ([[1]], 10_001, EVERYTHING),
    ],
)
def test_a_schema_is_applied_a_limited_number_of_times_over_all_levels(
    value: Json, repetition: int, expected: tuple[Path, ...]
) -> None:
    assert misfits(value, True, repetition=repetition) == expected


def test_a_result_with_a_notice_is_not_taken_for_a_page_value() -> None:
    notice = text('Withheld from this result: {"otherFields":"all"}')
    bounded = judged({"content": [text("w"), notice]}, fields(content=SENSITIVE))
    assert removed(bounded) == []
    assert content_of(bounded) == [text("w"), notice]
    assert removed(judged({"content": [text("w")]}, fields(content=SENSITIVE)))


def test_a_labelled_value_is_not_also_reported_as_a_misfit() -> None:
    bounded = judged({"structuredContent": {"p": 5}}, fields(p=SENSITIVE), annotations={"secretHint": True})
    assert removed(bounded) == ["/structuredContent labelled"]


@pytest.mark.parametrize(
    ("schema", "hint", "expected"),
    [
        (fields(a=RELEASED, b=TEXT), HINT, "/structuredContent invalid-output"),
        (fields(a=RELEASED, b=TEXT), {}, ""),
        (fields(a=TEXT, b=TEXT), {}, ""),
        (fields(a=TEXT, b=TEXT), HINT, "/structuredContent sensitive-hint"),
    ],
)
def test_a_sensitive_result_must_fit_a_schema_that_releases_values(
    schema: JsonObject, hint: JsonObject, expected: str
) -> None:
    result: JsonObject = {"structuredContent": {"a": "x"}}
    bounded = judged(result, {**schema, "required": ["a", "b"]}, annotations=hint)
    assert removed(bounded)[:1] == ([expected] if expected else [])


@pytest.mark.parametrize("level", STRICT)
def test_a_placeholder_of_an_earlier_boundary_need_not_fit_the_schema(level: Level) -> None:
    value: Json = {"n": [1, "[withheld]", 2]}
    schema = fields(n={"type": "array", "items": WHOLE}, p=SENSITIVE)
    bounded = judged({"content": [text(dump_text(value))], "structuredContent": value}, schema, level)
    assert removed(bounded) == []
    assert bounded.result == {"content": [text(dump_text(value))], "structuredContent": value}


@pytest.mark.parametrize("level", STRICT)
def test_a_member_named_like_the_notice_is_not_validated_by_the_schema(level: Level) -> None:
    schema: JsonObject = {**fields(a=TEXT, p=SENSITIVE), "maxProperties": 1}
    bounded = judged({"structuredContent": {"_withheld": {"x": "y"}, "a": "x"}}, schema, level)
    assert removed(bounded) == ["/structuredContent/_withheld internal"]


def test_an_array_at_the_root_is_checked_item_by_item() -> None:
    schema: JsonObject = {"type": "array", "items": fields(a=WHOLE, p=SENSITIVE)}
    bounded = judged({"structuredContent": [{"a": 1, "p": "z"}, {"a": "x"}]}, schema)
    assert removed(bounded) == ["/structuredContent/0/p x-sensitive", "/structuredContent/1/a invalid-output"]


@pytest.mark.parametrize("level", STRICT)
def test_a_schema_part_that_cannot_be_judged_or_pointed_to_fits_nothing(level: Level) -> None:
    unjudged: JsonObject = {**TEXT, "contentSchema": fields(p=SENSITIVE)}
    schema = fields(a=TEXT, **{"k" * 5_000: unjudged})
    bounded = judged({"structuredContent": {"a": "x"}}, schema, level)
    assert removed(bounded) == ["/structuredContent invalid-output"]
