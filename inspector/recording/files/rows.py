"""What a line of a recording is about, without reading all that it says: for an index of many of them.

Rows say what kind of line it is and which messages are in it. Whether a line is good in all its members, `decoded` says.
"""

from math import isfinite
from typing import TypeAlias

import msgspec
from msgspec import UNSET, Raw, UnsetType

from inspector.json.exact import JsonText
from inspector.protocol.frames import Channel, Direction, Message, Notification, Request, Response, messages
from inspector.protocol.frames import request_key as key_of
from inspector.recording.decoding import Broken, decoded
from inspector.recording.format import (
    Connected,
    End,
    Header,
    LensesChanged,
    Line,
    Listed,
    Note,
    Projected,
    RecordedCall,
    RecordedFrame,
)

_Any: TypeAlias = Raw | UnsetType
_CHANNELS = {channel.value: channel for channel in Channel}


class Said(msgspec.Struct, frozen=True, gc=False):
    """One message in a frame."""

    key: str | None
    """The `request_key` of its id; None where it asks for no answer and is none."""
    method: str | None
    """None for an answer, and for what is no message."""
    is_answer: bool = False
    is_error: bool = False
    name: str = ""
    """Of the tool, for a call."""
    cursor: bool = False
    """Whether a listing is asked for from within."""


class FrameRow(msgspec.Struct, frozen=True, gc=False):
    """A frame."""

    number: int
    at_s: float
    sent: bool
    channel: Channel
    ends: str | None
    response_to: str | None
    said: tuple[Said, ...]


class CallRow(msgspec.Struct, frozen=True, gc=False):
    """A call of a page's tool."""

    number: int
    at_s: float
    name: str


class OtherRow(msgspec.Struct, frozen=True, gc=False):
    """A line of another kind."""

    kind: type[Line]
    at_s: float = 0.0


Row: TypeAlias = FrameRow | CallRow | OtherRow


class _Line(msgspec.Struct, gc=False):
    sightline: _Any = UNSET
    frame: int | UnsetType = UNSET
    call: int | UnsetType = UNSET
    projection: int | UnsetType = UNSET
    note: str | UnsetType = UNSET
    at: float = -1.0
    direction: str = ""
    channel: str = ""
    size: int = -1
    ends: str | None = None
    responseTo: str | None = None  # noqa: N815 - the member's name
    body: _Any = UNSET
    text: _Any = UNSET
    tool: str = ""
    duration: float = -1.0
    result: _Any = UNSET
    error: _Any = UNSET
    request: str | UnsetType = UNSET


class _Message(msgspec.Struct, gc=False):
    id: _Any = UNSET
    method: _Any = UNSET
    params: _Any = UNSET
    result: _Any = UNSET
    error: _Any = UNSET


class _Params(msgspec.Struct, gc=False):
    name: _Any = UNSET
    cursor: _Any = UNSET


_LINE = msgspec.json.Decoder(_Line)
_MESSAGE = msgspec.json.Decoder(_Message)
_PARAMS = msgspec.json.Decoder(_Params)
_BATCH = msgspec.json.Decoder(list[Raw])
_TEXT = msgspec.json.Decoder(str)
_NOTHING = Said(key=None, method=None)


def row_of(raw: bytes | memoryview, version: int) -> Row | Broken:
    """What a line is about, or why it is none. Never raises."""
    try:
        found = _quick(_LINE.decode(raw))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        # What our own reader takes and this one does not: NaN, bytes that are no UTF-8, great depth.
        found = None
    return found if found is not None else _slow(bytes(raw), version)


def _quick(line: _Line) -> Row | None:
    if line.sightline is not UNSET:
        return None
    if isinstance(line.frame, int):
        channel = _CHANNELS.get(line.channel)
        is_counted = _is_count(line.frame) and _is_count(line.size) and _is_time(line.at)
        is_whole = line.direction in {"sent", "received"} and (line.text is UNSET) is not (line.body is UNSET)
        if channel is None or not is_counted or not is_whole:
            return None
        return FrameRow(
            number=line.frame,
            at_s=line.at,
            sent=line.direction == "sent",
            channel=channel,
            ends=line.ends,
            response_to=line.responseTo,
            said=_said_in(line.body) if isinstance(line.body, Raw) else (),
        )
    if isinstance(line.call, int):
        is_good = (line.result is UNSET) is not (line.error is UNSET) and line.tool
        if not is_good or not _is_count(line.call) or not _is_time(line.at) or not _is_time(line.duration):
            return None
        return CallRow(number=line.call, at_s=line.at, name=line.tool)
    if isinstance(line.projection, int):
        return OtherRow(kind=Projected) if line.tool and line.request is not UNSET else None
    if isinstance(line.note, str):
        return OtherRow(kind=Note, at_s=line.at) if _is_time(line.at) and line.text is not UNSET else None
    return None


def _is_count(number: int) -> bool:
    return 0 <= number < 1 << 53


def _is_time(at_s: float) -> bool:
    return at_s >= 0 and isfinite(at_s)


def _said_in(body: Raw) -> tuple[Said, ...]:
    if bytes(memoryview(body)[:1]) == b"[":
        return tuple(_said(item) for item in _BATCH.decode(body))
    return (_said(body),)


def _said(raw: Raw) -> Said:
    if bytes(memoryview(raw)[:1]) != b"{":
        return _NOTHING
    message = _MESSAGE.decode(raw)
    if message.result is not UNSET or message.error is not UNSET:
        # An answer without id is as one to nothing.
        key = _key(message.id) if isinstance(message.id, Raw) else "null"
        return Said(key=key, method=None, is_answer=True, is_error=message.error is not UNSET)
    method = _word(message.method)
    if method is None:
        return _NOTHING
    if not isinstance(message.id, Raw):
        return Said(key=None, method=method)
    name, cursor = "", False
    if isinstance(message.params, Raw) and (method == "tools/call" or method.endswith("/list")):
        name, cursor = _about(message.params)
    return Said(key=_key(message.id), method=method, name=name, cursor=cursor)


def _about(params: Raw) -> tuple[str, bool]:
    if bytes(memoryview(params)[:1]) != b"{":
        return "", False
    found = _PARAMS.decode(params)
    return _word(found.name) or "", found.cursor is not UNSET


def _word(raw: _Any) -> str | None:
    if not isinstance(raw, Raw) or bytes(memoryview(raw)[:1]) != b'"':
        return None
    return _TEXT.decode(raw)


def _key(raw: Raw) -> str:
    written = bytes(raw)
    if written[:1] == b'"':
        return _TEXT.decode(raw)
    if written[:1] in {b"{", b"["}:
        raise ValueError("an id that is no scalar is read the slow way")
    return written.decode()


def _slow(raw: bytes, version: int) -> Row | Broken:
    line = decoded(raw, version)
    match line:
        case RecordedFrame():
            body = JsonText(value=line.content) if line.is_json else None
            return FrameRow(
                number=line.number,
                at_s=line.at_s,
                sent=line.direction is Direction.SENT,
                channel=line.channel,
                ends=line.ends,
                response_to=line.response_to,
                said=tuple(_said_by(message) for message in messages(body)),
            )
        case RecordedCall():
            return CallRow(number=line.number, at_s=line.at_s, name=line.tool)
        case Note() | LensesChanged() | Listed() | Connected():
            return OtherRow(kind=type(line), at_s=line.at_s)
        case Header() | Projected() | End():
            return OtherRow(kind=type(line))
        case Broken():
            return line


def _said_by(message: Message) -> Said:
    match message:
        case Response():
            return Said(key=key_of(message.id), method=None, is_answer=True, is_error=message.is_error)
        case Request():
            params = message.params if isinstance(message.params, dict) else {}
            name = params.get("name")
            return Said(
                key=key_of(message.id),
                method=message.method,
                name=name if isinstance(name, str) else "",
                cursor="cursor" in params,
            )
        case Notification():
            return Said(key=None, method=message.method)
        case _:
            return _NOTHING
