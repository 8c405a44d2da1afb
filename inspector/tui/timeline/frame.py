"""The screen that shows the frames of a timeline entry as they were on the wire."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import ContentSwitcher

from inspector.asks.private import Questions, private_in_reply
from inspector.boundary.bounded import Level, Removal
from inspector.boundary.mask import MASK, SHOWN, mask
from inspector.claims.resolution import METHOD as RESOLVE
from inspector.hosts.projection import project
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump_text
from inspector.json.members import object_at
from inspector.pins.known_secrets import KnownSecrets
from inspector.protocol.calls import CALL, called
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.exchanges import (
    Answered,
    Asked,
    Event,
    Late,
    Matched,
    answered_by,
    ending_of,
    message_of,
    own_answer,
)
from inspector.protocol.frames import Channel, Direction, Frame, Notification, Request
from inspector.protocol.outcome import Failure, Result, RpcError
from inspector.protocol.page import INVOKE, RESPONDED, outcome_of_response
from inspector.protocol.tasks import outcome_of
from inspector.protocol.timeline import Entry, EntryKind
from inspector.recording.markers import meanings_in, with_ids
from inspector.safe_text import safe
from inspector.secrets.own_credentials import OwnCredentials
from inspector.tui.call.arguments import sensitive_pointers
from inspector.tui.call.command_line import editable
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.runtime.clipboard import put
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, count, duration, row_text, shortened, size
from inspector.tui.timeline.rows import clock
from inspector.tui.widgets.lines import MARKED, SignedLines, TextLines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Keys, SecondaryScreen


class FrameView(Struct, frozen=True, kw_only=True):
    """One frame, ready to be drawn."""

    frame: Frame
    document: Document | None
    """The frame as JSON; None if it is not JSON."""
    text: tuple[str, ...]
    """The content of the frame as lines of untrusted text."""
    masked: int
    """The number of masked sensitive values."""
    copied: Json
    """The content to copy: the masked JSON, or the text of a frame that is not JSON."""
    left_out: tuple[str, ...] = ()
    """Sentences about what a recording withholds from the frame."""


def frame_clock(at_s: float) -> str:
    """A time on the clock of the timeline, to the millisecond: `1:23.709`."""
    whole, thousandths = divmod(round(max(at_s, 0.0) * 1000), 1000)
    return f"{clock(whole)}.{thousandths:03d}"


def frame_head(view: FrameView, place: int, total: int, began_s: float = 0.0) -> Content:
    """The lines above a frame, with its direction, channel, time and size, its HTTP head, and its faults.

    `place`: the number of the frame in its entry, from 1. `total`: the number of frames of the entry.
    `began_s`: the time at which the connection began, in seconds on the clock of the timeline.
    """
    frame = view.frame
    arrow = "→ sent" if frame.direction is Direction.SENT else "← received"
    is_note = frame.channel is Channel.NOTE
    lines = [
        Content.assemble(
            ("· a note of Sightline" if is_note else f"{arrow} ", "bold $text-primary"),
            "" if is_note else f"frame {frame.number} over {frame.channel}",
            f", {size(frame.size_bytes)}, at {frame_clock(began_s + frame.at_s)}",
            (f"   {place} of {total}" if total > 1 else "", QUIET),
        )
    ]
    if frame.head:
        lines += [content(shortened(line, 400)) for line in frame.head.splitlines()[:12]]
    lines += [content(shortened(fault, 400), "$text-error") for fault in _faults(frame)]
    if view.masked:
        words = f"{count(view.masked, 'sensitive value')} masked; blanks and escapes are not as sent"
        lines.append(Content.styled(words, "$text-accent"))
    lines += [Content.styled(sentence, QUIET) for sentence in view.left_out]
    return Content("\n").join(lines)


def entry_title(entry: Entry) -> Content:
    """The title of the entry that the frames belong to."""
    took = f"  {duration(entry.duration_s)}" if entry.duration_s is not None else ""
    return Content.assemble(
        (f"{entry.kind} ", QUIET),
        content(row_text(shortened(entry.title, 120)), "bold"),
        (f"  {entry.state}{took}  {size(entry.size_bytes)}", QUIET),
    )


def pieces(text: str, chunk: int) -> tuple[str, ...]:
    """The lines of `text`, in pieces of at most `chunk` characters, because a line may have megabytes.

    A piece ends after a blank if there is one in its second half. Blanks at the end of a line make no piece
    of their own, because some programs pad their lines with blanks.
    """
    found: list[str] = []
    for line in text.split("\n"):
        at, last = 0, len(line.rstrip(" "))
        while last - at > chunk:
            blank = line.rfind(" ", at + chunk // 2, at + chunk)
            end = blank + 1 if blank >= 0 else at + chunk
            found.append(line[at:end])
            at = end
        found.append(line[at:])
    return tuple(found)


def _faults(frame: Frame) -> Sequence[str]:
    match frame.body:
        case JsonText(faults=faults):
            return faults
        case Malformed(reason=reason):
            return (reason,)
        case None:
            return ()


def frame_view(
    matched: Matched,
    catalogue: Catalogue,
    *,
    chunk: int,
    has_ids: bool = False,
    own: OwnCredentials | None = None,
    known: KnownSecrets | None = None,
    before: Sequence[Matched] = (),
) -> FrameView:
    """A frame in which sensitive arguments and results, and the user's credentials `own`, are masked.

    `known`: values that were withheld from calls of the session, which are masked too.

    `chunk`: the number of characters after which text is wrapped. `has_ids`: whether the frame comes from a
    recording, which has ids in place of withheld values. `before`: the earlier frames of the entry, which show
    what the server has asked for, and so which answers are private. Without them, all such answers are masked.
    """
    questions = Questions()
    for event in (event for earlier in before for event in earlier.events):
        if (answer := own_answer(event)) is not None:
            questions.take(answer[1])
    page_tool = _page_tool((*before, matched), catalogue)
    frame = matched.frame
    if own and frame.head:
        frame = replace(frame, head=own.mask(frame.head))
    if not isinstance(frame.body, JsonText):
        text = frame.raw.decode("utf-8", "replace")
        text = own.mask(text) if own else text
        text = known.masked_text(text) if known else text
        return FrameView(
            frame=frame,
            document=None,
            text=pieces(text, chunk),
            masked=0,
            copied=text,
            left_out=meanings_in(text) if has_ids else (),
        )
    batch = frame.body.value if isinstance(frame.body.value, list) else None
    masked = 0
    shown: list[Json] = []
    for event in matched.events:
        message = message_of(event)
        if message is None:
            continue
        value, number = (
            (message.value, 0)
            if isinstance(message, Malformed)
            else _covered_of_page(message.value, event, page_tool)
            if page_tool is not None
            else _covered(message.value, event, catalogue, questions)
        )
        shown.append(with_ids(value, message.value) if number and has_ids else value)
        masked += number
    value: Json = shown if batch is not None else shown[0]
    if own:
        value, number = own.masked(value)
        masked += number
    if known:
        value, places = known.masked(value, _mask_word)
        masked += len(places)
    text = dump_text(value) if masked else frame.raw.decode("utf-8", "replace")
    return FrameView(
        frame=frame,
        document=Document(value, chunk=max(chunk - 24, 40)),
        text=pieces(text, chunk),
        masked=masked,
        copied=value,
        left_out=meanings_in(text) if has_ids else (),
    )


def _mask_word(_value: Json) -> str:
    return MASK


def _tool_of(request: Request, catalogue: Catalogue) -> Tool | None:
    """The tool that a request calls or resolves, or the item that it reads, as a tool; None if not listed."""
    call = called(CALL if request.method == RESOLVE else request.method, request.params)
    return catalogue.tool(call[0]) if call else None


def _covered(value: JsonObject, event: Event, catalogue: Catalogue, questions: Questions) -> tuple[Json, int]:
    match event:
        case Answered(exchange=exchange, response=response) | Late(exchange=exchange, response=response) if (
            exchange.asked_by is Direction.RECEIVED
        ):
            asked = answered_by(exchange, response)
            pointers = private_in_reply(asked.method, asked.params, response.result)
            return _masked(value, [f"/result{pointer}" for pointer in pointers])
        case Asked(exchange=exchange):
            tool, params = _tool_of(exchange.request, catalogue), exchange.request.params
            pointers = [f"/params{pointer}" for pointer in questions.private_in(params)]
            if isinstance(params, dict) and "arguments" in params and tool:
                pointers += [f"/params/arguments{pointer}" for pointer in sensitive_pointers(tool)]
            return _masked(value, pointers)
        case Answered(exchange=exchange, response=response) | Late(exchange=exchange, response=response):
            ending, asked = ending_of(exchange, response), answered_by(exchange, response)
            tool = None if asked.method == RESOLVE else _tool_of(asked, catalogue)
            if tool and ending and ending.member:
                state = object_at(response.result)
                covered, number = _covered_answer({}, ending.outcome, tool)
                return ({**value, "result": {**state, **covered}}, number) if number else (value, 0)
            return _covered_answer(value, outcome_of(response), tool) if tool else (value, 0)
        case _:
            return value, 0


def _page_tool(frames: Sequence[Matched], catalogue: Catalogue) -> Tool | None:
    """The page's tool that the first call in `frames` calls; None if there is no call or no such tool."""
    for event in (event for matched in frames for event in matched.events):
        if isinstance(event, Asked) and event.exchange.request.method == INVOKE:
            params = object_at(event.exchange.request.params)
            return next((tool for tool in catalogue.tools if _is_invoked(tool, params)), None)
    return None


def _is_invoked(tool: Tool, params: JsonObject) -> bool:
    page = tool.page
    if page is None:
        return False
    if "toolId" in params:
        return page.tool_id is not None and page.tool_id == params["toolId"]
    is_named = tool.definition.get("name", tool.name) == params.get("toolName")
    return is_named and page.document.frame_id == params.get("frameId")


def _covered_of_page(value: JsonObject, event: Event, tool: Tool) -> tuple[Json, int]:
    match event:
        case Asked(exchange=exchange) if exchange.request.method == INVOKE:
            return _masked(value, [f"/params/input{pointer}" for pointer in sensitive_pointers(tool)])
        case Notification(method=method, params=dict(params)) if method == RESPONDED:
            outcome = outcome_of_response(params)
            if isinstance(outcome, Failure):
                return value, 0
            covered, number = _covered_answer({}, outcome, tool)
            if isinstance(outcome, Result):
                shown: JsonObject = {"output": covered.get("result", MASK)}
            else:
                shown = {key: MASK for key in ("errorText", "exception", "output") if key in params}
            return ({**value, "params": {**params, **shown}}, number) if number else (value, 0)
        case _:
            return value, 0


def _masked(value: JsonObject, pointers: Sequence[str]) -> tuple[Json, int]:
    removals = [Removal(pointer=pointer, rule="x-sensitive", detail="") for pointer in pointers]
    return (mask(value, removals), len(removals)) if removals else (value, 0)


def _covered_answer(value: JsonObject, outcome: Result | RpcError, tool: Tool) -> tuple[JsonObject, int]:
    profile = host_of("spec")
    if profile is None:
        return {"withheld": "no host profile to judge it by"}, 1
    judged = project(outcome, tool, Level.DECLARED, profile)
    number = sum(removal.rule not in SHOWN for removal in judged.sensitive)
    if not number:
        return value, 0
    covered = judged.masked_sent
    if isinstance(outcome, RpcError) and isinstance(covered, dict):
        return {**value, **covered}, number
    return {**value, "result": covered}, number


class FramesWanted(Struct, frozen=True, kw_only=True):
    """The frames of an entry, with a place to mark in them."""

    entry: Entry
    frames: tuple[Matched, ...]
    """The frames, in the order of the entry."""
    catalogue: Catalogue
    pointer: str = ""
    """A pointer to the place to mark in the last frame; empty for none. Untrusted text."""
    has_ids: bool = False
    """True if the frames come from a recording, which has ids in place of withheld values."""
    own: OwnCredentials | None = None
    """The user's own credentials, which are masked."""
    known: KnownSecrets | None = None
    """The values that were withheld from calls of the session, which are masked."""
    began_s: float = 0.0
    """The time at which the connection began, in seconds on the clock of the timeline."""


class FrameAsked(Struct, frozen=True, kw_only=True):
    """A request for the view of one frame of an entry; the frame is named by its index."""

    wanted: FramesWanted
    place: int
    chunk: int


class FrameScreen(SecondaryScreen[None], inherit_bindings=False):
    """Shows one frame at a time, as JSON or as text.

    For an exchange, it shows the request first; for other entries, the last frame. If there is a place to
    mark, it shows the last frame first, because the place is in that frame.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.FRAME)
    NAME = "Frames"
    KEYS: ClassVar[Keys] = (
        ("frame.next", ""),
        ("frame.previous", ""),
        ("frame.text", ""),
        ("frame.copy", ""),
        ("frame.back", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The frame could not be shown"

    def __init__(self, wanted: FramesWanted) -> None:
        super().__init__()
        self.entitle(entry_title(wanted.entry))
        self._wanted = wanted
        is_exchange = wanted.entry.kind in {EntryKind.EXCHANGE, EntryKind.SERVER_REQUEST}
        self._place = 0 if is_exchange and not wanted.pointer and wanted.frames else len(wanted.frames) - 1
        self._head = PlainText(id="frame-head")
        self._document = SignedLines(id="frame-document")
        self._text = TextLines(id="frame-text")
        self._has_document = False
        self._view: FrameView | None = None
        self._views = self.latest(asked_frame, self._take)

    def body(self) -> ComposeResult:
        yield self._head
        with ContentSwitcher(initial="frame-document"):
            yield self._document
            yield self._text

    def on_mount(self) -> None:
        self._show()

    def action_frame(self, step: int) -> None:
        there = self._place + step
        if 0 <= there < len(self._wanted.frames):
            self._place = there
            self._show()
        else:
            words = (
                "This is the last frame of this entry."
                if step > 0
                else "This is the first frame of this entry."
            )
            self.notify(words, markup=False)

    def action_as_text(self) -> None:
        if self._has_document:
            self._switch("frame-document" if self._text.has_focus else "frame-text")
        else:
            self.notify("This frame is not JSON.", markup=False)

    def action_copy(self) -> None:
        view = self._view
        if view is not None:
            self.run_worker(
                work_of(self._copy, view, as_text=self._text.has_focus), group="copying", exclusive=True
            )

    async def _copy(self, view: FrameView, *, as_text: bool) -> None:
        text = await asyncio.to_thread(_copied, view, as_text=as_text)
        masked = f", {count(view.masked, 'sensitive value')} masked" if view.masked else ""
        problem = put(self, f"frame {view.frame.number}{masked}", text)
        if problem:
            self.notify(problem, severity="warning", markup=False)

    def _show(self) -> None:
        if self._place >= 0:
            chunk = max(self.size.width - 3, 40)
            self._views.ask(FrameAsked(wanted=self._wanted, place=self._place, chunk=chunk))

    def _take(self, view: FrameView) -> None:
        self._view = view
        total = len(self._wanted.frames)
        self._head.update(frame_head(view, self._place + 1, total, self._wanted.began_s))
        self._has_document = view.document is not None
        pointer = self._wanted.pointer if self._place == total - 1 else ""
        extent = view.document.extent(pointer) if view.document and pointer else None
        self._document.show(view.document, dict.fromkeys(extent or (), MARKED))
        if extent:
            self._document.cursor = extent.start
            # The document has no height before it is laid out.
            self.call_after_refresh(self._document.reveal, extent.stop - 1)
            self.call_after_refresh(self._document.reveal, extent.start)
        self._text.show(view.text)
        self._switch("frame-document" if self._has_document else "frame-text")

    def _switch(self, shown: str) -> None:
        self.query_one(ContentSwitcher).current = shown
        (self._document if shown == "frame-document" else self._text).focus()


def _copied(view: FrameView, *, as_text: bool) -> str:
    """A frame as it is shown: as indented JSON, or as text."""
    if view.document is None and isinstance(view.copied, str):
        return safe(view.copied)
    if not as_text:
        return editable(view.copied)
    return safe(dump_text(view.copied) if view.masked else view.frame.raw.decode("utf-8", "replace"))


def asked_frame(asked: FrameAsked) -> FrameView:
    """The view of the frame that was asked for. Sensitive values and private answers are masked."""
    wanted = asked.wanted
    return frame_view(
        wanted.frames[asked.place],
        wanted.catalogue,
        chunk=asked.chunk,
        has_ids=wanted.has_ids,
        own=wanted.own,
        known=wanted.known,
        before=wanted.frames[: asked.place],
    )
