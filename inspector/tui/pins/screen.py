"""The Pins screen, which shows how definitions differ from their pin, and pins or unpins them."""

from collections.abc import Callable
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.pins.pins import PinState
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.pins.view import change_lines, pin_line
from inspector.tui.pins.watcher import PinWatcher
from inspector.tui.text import content, count, cut_in_the_middle
from inspector.tui.widgets.lines import ContentLines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, SecondaryScreen

_UNLISTED = "There is no complete list of definitions yet."


class PinsScreen(SecondaryScreen[None], inherit_bindings=False):
    """Shows every change of a definition, with the texts before and after. Asks before it pins or unpins."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.PINS)
    NAME = "Pins"

    def __init__(self, watcher: PinWatcher, findings: Callable[[], str] = str) -> None:
        """`findings`: returns the number of findings about the server in words, to be read before pinning."""
        super().__init__()
        self._findings = findings
        self._watcher = watcher
        self._pin_line = PlainText(id="pins-line")
        self._question = PlainText(classes="secondary-question")
        self._changes = ContentLines(id="pins-changes")
        self._asked: Literal["pin", "unpin"] | None = None
        self._lines = self.latest(self._made, self._changes.show)

    def body(self) -> ComposeResult:
        yield self._pin_line
        yield self._question
        yield self._changes

    def on_mount(self) -> None:
        self._watcher.reread()
        self.show_current()
        self._changes.focus()

    def show_current(self) -> None:
        """Show the current state of the pins, after another listing was compared or the pin has changed."""
        self._stop_asking()
        self.entitle(
            Content.assemble(
                f"{count(self._watcher.definitions, 'definition')}  ",
                content(cut_in_the_middle(self._watcher.server, 200), QUIET),
            )
        )
        view = self._watcher.view
        if view is None:
            self.say(Content(_UNLISTED))
            return
        self._pin_line.update(pin_line(view.state, self._watcher.definitions))
        self._lines.ask(view.state)

    def _made(self, state: PinState) -> tuple[Content, ...]:
        return change_lines(state, self._watcher.mask)

    def action_back(self) -> None:
        if self._asked is not None:
            self._stop_asking()
        else:
            self.dismiss()

    def action_pin(self) -> None:
        if not self._watcher.is_listed:
            self.notify(_UNLISTED, markup=False)
            return
        amount = count(self._watcher.definitions, "listed definition")
        without = count(self._watcher.malformed, "malformed item") if self._watcher.malformed else ""
        words = f"Pin the {amount} and the server's instructions{f', without {without}' if without else ''}?"
        findings = self._findings()
        self._ask(
            "pin",
            f"{words} The review has {findings}; f on the main screen shows all." if findings else words,
        )

    def action_unpin(self) -> None:
        if self._has_pin:
            self._ask("unpin", "Remove the pin? Sightline then no longer reports changes since it was made.")
        else:
            self.notify("Nothing is pinned.", markup=False)

    def action_agree(self) -> None:
        asked = self._asked
        self._stop_asking()
        match asked:
            case "pin":
                self._watcher.pin()
            case "unpin":
                self._watcher.unpin()
            case None:
                self.notify("There is no question to answer. p pins the listed definitions.", markup=False)

    @property
    def _has_pin(self) -> bool:
        state = self._watcher.state
        return state is not None and (state.pinned is not None or bool(state.fault))

    def _ask(self, asked: Literal["pin", "unpin"], words: str) -> None:
        self._asked = asked
        self._question.update(Content.styled(words, "bold"))
        self.add_class("-asking")
        self.offer((("pins.agree", ""), ("pins.back", "no"), ("app.help", "")))

    def _stop_asking(self) -> None:
        self._asked = None
        self.remove_class("-asking")
        unpin = [("pins.unpin", "")] if self._has_pin else []
        self.offer((("pins.pin", ""), *unpin, ("pins.back", "back"), ("app.quit", ""), ("app.help", "")))
