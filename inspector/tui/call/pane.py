"""The Call tab: the tool's description, its arguments as a form or as JSON, and whether they are valid."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Button, TextArea

from inspector.json.exact import JsonObject
from inspector.json.pointer import split
from inspector.protocol.catalogue import Item, Kind
from inspector.tui.call.arguments import as_entries, default_entries
from inspector.tui.call.command_line import editable
from inspector.tui.call.entries import ArgumentDraft, Entered, Problem, Writing, place_problems
from inspector.tui.call.form import ArgumentForm, Completer
from inspector.tui.catalogue.item import ToolView, about
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings, command
from inspector.tui.text import content, shortened
from inspector.tui.widgets.plain_text import PlainText

VERBS: Mapping[Kind, str] = {
    Kind.TOOL: "call",
    Kind.RESOURCE: "read",
    Kind.TEMPLATE: "read",
    Kind.PROMPT: "get",
    Kind.SKILL: "read",
}
"""The verb for using an item, by its kind: for the button, the footer, and the line of a call."""
_EMPTY = {
    Kind.TOOL: "No arguments. Enter on the button calls the tool.",
    Kind.RESOURCE: "Enter reads the resource.",
    Kind.TEMPLATE: "No variables. Enter reads the resource.",
    Kind.PROMPT: "No arguments. Enter gets the prompt.",
    Kind.SKILL: "Enter reads the SKILL.md of the skill.",
}
_FEW_FIELDS = 2
"""The number of fields up to which a form needs less than half of a tall screen."""
_DESCRIPTION_SHARE = 3
"""A description gets at most the rows of the pane divided by this number.

If the form leaves more rows free, the description gets these rows.
"""
_PAUSE_S = 0.15
"""The time in seconds without typing after which the arguments are checked."""


ItemCompleter = Callable[[Item, str, str, JsonObject], Awaitable[tuple[str, ...]]]


async def _no_offers(_item: Item, _argument: str, _value: str, _filled: JsonObject) -> tuple[str, ...]:
    return ()


class ArgumentsLine(PlainText, can_focus=True):
    """The line above the arguments. While it has the focus, letters run commands and are not typed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.ARGUMENTS)

    class Entered(Message):
        """Posted when the user wants to edit the arguments."""

    def say(self, what: str) -> None:
        """Show what Enter and Tab do to the arguments: edit them, or look at them."""
        keys = ("Enter", "bold $text-accent"), " or ", ("Tab", "bold $text-accent")
        self.update(Content.assemble(*keys, f": {what} the arguments"))

    def action_edit(self) -> None:
        """Post `Entered`, so that the focus goes into the first field."""
        self.post_message(self.Entered())

    def on_click(self) -> None:
        """Do on a click what Enter does."""
        self.action_edit()


class ArgumentsEditor(TextArea):
    """The arguments as JSON. Tab leaves the editor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.EDITOR)

    def __init__(self) -> None:
        super().__init__(id="arguments", soft_wrap=True, tab_behavior="focus", compact=True)


class CallPane(Vertical):
    """The arguments of a call, and the buttons to send it."""

    DEFAULT_CSS = """
    CallPane {
        background: $surface;
        & > #about { height: auto; padding: 0 1; color: $foreground 80%; }
        & > #arguments {
            display: none; height: 1fr; border: none; padding: 0 1; background: $panel; scrollbar-size: 1 1;
        }
        &.-json > #arguments { display: block; }
        &.-json > #form { display: none; }
        & > #problems { display: none; height: auto; max-height: 4; padding: 0 1; color: $text-error; overflow-y: auto; }
        &.-wrong > #problems { display: block; }
        & > #actions { height: 1; padding: 0 1; }
        & #actions Button { margin: 0 2 0 0; min-width: 8; }
        & #send-anyway { display: none; }
        &.-wrong #send-anyway { display: block; }
        &.-unsendable #send-anyway { display: none; }
        & > ArgumentsLine { display: none; height: 1; padding: 0 1; background: $primary 20%; text-wrap: nowrap; }
        &.-before-fields > ArgumentsLine { display: block; }
        &.-recorded > #actions, &.-inert > #actions, &.-inert > #form { display: none; }
        & > #folded { display: none; height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-folded > #folded { display: block; }
        &.-folded > #about, &.-folded > #form, &.-folded > #arguments, &.-folded > #problems, &.-folded > #actions {
            display: none;
        }
        & #state { width: 1fr; height: 1; text-align: right; color: $foreground 70%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.FORM)

    @dataclass
    class Edited(Message):
        """Posted when the arguments have changed and the user has paused typing."""

        writing: Writing

    @dataclass
    class Submitted(Message):
        """Posted when the user wants to call the tool. `anyway`: even with invalid arguments."""

        anyway: bool

    class Folded(Message):
        """Posted when the form was folded or unfolded, because its height changes."""

    @dataclass
    class Switched(Message):
        """Posted when the user wants to switch between the form and JSON."""

    def __init__(self) -> None:
        super().__init__(id="call")
        self._about = PlainText(id="about")
        self._description = Content("")
        self._line = PlainText(id="folded")
        self._before_fields = ArgumentsLine()
        self._form = ArgumentForm()
        self._editor = ArgumentsEditor()
        self._problems = PlainText(id="problems")
        self._state = PlainText(id="state")
        # The buttons are created here, because a tool may be shown before they are mounted.
        self._send = Button("Call", id="send", variant="primary", compact=True)
        self._switch = Button("JSON", id="switch", compact=True)
        self.complete: ItemCompleter = _no_offers
        """Asks the server for values of an argument while the user types."""
        self._view: ToolView | None = None
        self._folded: tuple[Content, Content] | None = None
        """The line about the last call, and the keys shown with it; None if no call has folded the form."""
        self._unfolded: tuple[tuple[Content, Content], Writing] | None = None
        """The line and keys that the unfolded form has replaced, and its entries at that moment."""
        self._shown = Content(""), Content("")
        """The line that is shown in place of the folded form, and the keys shown with it."""
        self._draft: ArgumentDraft | None = None
        self._checked: Writing | None = None
        self._pause: Timer | None = None
        self._tried = False

    def compose(self) -> ComposeResult:
        """Yield the description, the form, the JSON editor, the problems and the buttons."""
        yield self._line
        yield self._about
        yield self._before_fields
        yield self._form
        yield self._editor
        yield self._problems
        with Horizontal(id="actions"):
            yield self._send
            yield Button("Send anyway", id="send-anyway", variant="warning", compact=True)
            yield self._switch
            yield self._state

    def show(self, view: ToolView, entered: Mapping[str, Entered], text: str | None) -> None:
        """Show another tool. `entered`: the entries that were last made in its form, by pointer.

        `text`: the arguments as JSON, to open in the editor; None opens the form.
        """
        self._view = view
        self._folded = None
        self._tried = False
        self.unfold()
        self._unfolded = None
        self._description = about(view.entry)
        self._send.label = Content(self._verb.capitalize())
        self.set_class(view.form is None, "-inert")
        self._editor.read_only = self.is_recorded
        self._use_json(text)
        if view.form is not None:
            kind = view.tool.kind if view.tool else Kind.TOOL
            self._form.show(
                view.form,
                entered,
                default_entries(view.form),
                empty="No arguments." if self.is_recorded else _EMPTY[kind],
                offered=self._completer_of(view),
                is_read_only=self.is_recorded,
            )
        self._draw_about()
        self._forget_draft()
        self._show_draft()
        self.check_now()

    def _draw_about(self) -> None:
        """Draw the part of the description that fits. If it is cut, it ends with the key that shows all."""
        height, width = self.size.height, max(self.size.width - 2, 10)
        has_form = self._view is not None and self._view.form is not None
        lines = self._editor.document.line_count if self.is_json else len(self._form.lines)
        # One row is for the buttons, and one for the note about a field.
        rest = height - 2 - (lines if has_form else 0)
        rows = self._description.wrap(width)
        room = max(height // _DESCRIPTION_SHARE, rest, 1)
        if height and len(rows) > room:
            key = command("tab.definition")
            more = Content.assemble("… ", (key.key, "bold $text-accent"), f" {key.label}")
            last = rows[room - 1].rstrip()
            rows = [*rows[: room - 1], Content.assemble(last.truncate(width - more.cell_length), more)]
        self._about.update(Content("\n").join(rows))

    @property
    def _verb(self) -> str:
        tool = self._view.tool if self._view is not None else None
        return VERBS[tool.kind if tool is not None else Kind.TOOL]

    def _completer_of(self, view: ToolView) -> Completer | None:
        item = view.tool.item if view.tool else None
        return partial(self.complete, item) if item is not None and view.form and view.form.fields else None

    @property
    def writing(self) -> Writing:
        """The user's entries, in the form or as JSON."""
        return Writing(
            lines=self._form.lines,
            entered=self._form.entered(),
            text=self._editor.text if self.has_class("-json") else None,
        )

    @property
    def is_json(self) -> bool:
        """True if the arguments are written as JSON."""
        return self.has_class("-json")

    @property
    def draft(self) -> ArgumentDraft | None:
        """The checked arguments; None until the current text has been checked."""
        return self._draft if self._checked == self.writing else None

    def take_draft(self, draft: ArgumentDraft, writing: Writing) -> bool:
        """Show whether the arguments are valid.

        Returns false if something else was written in the meantime.
        """
        if writing != self.writing:
            if self._pause is None:
                self.check_now()
            return False
        self._draft, self._checked = draft, writing
        self._show_draft()
        return True

    def _forget_draft(self) -> None:
        self._draft = self._checked = None

    def _show_draft(self) -> None:
        """Show the problems. A missing argument is shown only after the user has tried to call."""
        draft = self._draft
        problems = draft.problems if draft else ()
        shown = problems if self._tried else tuple(found for found in problems if not found.missing)
        placed, rest = place_problems(() if self.is_json else self._form.lines, shown)
        self._form.complain(placed)
        self.set_class(bool(shown), "-wrong")
        self.set_class(draft is not None and draft.arguments is None, "-unsendable")
        self._problems.update(
            Content("\n").join(
                content(shortened(f"{problem.pointer or 'the arguments'}: {problem.message}", 300))
                for problem in rest[:20]
            )
        )
        self._problems.display = bool(rest)
        self._state.update(_state(draft))

    def complain(self) -> str:
        """Show all problems, because the user has tried to call, and focus the first missing or wrong field.

        Returns a sentence that names the missing and the wrong arguments. The names are untrusted text of the
        server.
        """
        self._tried = True
        self._show_draft()
        problems = self._draft.problems if self._draft is not None else ()
        missing = tuple(problem for problem in problems if problem.missing)
        wrong = tuple(problem for problem in problems if not problem.missing)
        if self.is_json:
            self._editor.focus()
        else:
            self._form.focus_one(place_problems(self._form.lines, missing or wrong)[0])
        return "  ".join(
            f"{what}: {_named(found)}."
            for what, found in (("Missing", missing), ("Not valid", wrong))
            if found
        )

    @property
    def is_wrong(self) -> bool:
        """True if a problem is shown, but the arguments can be sent."""
        return self.has_class("-wrong") and not self.has_class("-unsendable")

    @property
    def is_folded(self) -> bool:
        """True if the form is folded: one line about the call is shown in its place."""
        return self.has_class("-folded")

    def fold(self, line: Content) -> None:
        """Show one line in place of the form, so that the result has more room."""
        again = f" {self._verb} again"
        keys = Content.assemble(("1", "bold $text-accent"), " edit  ", ("r", "bold $text-accent"), again)
        self._folded = line, keys
        self._fold(line, keys)

    @property
    def folded(self) -> tuple[Content, Content] | None:
        """The line that replaces the form after a call, and the keyboard keys that apply.

        None if the form is shown.
        """
        return self._folded if self.is_folded else None

    def fold_again(self, folded: tuple[Content, Content]) -> None:
        """Fold the form again. `folded`: the line and the keys that the property `folded` returned."""
        self._folded = folded
        self._fold(*folded)

    def fold_unchanged(self) -> None:
        """Fold the form again if it was unfolded after a call and holds the same arguments."""
        if self._unfolded is not None and not self.is_folded and self._unfolded[1] == self.writing:
            self.fold_again(self._unfolded[0])

    def fold_earlier(self, line: Content) -> None:
        """Replace the form by one line about an earlier call. The form may hold other arguments."""
        self._fold(line, Content.assemble(("Esc", "bold $text-accent"), " back"))

    def fold_recorded(self, line: Content) -> None:
        """Replace the form by one line about a call from a recording."""
        self._fold(line, Content(""))

    def end_earlier(self) -> None:
        """Replace the line about an earlier call by the line about the last call, or by the form."""
        if self.is_folded and self._folded is not None:
            self._fold(*self._folded)
        else:
            self.unfold()

    def _fold(self, line: Content, keys: Content) -> None:
        self._shown = line, keys
        self._draw_folded()
        self.add_class("-folded")
        self.screen.post_message(self.Folded())

    def _draw_folded(self) -> None:
        """Draw the line of a call with its keys. If there is too little room, the arguments are cut."""
        line, keys = self._shown
        room = max(self.size.width - 2 - (keys.cell_length + 3 if keys else 0), 10)
        words = Content.assemble(line.truncate(room, ellipsis=True), "   " if keys else "", keys)
        self._line.update(words)

    def on_resize(self) -> None:
        """Draw the line of a call and the description for the new size."""
        self._draw_folded()
        self._draw_about()

    def unfold(self) -> None:
        """Show the form again."""
        if self._folded is not None:
            self._unfolded = self._folded, self.writing
        self._folded = None
        if self.is_folded:
            self.remove_class("-folded")
            self.screen.post_message(self.Folded())

    @property
    def has_few_fields(self) -> bool:
        """True if the form has so few fields that it needs less than half of a tall screen."""
        return not self.is_folded and not self.is_json and len(self._form.lines) <= _FEW_FIELDS

    @property
    def is_recorded(self) -> bool:
        """True if the arguments are those of a recording, which cannot be sent."""
        return self.has_class("-recorded")

    def focus_line(self) -> None:
        """Focus the line above the arguments, or the button if there are no arguments."""
        self.unfold()
        if self.is_json or self._form.lines:
            self.add_class("-before-fields")
            self._before_fields.say("look at" if self.is_recorded else "edit")
            self._before_fields.focus()
        else:
            self._send.focus()

    @property
    def is_before_fields(self) -> bool:
        """True if the line above the arguments has the focus."""
        return self._before_fields.has_focus

    @on(events.DescendantBlur)
    def leave_line(self) -> None:
        """Hide the line above the arguments when the focus leaves it."""
        if not self._before_fields.has_focus:
            self.remove_class("-before-fields")

    @on(ArgumentsLine.Entered)
    def enter_form(self) -> None:
        """Focus the first input, because the user wants to edit or look at the arguments."""
        self.focus_form()

    def focus_form(self) -> None:
        """Focus the first input, or the button if there are no arguments."""
        self.unfold()
        if self.is_json:
            self._editor.focus()
        elif self.is_recorded:
            self._form.focus()
        elif not self._form.focus_first():
            self._send.focus()

    def write_json(self, text: str) -> None:
        """Switch to JSON with this text."""
        self._use_json(text)
        self._editor.focus()
        self.check_now()

    def write_form(self, entered: Mapping[str, Entered]) -> None:
        """Switch to the form with these entries."""
        self._use_json(None)
        self._form.enter(entered)
        self.focus_form()
        self.check_now()

    def show_arguments(self, arguments: JsonObject) -> None:
        """Show the arguments of a call in the form, if the form can express them."""
        found = as_entries(Writing(lines=self._form.lines, entered={}, text=editable(arguments)))
        if found is not None and not self.is_json:
            self._form.enter(found)

    def action_submit(self) -> None:
        """Post `Submitted`, because Enter was pressed."""
        self.post_message(self.Submitted(anyway=False))

    @on(Button.Pressed)
    def press(self, event: Button.Pressed) -> None:
        """Post `Switched` or `Submitted`, depending on the button that was pressed."""
        event.stop()
        if event.button.id == "switch":
            self.post_message(self.Switched())
        else:
            self.post_message(self.Submitted(anyway=event.button.id == "send-anyway"))

    @on(ArgumentForm.Submitted)
    def submit(self, event: ArgumentForm.Submitted) -> None:
        """Post `Submitted`, because Enter was pressed in an input."""
        event.stop()
        self.action_submit()

    @on(ArgumentForm.Changed)
    @on(TextArea.Changed, "#arguments")
    def check_after_pause(self, event: ArgumentForm.Changed | TextArea.Changed) -> None:
        """Check the arguments after a pause in typing."""
        event.stop()
        self._forget_draft()
        self._end_pause()
        self._pause = self.set_timer(_PAUSE_S, self.check_now)

    def check_now(self) -> None:
        """Post `Edited`, so that the arguments are checked now."""
        self._end_pause()
        if self._view is not None and self._view.form is not None:
            self.post_message(self.Edited(self.writing))

    def _end_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _use_json(self, text: str | None) -> None:
        self.set_class(text is not None, "-json")
        if text is not None and text != self._editor.text:
            self._editor.text = text
        self._switch.label = Content("Form" if text is not None else "JSON")
        self._draw_about()


_MOST_NAMED = 5
"""The maximum number of arguments that one sentence names."""


def _named(problems: Sequence[Problem]) -> str:
    """The arguments that problems are about, each once, such as `owner, address/city`. Untrusted text."""
    names = list(
        dict.fromkeys(shortened("/".join(split(one.pointer)) or "the arguments", 60) for one in problems)
    )
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _state(draft: ArgumentDraft | None) -> Content:
    if draft is None:
        return Content("")
    if draft.arguments is None:
        return Content.styled("not a JSON object", "$text-error")
    if all(problem.missing for problem in draft.problems):
        missing = len(draft.problems)
        return Content.styled(
            f"{missing} missing" if missing else "valid", "$foreground 70%" if missing else "$text-success"
        )
    return Content.styled("invalid", "$text-error")
