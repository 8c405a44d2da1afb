"""The screen that the app shows first. It imports next to nothing, so that it appears at once."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen

from inspector.tui.text import content, cut_in_the_middle
from inspector.tui.widgets.plain_text import PlainText


class OpeningScreen(Screen[None], inherit_bindings=False):
    """Names the target, the boundary level and the host while the main screen loads."""

    DEFAULT_CSS = """
    OpeningScreen { background: $background; }
    OpeningScreen #opening-header { height: 1; padding: 0 1; background: $panel; }
    OpeningScreen #opening-note { padding: 1 1; color: $foreground 80%; }
    """

    def __init__(self, target: str, boundary: str, host: str, painted: Callable[[], object]) -> None:
        """`painted`: called after the first paint."""
        super().__init__()
        self._target = cut_in_the_middle(target, 200)
        self._lenses = Content.assemble("   boundary: ", boundary, "  host: ", content(host))
        self._painted = painted

    def compose(self) -> ComposeResult:
        """Yield the line that the header will replace, and a note that the target is being opened."""
        yield PlainText(Content.assemble(content(self._target), self._lenses), id="opening-header")
        yield PlainText(Content.assemble("Opening ", content(self._target), " …"), id="opening-note")

    def on_mount(self) -> None:
        """Call `painted` after the first paint, so that all other work begins only then."""
        self.call_after_refresh(self._painted)
