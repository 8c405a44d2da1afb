"""Reads the messages of an MCP Apps interface: what each asks for, and whether it is accepted.

The messages are JSON-RPC over `postMessage`. Source: SEP-1865 (stable 2026-01-26), Standard MCP Messages, MCP
Apps Specific Messages, Lifecycle.
"""

from enum import Enum, auto

from msgspec import Struct

from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.json.members import text_at

REVISION = "2026-01-26"
MAX_CHARACTERS = 1_000_000
"""The maximum length of one message."""
MAX_CHARACTERS_IN_ALL = 50_000_000
"""The maximum length of all messages of one interface together; beyond it, the interface is ended."""
MAX_MESSAGES = 2_000
"""The maximum number of messages of one interface; beyond it, the interface is ended."""
MAX_WAITING = 8
"""The maximum number of calls and readings that wait at the same time."""

REFUSED = -32000
INVALID = -32600
NO_METHOD = -32601
BAD_PARAMS = -32602

MODE = "inline"


class AppAsk(Enum):
    """The request that a message makes."""

    INITIALIZE = auto()
    INITIALIZED = auto()
    PING = auto()
    CALL = auto()
    """Call a tool of the server."""
    READ = auto()
    """Read a resource of the server."""
    SPEAK = auto()
    """Send something to the model."""
    LINK = auto()
    DISPLAY = auto()
    LOG = auto()
    CLOSE = auto()
    NOTHING = auto()
    """A notification that needs no action."""
    REPLY = auto()
    """An answer to a request of the host."""
    UNKNOWN = auto()
    """A request for a method that the host does not have."""


MESSAGE, CONTEXT = "ui/message", "ui/update-model-context"
_REQUESTS = {
    "ui/initialize": AppAsk.INITIALIZE,
    "ping": AppAsk.PING,
    "tools/call": AppAsk.CALL,
    "resources/read": AppAsk.READ,
    MESSAGE: AppAsk.SPEAK,
    CONTEXT: AppAsk.SPEAK,
    "ui/open-link": AppAsk.LINK,
    "ui/request-display-mode": AppAsk.DISPLAY,
}
_NOTIFICATIONS = {
    "ui/notifications/initialized": AppAsk.INITIALIZED,
    "ui/notifications/request-teardown": AppAsk.CLOSE,
    "notifications/message": AppAsk.LOG,
}
_AT_ONCE = frozenset({AppAsk.INITIALIZE, AppAsk.PING, AppAsk.NOTHING, AppAsk.LOG, AppAsk.CLOSE, AppAsk.REPLY})
"""The messages that are accepted even before the handshake has ended."""


class AppMessage(Struct, frozen=True, kw_only=True):
    """An accepted message of an MCP Apps interface: a request, a notification, or an answer."""

    ask: AppAsk
    method: str
    """Untrusted text; empty for an answer."""
    id: str | int | None = None
    """The id of the request, or of the request that an answer belongs to; None for a notification."""
    params: JsonObject


class AppRefusal(Struct, frozen=True, kw_only=True):
    """The reason why a message is not accepted, in words that quote nothing of the message."""

    reason: str
    code: int = INVALID
    id: str | int | None = None
    """The id of the request to answer with an error; None if no answer is sent."""
    method: str = ""
    """The method of the message; empty if it has none. Untrusted text."""


def message_in(text: str, *, is_initialized: bool) -> AppMessage | AppRefusal:
    """The message in a text, or the reason why it is not accepted.

    `is_initialized`: whether the handshake (`ui/initialize`) is over.
    """
    if len(text) > MAX_CHARACTERS:
        return AppRefusal(reason=f"a message of more than {MAX_CHARACTERS:,} characters")
    read = parse(text)
    if not isinstance(read, JsonText) or not isinstance(read.value, dict):
        return AppRefusal(reason="not a JSON-RPC message")
    message = read.value
    number, method = message.get("id"), text_at(message, "method")
    if (
        message.get("jsonrpc") != "2.0"
        or isinstance(number, bool)
        or not isinstance(number, (str, int, type(None)))
    ):
        return AppRefusal(reason="not a JSON-RPC message")
    if method is None:
        is_reply = number is not None and bool({"result", "error"} & message.keys())
        if not is_reply:
            return AppRefusal(reason="not a JSON-RPC message")
        return AppMessage(ask=AppAsk.REPLY, method="", id=number, params={})
    params = message.get("params", {})
    if not isinstance(params, dict):
        return AppRefusal(
            reason="its parameters are not an object", code=BAD_PARAMS, id=number, method=method
        )
    ask = (
        _NOTIFICATIONS.get(method, AppAsk.NOTHING)
        if number is None
        else _REQUESTS.get(method, AppAsk.UNKNOWN)
    )
    if ask is AppAsk.UNKNOWN:
        return AppRefusal(reason="Sightline has no such method", code=NO_METHOD, id=number, method=method)
    if not is_initialized and ask is not AppAsk.INITIALIZED and ask not in _AT_ONCE:
        return AppRefusal(reason="it came before the handshake was over", id=number, method=method)
    return AppMessage(ask=ask, method=method, id=number, params=params)


def spoken_in(message: AppMessage) -> JsonObject | str:
    """The content that an MCP Apps interface sends to the model, in the shape of a tool result.

    If the content is refused, returns a text with the reason instead.
    """
    content = message.params.get("content")
    blocks = [content] if isinstance(content, dict) else content
    if message.method == MESSAGE:
        if message.params.get("role") != "user":
            return "its role is not `user`"
        if not isinstance(blocks, list) or not blocks:
            return "it has no content"
    elif blocks is not None and not isinstance(blocks, list):
        return "its content is not a list"
    if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks or ()):
        return "its content has an item that is not a content block"
    if not isinstance(message.params.get("structuredContent", {}), dict):
        return "its structured content is not an object"
    rest: JsonObject = {
        key: value for key, value in message.params.items() if key not in {"role", "content", "isError"}
    }
    return {"content": [*(blocks or ())], **rest}


def answered(number: str | int, result: Json) -> JsonObject:
    """A JSON-RPC response to the interface, with a result. `number`: the id of the request."""
    return {"jsonrpc": "2.0", "id": number, "result": result}


def refused(number: str | int, code: int, message: str) -> JsonObject:
    """A JSON-RPC response to the interface, with an error. `number`: the id of the request."""
    error: JsonObject = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def notified(method: str, params: Json) -> JsonObject:
    """A JSON-RPC notification to the interface."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def handshake(*, version: str, tool: JsonObject, granted: JsonObject) -> JsonObject:
    """The result of `ui/initialize`. `granted`: the granted origins and permissions.

    It contains nothing about the user.
    """
    return {
        "protocolVersion": REVISION,
        "hostInfo": {"name": "sightline", "version": version},
        "hostCapabilities": {
            "serverTools": {},
            "serverResources": {},
            "logging": {},
            "message": {"text": {}, "structuredContent": {}},
            "updateModelContext": {"text": {}, "structuredContent": {}},
            "sandbox": granted,
        },
        "hostContext": {
            "toolInfo": {"tool": tool},
            "theme": "light",
            "displayMode": MODE,
            "availableDisplayModes": [MODE],
            "platform": "desktop",
            "userAgent": f"sightline/{version}",
        },
    }
