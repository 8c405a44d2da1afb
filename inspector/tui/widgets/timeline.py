"""The timeline at the bottom."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.content import Content
from textual.message import Message

from inspector.protocol.timeline import Entry
from inspector.tui.present.timeline import entry_line
from inspector.tui.widgets.lines import Lines


class TimelinePane(Lines):
    """Every exchange, notification and line of stderr. It follows the end while the cursor is there."""

    DEFAULT_CSS = """
    TimelinePane { height: 4; border-top: solid $panel; }
    TimelinePane:focus { border-top: solid $primary; }
    """

    @dataclass
    class Opened(Message):
        """The user wants to see the frames of an entry."""

        entry: Entry

    def __init__(self) -> None:
        super().__init__(id="timeline")
        self._entries: Sequence[Entry] = ()
        self._known = 0

    def show(self, entries: Sequence[Entry]) -> None:
        """Show `entries`; their number only ever grows within a session."""
        at_end = self.cursor >= self._known - 1
        self._entries = entries
        self._known = len(entries)
        self.show_rows(self._known, self._known - 1 if at_end else None)

    def entry(self, index: int) -> Entry | None:
        """The entry of a row; None where it is not known yet."""
        return self._entries[index]

    def row(self, index: int, width: int) -> Content:
        """One entry."""
        entry = self.entry(index)
        return entry_line(entry, width) if entry is not None else Content("…")

    @on(Lines.Chosen)
    def open(self, event: Lines.Chosen) -> None:
        """Enter on an entry."""
        event.stop()
        entry = self.entry(event.index)
        if entry is not None:
            self.post_message(self.Opened(entry))
