"""One result through every host: a row for each, and all there is to say of the one under the cursor."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from inspector.boundary.bounded import Bounded
from inspector.boundary.options import Level
from inspector.hosts.comparison import HostRow, compare
from inspector.hosts.leaks import Leak
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.hosts.registry import hosts
from inspector.session.call_record import CallRecord
from inspector.tui.text import content, count, level_style, shortened, size

if TYPE_CHECKING:
    from inspector.hosts.profile import Change

Turn: TypeAlias = Callable[[int], bool]
"""Told, in the worker's thread, how many hosts have begun; whether to go on."""

MAX_TOLD = 12
"""Leaks, and changes, that are named one by one."""

_KNOWN_WIDTH = 14
_SIZE_WIDTH = 9
_CHANGES_WIDTH = 8
_LEAKS_WIDTH = 14
_LEAST_NAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedHost:
    """What one host makes of the result."""

    name: str
    title: str
    version: str
    as_of: str
    how: str
    """How the host is known."""
    observed: bool
    """Whether what it hands over was observed of it, or follows from how it is known."""
    size_bytes: int | None
    """Of what the model gets, as compact JSON; None where that is not known."""
    changes: "tuple[Change, ...]"
    """The first of them: may quote foreign text."""
    change_count: int
    leak: Leak
    """Whether a withheld value would have reached this host's model at `open`."""
    leaks: tuple[str, ...]
    """The first of those that would have: pointers into the raw result."""
    leak_count: int
    untold: int
    """How many withheld values cannot be told apart from the others, or are too common to be looked for."""
    observed_open: bool
    """Whether it was observed what the host does with the raw result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsView:
    """One result through all hosts, ready to be drawn."""

    record: "CallRecord"
    level: Level
    raw_bytes: int
    withheld: int
    """How many parts of the raw result `declared` withholds."""
    rows: tuple[ComparedHost, ...]

    @property
    def leaking(self) -> int:
        """The hosts in which a withheld value would have leaked."""
        return sum(1 for row in self.rows if row.leak is Leak.YES)

    @property
    def unknown(self) -> int:
        """The hosts of which that is not known."""
        return sum(1 for row in self.rows if row.leak is Leak.UNKNOWN)

    def place(self, host: str) -> int:
        """The row of a host; the first one where it has none."""
        return next((index for index, row in enumerate(self.rows) if row.name == host), 0)


def comparing(record: "CallRecord", begun: int, hosts: int, waited_s: int) -> Content:
    """While it is being made. `begun`: how many of the hosts."""
    far = f", host {begun} of {hosts}" if begun else f" through {count(hosts, 'host')}"
    return Content.assemble(
        f"Comparing #{record.number} ",
        content(shortened(record.name, 60), "bold"),
        f"{far} … {waited_s} s   Esc goes back",
    )


def hosts_title(record: "CallRecord", level: Level) -> Content:
    """Which result is compared, and at which boundary."""
    return Content.assemble(
        ("Hosts compared  ", "bold"),
        ("boundary: ", "$foreground 70%"),
        (str(level), f"bold {level_style(level)}"),
        (f"   #{record.number} ", "$foreground 70%"),
        content(shortened(record.name, 120)),
    )


def hosts_summary(view: HostsView) -> Content:
    """In how many hosts a withheld value would have leaked."""
    if not view.withheld:
        words = "The declarations ask for nothing to be withheld: what leaks here, nobody declared."
        return Content.styled(words, "$text-warning")
    unknown = f"; of {view.unknown} it is not known" if view.unknown else ""
    hosts = count(len(view.rows), "host")
    if view.leaking:
        words = f"✗ At open, {view.leaking} of {hosts} would hand over what is withheld{unknown}."
        return Content.styled(words, "bold $text-error")
    none = "no known one" if unknown else "none"
    words = f"At open, {none} of {hosts} would hand over what is withheld{unknown}."
    return Content.styled(words, "$text-warning" if unknown else "$text-success")


def hosts_head(width: int) -> Content:
    """The titles of the columns."""
    cells = (
        "  host".ljust(_name_width(width)),
        "known by".ljust(_KNOWN_WIDTH),
        "to model".rjust(_SIZE_WIDTH),
        "changes".rjust(_CHANGES_WIDTH),
        "  at open",
    )
    return Content.styled("".join(cells)[: max(width, 1)], "bold $foreground 70%")


def host_line(row: ComparedHost, view: HostsView, width: int, *, here: bool, chosen: bool) -> Content:
    """One host in `width` cells. `here`: the cursor is on it. `chosen`: both panes look through it."""
    left = Content.assemble(
        "▸ " if here else "  ",
        content(row.name, "bold" if chosen else ""),
        (" (in force)", "$foreground 70%") if chosen else "",
    )
    return Content.assemble(
        left.truncate(_name_width(width) - 1, ellipsis=True, pad=True),
        " ",
        _known(row),
        ("?" if row.size_bytes is None else size(row.size_bytes)).rjust(_SIZE_WIDTH),
        f"{row.change_count:,}".rjust(_CHANGES_WIDTH),
        "  ",
        _leak_word(row, view),
    ).truncate(max(width, _LEAST_NAME), ellipsis=True)


def host_detail(row: ComparedHost, view: HostsView) -> Content:
    """Everything about one row: what the host is, what would leak, what it changes."""
    lines = [
        Content.assemble(content(shortened(row.title, 200), "bold"), content(f"  {row.version}")),
        content(f"known by: {row.how}; as of {row.as_of}", "$foreground 70%"),
    ]
    if not row.observed:
        words = "Not observed with such a result: its profile goes by its rule, or says nothing."
        lines.append(Content.styled(words, "$text-warning"))
    return Content("\n").join([*lines, *_leak_lines(row, view), *_change_lines(row, view.level)])


def _leak_lines(row: ComparedHost, view: HostsView) -> list[Content]:
    if not view.withheld:
        return []
    match row.leak:
        case Leak.NO:
            words = "At open its model would get nothing of what is withheld."
            lines = [Content.styled(words, "$text-success")]
        case Leak.UNKNOWN:
            words = "? At open its model may get what is withheld: it is not known."
            lines = [Content.styled(words, "$text-warning")]
        case Leak.YES:
            words = "✗ At open its model would get what is withheld:"
            lines = [
                Content.styled(words, "bold $text-error"),
                *(
                    content(f"  ✗ {shortened(pointer or 'the whole result', 300)}", "$text-error")
                    for pointer in row.leaks[:MAX_TOLD]
                ),
                *_more(row.leak_count),
            ]
    if row.untold:
        words = f"  {count(row.untold, 'withheld value')} could not be looked for one by one."
        lines.append(Content.styled(words, "$text-warning"))
    if not row.observed_open:
        words = "  What it does with the raw result was not observed."
        lines.append(Content.styled(words, "$text-warning"))
    return lines


def _change_lines(row: ComparedHost, level: Level) -> list[Content]:
    if not row.change_count:
        return [Content.styled(f"At {level} it hands over what the boundary gives it.", "$foreground 70%")]
    words = f"~ At {level} it makes {count(row.change_count, 'change')} to what the boundary gives it:"
    return [
        Content.styled(words, "bold $text-accent"),
        *(
            Content.assemble(
                ("  ~ ", "$text-accent"),
                content(shortened(change.pointer or "the whole", 120), "bold"),
                "  ",
                content(shortened(change.what, 300)),
            )
            for change in row.changes[:MAX_TOLD]
        ),
        *_more(row.change_count),
    ]


def _more(number: int) -> list[Content]:
    return [Content(f"    … and {number - MAX_TOLD:,} more")] if number > MAX_TOLD else []


def _known(row: ComparedHost) -> Content:
    if not row.observed:
        return Content.styled("not observed".ljust(_KNOWN_WIDTH), "$text-warning")
    words = row.how.partition(":")[0].partition(",")[0]
    return content(shortened(words, _KNOWN_WIDTH - 1).ljust(_KNOWN_WIDTH), "$foreground 80%")


def _leak_word(row: ComparedHost, view: HostsView) -> Content:
    match row.leak:
        case Leak.YES:
            more = "+" if row.untold else ""
            number = f" {row.leak_count:,}{more}" if row.leak_count else ""
            return Content.styled(f"✗ leaks{number}", "bold $text-error")
        case Leak.UNKNOWN:
            return Content.styled("? not known", "$text-warning")
        case Leak.NO:
            return Content.styled("no leak" if view.withheld else "nothing to", "$foreground 70%")


def _name_width(width: int) -> int:
    taken = _KNOWN_WIDTH + _SIZE_WIDTH + _CHANGES_WIDTH + _LEAKS_WIDTH
    return max(min(width - taken, 44), _LEAST_NAME)


class GivenUpError(Exception):
    """Nobody waits for the view any more."""


def hosts_view(record: CallRecord, level: Level, *, server: str, turn: Turn) -> HostsView:
    """A call through all hosts. `server`: the name that hosts know the server by.

    `turn`: told how many hosts have begun; gives False to have it end there, with GivenUpError. Large results take
    minutes, and a thread that goes on would hold up the end of the program.
    What the hosts hand over is let go of: a view of a large result is as small as one of a small one.
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


class _StoppedError(BaseException):
    """Passes by those who catch what a profile raises."""


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
        changes=row.context.changes[:MAX_TOLD],
        change_count=row.change_count,
        leak=row.leak,
        leaks=row.leaks[:MAX_TOLD],
        leak_count=len(row.leaks),
        untold=row.leaked.unknown,
        observed_open=row.observed_open,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsAsked:
    """A call through all hosts."""

    record: CallRecord
    level: Level
    turn: "Turn"
