"""Results compared with the output schemas of their tools."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal
from inspector.boundary.contract import contract_of
from inspector.boundary.judgement import Judgement
from inspector.boundary.notice import Notice, text_block
from inspector.boundary.output_check import NOT_ASKED, OutputCheck, safe_output
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.schema.validation import SchemaCheck, Violation
from tests.boundary.bounding import TWICE

ORDER: JsonObject = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "placed": {"type": "string"}},
    "required": ["id"],
}
SECRET = "hunter2-hunter2-hunter2"
LACKING = [
    "/content required is missing, and MCP requires it in every result",
    "/structuredContent required is missing, and the tool declares an output schema",
]


def tool(schema: Json = None) -> Tool:
    definition: JsonObject = {"name": "order", "inputSchema": {"type": "object"}}
    return Tool(
        name="order", definition=definition if schema is None else {**definition, "outputSchema": schema}
    )


def result(structured: Json, **members: Json) -> Result:
    return Result(value={"content": [], "structuredContent": structured, **members})


def output(outcome: Outcome, schema: Json = ORDER, level: Level = Level.DECLARED) -> OutputCheck:
    return Judgement(outcome, tool(schema)).output(level)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (result({"id": 7}), []),
        (result({"id": "seven"}), ['/structuredContent/id type must be an integer, is "seven"']),
        (result({"placed": "x"}), ["/structuredContent/id required is missing"]),
        (
            Result(value={"content": []}),
            ["/structuredContent required is missing, and the tool declares an output schema"],
        ),
        (
            Result(value={"structuredContent": {"id": 7}}),
            ["/content required is missing, and MCP requires it in every result"],
        ),
        (
            Result(value=7),
            [" type is not an object, and MCP requires one"],
        ),
        (result([]), ["/structuredContent type must be an object, is an array"]),
        (Result(value={}), LACKING),
        (Result(value={"isError": False}), LACKING),
        (Result(value=TWICE), [" required does not fit the schema"]),
        (
            result({"id": "x"}, content={"a": 1}),
            [
                "/content type is not an array, and MCP requires one",
                '/structuredContent/id type must be an integer, is "x"',
            ],
        ),
    ],
)
def test_each_violation_is_reported_with_its_place(outcome: Outcome, expected: list[str]) -> None:
    found = output(outcome)
    assert found.is_asked
    assert [f"{told.pointer} {told.keyword} {told.message}" for told in found.violations] == expected
    assert bool(found.sentence) is bool(expected)
    assert found.sentences == ((found.sentence,) if expected else ())


@pytest.mark.parametrize(
    ("outcome", "schema"),
    [
        (result({"id": "seven"}), None),
        (result({"id": "seven"}, isError=True), ORDER),
        (Result(value={"isError": True}), ORDER),
        (RpcError(value={"code": 1, "message": "x"}), ORDER),
        (Failure(kind=FailureKind.TIMEOUT, detail=""), ORDER),
        (Result(value={"resultType": "input_required", "inputRequests": {}}), ORDER),
    ],
)
def test_a_failed_call_or_one_without_a_schema_is_not_compared(outcome: Outcome, schema: Json) -> None:
    assert output(outcome, schema) == NOT_ASKED


@pytest.mark.parametrize("value", [[1, 2], "text", 7, None, True])
def test_a_result_of_a_server_must_be_an_object_even_without_a_schema(value: Json) -> None:
    found = output(Result(value=value), None)
    assert (
        found.sentence
        == "result breaks the protocol: (the whole result) is not an object, and MCP requires one"
    )
    assert output(Result(value=value, of_page=True), None) == NOT_ASKED
    assert Judgement(Result(value=value), None).output(Level.DECLARED) == NOT_ASKED


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"content": "ok"}, "/content is not an array, and MCP requires one"),
        ({"content": ["ok"]}, "/content/0 is not an object, and MCP requires one"),
        (
            {"content": [{"text": "ok"}]},
            "/content/0/type is missing, and MCP requires a string in each content block",
        ),
        (
            {"content": [{"type": {"secret": "swordfish"}}]},
            "/content/0/type is not a string, and MCP requires a string in each content block",
        ),
        (
            {"content": [{"type": "text", "text": 5}]},
            "/content/0/text is not a string, and MCP requires a string in each text block",
        ),
        (
            {"content": [{"type": "image", "data": "aGk="}], "isError": True},
            "/content/0/mimeType is missing, and MCP requires a string in each image block",
        ),
        (
            {"content": [{"type": "resource", "resource": "file:///a"}]},
            "/content/0/resource is not an object, and MCP requires an object in each resource block",
        ),
        (
            {"content": [{"type": "resource"}]},
            "/content/0/resource is missing, and MCP requires an object in each resource block",
        ),
        ({"content": [{"type": "sword", "text": 5, "resource": 6}]}, ""),
        ({"content": [], "isError": "no"}, "/isError is not a boolean, and MCP requires one"),
        # Extensions have content types of their own.
        ({"content": [{"type": "secret_reference"}]}, ""),
        ({"content": [{"type": "text", "text": "ok"}]}, ""),
        ({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "ok"}}]}, ""),
        # What a duplicate key means cannot be judged.
        ({"content": [TWICE]}, ""),
    ],
)
def test_a_malformed_result_breaks_the_protocol_even_without_a_schema(
    members: JsonObject, expected: str
) -> None:
    found = output(Result(value=members), None)
    assert found.sentence == (f"result breaks the protocol: {expected}" if expected else "")
    assert found.is_asked is bool(expected)
    keyword = "required" if " is missing" in expected else "type"
    assert [one.keyword for one in found.violations] == ([keyword] if expected else [])
    assert output(Result(value=members, of_page=True), None) == NOT_ASKED


def test_a_page_result_is_compared_as_a_plain_value() -> None:
    contract = replace(contract_of(tool(ORDER)), is_of_page=True)
    fitting = Judgement(Result(value={"id": 7}, of_page=True), None, contract=contract)
    assert fitting.output(Level.DECLARED) == OutputCheck()
    shaped = Result(value={"structuredContent": {"id": 7}}, of_page=True)
    assert Judgement(shaped, None, contract=contract).output(Level.DECLARED) == OutputCheck()
    broken = Judgement(Result(value={"id": "x"}, of_page=True), None, contract=contract).output(
        Level.DECLARED
    )
    assert [told.pointer for told in broken.violations] == ["/id"]
    text = Judgement(Result(value="seven", of_page=True), None, contract=contract).output(Level.DECLARED)
    assert [told.pointer for told in text.violations] == [""]


@pytest.mark.parametrize(
    ("outcome", "schema", "reason"),
    [
        (result({"id": 7}), {"type": "objekt"}, "the schema is broken at /type"),
        (result({"id": 7}), [], "the schema is broken"),
        (result({"id": 7}), {"$schema": "https://example.org/own"}, "its dialect is not known"),
        (result({"id": 7}), {"properties": {"id": {"$ref": "#/no"}}}, "which it does not contain"),
        (result({"_withheld": {"fields": ["id"]}}), ORDER, "an earlier boundary"),
        (
            Result(value={"content": [text_block(Notice(fields=("id",)).text)], "structuredContent": {}}),
            ORDER,
            "an earlier boundary",
        ),
    ],
)
def test_a_result_that_cannot_be_compared_neither_passes_nor_fails(
    outcome: Outcome, schema: Json, reason: str
) -> None:
    found = output(outcome, schema)
    assert found.is_asked
    assert not found.violations
    assert reason in " ".join(found.sentences)


def test_many_violations_are_counted() -> None:
    found = output(result([*("x" for _ in range(100))]), {"items": {"type": "integer"}})
    assert (len(found.violations), found.more) == (20, 80)
    assert found.sentence.endswith(" · 80 more")


def test_messages_quote_no_value_that_the_boundary_withholds() -> None:
    loose: JsonObject = {"properties": {"id": {"type": "integer"}}}
    outcome = result({"id": SECRET})
    assert SECRET in output(outcome, loose).sentence
    assert SECRET not in output(outcome, {**loose, "additionalProperties": {"x-sensitive": True}}).sentence
    assert SECRET not in output(result({"id": [SECRET]}), {"properties": {"id": {"type": "null"}}}).sentence
    for level in Level:
        judgement = Judgement(outcome, tool(loose))
        is_withheld = any(
            "/structuredContent/id".startswith(removal.pointer)
            for removal in judgement.bounded(level).removals
        )
        assert (SECRET in judgement.output(level).sentence) is not is_withheld


def test_no_key_below_a_masked_value_is_named() -> None:
    found = SchemaCheck(
        violations=(
            Violation(pointer=f"/a/{SECRET}/b", message=f'is "{SECRET}"', plain="is wrong", keyword="type"),
            Violation(pointer="/a", message=f'is "{SECRET}"', plain="is wrong", keyword="type"),
            Violation(pointer="/ab", message="is 5", plain="is wrong", keyword="type"),
        )
    )
    safe = safe_output(found, [Removal(pointer="/a", rule="x", detail="")], [])
    assert [(told.pointer, told.message) for told in safe.violations] == [
        ("/a", "does not fit the schema"),
        ("/a", "is wrong"),
        ("/ab", "is 5"),
    ]
    assert SECRET not in safe_output(
        found, [], [Removal(pointer="", rule="x", detail="")], quote=True
    ).sentence.replace(f"/a/{SECRET}/b", "")


@pytest.mark.parametrize(
    ("secrets", "withheld", "quote", "message"),
    [
        ([], [], True, "is 5"),
        ([], [], False, "is wrong"),
        (["/a/b"], [], True, "is wrong"),
        ([], ["/a/b"], True, "is wrong"),
        (["/ab"], ["/abc"], True, "is 5"),
    ],
)
def test_a_message_quotes_no_container_of_a_withheld_value(
    secrets: list[str],
    withheld: list[str],
    quote: bool,  # noqa: FBT001 - a column of the table
    message: str,
) -> None:
    found = SchemaCheck(
        violations=(Violation(pointer="/a", message="is 5", plain="is wrong", keyword="type"),)
    )
    hidden, silent = (
        [Removal(pointer=each, rule="x", detail="") for each in pointers] for pointers in (secrets, withheld)
    )
    assert [told.message for told in safe_output(found, hidden, silent, quote=quote).violations] == [message]


leaves = st.sampled_from([SECRET, f"x{SECRET}x", 7, None, True])
values: st.SearchStrategy[Json] = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "token", "list", SECRET]), inner, max_size=3)
    ),
    max_leaves=6,
)
breaking = st.sampled_from(
    [
        {"type": "null"},
        {"enum": ["a"]},
        {"maxLength": 1},
        {"pattern": "^x$"},
        {"additionalProperties": False},
        {"propertyNames": {"maxLength": 1}},
        {"uniqueItems": True, "maxItems": 0},
        {"anyOf": [{"type": "null"}, {"properties": {"id": {"const": 1}}}]},
    ]
)


@given(values, breaking, breaking, st.sampled_from(list(Level)))
@settings(max_examples=200)
def test_no_violation_quotes_a_masked_value(
    value: Json, first: JsonObject, second: JsonObject, level: Level
) -> None:
    schema: JsonObject = {
        **first,
        "properties": {"id": second, "token": {**second, "x-sensitive": True}, "list": {"items": second}},
        "patternProperties": {"hunter2": {"x-sensitive": True}},
    }
    outcome = result(value)
    judgement = Judgement(outcome, tool(schema))
    found = judgement.output(level)
    for told in found.violations:
        assert SECRET not in told.message
    masked = {removal.pointer for removal in judgement.secrets()}
    for told in found.violations:
        above = told.pointer
        while above:
            above = above.rpartition("/")[0]
            assert above not in masked
        if told.message != "is missing":
            resolve(outcome.value, told.pointer)
    assert json.dumps([told.as_json() for told in found.violations])


def test_a_sentence_says_what_is_broken_where() -> None:
    sentence = output(result({"id": "x"})).sentence
    assert sentence == 'output breaks its schema: /structuredContent/id must be an integer, is "x"'
