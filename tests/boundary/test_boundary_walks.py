"""The walks over structured content, and the values that each lets pass."""

import sys
from types import FrameType

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.contract import Contract
from inspector.boundary.removals import Ledger
from inspector.boundary.walking import WalkStep, fault_of
from inspector.boundary.withhold import withhold
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Kind, Tool, unlisted
from inspector.protocol.outcome import Result
from inspector.schema.positions import positions_of
from tests.boundary.bounding import (
    REFERENCE,
    SENSITIVE,
    STRICT,
    TWICE,
    bounded_of,
    details_of,
    fields,
    rules_of,
    structured_of,
    text,
    tool_with,
)


def test_items_after_one_that_is_judged_as_a_whole_are_judged_too() -> None:
    schema = fields(rows={"type": "array", "items": fields(pin=SENSITIVE)})
    rows: Json = [TWICE, {"pin": "first-pin"}, REFERENCE, {"pin": "second-pin", "x": {"y": 1}}]
    bounded = bounded_of({"content": [], "structuredContent": {"rows": rows}}, schema)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["rows"] == ["[withheld]", {}, {"type": "secret_reference", "label": "key"}, {"x": {"y": 1}}]


def effort_of(value: Json, schema: Json = None) -> int:
    """The number of function calls that bounding a value takes."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    tool = tool_with(schema)
    sys.setprofile(count)
    try:
        bounded = bound(Result(value={"content": [], "structuredContent": value}), tool, Level.DECLARED)
    finally:
        sys.setprofile(None)
    assert bounded.removals
    return counted


def test_the_cost_of_a_nested_reference_grows_linearly_with_its_depth() -> None:
    def deep(depth: int) -> Json:
        value: Json = REFERENCE
        for _ in range(depth):
            value = {"a": value}
        return value

    assert effort_of(deep(300)) < 5 * effort_of(deep(100))


def test_the_pointer_to_a_container_is_built_once() -> None:
    start = positions_of(True).start()
    ledger = Ledger(Contract(), "/root")
    step = WalkStep(None, 0, start, {}, {})
    for _ in range(50):
        step = WalkStep(step, "a", start, {}, {})
    assert step.pointer(ledger) == "/root" + "/a" * 50
    below = WalkStep(step, "b", start, {}, {})
    calls: list[str] = []
    sys.setprofile(lambda frame, event, _: calls.append(event) if frame.f_code is child.__code__ else None)
    try:
        assert below.pointer(ledger) == step.pointer(ledger) + "/b"
    finally:
        sys.setprofile(None)
    assert calls.count("call") == 1


@pytest.mark.parametrize("value", ["x", 5, None])
def test_a_scalar_passes_at_a_place_whose_members_may_be_sensitive(value: Json) -> None:
    start = positions_of(fields(box=fields(pin=SENSITIVE))).start()
    nested: Json = {"box": value, "other": [{}]}
    for sent in (value, nested):
        ledger = Ledger(Contract(), "")
        assert withhold(sent, start, ledger).value == sent
        assert len(ledger) == 0


PASSING: list[Json] = [
    {"box": {"a": 1}, "list": [1, 2]},
    {"rows": [{"a": number} for number in range(8)]},
    {"rows": [{"a": number} for number in range(7)]},
    [[{"a": {"b": [{}]}}]],
]


@pytest.mark.parametrize("value", PASSING)
def test_a_value_of_which_all_passes_is_the_same_object(value: Json) -> None:
    item: JsonObject = {"properties": {"a": True, "pin": SENSITIVE}}
    start = positions_of({"properties": {"box": item, "rows": {"items": item}}, "items": item}).start()
    ledger = Ledger(Contract(), "")
    assert withhold(value, start, ledger).value is value
    assert len(ledger) == 0


@pytest.mark.parametrize("value", ["x", 5, None, True])
def test_a_page_may_return_a_scalar_that_its_schema_declares(value: Json) -> None:
    schema: Json = {"type": ["string", "integer", "null", "boolean"]}
    bounded = bounded_of(value, schema, Level.CLOSED)
    assert bounded.removals == ()
    assert bounded.result == {"structuredContent": value}


@pytest.mark.parametrize("level", STRICT)
def test_an_object_with_a_duplicate_key_is_withheld_in_place_with_a_reason(level: Level) -> None:
    schema = fields(rows={"type": "array", "items": {"type": ["object", "string"]}})
    bounded = bounded_of({"content": [], "structuredContent": {"rows": [TWICE, "x"]}}, schema, level)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["rows"] == ["[withheld]", "x"]
    assert rules_of(bounded) == [("/structuredContent/rows/0", "internal")]
    assert "duplicate key" in details_of(bounded)["/structuredContent/rows/0"]


def test_a_value_without_a_typed_position_is_withheld_for_that_reason() -> None:
    bounded = bounded_of({"content": [], "structuredContent": {"a": "x"}}, fields(), Level.CLOSED)
    assert details_of(bounded) == {
        "/structuredContent/a": "the output schema describes no value of this type at this place"
    }


@pytest.mark.parametrize(
    ("tool", "result", "pointers", "detail"),
    [
        (
            tool_with(),
            {"content": [text("a")], "structuredContent": {"a": 1}},
            ["/content/0", "/structuredContent"],
            "the tool declares no output schema",
        ),
        (
            unlisted(Kind.RESOURCE, "note://a").as_tool,
            {"contents": [{"uri": "note://a", "text": "a"}]},
            ["/contents/0"],
            "no schema describes the contents of resources and prompts",
        ),
    ],
)
def test_what_no_schema_can_describe_is_withheld_at_closed_for_that_reason(
    tool: Tool, result: Json, pointers: list[str], detail: str
) -> None:
    bounded = bound(Result(value=result), tool, Level.CLOSED)
    assert details_of(bounded) == dict.fromkeys(pointers, detail)


def hinted(value: Json, schema: Json, level: Level = Level.DECLARED) -> Bounded:
    sent: Json = {"content": [], "structuredContent": value}
    return bounded_of(sent, schema, level, annotations={"sensitiveHint": True})


@pytest.mark.parametrize("value", ["x", 5, None])
def test_a_released_value_of_a_sensitive_result_passes_without_a_type(value: Json) -> None:
    bounded = hinted({"a": value, "b": {"c": "y"}}, fields(a={"x-sensitive": False}))
    assert rules_of(bounded)[-1] == ("/structuredContent/b", "sensitive-hint")
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["a"] == value


def test_at_declared_no_value_is_withheld_for_being_undeclared() -> None:
    schema: Json = {"type": "array", "properties": {"a": {"x-sensitive": False}}}
    assert {rule for _, rule in rules_of(hinted({"a": 5, "c": 7}, schema))} == {
        "sensitive-hint",
        "invalid-output",
    }


def test_at_closed_unreleased_values_of_a_sensitive_result_are_withheld() -> None:
    released: Json = {"type": "string", "x-sensitive": False}
    bounded = hinted({"a": "x", "b": {"c": 1}}, fields(a=released), Level.CLOSED)
    assert rules_of(bounded) == [("/structuredContent/b", "sensitive-hint")]


def test_a_released_value_of_a_sensitive_result_keeps_its_containers() -> None:
    released: Json = {"type": "string", "x-sensitive": False}
    schema = fields(outer=fields(inner=fields(a=released)))
    left = structured_of(hinted({"outer": {"inner": {"a": "x"}}}, schema))
    assert left == {"outer": {"inner": {"a": "x"}}}


def test_only_values_withheld_by_the_hint_name_it_as_their_claim() -> None:
    released: Json = {"type": "string", "x-sensitive": False}
    bounded = hinted({"a": "x", "r": REFERENCE, "b": "y"}, fields(a=released))
    claims = {removal.pointer: removal.claim for removal in bounded.removals}
    assert claims["/structuredContent/r"] is None
    hint = claims["/structuredContent/b"]
    assert hint is not None
    assert hint.key == "sensitiveHint"


def test_an_array_has_no_sensitive_keys() -> None:
    names: JsonObject = {"propertyNames": {"x-sensitive": True}}
    schema: Json = {"type": ["object", "array"], "items": {"type": "string"}, **names}
    bounded = bounded_of(["x"], schema, Level.CLOSED)
    assert bounded.removals == ()


def test_a_value_that_is_not_json_is_a_fault() -> None:
    value: Json = ("x",)  # pyright: ignore[reportAssignmentType]
    assert fault_of(value) == "it is not a JSON value"
    assert fault_of(TWICE) == "an object has a duplicate key, so its meaning is ambiguous"
