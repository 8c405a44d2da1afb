"""Inputs for a value, or several values, out of a closed set. A long value takes several rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import shortened

_PATIENCE_S = 1.0
_LONGEST = 600
"""The maximum length of a value that is drawn, in characters."""


class ChoiceInput(Widget, can_focus=True):
    """An input for one value, drawn as `< value >`.

    Arrows step through the values, Space chooses the next one, letters find one, and Backspace leaves the
    argument out.
    """

    DEFAULT_CSS = """
    ChoiceInput {
        height: auto;
        padding: 0 1;
        background: $surface;
        text-overflow: fold;
        &:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.CHOICE)
    KEYS: ClassVar[Sequence[tuple[str, str]]] = (("choice.pick", "next, letters jump"),)
    """The ids of its commands for the line of keys, each with its label."""

    chosen: reactive[int | None] = reactive(None, layout=True)

    @dataclass
    class Changed(Message):
        """Posted when another value is chosen, or when no value is chosen any more."""

        choice: "ChoiceInput"
        chosen: int | None

        @property
        def control(self) -> "ChoiceInput":
            """The widget, for `on` selectors."""
            return self.choice

    def __init__(
        self,
        values: Sequence[str],
        unset: Content,
        *,
        offer: str = "",
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`values`: safe text, one line each. `unset`: shown while no value is chosen.

        `offer`: shown beside the value in place of the number of values.
        """
        super().__init__(id=id)
        self._offer = offer
        self._values = values
        self._unset = unset
        self._typed = ""
        self._typed_at_s = 0.0

    def render(self) -> Content:
        """The chosen value between arrows, and its number among all values."""
        if self.chosen is None:
            shown, place = self._unset, self._offer or f"{len(self._values):,} values"
        elif self._offer:
            shown, place = self._drawn(self.chosen), self._offer
        else:
            shown, place = self._drawn(self.chosen), f"{self.chosen + 1:,} of {len(self._values):,}"
        words = Content.assemble("< ", shown, " >")
        # In a narrow form, the number of values would be the only word on a second row.
        has_room = (
            self._offer
            or not self.size.width
            or words.cell_length + len(place) + 2 <= self.content_size.width
        )
        return Content.assemble(words, (f"  {place}", "$foreground 70%")) if has_room else words

    def _drawn(self, index: int) -> Content:
        return Content(shortened(self._values[index], _LONGEST))

    def watch_chosen(self, chosen: int | None) -> None:
        """Post `Changed`, because another value was chosen."""
        self.post_message(self.Changed(self, chosen))

    def action_step(self, step: int) -> None:
        """Choose the next or previous value. The first follows the last. Never leaves the argument out."""
        now = self.chosen if self.chosen is not None else (-1 if step > 0 else 0)
        self.chosen = (now + step) % len(self._values)

    def action_pick(self) -> None:
        """Choose the next value. The first follows the last. Never leaves the argument out."""
        self.chosen = 0 if self.chosen is None else (self.chosen + 1) % len(self._values)

    def action_unset(self) -> None:
        """Leave the argument out."""
        self.chosen = None

    def on_click(self) -> None:
        """Choose the next value."""
        self.action_step(1)

    def on_key(self, event: events.Key) -> None:
        """Choose the first value that begins with what was typed, else the first that contains it."""
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


class ChecksInput(ChoiceInput):
    """An input for several values, drawn as `< [x] value >  2 of 5: one, value`.

    Arrows step through the values, Space picks the one that is shown, and Backspace leaves the argument out.
    """

    KEYS = (("choice.pick", "pick"), ("choice.next", "next"))

    picked: reactive[tuple[int, ...] | None] = reactive[tuple[int, ...] | None](None, layout=True)

    def render(self) -> Content:
        """The value under the cursor with its box, and the picked values."""
        at = self.chosen or 0
        box = "[x]" if at in (self.picked or ()) else "[ ]"
        if self.picked is None:
            said = self._unset
        else:
            picked = ", ".join(self._values[index] for index in self.picked)
            said = Content(shortened(picked, _LONGEST) or "an empty list")
        count = f"  {len(self.picked or ()):,} of {len(self._values):,}: "
        return Content.assemble("< ", box, " ", self._drawn(at), " >", (count, "$foreground 70%"), said)

    def watch_picked(self) -> None:
        """Post `Changed`, because other values were picked."""
        self.post_message(self.Changed(self, self.chosen))

    def action_step(self, step: int) -> None:
        """Move to the next or previous value."""
        self.chosen = ((self.chosen or 0) + step) % len(self._values)

    def action_pick(self) -> None:
        """Pick the value under the cursor, or remove it from the picked values."""
        self.picked = tuple(sorted({*(self.picked or ())} ^ {self.chosen or 0}))

    def action_unset(self) -> None:
        """Leave the argument out."""
        self.picked = None

    def on_click(self) -> None:
        """Pick the value under the cursor, or remove it from the picked values."""
        self.action_pick()
