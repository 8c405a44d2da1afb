"""The header line."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from inspector.tui.present.header import HeaderView, header


class HeaderLine(Widget):
    """Target, state, protocol, count of tools; boundary and host."""

    DEFAULT_CSS = """
    HeaderLine { height: 1; background: $panel; }
    """

    view: reactive[HeaderView | None] = reactive(None)

    def render(self) -> Content:
        """As wide as the screen."""
        return header(self.view, self.size.width) if self.view else Content("")
