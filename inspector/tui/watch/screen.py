"""The watch strip on the main screen, and the screen that shows everything that changed after a save."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.pins.view import Mask
from inspector.tui.text import hanging
from inspector.tui.watch.view import WatchView, all_lines, strip_lines, strip_rows
from inspector.tui.widgets.lines import ContentLines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import Keys, SecondaryScreen

_LEAST_WIDTH = 20
_INDENT = 2
"""The indent, in cells, of all rows but the first of a line that takes several rows."""


class WatchStrip(PlainText):
    """Shows the outcome of the last save, below the header."""

    DEFAULT_CSS = """
    WatchStrip { height: auto; max-height: 5; padding: 0 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__(id="watch")
        self._view = WatchView()
        self._rows = 0
        self._is_folded = False
        self._is_typing = False

    def on_resize(self) -> None:
        self.show(self._view)

    def fold(self) -> None:
        """Show only one row, until the next save or the end of the server."""
        self._is_folded = True
        self.show(self._view)

    def note_typing(self, is_typing: bool) -> None:  # noqa: FBT001 - a state
        """Note whether letters are typed into an input. The strip then names no keys that are letters."""
        if is_typing != self._is_typing:
            self._is_typing = is_typing
            self.show(self._view)

    def show(self, view: WatchView) -> None:
        before, self._view = self._view, view
        self._is_folded = self._is_folded and before.at == view.at and before.phase is view.phase
        # Before the first layout, the strip is taken to be as wide as the terminal.
        width = max(self.content_size.width or self.app.size.width, _LEAST_WIDTH)  # pyright: ignore[reportUnknownMemberType]
        if self._is_folded or self.screen.has_class("-short"):
            rows = strip_rows(view, width, is_folded=self._is_folded, is_typing=self._is_typing)
        else:
            lines = strip_lines(view, width, is_typing=self._is_typing)
            rows = [row for line in lines for row in hanging(line, width, _INDENT).split("\n")]
        if view.is_pending:
            # While the server starts or results are compared, the strip does not become lower: with another
            # height, the whole screen would be laid out again.
            rows += [Content("")] * (self._rows - len(rows))
        self._rows = len(rows)
        self.update(Content("\n").join(rows))


class WatchScreen(SecondaryScreen[None], inherit_bindings=False):
    """Shows everything that changed after the last save. The screen is updated at the next save."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.WATCH)
    NAME = "What the save changed"
    KEYS: ClassVar[Keys] = (("watch.back", ""), ("app.quit", ""), ("app.help", ""))

    def __init__(self, view: Callable[[], WatchView], mask: Mask) -> None:
        """`view`: returns the state to show. `mask`: masks secrets in a value; called in a thread."""
        super().__init__()
        self._view = view
        self._lines = ContentLines(id="watch-changes")
        self._mask = mask
        self._made = self.latest(self._all_lines, self._lines.show)

    def _all_lines(self, view: WatchView) -> list[Content]:
        return all_lines(view, self._mask)

    def body(self) -> ComposeResult:
        yield self._lines

    def on_mount(self) -> None:
        self.show_current()
        self._lines.focus()

    def show_current(self) -> None:
        """Show what the last save changed. Called when the screen opens and at each change of the state."""
        self._made.ask(self._view())
