"""A frame as it was on the wire."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static

from inspector.protocol.catalogue import Catalogue
from inspector.protocol.exchanges import Matched
from inspector.protocol.timeline import Entry
from inspector.tui.commands import Place, bindings, command
from inspector.tui.latest import Latest
from inspector.tui.present.document import MARKED
from inspector.tui.present.foreign import content
from inspector.tui.present.frame import FrameView, entry_title, frame_head
from inspector.tui.present.keys import Offer
from inspector.tui.screens.making import FrameAsked, frame_view
from inspector.tui.widgets.content_lines import TextLines
from inspector.tui.widgets.document import SignedLines
from inspector.tui.widgets.keys import KeyLine

if TYPE_CHECKING:
    from inspector.secrets.own_credentials import OwnCredentials

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
        self._making = Latest(self, frame_view, self._take, self._could_not)

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
