"""The panel for a connection that failed."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from inspector.tui.present.failure import FailureView, failure


class FailurePanel(VerticalScroll, can_focus=True):
    """What failed, what to do, the server's last words."""

    DEFAULT_CSS = """
    FailurePanel {
        display: none;
        height: auto;
        max-height: 40%;
        padding: 0 1;
        background: $surface;
        border-left: thick $error;
        &.-shown { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="failure")
        self._text = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """The text."""
        yield self._text

    def show(self, view: FailureView | None) -> None:
        """Show it; None hides it."""
        self.set_class(view is not None, "-shown")
        if view is not None:
            self._text.update(failure(view))
