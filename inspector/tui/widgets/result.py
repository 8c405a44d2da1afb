"""The result: raw on the left, what the model sees on the right, scrolled together."""

from typing import ClassVar, Literal, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.tui.commands import Place, bindings
from inspector.tui.present.alignment import GAP
from inspector.tui.present.document import SIGNS_WIDTH, document_line, gap_line
from inspector.tui.present.foreign import content
from inspector.tui.present.result import Difference, ResultView, reason_line, removal_detail, strip, title
from inspector.tui.widgets.lines import Lines

Side: TypeAlias = Literal["raw", "model"]


class ResultLines(Lines):
    """One side of a result, with gaps where only the other side has something."""

    def __init__(self, side: Side) -> None:
        super().__init__(id=f"result-{side}")
        self._side: Side = side
        self._view: ResultView | None = None

    def show(self, view: ResultView | None, cursor: int) -> None:
        """Show one side of a view."""
        self._view = view
        if view is None:
            self.show_rows(0)
        else:
            document = view.raw if self._side == "raw" else view.model
            self.show_rows(len(view.rows), cursor, width=document.width + SIGNS_WIDTH)

    def row(self, index: int, width: int) -> Content:
        """A line of this side, or the gap beside a line of the other."""
        view = self._view
        if view is None:
            return Content("")
        here = index == self.cursor
        difference = view.difference(index)
        line = (view.rows.left if self._side == "raw" else view.rows.right)[index]
        if not view.aligned and line == GAP:
            return gap_line(width, here=here)
        if self._side == "raw":
            if line == GAP:
                return gap_line(width, here=here)
            return document_line(view.raw.line(line), here=here, sign=difference.value)
        if not view.aligned:
            return (
                document_line(view.model.line(line), here=here) if line != GAP else gap_line(width, here=here)
            )
        if line == GAP:
            return gap_line(width, here=here, sign=difference.value)
        added = difference is Difference.ADDED or view.rewritten(index)
        return document_line(view.model.line(line), here=here, sign=Difference.ADDED.value if added else " ")


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
        & #result-strip { background: $panel; }
        &.-explaining #result-why { height: auto; max-height: 12; text-wrap: wrap; overflow-y: auto; }
        &:focus-within .pane-title { background: $primary 40%; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.RESULT)

    def __init__(self) -> None:
        super().__init__(id="result", classes="-empty")
        self._raw = ResultLines("raw")
        self._model = ResultLines("model")
        self._raw_title = Static("", markup=False, classes="pane-title")
        self._model_title = Static("", markup=False, classes="pane-title")
        self._note = Static("", markup=False, id="result-note")
        self._strip = Static("", markup=False, id="result-strip")
        self._why = Static("", markup=False, id="result-why")
        self._view: ResultView | None = None

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
        self._label(None)
        self.watch(self._raw, "scroll_y", self._follow_raw, init=False)
        self.watch(self._model, "scroll_y", self._follow_model, init=False)
        self.watch(self._raw, "cursor", self._follow_raw_cursor, init=False)
        self.watch(self._model, "cursor", self._follow_model_cursor, init=False)

    @property
    def view(self) -> ResultView | None:
        """What is shown."""
        return self._view

    @property
    def has_differences(self) -> bool:
        """Whether anything was withheld or changed."""
        return self._view is not None and bool(self._view.removals or self._view.changes)

    @property
    def room(self) -> int:
        """How many characters of a text fit beside its indentation."""
        return max(self.size.width // 2 - 22, 32)

    @property
    def is_explaining(self) -> bool:
        """Whether the reason is shown at length."""
        return self.has_class("-explaining")

    def show(self, view: ResultView) -> None:
        """Show a result; the place is kept where only the lenses have changed."""
        same_call = self._view is not None and self._view.record is view.record
        cursor = min(self._raw.cursor, max(len(view.rows) - 1, 0)) if same_call else 0
        self._view = view
        self.remove_class("-empty")
        self._raw.show(view, cursor)
        self._model.show(view, cursor)
        if not same_call:
            self._raw.scroll_to(x=0, y=0, animate=False)
            self._model.scroll_to(x=0, y=0, animate=False)
            self.remove_class("-explaining")
        self._strip.update(strip(view))
        self._label(view)
        self._explain()

    def show_note(self, note: Content) -> None:
        """Show nothing but a note: there is no result."""
        self._view = None
        self.set_class(True, "-empty")
        self.remove_class("-explaining")
        self._raw.show(None, 0)
        self._model.show(None, 0)
        self._note.update(note)
        self._label(None)

    def show_progress(self, line: Content | None) -> None:
        """Say how far a running call is, in place of the titles; None when it has ended."""
        if line is None:
            self._label(self._view)
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
        row = self._view.next_difference(self._raw.cursor, step) if self._view else None
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
        if self._view and self._view.removals_on(self._raw.cursor):
            self.toggle_class("-explaining")
            self._explain()
        else:
            self.notify("Nothing was withheld on this line. n goes to the next removal.", markup=False)

    def _no_difference(self, step: int) -> str:
        if self._view is None:
            return "There is no result yet."
        if not self._view.removals and not self._view.changes:
            return f"The model sees all of it: nothing was withheld at `{self._view.level}`, nothing changed."
        return "No further difference below." if step > 0 else "No further difference above."

    def _explain(self) -> None:
        view = self._view
        if view is None:
            return
        removals = view.removals_on(self._raw.cursor)
        if removals and self.is_explaining:
            self._why.update(removal_detail(removals))
        else:
            self.remove_class("-explaining")
            self._why.update(reason_line(view, self._raw.cursor))

    def _label(self, view: ResultView | None) -> None:
        self._raw_title.update(Content.assemble(("Raw result  ", "bold"), title(view) if view else ""))
        model = f"  {view.host}, {view.level}" if view else ""
        self._model_title.update(Content.assemble(("What the model sees", "bold"), content(model)))

    def _follow_raw(self, position: float) -> None:
        self._model.scroll_to(y=position, animate=False)

    def _follow_model(self, position: float) -> None:
        self._raw.scroll_to(y=position, animate=False)

    def _follow_raw_cursor(self, cursor: int) -> None:
        self._model.cursor = cursor

    def _follow_model_cursor(self, cursor: int) -> None:
        self._raw.cursor = cursor
