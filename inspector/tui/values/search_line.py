"""The line below an outline in which the user types words to search for."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input

from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import count
from inspector.tui.values.pane import OutlineLines
from inspector.tui.values.search import MOST
from inspector.tui.widgets.plain_text import PlainText


class SearchInput(Input):
    """The input for the words to search for."""


class SearchLine(Horizontal):
    """Searches while the user types. Esc closes the line."""

    DEFAULT_CSS = """
    SearchLine {
        display: none;
        height: 1;
        background: $panel;
        &.-open { display: block; }
        & > Input { width: 1fr; border: none; padding: 0 1; background: $panel; }
        & > PlainText { width: auto; padding: 0 1; color: $foreground 80%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.SEARCH)

    def __init__(self, values: OutlineLines) -> None:
        super().__init__()
        self._values = values
        # The input gets the focus back after an early Enter. What is typed next continues its text.
        self._input = SearchInput(
            placeholder="search: keys and values as drawn", compact=True, select_on_focus=False
        )
        self._found = PlainText()
        self._matches: int | None = None
        """The number of matches; None while the words are searched for."""
        self._is_kept = False
        """True if Enter was pressed before the number of matches was known."""

    def compose(self) -> ComposeResult:
        yield self._input
        yield self._found

    def open(self) -> None:
        """Show the line and focus its input. The words of the last search are selected."""
        self.add_class("-open")
        self._input.focus()
        if self._input.value:
            self._input.action_select_all()
            self._search(self._input.value)

    def show(self, number: int, matches: int) -> None:
        """Show the number of the current match and of all matches."""
        more = "+" if matches >= MOST else ""
        words = f"{number:,} of {count(matches, 'match', 'matches')}{more}" if matches else "no match"
        self._found.update(Content(words if self._input.value else ""))
        self._matches = matches
        if self._is_kept and not matches and self.is_open:
            self._input.focus()
        self._is_kept = False

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def action_next(self, step: int) -> None:
        self._values.next_match(step)

    def close(self) -> None:
        """End the search and hide the line."""
        self.action_close()

    def action_close(self) -> None:
        self.remove_class("-open")
        self._values.search("")
        self._values.focus()

    @on(Input.Changed)
    def search(self, event: Input.Changed) -> None:
        event.stop()
        if self.has_class("-open"):
            self._search(event.value)

    def _search(self, words: str) -> None:
        self._matches, self._is_kept = None, False
        self._values.search(words)

    @on(Input.Submitted)
    def action_keep(self) -> None:
        """Focus the values. `n` and `N` continue from the current match.

        If no words were typed, close the search. If there is no match, say so and stay, so that what is typed
        next is no command.
        """
        if not self._input.value:
            self.action_close()
        elif self._matches == 0:
            self._values.next_match(1)
        else:
            self._is_kept = self._matches is None
            self._values.focus()
