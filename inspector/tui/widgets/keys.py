"""The footer."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.tui.commands import Command
from inspector.tui.present.keys import Offer, fitting, key_line


class KeyLine(Widget):
    """The keys that apply now; a click does what the key does."""

    DEFAULT_CSS = """
    KeyLine { height: 1; background: $panel; }
    """

    offers: reactive[Sequence[Offer]] = reactive(())

    @dataclass
    class Pressed(Message):
        """A key was clicked."""

        command: Command

    def render(self) -> Content:
        """As many keys as the width allows."""
        return key_line(fitting(self.offers, self.size.width))

    def on_click(self, event: events.Click) -> None:
        """The key under the mouse."""
        for key in fitting(self.offers, self.size.width):
            if key.start <= event.x < key.end:
                self.post_message(self.Pressed(key.offer.command))
