"""A dialog with a few input fields."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, TypeAlias

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from inspector.tui.keys.command import KeyPlace
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, paragraph, shortened
from inspector.tui.widgets.choice import ChoiceInput
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, SecondaryDialog, dialog_bindings

_FEW_CHOICES = 2
"""A field with more choices than this lists them. With two, an arrow key shows the other choice.

Choices with meanings are always listed.
"""

Accept: TypeAlias = Callable[[tuple[str, ...]], Awaitable[str]]
"""Takes the answers, one per field. Returns an error message, or "" if they are accepted."""


class AskField(Struct, frozen=True, kw_only=True):
    """One input field."""

    label: str
    value: str = ""
    placeholder: str = ""
    choices: tuple[str, ...] = ()
    """The choices, of which `value` is selected at first. If empty, any text can be entered."""
    meanings: tuple[str, ...] = ()
    """A line about each choice; may be empty. Choices and meanings are Sightline's own texts."""

    def legend(self, chosen: int | None) -> Content:
        """The choices on one line, or one per line if they have meanings, with a cursor on the chosen one."""
        if not self.meanings:
            return Content.styled(" · ".join(self.choices), QUIET)
        width = max(map(len, self.choices))
        return Content("\n").join(
            Content.assemble(
                "▸ " if index == chosen else "  ", (choice.ljust(width), "bold"), (f"  {meaning}", QUIET)
            )
            for index, (choice, meaning) in enumerate(zip(self.choices, self.meanings, strict=True))
        )


class AskScreen(SecondaryDialog[None], inherit_bindings=False):
    """A dialog that asks for input.

    Enter passes the answers to `accept`, and closes the dialog unless they are refused. Esc closes it without
    calling `accept`.
    """

    BINDINGS: ClassVar[list[BindingType]] = dialog_bindings(KeyPlace.ASKING)

    def __init__(
        self,
        title: str,
        explanation: str,
        fields: Sequence[AskField],
        accept: Accept,
        *,
        verb: str,
    ) -> None:
        """`verb`: what Enter does, for the line of keys."""
        super().__init__(content(title))
        self._explanation = explanation
        self._fields = fields
        self._accept = accept
        self._inputs = [_input(one) for one in fields]
        self._legends = [PlainText(classes="ask-choices") for _ in fields]
        self._problem = PlainText(id="ask-problem")
        self._busy = False
        more = [("app.next", "next field")] if len(fields) > 1 else []
        if any(field.choices for field in fields):
            more.insert(0, ("choice.next", "another choice"))
        self.offer((("form.call", verb), *more, ("asking.back", "cancel")))

    def body(self) -> ComposeResult:
        yield PlainText(paragraph(self._explanation), id="ask-explanation")
        for one, entry, legend in zip(self._fields, self._inputs, self._legends, strict=True):
            yield PlainText(one.label, classes="ask-label")
            yield entry
            if one.meanings or len(one.choices) > _FEW_CHOICES:
                yield legend
        self.show_choices()
        yield self._problem

    def on_mount(self) -> None:
        first = self._inputs[0]
        first.focus()
        if isinstance(first, Input):
            # Select the proposed answer, so that typing replaces it.
            first.action_select_all()

    @on(ChoiceInput.Changed)
    def show_choices(self) -> None:
        for one, entry, legend in zip(self._fields, self._inputs, self._legends, strict=True):
            if isinstance(entry, ChoiceInput):
                legend.update(one.legend(entry.chosen))

    @on(Input.Changed)
    def forget_problem(self) -> None:
        self._problem.update("")

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        event.stop()
        self._begin()

    def on_key(self, event: events.Key) -> None:
        if not isinstance(self.focused, ChoiceInput):
            return
        if event.key == "enter":
            event.stop()
            self._begin()
        elif event.key in {"up", "down"}:
            # The choices are listed below, often one in each row.
            event.stop()
            self.focused.action_step(1 if event.key == "down" else -1)

    def _begin(self) -> None:
        if not self._busy:
            self._busy = True
            self.run_worker(work_of(self._submit, self.focused), exit_on_error=True)

    async def _submit(self, at: Widget | None) -> None:
        self._enable(is_enabled=False)
        self._problem.update(Content.styled("Working…", QUIET))
        problem = await self._accept(tuple(map(_answer, self._fields, self._inputs)))
        self._busy = False
        if problem:
            self._enable(is_enabled=True)
            self._problem.update(content(shortened(problem, 300), "$text-error"))
            if at is not None:
                at.focus()
        elif self.is_current:
            self.dismiss()

    def _enable(self, *, is_enabled: bool) -> None:
        for entry in self._inputs:
            entry.disabled = not is_enabled


def _input(field: AskField) -> Input | ChoiceInput:
    if not field.choices:
        return Input(value=field.value, placeholder=field.placeholder, compact=True, select_on_focus=False)
    choice = ChoiceInput(field.choices, Content(field.value))
    choice.set_reactive(ChoiceInput.chosen, field.choices.index(field.value))
    return choice


def _answer(field: AskField, entry: Input | ChoiceInput) -> str:
    if isinstance(entry, Input):
        return entry.value.strip()
    return field.value if entry.chosen is None else field.choices[entry.chosen]
