"""The timeline, with a row for each call.

While the cursor is at the end, the timeline scrolls with new rows. It can be filtered.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import takewhile
from time import monotonic
from typing import ClassVar

from rich.cells import chop_cells
from textual import on
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from inspector.boundary.bounded import Level
from inspector.pins.known_secrets import SessionSecrets
from inspector.protocol.raised import raised_in
from inspector.protocol.timeline import Entry, EntryKind, EntryState
from inspector.safe_text import safe_line
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.result.output import ServerOutput
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, count, shortened
from inspector.tui.timeline.rows import (
    TimelineRow,
    TimelineRows,
    entry_line,
    filter_words,
    is_wanted,
    matches,
    no_match,
    output_in,
    row_line,
    stderr_lines,
    whole_stderr,
)
from inspector.tui.widgets.lines import CURSOR, Lines

_INDENT = 4
"""The indent of a line of stderr, in cells. It includes the sign of the cursor."""
_BORDER = 2
"""The number of cells of the border's line that its title cannot use."""
_MOST_LINES = 1_000
"""The maximum number of lines of stderr that one row unfolds to. Enter on one of them shows all lines."""
_LONGEST = 4_000
"""The maximum number of characters of a line of stderr that are shown."""
_NAMED = 20
"""The number of characters at the start of an exception's line by which the timeline finds the line."""
_WIDE = 109
"""The minimum width of a row that shows the time of day, in cells, without the sign of the cursor."""


class TimelinePane(Lines):
    """Shows the entries of a timeline, one per row."""

    DEFAULT_CSS = """
    TimelinePane {
        height: 4;
        border-top: solid $panel;
        border-title-color: $foreground 70%;
    }
    TimelinePane:focus { border-top: solid $primary; }
    """

    @dataclass
    class Opened(Message):
        """Posted when the user wants to see the frames of an entry."""

        entry: Entry
        session: Session | None
        """The session of the entry; None for the session in use."""

    @dataclass
    class ResultWanted(Message):
        """Posted when the user wants to see the result of a call."""

        record: CallRecord
        arguments: str
        """A short text of the arguments, without sensitive values."""
        server: str
        """The name of the server if there are several; otherwise empty."""

    def __init__(self) -> None:
        super().__init__(id="timeline")

    # In the methods below, `server` is the name of the server if there are several; otherwise it is empty.

    def show(self, session: Session, server: str = "") -> None:
        """Show the new entries of a session."""

    def describe(self, name: str, arguments: str, server: str = "") -> None:
        """Show `arguments` in the timeline beside the next call of the tool or item `name`."""

    def finished(self, session: Session, record: CallRecord, server: str = "") -> None:
        """Note that a call has ended with a record."""

    def output_of(self, record: CallRecord) -> ServerOutput:
        """What the server wrote to stderr and stdout during a call."""
        del record
        return ServerOutput()

    def mask_again(self) -> None:
        """Draw the rows again, because more values are known to be secret."""

    def show_call(self, record: CallRecord) -> None:
        """Go to the row of a call or, if the call failed, to the line with its exception."""

    def exchange_of(self, number: int) -> tuple[Session, Entry] | None:
        """The exchange of a call by its number, and the session that made it; None if there is none."""
        del number
        return None

    def sessions(self, server: str = "") -> Sequence[Session]:
        """Every session with a server, the newest first."""
        del server
        return ()

    def began_s(self, session: Session) -> float:
        """The time at which a connection began, in seconds on the clock of this timeline."""
        del session
        return 0.0

    @property
    def use_of_enter(self) -> str:
        """The label of Enter on the row under the cursor; empty if Enter does nothing."""
        return "frames" if self.count else ""

    @property
    def can_fold(self) -> bool:
        """True if the row under the cursor can be folded or unfolded."""
        return False

    def follow(self) -> None:
        """Go to the end, and stay there when rows are added."""

    def fold_all(self) -> None:
        """Fold every row that is unfolded."""

    def entry(self, index: int) -> Entry | None:
        """The entry of a row; None if the entry has not been read yet."""
        raise NotImplementedError

    def row(self, index: int, width: int) -> Content:
        sign = CURSOR if index == self.cursor else " "
        return Content.assemble(sign, self.words(index, width - 1))

    def words(self, index: int, width: int) -> Content:
        """A row without the sign of the cursor, in `width` cells."""
        entry = self.entry(index)
        return entry_line(entry, width) if entry is not None else Content("…")

    @on(Lines.Chosen)
    def open(self, event: Lines.Chosen) -> None:
        """Open the row on which Enter was pressed."""
        event.stop()
        self.choose(event.index)

    def choose(self, index: int) -> None:
        """Post `Opened` for the entry of a row."""
        entry = self.entry(index)
        if entry is not None:
            self.post_message(self.Opened(entry, None))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A line on the screen: a row, or one entry of an unfolded row."""

    row: TimelineRow
    entry: int | None = None
    """The index of an entry; None for the row itself."""
    text: str | None = None
    """A line of the entry's stderr, as wide as the timeline; None for the entry itself. Safe to show."""


class SessionTimeline(TimelinePane):
    """The timeline of the live sessions, and of the earlier connections of this run."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.TIMELINE)

    class RoomWanted(Message):
        """Posted when an unfolded row has more lines than a small timeline shows."""

    def __init__(self, secrets: SessionSecrets | None = None) -> None:
        """`secrets`: the values that were withheld from calls of the session, which are masked."""
        super().__init__()
        self._secrets = secrets or SessionSecrets()
        self._rows = TimelineRows()
        self._listed: list[_Shown] | None = None
        """The lines to show; None if no row is unfolded and no filter is set, so that each line is a row."""
        self._words: tuple[str, ...] = ()
        self._unfolded = 0
        self._seen = 0
        """The number of lines, counted from the first, that have been on the screen."""
        self._began_s = monotonic()
        self._began = datetime.now(UTC).astimezone()

    def on_mount(self) -> None:
        """Redraw the title of the border whenever the focus comes or goes."""
        self.watch(self, "has_focus", self._label)

    def show(self, session: Session, server: str = "") -> None:
        at_end = self.cursor >= self.count - 1
        self._rows.take(session, monotonic() - self._began_s, server)
        self._list(-1 if at_end else None)

    def describe(self, name: str, arguments: str, server: str = "") -> None:
        self._rows.describe(name, arguments, server)
        # The row of the new call will be added at the end. With the cursor there, the timeline follows it.
        if not self.has_focus:
            self.cursor = max(self.count - 1, 0)

    def finished(self, session: Session, record: CallRecord, server: str = "") -> None:
        self.show(session, server)
        self.run_worker(work_of(self._compare, record), group="outputs")

    def output_of(self, record: CallRecord) -> ServerOutput:
        row = self._row_of(record)
        if row is None:
            return ServerOutput()
        return output_in(row.entries, is_failed=_is_failed(row))

    def show_call(self, record: CallRecord) -> None:
        row = self._row_of(record)
        index = next((at for at in reversed(range(self.count)) if self._line(at).row is row), None)
        if row is None or index is None:
            return
        while self._line(index).entry is not None:
            index -= 1
        self.cursor = index
        if self._unfolds_first(row):
            self._fold(row, index)
        if row.is_unfolded:
            self.call_after_refresh(self._show_cause, row, index)

    def exchange_of(self, number: int) -> tuple[Session, Entry] | None:
        for row in reversed(self._rows.rows):
            if row.record is not None and row.record.number == number and row.entry is not None:
                return row.segment.session, row.entry
        return None

    def sessions(self, server: str = "") -> Sequence[Session]:
        rows = (row.segment for row in reversed(self._rows.rows) if row.segment.server == server)
        return tuple({id(segment.session): segment.session for segment in rows}.values())

    def began_s(self, session: Session) -> float:
        rows = (row.segment for row in reversed(self._rows.rows))
        return next((segment.offset_s for segment in rows if segment.session is session), 0.0)

    def _row_of(self, record: CallRecord) -> TimelineRow | None:
        return next((row for row in reversed(self._rows.rows) if row.record is record), None)

    async def _compare(self, record: CallRecord) -> None:
        """Compare the result of a call with the output schema, in a thread, then update its row."""
        await asyncio.to_thread(record.judgement.output, Level.DECLARED, record.policy)
        if record.judgement.breaks_schema:
            self._list(-1 if self.cursor >= self.count - 1 else None)

    def mask_again(self) -> None:
        if self._unfolded:
            self._list(None)
        self.refresh()

    def narrow(self, query: str) -> None:
        """Show only the rows that match `query`."""
        self._words = filter_words(query)
        self._list(-1)

    def watch_cursor(self, before: int, after: int) -> None:
        super().watch_cursor(before, after)
        self._label()

    def reveal(self, index: int) -> None:
        """Scroll until line `index` is visible. For a line of an unfolded row, show the line above it too."""
        if index < self.count and self._line(index).entry is not None:
            super().reveal(index - 1)
        super().reveal(index)

    def words(self, index: int, width: int) -> Content:
        shown = self._line(index)
        if index == self.scroll_offset.y and index != self.cursor:
            # Above entries of an unfolded row, the top line shows the row itself.
            shown = _Shown(shown.row)
        if shown.text is not None:
            return Content.styled(" " * (_INDENT - 1) + shown.text, "$text-warning")
        entry = shown.row.entry
        if shown.entry is not None:
            entry = shown.row.segment.session.timeline.entries[shown.entry]
        at_s = shown.row.segment.offset_s + (entry.at_s if entry is not None else 0.0)
        clock = (
            f"{self._began + timedelta(seconds=self._rows.began_s + at_s):%H:%M:%S}" if width >= _WIDE else ""
        )
        room = width - len(clock)
        if entry is None or shown.entry is None:
            line = row_line(shown.row, room, self._secrets.known.short)
        else:
            line = Content.assemble("  ", entry_line(entry, room - 2, at_s, mask=self._secrets.known.short))
        return Content.assemble((clock, "$foreground 70%"), line)

    def empty_row(self, index: int, width: int) -> Content:
        if self.count or not self._words:
            return Content("")
        rows = Content.styled(no_match(self._words), "$text-warning").wrap(max(width - _INDENT, 20))
        return Content(" " * _INDENT) + rows[index] if index < len(rows) else Content("")

    def choose(self, index: int) -> None:
        """Open a line.

        For a call, show its result; if the call failed, first unfold what the server wrote to stderr. Unfold
        other rows with folded entries. For an entry, or a row without folded entries, show the frames.
        """
        shown = self._line(index)
        row, known = shown.row, shown.row.segment.session.timeline.entries
        if shown.entry is not None:
            entry = known[shown.entry]
            if entry.kind is EntryKind.STDERR:
                entry = whole_stderr([known[at] for at in sorted({row.head or 0, *row.folded})])
            self.post_message(self.Opened(entry, row.segment.session))
        elif self._unfolds_first(row):
            self._fold(row, index)
            self.post_message(self.RoomWanted())
            self.call_after_refresh(self._show_cause, row, index)
        elif row.record is not None:
            self.post_message(self.ResultWanted(row.record, row.arguments, row.segment.server))
        elif row.folded:
            self._fold(row, index)
        elif row.head is not None:
            self.post_message(self.Opened(known[row.head], row.segment.session))

    @property
    def use_of_enter(self) -> str:
        """The label of Enter on the line under the cursor; empty if Enter does nothing."""
        if not self.count:
            return ""
        shown = self._line(self.cursor)
        row = shown.row
        if shown.entry is not None:
            return "whole line" if shown.text is not None else "frames"
        if self._unfolds_first(row):
            return "stderr"
        if row.record is not None:
            return "result"
        return ("fold" if row.is_unfolded else "unfold") if row.folded else "frames"

    @property
    def can_fold(self) -> bool:
        return bool(self.count and self._line(self.cursor).row.folded)

    def follow(self) -> None:
        self._list(-1)

    def _unfolds_first(self, row: TimelineRow) -> bool:
        return _is_failed(row) and not row.is_unfolded and bool(stderr_lines(row.entries))

    def fold_all(self) -> None:
        for row in self._rows.rows if self._unfolded else ():
            row.is_unfolded = False
        self._unfolded = 0
        self._list(None)

    def _show_cause(self, row: TimelineRow, index: int) -> None:
        """Scroll the row of an unfolded call to the top, or go to its exception if that is further down."""
        lines = [*takewhile(lambda at: self._line(at).row is row, range(index, self.count))]
        if not lines:
            # Other rows are shown by now.
            return
        raised = raised_in(stderr_lines(row.entries))
        words = safe_line(raised.line)[:_NAMED] if raised is not None else ""
        named = [at for at in lines if words and words in (self._line(at).text or "")]
        cause = (named or lines)[-1]
        if cause < index + self.scrollable_content_region.height:
            self.scroll_to(y=index, animate=False)
        else:
            self.cursor = cause

    def action_fold(self) -> None:
        """Fold or unfold the row under the cursor."""
        if not self.can_fold:
            self.notify("This row has nothing to unfold.", markup=False)
            return
        shown = self._line(self.cursor)
        while self.cursor > 0 and self._line(self.cursor).entry is not None:
            self.cursor -= 1
        self._fold(shown.row, self.cursor)

    def _fold(self, row: TimelineRow, index: int) -> None:
        row.is_unfolded = not row.is_unfolded
        self._unfolded += 1 if row.is_unfolded else -1
        before, seen = self.count, self._seen
        self._list(index)
        # Lines that were unfolded do not count as newer lines.
        self._seen = max(seen + self.count - before, 0)
        self._label()
        # Enter does something else now.
        self.post_message(self.Moved(self, index))

    def _line(self, index: int) -> _Shown:
        return _Shown(self._rows.rows[index]) if self._listed is None else self._listed[index]

    def _list(self, cursor: int | None) -> None:
        """Show the current rows. `cursor`: the line to move to; -1 for the last, None to stay."""
        self._listed = self._lines() if self._words or self._unfolded else None
        number = len(self._rows.rows if self._listed is None else self._listed)
        self.show_rows(number, number - 1 if cursor == -1 else cursor)
        self._label()

    def _lines(self) -> list[_Shown]:
        shown: list[_Shown] = []
        for row in self._rows.rows:
            if self._words and not matches(row, self._words):
                continue
            shown.append(_Shown(row))
            if row.is_unfolded and row.head is not None:
                # The lines are in the order of the entries: the decision about a call, its exchange, then
                # what happened during the call.
                known = row.segment.session.timeline.entries
                left, room = _MOST_LINES, max(self.scrollable_content_region.width - _INDENT - 1, 20)
                for index in sorted({row.head, *row.folded}):
                    if not is_wanted(known[index], self._words):
                        continue
                    if known[index].kind is not EntryKind.STDERR:
                        shown.append(_Shown(row, index))
                        continue
                    detail = known[index].detail
                    text, is_cut = self._secrets.known.lines(detail)
                    lines = _whole_lines(text, room)
                    shown += [_Shown(row, index, line) for line in lines[: max(left, 0)]]
                    if left > 0 >= left - len(lines) or is_cut:
                        shown.append(_Shown(row, index, "… Enter shows the whole line"))
                    left -= len(lines)
        return shown

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._label()

    def on_resize(self) -> None:
        super().on_resize()
        if self._unfolded:
            self._list(None)
        self._label()

    def _label(self) -> None:
        is_at_end = self.cursor >= self.count - 1
        bottom = self.count if is_at_end else self.scroll_offset.y + self.scrollable_content_region.height
        self._seen = min(max(self._seen, bottom), self.count)
        newer = self.count - self._seen
        words = f"  filter: {' '.join(self._words)}" if self._words else ""
        left = content(f"Timeline  {count(self._rows.calls, 'call')}{words} ")
        right = (
            Content(" following")
            if is_at_end
            else Content.styled(f" {newer:,} newer, G follows", "bold $text-warning")
            if newer
            else Content(" G follows")
        )
        room = max(self.size.width - _BORDER - left.cell_length - right.cell_length, 1)
        line = Content.styled("─" * room, "$primary" if self.has_focus else "$panel")
        self.border_title = Content.assemble(left, line, right)


def _is_failed(row: TimelineRow) -> bool:
    entry = row.entry
    return bool(row.call) and entry is not None and entry.state is EntryState.FAILED


@lru_cache(maxsize=256)
def _whole_lines(detail: str, room: int) -> list[str]:
    """The lines that were written to stderr, safe to show, each at most `room` cells wide."""
    lines: list[str] = []
    for line in detail.splitlines()[:_MOST_LINES]:
        lines += chop_cells(safe_line(shortened(line.rstrip(" "), _LONGEST)), room) or [""]
    return lines


class TimelineFilter(Input):
    """The line in which the user types the filter of the timeline."""

    DEFAULT_CSS = """
    TimelineFilter { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
    TimelineFilter.-open { display: block; }
    """

    def __init__(self, timeline: SessionTimeline, *, has_servers: bool) -> None:
        """`has_servers`: whether the filter can name a server."""
        parts = "tool: status: method: kind:" + (" server:" if has_servers else "")
        super().__init__(placeholder=f"filter: words, {parts}", id="timeline-filter", compact=True)
        self._timeline = timeline

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def open(self) -> None:
        """Show the line and focus it."""
        self.add_class("-open")
        self.focus()

    def close(self) -> None:
        """Clear the filter and hide the line."""
        self.value = ""
        self.remove_class("-open")
        self._timeline.focus()

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._timeline.narrow(event.value)

    @on(Input.Submitted)
    def keep(self, event: Input.Submitted) -> None:
        """Keep the filter and focus the rows."""
        event.stop()
        self._timeline.focus()
