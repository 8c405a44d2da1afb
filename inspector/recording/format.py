"""The lines of a recording as data types, whose fields correspond to docs/recording-format.md.

`inspector.recording.codec` reads and writes them by these declarations.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, convert, field
from msgspec.structs import force_setattr

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy, Level
from inspector.boundary.output_check import OutputCheck, OutputViolation
from inspector.json.chunks import pieces
from inspector.json.exact import Json, JsonText, Malformed, dump
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
    """The boundary level, host and policy with which results are shown."""

    level: Level = Level.DECLARED
    host: str = "spec"
    policy: BoundaryPolicy = DEFAULT_POLICY


if TYPE_CHECKING:
    _Json = Json
    _Lenses = Lenses
else:
    # msgspec must not check either type: JSON is any value, and `Lenses` has other member names in a file.
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
        # Each kind of line declares the field itself, because the order of fields is that of the file.
        lenses: _Lenses

    def __post_init__(self) -> None:
        if not isinstance(self.lenses, Lenses):  # pyright: ignore[reportUnnecessaryIsInstance] - as a file has them
            read = convert(self.lenses, _LensesMember)
            policy = BoundaryPolicy(
                **{name: getattr(read.policy, name) for name in read.policy.__struct_fields__}
            )
            force_setattr(self, "lenses", Lenses(level=read.boundary, host=read.host, policy=policy))


class RecordedTarget(Struct, frozen=True, kw_only=True):
    """What a recorded session was connected to, without arguments and credentials."""

    kind: str
    """`stdio`, `http`, `sse`, `page`, `demo`, or `import`."""
    name: str
    """The name without secrets: a program without its arguments, or a URL without query and user."""


class Header(_WithLenses, frozen=True, kw_only=True):
    """The first line of a recording."""

    sightline: Literal["recording"] = FORMAT
    version: Count = VERSION
    created: str
    """The time of creation, as RFC 3339 in UTC."""
    software: str
    """The name and version of the program that wrote it."""
    recorded: RecordedTarget = field(name="target")
    lenses: _Lenses
    client: str = ""
    """The name of the client profile of the first connection.

    Empty in older recordings, whose clients announced no capability, in imported ones, and for a page.
    """

    @property
    def kind(self) -> str:
        return self.recorded.kind

    @property
    def target(self) -> str:
        return self.recorded.name


class RecordedFrame(Struct, frozen=True, kw_only=True):
    """One frame, without its withheld values."""

    number: Count = field(name="frame")
    at_s: Seconds = field(name="at")
    direction: Direction
    channel: Channel
    size: Count
    """The number of bytes on the wire; if something is withheld, the size of the remaining content."""
    head: str = ""
    ends: str | None = None
    failure: str = ""
    """For a note that ends a request: the `FailureKind` of the reason, as in `Frame`; otherwise empty."""
    http_status: int | None = field(name="status", default=None)
    response_to: str | None = field(name="responseTo", default=None)
    faults: tuple[str, ...] = ()
    body: _Json | UnsetType = UNSET
    """The frame's JSON, with markers for withheld values."""
    text: _Json | UnsetType = UNSET
    """For a frame without JSON: its text, or a marker."""

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
    """A call of a page's tool.

    The browser's frames for the call are not MCP; their contents are not recorded.
    """

    number: Count = field(name="call")
    at_s: Seconds = field(name="at")
    duration_s: Seconds = field(name="duration")
    tool: str
    definition: _Json = None
    """The definition; None if the page lists no such tool."""
    arguments: _Json = None
    result: _Json | UnsetType = UNSET
    error: _Json | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.result is UNSET) is (self.error is UNSET):
            raise ValueError("a call must have either `result` or `error`")

    @property
    def is_error(self) -> bool:
        return self.error is not UNSET

    @property
    def outcome(self) -> Json:
        outcome = self.result if self.error is UNSET else self.error
        return None if isinstance(outcome, UnsetType) else outcome


class Removed(Struct, frozen=True):
    """A value that was withheld from a result: its pointer, and the rule that withheld it."""

    pointer: str
    rule: str


class RecordedViolation(Struct, frozen=True):
    """One way in which a result violates the output schema of its tool."""

    pointer: str
    keyword: str
    message: str


class RecordedOutput(Struct, frozen=True):
    """The comparison of a result with the output schema of its tool."""

    violations: tuple[RecordedViolation, ...]
    more: Count
    unchecked: tuple[str, ...]


def recorded_output(check: OutputCheck | None) -> RecordedOutput | UnsetType:
    """The comparison with an output schema in its recorded form; UNSET if there is none."""
    if check is None:
        return UNSET
    violations = tuple(
        RecordedViolation(each.pointer, each.keyword, each.message) for each in check.violations
    )
    return RecordedOutput(violations, check.more, check.unchecked)


class Projected(_WithLenses, frozen=True, kw_only=True):
    """The model's view of one recorded result, for the boundary level, host and policy of `lenses`."""

    frame: Count = field(name="projection")
    """The number of the answer's frame; for a call of a page's tool, the number of the call."""
    request: str
    """The `request_key` of the call; `call` for a call of a page's tool."""
    tool: str
    lenses: _Lenses
    digest: str = ""
    """The SHA-256 of the model's context if that is too large to be stored; otherwise empty."""
    model: _Json | UnsetType = UNSET
    """The model's context, unless `digest` is set."""
    removals: tuple[Removed, ...]
    findings: tuple[str, ...]
    omits: bool = False
    """True if the model's context leaves out all that the boundary withheld, also copies of other values.

    If false, as in earlier recordings, the model's context has placeholders in place of such copies.
    """
    output: RecordedOutput | UnsetType = UNSET
    """The comparison of the original result with the output schema.

    The comparison cannot be made again later, because the recording lacks the withheld values.
    """

    @property
    def output_check(self) -> OutputCheck | None:
        """The recorded comparison with the output schema; None if there is none.

        Its texts contain no control or invisible characters.
        """
        if isinstance(self.output, UnsetType):
            return None
        violations = tuple(
            OutputViolation(pointer=each.pointer, keyword=each.keyword, message=safe_line(each.message))
            for each in self.output.violations
        )
        unchecked = tuple(map(safe_line, self.output.unchecked))
        return OutputCheck(violations=violations, more=self.output.more, unchecked=unchecked)


class LensesChanged(_WithLenses, frozen=True, kw_only=True):
    """A change of the boundary level, host or policy, which applies from this line on."""

    at_s: Seconds = field(name="at")
    lenses: _Lenses


class Note(Struct, frozen=True, kw_only=True):
    """An event that is not a protocol message. The kind is `policy` for a decision about a call."""

    kind: str = field(name="note")
    at_s: Seconds = field(name="at")
    text: _Json
    """The text of the event, or a marker in its place."""

    def __post_init__(self) -> None:
        _check_text(self.text)


class ListedTool(Struct, frozen=True):
    """One tool of a page."""

    name: str
    definition: _Json = None
    """The definition; a marker replaces each part that repeats a withheld value."""


class Listed(Struct, frozen=True, kw_only=True):
    """All tools of a page, from this line on. The tools of a server are in its frames."""

    tools: tuple[ListedTool, ...] = field(name="listed")
    at_s: Seconds = field(name="at")


class Connected(Struct, frozen=True, kw_only=True):
    """The target was reconnected: request ids start again, while frame numbers and the clock continue."""

    number: Count = field(name="connection")
    """The number of the connection, counted from 1. The first connection has no line."""
    at_s: Seconds = field(name="at")
    client: str = ""
    """The name of the client profile from this connection on; empty if it has not changed."""


class Totals(Struct, frozen=True):
    """The counts at the end of a recording."""

    frames: Count


class End(Struct, frozen=True):
    """The last line of a recording that was closed."""

    totals: Totals = field(name="end")


Line: TypeAlias = (
    Header | RecordedFrame | RecordedCall | Projected | LensesChanged | Note | Listed | Connected | End
)


class PageCall(Struct, frozen=True, kw_only=True):
    """A finished call of a page's tool, with its secrets. No frame that can be recorded contains the call."""

    number: int
    """The number of the call, counted from 1 within a session."""
    name: str
    tool: Tool | None
    arguments: Json
    outcome: Outcome
    at_s: float
    duration_s: float


def _check_text(text: Json | UnsetType) -> None:
    if isinstance(text, UnsetType) or not (isinstance(text, str) or is_marker(text)):
        raise ValueError("`text` is not text")


_AT_ONCE_BYTES = 100_000
"""The size of a frame below which it is serialized in one piece."""


def frame_of(line: RecordedFrame, content: Json, *, has_raw: bool = False) -> Frame:
    """The frame that a line of a recording describes.

    `content`: the content of the line. Placeholders may replace the markers of withheld values in it.
    `has_raw`: whether to serialize `content` to the frame's `raw`.
    """
    raw = b""
    if has_raw:
        text = content if isinstance(content, str) else ""
        if not line.is_json:
            raw = text.encode("utf-8", "replace")
        # In one piece, a large value would block the event loop.
        elif line.size < _AT_ONCE_BYTES:
            raw = dump(content)
        else:
            raw = b"".join(pieces(content))
    return Frame(
        number=line.number,
        at_s=line.at_s,
        direction=line.direction,
        channel=line.channel,
        raw=raw,
        head=line.head,
        ends=line.ends,
        failure=line.failure,
        http_status=line.http_status,
        response_to=line.response_to,
        recorded_bytes=line.size,
        body=JsonText(value=content, faults=line.faults) if line.is_json else _not_json(line),
    )


def _not_json(line: RecordedFrame) -> Malformed | None:
    """The body for text that a server printed to stdout in place of a message; None for any other line."""
    is_printed = line.channel is Channel.STDIO and line.direction is Direction.RECEIVED
    return Malformed(pointer="", reason="not JSON") if is_printed else None
