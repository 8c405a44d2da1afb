"""The dialog of a policy decision: a question to which only `y` agrees, or a notice to read."""

from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.tui.keys.command import KeyPlace
from inspector.tui.policy.view import DecisionView
from inspector.tui.widgets.lines import ContentLines, DocumentLines, Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import SecondaryDialog, dialog_bindings

_AROUND = 7
"""The number of rows for the title, the keys, the border and the space between them."""

_LEAST_ROWS = 4
"""The minimum number of rows of the text, as in policy.tcss."""

UNREAD_S = 0.5
"""The time in seconds after a question appears within which `y` does not count.

The user cannot have read the question yet, so the `y` was typed for the screen below.
"""


_OVER = "This question is over, because its call or its connection has ended. Nothing was agreed to."


class DecisionScreen(SecondaryDialog[bool], inherit_bindings=False):
    """Asks a question or shows a notice. Ends with true if the user agreed."""

    BINDINGS: ClassVar[list[BindingType]] = dialog_bindings(KeyPlace.DECIDING)
    unread_s: ClassVar[float] = UNREAD_S

    def __init__(self, view: DecisionView) -> None:
        super().__init__(view.title)
        self._view = view
        self._asked_s = monotonic()
        self._is_over = False
        self._lines = ContentLines(id="decision-lines")
        self._arguments = DocumentLines(id="decision-arguments")
        agree = [("decision.agree", view.agree)] if view.agree else []
        self.offer((*agree, ("decision.decline", "cancel" if view.agree else "close"), ("app.next", "")))

    def body(self) -> ComposeResult:
        if self._view.arguments is not None:
            words = (
                "Arguments, as they will be sent" if self._view.agree else "Arguments, which were not sent"
            )
            yield PlainText(words, classes="secondary-heading")
            yield self._arguments
        yield self._lines

    def on_mount(self) -> None:
        # The text has the focus: there is no button that Enter could press.
        self._lines.show(self._view.lines)
        self._arguments.show(self._view.arguments)
        self._lines.focus()
        self.call_after_refresh(self._fit)

    def on_screen_resume(self) -> None:
        self._asked_s = monotonic()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Close a notice on Enter. A question stays open."""
        event.stop()
        if self._view.agree and not self._is_over:
            self.notify("Enter does not answer the question: y agrees, Esc does not.", markup=False)
        else:
            self.action_decline()

    def action_decline(self) -> None:
        self.dismiss(result=False)

    def withdraw(self) -> None:
        """Say that the question no longer applies. After that, `y` does not agree to anything.

        The dialog stays until the user closes it, because a `y` typed at this moment would otherwise act on
        the screen below.
        """
        self._is_over = True
        self.offer((("decision.decline", "close"), ("app.next", "")))
        self._lines.show((Content.styled(_OVER, "bold $text-warning"), Content(""), *self._view.lines))
        self.call_after_refresh(self._fit)

    def action_agree(self) -> None:
        # A server can choose the moment of a question, for example while the user is typing.
        if not self._view.agree:
            return
        if self._is_over:
            self.notify(f"{_OVER} Esc closes it.", severity="warning", markup=False)
        elif monotonic() - self._asked_s < self.unread_s:
            self.notify("You answered too quickly. Read the question, then press y to agree.", markup=False)
        else:
            self.dismiss(result=True)

    def _fit(self) -> None:
        arguments = self._view.arguments
        most = max(self.size.height // 6, 3)
        below = 1 + min(arguments.line_count, most) if arguments is not None else 0
        self._box.styles.height = max(self._lines.count, _LEAST_ROWS) + below + _AROUND
        self._arguments.styles.height = max(below - 1, 3)
