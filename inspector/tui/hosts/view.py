"""The comparison of hosts: a row for each host's view of one result, and the details of one row."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.bounded import Bounded
from inspector.boundary.counted import passing_words
from inspector.boundary.options import Level
from inspector.hosts.comparison import HostRow, compare
from inspector.hosts.leaks import Leak, LeakPlace
from inspector.hosts.masks import reaching_word
from inspector.hosts.profile import Call, Host, HostChange, ModelContext, evidence
from inspector.hosts.registry import hosts, without_profile
from inspector.pins.known_secrets import KnownSecrets, calls_withheld_from
from inspector.session.call_record import CallRecord
from inspector.tui.result.sides import KnownBeside
from inspector.tui.result.view import lacks_values
from inspector.tui.text import content, count, level_style, path, row_text, shortened, size

Turn: TypeAlias = Callable[[int], bool]
"""Takes the number of hosts whose comparison has begun.

Called in the worker's thread; returns false to end the comparison.
"""

MAX_NAMED = 12
"""The maximum number of leaks, and of changes, listed for a host."""

_QUIET = "$foreground 70%"
_EVIDENCE_WIDTH = 17
_SIZE_WIDTH = 8
_CHANGES_WIDTH = 12
_NARROW_CHANGES_WIDTH = 9
_LEAKS_WIDTH = 20
_NARROW_LEAKS_WIDTH = 12
_LEAST_NAME = 12
_MOST_NAME = 32
"""The maximum width of the names, in cells. The rest of a row is for what a model gets."""
_NARROW = 79
"""Below this width in cells, the rows leave out the evidence, so that names have room. The details show it."""
_WIDE = 100
_MOST_PLACES = 6
_MARK = " (in force)"
_FROM_RECORDING = "unknown from this recording, which lacks what was withheld"
_LEGEND = "? after the evidence: the host was not observed with such a result."


class ComparedHost(Struct, frozen=True, kw_only=True):
    """The row of a host, without its model view, which may be large."""

    name: str
    title: str
    version: str
    as_of: str
    how: str
    """The evidence for the host profile in words, such as `source only, not run`."""
    model_gets: str
    """What its model gets of a result, in a few words."""
    observed: bool
    """True if the host's handling of a result of this kind, at this boundary level, was observed."""
    size_bytes: int | None
    """The size of the model view as compact JSON, in bytes; None if unknown."""
    changes: tuple[HostChange, ...]
    """The first changes. May quote untrusted text."""
    change_count: int
    leak: Leak
    """Whether a withheld value reaches the model at the boundary level `open`."""
    leak_count: int
    """The number of distinct values that leak."""
    leak_places: tuple[tuple[LeakPlace, ...], ...]
    """For each of the first values that leak, its places in the raw result.

    From these places, the model gets the value.
    """
    why_unknown: str
    """Why it is not known whether a value leaks; empty if it is known."""
    unknown_count: int
    """The number of withheld values that were not searched for one by one.

    There are too many of them, or they are too common.
    """
    observed_open: bool
    """True if the host's handling of the raw result was observed.

    A host gets the raw result at the boundary level `open`.
    """
    refused_open: str = ""
    """How the host refuses the raw result as a whole, as a sentence; empty if it does not."""


class HostsView(Struct, frozen=True, kw_only=True):
    """The views that all hosts have of one result."""

    record: CallRecord
    level: Level
    raw_bytes: int
    withheld: int
    """The number of values in the raw result that the boundary level `declared` withholds.

    Copies and protocol metadata do not count.
    """
    credentials: int = 0
    """The number of values that look like credentials and pass at this boundary level."""
    repeated: tuple[str, ...] = ()
    """One text for each place in this result that passes and repeats a value withheld from another call.

    The text names the other call: `withheld from #1`.
    """
    rows: tuple[ComparedHost, ...]

    def place(self, host: str) -> int:
        """The index of a host's row; 0 if the host has no row."""
        return next((index for index, row in enumerate(self.rows) if row.name == host), 0)


class HostsAsked(Struct, frozen=True, kw_only=True):
    """A request to compare all hosts on the result of a call."""

    record: CallRecord
    level: Level
    known: KnownBeside
    turn: Turn


class GivenUpError(Exception):
    """Raised to end a comparison that the screen no longer needs."""


class _StoppedError(BaseException):
    """Ends a comparison. Not an Exception, because `compare` treats those as failures of a profile."""


def hosts_view(
    record: CallRecord, level: Level, *, server: str, turn: Turn, known: KnownSecrets | None = None
) -> HostsView:
    """The views that all hosts have of a call's result. `server`: the name under which hosts know the server.

    `known`: the values that were withheld from calls of the session.

    `turn`: called before each host; if it returns false, GivenUpError is raised. Large results take minutes,
    and a thread that continued would delay the end of the program.
    """
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    among = tuple(_taking_turns(host, number, turn) for number, host in enumerate(hosts(), 1))
    try:
        found = compare(record.outcome, record.tool, level, call=call, policy=record.policy, among=among)
    except _StoppedError:
        raise GivenUpError from None
    why: Mapping[str, str] = {}
    if known is not None and not record.has_ids:
        _, why = known.masked(found.bounded.result, reaching_word, record.number)
    lacks = lacks_values(record)
    return HostsView(
        record=record,
        level=level,
        raw_bytes=found.raw_bytes,
        withheld=found.secret_count,
        credentials=len(found.bounded.credentials),
        repeated=tuple(why.values()),
        rows=tuple(_compared(row, is_lacking=lacks) for row in found.rows),
    )


def _taking_turns(host: Host, number: int, turn: Turn) -> Host:
    def model_view(bounded: Bounded, call: Call) -> ModelContext:
        if not turn(number):
            raise _StoppedError
        return host.model_view(bounded, call)

    return replace(host, model_view=model_view)


def _compared(row: HostRow, *, is_lacking: bool) -> ComparedHost:
    """The row of a host. `is_lacking`: whether the result's recording lacks the withheld values."""
    is_no_evidence = is_lacking and row.leak is not Leak.YES
    is_unknown = row.context.model is None and not row.observed
    return ComparedHost(
        name=row.host.name,
        title=row.host.title,
        version=row.host.version,
        as_of=row.host.as_of,
        how=row.host.how,
        model_gets=row.host.model_gets,
        observed=row.observed,
        size_bytes=None if is_unknown else row.size_bytes,
        changes=row.changes[:MAX_NAMED],
        change_count=row.change_count,
        leak=Leak.UNKNOWN if is_no_evidence else row.leak,
        leak_count=len(row.leaks),
        leak_places=row.leak_places[:MAX_NAMED],
        why_unknown=_FROM_RECORDING if is_lacking else row.leaked.why,
        unknown_count=max(row.leaked.unknown, int(is_lacking)),
        observed_open=row.observed_open,
        refused_open="" if is_lacking else row.refused_open,
    )


def compared_call(record: CallRecord) -> Content:
    """The call whose result is compared, for the title line."""
    return Content.assemble((f"#{record.number} ", _QUIET), content(row_text(shortened(record.name, 120))))


def boundary_label(level: Level) -> Content:
    """The boundary level, in words for the title line."""
    return Content.assemble(("boundary ", _QUIET), (str(level), f"bold {level_style(level)}"))


def progress_line(record: CallRecord, begun: int, total: int, waited_s: int) -> Content:
    """The note while the comparison runs. `begun`: the number of hosts whose comparison has begun.

    `total`: the number of all hosts.
    """
    far = f", host {begun} of {total}" if begun else f" through {count(total, 'host')}"
    return Content.assemble(
        f"Comparing #{record.number} ",
        content(shortened(record.name, 60), "bold"),
        f"{far} … {waited_s} s   Esc goes back",
    )


def hosts_summary(view: HostsView) -> Content:
    """What passes the boundary, and how many hosts would leak a withheld value at the boundary level `open`.

    The text counts the values that pass although they look like credentials, or were withheld from other
    calls. If the handling of such a result by any host was not observed, the text also explains the sign `?`.
    A line at the end names the hosts without a profile.
    """
    legend = "" if all(row.observed for row in view.rows) else f" {_LEGEND}"
    said = _credentials(view), _repeated(view), _summary(view), (legend, "$text-warning")
    return Content.assemble(*said, (f"\n{without_profile()}", _QUIET))


def _repeated(view: HostsView) -> Content:
    if not view.repeated:
        return Content("")
    places = f" in {len(view.repeated):,} places" if len(view.repeated) > 1 else ""
    words = f"! {calls_withheld_from(view.repeated)} passes{places} and reaches each model whose host passes it on. "
    return Content.styled(words, "bold $text-error")


def _credentials(view: HostsView) -> Content:
    if view.credentials:
        one = view.credentials == 1
        values = passing_words(view.credentials)
        words = f"! {values} like a credential, and reach{'es' if one else ''} each model whose host passes {'it' if one else 'them'} on. "
        return Content.styled(words, "bold $text-error")
    return Content("")


def _summary(view: HostsView) -> Content:
    if not view.withheld and not any(row.leak is Leak.YES for row in view.rows):
        words = "Nothing in this result is declared sensitive, so there is no leak to look for."
        if view.repeated:
            words = "This result itself declares nothing sensitive."
        return Content.styled(words, "$text-warning")
    leaking = sum(row.leak is Leak.YES for row in view.rows)
    unknown = sum(row.leak is Leak.UNKNOWN for row in view.rows)
    total = count(len(view.rows), "host")
    more = f"; {unknown} not known" if unknown else ""
    number = f"{'at least ' if unknown else ''}{leaking} of {total}"
    if view.level is Level.OPEN:
        if not leaking:
            words = f"open: none of {total} is known to leak a marked value{more}."
            return Content.styled(words, "$text-warning" if unknown else "$text-success")
        verb = "leaks" if leaking == 1 and not unknown else "leak"
        what = "a marked value" if view.withheld else "metadata"
        return Content.styled(f"! open: {number} {verb} {what}{more}.", "bold $text-error")
    would = (
        f"{number} would leak {'one' if view.withheld else 'metadata'}"
        if leaking
        else f"none of {total} is known to leak one"
    )
    return Content.assemble(
        (f"✓ {view.level}: no host gets a withheld value.", "$text-success"),
        (f" At open, {would}{more}.", "$text-warning" if leaking or unknown else _QUIET),
    )


def hosts_head(width: int) -> Content:
    """The titles of the columns."""
    cells = (
        "  host".ljust(_name_width(width)),
        "evidence".ljust(_evidence_width(width))[: _evidence_width(width)],
        "to model".rjust(_SIZE_WIDTH),
        ("its changes" if width >= _NARROW else "changes").rjust(_changes_width(width)),
        "  without protection" if width >= _WIDE else "  at open",
        "".ljust(_leaks_width(width) - len("  without protection")) + "  its model gets"
        if _has_room(width)
        else "",
    )
    return Content.styled("".join(cells)[: max(width, 1)], f"bold {_QUIET}")


def host_line(row: ComparedHost, view: HostsView, width: int, *, here: bool, chosen: bool) -> Content:
    """The row of a host in `width` cells. `here`: whether the cursor is on it.

    `chosen`: whether results are shown for this host.
    """
    left = Content.assemble(
        "▸ " if here else "  ",
        content(row.name, "bold" if chosen else ""),
        (_MARK, _QUIET) if chosen else "",
    )
    return Content.assemble(
        left.truncate(_name_width(width) - 1, ellipsis=True, pad=True),
        " ",
        _evidence(row, _evidence_width(width)),
        ("?" if row.size_bytes is None else size(row.size_bytes)).rjust(_SIZE_WIDTH),
        f"{row.change_count:,}".rjust(_changes_width(width)),
        "  ",
        _leak_word(row, view, names_unit=width >= _WIDE).truncate(_leaks_width(width) - 2, pad=True)
        if _has_room(width)
        else _leak_word(row, view, names_unit=False),
        Content.assemble("  ", content(row.model_gets, _QUIET)) if _has_room(width) else "",
    ).truncate(max(width, _LEAST_NAME), ellipsis=True)


def host_detail(row: ComparedHost, view: HostsView) -> Content:
    """A row in full: the host, its leaks and its changes, then the facts that are the same for every result.

    A small screen has room for the first lines only.
    """
    lines = [Content.assemble(content(shortened(row.title, 200), "bold"), content(f"  {row.version}"))]
    if not row.observed:
        words = "? Not observed with such a result: this row follows from the profile's rules, or is unknown."
        lines.append(Content.styled(words, "$text-warning"))
    if row.refused_open:
        words = f"! Without protection (boundary open), {row.refused_open}."
        lines.append(content(words, "bold $text-error"))
    facts = (
        content(f"Its model gets {row.model_gets}."),
        content(f"evidence: {row.how}; as of {row.as_of}", _QUIET),
    )
    return Content("\n").join([*lines, *_leak_lines(row, view), *_change_lines(row, view.level), *facts])


def _leak_lines(row: ComparedHost, view: HostsView) -> list[Content]:
    if not view.withheld and row.leak is not Leak.YES:
        return []
    match row.leak:
        case Leak.NO:
            words = "Without protection (boundary open), its model gets no withheld value."
            lines = [Content.styled(words, "$text-success")]
        case Leak.UNKNOWN:
            words = f"? It is not known whether its model gets withheld values without protection (boundary open): {row.why_unknown}."
            lines = [Content.styled(words, "$text-warning")]
        case Leak.YES:
            words = "! Without protection (boundary open), its model gets these withheld values:"
            lines = [
                Content.styled(words, "bold $text-error"),
                *(content(f"  ! {_places(places)}", "$text-error") for places in row.leak_places),
                *_more(row.leak_count),
            ]
            if row.why_unknown:
                words = f"  Whether it gets more of them is {row.why_unknown}."
                lines.append(Content.styled(words, "$text-warning"))
    if row.unknown_count and not row.why_unknown:
        words = f"  {count(row.unknown_count, 'withheld value')} could not be searched for one by one."
        lines.append(Content.styled(words, "$text-warning"))
    if not row.observed_open:
        lines.append(Content.styled("  This host was not observed with the raw result.", "$text-warning"))
    return lines


def _places(places: tuple[LeakPlace, ...]) -> str:
    """The first of `places` in words, such as `structuredContent.ssn, within content[0].text`.

    Further places are counted.
    """
    first = [
        f"{'within ' if each.is_within else ''}{path(each.pointer, 120)}" for each in places[:_MOST_PLACES]
    ]
    more = f" and {len(places) - _MOST_PLACES:,} more" if len(places) > _MOST_PLACES else ""
    return f"{', '.join(first)}{more}"


def _what(level: Level) -> str:
    """What a host gets, in words.

    At the boundary level `open`, this is the result; at other levels, what the boundary passes.
    """
    return "the result" if level is Level.OPEN else "what the boundary passes"


def _change_lines(row: ComparedHost, level: Level) -> list[Content]:
    if not row.change_count:
        return [Content.styled(f"At {level}, it changes nothing in {_what(level)}.", _QUIET)]
    words = f"~ At {level}, it makes {count(row.change_count, 'change')} to {_what(level)}:"
    return [
        Content.styled(words, "bold $text-accent"),
        *(
            Content.assemble(
                ("  ~ ", "$text-accent"),
                content(path(change.pointer), "bold"),
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
    """The evidence for the profile of a host, in `width` cells; empty if `width` is 0.

    A `?` follows if the host's handling of such a result was not observed.
    """
    if not width:
        return Content("")
    words = evidence(row.how) + ("" if row.observed else " ?")
    style = "$foreground 80%" if row.observed else "$text-warning"
    return content(shortened(words, width - 1).ljust(width), style)


def _evidence_width(width: int) -> int:
    return _EVIDENCE_WIDTH if width >= _NARROW else 0


def _changes_width(width: int) -> int:
    return _CHANGES_WIDTH if width >= _NARROW else _NARROW_CHANGES_WIDTH


def _leaks_width(width: int) -> int:
    return _LEAKS_WIDTH if width >= _WIDE else _NARROW_LEAKS_WIDTH


def _has_room(width: int) -> bool:
    """True if the row has room for what the model of a host gets."""
    return width - _name_width(width) - _taken(width) >= _LEAST_GETS


_LEAST_GETS = 30


def _taken(width: int) -> int:
    return _evidence_width(width) + _SIZE_WIDTH + _changes_width(width) + _leaks_width(width)


def _leak_word(row: ComparedHost, view: HostsView, *, names_unit: bool) -> Content:
    match row.leak:
        case Leak.YES:
            is_exact = row.leak_count and not row.unknown_count
            number = f"{max(row.leak_count, 1):,}{'' if is_exact else '+'}"
            if names_unit:
                number += " value" if number == "1" else " values"
            if view.level is Level.OPEN:
                return Content.styled(f"! leaks {number}", "bold $text-error")
            return Content.styled(f"! leaks {number}", "$text-warning")
        case _ if row.refused_open:
            return Content.styled("refuses it", "bold $text-error")
        case Leak.UNKNOWN:
            return Content.styled("? unknown", "$text-warning")
        case Leak.NO:
            return Content.styled("no leak" if view.withheld else "undeclared", _QUIET)


def _name_width(width: int) -> int:
    return max(min(width - _taken(width), _MOST_NAME), _LEAST_NAME)
