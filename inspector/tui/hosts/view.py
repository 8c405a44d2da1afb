"""Compare hosts: one result through every host, a row for each, and the row under the cursor in full."""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.bounded import Bounded
from inspector.boundary.options import Level
from inspector.hosts.comparison import HostRow, compare
from inspector.hosts.leaks import Leak
from inspector.hosts.profile import Call, Host, HostChange, ModelContext, evidence
from inspector.hosts.registry import hosts
from inspector.session.call_record import CallRecord
from inspector.tui.text import content, count, level_style, shortened, size

Turn: TypeAlias = Callable[[int], bool]
"""Gets the number of hosts that have begun, in the worker's thread; false ends the comparison."""

MAX_NAMED = 12
"""Leaks, and changes, that are named one by one."""

_QUIET = "$foreground 70%"
_SIZE_WIDTH = 9
_CHANGES_WIDTH = 8
_LEAKS_WIDTH = 19
_LEAST_NAME = 12
_WIDE = 100


class ComparedHost(Struct, frozen=True, kw_only=True):
    """A host's row without the model's view itself, which may be large."""

    name: str
    title: str
    version: str
    as_of: str
    how: str
    """The evidence for the profile."""
    observed: bool
    """Whether the host was seen with such a result."""
    size_bytes: int | None
    """Of the model's view as compact JSON; None where it is unknown."""
    changes: tuple[HostChange, ...]
    """The first of them: may quote server text."""
    change_count: int
    leak: Leak
    """Whether a withheld value reaches the model at `open`."""
    leaks: tuple[str, ...]
    """The first of these values: pointers into the raw result."""
    leak_count: int
    unknown_count: int
    """Withheld values that are too many or too common to look for one by one."""
    observed_open: bool
    """Whether the host was seen with the raw result."""


class HostsView(Struct, frozen=True, kw_only=True):
    """One result through all hosts."""

    record: CallRecord
    level: Level
    raw_bytes: int
    withheld: int
    """Parts of the raw result that `declared` withholds."""
    rows: tuple[ComparedHost, ...]

    def place(self, host: str) -> int:
        """The row of a host; 0 where it has none."""
        return next((index for index, row in enumerate(self.rows) if row.name == host), 0)


class HostsAsked(Struct, frozen=True, kw_only=True):
    """A request to compare all hosts on a call."""

    record: CallRecord
    level: Level
    turn: Turn


class GivenUpError(Exception):
    """The screen that wanted the comparison is gone."""


class _StoppedError(BaseException):
    """Not an Exception: the comparison catches those, as failures of a profile."""


def hosts_view(record: CallRecord, level: Level, *, server: str, turn: Turn) -> HostsView:
    """A call through all hosts. `server`: its name in the hosts' views. Raises GivenUpError where `turn` is false.

    Large results take minutes, and a thread that goes on would hold up the end of the program.
    """
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    among = tuple(_taking_turns(host, number, turn) for number, host in enumerate(hosts(), 1))
    try:
        found = compare(record.outcome, record.tool, level, call=call, policy=record.policy, among=among)
    except _StoppedError:
        raise GivenUpError from None
    return HostsView(
        record=record,
        level=level,
        raw_bytes=found.raw_bytes,
        withheld=len(found.sensitive),
        rows=tuple(map(_compared, found.rows)),
    )


def _taking_turns(host: Host, number: int, turn: Turn) -> Host:
    def model_view(bounded: Bounded, call: Call) -> ModelContext:
        if not turn(number):
            raise _StoppedError
        return host.model_view(bounded, call)

    return replace(host, model_view=model_view)


def _compared(row: HostRow) -> ComparedHost:
    is_unknown = row.context.model is None and not row.observed
    return ComparedHost(
        name=row.host.name,
        title=row.host.title,
        version=row.host.version,
        as_of=row.host.as_of,
        how=row.host.how,
        observed=row.observed,
        size_bytes=None if is_unknown else row.size_bytes,
        changes=row.context.changes[:MAX_NAMED],
        change_count=row.change_count,
        leak=row.leak,
        leaks=row.leaks[:MAX_NAMED],
        leak_count=len(row.leaks),
        unknown_count=row.leaked.unknown,
        observed_open=row.observed_open,
    )


def compared_call(record: CallRecord) -> Content:
    """The call that is compared, for the title line."""
    return Content.assemble((f"#{record.number} ", _QUIET), content(shortened(record.name, 120)))


def boundary_label(level: Level) -> Content:
    """The boundary, for the title line."""
    return Content.assemble(("boundary ", _QUIET), (str(level), f"bold {level_style(level)}"))


def progress_line(record: CallRecord, begun: int, total: int, waited_s: int) -> Content:
    """Shown while the comparison runs. `begun`: hosts, out of `total`."""
    far = f", host {begun} of {total}" if begun else f" through {count(total, 'host')}"
    return Content.assemble(
        f"Comparing #{record.number} ",
        content(shortened(record.name, 60), "bold"),
        f"{far} … {waited_s} s   Esc goes back",
    )


def hosts_summary(view: HostsView) -> Content:
    """The verdict: how many hosts would pass a withheld value to the model."""
    if not view.withheld:
        words = "No declaration asks to withhold anything, so there is no leak to look for."
        return Content.styled(words, "$text-warning")
    leaking = sum(row.leak is Leak.YES for row in view.rows)
    unknown = sum(row.leak is Leak.UNKNOWN for row in view.rows)
    total = count(len(view.rows), "host")
    more = f"; {unknown} unknown" if unknown else ""
    if leaking:
        verb = "leaks" if leaking == 1 else "leak"
        words = f"✗ Without protection, {leaking} of {total} {verb} a withheld value{more}."
        return Content.styled(words, "bold $text-error")
    words = f"Without protection, none of {total} is known to leak a withheld value{more}."
    return Content.styled(words, "$text-warning" if unknown else "$text-success")


def hosts_head(width: int) -> Content:
    """The titles of the columns."""
    cells = (
        "  host".ljust(_name_width(width)),
        "evidence".ljust(_evidence_width(width)),
        "to model".rjust(_SIZE_WIDTH),
        "changes".rjust(_CHANGES_WIDTH),
        " without protection",
    )
    return Content.styled("".join(cells)[: max(width, 1)], f"bold {_QUIET}")


def host_line(row: ComparedHost, view: HostsView, width: int, *, here: bool, chosen: bool) -> Content:
    """One host in `width` cells. `here`: the cursor is on it. `chosen`: it is the host in force."""
    left = Content.assemble(
        "▸ " if here else "  ",
        content(row.name, "bold" if chosen else ""),
        (" (in force)", _QUIET) if chosen else "",
    )
    return Content.assemble(
        left.truncate(_name_width(width) - 1, ellipsis=True, pad=True),
        " ",
        _evidence(row, _evidence_width(width)),
        ("?" if row.size_bytes is None else size(row.size_bytes)).rjust(_SIZE_WIDTH),
        f"{row.change_count:,}".rjust(_CHANGES_WIDTH),
        " ",
        _leak_word(row, view),
    ).truncate(max(width, _LEAST_NAME), ellipsis=True)


def host_detail(row: ComparedHost, view: HostsView) -> Content:
    """A row in full: the host, its leaks, its changes."""
    lines = [
        Content.assemble(content(shortened(row.title, 200), "bold"), content(f"  {row.version}")),
        content(f"evidence: {row.how}; as of {row.as_of}", _QUIET),
    ]
    if not row.observed:
        words = "Not observed with such a result: this row follows from the profile's rules, or is unknown."
        lines.append(Content.styled(words, "$text-warning"))
    return Content("\n").join([*lines, *_leak_lines(row, view), *_change_lines(row, view.level)])


def _leak_lines(row: ComparedHost, view: HostsView) -> list[Content]:
    if not view.withheld:
        return []
    match row.leak:
        case Leak.NO:
            words = "Without protection (boundary open), its model gets no withheld value."
            lines = [Content.styled(words, "$text-success")]
        case Leak.UNKNOWN:
            words = (
                "? It is unknown whether its model gets withheld values without protection (boundary open)."
            )
            lines = [Content.styled(words, "$text-warning")]
        case Leak.YES:
            words = "✗ Without protection (boundary open), its model gets these withheld values:"
            lines = [
                Content.styled(words, "bold $text-error"),
                *(
                    content(f"  ✗ {shortened(pointer or 'the whole result', 300)}", "$text-error")
                    for pointer in row.leaks
                ),
                *_more(row.leak_count),
            ]
    if row.unknown_count:
        words = f"  {count(row.unknown_count, 'withheld value')} could not be looked for one by one."
        lines.append(Content.styled(words, "$text-warning"))
    if not row.observed_open:
        lines.append(Content.styled("  This host was not observed with the raw result.", "$text-warning"))
    return lines


def _change_lines(row: ComparedHost, level: Level) -> list[Content]:
    if not row.change_count:
        return [Content.styled(f"At {level}, it changes nothing in the bounded result.", _QUIET)]
    words = f"~ At {level}, it makes {count(row.change_count, 'change')} to the bounded result:"
    return [
        Content.styled(words, "bold $text-accent"),
        *(
            Content.assemble(
                ("  ~ ", "$text-accent"),
                content(shortened(change.pointer or "the whole result", 120), "bold"),
                "  ",
                content(shortened(change.what, 300)),
            )
            for change in row.changes
        ),
        *_more(row.change_count),
    ]


def _more(number: int) -> list[Content]:
    return [Content(f"    … and {number - MAX_NAMED:,} more")] if number > MAX_NAMED else []


def _evidence(row: ComparedHost, width: int) -> Content:
    if not row.observed:
        return Content.styled("not observed".ljust(width), "$text-warning")
    return content(shortened(evidence(row.how), width - 1).ljust(width), "$foreground 80%")


def _evidence_width(width: int) -> int:
    return 16 if width >= _WIDE else 13


def _leak_word(row: ComparedHost, view: HostsView) -> Content:
    match row.leak:
        case Leak.YES:
            more = "+" if row.unknown_count else ""
            number = f" {row.leak_count:,}{more}" if row.leak_count else ""
            return Content.styled(f"✗ leaks{number}", "bold $text-error")
        case Leak.UNKNOWN:
            return Content.styled("? unknown", "$text-warning")
        case Leak.NO:
            return Content.styled("no leak" if view.withheld else "nothing to leak", _QUIET)


def _name_width(width: int) -> int:
    taken = _evidence_width(width) + _SIZE_WIDTH + _CHANGES_WIDTH + _LEAKS_WIDTH
    return max(min(width - taken, 44), _LEAST_NAME)
