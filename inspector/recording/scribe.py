"""Writes the frames of a session as lines of a recording.

A log may contain a secret before the result arrives that declares it. So while calls are running, incoming
frames wait until all calls are answered and the boundary was applied. If an answer does not arrive, or too
many bytes wait, the texts of the waiting frames are withheld.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from heapq import merge
from operator import itemgetter

import msgspec
from msgspec import UNSET, Struct, structs

from inspector.json.chunks import pieces
from inspector.json.exact import Json, JsonObject, JsonText, Malformed
from inspector.protocol.calls import called
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import (
    Answered,
    Asked,
    Event,
    Exchange,
    GivenUp,
    Late,
    Matched,
    Unasked,
    ending_of,
    message_of,
    response_in,
    task_of,
)
from inspector.protocol.frames import Channel, Direction, Frame, Notification, Request, Response
from inspector.protocol.outcome import Failure, RpcError
from inspector.protocol.tasks import CANCEL, COMPLETED, outcome_of, state_in
from inspector.recording.bounding import UNJUDGED, Bounder, is_of_server
from inspector.recording.format import (
    Connected,
    End,
    Lenses,
    LensesChanged,
    Line,
    Listed,
    ListedTool,
    Note,
    PageCall,
    RecordedCall,
    RecordedFrame,
    Totals,
    recorded_output,
)
from inspector.recording.markers import MarkerKey
from inspector.recording.replaying import Replay, projected


def needed_of(before: Iterable[Matched]) -> frozenset[int]:
    """The numbers of the frames that later frames depend on: handshake, listings, and open requests."""
    needed = set[int]()
    waiting = dict[tuple[int, str], int]()
    for matched in before:
        for event in matched.events:
            match event:
                case Asked(exchange=exchange) if exchange.asked_by is Direction.SENT:
                    waiting[exchange.frame, exchange.key] = matched.frame.number
                case Answered(exchange=exchange) | GivenUp(exchange=exchange):
                    waiting.pop((exchange.frame, exchange.key), None)
                case _:
                    pass
        if matched.events and all(map(is_of_server, matched.events)):
            needed.add(matched.frame.number)
    return frozenset(needed | set(waiting.values()))


_STARTED = re.compile(r"(started process \d+): .*", re.DOTALL)
"""Matches a note of Sightline that quotes a command line."""

FAILED = "call"
"""The kind of a note about a call of a page's tool that was not answered."""

MAX_HELD_FRAMES = 10_000
MAX_HELD_BYTES = 16 << 20


class Past(Struct, frozen=True, kw_only=True):
    """The frames and calls of one connection from before its recording began."""

    frames: tuple[Matched, ...] = ()
    calls: tuple[PageCall, ...] = ()
    """The calls of a page's tools."""


class _Held(Struct, frozen=True, kw_only=True):
    """A frame that waits to be written, with its messages as `_bounded` returns them; or a line that waits."""

    frame: Frame | None = None
    parts: tuple[tuple[Event, Json], ...] = ()
    line: Line | None = None


class Scribe:
    """Turns one session into lines. Frames must be given in order, by one thread."""

    def __init__(
        self, key: bytes, lenses: Lenses, *, secrets: Iterable[str] = (), target: tuple[str, str] = ("", "")
    ) -> None:
        """`key`: 32 new random bytes that are stored nowhere else.

        `secrets`: values that are secret from the start.

        `target`: the target as the user wrote it, which notes may quote, and the name that replaces it there.
        """
        self._key = MarkerKey(key)
        self._bounder = Bounder(self._key, lenses.policy, secrets)
        self._lenses = lenses
        self._target = target
        self._replay = Replay()
        self._pending = set[tuple[int, str]]()
        """The unanswered calls, by the frame and id of the request."""
        self._held: list[_Held] = []
        self._held_bytes = 0
        self._is_short = False
        """True if the held frames cannot be judged, because a call remains unanswered or too many are held."""
        self._has_unsaid = False
        """True if stderr of this connection was withheld because it could not be judged."""
        self._frames = 0

    def take(self, matched: Matched) -> Iterator[Line]:
        """Process a frame. Returns the lines that can be written now."""
        frame = matched.frame
        held = self._bounded(matched)
        if self._pending or self._held or held.frame is None:
            self._hold(held, len(frame.raw))
        else:
            yield from self._lines(held)
        for event in matched.events:
            if isinstance(event, GivenUp) and _place(event) in self._pending:
                self._pending.discard(_place(event))
                self._is_short = True
        if self._held and (self._must_write() or self._is_outgoing_alone()):
            yield from self._flush()

    def call(self, made: PageCall) -> Iterator[Line]:
        if isinstance(made.outcome, Failure):
            yield from self.note(made.at_s, FAILED, f"{made.name}: {made.outcome.detail}")
            return
        definition, arguments, outcome = self._bounder.page_call(made.tool, made.arguments, made.outcome)
        is_error = isinstance(made.outcome, RpcError)
        line = RecordedCall(
            number=made.number,
            at_s=made.at_s,
            duration_s=made.duration_s,
            tool=self._name(made.name),
            definition=definition,
            arguments=arguments,
            error=outcome if is_error else UNSET,
            result=UNSET if is_error else outcome,
        )
        yield line
        projection = projected(self._replay.call(line), self._lenses)
        if projection:
            compared = self._bounder.compared(made.outcome, made.name)
            yield structs.replace(projection, output=recorded_output(compared))

    def foresee(self, past: Iterable[Past]) -> Iterator[Line]:
        """Find the values to withhold in all of `past`. They are then withheld from the earliest lines too.

        `past`: every connection so far, in order. Call this before anything else is written.
        """
        judging = self._bounder
        self._bounder = judging.ahead()
        for connection in past:
            self._bounder.connect()
            for made in connection.calls:
                if not isinstance(made.outcome, Failure):
                    self._bounder.page_call(made.tool, made.arguments, made.outcome)
            for matched in connection.frames:
                self._bounded(matched)
        # The frames are judged again when they are written, by the definitions of their time.
        judging.follow(self._bounder)
        self._bounder = judging
        self._pending.clear()
        self._is_short = False
        return iter(())

    def learn(self, frames: Iterable[Matched]) -> Iterator[Line]:
        """Process the frames from before the recording. Returns only the lines that later frames need."""
        before = list(frames)
        needed = needed_of(before)
        written = 0
        for matched in before:
            for line in self.take(matched):
                if isinstance(line, RecordedFrame) and line.number in needed:
                    written += 1
                    yield line
        self._frames = written

    def connect(self, at_s: float, number: int, client: str = "") -> Iterator[Line]:
        """Begin a connection, because the server was reconnected. Open requests get no answer.

        `client`: as in `Connected`.
        """
        self._is_short = self._is_short or bool(self._pending)
        yield from self._flush()
        self._pending.clear()
        self._has_unsaid = False
        self._bounder.connect()
        self._replay.connect()
        yield Connected(at_s=at_s, number=number, client=client)

    def listed(self, at_s: float, tools: Iterable[Tool]) -> Iterator[Line]:
        definitions = tuple(
            ListedTool(self._name(tool.name), definition) for tool, definition in self._bounder.listed(tools)
        )
        yield from self._later(Listed(at_s=at_s, tools=definitions))

    def look(self, at_s: float, lenses: Lenses) -> Iterator[Line]:
        self._bounder.policy = lenses.policy
        yield from self._later(LensesChanged(at_s=at_s, lenses=lenses))

    def note(self, at_s: float, kind: str, text: str) -> Iterator[Line]:
        yield from self._later(Note(at_s=at_s, kind=kind, text=text))

    def conceal(self, values: Iterable[str]) -> Iterator[Line]:
        """Withhold these values from all later lines."""
        self._bounder.conceal(values)
        return iter(())

    def finish(self) -> Iterator[Line]:
        self._is_short = self._is_short or bool(self._pending)
        yield from self._flush()
        yield End(Totals(self._frames))

    def _later(self, line: Line) -> Iterator[Line]:
        self._hold(_Held(line=line), 0)
        if self._must_write():
            yield from self._flush()

    def _hold(self, held: _Held, size: int) -> None:
        self._held.append(held)
        self._held_bytes += size

    def _must_write(self) -> bool:
        full = len(self._held) > MAX_HELD_FRAMES or self._held_bytes > MAX_HELD_BYTES
        if full and self._pending:
            self._is_short = True
        return full or not self._pending

    def _is_outgoing_alone(self) -> bool:
        """True if all held frames were sent by Sightline, so that their sensitive values are already withheld."""
        return all(held.frame is not None and held.frame.direction is Direction.SENT for held in self._held)

    def _bounded(self, matched: Matched) -> _Held:
        """Withhold sensitive values from the messages in a frame. Copies of them are searched for later."""
        frame = matched.frame
        parts: list[tuple[Event, Json]] = []
        for event in matched.events:
            message = message_of(event)
            if message is None:
                continue
            value: Json = message.value
            match event:
                case _ if frame.channel is Channel.CDP:
                    value = (
                        value if isinstance(message, Malformed) else self._bounder.of_browser(message.value)
                    )
                case Asked(exchange=exchange) if frame.direction is Direction.SENT:
                    value = self._bounder.sent(exchange.request)
                    if exchange.call and exchange.request.method == CANCEL:
                        self._end_task(exchange.call, is_answered=False)
                    if called(exchange.request.method, exchange.request.params):
                        self._pending.add(_place(event))
                case (
                    Answered(exchange=exchange, response=response)
                    | Late(exchange=exchange, response=response)
                ) if frame.direction is Direction.RECEIVED:
                    value = self._bounder.received(response, exchange)
                    self._end(event, response)
                case (
                    Answered(exchange=exchange, response=response)
                    | Late(exchange=exchange, response=response)
                ) if frame.direction is Direction.SENT:
                    value = self._bounder.replied(response, exchange)
                case Unasked(response=response) if frame.direction is Direction.RECEIVED:
                    value = self._bounder.received(response, None)
                case _:
                    pass
            parts.append((event, value))
        return _Held(frame=frame, parts=tuple(parts))

    def _end(self, event: Answered | Late, response: Response) -> None:
        """Stop waiting for the answer to a call. If the server made a task of it, stop only when the task has ended."""
        exchange = event.exchange
        if task_of(exchange, response) is None:
            self._pending.discard(_place(event))
        if exchange.call:
            state = state_in(response.result)
            if ending_of(exchange, response):
                self._end_task(exchange.call, is_answered=True)
            elif state and state.has_ended and state.status != COMPLETED:
                self._end_task(exchange.call, is_answered=False)

    def _end_task(self, call: Exchange, *, is_answered: bool) -> None:
        place = (call.frame, call.key)
        self._is_short = self._is_short or (not is_answered and place in self._pending)
        self._pending.discard(place)

    def _flush(self) -> Iterator[Line]:
        held, self._held, self._held_bytes = self._held, [], 0
        short, self._is_short = self._is_short, False
        unsaid: list[str] = []
        for one in held:
            yield from self._lines(one, short=short, unsaid=unsaid)

    def _name(self, name: str) -> str:
        return self._bounder.known.covered_name(name, self._key)

    def _said(self, note: Note, text: str) -> Note:
        # The reason why a call failed is untrusted text. Other notes repeat short values only by chance.
        weak = note.kind == FAILED
        return msgspec.structs.replace(
            note, text=self._bounder.known.covered_text(text, self._key, weak=weak)
        )

    def _lines(self, held: _Held, *, short: bool = False, unsaid: list[str] | None = None) -> Iterator[Line]:
        if held.frame is None:
            if isinstance(held.line, Note) and isinstance(held.line.text, str):
                yield self._said(held.line, held.line.text)
            elif held.line is not None:
                if isinstance(held.line, LensesChanged):
                    self._lenses = held.line.lenses
                yield held.line
            return
        frame = held.frame
        content, is_json, is_whole = self._content(held, frame, short=short, unsaid=unsaid or [])
        if short and unsaid is not None and not is_json and frame.channel is not Channel.NOTE:
            unsaid.append(frame.raw.decode("utf-8", "replace"))
            self._has_unsaid = True
        head = self._bounder.known.covered_text(frame.head, self._key)
        line = RecordedFrame(
            number=frame.number,
            at_s=frame.at_s,
            direction=frame.direction,
            channel=frame.channel,
            # Next to the remaining content, the full size would reveal the size of the withheld part.
            size=len(frame.raw) if is_whole else sum(map(len, pieces(content))),
            head=head if isinstance(head, str) else "",
            ends=frame.ends,
            failure=frame.failure,
            http_status=frame.http_status,
            response_to=frame.response_to,
            body=content if is_json else UNSET,
            text=UNSET if is_json else content,
            faults=frame.body.faults if isinstance(frame.body, JsonText) else (),
        )
        self._frames += 1
        yield line
        if is_json:
            for call in self._replay.calls(line):
                projection = projected(call, self._lenses)
                response = response_in(frame.body, call.request)
                if projection and response:
                    answer = outcome_of(response, call.member)
                    compared = self._bounder.compared(answer, call.name)
                    yield structs.replace(projection, output=recorded_output(compared))
                elif projection:
                    yield projection

    def _content(
        self, held: _Held, frame: Frame, *, short: bool, unsaid: list[str]
    ) -> tuple[Json, bool, bool]:
        """The content that remains of a frame, whether it is JSON, and whether it is complete."""
        if isinstance(frame.body, Malformed):
            # A malformed body may be a truncated result that contains secrets.
            return self._key.marker(UNJUDGED, frame.raw.decode("utf-8", "replace")), False, False
        if frame.body is None:
            text = self._text(frame, short=short, unsaid=unsaid)
            return text, False, text == frame.raw.decode("utf-8", "replace")
        by_us = frame.direction is Direction.SENT
        parts = held.parts
        if short and not by_us:
            parts = tuple((event, _quiet(event, value, self._key)) for event, value in parts)
        shown = [self._bounder.searched(event, value, by_us=by_us) for event, value in parts]
        is_whole = all(left is _value_of(event) for left, (event, _) in zip(shown, parts, strict=True))
        return (shown if isinstance(frame.body.value, list) else shown[0]), True, is_whole

    def _text(self, frame: Frame, *, short: bool, unsaid: list[str]) -> Json:
        text = frame.raw.decode("utf-8", "replace")
        if frame.channel is Channel.NOTE:
            text = _STARTED.sub(r"\1", text)
            written, named = self._target
            text = text.replace(written, named) if written else text
            if self._has_unsaid:
                # Further lines of a note may quote stderr, cut and masked differently than in its frames.
                text = text.partition("\n")[0]
            if any(line in text for line in unsaid if line):
                return self._key.marker(UNJUDGED, text)
        elif short:
            return self._key.marker(UNJUDGED, text)
        return self._bounder.known.covered_text(text, self._key)


def bounded_lines(
    scribe: Scribe, frames: Iterable[Matched], calls: Iterable[PageCall] = (), notes: Iterable[Note] = ()
) -> Iterator[Line]:
    """The lines of a recording of the session so far.

    `calls`: the calls of a page, in order. `notes`: in order, with plain texts.
    """
    past = Past(frames=tuple(frames), calls=tuple(calls))
    yield from scribe.foresee((past,))
    ended = ((made.at_s + made.duration_s, partial(scribe.call, made)) for made in past.calls)
    noted = ((note.at_s, partial(scribe.note, note.at_s, note.kind, str(note.text))) for note in notes)
    waiting = deque(merge(ended, noted, key=itemgetter(0)))
    for matched in past.frames:
        while waiting and waiting[0][0] <= matched.frame.at_s:
            yield from waiting.popleft()[1]()
        yield from scribe.take(matched)
    for _, write in waiting:
        yield from write()
    yield from scribe.finish()


def _place(event: Asked | Answered | GivenUp | Late) -> tuple[int, str]:
    return event.exchange.frame, event.exchange.key


def _value_of(event: Event) -> Json:
    message = message_of(event)
    return message.value if message else None


_ANSWERS = frozenset({"result", "error"})
_OF_TASK = frozenset({"taskId", "status", "resultType"})
"""The members whose values the protocol defines, in an answer about a task."""


def _quiet(event: Event, value: Json, key: MarkerKey) -> Json:
    """A message without the content that cannot be judged, because a call was not answered.

    Markers replace its parameters or, in an answer about a task, everything but the members in `_OF_TASK`.
    """
    if isinstance(event, (Answered, Late)) and event.exchange.call and isinstance(value, dict):
        held = value.get("result")
        if isinstance(held, dict) and "error" not in value:
            left: JsonObject = {
                name: member if name in _OF_TASK else key.marker(UNJUDGED, member)
                for name, member in held.items()
            }
            return {**value, "result": left}
        return {
            name: key.marker(UNJUDGED, value[name]) if name in _ANSWERS else value[name] for name in value
        }
    is_about = isinstance(message_of(event), (Notification, Request))
    if is_about and isinstance(value, dict) and "params" in value:
        return {**value, "params": key.marker(UNJUDGED, value["params"])}
    return value
