"""Divides the main screen among its parts."""

from collections.abc import Sequence

from textual.screen import Screen
from textual.widget import Widget

_ZOOMED = "-zoomed"
_LONG_TIMELINE = "-long-timeline"


class ScreenLayout:
    """Gives one part the whole screen, or the timeline more lines. It sets classes that main.tcss styles."""

    def __init__(self, screen: Screen[None], parts: Sequence[Widget]) -> None:
        """`parts`: all parts that can be zoomed.

        The last is the timeline; the one before it is zoomed by default.
        """
        self._screen = screen
        self._parts = parts

    @property
    def is_zoomed(self) -> bool:
        return self._screen.has_class(_ZOOMED)

    @property
    def is_timeline_long(self) -> bool:
        return self._screen.has_class(_LONG_TIMELINE)

    def toggle_zoom(self) -> None:
        """Give the focused part the whole screen, or show all parts again."""
        zooms = not self.is_zoomed
        *_, default, timeline = self._parts
        focused = next((part for part in self._parts if part.has_focus or part.has_focus_within), default)
        for part in self._parts:
            part.set_class(zooms and part is focused, "-alone")
        self._screen.set_class(zooms, _ZOOMED)
        self._screen.set_class(zooms and focused is timeline, "-only-timeline")

    def make_room_for(self, part: Widget) -> None:
        """Show all parts again if another part has the whole screen."""
        if self.is_zoomed and not part.has_class("-alone"):
            self.toggle_zoom()

    def toggle_timeline(self) -> bool:
        """Enlarge the timeline, or make it small again. Returns whether it is large now."""
        self._screen.toggle_class(_LONG_TIMELINE)
        if self.is_timeline_long:
            self._parts[-1].focus()
        return self.is_timeline_long
