"""Divides the main screen among its parts: zooms one of them, or makes the timeline longer."""

from collections.abc import Mapping, Sequence

from textual.screen import Screen
from textual.widget import Widget

_ZOOMED = "-zoomed"
_LONG_TIMELINE = "-long-timeline"


class ScreenLayout:
    """Gives one part the whole screen, or the timeline more lines. It sets classes that main.tcss styles."""

    def __init__(self, screen: Screen[None], parts: Sequence[Widget]) -> None:
        """`parts`: all parts that can be zoomed.

        The last is the timeline; the part before the timeline is zoomed by default.
        """
        self._screen = screen
        self._parts = parts
        self._before_timeline: Widget | None = None
        """The widget that had the focus before the timeline was enlarged; None if there was none."""

    @property
    def is_zoomed(self) -> bool:
        return self._screen.has_class(_ZOOMED)

    @property
    def is_timeline_long(self) -> bool:
        return self._screen.has_class(_LONG_TIMELINE)

    def arrange(self, classes: Mapping[str, bool]) -> None:
        """Give the screen the CSS classes that are true, and remove those that are false.

        main.tcss places the parts by them.
        """
        changed = {name: is_so for name, is_so in classes.items() if self._screen.has_class(name) != is_so}
        for name, is_so in changed.items():
            self._screen.set_class(is_so, name, update=False)
        if changed:
            self._restyle()

    def _restyle(self) -> None:
        # Textual would restyle every widget of the screen, which takes longer than all the rest of a key.
        work = self._parts[0].parent
        if isinstance(work, Widget):
            nodes = (work, *work.children, self._parts[-1])
            self._screen.app.stylesheet.update_nodes(nodes)  # pyright: ignore[reportUnknownMemberType]

    def toggle_zoom(self) -> None:
        """Give the focused part the whole screen, or show all parts again."""
        zooms = not self.is_zoomed
        *_, default, timeline = self._parts
        focused = next((part for part in self._parts if part.has_focus or part.has_focus_within), default)
        for part in self._parts:
            part.set_class(zooms and part is focused, "-alone", update=False)
        self._screen.set_class(zooms, _ZOOMED, update=False)
        self._screen.set_class(zooms and focused is timeline, "-only-timeline", update=False)
        self._restyle()

    def make_room_for(self, part: Widget) -> None:
        """Show all parts again if another part has the whole screen."""
        if self.is_zoomed and not part.has_class("-alone"):
            self.toggle_zoom()

    def toggle_timeline(self) -> bool:
        """Enlarge the timeline and focus it, or make it small again and return the focus.

        Returns whether it is large now.
        """
        timeline, focused, before = self._parts[-1], self._screen.focused, self._before_timeline
        self.arrange({_LONG_TIMELINE: not self.is_timeline_long})
        if self.is_timeline_long:
            self._before_timeline = focused if focused is not timeline else None
            timeline.focus()
        elif focused is timeline and before is not None and before.focusable:
            self._screen.set_focus(before)
        return self.is_timeline_long
