"""All findings of the server, the worst first, and what was not checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.tui.findings.lists import AllFindings
from inspector.tui.findings.pane import FindingsPane
from inspector.tui.findings.review_work import all_view
from inspector.tui.findings.reviewer import Reviewer
from inspector.tui.findings.rows import FindingsView
from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, shortened

if TYPE_CHECKING:
    from inspector.review.report import Entry

_KEYS = (
    ("lines.choose", "show the place"),
    ("review.filter", ""),
    ("findings.accept", ""),
    ("review.export", ""),
    ("review.back", ""),
    ("app.quit", ""),
    ("app.help", ""),
)

_KEYS_OF_FILTER = (("form.call", "keep"), ("review.back", "clear"), ("app.palette", ""))


@dataclass(slots=True)
class Before:
    """How the user left the screen to look at a place."""

    query: str = ""
    entry: "Entry | None" = None


class FindingsScreen(Screen["Entry"], inherit_bindings=False):
    """Enter goes to the place of a finding; Esc changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.REVIEW)

    def __init__(
        self,
        reviewing: Reviewer,
        target: str,
        judge: Callable[["Entry"], None],
        export: Callable[[], None],
        before: Before,
    ) -> None:
        """`judge`: accepts a finding, or takes that back. `export`: asks where the review is to be written.

        `before`: how the user left the screen the last time.
        """
        super().__init__()
        self._reviewing = reviewing
        self._judge = judge
        self._export = export
        head = Content.assemble(("Findings of ", "bold"), content(shortened(target, 200), "bold"))
        self._title = Static(head, markup=False, id="review-title")
        self._before = before
        self._filter = Input(
            value=before.query,
            placeholder="filter: words, all of which must occur",
            id="review-filter",
            compact=True,
        )
        self._pane = FindingsPane("review", with_name=True)
        self._keys = KeyLine()
        self._making = Latest(self, all_view, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """Title, the filter, the findings, keys."""
        yield self._title
        yield self._filter
        yield self._pane
        yield self._keys

    def on_mount(self) -> None:
        """Show what there is, and follow what comes."""
        self._reviewing.listeners.append(self.news)
        self.set_class(bool(self._before.query), "-filtering")
        self._pane.lines.focus()
        self._pane.say(Content("Nothing has been reviewed yet: the server has to be reached first."))
        self.news()

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        self._reviewing.listeners.remove(self.news)

    def news(self) -> None:
        """There are other findings, or one is accepted."""
        board, accepted = self._reviewing.board, self._reviewing.accepted
        if board is not None and accepted is not None:
            self._making.ask(AllFindings(board=board, accepted=accepted, query=self._filter.value))

    def action_back(self) -> None:
        """Take the filter off, or leave."""
        if self.has_class("-filtering"):
            self._filter.value = ""
            self.remove_class("-filtering")
            self._pane.lines.focus()
        else:
            self._before.query, self._before.entry = "", None
            self.app.pop_screen()  # pyright: ignore[reportUnknownMemberType]

    def action_filter(self) -> None:
        """Type a filter."""
        self.add_class("-filtering")
        self._filter.focus()

    def action_export(self) -> None:
        """Write the review to a file."""
        self._export()

    @on(Input.Changed, "#review-filter")
    def narrow(self, event: Input.Changed) -> None:
        """Filter as the user types."""
        event.stop()
        self.news()

    @on(Input.Submitted, "#review-filter")
    def keep_filter(self, event: Input.Submitted) -> None:
        """Enter leaves the filter on and goes to the list."""
        event.stop()
        self._pane.lines.focus()

    @on(FindingsPane.Opened)
    def open(self, event: FindingsPane.Opened) -> None:
        """Enter on a finding: to its place."""
        event.stop()
        self._before.query, self._before.entry = self._filter.value, event.entry
        self.dismiss(event.entry)

    @on(FindingsPane.Judged)
    def judge(self, event: FindingsPane.Judged) -> None:
        """Accept a finding, or take that back."""
        event.stop()
        self._judge(event.entry)

    @on(events.DescendantFocus)
    def show_keys(self) -> None:
        """Other keys apply."""
        keys = _KEYS_OF_FILTER if self._filter.has_focus else _KEYS
        self._keys.offers = [Offer(command(known), label or command(known).label) for known, label in keys]

    def _take(self, asked: "AllFindings", view: FindingsView) -> None:
        del asked
        self._pane.show(view, entry=self._before.entry)
        self._before.entry = None

    def _could_not(self, asked: "AllFindings", error: BaseException) -> None:
        del asked
        words = f"The findings could not be shown ({type(error).__name__}): a defect of Sightline."
        self._pane.say(content(words, "$text-error"))
