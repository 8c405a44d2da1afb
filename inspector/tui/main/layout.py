"""Divides the main screen among the catalogue, the tool, the result and the timeline.

It does not use a CSS grid, because Textual draws every widget in a grid again if a rule of the grid changes.
That takes longer than all other work after a key is pressed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from textual.containers import Container
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

WIDE = 110
"""The minimum number of columns to show the result beside the catalogue; with fewer, it is below the catalogue."""
TALL = 34
"""The minimum number of lines to give each part a fixed share; with fewer, the focused part gets more."""
_SHARED = 30
"""The minimum number of lines for the enlarged timeline to share the screen; with fewer, it has the whole screen."""
# Classes that main.tcss styles.
_ALONE = "-alone"
_HIDDEN = "-hidden"
_LONG = "-long"
_FORM_LINES = 11
"""The number of lines for the tool if its form has few fields."""


class Changes(TypedDict, total=False):
    """The members of `Needs` to change; the others stay as they are."""

    is_folded: bool
    has_few_fields: bool
    is_reading: bool
    has_no_result: bool
    is_in_result: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The facts about the parts on which the division of the screen depends."""

    is_folded: bool = False
    """True if the form is folded to one line, as it is after a call."""
    has_few_fields: bool = False
    is_reading: bool = False
    """True if the focus is in a tab of the tool pane other than Call, such as the definition."""
    has_no_result: bool = False
    is_in_result: bool = False
    """True if the focus is in the result."""

    def tool_lines(self, columns: int, lines: int, of: int, *, is_low: bool) -> int:
        """The number of lines for the tool, out of `of` lines for the tool and the result together.

        If the result is hidden, the tool gets all of them.

        `columns`, `lines`: the size of the terminal. `is_low`: true if the terminal is too low for the
        timeline.
        """
        is_wide, is_short = columns >= WIDE, lines < TALL
        if self.is_reading and is_short:
            wanted = of - 2 if is_wide else of
        elif self.is_folded and (is_wide or self.is_in_result):
            wanted = 2 if is_short else 3
        elif self._is_at_result(columns):
            wanted = 1 if is_short else 2
        elif self.is_folded:
            wanted = of * 2 // 5
        elif self.has_few_fields and is_wide and not is_short:
            wanted = _FORM_LINES
        elif not is_short:
            wanted = of // 2
        elif self.is_in_result and not (is_low and self.has_no_result):
            wanted = of * 3 // 8
        elif self.has_no_result and not is_low:
            wanted = of - 5
        else:
            wanted = of * 5 // 8
        return max(0, min(wanted, of))

    def hides_catalogue(self, columns: int, lines: int) -> bool:
        """True if the catalogue is hidden to make room for the result, or for the tab that the user reads."""
        return self._is_at_result(columns) or self.hides_result(columns, lines)

    def _is_at_result(self, columns: int) -> bool:
        """True if the result gets the room of the catalogue and the form, because the user reads it in a narrow terminal."""
        return columns < WIDE and self.is_in_result and (self.is_folded or not self.has_no_result)

    def hides_result(self, columns: int, lines: int) -> bool:
        """True if the result is hidden to make room for the tab that the user reads."""
        return columns < WIDE and self.is_reading and lines < TALL


class _Division(Layout):
    """Arranges the catalogue, the tool and the result. If only one of them is displayed, it gets the whole area."""

    name = "division"

    def __init__(self, room: "ScreenLayout") -> None:
        self._room = room

    def arrange(
        self,
        parent: Widget,
        children: list[Widget],
        size: Size,
        greedy: bool = True,  # noqa: FBT001, FBT002 - as Textual declares it
    ) -> ArrangeResult:
        del greedy
        parent.pre_layout(self)
        places = self._room.places(size)
        return [
            WidgetPlacement(
                size.region if len(children) == 1 else places[child], NULL_OFFSET, NULL_SPACING, child
            )
            for child in children
        ]


class _Work(Container):
    """The area of the catalogue, the tool and the result."""

    def __init__(self, division: Layout, *parts: Widget) -> None:
        super().__init__(*parts, id="work")
        self._division = division

    @property
    def layout(self) -> Layout:
        return self._division


class ScreenLayout:
    """Arranges the parts of the screen. One part can have the whole screen, and the timeline can be enlarged."""

    def __init__(self, screen: Screen[None], parts: Sequence[Widget], low: int) -> None:
        """`parts`: the catalogue, the tool, the result and the timeline.

        `low`: the minimum number of lines of the terminal to show the timeline.
        """
        self._screen = screen
        self._catalogue, self._tool, self._result, self._timeline = parts
        self._low = low
        self._needs = Needs()
        self._alone: Widget | None = None
        self._before_timeline: Widget | None = None
        """The widget that had the focus before the timeline was enlarged; None if there was none."""
        self.work: Widget = _Work(_Division(self), self._catalogue, self._tool, self._result)
        """The area above the timeline."""

    @property
    def is_zoomed(self) -> bool:
        return self._alone is not None

    @property
    def _size(self) -> Size:
        """The size of the terminal."""
        return self._screen.app.size  # pyright: ignore[reportUnknownMemberType]

    @property
    def is_timeline_long(self) -> bool:
        return self._timeline.has_class(_LONG)

    @property
    def is_timeline_alone(self) -> bool:
        """True if the timeline has the whole screen."""
        is_low = self._size.height < _SHARED
        return self._alone is self._timeline or (self._alone is None and self.is_timeline_long and is_low)

    def places(self, area: Size) -> dict[Widget, Region]:
        """The places of the catalogue, the tool and the result in `area`, if they share it."""
        columns, lines = self._size
        width, height = area
        upper = self._needs.tool_lines(columns, lines, height, is_low=lines < self._low)
        if columns >= WIDE:
            left = (width - 1) * 4 // 14
            right = width - 1 - left
            return {
                self._catalogue: Region(0, 0, left, height),
                self._tool: Region(left + 1, 0, right, upper),
                self._result: Region(left + 1, upper, right, height - upper),
            }
        left = (width - 1) * 5 // 12 if self._catalogue.display else -1
        return {
            self._catalogue: Region(0, 0, left, upper),
            self._tool: Region(left + 1, 0, width - 1 - left, upper),
            self._result: Region(0, upper, width, height - upper),
        }

    def arrange(self, **changes: Unpack[Changes]) -> None:
        """Change the needs of the parts, and divide the screen again if that makes a difference."""
        before, columns, lines = self._needs, *self._size
        self._needs = replace(before, **changes)
        if before == self._needs:
            return
        self.fit()
        is_low, height = lines < self._low, self.work.size.height
        if before.tool_lines(columns, lines, height, is_low=is_low) != self._needs.tool_lines(
            columns, lines, height, is_low=is_low
        ):
            # This makes Textual forget the arrangement of the parent.
            self._tool.refresh(layout=True)

    def fit(self) -> None:
        """Show the parts that have room in a terminal of this size, and hide the others."""
        columns, lines = self._size
        hidden = {
            self._catalogue: self._needs.hides_catalogue(columns, lines),
            self._tool: False,
            self._result: self._needs.hides_result(columns, lines),
        }
        for part, is_hidden in hidden.items():
            is_shown = part is self._alone if self._alone is not None else not is_hidden
            if part.display is not is_shown:
                part.display = is_shown
        is_timeline = self.is_timeline_alone
        self._timeline.set_class(is_timeline, _ALONE)
        self._timeline.set_class(self.is_zoomed and not is_timeline, _HIDDEN)
        self.work.set_class(is_timeline, _HIDDEN)

    def toggle_zoom(self) -> None:
        """Give the focused part the whole screen, or show all parts again."""
        zooms = not self.is_zoomed
        parts = (self._catalogue, self._tool, self._timeline)
        focused = next((part for part in parts if part.has_focus or part.has_focus_within), self._result)
        self._alone = focused if zooms else None
        self.fit()

    def make_room_for(self, part: Widget) -> None:
        """Show all parts again if another part has the whole screen."""
        if self.is_zoomed and part is not self._alone:
            self.toggle_zoom()
        if self.is_timeline_alone and part is not self._timeline:
            self._timeline.remove_class(_LONG)
            self.fit()

    def toggle_timeline(self) -> bool:
        """Enlarge the timeline and focus it, or make it small again and return the focus.

        Returns whether it is large now.
        """
        self.make_room_for(self._timeline)
        focused, before = self._screen.focused, self._before_timeline
        self._timeline.toggle_class(_LONG)
        self.fit()
        if self.is_timeline_long:
            self._before_timeline = focused if focused is not self._timeline else None
            self._timeline.focus()
        elif focused is self._timeline and before is not None and before.focusable:
            self._screen.set_focus(before)
        return self.is_timeline_long
