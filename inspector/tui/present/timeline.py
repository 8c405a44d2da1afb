"""The timeline: one line an entry."""

from textual.content import Content

from inspector.protocol.timeline import Entry, EntryKind, EntryState
from inspector.tui.present.foreign import content, shortened
from inspector.tui.present.measures import duration, size

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
