"""The timeline: one line an entry."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.content import Content
from textual.message import Message

from inspector.protocol.timeline import Entry, EntryKind, EntryState
from inspector.tui.text import content, duration, shortened, size
from inspector.tui.widgets.lines import Lines

_SIGNS = {
    EntryKind.EXCHANGE: ("→", "$text-primary"),
    EntryKind.SERVER_REQUEST: ("←", "$text-accent"),
    EntryKind.NOTIFICATION: ("•", "$foreground 70%"),
    EntryKind.PROGRESS: ("%", "$foreground 70%"),
    EntryKind.LOG: ("i", "$foreground 70%"),
    EntryKind.STDERR: ("!", "$text-warning"),
    EntryKind.FAULT: ("✗", "$text-error"),
    EntryKind.NOTE: ("·", "$foreground 60%"),
    EntryKind.DECISION: ("§", "$text-accent"),
}

_STATES = {
    EntryState.PENDING: ("waiting", "$text-warning"),
    EntryState.DONE: ("", ""),
    EntryState.OPEN: ("listening", "$text-success"),
    EntryState.UNFINISHED: ("unfinished", "bold $text-warning"),
    EntryState.FAILED: ("failed", "bold $text-error"),
}


def entry_line(entry: Entry, width: int) -> Content:
    """One entry in `width` cells: time, sign, title, detail; on the right state, duration, bytes."""
    sign, style = _SIGNS[entry.kind]
    state, state_style = _STATES[entry.state]
    right = Content.assemble(
        (f"{state} ", state_style) if state else "",
        (duration(entry.duration_s) if entry.duration_s is not None else "").rjust(9),
        (size(entry.size_bytes) if entry.frames else "").rjust(9),
    )
    left = Content.assemble(
        (f"{entry.at_s:8.2f} ", "$foreground 60%"), (f"{sign} ", style), _words(entry, max(width, 20))
    )
    room = max(width - right.cell_length - 1, 10)
    return Content.assemble(left.truncate(room, ellipsis=True, pad=True), " ", right)


def _words(entry: Entry, length: int) -> Content:
    title = content(shortened(entry.title, length))
    if entry.kind is EntryKind.STDERR:
        return Content.assemble(
            ("stderr ", "$text-warning"), content(shortened(entry.detail.rstrip("\n"), length))
        )
    if not entry.detail:
        return title
    style = (
        "$text-error"
        if entry.state is EntryState.FAILED or entry.kind is EntryKind.FAULT
        else "$foreground 70%"
    )
    if entry.kind is EntryKind.LOG:
        title = Content.assemble(("log ", "$foreground 70%"), title)
    return Content.assemble(title, "  ", content(shortened(entry.detail, length), style))


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
