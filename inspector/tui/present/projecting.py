"""Views through hosts, made in worker threads from frozen inputs. Importing this loads the core."""

from array import array
from dataclasses import replace

from inspector.boundary.bounded import Bounded
from inspector.boundary.options import Level
from inspector.hosts.comparison import HostRow, compare
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import Difference, Step, project_definition
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.hosts.registry import host as host_of
from inspector.hosts.registry import hosts
from inspector.json.document import Document
from inspector.protocol.catalogue import Tool
from inspector.session.call_record import CallRecord
from inspector.tui.present.alignment import GAP, Alignment, side_by_side
from inspector.tui.present.definition import ADDED, CHANGED, HOST, SAME, DefinitionView, Reason
from inspector.tui.present.document import REMOVED
from inspector.tui.present.hosts import MAX_TOLD, ComparedHost, HostsView, Turn
from inspector.tui.present.views import aligned, line_text


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


def definition_view(tool: Tool, level: Level, host: str, *, chunk: int) -> DefinitionView:
    """A definition through two lenses. `chunk`: as of a document. Raises LookupError for an unknown host."""
    profile = host_of(host)
    if profile is None:
        raise LookupError(host)
    found = project_definition(tool, level, profile)
    raw, model = Document(found.raw, chunk=chunk), Document(found.model, chunk=chunk)
    reasons = tuple(map(_reason, found.differences))
    at = _reason_at(raw, reasons)
    rows = aligned(raw, model)
    signs = (
        _signs_of_reasons(reasons, at, model.line_count)
        if rows is None
        else _signs(raw, model, rows, reasons, at)
    )
    column = array("l", range(0, 2 * raw.line_count, 2)) if rows is None else _column(rows, signs)
    return DefinitionView(
        tool=tool,
        level=level,
        host=host,
        raw=raw,
        model=model,
        rows=rows or side_by_side(raw.line_count, model.line_count),
        aligned=rows is not None,
        signs=signs,
        column=column,
        reasons=reasons,
        at=at,
        notes=found.notes,
        raw_bytes=found.raw_bytes,
        model_bytes=found.model_bytes,
        raw_tokens=found.raw_about_tokens,
        model_tokens=found.about_tokens,
        observed=found.observed,
    )


def _reason(difference: Difference) -> Reason:
    withholds = difference.step is Step.BOUNDARY and difference.rule != LOOSENED
    return Reason(
        pointer=difference.pointer,
        sign=REMOVED if withholds else CHANGED,
        by=difference.rule or HOST,
        what=difference.what,
        claim=difference.claim,
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


def _reason_at(raw: Document, reasons: tuple[Reason, ...]) -> "array[int]":
    """For each line the innermost reason: those further in are written over those around them."""
    at = array("l", [GAP]) * raw.line_count
    for index in sorted(range(len(reasons)), key=lambda index: reasons[index].pointer.count("/")):
        extent = raw.extent(reasons[index].pointer)
        if extent is not None:
            at[extent.start : extent.stop] = array("l", [index]) * len(extent)
    return at


def _signs(
    raw: Document, model: Document, rows: Alignment, reasons: tuple[Reason, ...], at: "array[int]"
) -> str:
    left = [line_text(line) for line in raw.lines(0, raw.line_count)]
    right = [line_text(line) for line in model.lines(0, model.line_count)]
    signs: list[str] = []
    for a, b in zip(rows.left, rows.right, strict=True):
        if a == GAP:
            signs.append(ADDED)
        elif b != GAP and left[a] == right[b]:
            signs.append(SAME)
        else:
            signs.append(reasons[at[a]].sign if at[a] != GAP else CHANGED)
    return "".join(signs)


def _signs_of_reasons(reasons: tuple[Reason, ...], at: "array[int]", count: int) -> str:
    """Signs where nothing else is known: of what is withheld all lines, of other differences the first one."""
    signs: list[str] = []
    before = GAP
    for place in at:
        told = place != GAP and (place != before or reasons[place].sign == REMOVED)
        signs.append(reasons[place].sign if told else SAME)
        before = place
    return "".join(signs).ljust(count, SAME)


def _column(rows: Alignment, signs: str) -> "array[int]":
    column = array("l")
    for row, (a, b) in enumerate(zip(rows.left, rows.right, strict=True)):
        if a != GAP:
            column.append(2 * row)
        if b != GAP and (a == GAP or signs[row] != SAME):
            column.append(2 * row + 1)
    return column
