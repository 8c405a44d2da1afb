"""A question that is answered in one or two inputs: where to, and for whom."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings
from inspector.tui.text import content, paragraph, shortened

Accept: TypeAlias = Callable[[tuple[str, ...]], Awaitable[str]]
"""Takes the answers, one a field; gives back what is wrong with them, empty where it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskField:
    """One line to fill in."""

    label: str
    value: str = ""
    placeholder: str = ""


class AskScreen(ModalScreen[None], inherit_bindings=False):
    """Enter hands over what was written; where that will not do, it says why and stays. Esc goes back."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.ASKING)

    def __init__(self, title: str, explanation: str, fields: Sequence[AskField], accept: Accept) -> None:
        super().__init__()
        self._title = title
        self._explanation = explanation
        self._fields = fields
        self._accept = accept
        self._inputs = [
            Input(value=one.value, placeholder=one.placeholder, compact=True, select_on_focus=False)
            for one in fields
        ]
        self._problem = Static("", markup=False, id="asking-problem")
        self._busy = False

    def compose(self) -> ComposeResult:
        """A title, what it is about, the inputs, what is wrong, the keys."""
        with Vertical(id="asking"):
            yield Static(content(self._title, "bold"), markup=False, id="asking-title")
            yield Static(paragraph(self._explanation), markup=False, id="asking-explanation")
            for one, entry in zip(self._fields, self._inputs, strict=True):
                yield Static(one.label, markup=False, classes="asking-label")
                yield entry
            yield self._problem
            yield Static(self._keys(), markup=False, id="asking-keys")

    def on_mount(self) -> None:
        """Write at once: what is typed takes the place of what is there, as wherever a name is proposed."""
        self._inputs[0].focus()
        self._inputs[0].action_select_all()

    @on(Input.Changed)
    def forget_problem(self) -> None:
        """What was wrong is being mended."""
        self._problem.update("")

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """Enter in any input."""
        event.stop()
        if not self._busy:
            self._busy = True
            self.run_worker(self._hand_over(self.focused), exit_on_error=True)

    def action_back(self) -> None:
        """Nothing is done."""
        self.dismiss()

    async def _hand_over(self, at: Widget | None) -> None:
        self._take_no_more(is_busy=True)
        self._problem.update(Content.styled("Working…", "$foreground 70%"))
        problem = await self._accept(tuple(entry.value.strip() for entry in self._inputs))
        self._busy = False
        if problem:
            self._take_no_more(is_busy=False)
            self._problem.update(content(shortened(problem, 300), "$text-error"))
            if at is not None:
                at.focus()
        elif self.is_current:
            self.dismiss()

    def _take_no_more(self, *, is_busy: bool) -> None:
        for entry in self._inputs:
            entry.disabled = is_busy

    def _keys(self) -> Content:
        more = "   Tab next line" if len(self._fields) > 1 else ""
        return Content.assemble(
            ("Enter", "bold $accent"), f" goes on{more}   ", ("Esc", "bold $accent"), " goes back"
        )
