"""The review screen: all findings of the server, the worst first, and what was not checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input

from inspector.review.report import ReportEntry
from inspector.tui.findings.pane import FindingsPane
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.findings.rows import AllFindings, FindingsView, all_findings
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import content, cut_in_the_middle
from inspector.tui.widgets.secondary import Keys, SecondaryScreen

_FILTER_KEYS: Keys = (("form.call", "keep"), ("review.back", "clear"), ("app.palette", ""))

_OF_FINDING = {"lines.choose", "findings.accept"}
"""The ids of the commands that only work on a finding."""


@dataclass(slots=True)
class Before:
    """The filter and the finding under the cursor at the time when the user last left the screen."""

    query: str = ""
    entry: ReportEntry | None = None


class FindingsScreen(SecondaryScreen[bool], inherit_bindings=False):
    """Lists all findings. Enter shows the place of a finding.

    Dismissed with true if the place is on the main screen, and with false if the user goes back.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.REVIEW)
    NAME = "Review"
    # Textual would focus the hidden filter for a moment, and show its keys.
    AUTO_FOCUS = "#review-lines"
    KEYS: ClassVar[Keys] = (
        ("lines.choose", "show the place"),
        ("review.filter", ""),
        ("findings.accept", ""),
        ("review.export", ""),
        ("review.back", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The findings could not be shown"

    def __init__(
        self,
        reviewer: Reviewer,
        target: str,
        go_to: Callable[[ReportEntry], bool],
        toggle_acceptance: Callable[[ReportEntry], None],
        export: Callable[[], None],
        before: Before,
    ) -> None:
        """`go_to`: shows the place of a finding, and returns whether the place is on the main screen.

        `toggle_acceptance`: accepts a finding, or withdraws the acceptance. `export`: asks for a file and
        writes the review to it.
        """
        super().__init__()
        self.entitle(Content.assemble("Findings of ", content(cut_in_the_middle(target, 200), "bold")))
        self._reviewer = reviewer
        self._go_to = go_to
        self._toggle_acceptance = toggle_acceptance
        self._export = export
        self._before = before
        self._filter = Input(
            value=before.query,
            placeholder="filter: shows findings that have all of these words",
            id="review-filter",
            compact=True,
        )
        self._pane = FindingsPane("review")
        self._views = self.latest(all_findings, self._take)

    def body(self) -> ComposeResult:
        yield self._filter
        yield self._pane

    def on_mount(self) -> None:
        self._reviewer.listeners.append(self.show_current)
        self.set_class(bool(self._before.query), "-filtering")
        self._pane.lines.focus()
        self.say(Content("Nothing is reviewed yet: the definitions are not listed yet."))
        self.show_current()

    def on_unmount(self) -> None:
        self._reviewer.listeners.remove(self.show_current)

    def show_current(self) -> None:
        """Show the findings so far that match the filter. Called when the findings have changed."""
        board, accepted = self._reviewer.board, self._reviewer.accepted
        if board is not None and accepted is not None:
            self._views.ask(
                AllFindings(
                    board=board, accepted=accepted, query=self._filter.value, until=self._reviewer.until
                )
            )

    def action_back(self) -> None:
        if self.has_class("-filtering"):
            self._filter.value = ""
            self.remove_class("-filtering")
            self._pane.lines.focus()
        else:
            self._before.query, self._before.entry = "", None
            self.dismiss(False)

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self._filter.focus()

    def action_export(self) -> None:
        self._export()

    @on(Input.Changed, "#review-filter")
    def narrow(self, event: Input.Changed) -> None:
        event.stop()
        self.show_current()

    @on(Input.Submitted, "#review-filter")
    def keep_filter(self, event: Input.Submitted) -> None:
        event.stop()
        self._pane.lines.focus()

    @on(FindingsPane.Opened)
    def open(self, event: FindingsPane.Opened) -> None:
        event.stop()
        self._before.query, self._before.entry = self._filter.value, event.entry
        if self._go_to(event.entry):
            self.dismiss(True)

    @on(FindingsPane.AcceptanceToggled)
    def toggle_acceptance(self, event: FindingsPane.AcceptanceToggled) -> None:
        event.stop()
        self._toggle_acceptance(event.entry)

    @on(events.DescendantFocus)
    @on(FindingsPane.Moved)
    def show_keys(self) -> None:
        entry = self._pane.entry
        does = "withdraw" if self._reviewer.has_accepted(entry) else ""
        keys = [
            (key, does if key == "findings.accept" else words)
            for key, words in self.KEYS
            if entry is not None or key not in _OF_FINDING
        ]
        self.offer(_FILTER_KEYS if self._filter.has_focus else keys)

    def _take(self, view: FindingsView) -> None:
        self._pane.show(view, entry=self._before.entry)
        self._before.entry = None
