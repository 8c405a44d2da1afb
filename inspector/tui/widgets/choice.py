"""One value out of a closed set, on one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings

_PATIENCE_S = 1.0


class ChoiceInput(Widget, can_focus=True):
    """`< value >`: arrows step through the values, typing finds one, backspace leaves the argument out."""

    DEFAULT_CSS = """
    ChoiceInput {
        height: 1;
        padding: 0 1;
        background: $surface;
        &:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.CHOICE)

    chosen: reactive[int | None] = reactive(None)

    @dataclass
    class Changed(Message):
        """Another value was chosen, or none."""

        choice: "ChoiceInput"
        chosen: int | None

        @property
        def control(self) -> "ChoiceInput":
            """The widget, for `on` selectors."""
            return self.choice

    def __init__(self, values: Sequence[str], unset: Content, *, id: str | None = None) -> None:  # noqa: A002
        """`values`: safe text, one line each. `unset`: what stands there while nothing is chosen."""
        super().__init__(id=id)
        self._values = values
        self._unset = unset
        self._typed = ""
        self._typed_at_s = 0.0

    def render(self) -> Content:
        """The value between arrows, and its place among the others."""
        if self.chosen is None:
            shown, place = self._unset, f"{len(self._values):,} values"
        else:
            shown, place = Content(self._values[self.chosen]), f"{self.chosen + 1:,} of {len(self._values):,}"
        tail = f"  {place}"
        room = max(self.size.width - len(tail) - 4, 4)
        return Content.assemble("< ", shown.truncate(room, ellipsis=True), " >", (tail, "$foreground 70%"))

    def watch_chosen(self, chosen: int | None) -> None:
        """Tell the form."""
        self.post_message(self.Changed(self, chosen))

    def action_step(self, step: int) -> None:
        """The next or previous value; leaving it out is one of them."""
        places = len(self._values) + 1
        now = 0 if self.chosen is None else self.chosen + 1
        there = (now + step) % places
        self.chosen = None if there == 0 else there - 1

    def action_unset(self) -> None:
        """Leave the argument out."""
        self.chosen = None

    def on_click(self) -> None:
        """The next value."""
        self.action_step(1)

    def on_key(self, event: events.Key) -> None:
        """Typing goes to the first value that begins so, then to the first that holds it."""
        if not event.is_printable or event.character is None or event.character == " ":
            return
        event.stop()
        event.prevent_default()
        recent = event.time - self._typed_at_s < _PATIENCE_S
        self._typed = (self._typed if recent else "") + event.character.casefold()
        self._typed_at_s = event.time
        folded = [value.casefold() for value in self._values]
        begins = (index for index, value in enumerate(folded) if value.startswith(self._typed))
        holds = (index for index, value in enumerate(folded) if self._typed in value)
        found = next(begins, next(holds, None))
        if found is not None:
            self.chosen = found
