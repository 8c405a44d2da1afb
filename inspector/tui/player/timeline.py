"""The timeline of a recording. It may have a million entries; only those on the screen are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from inspector.boundary.error_code import error_code
from inspector.protocol.timeline import Entry
from inspector.session.call_record import CallRecord
from inspector.session.recorded import CallEntry
from inspector.tui.call.arguments import in_short
from inspector.tui.result.output import ServerOutput
from inspector.tui.timeline.pane import TimelinePane
from inspector.tui.timeline.rows import output_in, recorded_call_line

_MARGIN = 40
"""When the row of an unread entry is drawn, this many entries above that row are requested.

As many entries are requested from that row downwards. At the ends of the timeline, fewer are requested.
"""


class RecordedTimeline(TimelinePane):
    """The timeline of a recording, up to the current position."""

    @dataclass
    class Wanted(Message):
        """Posted when unread entries come into view. `first`, `end`: their range, by index from 0."""

        first: int
        end: int

    def __init__(self) -> None:
        super().__init__()
        self._have: dict[int, Entry] = {}
        self._asked = (0, 0)
        self._output: tuple[CallRecord | None, ServerOutput] = (None, ServerOutput())
        """A call, and what the server wrote during it."""

    def heard(self, record: CallRecord | None, printed: Sequence[Entry]) -> None:
        """Store what the server printed during the call of `record`, for `output_of`."""
        is_failed = record is not None and error_code(record.outcome, is_listed=True) is not None
        self._output = record, output_in(printed, is_failed=is_failed)

    def output_of(self, record: CallRecord) -> ServerOutput:
        about, output = self._output
        return output if about is record else ServerOutput()

    def move_to(self, count: int, recent: Mapping[int, Entry]) -> None:
        """Show a timeline of `count` entries. `recent`: the last of them, by index from 0."""
        self._have = dict(recent)
        self._asked = (0, 0)
        self.show_rows(count, count - 1)
        # The list gets its size only with the next layout.
        self.call_after_refresh(self.reveal, self.cursor)

    def take(self, found: Mapping[int, Entry]) -> None:
        """Show entries that were requested with `Wanted`. `found`: the entries by index from 0."""
        self._have.update(found)
        self._asked = (0, 0)
        self.refresh()

    def words(self, index: int, width: int) -> Content:
        entry = self.entry(index)
        if not isinstance(entry, CallEntry):
            return super().words(index, width)
        return recorded_call_line(entry, width, entry.call, in_short(entry.arguments, None))

    def entry(self, index: int) -> Entry | None:
        """The entry of a row. If it has not been read yet, requests it and returns None."""
        found = self._have.get(index)
        if found is None and not self._asked[0] <= index < self._asked[1]:
            self._asked = (max(index - _MARGIN, 0), min(index + _MARGIN, self.count))
            self.post_message(self.Wanted(*self._asked))
        return found
