"""A recording gone through again: the tools it lists, the calls in it, and what a model sees of their results."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.core.catalogue import Tool
from inspector.core.frames import Direction, Frame, Request, Response, messages, request_key
from inspector.core.hosts.profile import Call
from inspector.core.hosts.registry import host
from inspector.core.json_text import Json
from inspector.core.outcome import Outcome, Result, RpcError
from inspector.core.projection import Projection, project
from inspector.core.recording.definitions import Definitions
from inspector.core.recording.format import (
    Connected,
    Lenses,
    Line,
    Listed,
    Projected,
    RecordedCall,
    RecordedFrame,
    replayed,
)
from inspector.core.recording.stand_ins import stood_in
from inspector.core.recording.writing import pieces

LARGEST_MODEL = 1 << 20
"""Bytes of a model's context that a recording repeats; of a larger one it has a digest."""

PAGE_CALL = "call"
"""In place of the id of a request, which a call of a page has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedCall:
    """A call in a recording that was answered."""

    frame: int
    """Of the answer."""
    request: str
    name: str
    tool: Tool | None
    arguments: Json
    outcome: Outcome
    at_s: float
    """When it was sent."""
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    method: str
    name: str
    params: Json
    at_s: float


class Replay:
    """Takes the frames of a recording in their order."""

    def __init__(self, raw: Callable[[int], Frame | None] = lambda _: None) -> None:
        """`raw`: frames by their numbers, with all that was withheld, as far as they are kept."""
        self._raw = raw
        self.definitions = Definitions()
        self._open: dict[str, _Open] = {}

    def frame(self, line: RecordedFrame) -> Frame:
        """A line as a frame of a session: raw where that is kept, else with texts in place of what is withheld."""
        return self._raw(line.number) or replayed(line, stood_in(line.content))

    def calls(self, line: Line) -> Iterator[ReplayedCall]:
        """One more line; the calls that it answers."""
        match line:
            case RecordedFrame():
                yield from self.take(self.frame(line))
            case RecordedCall():
                yield self.call(line)
            case Listed():
                self.definitions.listed(tools_in(line))
            case Connected():
                self.connect()
            case _:
                pass

    def take(self, frame: Frame) -> Iterator[ReplayedCall]:
        """One more frame; the calls that it answers."""
        if frame.ends is not None:
            self._open.pop(frame.ends, None)
        for message in messages(frame.body):
            match message:
                case Request() if frame.direction is Direction.SENT:
                    self._ask(message, frame)
                case Response() if frame.direction is Direction.RECEIVED:
                    yield from self._answer(message, frame)
                case _:
                    pass

    def connect(self) -> None:
        """The server is reached anew: what was not answered will not be."""
        self._open.clear()

    def call(self, line: RecordedCall) -> ReplayedCall:
        """A call of a page's tool."""
        member = "error" if line.is_error else "result"
        stood = stood_in({member: line.outcome})
        outcome = stood[member] if isinstance(stood, dict) else None
        definition = stood_in(line.definition)
        return ReplayedCall(
            frame=line.number,
            request=PAGE_CALL,
            name=line.tool,
            tool=Tool(name=line.tool, definition=definition) if isinstance(definition, dict) else None,
            arguments=stood_in(line.arguments),
            outcome=RpcError(value=outcome) if line.is_error else Result(value=outcome),
            at_s=line.at_s,
            duration_s=line.duration_s,
        )

    def _ask(self, request: Request, frame: Frame) -> None:
        params = request.params if isinstance(request.params, dict) else {}
        name = params.get("name")
        self._open[request_key(request.id)] = _Open(
            method=request.method,
            name=name if isinstance(name, str) else "",
            params=params,
            at_s=frame.at_s,
        )

    def _answer(self, response: Response, frame: Frame) -> Iterator[ReplayedCall]:
        key = request_key(response.id)
        asked = self._open.pop(key, None)
        if asked is None:
            return
        if asked.method != "tools/call":
            self.definitions.take(asked.method, response.result)
            return
        params = asked.params if isinstance(asked.params, dict) else {}
        yield ReplayedCall(
            frame=frame.number,
            request=key,
            name=asked.name,
            tool=self.definitions.tool(asked.name),
            arguments=params.get("arguments", {}),
            outcome=RpcError(value=response.error) if response.is_error else Result(value=response.result),
            at_s=asked.at_s,
            duration_s=max(frame.at_s - asked.at_s, 0.0),
        )


def tools_in(line: Listed | RecordedCall) -> Iterator[Tool]:
    """The tools of a page, with texts in place of what is withheld."""
    for name, definition in line.tools if isinstance(line, Listed) else ((line.tool, line.definition),):
        stood = stood_in(definition)
        yield Tool(name=name, definition=stood if isinstance(stood, dict) else {})


def projection_of(call: ReplayedCall, lenses: Lenses) -> Projection | None:
    """What a model sees of a call; None where there is no host of that name any more."""
    profile = host(lenses.host)
    if profile is None:
        return None
    asked = Call(tool=call.name, nonce=nonce_of(call.outcome))
    return project(call.outcome, call.tool, lenses.level, profile, call=asked, policy=lenses.policy)


def projected(call: ReplayedCall, lenses: Lenses) -> Projected | None:
    """`projection_of` as a line."""
    found = projection_of(call, lenses)
    if found is None:
        return None
    size = 0
    digest = hashlib.sha256()
    for piece in pieces(found.context.model):
        size += len(piece)
        digest.update(piece)
    is_large = size > LARGEST_MODEL
    return Projected(
        frame=call.frame,
        request=call.request,
        tool=call.name,
        lenses=lenses,
        model=None if is_large else found.context.model,
        digest=digest.hexdigest() if is_large else "",
        removals=tuple((removal.pointer, str(removal.rule)) for removal in found.bounded.removals),
        findings=found.bounded.findings,
    )


def nonce_of(outcome: Outcome) -> str:
    """What untrusted text in a recorded result is delimited with: the same each time, and in no result itself."""
    digest = hashlib.sha256()
    value: Json = outcome.value if isinstance(outcome, (Result, RpcError)) else outcome.detail
    for piece in pieces(value):
        digest.update(piece)
    return digest.hexdigest()[:16]
