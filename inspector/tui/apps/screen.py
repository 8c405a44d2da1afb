"""The screen of an open MCP Apps interface: its actions, what was refused, and what it sends to the model."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.apps.browser.running import AppEntry, AppEntryKind
from inspector.boundary.bounded import Level
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.result.pane import ResultPane
from inspector.tui.result.sides import KnownBeside
from inspector.tui.result.view import SERVER_NAME, ResultAsked, ResultView, result_view
from inspector.tui.text import content, cut_in_the_middle, row_name, row_text, shortened
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.secondary import QUIET, DrawnLines, Keys, SecondaryScreen

HOST = "spec"
"""The host profile with which messages of the interface are shown.

How real hosts treat these messages was not observed. SEP-1865 passes them to the model unchanged.
"""
_SIGNS = {
    AppEntryKind.STATE: ("·", QUIET),
    AppEntryKind.HEARD: ("←", ""),
    AppEntryKind.TO_MODEL: ("→ model", "bold $text-accent"),
    AppEntryKind.REFUSED: ("blocked", "bold $text-error"),
}
_SIGN_WIDTH = 8
_NOTE = "No result on this row. Go to a row with a call, or with content for the model."


class AppScreen(SecondaryScreen[None], inherit_bindings=False):
    """Lists the actions of the MCP Apps interface, the newest last. Leaving the screen ends the interface."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.APP)
    NAME = "Interface"
    KEYS: ClassVar[Keys] = (
        ("interface.back", ""),
        ("interface.boundary", ""),
        ("app.next", ""),
        ("result.next", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The entry could not be shown"

    def __init__(self, uri: str, tool: str, level: Level, known: KnownBeside) -> None:
        super().__init__()
        self._known = known
        self._uri = uri
        self._tool = tool
        self._level = level
        self._is_open = True
        self.entries: list[AppEntry] = []
        self._shown: AppEntry | None = None
        self._lines = DrawnLines("app-entries", self._draw)
        self._result = ResultPane()
        self._views = self.latest(self._asked_result, self._take)

    def body(self) -> ComposeResult:
        yield self._lines
        yield self._result

    def on_mount(self) -> None:
        self._label()
        self._lines.focus()
        self._result.show_note(Content(_NOTE))
        self._list()

    def add(self, entry: AppEntry) -> None:
        """Add an entry to the list of actions."""
        self.entries.append(entry)
        if self.is_mounted:
            self._list()

    def end(self) -> None:
        """Show that the interface has ended. The list stays."""
        self._is_open = False
        if self.is_mounted:
            self._label()

    def action_cycle_level(self, step: int) -> None:
        levels = list(Level)
        self._level = levels[(levels.index(self._level) + step) % len(levels)]
        self._label()
        self._ask()

    @on(ResultPane.UnmaskAsked)
    @on(ResultPane.CopyAsked)
    @on(ResultPane.SaveAsked)
    @on(ResultPane.LinkChosen)
    def refuse(self) -> None:
        self.notify("This key only works with results on the main screen.", markup=False)

    @on(Lines.Moved, "#app-entries")
    def follow(self, event: Lines.Moved) -> None:
        event.stop()
        self._explain()

    @on(Lines.Chosen, "#app-entries")
    def choose(self, event: Lines.Chosen) -> None:
        event.stop()
        if self._result.view is not None:
            self._result.focus_result()

    def _list(self) -> None:
        """Update the list. If the cursor was on the last entry, it moves to the new last one."""
        at_end = self._lines.cursor >= self._lines.count - 1
        self._lines.show_rows(len(self.entries), len(self.entries) - 1 if at_end else None)
        self._explain()

    def _explain(self) -> None:
        entry = self.entries[self._lines.cursor] if self._lines.cursor < len(self.entries) else None
        if entry is self._shown:
            return
        self._shown = entry
        if entry is None or entry.record is None:
            words = Content(_NOTE) if entry is None else content(f"{entry.title}  {entry.detail}")
            self._result.show_note(words)
        else:
            self._ask()

    def _ask(self) -> None:
        if self._shown is not None and self._shown.record is not None:
            self._views.ask(ResultAsked(record=self._shown.record, level=self._level, host=HOST))

    def _asked_result(self, asked: ResultAsked) -> ResultView:
        """The view of a result. Blocks, so it is called in a thread."""
        known = self._known(asked.record)
        return result_view(asked.record, asked.level, asked.host, server=SERVER_NAME, known=known)

    def _take(self, view: ResultView) -> None:
        if self._shown is not None and self._shown.record is view.record:
            self._result.show(view)

    def _label(self) -> None:
        state = Content.styled("open", "$text-success") if self._is_open else Content.styled("ended", QUIET)
        where = content(f"{row_text(cut_in_the_middle(self._uri, 120))} of {row_name(self._tool, 60)}", QUIET)
        self.entitle(Content.assemble(state, "  ", where), content(f"boundary {self._level}", "bold"))

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        del here
        entry = self.entries[index]
        sign, style = _SIGNS[entry.kind]
        words = Content.assemble(
            (f"{entry.at_s:8.1f} s  ", QUIET),
            (f"{sign:<{_SIGN_WIDTH}}", style),
            content(entry.title, "bold" if entry.kind is AppEntryKind.TO_MODEL else ""),
            "  ",
            content(shortened(entry.detail, max(width, 40)), QUIET),
        )
        return words.truncate(width, ellipsis=True)
