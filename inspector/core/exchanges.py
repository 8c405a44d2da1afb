"""Frames folded into a timeline: requests with their answers, notifications, logs, progress, stderr."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from inspector.core.frames import (
    Channel,
    Direction,
    Frame,
    Message,
    Notification,
    Request,
    Response,
    messages,
    request_key,
)
from inspector.core.json_text import Json, Malformed, dump_text

MAX_SEARCHED = 1 << 14
"""Characters of a title or detail, where it is searched for credentials; its frame has all of it."""


class EntryKind(StrEnum):
    """What a line of the timeline tells of."""

    EXCHANGE = "exchange"
    """A request from here and its answer."""
    SERVER_REQUEST = "server request"
    NOTIFICATION = "notification"
    PROGRESS = "progress"
    LOG = "log"
    STDERR = "stderr"
    FAULT = "fault"
    """Something the protocol does not allow: garbage, an answer nobody asked for."""
    NOTE = "note"
    DECISION = "decision"
    """Something that went over no wire: whether a call was made, and why."""


class EntryState(StrEnum):
    """How far it has come."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    """Answered with an error, or with a result that says isError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the timeline."""

    number: int
    """Counts from 1 in the timeline."""
    kind: EntryKind
    title: str
    """Method and, for a named thing, its name. Foreign text."""
    state: EntryState
    at_s: float
    frames: tuple[int, ...]
    """Numbers of the frames that made it, in order; none where it went over no wire."""
    size_bytes: int
    duration_s: float | None = None
    detail: str = ""
    """What went wrong, a log's text, a progress message. Foreign text."""


class Timeline:
    """All frames of a connection and what they amount to. Frames are only ever added."""

    def __init__(self, cover: Callable[[str], str] | None = None) -> None:
        """`cover`: covers the user's credentials in titles and details; None where there are none."""
        self._cover = cover
        self._frames: list[Frame] = []
        self._entries: list[Entry] = []
        self._open: dict[tuple[Direction, str], int] = {}
        self._given_up: dict[tuple[Direction, str], int] = {}
        """Requests that nobody waits for any more: their answers may still come, and are no fault."""

    @property
    def frames(self) -> Sequence[Frame]:
        """Every frame, in the order of its number."""
        return self._frames

    @property
    def entries(self) -> Sequence[Entry]:
        """Every entry, in the order of its first frame."""
        return self._entries

    def frame(self, number: int) -> Frame | None:
        """The frame of that number."""
        found = self._frames[number - 1 : number] if number > 0 else []
        return found[0] if found else None

    def fold(self, frame: Frame) -> tuple[Entry, ...]:
        """Take in one frame; the entries it added or changed."""
        self._frames.append(frame)
        if frame.channel is Channel.NOTE:
            return (self._note(frame),)
        if frame.channel is Channel.STDERR:
            return (
                self._add(frame, EntryKind.STDERR, "stderr", detail=frame.raw.decode("utf-8", "replace")),
            )
        found = messages(frame.body, is_cdp=frame.channel is Channel.CDP)
        return tuple(self._take(frame, message) for message in found)

    def note(self, at_s: float, title: str, detail: str) -> Entry:
        """Take in something that went over no wire: a decision about a call."""
        entry = Entry(
            number=len(self._entries) + 1,
            kind=EntryKind.DECISION,
            title=title,
            state=EntryState.DONE,
            at_s=at_s,
            frames=(),
            size_bytes=0,
            detail=detail,
        )
        self._entries.append(entry)
        return entry

    def _take(self, frame: Frame, message: Message) -> Entry:
        match message:
            case Request():
                return self._request(frame, message)
            case Response():
                return self._response(frame, message)
            case Notification():
                return self._notification(frame, message)
            case Malformed():
                return self._add(frame, EntryKind.FAULT, "not a message", detail=message.reason)

    def _request(self, frame: Frame, request: Request) -> Entry:
        sent = frame.direction is Direction.SENT
        kind = EntryKind.EXCHANGE if sent else EntryKind.SERVER_REQUEST
        entry = self._add(frame, kind, titled(request.method, request.params), state=EntryState.PENDING)
        key = (frame.direction, request_key(request.id))
        self._open[key] = entry.number
        self._given_up.pop(key, None)
        return entry

    def _response(self, frame: Frame, response: Response) -> Entry:
        asked = Direction.RECEIVED if frame.direction is Direction.SENT else Direction.SENT
        key = self._answered(asked, response)
        number = self._open.pop(key, None)
        if number is None and key in self._given_up:
            return self._late(frame, self._given_up.pop(key))
        if number is None:
            detail = f"an answer to id {dump_text(response.id)}, which nobody waits for"
            return self._add(frame, EntryKind.FAULT, "unexpected answer", detail=detail)
        before = self._entries[number - 1]
        failed = response.is_error or _says_error(response.result)
        entry = replace(
            before,
            state=EntryState.FAILED if failed else EntryState.DONE,
            frames=(*before.frames, frame.number),
            size_bytes=before.size_bytes + len(frame.raw),
            duration_s=frame.at_s - before.at_s,
            detail=self._shown(
                "; ".join((*response.faults, *((_error_text(response.error),) if response.is_error else ())))
            ),
        )
        self._entries[number - 1] = entry
        return entry

    def _late(self, frame: Frame, number: int) -> Entry:
        asked = self._entries[number - 1]
        detail = f"to {asked.title}, {frame.at_s - asked.at_s:.1f} s after it was asked: nobody waits for it any more"
        return self._add(frame, EntryKind.NOTE, "late answer", detail=detail)

    def _note(self, frame: Frame) -> Entry:
        text = frame.raw.decode("utf-8", "replace")
        key = (Direction.SENT, frame.ends or "")
        number = self._open.pop(key, None) if frame.ends else None
        if number is None:
            return self._add(frame, EntryKind.NOTE, text)
        self._given_up[key] = number
        before = self._entries[number - 1]
        entry = replace(
            before,
            state=EntryState.FAILED,
            frames=(*before.frames, frame.number),
            duration_s=frame.at_s - before.at_s,
            detail=self._shown(text),
        )
        self._entries[number - 1] = entry
        return entry

    def _answered(self, asked: Direction, response: Response) -> tuple[Direction, str]:
        """The open request that a response belongs to; an error without id belongs to the only open one."""
        if response.id is None and response.is_error:
            waiting = [key for key in self._open if key[0] is asked]
            if len(waiting) == 1:
                return waiting[0]
        return asked, request_key(response.id)

    def _notification(self, frame: Frame, notification: Notification) -> Entry:
        match notification.method, notification.params:
            case "notifications/progress", {**params}:
                return self._add(frame, EntryKind.PROGRESS, notification.method, detail=progress_text(params))
            case "notifications/message", {**params}:
                level, text = params.get("level"), params.get("data")
                detail = text if isinstance(text, str) else dump_text(text)
                return self._add(
                    frame, EntryKind.LOG, level if isinstance(level, str) else "log", detail=detail
                )
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
            size_bytes=len(frame.raw),
            detail=self._shown(detail),
        )
        self._entries.append(entry)
        return entry

    def _shown(self, text: str) -> str:
        if self._cover is None:
            return text
        return self._cover(text if len(text) <= MAX_SEARCHED else f"{text[:MAX_SEARCHED]}…")


def titled(method: str, params: Json) -> str:
    """A method with the name or URI that it is about."""
    if isinstance(params, dict):
        for key in ("name", "toolName", "uri"):
            name = params.get(key)
            if isinstance(name, str):
                return f"{method} {name}"
    return method


def progress_text(params: dict[str, Json]) -> str:
    """`3 of 10: copying`, from the parameters of a progress notification."""
    done, total, text = params.get("progress"), params.get("total"), params.get("message")
    shown = dump_text(done) + (f" of {dump_text(total)}" if total is not None else "")
    return f"{shown}: {text}" if isinstance(text, str) else shown


def _says_error(result: Json) -> bool:
    return isinstance(result, dict) and result.get("isError") is True


def _error_text(error: Json) -> str:
    if isinstance(error, dict):
        return f"{dump_text(error.get('code'))} {error.get('message', '')}".strip()
    return dump_text(error)
