"""The lines of a recording, as data: field by field what docs/recording-format.md says of each kind.

`inspector.recording.codec` reads and writes them by these declarations.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, convert, field
from msgspec.structs import force_setattr

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy, Level
from inspector.boundary.output_check import OutputCheck, OutputViolation
from inspector.json.chunks import pieces
from inspector.json.exact import Json, JsonText
from inspector.protocol.catalogue import Tool
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.outcome import Outcome
from inspector.recording.markers import is_marker
from inspector.safe_text import safe_line

FORMAT = "recording"
VERSION = 2

Count: TypeAlias = Annotated[int, Meta(ge=0, lt=1 << 53)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0)]


class Lenses(Struct, frozen=True, kw_only=True):
    """The boundary, host and policy through which results are looked at."""

    level: Level = Level.DECLARED
    host: str = "spec"
    policy: BoundaryPolicy = DEFAULT_POLICY


if TYPE_CHECKING:
    _Json = Json
    _Lenses = Lenses
else:
    # msgspec checks neither: JSON is anything, and lenses have other names in a file.
    _Json = _Lenses = Any


class _PolicyMember(Struct, rename="camel"):
    sensitivity_threshold: str
    withhold_private: bool = False
    hide_untrusted: bool = False
    withhold_credentials: bool = False


class _LensesMember(Struct):
    boundary: Level
    host: str
    policy: _PolicyMember


class _WithLenses(Struct, frozen=True, kw_only=True):
    if TYPE_CHECKING:
        # Each kind of line declares it in its own place: the order is that of the file.
        lenses: _Lenses

    def __post_init__(self) -> None:
        if not isinstance(self.lenses, Lenses):  # pyright: ignore[reportUnnecessaryIsInstance] - as a file has them
            read = convert(self.lenses, _LensesMember)
            policy = BoundaryPolicy(
                **{name: getattr(read.policy, name) for name in read.policy.__struct_fields__}
            )
            force_setattr(self, "lenses", Lenses(level=read.boundary, host=read.host, policy=policy))


class RecordedTarget(Struct, frozen=True, kw_only=True):
    """What was connected to."""

    kind: str
    """`stdio`, `http`, `sse`, `page`, `demo`, or `import`."""
    name: str
    """Without secrets: a program without its arguments, or a URL without query and user."""


class Header(_WithLenses, frozen=True, kw_only=True):
    """The first line."""

    sightline: Literal["recording"] = FORMAT
    version: Count = VERSION
    created: str
    """RFC 3339, in UTC."""
    software: str
    """Who wrote it: name and version."""
    recorded: RecordedTarget = field(name="target")
    lenses: _Lenses
    client: str = ""
    """The name of the profile by which the server knew the client, at first; empty in older recordings, where no capability was announced."""

    @property
    def kind(self) -> str:
        return self.recorded.kind

    @property
    def target(self) -> str:
        return self.recorded.name


class RecordedFrame(Struct, frozen=True, kw_only=True):
    """One frame, bounded."""

    number: Count = field(name="frame")
    at_s: Seconds = field(name="at")
    direction: Direction
    channel: Channel
    size: Count
    """Bytes as they were on the wire; where something is withheld, of what is left."""
    head: str = ""
    ends: str | None = None
    response_to: str | None = field(name="responseTo", default=None)
    faults: tuple[str, ...] = ()
    body: _Json | UnsetType = UNSET
    """The frame's JSON, with markers for what is withheld."""
    text: _Json | UnsetType = UNSET
    """Of a frame without JSON, its text or a marker."""

    def __post_init__(self) -> None:
        if self.body is UNSET:
            _check_text(self.text)

    @property
    def is_json(self) -> bool:
        return self.body is not UNSET

    @property
    def content(self) -> Json:
        content = self.text if self.body is UNSET else self.body
        return None if isinstance(content, UnsetType) else content


class RecordedCall(Struct, frozen=True, kw_only=True):
    """A call of a page's tool. The browser's own frames around it are not MCP, and nothing of their words is recorded."""

    number: Count = field(name="call")
    at_s: Seconds = field(name="at")
    duration_s: Seconds = field(name="duration")
    tool: str
    definition: _Json = None
    """Null where the page lists no such tool."""
    arguments: _Json = None
    result: _Json | UnsetType = UNSET
    error: _Json | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.result is UNSET) is (self.error is UNSET):
            raise ValueError("a call has not one of `result` and `error`")

    @property
    def is_error(self) -> bool:
        return self.error is not UNSET

    @property
    def outcome(self) -> Json:
        outcome = self.result if self.error is UNSET else self.error
        return None if isinstance(outcome, UnsetType) else outcome


class Removed(Struct, frozen=True):
    """One place of a result that was withheld."""

    pointer: str
    rule: str


class RecordedViolation(Struct, frozen=True):
    """One way in which a result breaks the output schema of its tool."""

    pointer: str
    keyword: str
    message: str


class RecordedOutput(Struct, frozen=True):
    """A result compared with the output schema of its tool."""

    violations: tuple[RecordedViolation, ...]
    more: Count
    unchecked: tuple[str, ...]


def recorded_output(check: OutputCheck | None) -> RecordedOutput | UnsetType:
    """A comparison as it is recorded."""
    if check is None:
        return UNSET
    violations = tuple(
        RecordedViolation(each.pointer, each.keyword, each.message) for each in check.violations
    )
    return RecordedOutput(violations, check.more, check.unchecked)


class Projected(_WithLenses, frozen=True, kw_only=True):
    """What a model saw of one recorded result, through the lenses in force."""

    frame: Count = field(name="projection")
    """The answer's; for a call of a page, its number."""
    request: str
    """The `request_key` of the call; `call` for one of a page."""
    tool: str
    lenses: _Lenses
    digest: str = ""
    """SHA-256 of the model's context where that is too large to be repeated; empty otherwise."""
    model: _Json | UnsetType = UNSET
    """The model's context, unless there is a digest of it."""
    removals: tuple[Removed, ...]
    findings: tuple[str, ...]
    output: RecordedOutput | UnsetType = UNSET
    """What the server sent compared with the output schema, so that nothing withheld has to be known for it."""

    @property
    def output_check(self) -> OutputCheck | None:
        """The comparison as recorded; None where there was none. Another's words are made safe, like a server's."""
        if isinstance(self.output, UnsetType):
            return None
        violations = tuple(
            OutputViolation(pointer=each.pointer, keyword=each.keyword, message=safe_line(each.message))
            for each in self.output.violations
        )
        unchecked = tuple(map(safe_line, self.output.unchecked))
        return OutputCheck(violations=violations, more=self.output.more, unchecked=unchecked)


class LensesChanged(_WithLenses, frozen=True, kw_only=True):
    """Other lenses are in force from here on."""

    at_s: Seconds = field(name="at")
    lenses: _Lenses


class Note(Struct, frozen=True, kw_only=True):
    """Something that went over no wire: `policy` for a decision about a call, or another word."""

    kind: str = field(name="note")
    at_s: Seconds = field(name="at")
    text: _Json
    """Text, or a marker."""

    def __post_init__(self) -> None:
        _check_text(self.text)


class ListedTool(Struct, frozen=True):
    """One tool of a page."""

    name: str
    definition: _Json = None
    """A marker where it repeats what was withheld."""


class Listed(Struct, frozen=True, kw_only=True):
    """All tools of a page, as they are from here on. Those of a server are in its frames."""

    tools: tuple[ListedTool, ...] = field(name="listed")
    at_s: Seconds = field(name="at")


class Connected(Struct, frozen=True, kw_only=True):
    """The target was reached again: ids of requests begin again, the numbers of frames and the clock go on."""

    number: Count = field(name="connection")
    """Counts from 1; the first connection has no line."""
    at_s: Seconds = field(name="at")
    client: str = ""
    """The name of the profile by which the server knows the client from here on; empty where it is the one before."""


class Totals(Struct, frozen=True):
    """What a recording holds."""

    frames: Count


class End(Struct, frozen=True):
    """The last line of a recording that was closed."""

    totals: Totals = field(name="end")


Line: TypeAlias = (
    Header | RecordedFrame | RecordedCall | Projected | LensesChanged | Note | Listed | Connected | End
)


class PageCall(Struct, frozen=True, kw_only=True):
    """A call of a page's tool that has ended, raw. No frame that may be recorded holds it."""

    number: int
    """Counts from 1 within a session."""
    name: str
    tool: Tool | None
    arguments: Json
    outcome: Outcome
    at_s: float
    duration_s: float


def _check_text(text: Json | UnsetType) -> None:
    if isinstance(text, UnsetType) or not (isinstance(text, str) or is_marker(text)):
        raise ValueError("`text` is not text")


def frame_of(line: RecordedFrame, content: Json, *, has_raw: bool = False) -> Frame:
    """A recorded frame as one of a session.

    `content`: its own, or with texts in place of markers. `has_raw`: whether to write the content as bytes too.
    """
    raw = b""
    if has_raw:
        # At once, a large one would keep the event loop waiting.
        text = content if isinstance(content, str) else ""
        raw = b"".join(pieces(content)) if line.is_json else text.encode("utf-8", "replace")
    return Frame(
        number=line.number,
        at_s=line.at_s,
        direction=line.direction,
        channel=line.channel,
        raw=raw,
        head=line.head,
        ends=line.ends,
        response_to=line.response_to,
        body=JsonText(value=content, faults=line.faults) if line.is_json else None,
    )
