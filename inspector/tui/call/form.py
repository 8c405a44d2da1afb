"""The form of a tool, with a line for each argument. Arguments are checked while the user types."""

from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from inspector.json.exact import JsonObject
from inspector.safe_text import inspect, safe_line
from inspector.schema.fields import FieldKind, Form
from inspector.tui.call.entries import (
    MAX_ROWS,
    Entered,
    FormLine,
    choice_values,
    choice_words,
    form_lines,
    label,
    note,
    placeholder,
    with_rows,
)
from inspector.tui.call.suggestions import Offered, OfferSuggester, continuing
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, count, shortened
from inspector.tui.widgets.choice import ChecksInput, ChoiceInput
from inspector.tui.widgets.plain_text import PlainText

Completer = Callable[[str, str, JsonObject], Awaitable[tuple[str, ...]]]
"""Asks the server for values of an argument.

Takes the name of the argument, the typed text, and the other arguments.
"""
_BATCH = 5
"""The number of lines mounted at a time, so that a long form does not block the screen."""
_PADDING = 2
"""The width, in cells, of the padding beside a label in its column."""
_LEAST_SHARE, _MOST_SHARE = 0.3, 0.5
"""The minimum and the maximum width of the column of labels, as shares of the width of the form."""
_MOST_UNDONE = 200
"""The maximum number of changes of one field that can be undone."""


class FieldInput(Input):
    """A field of one line. An ellipsis shows at which ends its text or its hint is cut."""

    def __init__(self, hint: str, *, is_masked: bool, suggester: OfferSuggester | None) -> None:
        """`hint`: shown while the field is empty. Safe text."""
        super().__init__(placeholder=hint, password=is_masked, compact=True, suggester=suggester)
        self._hint = Content(hint)

    def on_resize(self) -> None:
        """Fit the hint to the new width."""
        self.placeholder = self._hint.truncate(self.content_size.width, ellipsis=True).plain

    def render_line(self, y: int) -> Strip:
        """Draw the part of the text that fits, with an ellipsis where it is cut, except under the cursor."""
        strip = super().render_line(y)
        if y or not self.value:
            return strip
        width, before = self.scrollable_content_region.width, self.scroll_offset.x
        after = self._value.cell_len - before - width
        cursor = self._value[: self.cursor_position].cell_len - before if self.has_focus else -1
        for cell, is_cut in ((0, before > 0), (width - 1, after > 0)):
            if is_cut and cell != cursor:
                sign = Strip([Segment("…", self.rich_style)])
                strip = Strip.join((strip.crop(0, cell), sign, strip.crop(cell + 1)))
        return strip

    def on_paste(self, event: events.Paste) -> None:
        """If several lines are pasted, notify the user that only the first is taken."""
        lines = len(event.text.splitlines())
        if lines > 1:
            words = f"Only the first of {lines:,} lines was pasted. ^j shows the arguments as JSON, which takes all lines."
            self.notify(words, severity="warning", markup=False)


class FieldLine(Widget):
    """A label and an input. Below them is a problem, or the server's note about the field."""

    DEFAULT_CSS = """
    FieldLine {
        layout: grid;
        grid-size: 2;
        grid-columns: 30% 1fr;
        grid-rows: auto;
        height: auto;
        & > .field-label { height: auto; padding: 0 1; text-overflow: fold; }
        & > .field-note { column-span: 2; display: none; height: auto; max-height: 4; padding: 0 1 0 2; color: $foreground 70%; }
        & > Input { height: 1; border: none; padding: 0 1; background: $panel; width: 1fr; }
        & > Input:focus { background: $block-cursor-background; }
        /* Textual styles the note again on focus only if the line itself has such a rule. */
        &:focus-within { height: auto; }
        &:focus-within > .field-note.-says { display: block; }
        &.-wrong > .field-note { display: block; color: $text-error; }
        &.-wrong > Input { background: $error 20%; }
        & > :disabled { opacity: 100%; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.FIELD)

    @dataclass
    class Changed(Message):
        """Posted when the content of the input has changed."""

    def __init__(self, line: FormLine, offered: Offered | None = None) -> None:
        """`offered`: asks the server for values while the user types; None if it must not be asked."""
        super().__init__()
        self.line = line
        self._offers: tuple[str, ...] = ()
        is_asked = offered is not None and not line.field.sensitive
        self._suggester = OfferSuggester(offered, self._offer) if offered is not None and is_asked else None
        self._label = PlainText(label(line), classes="field-label")
        self._note = PlainText(classes="field-note")
        self._room = 80
        """The width, in cells, of the column of the label, without padding."""
        self._default: Entered | None = None
        self._is_default = False
        self._input: Input | ChoiceInput | None = None if line.is_heading else _input(line, self._suggester)
        self._problem = ""
        self._said = Content("")
        self._now = Entered()
        self._before: list[Entered] = []
        """The earlier contents of the input, the oldest first. Always empty for a sensitive field."""

    def compose(self) -> ComposeResult:
        """Yield the label, the input and the note."""
        yield self._label
        yield self._input or PlainText()
        yield self._note

    def on_mount(self) -> None:
        """Show the server's note about the field."""
        self._say()

    def on_resize(self) -> None:
        """Keep the focused field in view when the text below it makes it higher."""
        if self.has_focus_within:
            self.scroll_visible(animate=False)

    @property
    def entered(self) -> Entered:
        """The content of the input."""
        match self._input:
            case Input() as text:
                return Entered(text=text.value)
            case ChecksInput() as checks:
                return Entered(picked=checks.picked)
            case ChoiceInput() as choice:
                return Entered(chosen=choice.chosen)
            case None:
                return Entered()

    def take_default(self, default: Entered | None) -> None:
        """Set the content of the input that produces the field's default; None if there is none.

        While the input has this content, the label says `default`.
        """
        self._default = default
        self._say_default()

    def _say_default(self) -> None:
        is_default = self._default is not None and self.entered == self._default
        if is_default != self._is_default:
            self._is_default = is_default
            self._draw_label()

    def _draw_label(self) -> None:
        self._label.update(label(self.line, is_default=self._is_default, room=self._room))

    def fit(self, column: int) -> None:
        """Give the label a column of this many cells."""
        if column != self._room + _PADDING:
            self._room = column - _PADDING
            self.styles.grid_columns = f"{column} 1fr"
            self._draw_label()

    def enter(self, entered: Entered) -> None:
        """Set the content of the input."""
        self._now = entered
        match self._input:
            case Input() as text:
                text.value = entered.text
            case ChecksInput() as checks:
                checks.picked = entered.picked
            case ChoiceInput() as choice:
                choice.chosen = entered.chosen
            case None:
                pass

    def complain(self, problem: str) -> None:
        """Show a problem; "" shows the note again."""
        if problem != self._problem:
            self._problem = problem
            self._say()

    def focus_input(self) -> bool:
        """Focus the input of the line. Returns false if the line has no input."""
        if self._input is not None:
            self._input.focus()
        return self._input is not None

    @on(events.DescendantFocus)
    def begin(self) -> None:
        """When an empty field gets the focus, ask the server which values it offers."""
        if self._suggester is not None and not self.entered.text:
            self.run_worker(work_of(self._suggester.get_suggestion, ""), group="offers", exclusive=True)

    def _offer(self, values: tuple[str, ...]) -> None:
        self._offers = values
        self._say()

    @on(Input.Changed)
    @on(ChoiceInput.Changed)
    def tell(self, event: Input.Changed | ChoiceInput.Changed) -> None:
        """Remember the change for undo, and post `Changed`."""
        event.stop()
        now = self.entered
        if now != self._now:
            if not self.line.field.sensitive:
                self._before = [*self._before[-_MOST_UNDONE:], self._now]
            self._now = now
        self._say()
        self._say_default()
        self.post_message(self.Changed())

    def action_undo(self) -> None:
        """Restore the content of the input before the last change."""
        if self._before:
            self.enter(self._before.pop())
        else:
            self.notify("There is nothing to undo in this field.", markup=False)

    def _say(self) -> None:
        self.set_class(bool(self._problem), "-wrong")
        words = self._hint()
        if self._problem:
            hint = "\n", words.stylize("$foreground 70%")
            words = Content.assemble(content(shortened(self._problem, 400)), *(hint if words.plain else ()))
        if words != self._said:
            self._said = words
            self._note.set_class(bool(words.plain), "-says")
            self._note.update(words)

    def _hint(self) -> Content:
        hidden = inspect(self.entered.text).replaced
        if hidden:
            return Content.styled(
                f"contains {hidden} invisible or control characters, which are sent unchanged",
                "$text-warning",
            )
        said = note(self.line.field)
        if not self._offers:
            return said
        typed = self.entered.text
        taken = continuing(self._offers, typed) if typed else None
        others = ", ".join(offer for offer in self._offers if offer != taken)
        offers = Content.assemble(
            Content.assemble(("→ takes ", "bold $text-accent"), content(taken, "bold")) if taken else "",
            "  " if taken and others else "",
            ("other values: " if taken else "values: ", "$foreground 70%") if others else "",
            content(shortened(others, 300)),
        )
        return Content.assemble(said, "\n", offers) if said.plain else offers


class ArgumentForm(VerticalScroll, can_focus=False):
    """Shows a line for each argument of a tool. A read-only form takes the focus itself and can be scrolled."""

    DEFAULT_CSS = """
    ArgumentForm { height: 1fr; background: $surface; scrollbar-size: 1 1; }
    ArgumentForm:focus { background: $panel; }
    ArgumentForm > .form-remark { padding: 0 1; }
    """

    @dataclass
    class Changed(Message):
        """Posted when something was typed or chosen."""

    @dataclass
    class Submitted(Message):
        """Posted on Enter in an input."""

    def __init__(self) -> None:
        super().__init__(id="form")
        self._form: Form | None = None
        self._lines: tuple[FormLine, ...] = ()
        self._kept: dict[str, Entered] = {}
        self._defaults: dict[str, Entered] = {}
        self._mounted: list[FieldLine] = []
        self._offered: Completer | None = None

    @property
    def lines(self) -> tuple[FormLine, ...]:
        """The lines of the form. Some may not be mounted yet."""
        return self._lines

    def show(
        self,
        form: Form,
        entered: Mapping[str, Entered],
        defaults: Mapping[str, Entered],
        *,
        empty: str = "No arguments.",
        offered: Completer | None = None,
        is_read_only: bool = False,
    ) -> None:
        """Show another form. `entered`: the entries to fill in, by the pointer of their field.

        `defaults`: the entries that produce the defaults of the schema, by pointer. `empty`: shown if there
        are no arguments. `offered`: asks the server for values while the user types.
        """
        self.can_focus = is_read_only
        self._offered = offered
        self._form = form
        self._defaults = dict(defaults)
        self._lines = with_rows(form_lines(form), entered)
        self._kept = dict(entered)
        self._mounted = []
        self.remove_children()
        if not self._lines:
            text = form.problem or empty
            self.mount(PlainText(content(text, "$foreground 70%"), classes="form-remark"))
        self._mount_from(0, form)

    def on_resize(self) -> None:
        """Give the labels as much room as they need, up to half of the width."""
        for line in self._mounted:
            line.fit(self._column)

    @property
    def _column(self) -> int:
        """The width of the column of the labels, in cells."""
        width = self.scrollable_content_region.width
        labels = (label(line, is_default=line.field.has_default) for line in self._lines)
        longest = max((each.cell_length for each in labels), default=0) + _PADDING
        return int(min(max(longest, width * _LEAST_SHARE), width * _MOST_SHARE))

    def entered(self) -> dict[str, Entered]:
        """The contents of all inputs that are not empty, by pointer.

        For an input that is not mounted yet, this is the content that it will show.
        """
        contents = self._kept | {line.line.field.pointer: line.entered for line in self._mounted}
        return {pointer: entered for pointer, entered in contents.items() if entered != Entered()}

    def enter(self, entered: Mapping[str, Entered]) -> None:
        """Fill in every input. Inputs that `entered` does not name are emptied."""
        self._kept = dict(entered)
        for line in self._mounted:
            line.enter(entered.get(line.line.field.pointer, Entered()))

    def complain(self, problems: Mapping[str, str]) -> None:
        """Show problems below their fields. `problems`: messages by the pointer of the field."""
        for line in self._mounted:
            line.complain(problems.get(line.line.field.pointer, ""))

    def focus_first(self) -> bool:
        """Focus the first input of the form. Returns false if the form has no input."""
        return any(line.focus_input() for line in self._mounted)

    def focus_one(self, pointers: Container[str]) -> None:
        """Focus the first input whose pointer is in `pointers`, and scroll its label and note into view."""
        found = (line for line in self._mounted if line.line.field.pointer in pointers)
        line = next((line for line in found if line.focus_input()), None)
        if line is not None:
            # The message about the problem makes the line higher with the next layout.
            self.call_after_refresh(line.scroll_visible, animate=False)

    @on(FieldLine.Changed)
    def tell_changed(self, event: FieldLine.Changed) -> None:
        """Post one `Changed` for the whole form."""
        event.stop()
        if len(self._mounted) >= len(self._lines):
            self._fit_rows()
        self.post_message(self.Changed())

    def _fit_rows(self) -> None:
        """Mount and remove lines, so that each list has lines for the entered number of its objects."""
        entered = self.entered()
        lines = with_rows(self._lines, entered)
        if lines == self._lines:
            return
        known = {line.line.field.pointer: line for line in self._mounted}
        fitting: list[FieldLine] = []
        for line in lines:
            shown = known.pop(line.field.pointer, None)
            if shown is None:
                shown = self._made(line, entered)
                self.mount(shown, after=fitting[-1] if fitting else None)
            fitting.append(shown)
        self._lines, self._mounted, self._kept = lines, fitting, entered
        for line in known.values():
            line.remove()

    @on(Input.Submitted)
    def tell_submitted(self, event: Input.Submitted) -> None:
        """Post `Submitted`, because Enter was pressed in an input."""
        event.stop()
        self.post_message(self.Submitted())

    def _offered_for(self, line: FormLine) -> Offered | None:
        completer, name = self._offered, line.field.name
        if completer is None:
            return None

        async def offered(value: str) -> tuple[str, ...]:
            # Only the shown form asks the server, and it never sends sensitive values.
            if completer is not self._offered:
                return ()
            filled: JsonObject = {
                each.line.field.name: each.entered.text
                for each in self._mounted
                if each.line is not line and not each.line.field.sensitive and each.entered.text
            }
            return await completer(name, value, filled)

        return offered

    def _mount_from(self, start: int, form: Form) -> None:
        # Another form may have been shown in the meantime.
        if form is not self._form or start >= len(self._lines):
            return
        batch = [self._made(line, self._kept) for line in self._lines[start : start + _BATCH]]
        self._mounted += batch
        self.mount_all(batch)
        self.call_after_refresh(self._mount_from, start + _BATCH, form)

    def _made(self, line: FormLine, entered: Mapping[str, Entered]) -> FieldLine:
        """A new widget for a line of the form.

        `entered`: the contents of the inputs, by the pointer of their field.
        """
        made = FieldLine(line, self._offered_for(line))
        if self.size.width:
            made.fit(self._column)
        if entry := entered.get(line.field.pointer):
            made.enter(entry)
        made.disabled = self.can_focus
        made.take_default(self._defaults.get(line.field.pointer))
        return made


def _input(line: FormLine, suggester: OfferSuggester | None) -> Input | ChoiceInput:
    field = line.field
    hint = placeholder(field)
    if line.has_rows:
        counts = [count(number, "item") for number in range(MAX_ROWS + 1)]
        return ChoiceInput(
            counts, content(hint, "$foreground 70%"), offer=f"→ adds one (more than {MAX_ROWS}: as JSON)"
        )
    if line.has_checks and field.item is not None:
        return ChecksInput(
            [safe_line(words) for words in choice_words(field.item)],
            content(f"Space picks, {hint}", "$foreground 70%"),
        )
    if field.kind in {FieldKind.BOOLEAN, FieldKind.CHOICE} and choice_values(field):
        return ChoiceInput(
            [safe_line(words) for words in choice_words(field)], content(hint, "$foreground 70%")
        )
    return FieldInput(safe_line(hint), is_masked=field.sensitive, suggester=suggester)
