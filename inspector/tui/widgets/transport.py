"""The transport bar."""

from typing import ClassVar

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from inspector.tui.present.transport import TransportView, bar_line, broken_line, keys_line


class TransportBar(Widget):
    """Where one is in a recording; below, the keys that move; and where the file breaks off, if it does."""

    DEFAULT_CSS = """
    TransportBar { height: auto; background: $panel; }
    """
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("play.back,play.step", "step"),
        ("play.previous-call,play.next-call", "call"),
        ("play.first,play.last", "ends"),
        ("play.toggle", "play"),
        ("play.jump", "jump"),
        ("play.find", "find"),
        ("play.find-next", "again"),
        ("play.speed", "speed"),
        ("session.export", "export"),
    )

    view: reactive[TransportView] = reactive(TransportView(), layout=True)

    def render(self) -> Content:
        """Two lines; three where the file breaks off."""
        width = self.size.width
        lines = [bar_line(self.view, width), keys_line(self.KEYS, width)]
        if self.view.broken:
            lines.append(broken_line(self.view.broken, width))
        return Content("\n").join(lines)
