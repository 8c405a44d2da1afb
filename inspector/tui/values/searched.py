"""An outline together with its search line."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.tui.values.pane import OutlineLines
from inspector.tui.values.search_line import SearchLine


class SearchedValues(Vertical):
    """Shows an outline that `/` searches."""

    DEFAULT_CSS = """
    SearchedValues { height: 1fr; }
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.lines = OutlineLines(id=name)
        self._line = SearchLine(self.lines)

    def compose(self) -> ComposeResult:
        yield self.lines
        yield self._line

    @property
    def is_searched(self) -> bool:
        """True if the search line is open."""
        return self._line.is_open

    @property
    def has_matches(self) -> bool:
        """True if the words that are searched for were found."""
        return self.lines.has_matches

    def stop_searching(self) -> None:
        self._line.close()

    @on(OutlineLines.SearchWanted)
    def search(self, event: OutlineLines.SearchWanted) -> None:
        event.stop()
        self._line.open()

    @on(OutlineLines.Searched)
    def show_match(self, event: OutlineLines.Searched) -> None:
        self._line.show(event.number, event.matches)
