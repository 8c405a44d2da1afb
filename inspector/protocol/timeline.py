"""The timeline of a session: exchanges, notifications, logs, progress, stderr, notes."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from inspector.credentials.cutting import masked_start
from inspector.json.exact import Json, Malformed, dump_text
from inspector.json.members import object_at, text_at, value_at
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
    task_of,
)
from inspector.protocol.frames import (
    WITHOUT_ID,
    Channel,
    Direction,
    Frame,
    Notification,
    Response,
    printed_line,
)
from inspector.protocol.outcome import Failure, Result, RpcError, unfinished_in
from inspector.protocol.page import INVOKE, RESPONDED, is_about_call, outcome_of_response
from inspector.protocol.tasks import CANCEL, CANCELLED, FAILED, TaskState, state_in

MAX_SEARCHED = 1 << 14
"""The maximum number of characters of a title or detail if credentials are masked in it.

The frame has the whole text.
"""
MAX_FRAMES = 400
"""The maximum number of frames kept of one entry: the first two and the last ones.

A server that answers with a task can cause any number of requests about it.
"""

LATE_OUTPUT_S = 0.5
"""The time in seconds after a call's answer within which lines of stderr still belong to the call.

They may arrive late, through a pipe of their own.
"""


AGREEING = frozenset({"initialize", "server/discover"})
"""The methods of the requests by which client and server agree on a protocol revision."""


class EntryKind(StrEnum):
    """The kind of event that a line of the timeline shows."""

    EXCHANGE = "exchange"
    """A request by Sightline and its answer."""
    SERVER_REQUEST = "server request"
    NOTIFICATION = "notification"
    PROGRESS = "progress"
    LOG = "log"
    STDERR = "stderr"
    FAULT = "fault"
    """Something that the protocol does not allow, such as text that is not JSON-RPC, or an answer to no request."""
    NOTE = "note"
    DECISION = "decision"
    """An event without a frame, such as the decision whether a call is made."""


_MESSAGES = frozenset({EntryKind.EXCHANGE, EntryKind.NOTIFICATION})


class EntryState(StrEnum):
    """The state of an entry: waiting for an answer, answered, unfinished, failed, or an open subscription."""

    PENDING = "pending"
    DONE = "done"
    OPEN = "open"
    """A subscription. Its request stays open until one side ends it."""
    UNFINISHED = "unfinished"
    """Answered, but the answer does not end the call."""
    FAILED = "failed"
    """Answered with an error or with a result that has `isError` set, or not answered."""


class Entry(Struct, frozen=True, kw_only=True):
    """One line of the timeline."""

    number: int
    """The number of the entry, counted from 1."""
    kind: EntryKind
    title: str
    """For a request, the method and the name or URI that it is about; else a short title. Untrusted text."""
    state: EntryState
    at_s: float
    frames: tuple[int, ...]
    """The numbers of the frames behind the entry, in order, at most `MAX_FRAMES`; empty if nothing went
    over the wire."""
    size_bytes: int
    duration_s: float | None = None
    detail: str = ""
    """An error, the text of a log, a progress message, or how a form was answered. Untrusted text."""
    is_of_browser: bool = False
    """True for a request or event of the browser's own protocol that is not about a call."""
    noted: str = ""
    """For an event that is not a protocol message: its kind in recordings, such as `policy` or `authorization`."""


class Timeline:
    """All frames of a connection, and the entries made of them. Frames are only ever added."""

    def __init__(self, mask: Callable[[str], str] | None = None) -> None:
        """`mask`: masks the user's credentials in titles and details; None if the user has no credentials."""
        self._mask = mask
        self._matched: list[Matched] = []
        self._entries: list[Entry] = []
        self._numbers: dict[tuple[int, str], int] = {}
        """The numbers of the entries of exchanges, by the frame and id of the request."""
        self._unfinished: dict[str, list[int]] = {}
        """The numbers of unfinished entries, by title.

        A later round of the same call continues one of them.
        """
        self._settled = set[int]()
        """The numbers of entries whose tasks have ended.

        Later answers about such a task do not change the state of its entry.
        """
        self._invocations: dict[str, Exchange] = {}
        """The running calls of a page's tools, by the id of the invocation."""

    @property
    def frames(self) -> Sequence[Frame]:
        """Every frame, ordered by number."""
        return [matched.frame for matched in self._matched]

    @property
    def matched(self) -> Sequence[Matched]:
        """Every frame with its events, ordered by number."""
        return self._matched

    @property
    def entries(self) -> Sequence[Entry]:
        """Every entry, in the order of the first frame of each."""
        return self._entries

    def stderr_since(self, at_s: float) -> tuple[str, ...]:
        """What the server has written to stderr since `at_s`, by line. Untrusted text."""
        recent = (entry for entry in self._entries if entry.at_s >= at_s)
        return tuple(entry.detail.rstrip("\r") for entry in recent if entry.kind is EntryKind.STDERR)

    def frame(self, number: int) -> Frame | None:
        """The frame with this number; None if there is none."""
        found = self._numbered(number)
        return found.frame if found is not None else None

    def _numbered(self, number: int) -> Matched | None:
        # A recording that was started later lacks some of the frames before its start.
        place = bisect_left(self._matched, number, key=lambda each: each.frame.number)
        found = self._matched[place : place + 1]
        return found[0] if found and found[0].frame.number == number else None

    def frames_of(self, entry: Entry) -> tuple[Matched, ...]:
        """The frames of an entry, with their events."""
        return tuple(filter(None, map(self._numbered, entry.frames)))

    def add(self, matched: Matched) -> tuple[Entry, ...]:
        """Add one frame. Returns the entries that were added or changed."""
        self._matched.append(matched)
        frame = matched.frame
        if frame.channel is Channel.NOTE and not matched.events:
            call = self._invocations.pop(frame.ends, None) if frame.ends is not None else None
            if call is not None:
                detail = frame.raw.decode("utf-8", "replace")
                return (self._ended(frame, call, EntryState.FAILED, detail, size_bytes=0),)
            return (self._add(frame, EntryKind.NOTE, frame.raw.decode("utf-8", "replace")),)
        if frame.channel is Channel.STDERR:
            return (
                self._add(frame, EntryKind.STDERR, "stderr", detail=frame.raw.decode("utf-8", "replace")),
            )
        return tuple(self._take(frame, event) for event in matched.events)

    def note(self, at_s: float, title: str, detail: str, *, kind: str = "", is_failed: bool = False) -> Entry:
        """Add an event for which no message was sent, such as a decision about a call.

        `kind`: the kind of the note in a recording.
        """
        entry = Entry(
            number=len(self._entries) + 1,
            kind=EntryKind.DECISION,
            title=title,
            state=EntryState.FAILED if is_failed else EntryState.DONE,
            at_s=at_s,
            frames=(),
            size_bytes=0,
            detail=detail,
            noted=kind,
        )
        self._entries.append(entry)
        return entry

    def _take(self, frame: Frame, event: Event) -> Entry:
        match event:
            case Asked():
                return self._asked(frame, event)
            case Answered(exchange=exchange, response=response) if exchange.call:
                return self._task_entry(frame, exchange, response)
            case Answered(exchange=exchange, response=response):
                return self._answered(frame, exchange, response)
            case GivenUp(exchange=exchange):
                detail = frame.raw.decode("utf-8", "replace")
                # The end of a subscription is not a failure.
                state = EntryState.DONE if exchange.is_lasting else EntryState.FAILED
                return self._ended(frame, exchange, state, detail, size_bytes=0)
            case Late(exchange=exchange):
                method, after = (
                    exchange.request.method,
                    f"{frame.at_s - exchange.at_s:.1f} s after the request",
                )
                if method in AGREEING:
                    # A server that starts slowly gets both requests, and one answer is enough.
                    return self._add(
                        frame, EntryKind.NOTE, f"answer to {method}", detail=f"no longer needed, {after}"
                    )
                title = titled(method, exchange.request.params)
                detail = f"to {title}, {after}; Sightline had stopped waiting for it"
                return self._add(frame, EntryKind.NOTE, "late answer", detail=detail)
            case Unasked(response=response):
                what = f"an answer to id {dump_text(response.id)}" if "id" in response.value else WITHOUT_ID
                detail = f"{what}, which no request waits for"
                return self._add(frame, EntryKind.FAULT, "unexpected answer", detail=detail)
            case Notification():
                return self._notification(frame, event)
            case Malformed():
                detail = printed_line(frame, self._mask or str) or event.reason
                return self._add(frame, EntryKind.FAULT, "not a message", detail=detail)

    def _answered(self, frame: Frame, exchange: Exchange, response: Response) -> Entry:
        handle = task_of(exchange, response)
        if handle and exchange.asked_by is Direction.RECEIVED:
            return self._ended(frame, exchange, EntryState.PENDING, _task_words(handle.state))
        invocation = text_at(response.result, "invocationId")
        if frame.channel is Channel.CDP and exchange.request.method == INVOKE and invocation is not None:
            return self._begun(frame, exchange, invocation)
        failed = response.is_error or _says_error(response.result)
        ended = None if failed or frame.channel is Channel.CDP else unfinished_in(response.result)
        state = EntryState.FAILED if failed else EntryState.UNFINISHED if ended else EntryState.DONE
        errors = (_error_text(response.error),) if response.is_error else ()
        reasons = (ended.reason,) if ended else _action(exchange, response.result)
        return self._ended(frame, exchange, state, "; ".join((*response.faults, *errors, *reasons)))

    def _begun(self, frame: Frame, exchange: Exchange, invocation: str) -> Entry:
        """Update the entry of a call of a page's tool. The browser's reply only says that the call has begun."""
        since = (event for matched in self._matched[exchange.frame :] for event in matched.events)
        # The page may respond before the browser replies.
        early = (event for event in since if _responds_to(event) == invocation)
        responded = next((event.params for event in early if isinstance(event, Notification)), None)
        if responded is not None:
            return self._ended(frame, exchange, *_page_state(responded))
        self._invocations[invocation] = exchange
        return self._ended(frame, exchange, EntryState.PENDING, "")

    def _asked(self, frame: Frame, asked: Asked) -> Entry:
        exchange = asked.exchange
        kind = EntryKind.EXCHANGE if exchange.asked_by is Direction.SENT else EntryKind.SERVER_REQUEST
        title = titled(exchange.request.method, exchange.request.params)
        before = self._round_before(title, exchange)
        if before is not None:
            is_settled = before.number in self._settled
            entry = replace(
                before,
                state=before.state if is_settled else EntryState.PENDING,
                frames=_more(before, frame),
                size_bytes=before.size_bytes + frame.size_bytes,
                duration_s=before.duration_s if is_settled else None,
                # Between two polls, the task's last message stays.
                detail=before.detail if exchange.call else "",
            )
            self._entries[before.number - 1] = entry
            self._numbers[exchange.frame, exchange.key] = entry.number
            return entry
        state = EntryState.OPEN if exchange.is_lasting else EntryState.PENDING
        entry = self._add(frame, kind, title, state=state)
        self._numbers[exchange.frame, exchange.key] = entry.number
        return entry

    def _round_before(self, title: str, exchange: Exchange) -> Entry | None:
        """The unfinished entry that a request continues; None if the request starts an entry of its own."""
        if exchange.call:
            return self._entries[self._numbers[exchange.call.frame, exchange.call.key] - 1]
        if exchange.asked_by is Direction.RECEIVED or not goes_on(exchange.request.params):
            return None
        numbers = self._unfinished.get(title, [])
        return self._entries[numbers.pop(0) - 1] if numbers else None

    def _task_entry(self, frame: Frame, exchange: Exchange, response: Response) -> Entry:
        """Update the entry of a request with an answer about its task.

        The call stays pending until the task has ended.
        """
        ending, state = ending_of(exchange, response), state_in(response.result)
        number = self._numbers[exchange.frame, exchange.key]
        before = self._entries[number - 1]
        if number in self._settled:
            entry = replace(
                before, frames=_more(before, frame), size_bytes=before.size_bytes + frame.size_bytes
            )
            self._entries[number - 1] = entry
            return entry
        is_cancelled = exchange.request.method == CANCEL or bool(state and state.status == CANCELLED)
        if ending or is_cancelled:
            self._settled.add(number)
        if ending:
            value = ending.outcome.value
            is_error = isinstance(ending.outcome, RpcError)
            failed = is_error or _says_error(value)
            reason = None if failed else unfinished_in(value)
            words = _error_text(value) if is_error else reason.reason if reason else ""
            words = words or "".join(_action(exchange, value))
            how = EntryState.FAILED if failed else EntryState.UNFINISHED if reason else EntryState.DONE
            return self._ended(frame, exchange, how, words)
        if is_cancelled:
            return self._ended(frame, exchange, EntryState.FAILED, "the task was cancelled")
        has_failed = state is not None and state.status == FAILED
        how = EntryState.FAILED if has_failed else EntryState.PENDING
        return self._ended(frame, exchange, how, _task_words(state) if state else before.detail)

    def _ended(
        self,
        frame: Frame,
        exchange: Exchange,
        state: EntryState,
        detail: str,
        *,
        size_bytes: int | None = None,
    ) -> Entry:
        number = self._numbers[exchange.frame, exchange.key]
        before = self._entries[number - 1]
        entry = replace(
            before,
            state=state,
            frames=_more(before, frame),
            size_bytes=before.size_bytes + (frame.size_bytes if size_bytes is None else size_bytes),
            duration_s=None if state is EntryState.PENDING else frame.at_s - before.at_s,
            detail=self._shown(detail),
        )
        self._entries[number - 1] = entry
        if state is EntryState.UNFINISHED:
            self._unfinished.setdefault(titled(exchange.request.method, exchange.request.params), []).append(
                number
            )
        return entry

    def _notification(self, frame: Frame, notification: Notification) -> Entry:
        call = self._invocations.pop(_responds_to(notification), None)
        if call is not None:
            return self._ended(frame, call, *_page_state(notification.params))
        match notification.method, notification.params:
            case "notifications/progress", {**params}:
                return self._add(frame, EntryKind.PROGRESS, notification.method, detail=progress_text(params))
            case "notifications/message", {**params}:
                text = params.get("data")
                detail = text if isinstance(text, str) else dump_text(text)
                level = text_at(params, "level")
                return self._add(frame, EntryKind.LOG, "log" if level is None else level, detail=detail)
            case _:
                return self._add(frame, EntryKind.NOTIFICATION, notification.method)

    def _add(
        self,
        frame: Frame,
        kind: EntryKind,
        title: str,
        *,
        state: EntryState = EntryState.DONE,
        detail: str = "",
    ) -> Entry:
        entry = Entry(
            number=len(self._entries) + 1,
            kind=kind,
            title=self._shown(title),
            state=state,
            at_s=frame.at_s,
            frames=(frame.number,),
            size_bytes=frame.size_bytes,
            detail=self._shown(detail),
            is_of_browser=frame.channel is Channel.CDP
            and kind in _MESSAGES
            and not is_about_call(title.partition(" ")[0]),
        )
        self._entries.append(entry)
        return entry

    def _shown(self, text: str) -> str:
        return text if self._mask is None else masked_start(text, self._mask, MAX_SEARCHED)


def goes_on(params: Json) -> bool:
    """True if a request continues a call to which the server answered that it needs input."""
    return isinstance(params, dict) and bool({"inputResponses", "requestState"} & params.keys())


def is_unfinished(response: Response) -> bool:
    """True if an answer requires more requests before the call ends."""
    failed = response.is_error or _says_error(response.result)
    return not failed and unfinished_in(response.result) is not None


def titled(method: str, params: Json) -> str:
    """The method, followed by the name or URI that it is about, if any."""
    names = (text_at(params, key) for key in ("name", "toolName", "uri"))
    return next((f"{method} {name}" for name in names if name is not None), method)


def progress_text(params: dict[str, Json]) -> str:
    """The text of a progress notification, such as `3 of 10: copying`, from its parameters."""
    done, total, text = params.get("progress"), params.get("total"), params.get("message")
    shown = dump_text(done) + (f" of {dump_text(total)}" if total is not None else "")
    return f"{shown}: {text}" if isinstance(text, str) else shown


def _responds_to(event: Event) -> str:
    """The id of the invocation of a page's tool that an event ends; empty if it ends none."""
    if not isinstance(event, Notification) or event.method != RESPONDED:
        return ""
    return text_at(event.params, "invocationId") or ""


def _page_state(responded: Json) -> tuple[EntryState, str]:
    """The state and the detail of a call of a page's tool, from the parameters of the response."""
    match outcome_of_response(object_at(responded)):
        case Result(value=value):
            return EntryState.FAILED if _says_error(value) else EntryState.DONE, ""
        case RpcError(value=error):
            return EntryState.FAILED, text_at(error, "message") or ""
        case Failure(detail=detail):
            return EntryState.FAILED, detail


def _more(entry: Entry, frame: Frame) -> tuple[int, ...]:
    """The frame numbers of an entry and of `frame`. Beyond `MAX_FRAMES`, the third number is dropped."""
    frames = (*entry.frames, frame.number)
    return frames if len(frames) <= MAX_FRAMES else (*frames[:2], *frames[3:])


def _task_words(state: TaskState) -> str:
    return f"task {state.status}: {state.message}" if state.message else f"task {state.status}"


def _action(exchange: Exchange, result: Json) -> tuple[str, ...]:
    """The action with which a request by the server was answered: `accept`, `decline`, `cancel`; empty if it has none."""
    action = text_at(result, "action") if exchange.asked_by is Direction.RECEIVED else None
    return () if action is None else (action,)


def _says_error(result: Json) -> bool:
    return value_at(result, "isError") is True


def _error_text(error: Json) -> str:
    if isinstance(error, dict):
        return f"{dump_text(error.get('code'))} {error.get('message', '')}".strip()
    return dump_text(error)
