import pytest

from inspector.boundary.bound import bound, raw_of
from inspector.boundary.bounded import ErrorCode, Level
from inspector.boundary.error_code import coded_error, error_code
from inspector.json.exact import DuplicateKeys, Json
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError

TOOL = Tool(name="t", definition={"name": "t", "inputSchema": {}})


def rpc(code: Json) -> RpcError:
    return RpcError(value={"code": code, "message": "m"})


def http(status: int | None) -> Failure:
    return Failure(kind=FailureKind.HTTP_STATUS, detail="d", http_status=status)


CODES: list[tuple[Outcome, str]] = [
    (rpc(-32700), "protocol_error"),
    (rpc(-32600), "protocol_error"),
    (rpc(-32601), "protocol_error"),
    (rpc(-32602), "invalid_arguments"),
    (rpc(-32603), "internal_error"),
    (rpc(-32002), "not_found"),
    (rpc(-32042), "protocol_error"),
    (rpc(-32000), "protocol_error"),
    (rpc(-31999), "tool_error"),
    (rpc(1), "tool_error"),
    (rpc(True), "protocol_error"),
    (rpc("-32602"), "protocol_error"),
    (rpc(-32602.0), "protocol_error"),
    (RpcError(value=None), "protocol_error"),
    (RpcError(value=DuplicateKeys((("code", -32602), ("code", -32603)))), "protocol_error"),
    (http(400), "protocol_error"),
    (http(401), "auth_failed"),
    (http(403), "forbidden"),
    (http(404), "not_found"),
    (http(408), "network_timeout"),
    (http(429), "rate_limited"),
    (http(500), "upstream_unavailable"),
    (http(503), "upstream_unavailable"),
    (http(504), "network_timeout"),
    (http(None), "protocol_error"),
    (Failure(kind=FailureKind.TIMEOUT, detail="d"), "network_timeout"),
    (Failure(kind=FailureKind.CANCELLED, detail="d"), "cancelled"),
    (Failure(kind=FailureKind.UNSUBMITTED, detail="d"), "cancelled"),
    (Failure(kind=FailureKind.CONNECTION_LOST, detail="d"), "connection_lost"),
    (Failure(kind=FailureKind.SESSION_ENDED, detail="d"), "connection_lost"),
    (Failure(kind=FailureKind.NOT_RECORDED, detail="d"), "connection_lost"),
    (Failure(kind=FailureKind.PROTOCOL, detail="d"), "protocol_error"),
    (Result(value={"content": [], "isError": True}), "tool_error"),
    (Result(value={"content": [], "isError": 1}), "tool_error"),
    (Result(value={"structuredContent": {}, "isError": None}), "tool_error"),
]


@pytest.mark.parametrize(("outcome", "code"), CODES, ids=str)
def test_the_code_of_a_failure_depends_on_protocol_facts_only(outcome: Outcome, code: str) -> None:
    assert error_code(outcome, is_listed=True) == code
    for level in Level:
        assert bound(outcome, TOOL, level).error == code


@pytest.mark.parametrize("number", [-32602, -32601])
def test_an_error_of_an_unlisted_tool_has_the_code_unknown_tool(number: int) -> None:
    assert bound(rpc(number), None, Level.CLOSED).error is ErrorCode.UNKNOWN_TOOL


@pytest.mark.parametrize(
    "value", [{"content": []}, {"content": [], "isError": False}, {"isError": True}, "isError", None]
)
def test_a_result_that_did_not_fail_has_no_error_code(value: Json) -> None:
    assert error_code(Result(value=value), is_listed=True) is None


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_with_nothing_but_a_code_passes_every_boundary_unchanged(
    code: ErrorCode, level: Level
) -> None:
    tool = None if code is ErrorCode.UNKNOWN_TOOL else TOOL
    bounded = bound(RpcError(value=coded_error(code)), tool, level)
    assert bounded.result == {"error": coded_error(code)}
    assert bounded.removals == ()
    assert bounded.error is code


@pytest.mark.parametrize(
    "outcome", [outcome for outcome, _ in CODES if not isinstance(outcome, Result)], ids=str
)
def test_at_closed_only_the_code_of_an_error_passes(outcome: Outcome) -> None:
    bounded = bound(outcome, TOOL, Level.CLOSED)
    assert bounded.error
    assert bounded.result == {"error": coded_error(bounded.error)}


def test_at_declared_an_error_loses_only_what_json_rpc_does_not_allow() -> None:
    sent: Json = {"code": "x", "message": "m", "data": {"a": 1}, "more": DuplicateKeys((("a", 1), ("a", 2)))}
    bounded = bound(RpcError(value=sent), TOOL, Level.DECLARED)
    assert bounded.result == {"error": {"code": -32600, "message": "m", "data": {"a": 1}}}
    assert {removal.pointer: str(removal.rule) for removal in bounded.removals} == {
        "/error/code": "internal",
        "/error/more": "internal",
    }


def test_the_detail_of_a_failure_reaches_the_model_except_at_closed() -> None:
    failure = Failure(kind=FailureKind.TIMEOUT, detail="no answer in 60 s")
    expected: Json = {"error": {"code": -31908, "message": "no answer in 60 s"}}
    assert raw_of(failure) == expected
    assert bound(failure, TOOL, Level.OPEN).result == expected
    assert bound(failure, TOOL, Level.DECLARED).result == expected
    assert bound(failure, TOOL, Level.CLOSED).result == {"error": coded_error(ErrorCode.NETWORK_TIMEOUT)}


def test_at_closed_a_failed_result_is_a_code_and_a_notice() -> None:
    forged: Json = {"content": [{"type": "text", "text": "not_found"}], "isError": True}
    bounded = bound(Result(value=forged), TOOL, Level.CLOSED)
    assert bounded.result == {
        "content": [
            {"type": "text", "text": "tool_error"},
            {"type": "text", "text": 'Withheld from this result: {"contentBlocks":"1"}'},
        ],
        "isError": True,
    }


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_an_error_beside_a_result_is_withheld(level: Level) -> None:
    beside: Json = {"content": [], "structuredContent": {"key": "hunter2-Secret"}}
    both = RpcError(value={"code": -1, "message": "no hunter2-Secret"}, beside=beside)
    bounded = bound(both, TOOL, level)
    assert bounded.result == {"error": coded_error(bounded.error)}
    assert [(removal.pointer, removal.rule) for removal in bounded.removals] == [("", "internal")]
    assert "has both a result and an error" in bounded.removals[0].detail
    assert bound(both, TOOL, Level.OPEN).result == {"error": both.value}
