"""Whole results and errors: how they are split up and reassembled."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.error_code import coded_error
from inspector.boundary.notice import UNKNOWN_CONTENT
from inspector.boundary.reading import passing_at_open, raw_of
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from tests.boundary.bounding import (
    SECRET,
    SENSITIVE,
    STRICT,
    TEXT,
    WHOLE,
    bounded_of,
    content_of,
    fields,
    rules_of,
    structured_of,
    text,
    tool_with,
)


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (RpcError(value={"code": -32603, "message": SECRET}), {"error": coded_error(None)}),
        (
            Failure(kind=FailureKind.TIMEOUT, detail=SECRET),
            {"error": {"code": -31908, "message": "network_timeout"}},
        ),
        (Result(value={"content": [], "isError": True}), {"isError": True}),
        (Result(value={"content": []}), {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("level", STRICT)
def test_an_outcome_that_cannot_be_judged_passes_only_its_kind_of_failure(
    outcome: Outcome, result: JsonObject, level: Level
) -> None:
    bounded = bound(outcome, None, level, declared=Contract(fault="it cannot be read"))
    assert isinstance(bounded.result, dict)
    notice = 'Withheld from this result: {"otherFields":"all","contentBlocks":"all"}'
    content: JsonObject = {} if "error" in result else {"content": [{"type": "text", "text": notice}]}
    assert bounded.result == content | result
    assert rules_of(bounded) == [("", "internal")]


def test_an_error_without_a_code_is_an_internal_error() -> None:
    assert coded_error(None) == {"code": -32603, "message": "internal_error"}


@pytest.mark.parametrize(
    "value",
    [
        {"isError": True, "_meta": {"k": 1}, "resultType": "complete", "a": 1},
        ["_withheld", 1],
        ["content"],
        5,
        None,
        "_withheld",
    ],
)
def test_a_value_that_is_not_a_tool_result_passes_as_structured_content(value: Json) -> None:
    bounded = bounded_of(value)
    assert bounded.removals == ()
    assert bounded.result == {"structuredContent": value}


@pytest.mark.parametrize("level", STRICT)
def test_no_content_is_added_to_a_result_without_content(level: Level) -> None:
    sent: Json = {"structuredContent": {"a": 1}}
    bounded = bounded_of(sent, fields(a={"type": "integer"}), level)
    assert (bounded.result, bounded.removals) == (sent, ())


@pytest.mark.parametrize(
    "members", [["structuredContent", "isError", "content"], ["content", "structuredContent"]]
)
def test_the_members_of_a_result_keep_their_order(members: list[str]) -> None:
    values: JsonObject = {"structuredContent": {"a": 1}, "isError": False, "content": []}
    bounded = bounded_of({key: values[key] for key in members})
    assert isinstance(bounded.result, dict)
    assert list(bounded.result) == members


def test_page_fields_with_protocol_names_are_named_as_fields() -> None:
    schema = fields(_meta={"type": "string"}, isError={"type": "string"}, pin=SENSITIVE)
    bounded = bounded_of({"_meta": 5, "isError": 6}, schema)
    assert structured_of(bounded) == {"_withheld": {"fields": ["_meta", "isError"]}}


def test_an_array_contains_no_notice() -> None:
    schema: Json = {"type": "array", "prefixItems": [SENSITIVE, {"type": "string"}]}
    bounded = bounded_of({"content": [], "structuredContent": ["hidden-pin", "x"]}, schema)
    assert structured_of(bounded) == ["[withheld]", "x"]
    assert str(content_of(bounded)).count("Withheld from this result") == 1


def test_the_result_type_complete_passes_at_closed() -> None:
    bounded = bounded_of({"content": [], "resultType": "complete"}, level=Level.CLOSED)
    assert bounded.result == {"content": [], "resultType": "complete"}


@pytest.mark.parametrize("detail", ["", "it took too long"])
def test_a_failure_without_a_detail_is_described_by_its_code(detail: str) -> None:
    bounded = bound(Failure(kind=FailureKind.TIMEOUT, detail=detail), None, Level.DECLARED)
    assert bounded.result == {"error": {"code": -31908, "message": detail or "network_timeout"}}


def test_a_duplicate_key_in_a_result_is_a_finding() -> None:
    value = DuplicateKeys((("content", []), ("content", [])))
    bounded = bounded_of(value)
    assert bounded.remarks == ("it has a duplicate key, so its meaning is ambiguous",)
    assert content_of(bounded) != []


@pytest.mark.parametrize(
    ("error", "pointer", "left"),
    [
        ({"code": True, "message": "m"}, "/error/code", {"code": -32600, "message": "m"}),
        ({"code": 5, "message": 7312994}, "/error/message", {"code": 5, "message": "tool_error"}),
        ({"code": 5, "message": {"a": "b"}}, "/error/message", {"code": 5, "message": "tool_error"}),
        ([], "/error", {"code": -32600, "message": "protocol_error"}),
    ],
)
def test_error_members_that_json_rpc_does_not_allow_are_withheld(
    error: Json, pointer: str, left: Json
) -> None:
    bounded = bound(RpcError(value=error), tool_with(), Level.DECLARED)
    assert bounded.result == {"error": left}
    assert rules_of(bounded) == [(pointer, "internal")]


@pytest.mark.parametrize("level", STRICT)
def test_an_error_of_a_sensitive_tool_passes_as_a_code_only(level: Level) -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    outcome = RpcError(value={"code": 7312994, "message": f"{SECRET} failed"})
    bounded = bound(outcome, tool, level)
    assert bounded.result == {"error": {"code": -31954, "message": "tool_error"}}
    assert {pointer for pointer, _ in rules_of(bounded)} == {"/error/code", "/error/message"}


@pytest.mark.parametrize("level", list(Level))
def test_an_error_that_a_page_threw_has_a_code_of_the_boundary(level: Level) -> None:
    thrown: JsonObject = {"message": f"E: {SECRET}", "data": {"exception": {"description": SECRET}}}
    outcome = RpcError(value=thrown, of_page=True)
    bounded = bound(outcome, tool_with(), level)
    own: JsonObject = {"code": -31954, "message": "tool_error"}
    assert bounded.result == {"error": own if level is Level.CLOSED else own | thrown}
    assert raw_of(outcome) == {"error": thrown}


@pytest.mark.parametrize("thrown", ["text", None, ["a"]])
def test_an_error_of_a_page_that_is_no_object_passes_as_it_is_at_open(thrown: Json) -> None:
    assert passing_at_open(RpcError(value=thrown, of_page=True)) == {"error": thrown}


_OMITTED = {"M1": Rule.INTERNAL, "M2": Rule.LABELLED, "M3": Rule.DETECT, "M4": Rule.ECHO}


@pytest.mark.parametrize("level", STRICT)
def test_what_was_withheld_in_a_recording_is_withheld_again_for_the_same_rule(level: Level) -> None:
    blocks: list[Json] = [*map(text, ("M1", "M2", "M3", "M4", "fine"))]
    value: JsonObject = {"content": blocks, "structuredContent": {"a": "M4", "b": 1}}
    outcome = Result(value=value, omitted={key: str(rule) for key, rule in _OMITTED.items()})
    bounded = bound(outcome, tool_with(fields(a=TEXT, b=WHOLE)), level)
    found = {(one.pointer, one.rule): one.detail for one in bounded.removals}
    again = "withheld when it was recorded"
    assert found["/content/0", Rule.INTERNAL] == f"{again} (rule internal)"
    assert found["/content/1", Rule.LABELLED] == f"{again} (rule labelled)"
    assert found["/structuredContent/a", Rule.ECHO] == f"{again} (a copy of a withheld value)"
    passing = dump_text(bounded.result)
    assert not [marker for marker in _OMITTED if marker in passing]
    if level is Level.DECLARED:
        assert found["/content/2", Rule.DETECT] == f"{again} (rule detect)"
        assert found["/content/3", Rule.ECHO] == f"{again} (a copy of a withheld value)"
        assert text(UNKNOWN_CONTENT) in content_of(bounded)
        assert text("fine") in content_of(bounded)
    assert bound(Result(value=value), tool_with(), Level.DECLARED).removals == ()


def test_an_error_that_is_only_a_code_loses_nothing() -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    bounded = bound(RpcError(value=coded_error(None)), tool, Level.CLOSED)
    assert (bounded.result, bounded.removals[:]) == ({"error": coded_error(None)}, ())


@pytest.mark.parametrize(
    ("status", "code"),
    [(407, "auth_failed"), (410, "not_found"), (499, "protocol_error"), (500, "upstream_unavailable")],
)
def test_an_http_status_is_mapped_to_an_error_code(status: int, code: str) -> None:
    outcome = Failure(kind=FailureKind.HTTP_STATUS, detail="d", http_status=status)
    assert bound(outcome, None, Level.CLOSED).error == code


def test_an_output_schema_describes_an_unfinished_result_but_no_envelope() -> None:
    schema = fields(token=SENSITIVE, requestState=SENSITIVE)
    result: Json = {"resultType": "odd", "content": [], "structuredContent": {"token": SECRET}}
    envelope: Json = {"resultType": "input_required", "inputRequests": {}, "requestState": SECRET}
    assert rules_of(bounded_of(result, schema)) == [
        ("", "unfinished"),
        ("/structuredContent/token", "x-sensitive"),
    ]
    assert rules_of(bounded_of(envelope, schema)) == [("", "unfinished")]
