"""The lines of a recording, as data. Source: docs/recording-format.md."""

from dataclasses import dataclass
from typing import TypeAlias

from inspector.boundary.level import Level
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.output_check import OutputCheck
from inspector.json.chunks import pieces
from inspector.json.exact import Json, JsonObject, JsonText
from inspector.protocol.frames import Channel, Direction, Frame

FORMAT = "recording"
VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Lenses:
    """Through what results are looked at."""

    level: Level = Level.DECLARED
    host: str = "spec"
    policy: BoundaryPolicy = DEFAULT_POLICY


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line."""

    created: str
    """RFC 3339, in UTC."""
    software: str
    """Who wrote it: name and version."""
    kind: str
    """Of the target: `stdio`, `http`, `sse`, `page`, `demo`, or `import`."""
    target: str
    """Without secrets: a program without its arguments, or a URL without query and user."""
    lenses: Lenses
    version: int = VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFrame:
    """One frame, bounded."""

    number: int
    at_s: float
    direction: Direction
    channel: Channel
    size: int
    """Bytes as they were on the wire; where something is withheld, of what is left."""
    head: str = ""
    ends: str | None = None
    response_to: str | None = None
    is_json: bool = False
    """Whether `content` is what the frame's JSON said."""
    content: Json = None
    """With markers for what is withheld; for a channel without JSON, its text or a marker."""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """A call of a page's tool. The browser's own frames around it are not MCP, and nothing of their words is recorded."""

    number: int
    at_s: float
    duration_s: float
    tool: str
    definition: Json
    """Null where the page lists no such tool."""
    arguments: Json
    is_error: bool
    outcome: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Projected:
    """What a model saw of one recorded result, through the lenses in force."""

    frame: int
    """The answer's; for a call of a page, its number."""
    request: str
    """The `request_key` of the call; `call` for one of a page."""
    tool: str
    lenses: Lenses
    model: Json
    digest: str
    """SHA-256 of the model's context where that is too large to be repeated; empty otherwise."""
    removals: tuple[tuple[str, str], ...]
    """Pointer and rule of each, in order."""
    findings: tuple[str, ...]
    output: OutputCheck | None = None
    """What the server sent compared with the output schema, so that nothing withheld has to be known for it; None where
    it was not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensesChanged:
    """Other lenses are in force from here on."""

    at_s: float
    lenses: Lenses


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that went over no wire: `policy` for a decision about a call, or another word."""

    at_s: float
    kind: str
    text: Json
    """Text, or a marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """All tools of a page, as they are from here on. Those of a server are in its frames."""

    at_s: float
    tools: tuple[tuple[str, Json], ...]
    """Name, and definition; a marker in its place where it repeats what was withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """The target was reached anew: ids of requests begin again, the numbers of frames and the clock go on."""

    at_s: float
    number: int
    """Counts from 1; the first connection has no line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The last line of a recording that was closed."""

    frames: int


Line: TypeAlias = (
    Header | RecordedFrame | RecordedCall | Projected | LensesChanged | Note | Listed | Connected | End
)


def written(line: Line) -> JsonObject:
    """A line as JSON."""
    match line:
        case Header():
            return {
                "sightline": FORMAT,
                "version": line.version,
                "created": line.created,
                "software": line.software,
                "target": {"kind": line.kind, "name": line.target},
                "lenses": _lenses(line.lenses),
            }
        case RecordedFrame():
            return _frame(line)
        case RecordedCall():
            return {
                "call": line.number,
                "at": round(float(line.at_s), 6),
                "duration": round(float(line.duration_s), 6),
                "tool": line.tool,
                "definition": line.definition,
                "arguments": line.arguments,
                "error" if line.is_error else "result": line.outcome,
            }
        case Projected():
            return {
                "projection": line.frame,
                "request": line.request,
                "tool": line.tool,
                "lenses": _lenses(line.lenses),
                **({"digest": line.digest} if line.digest else {"model": line.model}),
                "removals": [{"pointer": pointer, "rule": rule} for pointer, rule in line.removals],
                "findings": list(line.findings),
                **({"output": _output(line.output)} if line.output else {}),
            }
        case LensesChanged():
            return {"at": round(float(line.at_s), 6), "lenses": _lenses(line.lenses)}
        case Note():
            return {"note": line.kind, "at": round(float(line.at_s), 6), "text": line.text}
        case Listed():
            tools: list[Json] = [{"name": name, "definition": value} for name, value in line.tools]
            return {"listed": tools, "at": round(float(line.at_s), 6)}
        case Connected():
            return {"connection": line.number, "at": round(float(line.at_s), 6)}
        case End():
            return {"end": {"frames": line.frames}}


def _frame(line: RecordedFrame) -> JsonObject:
    found: JsonObject = {
        "frame": line.number,
        "at": round(float(line.at_s), 6),
        "direction": line.direction.value,
        "channel": line.channel.value,
        "size": line.size,
    }
    if line.head:
        found["head"] = line.head
    if line.ends is not None:
        found["ends"] = line.ends
    if line.response_to is not None:
        found["responseTo"] = line.response_to
    if line.faults:
        found["faults"] = list(line.faults)
    found["body" if line.is_json else "text"] = line.content
    return found


def _output(output: OutputCheck) -> JsonObject:
    return {
        "violations": [told.as_json() for told in output.violations],
        "more": output.more,
        "unchecked": list(output.unchecked),
    }


def _lenses(lenses: Lenses) -> JsonObject:
    policy = lenses.policy
    return {
        "boundary": lenses.level.value,
        "host": lenses.host,
        "policy": {
            "sensitivityThreshold": policy.sensitivity_threshold,
            "withholdPrivate": policy.withhold_private,
            "hideUntrusted": policy.hide_untrusted,
            "withholdCredentials": policy.withhold_credentials,
        },
    }


def replayed(line: RecordedFrame, content: Json) -> Frame:
    """A recorded frame as one of a session. `content`: its own, with texts in place of markers."""
    if line.is_json:
        body = JsonText(value=content, faults=line.faults)
        # At once, a large one would keep the event loop waiting.
        raw = b"".join(pieces(content))
    else:
        body = None
        raw = (content if isinstance(content, str) else "").encode("utf-8", "replace")
    return Frame(
        number=line.number,
        at_s=line.at_s,
        direction=line.direction,
        channel=line.channel,
        raw=raw,
        head=line.head,
        ends=line.ends,
        response_to=line.response_to,
        body=body,
    )
