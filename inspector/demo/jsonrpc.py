"""JSON-RPC 2.0 as MCP uses it: checks of requests, and the making of responses."""

from enum import IntEnum

from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Malformed, Number, parse
from inspector.protocol.frames import Request


class Code(IntEnum):
    """Error codes of JSON-RPC and MCP."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    RESOURCE_NOT_FOUND = -32002
    """Revisions with a handshake use this code. Stateless revisions use INVALID_PARAMS instead."""
    HEADER_MISMATCH = -32020
    UNSUPPORTED_PROTOCOL_VERSION = -32022


class RefusedError(Exception):
    """Raised to answer a request with a JSON-RPC error."""

    def __init__(self, code: Code, message: str, data: Json = None) -> None:
        """`data`: the error's member `data`; None leaves it out."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def read(raw: bytes) -> JsonText | Malformed:
    """Parse `raw` as strict JSON.

    Also returns Malformed for text that `parse` accepts but in which it finds a fault.
    """
    body = parse(raw)
    match body:
        case JsonText(faults=(first, *_)):
            return Malformed(pointer="", reason=f"not JSON: {first}")
        case JsonText(value=value) if (b"NaN" in raw or b"Infinity" in raw) and _holds_no_number(value):
            return Malformed(pointer="", reason="not JSON: NaN and Infinity are not numbers")
        case _:
            return body


def answer(identity: Json, result: JsonObject) -> JsonObject:
    """A JSON-RPC response with a result. `identity`: the id of the request."""
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def refusal(identity: Json, error: RefusedError) -> JsonObject:
    """A response with an error. `identity`: the request's id; None if it is unknown."""
    member: JsonObject = {"code": int(error.code), "message": error.message}
    if error.data is not None:
        member["data"] = error.data
    return {"jsonrpc": "2.0", "id": identity, "error": member}


def notification(method: str, params: JsonObject) -> JsonObject:
    """A JSON-RPC notification with this method and these parameters."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def is_identity(value: Json) -> bool:
    """True if `value` is a valid MCP request id: a text or an integer, never null."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def sound_params(request: Request) -> JsonObject:
    """The parameters of a request; empty if there are none. Raises RefusedError for an invalid request."""
    if request.value.get("jsonrpc") != "2.0":
        raise RefusedError(Code.INVALID_REQUEST, 'Invalid request: jsonrpc is not "2.0"')
    if request.params is None and "params" not in request.value:
        return {}
    if not isinstance(request.params, dict):
        raise RefusedError(Code.INVALID_PARAMS, "Invalid params: not an object")
    return request.params


def text_param(params: JsonObject, key: str) -> str:
    """The value of a required text parameter. Raises RefusedError."""
    value = params.get(key)
    if not isinstance(value, str):
        raise RefusedError(Code.INVALID_PARAMS, f"Invalid params: {key} has to be a string")
    return value


def object_param(params: JsonObject, key: str) -> JsonObject:
    """The value of an optional object parameter; empty if it is missing. Raises RefusedError."""
    value = params.get(key, {})
    if not isinstance(value, dict):
        raise RefusedError(Code.INVALID_PARAMS, f"Invalid params: {key} has to be an object")
    return value


def _holds_no_number(value: Json) -> bool:
    stack: list[Json] = [value]
    while stack:
        match stack.pop():
            case Number() as number if number.text in {"NaN", "Infinity", "-Infinity"}:
                return True
            case dict() as item:
                stack.extend(item.values())
            case list() as items:
                stack.extend(items)
            case DuplicateKeys(pairs=pairs):
                stack.extend(child for _, child in pairs)
            case _:
                pass
    return False
