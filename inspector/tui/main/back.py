"""What Esc does on the main screen: the order in which it goes back. Esc never quits Sightline."""

from collections.abc import Callable
from dataclasses import dataclass

from textual.widget import Widget
from textual.widgets import Input, TextArea

from inspector.tui.main.parts import MainParts


@dataclass(slots=True)
class EscTarget:
    """The function that Esc calls while the focus is in `part`.

    The function goes back to the part of the screen that has opened `part`.
    """

    part: Widget
    take: Callable[[], None]
    is_reached: bool = False
    """True once the part has had the focus. That may take a moment, because its content is prepared first."""


class Back:
    """Leaves the focused part, or goes back to what was shown before."""

    def __init__(
        self,
        parts: MainParts,
        *,
        mask: Callable[[], None],
        zoom: Callable[[], None],
        timeline: Callable[[], None],
    ) -> None:
        """`mask`: masks all values. `zoom`, `timeline`: toggle the zoom and the long timeline."""
        self._parts = parts
        self._mask, self._toggle_zoom, self._toggle_timeline = mask, zoom, timeline
        self._target: EscTarget | None = None

    def lead(self, part: Widget, take: Callable[[], None]) -> None:
        """Make Esc run `take` while the focus is in `part`."""
        self._target = EscTarget(part, take)

    def forget(self) -> None:
        """Drop the function that `lead` has set for Esc."""
        self._target = None

    def follow_focus(self) -> None:
        """Drop the function that `lead` has set for Esc, once the focus has left the part that was opened."""
        target = self._target
        if target is not None:
            is_there = target.part.has_focus_within
            self._target = None if target.is_reached and not is_there else target
            target.is_reached = is_there

    @property
    def is_to_before(self) -> bool:
        """True if Esc goes back to what was shown before, and not to the list of tools."""
        parts, filtering = self._parts, self._parts.timeline_filter
        return (
            (filtering is not None and filtering.is_open and parts.timeline.has_focus)
            or parts.tool.definition.is_explaining
            or parts.result.is_explaining
            or parts.server.selection.comparing.is_on
            or self._target is not None
            or parts.server.selection.is_earlier
            or parts.room.is_zoomed
            or parts.room.is_timeline_long
        )

    def go(self) -> None:
        """Leave the focused part, or cancel a running call."""
        if not (self._leave_input() or self._leave_words() or self._leave_view()):
            self._leave_to_catalogue()

    def _leave_input(self) -> bool:
        """Mask values, close a filter, or cancel the running call; false if there is none of these."""
        parts, filtering = self._parts, self._parts.timeline_filter
        if parts.result.is_unmasked and not isinstance(parts.screen.focused, (Input, TextArea)):
            self._mask()
        elif (
            filtering is not None and filtering.is_open and (filtering.has_focus or parts.timeline.has_focus)
        ):
            filtering.close()
        elif parts.catalogue.is_filtering and parts.catalogue.has_focus_within:
            parts.catalogue.close_filter()
        elif parts.server.runner.is_running:
            parts.server.runner.cancel()
        else:
            return False
        return True

    def _leave_words(self) -> bool:
        """End a search, mask the result, or close the details of a value; false if there is none of these."""
        tool, result = self._parts.tool, self._parts.result
        if result.has_focus_within and result.is_searched:
            result.stop_searching()
        elif tool.has_focus_within and tool.definition.is_searched:
            tool.definition.stop_searching()
        elif result.is_unmasked:
            self._mask()
        elif tool.definition.is_explaining:
            tool.definition.stop_explaining()
        elif result.is_explaining:
            result.stop_explaining()
        else:
            return False
        return True

    def _leave_view(self) -> bool:
        """End a comparison, go back to where the user came from, or end the zoom or the long timeline.

        If an earlier call is shown, going back shows the last call of the tool again. Returns false if there
        is none of these.
        """
        parts, target = self._parts, self._target
        if parts.server.selection.comparing.is_on:
            parts.server.selection.comparing.stop()
        elif target is not None or parts.server.selection.is_earlier:
            self._target = None
            parts.server.selection.end_earlier()
            if target is not None:
                target.take()
        elif parts.room.is_zoomed:
            self._toggle_zoom()
        elif parts.room.is_timeline_long:
            self._toggle_timeline()
        else:
            return False
        return True

    def _leave_to_catalogue(self) -> None:
        parts = self._parts
        if parts.timeline.has_focus:
            parts.timeline.follow()
        if parts.catalogue.has_focus_within and parts.server.watch is not None:
            parts.server.watch.strip.fold()
        if parts.tool.call.has_focus_within:
            parts.tool.call.fold_unchanged()
        # The catalogue's filter stays until Esc is pressed in the list.
        parts.catalogue.focus_list()
