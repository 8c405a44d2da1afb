"""Maps errors to a closed set of codes, by the JSON-RPC code, the HTTP status or the kind of failure.

The texts of errors are not read.
"""

from typing import TypeGuard

from inspector.boundary.bounded import ErrorCode
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import METHOD_NOT_FOUND, Failure, FailureKind, Outcome, Result, RpcError

_NUMBERS: dict[ErrorCode, int] = {
    ErrorCode.PROTOCOL_ERROR: -32600,
    ErrorCode.INVALID_ARGUMENTS: -32602,
    # MCP uses -32602 for both codes; `_code_of_number` picks one by whether the server lists the tool.
    ErrorCode.UNKNOWN_TOOL: -32602,
    ErrorCode.INTERNAL_ERROR: -32603,
    # JSON-RPC reserves -32768..-32000; other numbers are for applications.
    ErrorCode.AUTH_FAILED: -31901,
    ErrorCode.FORBIDDEN: -31903,
    ErrorCode.NOT_FOUND: -31904,
    ErrorCode.NETWORK_TIMEOUT: -31908,
    ErrorCode.RATE_LIMITED: -31929,
    ErrorCode.UPSTREAM_UNAVAILABLE: -31950,
    ErrorCode.CONNECTION_LOST: -31951,
    ErrorCode.CANCELLED: -31952,
    ErrorCode.BLOCKED_BY_POLICY: -31953,
    ErrorCode.TOOL_ERROR: -31954,
}
_RESERVED = range(-32768, -31999)
_INVALID_PARAMETERS = -32602
_RESOURCE_NOT_FOUND = -32002

_FAILURES = {
    FailureKind.TIMEOUT: ErrorCode.NETWORK_TIMEOUT,
    FailureKind.CANCELLED: ErrorCode.CANCELLED,
    FailureKind.UNSUBMITTED: ErrorCode.CANCELLED,
    FailureKind.CONNECTION_LOST: ErrorCode.CONNECTION_LOST,
    FailureKind.SESSION_ENDED: ErrorCode.CONNECTION_LOST,
    FailureKind.NOT_RECORDED: ErrorCode.CONNECTION_LOST,
}
_STATUSES = {
    401: ErrorCode.AUTH_FAILED,
    403: ErrorCode.FORBIDDEN,
    404: ErrorCode.NOT_FOUND,
    407: ErrorCode.AUTH_FAILED,
    408: ErrorCode.NETWORK_TIMEOUT,
    410: ErrorCode.NOT_FOUND,
    429: ErrorCode.RATE_LIMITED,
    504: ErrorCode.NETWORK_TIMEOUT,
}


def error_code(outcome: Outcome, *, is_listed: bool) -> ErrorCode | None:
    """The code of a failed call; None after success. `is_listed`: true if the server lists the tool."""
    match outcome:
        case Result():
            return ErrorCode.TOOL_ERROR if is_failed_result(outcome.value) else None
        case RpcError(of_page=True):
            return ErrorCode.TOOL_ERROR
        case RpcError():
            error = outcome.value
            return _code_of_number(
                error.get("code") if isinstance(error, dict) else None, is_listed=is_listed
            )
        case Failure(kind=FailureKind.HTTP_STATUS):
            status = outcome.http_status or 0
            fallback = ErrorCode.UPSTREAM_UNAVAILABLE if status >= 500 else ErrorCode.PROTOCOL_ERROR
            return _STATUSES.get(status, fallback)
        case Failure():
            return _FAILURES.get(outcome.kind, ErrorCode.PROTOCOL_ERROR)


def is_tool_result(value: Json) -> TypeGuard[JsonObject]:
    """True if a value is a tool result of MCP: an object with `content` or `structuredContent`."""
    return isinstance(value, dict) and ("content" in value or "structuredContent" in value)


def is_failed_result(value: Json) -> bool:
    """True if a tool result declares failure. An `isError` other than true or false counts as true."""
    return is_tool_result(value) and value.get("isError", False) is not False


def coded_error(code: ErrorCode | None) -> JsonObject:
    """A JSON-RPC error with only the code and a fixed text for it. `code`: None for an internal error."""
    known = code or ErrorCode.INTERNAL_ERROR
    return {"code": _NUMBERS[known], "message": known.value}


def _code_of_number(number: Json, *, is_listed: bool) -> ErrorCode:
    if isinstance(number, bool) or not isinstance(number, int):
        return ErrorCode.PROTOCOL_ERROR
    if number in {_INVALID_PARAMETERS, METHOD_NOT_FOUND} and not is_listed:
        return ErrorCode.UNKNOWN_TOOL
    if number == _RESOURCE_NOT_FOUND:
        return ErrorCode.NOT_FOUND
    for code, own in _NUMBERS.items():
        if number == own:
            return code
    return ErrorCode.PROTOCOL_ERROR if number in _RESERVED else ErrorCode.TOOL_ERROR
