"""Pins: whether the definitions are those that were pinned, what changed, and pinning them."""

from typing import ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.pins.view import standing_line
from inspector.tui.pins.watcher import PinWatcher
from inspector.tui.text import count
from inspector.tui.widgets.lines import ContentLines

Wish: TypeAlias = Literal["pin", "unpin"]

_NEVER = "There is no complete list of definitions yet."
_NOTHING_ASKED = "Nothing is asked. p pins what is listed now."


class PinsScreen(Screen[None], inherit_bindings=False):
    """How the definitions stand, and every change: before, and now."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.PINS)

    def __init__(self, pinning: PinWatcher) -> None:
        super().__init__()
        self._pinning = pinning
        self._standing = Static("", markup=False, id="pins-standing")
        self._question = Static("", markup=False, id="pins-question")
        self._changes = ContentLines(id="pins-changes")
        self._keys = KeyLine()
        self._wish: Wish | None = None

    def compose(self) -> ComposeResult:
        """How it stands, what is asked, the changes, the keys."""
        yield self._standing
        yield self._question
        yield self._changes
        yield self._keys

    def on_mount(self) -> None:
        """Show what there is."""
        self.news()
        self._changes.focus()

    def news(self) -> None:
        """Another listing was compared, or it was pinned."""
        self._stop_asking()
        view = self._pinning.view
        if view is None:
            self._standing.update(Content(_NEVER))
            return
        self._standing.update(standing_line(view.state, self._pinning.tools))
        self._changes.show(view.lines)

    def action_back(self) -> None:
        """Take back a question, or leave."""
        if self._wish is not None:
            self._stop_asking()
        else:
            self.app.pop_screen()  # pyright: ignore[reportUnknownMemberType]

    def action_pin(self) -> None:
        """Ask whether to pin."""
        if not self._pinning.is_listed:
            self.notify(_NEVER, markup=False)
            return
        amount = count(self._pinning.tools, "definition")
        self._ask("pin", f"Take the {amount} listed now for good, and the server's instructions?")

    def action_unpin(self) -> None:
        """Ask whether to let go of the pin."""
        state = self._pinning.state
        if state is None or (state.pinned is None and not state.fault):
            self.notify("Nothing is pinned.", markup=False)
            return
        self._ask("unpin", "Let go of the pin? What changed since is then not told any more.")

    def action_agree(self) -> None:
        """Do what is asked."""
        wish = self._wish
        self._stop_asking()
        match wish:
            case "pin":
                self._pinning.pin()
            case "unpin":
                self._pinning.unpin()
            case None:
                self.notify(_NOTHING_ASKED, markup=False)

    def _ask(self, wish: Wish, words: str) -> None:
        self._wish = wish
        self._question.update(
            Content.assemble(
                (words, "bold"), "  ", ("y", "bold $accent"), " yes  ", ("Esc", "bold $accent"), " no"
            )
        )
        self.add_class("-asking")
        self._show_keys()

    def _stop_asking(self) -> None:
        self._wish = None
        self.remove_class("-asking")
        self._show_keys()

    def _show_keys(self) -> None:
        state = self._pinning.state
        if self._wish:
            offered = {"pins.agree": "yes", "pins.back": "no"}
        else:
            has_pin = state is not None and (state.pinned is not None or bool(state.fault))
            unpin = {"pins.unpin": "unpin"} if has_pin else {}
            offered = {"pins.pin": "pin"} | unpin | {"pins.back": "back"}
        offered |= {"app.quit": "quit", "app.help": "keys"}
        self._keys.offers = [Offer(command(known), label) for known, label in offered.items()]
