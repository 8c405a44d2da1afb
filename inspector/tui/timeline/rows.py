"""The rows of the timeline.

The row of a call has its policy notes, logs, progress and stderr folded into it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.asks.ask import URL_REQUIRED
from inspector.errors import headline
from inspector.json.members import value_at
from inspector.protocol.exchanges import Answered
from inspector.protocol.frames import PRINTED
from inspector.protocol.outcome import CANCELLED_HERE
from inspector.protocol.raised import stderr_words
from inspector.protocol.timeline import AGREEING, LATE_OUTPUT_S, Entry, EntryKind, EntryState
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.result.output import ServerOutput
from inspector.tui.text import (
    content,
    count,
    cut_in_the_middle,
    duration,
    row_name,
    row_text,
    shortened,
    size,
)
from inspector.tui.widgets.lines import FOLDED, UNFOLDED

_CALLS = ("tools/call ", "WebMCP.invokeTool ")
"""The beginnings of the titles of tool calls."""
_READINGS = ("resources/read ", "prompts/get ")
"""The beginnings of the titles of entries that read an item. Such a title is the handle of the item."""

_DURING_CALL = frozenset({EntryKind.LOG, EntryKind.PROGRESS, EntryKind.STDERR})

_OF_TASKS = frozenset({"notifications/tasks/status", "notifications/tasks"})
"""The titles of notifications about a call that the server runs as a task."""

_LOOK_BACK = 200
"""The maximum number of rows in which the policy decision about a call is searched for."""

_VERDICTS = {"allow": "allowed", "confirm": "you agreed", "block": "blocked"}

_PARTS = frozenset({"tool", "status", "method", "kind", "server"})
"""The parts of a row that a filter can name, as in `tool:`."""

_STATUSES = (
    "ok",
    "output breaks its schema",
    "failed",
    "tool error",
    "waiting",
    "listening",
    "unfinished",
    "cancelled",
)
_ACTIONS = ("accept", "decline", "cancel")
"""The answers to requests of the server, as their rows show them."""
_VALUES: Mapping[str, tuple[str, ...]] = {
    "status": (*_STATUSES, *_ACTIONS),
    "kind": ("call", *(kind.value for kind in EntryKind)),
}
"""The possible values of the parts of a row that have few possible values, by the name of the part."""
_WORD = re.compile(r"status:(?:output breaks its schema|tool error)(?!\S)|kind:server request(?!\S)|\S+")

_SERVER_WIDTH = 16
_BEFORE_WORDS = len("   0:41 → ")
_LEAST_NAME = 12
_LEAST_SAID = 40
"""The minimum number of cells that arguments leave for the server's message."""
_LONG = 400
"""The maximum length of the server's message in characters; a row has fewer cells."""
_NOTHING = Content("")

_SIGNS = {
    EntryKind.EXCHANGE: ("→", "$text-primary"),
    EntryKind.SERVER_REQUEST: ("←", "$text-accent"),
    EntryKind.NOTIFICATION: ("•", "$foreground 70%"),
    EntryKind.PROGRESS: ("%", "$foreground 70%"),
    EntryKind.LOG: ("i", "$foreground 70%"),
    EntryKind.STDERR: ("e", "$text-warning"),
    EntryKind.FAULT: ("≠", "$text-error"),
    EntryKind.NOTE: ("·", "$foreground 70%"),
    EntryKind.DECISION: ("§", "$text-accent"),
}

_STATES = {
    EntryState.PENDING: ("waiting", "$text-warning"),
    EntryState.DONE: ("", ""),
    EntryState.OPEN: ("listening", "$text-success"),
    EntryState.UNFINISHED: ("unfinished", "bold $text-warning"),
    EntryState.FAILED: ("failed", "bold $text-error"),
}


Mask: TypeAlias = Callable[[str], str]
"""Masks what must not be shown in a text of the server. It may cut off the end of the text."""


class Segment(Struct, frozen=True, kw_only=True):
    """The timeline of one connection."""

    session: Session
    offset_s: float
    """The time at which the connection began, in seconds since the first connection began."""
    server: str = ""
    """The name of the server if there are several; otherwise empty. May be untrusted text."""
    announced: str = ""
    """The name of the client profile if it differs from that of the previous connection; otherwise empty."""


@dataclass(slots=True, kw_only=True)
class TimelineRow:
    """An entry, with the entries that are folded into it.

    Entries are referenced by index, because they change until they end.
    """

    segment: Segment
    head: int | None
    """The index of the entry; None for the line between two connections."""
    folded: list[int] = field(default_factory=list[int])
    call: str = ""
    """The name of the called tool, or the handle of what is read; empty if the row is not a call."""
    number: int = 0
    """The number of the call's record. Before there is a record, the number that it will probably have."""
    again: int | None = None
    """If the call was sent again after the user has visited an address, the index of the second exchange."""
    answer: int | None = None
    """The index of the call's record in the session; None as long as the call has no record."""
    arguments: str = ""
    """A short text of the call's arguments, without sensitive values."""
    is_unfolded: bool = False

    @property
    def entry(self) -> Entry | None:
        """The entry as it is now. If a call was sent twice, this is one entry for both exchanges."""
        if self.head is None:
            return None
        known = self.segment.session.timeline.entries
        first = known[self.head]
        return first if self.again is None else _joined(first, known[self.again])

    @property
    def record(self) -> CallRecord | None:
        """The call's record as it is now; None if there is none."""
        return None if self.answer is None else self.segment.session.calls[self.answer]

    @property
    def entries(self) -> list[Entry]:
        """The folded entries as they are now."""
        known = self.segment.session.timeline.entries
        return [known[index] for index in self.folded]


@dataclass(slots=True)
class _Strand:
    """One server, and how much of its current connection has been folded into rows."""

    segment: Segment
    taken: int = 0
    taken_records: int = 0
    call: TimelineRow | None = None
    """The last call of the connection."""
    last: TimelineRow | None = None
    """The last row of the connection."""


class TimelineRows:
    """Folds the entries of all connections into rows, each entry once.

    Rows of several servers are ordered by time.
    """

    def __init__(self) -> None:
        self.rows: list[TimelineRow] = []
        self._strands: dict[str, _Strand] = {}
        """The state of each server's timeline, by the name of the server."""
        self._began_s = 0.0
        """The time in seconds at which the first connection began, on the clock of `take`."""
        self._calls = 0
        self._number = 0
        """The number of the last call."""
        self._described: dict[tuple[str, str], str] = {}

    @property
    def calls(self) -> int:
        """The number of calls that have a row."""
        return self._calls

    def describe(self, name: str, arguments: str, server: str = "") -> None:
        """Show `arguments` in the timeline beside the next call of the tool or item `name`."""
        self._described[server, name] = arguments

    def take(self, session: Session, now_s: float, server: str = "") -> None:
        """Fold the new entries of a session into rows.

        `now_s`: the current time in seconds, on one clock for all calls of this method. `server`: the name of
        the server if there are several servers.
        """
        strand = self._strands.get(server)
        if strand is None or strand.segment.session is not session:
            strand = self._begin(session, now_s, server)
        entries = session.timeline.entries
        for index in range(strand.taken, len(entries)):
            self._place(strand, index, entries[index])
        strand.taken = len(entries)
        for index in range(strand.taken_records, len(session.calls)):
            self._answer(strand.segment, index)
        strand.taken_records = len(session.calls)

    def _answer(self, segment: Segment, index: int) -> None:
        """Assign a record to the row of its call.

        If Sightline connected again and resent the call, the record is assigned to every row of the call. The
        rows are found by time. The number does not identify them, because calls without a frame are numbered
        too. The name does not either, because a tool may be called again.
        """
        record = segment.session.calls[index]
        for row in reversed(self.rows):
            entry = row.entry
            if row.segment is not segment and row.segment.server != segment.server:
                continue
            if row.segment is not segment or (entry is not None and entry.at_s < record.at_s):
                return
            if entry is not None and row.call and entry.at_s <= record.at_s + record.duration_s:
                row.answer, row.number = index, record.number
                self._number = max(self._number, record.number)

    @property
    def began_s(self) -> float:
        """The time at which the first connection began, on the clock of `take`. Rows count time from it."""
        return self._began_s

    def _begin(self, session: Session, now_s: float, server: str) -> _Strand:
        before = self._strands.get(server)
        if not self._strands:
            self._began_s, offset_s = now_s - session.now_s, 0.0
        else:
            offset_s = max(now_s - session.now_s - self._began_s, 0.0)
        announced = session.options.client.profile.name
        is_same = before is None or before.segment.session.options.client.profile.name == announced
        segment = Segment(
            session=session, offset_s=offset_s, server=server, announced="" if is_same else announced
        )
        strand = _Strand(segment)
        if before is not None:
            self._add(strand, TimelineRow(segment=strand.segment, head=None))
        self._strands[server] = strand
        return strand

    def _add(self, strand: _Strand, row: TimelineRow) -> None:
        """Add a row at the end, but before later rows of other servers.

        Entries of several servers may arrive a moment out of order.
        """
        at, at_s = len(self.rows), _time_of(row)
        while (
            at
            and self.rows[at - 1].segment.server != row.segment.server
            and _time_of(self.rows[at - 1]) > at_s
        ):
            at -= 1
        self.rows.insert(at, row)
        strand.last = row

    def _place(self, strand: _Strand, index: int, entry: Entry) -> None:
        name = called(entry)
        if name:
            self._place_call(strand, index, name)
        elif _is_of_call(entry, strand.call) and strand.call is not None:
            strand.call.folded.append(index)
        elif strand.last is not None and _go_together(strand.last.entry, entry):
            strand.last.folded.append(index)
        else:
            self._add(strand, TimelineRow(segment=strand.segment, head=index))

    def _place_call(self, strand: _Strand, index: int, name: str) -> None:
        call, segment = strand.call, strand.segment
        described = segment.server, name
        if call is not None and call.call == name and described not in self._described and _wants_visit(call):
            call.again = index
            call.folded.append(index)
            return
        self._calls += 1
        self._number += 1
        row = TimelineRow(
            segment=segment,
            head=index,
            call=name,
            number=self._number,
            arguments=self._described.pop(described, ""),
        )
        for before in reversed(self.rows[-_LOOK_BACK:]):
            entry = before.entry if before.segment is segment else None
            if entry is not None and entry.kind is EntryKind.DECISION and _decided(entry) == name:
                row.folded = [before.head or 0, *before.folded]
                self.rows.remove(before)
                break
        self._add(strand, row)
        strand.call = row


def _time_of(row: TimelineRow) -> float:
    """The time at which a row began, in seconds since the first connection began."""
    entry = row.entry
    return row.segment.offset_s + (entry.at_s if entry is not None else 0.0)


def _is_of_call(entry: Entry, call: TimelineRow | None) -> bool:
    head = call.entry if call is not None else None
    if call is None or head is None:
        return False
    if entry.kind is EntryKind.DECISION:
        return _answered(entry) == call.call
    late_s = LATE_OUTPUT_S if entry.kind is EntryKind.STDERR or is_printed(entry) else 0.0
    end_s = None if head.duration_s is None else head.at_s + head.duration_s + late_s
    is_of_call = entry.kind in _DURING_CALL or entry.title in _OF_TASKS or is_printed(entry)
    return is_of_call and (end_s is None or entry.at_s <= end_s)


def called(entry: Entry) -> str:
    """The name of the tool that an entry calls, or the handle of what it reads; empty if it is not a call."""
    if entry.kind is not EntryKind.EXCHANGE:
        return ""
    if entry.title.startswith(_READINGS):
        return entry.title
    return next((entry.title.removeprefix(begin) for begin in _CALLS if entry.title.startswith(begin)), "")


def _wants_visit(row: TimelineRow) -> bool:
    """True if the server refused a call until the user visits an address. The call is not over then."""
    if row.head is None or row.again is not None or row.answer is not None:
        return False
    timeline = row.segment.session.timeline
    entry = timeline.entries[row.head]
    answers = (matched for matched in timeline.frames_of(entry) if entry.state is EntryState.FAILED)
    return any(
        isinstance(event, Answered) and value_at(event.response.error, "code") == URL_REQUIRED
        for matched in answers
        for event in matched.events
    )


def _joined(first: Entry, again: Entry) -> Entry:
    ends_s = None if again.duration_s is None else again.at_s + again.duration_s
    return replace(
        again,
        number=first.number,
        at_s=first.at_s,
        frames=(*first.frames, *again.frames),
        size_bytes=first.size_bytes + again.size_bytes,
        duration_s=None if ends_s is None else ends_s - first.at_s,
    )


def _decided(entry: Entry) -> str:
    verdict, _, name = entry.title.partition(" ")
    return name if verdict in _VERDICTS else ""


def _answered(entry: Entry) -> str:
    """The name of the tool whose answer a decision is about; empty if the decision is not about an answer."""
    if entry.title.startswith("answer of "):
        return entry.title.removeprefix("answer of ")
    return entry.title.split(" ", 2)[-1] if entry.title.startswith("trust #") else ""


def _go_together(before: Entry | None, entry: Entry) -> bool:
    """True if an entry belongs to the row of `before`: both are stderr, or messages of the browser."""
    if before is None:
        return False
    if entry.kind is EntryKind.STDERR:
        return before.kind is EntryKind.STDERR
    return entry.is_of_browser and before.is_of_browser


def is_printed(entry: Entry) -> bool:
    """True if an entry is a line on stdout that is not a message."""
    return entry.kind is EntryKind.FAULT and entry.detail.startswith(PRINTED)


def stdout_words(entries: Sequence[Entry]) -> str:
    """A text about lines that the server wrote to stdout instead of stderr: their count, and the last line.

    The line comes last, because it is untrusted text and may be cut.
    """
    printed = [entry.detail for entry in entries if is_printed(entry)]
    if not printed:
        return ""
    lines = f"{len(printed):,} lines " if len(printed) > 1 else ""
    said = printed[-1].removeprefix(PRINTED)
    return f"≠ printed {lines}to stdout instead of stderr: {said}"


def whole_stderr(entries: Sequence[Entry]) -> Entry:
    """All stderr entries among `entries`, joined into one entry."""
    lines = [entry for entry in entries if entry.kind is EntryKind.STDERR]
    return replace(
        lines[0],
        title=count(len(lines), "line"),
        frames=tuple(number for entry in lines for number in entry.frames),
        size_bytes=sum(entry.size_bytes for entry in lines),
    )


def stderr_lines(entries: Sequence[Entry]) -> list[str]:
    """The lines of stderr among `entries`."""
    return [line for entry in entries if entry.kind is EntryKind.STDERR for line in entry.detail.splitlines()]


def output_in(entries: Sequence[Entry], *, is_failed: bool) -> ServerOutput:
    """The output to stderr and stdout that `entries` contain.

    `is_failed`: whether the call of the entries failed.
    """
    return ServerOutput(
        stderr=tuple(stderr_lines(entries)), stdout=stdout_words(entries), is_failed=is_failed
    )


def status(row: TimelineRow) -> tuple[str, str]:
    """The outcome of a row in words, and their style."""
    entry = row.entry
    if entry is None:
        return "", ""
    if row.call and entry.state is EntryState.DONE:
        record = row.record
        if record is not None and record.judgement.breaks_schema:
            return "≠ output breaks its schema", "bold $text-error"
        return "ok", "$text-success"
    return _state_of(entry)


def _state_of(entry: Entry) -> tuple[str, str]:
    """The state of an entry in words, and their style. A call that failed without an error has a tool error."""
    words, style = _STATES[entry.state]
    if _is_cancelled(entry):
        return "cancelled", "bold $text-warning"
    is_tool_error = entry.state is EntryState.FAILED and not entry.detail and bool(called(entry))
    return ("tool error" if is_tool_error else words), style


def _is_cancelled(entry: Entry) -> bool:
    """True if an entry is a call that the user has cancelled. Its detail is not shown then."""
    return entry.state is EntryState.FAILED and entry.detail == CANCELLED_HERE


def row_line(row: TimelineRow, width: int, mask: Mask = str) -> Content:
    """A row in `width` cells: the time, the event and its outcome. Its right end has the duration and bytes.

    `mask`: see `Mask`.
    """
    entry, server = row.entry, _server_words(row.segment)
    if entry is None:
        at = clock(row.segment.offset_s)
        announced = f" --as {row.segment.announced}" if row.segment.announced else ""
        words = Content.assemble(server, (f"── reconnected{announced} ──", "bold $text-accent"))
        return Content.assemble((f"{at:>7} ", "$foreground 70%"), words)
    at_s = row.segment.offset_s + entry.at_s
    if row.call:
        state, style = status(row)
        sign = f"{_fold_sign(row)} "
        head = _Head(
            sign=sign, number=row.number, name=row.call, arguments=row.arguments, state=state, style=style
        )
        words = _call_words(head, entry, row.entries, _room(entry, width) - server.cell_length, mask)
        return _line(at_s, entry, Content.assemble(server, words), width)
    if entry.kind is EntryKind.STDERR and row.folded:
        sign = Content.styled(f"{_fold_sign(row)} ", "$foreground 70%")
        said = mask(stderr_words(stderr_lines([entry, *row.entries])))
        words = content(shortened(said, width), "$text-warning")
        return _line(at_s, entry, Content.assemble(server, sign, words), width)
    if entry.is_of_browser and row.folded:
        words = Content.assemble(
            server, (f"{_fold_sign(row)} ", "$foreground 70%"), _browser_words([entry, *row.entries], width)
        )
        whole = replace(
            entry, duration_s=None, size_bytes=sum(one.size_bytes for one in (entry, *row.entries))
        )
        return _line(at_s, whole, words, width)
    if (
        entry.title in AGREEING
        and entry.state is EntryState.FAILED
        and row.segment.session.server is not None
    ):
        # With a server that speaks another protocol, this failure is part of a normal start.
        entry = replace(entry, state=EntryState.DONE, detail="not supported; another protocol was agreed on")
    return entry_line(entry, width, at_s, server, mask)


def _browser_words(entries: Sequence[Entry], width: int) -> Content:
    """The number of messages of the browser's protocol, how many failed or wait, and their methods."""
    parts = [Content(f"browser protocol: {count(len(entries), 'message')}")]
    for state in (EntryState.FAILED, EntryState.PENDING):
        number = sum(entry.state is state for entry in entries)
        word, style = _STATES[state]
        parts.append(Content.styled(f"  {number} {word}" if number else "", style))
    methods = ", ".join(dict.fromkeys(entry.title.partition(" ")[0] for entry in entries))
    return Content.assemble(*parts, "  ", content(shortened(methods, width), "$foreground 70%"))


def _fold_sign(row: TimelineRow) -> str:
    """The sign of a row that can be folded; a blank if nothing is folded into it."""
    return (UNFOLDED if row.is_unfolded else FOLDED) if row.folded else " "


def recorded_call_line(entry: Entry, width: int, number: int, arguments: str) -> Content:
    """The line of a call in a recording, without what happened during it, which has lines of its own.

    `number`: the number of the call; 0 if it is not known.
    """
    state, style = ("ok", "$text-success") if entry.state is EntryState.DONE else _state_of(entry)
    head = _Head(sign="", number=number, name=called(entry), arguments=arguments, state=state, style=style)
    return _line(entry.at_s, entry, _call_words(head, entry, (), _room(entry, width), str), width)


class _Head(Struct, frozen=True, kw_only=True):
    """The first parts of the row of a call."""

    sign: str
    number: int
    name: str
    arguments: str
    state: str
    style: str
    """The style of `state`."""


def _server_words(segment: Segment) -> Content:
    """The name of the server, as the first words of a row; empty if there is only one server."""
    if not segment.server:
        return Content("")
    return content(f"{row_name(segment.server, _SERVER_WIDTH)}  ", "$text-primary")


def entry_line(
    entry: Entry, width: int, at_s: float | None = None, before: Content = _NOTHING, mask: Mask = str
) -> Content:
    """The line of an entry. `at_s`: the time to show; None for the time of the entry.

    `before`: words before the text of the entry. `mask`: as in `row_line`.
    """
    state, style = _state_of(entry)
    words = Content.assemble(
        before, _words(entry, max(width, 20), mask), (f"  {state}", style) if state else ""
    )
    return _line(entry.at_s if at_s is None else at_s, entry, words, width)


def clock(at_s: float) -> str:
    """A time in seconds as text, such as `0:41` or `1:02:03`."""
    seconds = max(int(at_s), 0)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _line(at_s: float, entry: Entry, words: Content, width: int) -> Content:
    sign, style = _SIGNS[entry.kind]
    left = Content.assemble((f"{clock(at_s):>7} ", "$foreground 70%"), (f"{sign} ", style), words)
    room = _BEFORE_WORDS + _room(entry, width)
    return Content.assemble(left.truncate(room, ellipsis=True, pad=True), " ", _right(entry))


def _right(entry: Entry) -> str:
    """The duration and the bytes, for the right end of a row."""
    took = duration(entry.duration_s) if entry.duration_s is not None else ""
    return took.rjust(9) + (size(entry.size_bytes) if entry.frames and entry.size_bytes else "").rjust(9)


def _room(entry: Entry, width: int) -> int:
    """The cells for the words of a row, between its time and its duration."""
    return max(width - len(_right(entry)) - 1 - _BEFORE_WORDS, 10)


def _call_words(call: _Head, entry: Entry, folded: Sequence[Entry], room: int, mask: Mask) -> Content:
    """The call, its outcome, and other events during it.

    Arguments and untrusted text are cut to fit. Other parts are either shown in full or left out.
    """
    ended = Content.styled(f"  {call.state}" if call.state else "", call.style)
    number = f"#{call.number} " if call.number else ""
    head = Content.assemble((call.sign, "$foreground 70%"), number)
    most = max(room - head.cell_length - ended.cell_length, _LEAST_NAME)
    name = row_text(cut_in_the_middle(call.name, most))
    head = Content.assemble(head, content(name, "bold"))
    said = [Content.assemble("  ", part) for part in _said(entry, folded, mask) if part.plain]
    left = room - head.cell_length - ended.cell_length
    arguments = content(shortened(f" {call.arguments}", 80) if call.arguments else "", "$foreground 80%")
    parts = [_cut(arguments, left - min(sum(part.cell_length for part in said), _LEAST_SAID))]
    left -= parts[0].cell_length
    parts.append(ended)
    for part in said:
        parts.append(_cut(part, left))
        left -= parts[-1].cell_length
    for part in _noted(folded):
        if part.cell_length <= left:
            parts.append(part)
            left -= part.cell_length
    return Content.assemble(head, *parts)


def _cut(text: Content, room: int) -> Content:
    """A text, cut to `room` cells; empty if it does not fit and `room` is too small for a part of it."""
    if text.cell_length <= room:
        return text
    return text.truncate(room, ellipsis=True) if room >= _LEAST_NAME else _NOTHING


def _said(entry: Entry, folded: Sequence[Entry], mask: Mask) -> Iterator[Content]:
    """The detail of a call, and what the server wrote during it."""
    style = "$foreground 70%" if entry.state is EntryState.PENDING else "$text-error"
    yield content("" if _is_cancelled(entry) else shortened(mask(headline(entry.detail)), _LONG), style)
    yield content(shortened(mask(stderr_words(stderr_lines(folded))), _LONG), "$text-warning")
    yield content(shortened(mask(stdout_words(folded)), _LONG), "$text-error")


def _noted(folded: Sequence[Entry]) -> Iterator[Content]:
    """The policy decision about a call, and the numbers of its logs and progress messages."""
    policy = next((each for each in folded if each.kind is EntryKind.DECISION and _decided(each)), None)
    if policy is not None:
        verdict = policy.title.partition(" ")[0]
        yield Content.styled(f"  policy: {_VERDICTS[verdict]}", "$foreground 70%")
    for kind, noun in ((EntryKind.LOG, "log"), (EntryKind.PROGRESS, "progress message")):
        number = sum(1 for each in folded if each.kind is kind)
        if number:
            yield Content.styled(f"  {count(number, noun)}", "$foreground 70%")


def _words(entry: Entry, length: int, mask: Mask) -> Content:
    title = content(row_text(shortened(mask(entry.title), length)))
    if entry.kind is EntryKind.DECISION and entry.detail.startswith(f"{entry.title} #"):
        # In a recording, the detail of a note begins with its kind.
        return content(shortened(mask(headline(entry.detail)), length))
    if entry.kind is EntryKind.STDERR:
        lines = entry.detail.splitlines()
        if len(lines) > 1:
            return content(shortened(mask(stderr_words(lines)), length), "$text-warning")
        return Content.assemble(
            ("stderr ", "$text-warning"), content(shortened(mask(entry.detail.rstrip("\n")), length))
        )
    if not entry.detail or _is_cancelled(entry):
        return title
    failed = entry.state is EntryState.FAILED or entry.kind is EntryKind.FAULT
    if entry.kind is EntryKind.LOG:
        title = Content.assemble(("log ", "$foreground 70%"), title)
    detail = content(
        shortened(mask(headline(entry.detail)), length), "$text-error" if failed else "$foreground 70%"
    )
    return Content.assemble(title, "  ", detail)


_SEARCHED = 2_000
"""The maximum number of characters of an entry's detail that a filter searches."""


def filter_words(query: str) -> tuple[str, ...]:
    """The words of a filter, casefolded. A part and its value are one word, as in `status:tool error`."""
    return tuple(_WORD.findall(query.casefold()))


def no_match(words: Sequence[str]) -> str:
    """The text for a filter that no row matches.

    If a word of the filter asks for a value that a part never has, the text lists the values of this part.
    """
    for word in words:
        key, _, value = word.partition(":")
        known = _VALUES.get(key, ())
        if known and not any(value in each for each in known):
            return f"no row matches: {key} is one of {', '.join(known)}"
    return "no row matches"


def matches(row: TimelineRow, words: Sequence[str]) -> bool:
    """True if every word occurs in a row.

    A word such as `tool:NAME` searches one part of the row: the tool, status, method, kind or server.
    """
    entry = row.entry
    if entry is None:
        return False
    parts: Mapping[str, str] = {
        "tool": row.call.casefold(),
        "status": _answer_of(entry) or status(row)[0],
        "method": _methods(row, entry),
        "kind": _kind(row, entry),
        **({"server": row.segment.server.casefold()} if row.segment.server else {}),
    }
    text = ""
    for word in words:
        key, _, value = word.partition(":")
        if key in parts:
            if value not in parts[key]:
                return False
            continue
        text = text or _text(row, entry)
        if word not in text:
            return False
    return True


def _methods(row: TimelineRow, entry: Entry) -> str:
    entries = [entry, *row.entries] if entry.is_of_browser else [entry]
    return " ".join(one.title.partition(" ")[0] for one in entries).casefold()


def _answer_of(entry: Entry) -> str:
    """The answer to a request of the server; empty for other entries."""
    return entry.detail if entry.kind is EntryKind.SERVER_REQUEST and entry.detail in _ACTIONS else ""


def _kind(row: TimelineRow, entry: Entry) -> str:
    if not row.call:
        return entry.kind.value
    return f"call {EntryKind.FAULT.value}" if any(map(is_printed, row.entries)) else "call"


def is_wanted(entry: Entry, words: Sequence[str]) -> bool:
    """True if an entry of an unfolded row contains one of the words of the filter, or if there are no words.

    Words such as `tool:NAME` do not count, because they are about the row.
    """
    plain = [word for word in words if word.partition(":")[0] not in _PARTS]
    text = f"{entry.title} {entry.detail[:_SEARCHED]}".casefold()
    return not plain or any(word in text for word in plain)


def _text(row: TimelineRow, entry: Entry) -> str:
    each = (f"{one.title} {one.detail[:_SEARCHED]}" for one in (entry, *row.entries))
    return f"{row.segment.server} {row.arguments} {' '.join(each)}".casefold()
