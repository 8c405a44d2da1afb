"""Lines of a recording read back. A recording is a stranger's file: what is not as it should be is told, never trusted."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from inspector.boundary.level import Level
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.output_check import OutputCheck, OutputViolation
from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.protocol.frames import Channel, Direction
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
from inspector.recording.markers import is_marker
from inspector.safe_text import safe_line

MAX_LINE_BYTES = 256 << 20
MAX_LINES = 20_000_000
MAX_DEPTH = 10_000

Migration = Callable[[JsonObject], JsonObject]
MIGRATIONS: Mapping[int, Migration] = {
    # New in the second: lines for connections, and for the tools of a page.
    1: lambda line: {**line, "version": 2} if "sightline" in line else line,
}
"""By version, what makes a line of it one of the next version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A line that is none of a recording."""

    reason: str
    """In words of ours; quotes nothing of the line."""


class _Unfit(Exception):  # noqa: N818 - a signal within this module
    """The reason why a line is none."""


def decoded(
    raw: bytes, version: int = VERSION, migrations: Mapping[int, Migration] = MIGRATIONS
) -> Line | Broken:
    """One line. `version`: of the file, from its header. Never raises."""
    if len(raw) > MAX_LINE_BYTES:
        return Broken(reason=f"it is longer than {MAX_LINE_BYTES:,} bytes")
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        return Broken(reason=f"it nests deeper than {MAX_DEPTH:,} levels")
    parsed = parse(raw)
    if not isinstance(parsed, JsonText):
        return Broken(reason="it is no JSON")
    value = parsed.value
    if not isinstance(value, dict):
        return Broken(reason="it is no object, or names a key twice")
    try:
        for step in range(version, VERSION):
            value = migrations[step](value)
        return _line(value)
    except _Unfit as unfit:
        return Broken(reason=str(unfit))


def version_of(raw: bytes) -> int | None:
    """The version that a header names; None where the line is no header."""
    parsed = parse(raw) if len(raw) <= MAX_LINE_BYTES else None
    value = parsed.value if isinstance(parsed, JsonText) else None
    if not isinstance(value, dict) or value.get("sightline") != FORMAT:
        return None
    version = value.get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) and version > 0 else None


def _depth(raw: bytes) -> int:
    """The deepest nesting, with brackets in texts left out."""
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
    if "sightline" in value:
        return _header(value)
    if "frame" in value:
        return _frame(value)
    if "call" in value:
        return _call(value)
    if "projection" in value:
        return _projected(value)
    if "note" in value:
        return Note(at_s=_seconds(value), kind=_text(value, "note"), text=_words(value, "text"))
    if "listed" in value:
        return Listed(at_s=_seconds(value), tools=tuple(_tools(value)))
    if "connection" in value:
        return Connected(at_s=_seconds(value), number=_count(value, "connection"))
    if "end" in value:
        return End(frames=_count(_object(value, "end"), "frames"))
    if "lenses" in value:
        return LensesChanged(at_s=_seconds(value), lenses=_lenses(value))
    raise _Unfit("it is of no kind that is known")


def _header(value: JsonObject) -> Header:
    if value.get("sightline") != FORMAT:
        raise _Unfit("it is the header of something else")
    target = _object(value, "target")
    return Header(
        version=_count(value, "version"),
        created=_text(value, "created"),
        software=_text(value, "software"),
        kind=_text(target, "kind"),
        target=_text(target, "name"),
        lenses=_lenses(value),
    )


def _frame(value: JsonObject) -> RecordedFrame:
    ends, response_to = value.get("ends"), value.get("responseTo")
    if "body" not in value and "text" not in value:
        raise _Unfit("a frame has neither `body` nor `text`")
    is_json = "body" in value
    return RecordedFrame(
        number=_count(value, "frame"),
        at_s=_seconds(value),
        direction=Direction(_one_of(value, "direction", [item.value for item in Direction])),
        channel=Channel(_one_of(value, "channel", [item.value for item in Channel])),
        size=_count(value, "size"),
        head=_text(value, "head") if "head" in value else "",
        ends=ends if isinstance(ends, str) else None,
        response_to=response_to if isinstance(response_to, str) else None,
        is_json=is_json,
        content=value["body"] if is_json else _words(value, "text"),
        faults=tuple(_texts(value, "faults")) if "faults" in value else (),
    )


def _call(value: JsonObject) -> RecordedCall:
    if ("result" in value) == ("error" in value):
        raise _Unfit("a call has not one of `result` and `error`")
    is_error = "error" in value
    return RecordedCall(
        number=_count(value, "call"),
        at_s=_seconds(value),
        duration_s=_seconds(value, "duration"),
        tool=_text(value, "tool"),
        definition=value.get("definition"),
        arguments=value.get("arguments"),
        is_error=is_error,
        outcome=value["error" if is_error else "result"],
    )


def _projected(value: JsonObject) -> Projected:
    removals = value.get("removals")
    if not isinstance(removals, list):
        raise _Unfit("`removals` is no list")
    pairs: list[tuple[str, str]] = []
    for removal in removals:
        if not isinstance(removal, dict):
            raise _Unfit("a removal is no object")
        pairs.append((_text(removal, "pointer"), _text(removal, "rule")))
    return Projected(
        frame=_count(value, "projection"),
        request=_text(value, "request"),
        tool=_text(value, "tool"),
        lenses=_lenses(value),
        model=value.get("model"),
        digest=_text(value, "digest") if "digest" in value else "",
        removals=tuple(pairs),
        findings=tuple(_texts(value, "findings")),
        output=_output(_object(value, "output")) if "output" in value else None,
    )


def _output(value: JsonObject) -> OutputCheck:
    listed = value.get("violations")
    if not isinstance(listed, list):
        raise _Unfit("`violations` is no list")
    found: list[OutputViolation] = []
    for one in listed:
        if not isinstance(one, dict):
            raise _Unfit("a violation is no object")
        # A recording is another's: what it says is made safe like what a server says.
        message = safe_line(_text(one, "message"))
        found.append(
            OutputViolation(pointer=_text(one, "pointer"), keyword=_text(one, "keyword"), message=message)
        )
    return OutputCheck(
        violations=tuple(found),
        more=_count(value, "more"),
        unchecked=tuple(map(safe_line, _texts(value, "unchecked"))),
    )


def _tools(value: JsonObject) -> Iterator[tuple[str, Json]]:
    found = value["listed"]
    if not isinstance(found, list):
        raise _Unfit("`listed` is no list")
    for tool in found:
        if not isinstance(tool, dict):
            raise _Unfit("a tool is no object")
        yield _text(tool, "name"), tool.get("definition")


def _lenses(value: JsonObject) -> Lenses:
    found = _object(value, "lenses")
    policy = _object(found, "policy")
    return Lenses(
        level=Level(_one_of(found, "boundary", [level.value for level in Level])),
        host=_text(found, "host"),
        policy=BoundaryPolicy(
            sensitivity_threshold=_text(policy, "sensitivityThreshold"),
            withhold_private=policy.get("withholdPrivate") is True,
            hide_untrusted=policy.get("hideUntrusted") is True,
            withhold_credentials=policy.get("withholdCredentials") is True,
        ),
    )


def _object(value: JsonObject, key: str) -> JsonObject:
    found = value.get(key)
    if not isinstance(found, dict):
        raise _Unfit(f"`{key}` is no object")
    return found


def _text(value: JsonObject, key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str):
        raise _Unfit(f"`{key}` is no text")
    return found


def _words(value: JsonObject, key: str) -> Json:
    """A text, or a marker in its place."""
    found = value.get(key)
    if not isinstance(found, str) and not is_marker(found):
        raise _Unfit(f"`{key}` is no text")
    return found


def _texts(value: JsonObject, key: str) -> list[str]:
    found = value.get(key)
    if not isinstance(found, list):
        raise _Unfit(f"`{key}` is no list")
    texts = [item for item in found if isinstance(item, str)]
    if len(texts) < len(found):
        raise _Unfit(f"`{key}` holds something that is no text")
    return texts


def _count(value: JsonObject, key: str) -> int:
    found = value.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < 1 << 53:
        raise _Unfit(f"`{key}` is no count")
    return found


def _seconds(value: JsonObject, key: str = "at") -> float:
    found = value.get(key)
    if not isinstance(found, (int, float)) or isinstance(found, bool) or not isfinite(found) or found < 0:
        raise _Unfit(f"`{key}` is no time")
    return float(found)


def _one_of(value: JsonObject, key: str, known: list[str]) -> str:
    found = _text(value, key)
    if found not in known:
        raise _Unfit(f"`{key}` is none of {', '.join(known)}")
    return found
