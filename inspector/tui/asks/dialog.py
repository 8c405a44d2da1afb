"""The dialog in which the user answers one request by a server."""

import asyncio
from collections.abc import Callable
from time import monotonic, time
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import TextArea

from inspector.asks.answer import Action, Answer, sampled
from inspector.asks.ask import AskKind
from inspector.tui.asks.view import AskView
from inspector.tui.call.arguments import as_arguments, checked
from inspector.tui.call.entries import ArgumentDraft, Entered, Writing, place_problems
from inspector.tui.call.form import ArgumentForm
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import command
from inspector.tui.policy.dialog import UNREAD_S
from inspector.tui.runtime.guard import GuardedApp
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, shortened
from inspector.tui.widgets.choice import ChoiceInput
from inspector.tui.widgets.lines import ContentLines, Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import Keys, SecondaryDialog, dialog_bindings

REST_DECLINED = Answer(action=Action.DECLINE, why="together with all further requests of this call")
_ANSWERS = {"open", "accept", "decline", "decline_rest", "cancel_call"}
_ABOUT_CALL = {"decline_rest", "cancel_call"}
_LOST = "Your answer is not sent yet."
_SEND = {AskKind.FORM: "send", AskKind.URL: "agree, unopened", AskKind.SAMPLING: "send"}


class AnswerScreen(SecondaryDialog[Answer], inherit_bindings=False):
    """Asks the user to answer a request. Only keys of this dialog send the answer or open the link."""

    BINDINGS: ClassVar[list[BindingType]] = dialog_bindings(KeyPlace.ANSWERING)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012 - as Textual declares it
    unread_s: ClassVar[float] = UNREAD_S

    def __init__(self, view: AskView, on_rest: Callable[[bool], None] | None) -> None:
        """`on_rest`: called if the user declines all further requests of the call; None if no call runs.

        Its argument is whether to cancel the call too.
        """
        super().__init__(view.title)
        self._view = view
        self._on_rest = on_rest
        self._asked_s = monotonic()
        self._lines = ContentLines(id="answer-lines")
        self._form = ArgumentForm() if view.form else None
        is_sampling = view.ask.kind is AskKind.SAMPLING
        self._text = (
            TextArea(
                id="answer-text",
                tab_behavior="focus",
                compact=True,
                placeholder="The model's answer: text, or a JSON object.",
            )
            if is_sampling
            else None
        )
        self._problem = PlainText(id="answer-problem")
        self._is_sending = False
        self._is_warned = False
        """True once Esc has warned that the answer would be lost."""
        self._begun_with: dict[str, Entered] = {}
        """The content of the form when it was shown."""
        self._is_marked = False
        """True once fields of the form are marked as wrong."""
        self._withdrawn = ""
        """The reason why the question needs no answer any more; empty while it needs one. Untrusted text."""
        self.set_class(view.link is not None, "-link")
        openable = view.link is not None and not view.link.refusal
        is_answerable = view.link is None or openable
        self._answers: Keys = (
            *([("answer.open", "")] if openable else []),
            *([("answer.accept", _SEND[view.ask.kind])] if is_answerable else []),
            ("answer.decline", ""),
            ("answer.cancel", ""),
            *([("answer.cancel-call", ""), ("answer.decline-rest", "")] if on_rest is not None else []),
            ("form.call", "next") if self._form is not None else ("app.next", ""),
        )
        self.offer(self._answers)

    def body(self) -> ComposeResult:
        yield self._lines
        if self._form is not None:
            yield self._form
        if self._text is not None:
            yield self._text
        yield self._problem

    def on_mount(self) -> None:
        self._lines.show(self._view.lines)
        if self._form is not None and self._view.form is not None:
            defaults = self._view.defaults or {}
            self._form.show(self._view.form, defaults, defaults)
            self._begun_with = self._form.entered()
        # The lines of the question have the focus first: a server can choose the moment of a question, for
        # example while the user is typing.
        self._lines.focus()
        self.set_timer(UNREAD_S, self._focus_answer)
        self._show_withdrawn()

    def withdraw(self, why: str) -> None:
        """Say that the server no longer wants an answer. After that, the dialog can only be closed.

        The dialog stays open, because the user may be typing into it. `why`: untrusted text.
        """
        self._withdrawn, self._asked_s = why, monotonic()
        self.offer((("answer.cancel", "close"),))
        self._show_withdrawn()

    def _show_withdrawn(self) -> None:
        if not (self._withdrawn and self.is_mounted):
            return
        for widget in (self._form, self._text):
            if widget is not None:
                widget.disabled = True
        self._lines.focus()
        words = shortened(self._withdrawn[:1].upper() + self._withdrawn[1:], 300)
        self._heading.update(content(words, "bold $text-warning"))
        self._complain("Nothing is sent. Esc or Enter closes this.")

    def _focus_answer(self) -> None:
        if self.focused is not self._lines or self._withdrawn:
            return
        app = self.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        quiet_s = time() - app.key_began_s if isinstance(app, GuardedApp) else UNREAD_S
        if quiet_s < UNREAD_S:
            # The user is typing, perhaps for the screen that the dialog covers.
            self.set_timer(UNREAD_S - quiet_s, self._focus_answer)
            return
        if self._text is not None:
            self._text.focus()
        elif self._form is not None:
            self._form.focus_first()

    def on_screen_resume(self) -> None:
        self._asked_s = monotonic()

    @on(Lines.Chosen)
    def stay(self, event: Lines.Chosen) -> None:
        event.stop()
        # Enter may have been pressed for the field that had the focus before.
        if self._withdrawn and monotonic() - self._asked_s >= self.unread_s:
            self.dismiss(None)

    @on(ArgumentForm.Changed)
    def forget_problem(self, event: ArgumentForm.Changed) -> None:
        event.stop()
        self._is_warned = False
        self._problem.update("")
        if self._form is not None and self._is_marked:
            self.run_worker(work_of(self._mark_again, self._form), group="checking", exclusive=True)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def show_keys(self) -> None:
        """Show the keys that answer the request. If a choice has the focus, its keys come first."""
        if not self._withdrawn:
            own = self.focused.KEYS if isinstance(self.focused, ChoiceInput) else ()
            self.offer((*own, *self._answers))

    @on(ArgumentForm.Submitted)
    def explain(self, event: ArgumentForm.Submitted) -> None:
        event.stop()
        self._go_on()

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and isinstance(self.focused, ChoiceInput):
            event.stop()
            self._go_on()

    def _go_on(self) -> None:
        """Go to the next field. Enter does not send the answer, because a slip could then send a secret."""
        sends = f"{command('answer.accept').key} sends."
        is_last = self.focus_chain[-1] is self.focused
        if not is_last:
            self.focus_next()
        words = "This is the last field" if is_last else "Enter goes to the next field"
        self._problem.update(Content.styled(f"{words}; {sends}", "$foreground 70%"))

    def action_cancel(self) -> None:
        if self._is_filled and not self._is_warned and not self._withdrawn:
            self._is_warned = True
            self._complain(f"{_LOST} {command('answer.accept').key} sends it, Esc again dismisses it.")
        else:
            self.dismiss(Answer(action=Action.CANCEL))

    @property
    def _is_filled(self) -> bool:
        """True if something was entered."""
        if self._text is not None:
            return bool(self._text.text.strip())
        return self._form is not None and self._form.entered() != self._begun_with

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """True if a key works. Once the question is withdrawn, no key answers it; the key that closes still works."""
        if (self._withdrawn and action in _ANSWERS) or (self._on_rest is None and action in _ABOUT_CALL):
            return False
        return super().check_action(action, parameters)

    def action_decline(self) -> None:
        self.dismiss(Answer(action=Action.DECLINE))

    def action_decline_rest(self) -> None:
        if self._on_rest is not None:
            self._on_rest(False)
        self.dismiss(REST_DECLINED)

    def action_cancel_call(self) -> None:
        if self._on_rest is not None:
            self._on_rest(True)
        self.dismiss(REST_DECLINED)

    def show_place(self, title: Content) -> None:
        """Show another title, after the number of waiting requests has changed."""
        if not self._withdrawn:
            self._heading.update(title)

    def action_open(self) -> None:
        link = self._view.link
        if link is None or link.refusal or not self._is_read():
            return
        self.app.open_url(link.url)  # pyright: ignore[reportUnknownMemberType]
        self.dismiss(Answer(action=Action.ACCEPT, why="opened in the browser"))

    def action_accept(self) -> None:
        if self._is_sending or not self._is_read():
            return
        link = self._view.link
        if link is not None:
            if not link.refusal:
                self.dismiss(Answer(action=Action.ACCEPT, why="not opened by Sightline"))
        elif self._text is not None:
            self._send_text(self._text.text)
        elif self._form is not None:
            self._is_sending = True
            self.run_worker(work_of(self._send_form, self._form), group="answering")

    def _send_text(self, text: str) -> None:
        if text.strip():
            self.dismiss(sampled(text))
        else:
            self._complain("Write an answer first, or decline.")
            if self._text is not None:
                self._text.focus()

    async def _checked(self, form: ArgumentForm) -> ArgumentDraft:
        writing = Writing(lines=form.lines, entered=form.entered(), text=None)
        return await asyncio.to_thread(lambda: checked(as_arguments(writing), self._view.ask.schema))

    async def _mark_again(self, form: ArgumentForm) -> None:
        form.complain(place_problems(form.lines, (await self._checked(form)).problems)[0])

    async def _send_form(self, form: ArgumentForm) -> None:
        found = await self._checked(form)
        self._is_sending = False
        if self._withdrawn:
            return
        if not found.problems:
            self.dismiss(Answer(action=Action.ACCEPT, content=found.arguments))
            return
        placed, rest = place_problems(form.lines, found.problems)
        form.complain(placed)
        self._is_marked = True
        form.focus_one(placed)
        words = [f"{problem.pointer or 'the form'}: {problem.message}" for problem in rest[:3]]
        self._complain(
            "; ".join(words) or "The schema of the request does not allow this answer: see the marked fields."
        )

    def _complain(self, words: str) -> None:
        self._problem.update(content(shortened(words, 300), "$text-error") if words else Content(""))

    def _is_read(self) -> bool:
        if monotonic() - self._asked_s >= self.unread_s:
            return True
        self.notify("You answered too quickly. Read the question, then press the key again.", markup=False)
        return False
