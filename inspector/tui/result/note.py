"""The note in place of a result. It can have the focus like a result, and reacts to the same keys."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import COMMANDS
from inspector.tui.widgets.plain_text import PlainText

_KEYS = frozenset(
    key
    for command in COMMANDS
    if (
        command.place in {KeyPlace.LINES, KeyPlace.VALUES, KeyPlace.RESULT}
        or command.id in {"result.sides", "result.unmask"}
    )
    # Without a result, y copies the call in the form.
    and command.id != "result.copy"
    for key in command.keys.split(",")
)
"""The keys that work in a result."""


class ResultNote(PlainText, can_focus=True):
    """A note in place of a result, which can have the focus."""

    BINDINGS: ClassVar[list[BindingType]] = []

    @dataclass
    class Pressed(Message):
        """Posted when a key for results is pressed while there is no result."""

        key: str

    def __init__(self) -> None:
        super().__init__(id="result-note")

    def on_key(self, event: events.Key) -> None:
        if event.key in _KEYS:
            event.stop()
            event.prevent_default()
            self.post_message(self.Pressed(event.key))
