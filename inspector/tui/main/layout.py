"""Zooming: one part of the main screen at a time, or all of them."""

from collections.abc import Callable, Sequence

from textual.screen import Screen
from textual.widget import Widget

_ZOOMED = "-zoomed"
_LONG_TIMELINE = "-long-timeline"


class Zooming:
    """How the room is shared."""

    def __init__(
        self, screen: Screen[None], parts: Sequence[Widget], timeline: Widget, changed: Callable[[], None]
    ) -> None:
        """`parts`: whatever may have the screen alone; the one before the last takes it where none has the focus."""
        self._screen = screen
        self._parts = parts
        self._timeline = timeline
        self._changed = changed

    @property
    def is_on(self) -> bool:
        """Whether one part has the whole screen."""
        return self._screen.has_class(_ZOOMED)

    @property
    def is_timeline_long(self) -> bool:
        """Whether the timeline has more room than usual."""
        return self._screen.has_class(_LONG_TIMELINE)

    def toggle(self) -> None:
        """Give the part with the focus the whole screen, or take it back."""
        was_on = self.is_on
        usual = self._parts[-2]
        focused = next((part for part in self._parts if part.has_focus or part.has_focus_within), usual)
        for part in self._parts:
            part.set_class(not was_on and part is focused, "-alone")
        self._screen.set_class(not was_on, _ZOOMED)
        self._screen.set_class(not was_on and focused is self._timeline, "-only-timeline")
        self._changed()

    def make_room_for(self, part: Widget) -> None:
        """Take the screen back from any other part."""
        if self.is_on and not part.has_class("-alone"):
            self.toggle()

    def toggle_timeline(self) -> bool:
        """Enlarge the timeline, or make it small; whether it is large now."""
        self._screen.toggle_class(_LONG_TIMELINE)
        if self.is_timeline_long:
            self._timeline.focus()
        return self.is_timeline_long
