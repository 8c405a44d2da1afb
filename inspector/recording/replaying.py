"""Replays a recording: its tools, its calls, and the model's view of their results."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import UNSET, Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Rule
from inspector.boundary.judgement import Judgement
from inspector.boundary.output_check import OutputCheck
from inspector.boundary.reading import raw_of
from inspector.hosts.profile import Call
from inspector.hosts.projection import Projection, project
from inspector.hosts.registry import host
from inspector.json import pointer as json_pointer
from inspector.json.chunks import pieces
from inspector.json.edit import Copied
from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.calls import called
from inspector.protocol.catalogue import Tool
from inspector.protocol.client import REVISION_META
from inspector.protocol.exchanges import Answered, Asked, Exchange, Exchanges, GivenUp, Matched, ending_of
from inspector.protocol.frames import Channel, Direction, Frame, Request
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.page import recorded_error
from inspector.protocol.server_requests import server_requests
from inspector.protocol.targets import Era
from inspector.protocol.tasks import outcome_of
from inspector.recording.definitions import RecordedDefinitions
from inspector.recording.format import (
    Connected,
    Lenses,
    Line,
    Listed,
    ListedTool,
    Projected,
    RecordedCall,
    RecordedFrame,
    Removed,
    frame_of,
)
from inspector.recording.markers import (
    COPY,
    EARLIER,
    MARKER,
    STANDS,
    is_marker,
    omitted,
    places,
    stood_in,
)

LARGEST_MODEL = 1 << 20
"""The maximum size in bytes of a model's context that is stored in a recording.

For a larger one, a digest is stored instead.
"""

_CUT_OFF = Failure(kind=FailureKind.NOT_RECORDED, detail="the recording ends before an answer")
_REPLACED = Failure(
    kind=FailureKind.NOT_RECORDED,
    detail="the next request has the same id, so no answer can belong to this one",
)
_DISCONNECTED = Failure(kind=FailureKind.CONNECTION_LOST, detail="the connection ended before an answer")

PAGE_CALL = "call"
"""The request id that is recorded for a call of a page's tool, because such a call has no id."""


class ReplayedCall(Struct, frozen=True, kw_only=True):
    """A recorded call that has ended. If it got no answer, its outcome is a `Failure`."""

    frame: int
    """The number of the answer's frame, or of the note that there is no answer; 0 if the recording has neither.

    For a call of a page's tool, the number of the call.
    """
    asked: int
    """The number of the request's frame; 0 for a call of a page's tool."""
    request: str
    """The `request_key` of the call; `PAGE_CALL` for a call of a page's tool."""
    name: str
    tool: Tool | None
    arguments: Json
    outcome: Outcome
    at_s: float
    """The time at which the call was sent."""
    duration_s: float
    member: str = ""
    """The member of the answer's `result` that holds a task's outcome; empty if the answer itself is the outcome."""

    era: Era = Era.AUTO
    """The protocol era of the call: `LEGACY` or `MODERN`; `AUTO` for a call of a page's tool."""
    revision: str = ""
    """The protocol revision; empty if it is not recorded. Untrusted text."""

    has_asked: bool = False
    """True if the server asked something of the user or of a model since the previous call."""


class Replay:
    """Replays the frames of a recording, in their order."""

    def __init__(
        self, raw: Callable[[int], Frame | None] = lambda _: None, *, keeps_markers: bool = False
    ) -> None:
        """`raw`: returns a sealed frame, with its withheld values, by number.

        `keeps_markers`: true to leave the markers of withheld values in messages, not to put in placeholders.
        """
        self._raw = raw
        self._keeps_markers = keeps_markers
        self.definitions = RecordedDefinitions()
        self._exchanges = Exchanges()
        self._has_asked = False
        self.unanswered: dict[tuple[int, str], ReplayedCall] = {}
        """The calls that have no answer so far, by the frame and the `request_key` of the request."""
        self._waiting: dict[str, tuple[int, str]] = {}
        """By `request_key`, the calls that may still be answered, each as its key in `unanswered`."""
        self._noted: tuple[int, str] = (0, "")
        """The last note that ended no request: the number of its frame, and its text."""
        self._revision = ""
        """The protocol revision that the last handshake agreed on; empty without one."""

    def frame(self, line: RecordedFrame) -> Frame:
        """The frame of a line: the sealed one if available, otherwise one with placeholders for withheld values."""
        return self._raw(line.number) or self._frame(line)

    def _frame(self, line: RecordedFrame) -> Frame:
        """The frame of a line, with placeholders for withheld values."""
        if self._keeps_markers and line.channel is not Channel.NOTE:
            return frame_of(line, line.content)
        return frame_of(line, stood_in(line.content), has_raw=True)

    def matched(self, line: RecordedFrame) -> Matched:
        """The frame of a line, matched with the previous frames."""
        return self._exchanges.take(self.frame(line))

    def calls(self, line: Line) -> Iterator[ReplayedCall]:
        """Process a line. Returns the calls that it answers."""
        match line:
            case RecordedFrame():
                raw = self._raw(line.number)
                calls = self.take(self._exchanges.take(raw or self._frame(line)))
                yield from calls if raw else (with_omitted(call, line) for call in calls)
            case RecordedCall():
                yield self.call(line)
            case Listed():
                self.definitions.listed(tools_in(line))
            case Connected():
                self.connect()
            case _:
                pass

    def take(self, matched: Matched) -> Iterator[ReplayedCall]:
        """Process a frame. Returns the calls that it answers."""
        self._has_asked |= any(True for _ in server_requests((matched,)))
        frame = matched.frame
        if frame.channel is Channel.NOTE and not matched.events:
            self._noted = (frame.number, frame.raw.decode("utf-8", "replace"))
        for event in matched.events:
            match event:
                case Asked(exchange=exchange) if exchange.asked_by is Direction.SENT:
                    self._ask(exchange)
                case GivenUp(exchange=exchange) if exchange.asked_by is Direction.SENT:
                    self._give_up(exchange, frame)
                case Answered(exchange=exchange) if exchange.asked_by is Direction.SENT:
                    self.unanswered.pop((exchange.frame, exchange.key), None)
                    self._waiting.pop(exchange.key, None)
                    yield from self._answer(event, frame)
                case _:
                    pass

    def _ask(self, exchange: Exchange) -> None:
        self._end_waiting(exchange.key, _REPLACED)
        call = called(exchange.request.method, exchange.request.params)
        if call is None:
            return
        self._waiting[exchange.key] = (exchange.frame, exchange.key)
        name, arguments = call
        era, revision = self._era(exchange.request)
        self.unanswered[exchange.frame, exchange.key] = ReplayedCall(
            frame=0,
            asked=exchange.frame,
            request=exchange.key,
            name=name,
            tool=self.definitions.tool(name),
            arguments=arguments,
            outcome=_CUT_OFF,
            at_s=exchange.at_s,
            duration_s=0.0,
            era=era,
            revision=revision,
        )

    def _end_waiting(self, key: str, how: Failure) -> None:
        """End the call that waits for an answer with this `request_key`, if there is one."""
        place = self._waiting.pop(key, None)
        if place is not None:
            self.unanswered[place] = replace(self.unanswered[place], outcome=how)

    def _give_up(self, exchange: Exchange, frame: Frame) -> None:
        place = (exchange.frame, exchange.key)
        if place in self.unanswered:
            self._waiting.pop(exchange.key, None)
            self.unanswered[place] = replace(
                self.unanswered[place],
                frame=frame.number,
                outcome=Failure(
                    kind=_kind_of(frame.failure),
                    detail=self._reason(exchange, frame),
                    http_status=frame.http_status,
                ),
                duration_s=max(frame.at_s - exchange.at_s, 0.0),
            )

    def _reason(self, exchange: Exchange, frame: Frame) -> str:
        """The reason why a request got no answer.

        If the reason is withheld, this is the text of the last note since the request.
        """
        reason = frame.raw.decode("utf-8", "replace")
        if not STANDS.fullmatch(reason):
            return reason
        number, noted = self._noted
        is_known = number > exchange.frame and not STANDS.fullmatch(noted)
        return noted if is_known else "the recording does not contain the reason"

    def connect(self) -> None:
        """Forget open requests, because the server was reconnected and will not answer them."""
        self._exchanges.connect()
        for key in [*self._waiting]:
            self._end_waiting(key, _DISCONNECTED)

    def call(self, line: RecordedCall) -> ReplayedCall:
        member = "error" if line.is_error else "result"
        outcome = value_at(stood_in({member: line.outcome}), member)
        definition = stood_in(line.definition)
        call = ReplayedCall(
            frame=line.number,
            asked=0,
            request=PAGE_CALL,
            name=line.tool,
            tool=Tool(name=line.tool, definition=definition) if isinstance(definition, dict) else None,
            arguments=stood_in(line.arguments),
            outcome=recorded_error(outcome) if line.is_error else Result(value=outcome, of_page=True),
            at_s=line.at_s,
            duration_s=line.duration_s,
        )
        return with_omitted(call, line)

    def _answer(self, answered: Answered, frame: Frame) -> Iterator[ReplayedCall]:
        response, ending = answered.response, ending_of(answered.exchange, answered.response)
        exchange = answered.exchange.call if ending and answered.exchange.call else answered.exchange
        request = exchange.request
        call = called(request.method, request.params)
        if request.method == "initialize":
            self._revision = text_at(response.result, "protocolVersion") or ""
        if call is None:
            self.definitions.take(request.method, response.result)
            return
        name, arguments = call
        outcome = ending.outcome if ending else outcome_of(response)
        era, revision = self._era(request)
        has_asked, self._has_asked = self._has_asked, False
        yield ReplayedCall(
            frame=frame.number,
            asked=exchange.frame,
            request=answered.exchange.key,
            name=name,
            tool=_verifiable(self.definitions.tool(name), outcome),
            arguments=arguments,
            outcome=outcome,
            at_s=exchange.at_s,
            duration_s=max(frame.at_s - exchange.at_s, 0.0),
            member=ending.member if ending else "",
            era=era,
            revision=revision,
            has_asked=has_asked,
        )

    def _era(self, request: Request) -> tuple[Era, str]:
        """The protocol era and revision of a request."""
        stateless = text_at(request.params, "_meta", REVISION_META)
        return (Era.MODERN, stateless) if stateless else (Era.LEGACY, self._revision)


def _kind_of(failure: str) -> FailureKind:
    return next((kind for kind in FailureKind if kind.value == failure), FailureKind.NOT_RECORDED)


def _verifiable(tool: Tool | None, outcome: Outcome) -> Tool | None:
    """The tool of a call that had this outcome.

    If the outcome is a file of a skill and the file is withheld, the tool has no entries of the skill. The
    file cannot be verified against them.
    """
    if tool is None or tool.item is None or not tool.item.skills or not isinstance(outcome, Result):
        return tool
    contents = value_at(outcome.value, "contents")
    only = contents[0] if isinstance(contents, list) and len(contents) == 1 else None
    held = [value_at(only, "text"), value_at(only, "blob")]
    if not any(isinstance(value, str) and STANDS.fullmatch(value) for value in held):
        return tool
    return replace(tool, item=replace(tool.item, skills=()))


def tools_in(line: Listed | RecordedCall) -> Iterator[Tool]:
    """The tools of a page, with placeholders for withheld values."""
    own = line.tools if isinstance(line, Listed) else (ListedTool(line.tool, line.definition),)
    for tool in own:
        yield Tool(name=tool.name, definition=object_at(stood_in(tool.definition)))


def projection_of(call: ReplayedCall, lenses: Lenses) -> Projection | None:
    """What a model sees of a recorded call; None if this version has no host of that name."""
    profile = host(lenses.host)
    if profile is None:
        return None
    asked = Call(tool=call.name, nonce=nonce_of(call.outcome))
    return project(call.outcome, call.tool, lenses.level, profile, call=asked, policy=lenses.policy)


def with_omitted(call: ReplayedCall, line: RecordedFrame | RecordedCall) -> ReplayedCall:
    """The call that a line answers, with what the boundary withheld from the answer when it was recorded."""
    outcome = call.outcome
    if isinstance(outcome, Failure):
        return call
    markers = _markers_of(line, call.member)
    is_error, of_page = isinstance(outcome, RpcError), isinstance(outcome, Result) and outcome.of_page
    texts = omitted(markers, is_error=is_error, of_page=of_page)
    if isinstance(line, RecordedFrame) and isinstance(line.content, list):
        # In a batch, another answer may be the one that could not be judged.
        texts.pop("", None)
    return _omitting(call, texts)


def _omitting(call: ReplayedCall, texts: Mapping[str, str]) -> ReplayedCall:
    outcome = call.outcome
    if isinstance(outcome, Failure) or outcome.omitted == texts:
        return call
    changed = (
        dataclasses.replace(outcome, omitted=texts)
        if isinstance(outcome, Result)
        else replace(outcome, omitted=texts)
    )
    return replace(call, outcome=changed)


def projected(call: ReplayedCall, lenses: Lenses, *, omits: bool = True) -> Projected | None:
    """What a model sees of a call, as a line of a recording; None if the host is unknown.

    `omits`: as in `Projected`.
    """
    call = call if omits else _omitting(call, {})
    projection = projection_of(call, lenses)
    if projection is None:
        return None
    size = 0
    digest = hashlib.sha256()
    for piece in pieces(projection.context.model):
        size += len(piece)
        digest.update(piece)
    is_large = size > LARGEST_MODEL
    return Projected(
        frame=call.frame,
        request=call.request,
        tool=call.name,
        lenses=lenses,
        model=UNSET if is_large else projection.context.model,
        digest=digest.hexdigest() if is_large else "",
        removals=tuple(
            Removed(pointer=removal.pointer, rule=str(removal.rule))
            for removal in projection.bounded.removals
        ),
        findings=projection.bounded.remarks,
        omits=omits,
    )


def output_of(call: ReplayedCall, recorded: Projected | None, lenses: Lenses) -> OutputCheck:
    """The recorded comparison of a result with the output schema; if there is none, a new comparison.

    In a new comparison, the result is unchecked if a value was withheld from it or from the definition.
    """
    if recorded is not None and (check := recorded.output_check) is not None:
        return check
    judgement = Judgement(call.outcome, call.tool)
    found = judgement.output(lenses.level, lenses.policy)
    definition = call.tool.definition if call.tool else None
    if found.is_asked and any(places([raw_of(call.outcome), definition], stands_for_something)):
        return OutputCheck(unchecked=(_WITHHELD,))
    return found


def stands_for_something(value: Json) -> bool:
    """True if a value is a text that contains a placeholder for a withheld value."""
    return isinstance(value, str) and STANDS.search(value) is not None


_WITHHELD = "not checked: the recording does not contain the withheld parts of the result"


def nonce_of(outcome: Outcome) -> str:
    """The nonce of the markers around untrusted text, for a recorded result.

    Equal results have the same nonce. The nonce occurs in no result.
    """
    digest = hashlib.sha256()
    value: Json = outcome.value if isinstance(outcome, (Result, RpcError)) else outcome.detail
    for piece in pieces(value):
        digest.update(piece)
    return digest.hexdigest()[:16]


LeftOut: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of a pointer into the raw result, and the rule that withheld the value."""


def left_out_of(line: RecordedFrame | RecordedCall, member: str = "") -> LeftOut:
    """The values that are withheld from the answer in a line.

    `member`: the member of `result` that holds a task's outcome; empty if the answer itself is the outcome.
    """
    return _left_out(_markers_of(line, member))


def left_out_in(content: Json) -> LeftOut:
    """The values that are withheld from the answers in a message or batch."""
    return _left_out(_markers_in(content))


_COPIES = frozenset({COPY, EARLIER})


def _left_out(markers: Iterable[tuple[str, JsonObject]]) -> LeftOut:
    rules = ((pointer, str(marker[MARKER])) for pointer, marker in markers)
    return tuple((pointer, Rule.ECHO if rule in _COPIES else rule) for pointer, rule in rules)


def _markers_of(line: RecordedFrame | RecordedCall, member: str) -> Iterator[tuple[str, JsonObject]]:
    if isinstance(line, RecordedFrame):
        return _markers_in(line.content, member)
    return _markers_in({"error" if line.is_error else "result": line.outcome})


def _markers_in(content: Json, member: str = "") -> Iterator[tuple[str, JsonObject]]:
    """The markers in the answers in a message or batch, with their pointers into the outcomes."""
    copied = Copied(content)
    for tokens in places(content, is_marker):
        marker = copied.at(tokens)
        inside = tokens[1:] if tokens and isinstance(tokens[0], int) else tokens
        inside = inside[1:] if inside[:1] == ("result",) else inside
        if member and inside[:1] != (member,):
            continue
        inside = inside[1:] if member == "result" else inside
        pointer = json_pointer.join(inside)
        if isinstance(marker, dict):
            yield pointer, marker
