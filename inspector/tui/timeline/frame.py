"""The frames of an entry as they were on the wire, on a screen of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static

from inspector.boundary.bounded import Level, Removal
from inspector.boundary.mask import mask
from inspector.claims.resolution import METHOD as RESOLVE
from inspector.hosts.projection import project
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump_text
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.exchanges import Answered, Asked, Event, Late, Matched, message_of
from inspector.protocol.frames import Direction, Frame, Request, Response
from inspector.protocol.outcome import Result, RpcError
from inspector.protocol.timeline import Entry
from inspector.recording.markers import with_ids
from inspector.secrets.own_credentials import OwnCredentials
from inspector.tui.call.arguments import sensitive_pointers
from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, count, duration, shortened, size
from inspector.tui.widgets.lines import MARKED, SignedLines, TextLines


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameView:
    """One frame, ready to be drawn."""

    frame: Frame
    document: "Document | None"
    """None where it is no JSON."""
    text: tuple[str, ...]
    """Its bytes as text, in pieces of one line each: foreign text."""
    masked: int
    """How many sensitive positions are covered."""


def frame_head(view: FrameView, place: int, total: int) -> Content:
    """Direction, channel, time, size; what stood around the bytes; what is wrong with them."""
    frame = view.frame
    arrow = "→ sent" if frame.direction is Direction.SENT else "← received"
    lines = [
        Content.assemble(
            (f"{arrow} ", "bold $text-primary"),
            f"frame {frame.number} over {frame.channel}, {size(len(frame.raw))}, at {frame.at_s:.3f} s",
            (f"   {place} of {total} here" if total > 1 else "", "$foreground 70%"),
        )
    ]
    if frame.head:
        lines += [content(shortened(line, 400)) for line in frame.head.splitlines()[:12]]
    lines += [content(shortened(fault, 400), "$text-error") for fault in _faults(frame)]
    if view.masked:
        words = f"{count(view.masked, 'sensitive position')} covered"
        lines.append(Content.styled(words, "$text-accent"))
    return Content("\n").join(lines)


def entry_title(entry: Entry) -> Content:
    """What the frames belong to."""
    took = f"  {duration(entry.duration_s)}" if entry.duration_s is not None else ""
    return Content.assemble(
        (f"{entry.kind} ", "$foreground 70%"),
        content(shortened(entry.title, 120), "bold"),
        f"  {entry.state}{took}  {size(entry.size_bytes)}",
    )


def pieces(text: str, chunk: int) -> tuple[str, ...]:
    """`text` in lines of at most `chunk` characters: a frame may be one line of megabytes."""
    return tuple(
        line[start : start + chunk]
        for line in text.split("\n")
        for start in range(0, max(len(line), 1), chunk)
    )


def _faults(frame: Frame) -> Sequence[str]:
    match frame.body:
        case JsonText(faults=faults):
            return faults
        case Malformed(reason=reason):
            return (reason,)
        case None:
            return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameAsked:
    """One frame of an entry."""

    entry: Entry
    frame: Matched
    catalogue: Catalogue
    chunk: int
    """Characters after which text breaks."""
    has_ids: bool = False
    """Whether it is of a recording, where ids stand in place of what is withheld."""
    own: "OwnCredentials | None" = None
    """The user's credentials, which are covered."""


_CALL = "tools/call"


def frame_view(
    matched: Matched,
    catalogue: Catalogue,
    *,
    chunk: int,
    has_ids: bool = False,
    own: OwnCredentials | None = None,
) -> FrameView:
    """A frame of a session; what its tools declare sensitive is covered, in arguments and in results; so is what `own` holds.

    `has_ids`: whether it is of a recording, where ids stand in place of what is withheld.
    """
    frame = matched.frame
    if own and frame.head:
        frame = replace(frame, head=own.cover(frame.head))
    if not isinstance(frame.body, JsonText):
        text = frame.raw.decode("utf-8", "replace")
        text = own.cover(text) if own else text
        return FrameView(frame=frame, document=None, text=pieces(text, chunk), masked=0)
    batch = frame.body.value if isinstance(frame.body.value, list) else None
    masked = 0
    shown: list[Json] = []
    for event in matched.events:
        message = message_of(event)
        if message is None:
            continue
        value, number = (
            _covered(message.value, event, catalogue)
            if not isinstance(message, Malformed)
            else (message.value, 0)
        )
        shown.append(with_ids(value, message.value) if number and has_ids else value)
        masked += number
    value: Json = shown if batch is not None else shown[0]
    if own:
        value, number = own.covered(value)
        masked += number
    text = dump_text(value) if masked else frame.raw.decode("utf-8", "replace")
    return FrameView(
        frame=frame,
        document=Document(value, chunk=max(chunk - 24, 40)),
        text=pieces(text, chunk),
        masked=masked,
    )


def _tool_of(request: Request, catalogue: Catalogue) -> Tool | None:
    """The tool whose arguments a request carries: to call it, or to ask what a call would do."""
    if request.method not in {_CALL, RESOLVE}:
        return None
    if not isinstance(request.params, dict):
        return None
    name = request.params.get("name")
    return catalogue.tool(name) if isinstance(name, str) else None


def _covered(value: JsonObject, event: Event, catalogue: Catalogue) -> tuple[Json, int]:
    match event:
        case Asked(exchange=exchange):
            tool = _tool_of(exchange.request, catalogue)
            removals = [
                Removal(pointer=f"/params/arguments{pointer}", rule="x-sensitive", detail="")
                for pointer in (sensitive_pointers(tool) if tool else ())
                if isinstance(exchange.request.params, dict) and "arguments" in exchange.request.params
            ]
            return (mask(value, removals), len(removals)) if removals else (value, 0)
        case Answered(exchange=exchange, response=response) | Late(exchange=exchange, response=response):
            is_call = exchange.request.method == _CALL
            tool = _tool_of(exchange.request, catalogue) if is_call else None
            return _covered_answer(value, response, tool) if tool else (value, 0)
        case _:
            return value, 0


def _covered_answer(value: JsonObject, response: Response, tool: Tool) -> tuple[Json, int]:
    profile = host_of("spec")
    if profile is None:
        return {"withheld": "no host profile to judge it by"}, 1
    outcome = RpcError(value=response.error) if response.is_error else Result(value=response.result)
    judged = project(outcome, tool, Level.DECLARED, profile)
    if not judged.sensitive:
        return value, 0
    covered = judged.masked
    if response.is_error and isinstance(covered, dict):
        return {**value, **covered}, len(judged.sensitive)
    return {**value, "result": covered}, len(judged.sensitive)


_KEYS = ("frame.back", "frame.next", "frame.previous", "frame.text")


@dataclass(frozen=True, slots=True, kw_only=True)
class FramesWanted:
    """Which frames to show."""

    entry: Entry
    frames: tuple[Matched, ...]
    """Those of the entry, in its order."""
    catalogue: Catalogue
    pointer: str = ""
    """A place in the last frame to go to, and to mark. Foreign text."""
    has_ids: bool = False
    """Whether they are of a recording, where ids stand in place of what is withheld."""
    own: "OwnCredentials | None" = None
    """The user's credentials, which are covered; None where there are none."""


class FrameScreen(Screen[None], inherit_bindings=False):
    """The frames of one entry of the timeline, as JSON or as text."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.FRAME)

    def __init__(self, wanted: FramesWanted) -> None:
        super().__init__()
        self._wanted = wanted
        self._place = 0
        self._title = Static(entry_title(wanted.entry), markup=False, id="frame-title")
        self._head = Static("", markup=False, id="frame-head")
        self._document = SignedLines(id="frame-document")
        self._text = TextLines(id="frame-text")
        self._keys = KeyLine()
        self._has_document = False
        self._making = Latest(self, _asked_frame, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """Title, head, the frame, keys."""
        yield self._title
        yield self._head
        with ContentSwitcher(initial="frame-document"):
            yield self._document
            yield self._text
        yield self._keys

    def on_mount(self) -> None:
        """The answer is what one looks for: the last frame of an exchange."""
        self._keys.offers = [Offer(command(known), command(known).label) for known in _KEYS]
        self._place = len(self._wanted.frames) - 1
        self._show()

    def action_frame(self, step: int) -> None:
        """Another frame of the same entry."""
        there = self._place + step
        if 0 <= there < len(self._wanted.frames):
            self._place = there
            self._show()
        else:
            self.notify("There is no further frame in this entry.", markup=False)

    def action_as_text(self) -> None:
        """Text or JSON."""
        if self._has_document:
            self._switch("frame-document" if self._text.has_focus else "frame-text")
        else:
            self.notify("This frame is no JSON.", markup=False)

    def _show(self) -> None:
        wanted = self._wanted
        if self._place >= 0:
            self._making.ask(
                FrameAsked(
                    entry=wanted.entry,
                    frame=wanted.frames[self._place],
                    catalogue=wanted.catalogue,
                    chunk=max(self.size.width - 3, 40),
                    has_ids=wanted.has_ids,
                    own=wanted.own,
                )
            )

    def _take(self, asked: FrameAsked, view: FrameView) -> None:
        del asked
        self._head.update(frame_head(view, self._place + 1, len(self._wanted.frames)))
        self._has_document = view.document is not None
        extent = view.document.extent(self._wanted.pointer) if view.document and self._is_wanted() else None
        self._document.show(view.document, dict.fromkeys(extent or (), MARKED))
        if extent:
            self._document.cursor = extent.start
            # Before it is laid out, it has no height.
            self.call_after_refresh(self._document.reveal, extent.stop - 1)
            self.call_after_refresh(self._document.reveal, extent.start)
        self._text.show(view.text)
        self._switch("frame-document" if self._has_document else "frame-text")

    def _is_wanted(self) -> bool:
        """Whether the frame that is shown is the one with the place that was asked for."""
        return bool(self._wanted.pointer) and self._place == len(self._wanted.frames) - 1

    def _switch(self, shown: str) -> None:
        self.query_one(ContentSwitcher).current = shown
        (self._document if shown == "frame-document" else self._text).focus()

    def _could_not(self, asked: FrameAsked, error: BaseException) -> None:
        del asked
        words = f"The frame could not be shown ({type(error).__name__}): a defect of Sightline."
        self._head.update(content(words, "$text-error"))


def _asked_frame(asked: FrameAsked) -> FrameView:
    return frame_view(asked.frame, asked.catalogue, chunk=asked.chunk, has_ids=asked.has_ids, own=asked.own)
