"""The result: raw on the left, what the model sees on the right, scrolled together."""

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.tui.keys.command import Place
from inspector.tui.keys.table import bindings
from inspector.tui.result.contrast import Contrast, Lens, contrast_reason, contrast_strip, contrast_title
from inspector.tui.result.removal import removal_detail
from inspector.tui.result.view import Difference, ResultView, reason_line, strip, title
from inspector.tui.runtime.memory import release
from inspector.tui.text import content, shortened
from inspector.tui.widgets.alignment import GAP
from inspector.tui.widgets.lines import SIGNS_WIDTH, Lines, document_line, gap_line

if TYPE_CHECKING:
    from inspector.json.exact import Json

_LARGE_BYTES = 1_000_000
"""From here on a view is let go of in a thread."""

Shown: TypeAlias = ResultView | Contrast


class ResultLines(Lines):
    """One side of a result, with gaps where only the other side has something."""

    def __init__(self, side: Literal[0, 1]) -> None:
        super().__init__(id=("result-raw", "result-model")[side])
        self._side: Literal[0, 1] = side
        self._view: Shown | None = None

    def show(self, view: Shown | None, cursor: int) -> None:
        """Show one side of a view."""
        self._view = view
        if view is None:
            self.show_rows(0)
        else:
            # Both sides are as wide as the wider one: they scroll together.
            width = max(document.width for document in view.documents)
            self.show_rows(len(view.rows), cursor, width=width + SIGNS_WIDTH)

    def row(self, index: int, width: int) -> Content:
        """A line of this side, or the gap beside a line of the other."""
        view = self._view
        if view is None:
            return Content("")
        here = index == self.cursor
        sign = view.signs(index)[self._side]
        line = (view.rows.left, view.rows.right)[self._side][index]
        if line == GAP:
            return gap_line(width, here=here, sign=sign)
        return document_line(view.documents[self._side].line(line), here=here, sign=sign)


class ResultPane(Vertical):
    """Both sides, their counts, and the reason of the removal under the cursor."""

    DEFAULT_CSS = """
    ResultPane {
        background: $surface;
        & .pane-title { width: 1fr; height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #result-titles { height: 1; }
        & #result-sides { height: 1fr; }
        & ResultLines { width: 1fr; }
        & #result-model { border-left: vkey $panel; }
        & #result-note { display: none; height: 1fr; padding: 1 2; color: $foreground 80%; }
        &.-empty #result-note { display: block; }
        &.-empty #result-sides, &.-empty #result-strip, &.-empty #result-why { display: none; }
        & #result-strip, & #result-why { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #result-strip { background: $panel; height: auto; max-height: 2; text-wrap: wrap; }
        &.-explaining #result-strip { display: none; }
        &.-explaining #result-why { height: auto; max-height: 12; text-wrap: wrap; overflow-y: auto; }
        &:focus-within .pane-title { background: $primary 40%; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.RESULT)

    def __init__(self) -> None:
        super().__init__(id="result", classes="-empty")
        self._raw = ResultLines(0)
        self._model = ResultLines(1)
        self._raw_title = Static("", markup=False, classes="pane-title")
        self._model_title = Static("", markup=False, classes="pane-title")
        self._note = Static("", markup=False, id="result-note")
        self._strip = Static("", markup=False, id="result-strip")
        self._why = Static("", markup=False, id="result-why")
        self._view: ResultView | None = None
        self._room_of_view = 0
        self._contrast: Contrast | None = None
        """Two models, shown in place of the view."""
        self._left_at = 0
        """The row on which the cursor stood before two models were shown."""

    def compose(self) -> ComposeResult:
        """Titles, both sides, the strip, the reason."""
        with Horizontal(id="result-titles"):
            yield self._raw_title
            yield self._model_title
        yield self._note
        with Horizontal(id="result-sides"):
            yield self._raw
            yield self._model
        yield self._strip
        yield self._why

    def on_mount(self) -> None:
        """Scroll both sides together."""
        self._label()
        self.watch(self._raw, "scroll_y", self._follow_raw, init=False)
        self.watch(self._model, "scroll_y", self._follow_model, init=False)
        self.watch(self._raw, "scroll_x", self._follow_raw_sideways, init=False)
        self.watch(self._model, "scroll_x", self._follow_model_sideways, init=False)
        self.watch(self._raw, "cursor", self._follow_raw_cursor, init=False)
        self.watch(self._model, "cursor", self._follow_model_cursor, init=False)

    @property
    def view(self) -> ResultView | None:
        """What is shown."""
        return self._view

    @property
    def has_differences(self) -> bool:
        """Whether there is anything to go to."""
        if self._contrast is not None:
            return bool(self._contrast.begins)
        return self._view is not None and self._view.has_differences

    @property
    def room(self) -> int:
        """How many characters of a text fit beside its indentation."""
        return max(self.size.width // 2 - 22, 16)

    class RoomChanged(Message):
        """Texts would break elsewhere now."""

    def on_resize(self) -> None:
        """Tell where what is shown was laid out for another width."""
        if self._view is not None and self.room != self._room_of_view:
            self._room_of_view = self.room
            self.post_message(self.RoomChanged())

    @property
    def is_explaining(self) -> bool:
        """Whether the reason is shown at length."""
        return self.has_class("-explaining")

    def show(self, view: ResultView) -> None:
        """Show a result; the place is kept where only the lenses have changed. A contrast of the same call stays."""
        same_call = self._view is not None and self._view.record is view.record
        self.let_go(self._view)
        self._view = view
        self._room_of_view = self.room
        if self._contrast is None or self._contrast.record is not view.record:
            self.let_go(self._contrast)
            self._contrast = None
            self._draw(view, same_place=same_call)

    def show_contrast(self, view: Contrast) -> None:
        """Show two models in place of the raw result and one."""
        same_call = self._contrast is not None and self._contrast.record is view.record
        if self._contrast is None:
            self._left_at = self._raw.cursor
        self.let_go(self._contrast)
        self._contrast = view
        self._draw(view, same_place=same_call)
        first = view.next_difference(-1, 1)
        if not same_call and first is not None:
            self._raw.cursor = first

    def wait_for_contrast(self, left: Lens, right: Lens) -> None:
        """Say that two models are being compared, until they are there."""
        words = f"comparing {left.level}, {shortened(left.host, 40)} with {right.level}, {shortened(right.host, 40)} …"
        self._strip.update(content(words, "$foreground 70%"))

    def stop_contrast(self) -> None:
        """Back to the raw result and one model."""
        was_shown = self._contrast is not None
        self.let_go(self._contrast)
        self._contrast = None
        if self._view is not None:
            self._draw(self._view, same_place=not was_shown)
            if was_shown:
                self._raw.cursor = self._left_at

    def let_go(self, view: Shown | None) -> None:
        """Free a view that nobody shows from here on; where it is large, in a thread once nothing else holds it."""
        if view is not None and view.size_bytes > _LARGE_BYTES:
            self.call_later(self._release, list(view.values))

    def _release(self, values: "list[Json]") -> None:
        # A function of its own: Textual writes down a partial with its arguments.
        self.run_worker(lambda: release(values), thread=True, group="release")

    def _draw(self, view: Shown, *, same_place: bool) -> None:
        cursor = min(self._raw.cursor, max(len(view.rows) - 1, 0)) if same_place else 0
        self.remove_class("-empty")
        self._raw.show(view, cursor)
        self._model.show(view, cursor)
        if not same_place:
            self._raw.scroll_to(x=0, y=0, animate=False)
            self._model.scroll_to(x=0, y=0, animate=False)
            self.remove_class("-explaining")
        self._strip.update(contrast_strip(view) if isinstance(view, Contrast) else strip(view))
        self._label()
        self._explain()

    def show_note(self, note: Content) -> None:
        """Show nothing but a note: there is no result."""
        self.let_go(self._view)
        self.let_go(self._contrast)
        self._view = self._contrast = None
        self.set_class(True, "-empty")
        self.remove_class("-explaining")
        self._raw.show(None, 0)
        self._model.show(None, 0)
        self._note.update(note)
        self._label()

    def show_progress(self, line: Content | None) -> None:
        """Say how far a running call is, in place of the titles; None when it has ended."""
        if line is None:
            self._label()
        else:
            self._raw_title.update(line)

    def focus_result(self) -> None:
        """Put the focus on the raw side."""
        self._raw.focus()

    def stop_explaining(self) -> None:
        """Back to the one line."""
        self.remove_class("-explaining")
        self._explain()

    def action_removal(self, step: int) -> None:
        """To the next or previous removal."""
        shown = self._contrast or self._view
        row = shown.next_difference(self._raw.cursor, step) if shown else None
        if row is None:
            self.notify(self._no_difference(step), markup=False)
        else:
            self._raw.cursor = row

    @on(Lines.Moved)
    def explain_moved(self, event: Lines.Moved) -> None:
        """The cursor stands on another row."""
        event.stop()
        self._explain()

    @on(Lines.Chosen)
    def explain_chosen(self, event: Lines.Chosen) -> None:
        """Enter: the whole reason, or one line again."""
        event.stop()
        if self._contrast is not None:
            self.notify("Esc goes back to the raw result, where each removal has its reason.", markup=False)
        elif self._view and self._view.removals_on(self._raw.cursor):
            self.toggle_class("-explaining")
            self._explain()
        elif self._view and self._view.difference(self._raw.cursor) is not Difference.NONE:
            self.notify(reason_line(self._view, self._raw.cursor).plain, markup=False)
        else:
            self.notify("Nothing was withheld on this line. n goes to the next removal.", markup=False)

    def _no_difference(self, step: int) -> str:
        if self._view is None:
            return "There is no result yet."
        if self._contrast is not None and not self._contrast.begins:
            return "Both models see the same."
        if self._contrast is None and not self._view.has_differences:
            return f"The model sees all of it: nothing was withheld at `{self._view.level}`, nothing changed."
        return "No further difference below." if step > 0 else "No further difference above."

    def _explain(self) -> None:
        view, row = self._view, self._raw.cursor
        if self._contrast is not None:
            self.remove_class("-explaining")
            self._why.update(contrast_reason(self._contrast, row))
        elif view is not None:
            removals = view.removals_on(row)
            if removals and self.is_explaining:
                self._why.update(removal_detail(removals, view.more_on(row)))
            else:
                self.remove_class("-explaining")
                self._why.update(reason_line(view, row))

    def _label(self) -> None:
        view, contrast = self._view, self._contrast
        if contrast is not None:
            self._raw_title.update(contrast_title(contrast.left))
            self._model_title.update(contrast_title(contrast.right))
            return
        self._raw_title.update(Content.assemble(("Raw result  ", "bold"), title(view) if view else ""))
        model = f"  {view.host}, {view.level}" if view else ""
        self._model_title.update(Content.assemble(("What the model sees", "bold"), content(model)))

    def _follow_raw(self, position: float) -> None:
        self._model.scroll_to(y=position, animate=False)

    def _follow_model(self, position: float) -> None:
        self._raw.scroll_to(y=position, animate=False)

    def _follow_raw_sideways(self, position: float) -> None:
        self._model.scroll_to(x=position, animate=False)

    def _follow_model_sideways(self, position: float) -> None:
        self._raw.scroll_to(x=position, animate=False)

    def _follow_raw_cursor(self, cursor: int) -> None:
        self._model.cursor = cursor

    def _follow_model_cursor(self, cursor: int) -> None:
        self._raw.cursor = cursor
