"""Frames, which hold what went over the wire before any interpretation, and the messages in them."""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from inspector.credentials.cutting import masked_start
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump_text
from inspector.json.members import object_at
from inspector.safe_text import safe_line


class Direction(StrEnum):
    """The direction of a frame, seen from Sightline."""

    SENT = "sent"
    RECEIVED = "received"

    @property
    def opposite(self) -> "Direction":
        return Direction.RECEIVED if self is Direction.SENT else Direction.SENT


class Channel(StrEnum):
    """The medium over which a frame travelled."""

    STDIO = "stdio"
    STDERR = "stderr"
    HTTP = "http"
    SSE = "sse"
    CDP = "cdp"
    NOTE = "note"
    """Nothing was sent or received. The frame is about an event in Sightline, such as the start of a process."""


class Frame(Struct, frozen=True, kw_only=True):
    """A line of stdio or stderr, an HTTP body, a server-sent event or a browser message, unchanged; or a note."""

    number: int
    """The number of the frame, counted from 1 within a connection."""
    at_s: float
    """Seconds since the connection was requested."""
    direction: Direction
    channel: Channel
    raw: bytes
    head: str = ""
    """For HTTP, the request line, or the status and media type: `POST /mcp` or `200 application/json`.

    For a server-sent event, its type and id follow. Untrusted text.
    """
    ends: str | None = None
    """For a note: the `request_key` of the request that will get no answer, for the reason in `raw`.

    For a call of a page's tool that has begun: the id of the invocation. The note has the direction that
    the missing answer would have had.
    """
    failure: str = ""
    """For a note that ends a request by Sightline: the `FailureKind` of the reason.

    Empty for any other note, and in a recording that does not give the kind.
    """
    http_status: int | None = None
    """For a note that ends a request: the status of the HTTP response that ended it; None without one."""
    response_to: str | None = None
    """For HTTP: the `request_key` of the request whose HTTP response contained this frame."""
    body: JsonText | Malformed | None = None
    """`raw`, parsed once; None if the channel does not carry JSON."""
    recorded_bytes: int | None = None
    """For a frame of a recording: the recorded size, because `raw` is serialized from the recorded value."""

    @property
    def size_bytes(self) -> int:
        return len(self.raw) if self.recorded_bytes is None else self.recorded_bytes


class Request(Struct, frozen=True, kw_only=True):
    """A JSON-RPC message that asks for an answer."""

    id: Json
    method: str
    params: Json
    value: JsonObject


class Notification(Struct, frozen=True, kw_only=True):
    """A JSON-RPC message that asks for no answer."""

    method: str
    params: Json
    value: JsonObject


class Response(Struct, frozen=True, kw_only=True):
    """A JSON-RPC answer.

    If both `result` and `error` are present, `error` decides, and `faults` names the fault.
    """

    id: Json
    result: Json
    error: Json
    is_error: bool
    value: JsonObject
    faults: tuple[str, ...] = ()


MAX_PRINTED = 120
_READ_OF_PRINTED = 16 * 1024
"""The maximum number of bytes that `printed_line` reads of a line that a server printed to stdout.

The frame has the whole line.
"""
_MESSAGE_START = re.compile(rb"\s*(?:\{|\[\s*\{)")
"""The start of a JSON-RPC message."""

Message: TypeAlias = Request | Notification | Response | Malformed


def request_key(request_id: Json) -> str:
    """A JSON-RPC id as a text key. 1 and "1" have the same key: some servers answer with the id as text."""
    if isinstance(request_id, str):
        return request_id
    # Most ids are small integers, which need no encoder.
    return str(request_id) if type(request_id) is int and 0 <= request_id < 1 << 53 else dump_text(request_id)


def with_meta(params: JsonObject, members: JsonObject) -> JsonObject:
    """The parameters with `members` merged into `_meta`."""
    return {**params, "_meta": {**object_at(params, "_meta"), **members}}


def messages(body: JsonText | Malformed | None, *, is_cdp: bool = False) -> tuple[Message, ...]:
    """The messages in a frame: one, several for a JSON-RPC batch, none for a channel without JSON.

    `is_cdp`: whether they are messages of the browser, which have the same shape but no `jsonrpc` member.
    """
    match body:
        case None:
            return ()
        case Malformed():
            return (body,)
        case JsonText(value=list() as batch):
            return tuple(_message(item, f"/{index}", is_cdp=is_cdp) for index, item in enumerate(batch))
        case JsonText(value=value):
            return (_message(value, "", is_cdp=is_cdp),)


PRINTED = "server printed to stdout instead of stderr: "
"""The prefix of the texts that `printed_line` returns."""
WITHOUT_ID = "an answer without id"
"""The fault of a response that names no request."""


def begins_like_message(raw: bytes) -> bool:
    """True if bytes that are not a valid message begin like one, so that they are not a log line."""
    return _MESSAGE_START.match(raw) is not None


def printed_line(frame: Frame, mask: Callable[[str], str]) -> str | None:
    """A hint about a line that a server printed to stdout instead of stderr; None if the frame is anything else."""
    if frame.channel is not Channel.STDIO or not isinstance(frame.body, Malformed):
        return None
    if begins_like_message(frame.raw):
        return None
    text = " ".join(frame.raw[:_READ_OF_PRINTED].decode("utf-8", "replace").split())
    return f'{PRINTED}"{safe_line(masked_start(text, mask, MAX_PRINTED))}"'


def _message(value: Json, pointer: str, *, is_cdp: bool) -> Message:
    if not isinstance(value, dict):
        return Malformed(pointer=pointer, reason="not a JSON-RPC message: not an object", value=value)
    has_result, has_error = "result" in value, "error" in value
    if has_result or has_error:
        faults: list[str] = []
        if has_result and has_error:
            faults.append("both result and error")
        if "id" not in value:
            faults.append(WITHOUT_ID)
        if value.get("jsonrpc") != "2.0" and not is_cdp:
            faults.append('jsonrpc is not "2.0"')
        return Response(
            id=value.get("id"),
            result=value.get("result"),
            error=value.get("error"),
            is_error=has_error,
            value=value,
            faults=tuple(faults),
        )
    method = value.get("method")
    if not isinstance(method, str):
        reason = "not a JSON-RPC message: neither method, result nor error"
        return Malformed(pointer=pointer, reason=reason, value=value)
    if "id" in value:
        return Request(id=value["id"], method=method, params=value.get("params"), value=value)
    return Notification(method=method, params=value.get("params"), value=value)
