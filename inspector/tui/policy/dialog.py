"""A question over the screen: Enter is never the dangerous answer. Or a notice, which is only to be read."""

from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.policy.view import DecisionView
from inspector.tui.widgets.lines import ContentLines, DocumentLines, Lines

_AROUND = 7
"""Rows for the title, the keys, the border and what is between them."""

UNREAD_S = 0.5
"""So long nobody has read a question: a `y` was meant for what was there before."""


class DecisionScreen(ModalScreen[bool], inherit_bindings=False):
    """Ends with true where the user agreed, which only `y` does."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.DECIDING)
    unread_s: ClassVar[float] = UNREAD_S

    def __init__(self, view: DecisionView) -> None:
        super().__init__()
        self._asked_s = monotonic()
        self._view = view
        self._lines = ContentLines(id="decision-lines")
        self._arguments = DocumentLines(id="decision-arguments")
        self._keys = KeyLine()

    def compose(self) -> ComposeResult:
        """What is asked, why, the arguments, the keys."""
        with Vertical(id="decision"):
            yield Static(self._view.title, markup=False, id="decision-title")
            yield self._lines
            if self._view.arguments is not None:
                yield Static("Arguments, as they will be sent", markup=False, id="decision-arguments-title")
                yield self._arguments
            yield self._keys

    def on_mount(self) -> None:
        """The focus is on what is to be read: there is no button that Enter could press."""
        self._lines.show(self._view.lines)
        self._arguments.show(self._view.arguments)
        self._lines.focus()
        self.call_after_refresh(self._fit)
        self.set_class(self._view.arguments is not None, "-arguments")
        offers = [("decision.agree", self._view.agree)] if self._view.agree else []
        offers.append(("decision.decline", "do not" if self._view.agree else "close"))
        self._keys.offers = [
            Offer(command(known), label or command(known).label)
            for known, label in (*offers, ("app.next", ""))
        ]

    def on_screen_resume(self) -> None:
        """It is what is seen from now on."""
        self._asked_s = monotonic()

    def on_resize(self) -> None:
        """The terminal has another size."""
        self.call_after_refresh(self._fit)

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Enter in a list."""
        event.stop()
        self.action_decline()

    def action_decline(self) -> None:
        """No, or read."""
        self.dismiss(result=False)

    def action_agree(self) -> None:
        """Yes, where something is asked. A server may choose the moment at which it is: while somebody types."""
        if not self._view.agree:
            return
        if monotonic() - self._asked_s < self.unread_s:
            self.notify("That was too quick to have been read. y agrees.", markup=False)
        else:
            self.dismiss(result=True)

    def _fit(self) -> None:
        """As high as what is to be read, as far as the terminal reaches."""
        arguments = self._view.arguments
        most = max(self.size.height // 6, 3)
        below = 1 + min(arguments.line_count, most) if arguments is not None else 0
        self.query_one("#decision").styles.height = self._lines.count + below + _AROUND
        self._arguments.styles.height = max(below - 1, 3)
