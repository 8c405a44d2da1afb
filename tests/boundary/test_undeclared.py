"""The number of leaves that pass `declared` although no schema declares them."""

import pytest

from inspector.boundary.options import Level
from inspector.boundary.undeclared import Undeclared
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from tests.boundary.bounding import IMAGE

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "secret": {"type": "string", "x-sensitive": True},
    },
}
TEXT: JsonObject = {"type": "text", "text": "free words"}
PLAIN: JsonObject = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
}
WRAPPED: JsonObject = {"type": "object", "properties": {"result": {"type": "string"}}}
ROW: JsonObject = {"type": "object", "properties": {"a": {"type": "integer"}}}
NUMBERED: list[Json] = [{"type": "text", "text": f'{{"a": {number}}}'} for number in (1, 2, 3)]
ROWS: JsonObject = {"type": "object", "properties": {"result": {"type": "array", "items": ROW}}}


def result(structured: Json, *blocks: Json, **more: Json) -> Outcome:
    return Result(value={"content": list(blocks), "structuredContent": structured, **more})


CASES: list[tuple[str, Json, Outcome, int, tuple[str, ...]]] = [
    ("all is named", SCHEMA, result({"id": "a", "tags": ["x", "y"], "secret": "hidden-value"}), 0, ()),
    ("other members", SCHEMA, result({"id": "a", "x": 1, "y": {"z": [1, 2, None]}}), 4, ("/structuredContent/x", "/structuredContent/y")),
    ("a free text", SCHEMA, result({"id": "a"}, TEXT, TEXT), 2, ("/content/0", "/content/1")),
    ("a free text beside others", SCHEMA, result({"id": "a"}, {"type": "text", "text": '{"id":"a"}'}, {"type": "new"}, TEXT), 1, ("/content/2",)),
    ("a text that repeats", SCHEMA, result({"id": "a"}, {"type": "text", "text": '{"id":"a"}'}), 0, ()),
    ("what is withheld does not pass", SCHEMA, result({"secret": "hidden-value", "x": "hidden-value"}), 0, ()),
    ("no schema", None, result({"a": [1, 2]}, TEXT), 3, ("/structuredContent", "/content/0")),
    ("a value of a page", None, Result(value=[1, [2, 3]], of_page=True), 3, ("",)),
    ("a member of a page's value", SCHEMA, Result(value={"id": "a", "x": 1}, of_page=True), 1, ("/x",)),
    ("a failed call", SCHEMA, result({"id": "a"}, TEXT, isError=True), 2, ("/structuredContent", "/content/0")),
    ("an error", SCHEMA, RpcError(value={"code": -32603, "message": "words", "data": {"a": 1, "b": 2}}), 3, ("/error/message", "/error/data")),
    ("a whole value that breaks the schema", PLAIN, result(["x", 1]), 0, ()),
    ("a text beside a result with another member", WRAPPED, result({"result": "free words", "b": 1}, TEXT), 2, ("/structuredContent/b", "/content/0")),
    ("an item beside a list with another member", ROWS, result({"result": [{"a": 1}], "b": 1}, NUMBERED[0]), 2, ("/structuredContent/b", "/content/0")),
    ("a whole value with too few members", {**PLAIN, "minProperties": 9}, result({"id": "a", "x": 1}), 1, ("/structuredContent/x",)),
    ("values that break the schema", PLAIN, result({"id": 5, "tags": ["x", {"a": 1}], "x": 1}), 1, ("/structuredContent/x",)),
    ("a text that the SDK wraps", WRAPPED, result({"result": "free words"}, TEXT), 0, ()),
    ("a text that the server wraps", {"type": "object", "properties": {"content": {"type": "string"}}}, result({"content": "free words"}, TEXT), 0, ()),
    ("an image beside a text that the SDK wraps", WRAPPED, result({"result": "free words"}, IMAGE), 1, ("/content/0",)),
    ("a failed call that the SDK wraps", WRAPPED, result({"result": "free words"}, TEXT, isError=True), 2, ("/structuredContent", "/content/0")),
    ("another text", WRAPPED, result({"result": "other words"}, TEXT), 1, ("/content/0",)),
    ("items that the SDK wraps", ROWS, result({"result": [{"a": 1}, {"a": 2}]}, *NUMBERED), 1, ("/content/2",)),
    ("a list that the SDK wraps", ROWS, result({"result": [{"a": 1}]}, {"type": "text", "text": '[{"a":1}]'}), 0, ()),
    ("an empty value", None, result({}), 0, ()),
    ("an empty member", SCHEMA, result({"id": "a", "x": {}}), 0, ()),
    ("no answer", SCHEMA, Failure(kind=FailureKind.TIMEOUT, detail="no answer in 5 s"), 0, ()),
    ("a member that the protocol does not know", SCHEMA, result({"id": "a"}, extra={"a": 1}), 1, ("/extra",)),
    ("an array of which an item is withheld", {"type": "array", "prefixItems": [{"x-sensitive": True}, {"type": "string"}]}, result(["hidden-value", "x", 5]), 1, ("/structuredContent/2",)),
    ("a mark at the root", {"x-sensitive": True}, result({"a": 1}), 0, ()),
    ("more than are listed", SCHEMA, result({f"x{number:02}": number for number in range(25)}), 25, tuple(f"/structuredContent/x{number:02}" for number in range(20))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "outcome", "count", "places"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_leaves_that_no_schema_declares_are_counted_and_the_first_places_listed(
    schema: Json, outcome: Outcome, count: int, places: tuple[str, ...]
) -> None:
    definition: JsonObject = {"name": "t", "inputSchema": {}}
    if schema is not None:
        definition["outputSchema"] = schema
    spec = host("spec")
    assert spec
    tool = Tool(name="t", definition=definition)
    assert project(outcome, tool, Level.DECLARED, spec).undeclared == Undeclared(number=count, places=places)
    assert project(outcome, tool, Level.OPEN, spec).undeclared == Undeclared()
    assert project(outcome, tool, Level.CLOSED, spec).undeclared == Undeclared()


@pytest.mark.parametrize(
    ("number", "places", "words"),
    [
        (1, 1, "1 value is not described by the output schema, so `declared` lets it through"),
        (2, 2, "2 values are not described by the output schema, so `declared` lets them through"),
        (2, 0, "2 values are not described by the output schema, so `declared` lets them through"),
        (
            5,
            1,
            "5 values are not described by the output schema, so `declared` lets them through (in 1 place)",
        ),
        (
            5,
            3,
            "5 values are not described by the output schema, so `declared` lets them through (in 3 places)",
        ),
        (1_234, 20, "1,234 values are not described by the output schema, so `declared` lets them through"),
    ],
)
def test_the_number_of_undescribed_values_is_told_in_a_sentence(number: int, places: int, words: str) -> None:
    assert Undeclared(number=number, places=("/a",) * places).words == words
