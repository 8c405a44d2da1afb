"""Reads and writes the lines of a recording; no other module does.

A recording may come from an untrusted source. An invalid line becomes a `Broken` with its reason.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias, cast

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field
from msgspec.structs import force_setattr

from inspector.json.exact import Json, JsonObject, JsonText, Number, parse
from inspector.recording.format import (
    FORMAT,
    VERSION,
    Connected,
    End,
    Header,
    Lenses,
    LensesChanged,
    Line,
    Listed,
    Note,
    Projected,
    RecordedCall,
    RecordedFrame,
)

MAX_LINE_BYTES = 256 << 20
MAX_LINES = 20_000_000
MAX_DEPTH = 10_000

Migration = Callable[[JsonObject], JsonObject]
MIGRATIONS: Mapping[int, Migration] = {
    # Version 2 added lines for connections, and for the tools of a page.
    1: lambda line: {**line, "version": 2} if "sightline" in line else line,
}
"""Functions by version. Each converts a line of its version to the next version."""

_KINDS: Mapping[str, type[Line]] = {
    "sightline": Header,
    "frame": RecordedFrame,
    "call": RecordedCall,
    "projection": Projected,
    "note": Note,
    "listed": Listed,
    "connection": Connected,
    "end": End,
    "lenses": LensesChanged,
}
"""The kinds of lines, by the member that identifies them.

If a line has several of these members, the first one decides.
"""
_LEFT_OUT: Mapping[str, Json | tuple[()]] = {
    "head": "",
    "ends": None,
    "failure": "",
    "status": None,
    "responseTo": None,
    "faults": (),
    "digest": "",
    "omits": False,
    "client": "",
}
"""The members that are not written if they have these values."""
_TIMES = frozenset({"at", "duration"})


class Broken(Struct, frozen=True, kw_only=True):
    """A line that could not be parsed."""

    reason: str
    """A clause that quotes nothing of the line."""


class _Unfit(Exception):  # noqa: N818 - a signal within this module
    """Raised with the reason why a line cannot be read."""


def decoded(
    raw: bytes,
    version: int = VERSION,
    migrations: Mapping[int, Migration] = MIGRATIONS,
    *,
    is_outline: bool = False,
) -> Line | Broken:
    """Parse one line. Never raises.

    `version`: the version of the file, from its header. `is_outline`: true to parse only what an index
    needs, which is several times as fast. An index needs the members of a message by which requests and
    answers are matched, but not the results.
    """
    if len(raw) > MAX_LINE_BYTES:
        return Broken(reason=f"it is longer than {MAX_LINE_BYTES:,} bytes")
    line = _outline(raw) if is_outline else None
    if line is not None:
        return line
    try:
        value = _parsed(raw)
        for step in range(version, VERSION):
            value = migrations[step](value)
        return _line(value)
    except _Unfit as unfit:
        return Broken(reason=str(unfit))


def version_of(raw: bytes) -> int | None:
    """The version that a header names; None if the line is not a header."""
    parsed = parse(raw) if len(raw) <= MAX_LINE_BYTES else None
    value = parsed.value if isinstance(parsed, JsonText) else None
    if not isinstance(value, dict) or value.get("sightline") != FORMAT:
        return None
    version = value.get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) and version > 0 else None


def written(line: Line) -> JsonObject:
    """The JSON object of a line."""
    return cast("JsonObject", _written(line))


def _written(value: object) -> object:
    match value:
        case Lenses(level=level, host=host, policy=policy):
            return {
                "boundary": level.value,
                "host": host,
                "policy": {
                    "sensitivityThreshold": policy.sensitivity_threshold,
                    "withholdPrivate": policy.withhold_private,
                    "hideUntrusted": policy.hide_untrusted,
                    "withholdCredentials": policy.withhold_credentials,
                },
            }
        case Struct():
            members: dict[str, object] = {}
            for name, key in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
                member: object = getattr(value, name)
                if member is UNSET or (key in _LEFT_OUT and member == _LEFT_OUT[key]):
                    continue
                members[key] = round(float(member), 6) if key in _TIMES else _written(member)  # pyright: ignore[reportArgumentType]
            return members
        case StrEnum():
            return value.value
        case tuple():
            return [_written(item) for item in cast("tuple[object, ...]", value)]
        case _:
            return value


def _parsed(raw: bytes) -> JsonObject:
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        raise _Unfit(f"it nests deeper than {MAX_DEPTH:,} levels")
    parsed = parse(raw)
    if not isinstance(parsed, JsonText):
        raise _Unfit("it is not JSON")
    if not isinstance(parsed.value, dict):
        raise _Unfit("it is not an object, or has a duplicate key")
    return parsed.value


def _depth(raw: bytes) -> int:
    """The maximum depth of nesting. Brackets inside strings do not count."""
    deepest = depth = 0
    is_text = is_escaped = False
    for code in raw:
        if is_text:
            if is_escaped:
                is_escaped = False
            elif code == 0x5C:
                is_escaped = True
            elif code == 0x22:
                is_text = False
        elif code == 0x22:
            is_text = True
        elif code in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif code in b"]}":
            depth -= 1
    return deepest


def _line(value: JsonObject) -> Line:
    kind = next((kind for key, kind in _KINDS.items() if key in value), None)
    if kind is None:
        raise _Unfit("the kind of the line is unknown")
    times = {
        key: float(time) for key in _TIMES if isinstance(time := value.get(key), Number) and time < _NEVER
    }
    try:
        return msgspec.convert({**value, **times}, kind)
    except msgspec.ValidationError as error:
        reason = _QUOTED.sub("", str(error))
        raise _Unfit(reason[:1].lower() + reason[1:]) from error
    except (UnicodeEncodeError, OverflowError) as error:
        # msgspec looks up words as UTF-8, which cannot encode a lone surrogate, and holds times as floats.
        raise _Unfit("a member is a number that is too large, or text with a lone surrogate") from error


_NEVER = float("inf")
_QUOTED = re.compile(r"(?<=^Invalid enum value) .*(?= - at)", re.DOTALL)
"""Matches the value that msgspec quotes in an error about an enum. Its other errors quote no value."""

_Unread: TypeAlias = Raw | UnsetType
"""A member of a line that is not parsed if only an outline is needed. Nothing reads it."""


class _ParamsOutline(Struct, gc=False, omit_defaults=True):
    name: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET
    task_id: str | UnsetType = field(name="taskId", default=UNSET)
    cursor: _Unread = UNSET
    responses: _Unread = field(name="inputResponses", default=UNSET)
    state: _Unread = field(name="requestState", default=UNSET)


class _TaskOutline(Struct, gc=False, omit_defaults=True):
    task_id: str | UnsetType = field(name="taskId", default=UNSET)
    status: str | UnsetType = UNSET


class _EndOutline(_TaskOutline, gc=False, omit_defaults=True):
    content: _Unread = UNSET
    structured: _Unread = field(name="structuredContent", default=UNSET)


class _ResultOutline(_EndOutline, gc=False, omit_defaults=True):
    result_type: str | UnsetType = field(name="resultType", default=UNSET)
    task: _TaskOutline | UnsetType = UNSET
    asks: dict[str, Raw] | UnsetType = field(name="inputRequests", default=UNSET)
    is_error: bool | UnsetType = field(name="isError", default=UNSET)
    result: _EndOutline | UnsetType = UNSET
    error: _Unread = UNSET


class _MessageOutline(Struct, gc=False, omit_defaults=True):
    # 0 may be written as -0, and larger numbers in ways that only `parse` preserves.
    id: Annotated[int, Meta(ge=1, lt=1 << 53)] | str | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: _ParamsOutline | UnsetType = UNSET
    result: _ResultOutline | UnsetType = UNSET
    error: _Unread = UNSET


class _FrameOutline(RecordedFrame, frozen=True, kw_only=True, gc=False):
    body: _MessageOutline | list[_MessageOutline] | UnsetType = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]
    sightline: UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.body is UNSET:
            super().__post_init__()
        else:
            force_setattr(self, "body", msgspec.to_builtins(self.body, builtin_types=(Raw,)))


class _CallOutline(RecordedCall, frozen=True, kw_only=True):
    definition: _Unread = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]
    arguments: _Unread = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]
    result: _Unread = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]
    error: _Unread = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]
    sightline: UnsetType = UNSET
    frame: UnsetType = UNSET


class _ProjectionOutline(Projected, frozen=True, kw_only=True):
    model: _Unread = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]
    sightline: UnsetType = UNSET
    other_frame: UnsetType = field(name="frame", default=UNSET)
    call: UnsetType = UNSET


_OUTLINES = {
    b'{"frame"': msgspec.json.Decoder(_FrameOutline),
    b'{"call":': msgspec.json.Decoder(_CallOutline),
    b'{"projec': msgspec.json.Decoder(_ProjectionOutline),
}
"""The decoders for frequent kinds of lines, by the first bytes that a recorder writes."""


def _outline(raw: bytes) -> Line | None:
    """The outline of a line, which has only what an index needs. Fast.

    None unless the line is of a frequent kind and written exactly as the recorder writes it.
    """
    decoder = _OUTLINES.get(raw[:8])
    try:
        return decoder.decode(raw) if decoder else None
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
