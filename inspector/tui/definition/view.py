"""A definition beside what a model is given of it: what stands on each row, and why the two differ."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.boundary.options import Level
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import Difference, Step, project_definition
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document
from inspector.pins.withheld import Withheld
from inspector.protocol.catalogue import Entry, Tool
from inspector.session.call_record import CallRecord
from inspector.tui.text import content, count, level_style, shortened, size
from inspector.tui.widgets.alignment import GAP, Alignment, aligned, line_text, side_by_side
from inspector.tui.widgets.lines import REMOVED, document_line, gap_line

if TYPE_CHECKING:
    from inspector.boundary.bounded import Removal
    from inspector.claims.claim import Claim

SAME, CHANGED, ADDED = " ", "~", "+"

HOST = "host"
"""What makes a difference that no rule of the boundary makes."""

MAX_REASONS = 20
"""Reasons that are told at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why the model is given something else than what was sent."""

    pointer: str
    """Into the definition as sent."""
    sign: str
    """`✗`: the boundary withholds it. `~`: it is changed, or the host does not hand it over."""
    by: str
    """The rule of the boundary, or `host`."""
    what: str
    """In a sentence for the user."""
    claim: "Claim | None" = None
    """The declaration behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionView:
    """A definition through two lenses, ready to be drawn."""

    tool: "Tool"
    level: Level
    host: str
    raw: "Document"
    model: "Document"
    rows: Alignment
    aligned: bool
    """Whether what stands on one row belongs together; if not, the definition is too large, or too unlike."""
    signs: str
    """For each row, one sign: `✗ ~ +` or a blank."""
    column: "array[int]"
    """The rows in one column: a row on which both sides say the same once, else the raw line and then the model's.

    Each as twice the number of its row, and one more for the model's line. Where the sides are not aligned, the raw
    lines alone: nothing says which of the model's lines belong to them.
    """
    reasons: tuple[Reason, ...]
    at: "array[int]"
    """For each raw line, the innermost reason that covers it, or `GAP`."""
    notes: tuple[str, ...]
    """Sentences about the whole."""
    raw_bytes: int
    model_bytes: int
    raw_tokens: int
    model_tokens: int
    """About as many."""
    observed: bool

    def reason_on(self, row: int) -> Reason | None:
        """Why the two sides of a row differ; where they do not, what begins there and is said of it all the same."""
        line = self.rows.left[row] if row < len(self.rows) else GAP
        place = self.at[line] if line != GAP else GAP
        begins = line == 0 or (line != GAP and self.at[line - 1] != place)
        return self.reasons[place] if place != GAP and (begins or self.signs[row] != SAME) else None

    def next_difference(self, row: int, step: int) -> int | None:
        """The row on which the next run of differing rows begins, after (or before) `row`."""
        places = range(row + step, len(self.rows) if step > 0 else -1, step)
        return next((place for place in places if self._begins(place)), None)

    def _begins(self, row: int) -> bool:
        if self.signs[row] == SAME:
            return False
        return row == 0 or self.signs[row - 1] == SAME or self.reason_on(row) is not self.reason_on(row - 1)

    def in_column(self, row: int) -> int:
        """Where a row begins in the one column."""
        return min(bisect_left(self.column, 2 * row), max(len(self.column) - 1, 0))


def beside_line(view: DefinitionView, row: int, width: int, *, is_model: bool, here: bool) -> Content:
    """One side of a row, in a pane that has room for both."""
    line = (view.rows.right if is_model else view.rows.left)[row]
    sign = view.signs[row] if view.aligned or not is_model else SAME
    if line == GAP:
        return gap_line(width, here=here, sign=sign if view.aligned else SAME)
    if is_model:
        return document_line(view.model.line(line), here=here, sign=SAME if sign == SAME else ADDED)
    return document_line(view.raw.line(line), here=here, sign=sign)


def column_line(view: DefinitionView, index: int, *, here: bool) -> Content:
    """One line of the column in which what is added stands under what was sent."""
    row, is_model = divmod(view.column[index], 2)
    if is_model:
        return document_line(view.model.line(view.rows.right[row]), here=here, sign=ADDED)
    return document_line(view.raw.line(view.rows.left[row]), here=here, sign=view.signs[row])


def measure_line(view: DefinitionView) -> Content:
    """Bytes and tokens as sent and as given, through which lenses, and how often they differ."""
    parts = [
        Content.assemble(
            (size(view.raw_bytes), "bold"),
            f", about {count(view.raw_tokens, 'token')} → ",
            (size(view.model_bytes), "bold"),
            f", about {view.model_tokens:,}",
        ),
        *(() if view.observed else (Content.styled("not observed", "$text-warning"),)),
        *_counts(view.reasons),
    ]
    return Content("  ").join(parts)


def why_line(view: DefinitionView, row: int) -> Content:
    """Why the two sides of a row differ; else what the lenses in force mean for a definition."""
    reason = view.reason_on(row)
    if reason is not None:
        return _reason(view, reason)
    if row < len(view.signs) and view.signs[row] != SAME:
        return Content.styled(
            "+ written by the boundary or the host in place of what was sent", "$text-accent"
        )
    return _standing(view)


def every_reason(view: DefinitionView, row: int) -> Content:
    """All reasons, that of `row` first, each with the declaration behind it; then what is said about the whole."""
    here = view.reason_on(row)
    others = (reason for reason in view.reasons[:MAX_REASONS] if reason is not here)
    told = [part for reason in ((here,) if here else ()) for part in _told(view, reason)]
    told += [part for reason in others for part in _told(view, reason)]
    if len(view.reasons) > MAX_REASONS:
        told.append(Content(f"… and {len(view.reasons) - MAX_REASONS:,} more"))
    told += [content(shortened(note, 300), "$foreground 70%") for note in view.notes]
    return Content("\n").join(told or [_standing(view)])


def given_title(view: DefinitionView) -> Content:
    """What stands over the model's side."""
    return Content.assemble(
        ("What the model is given  ", "bold"),
        content(view.host),
        ", ",
        (str(view.level), level_style(view.level)),
    )


def _standing(view: DefinitionView) -> Content:
    if not view.observed:
        words = f"How {view.host} hands over definitions was not observed: this is what spec does."
        return content(words, "$text-warning")
    if not view.aligned:
        words = "Too large, or too unlike, to be set line by line. n goes to the next difference; z gives it room."
        return Content.styled(words, "$text-warning")
    return Content.styled("Both sides say the same here. n goes to the next difference.", "$foreground 70%")


def _reason(view: DefinitionView, reason: Reason) -> Content:
    style = "$text-error" if reason.sign == REMOVED else "$text-accent"
    unsure = reason.by == HOST and not view.observed
    return Content.assemble(
        (f"{reason.sign} ", f"bold {style}"),
        content(reason.by, f"bold {style}"),
        (" (not observed)", "$text-warning") if unsure else "",
        "  ",
        content(shortened(reason.pointer or "the whole", 120), "bold"),
        "  ",
        content(shortened(reason.what, 400)),
    )


def _told(view: DefinitionView, reason: Reason) -> Iterator[Content]:
    yield _reason(view, reason)
    claim = reason.claim
    if claim is not None:
        words = f"  declared by {claim.vocabulary}: {claim.key} ({claim.standing}) at {claim.pointer or 'its root'}"
        yield content(shortened(words, 300), "$foreground 70%")


def _counts(reasons: Sequence[Reason]) -> Iterator[Content]:
    counted = Counter(
        (reason.sign, reason.by if reason.sign == CHANGED else "withheld") for reason in reasons
    )
    for (sign, by), number in counted.items():
        style = "$text-error" if sign == REMOVED else "$text-accent"
        yield content(f"{sign} {by} {number:,}", style)


def definition_view(tool: Tool, level: Level, host: str, *, chunk: int) -> DefinitionView:
    """A definition through two lenses. `chunk`: as of a document. Raises LookupError for an unknown host."""
    profile = host_of(host)
    if profile is None:
        raise LookupError(host)
    found = project_definition(tool, level, profile)
    raw, model = Document(found.raw, chunk=chunk), Document(found.model, chunk=chunk)
    reasons = tuple(map(_reason_of, found.differences))
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


def _reason_of(difference: Difference) -> Reason:
    withholds = difference.step is Step.BOUNDARY and difference.rule != LOOSENED
    return Reason(
        pointer=difference.pointer,
        sign=REMOVED if withholds else CHANGED,
        by=difference.rule or HOST,
        what=difference.what,
        claim=difference.claim,
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


class Learnt:
    """What the results of a session withhold, learnt once of each call, in the thread that makes definitions."""

    def __init__(self) -> None:
        self._withheld: Withheld | None = None
        self._records = dict[int, CallRecord]()

    def masked(self, tool: Tool, records: "Iterable[CallRecord]") -> Tool:
        """The tool without what was withheld from results. Linear in those that are new."""
        for record in records:
            # Of a recording, ids are in place of what was withheld, in the definitions too.
            if id(record) not in self._records and not record.has_ids:
                self._records[id(record)] = record
                self._withheld = self._withheld or Withheld()
                self._withheld.learn(record.tool, record.outcome, withheld(record))
        return self._withheld.masked(tool) if self._withheld else tool


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionAsked:
    """An item of the catalogue, and the lenses through which a model is given it."""

    entry: Entry
    level: Level
    host: str
    chunk: int
    """Characters after which a text breaks."""
    learnt: "Learnt"
    records: tuple[CallRecord, ...]
    """Of the calls that have ended."""


def asked_definition(asked: DefinitionAsked) -> DefinitionView | None:
    """What the Definition tab shows of a tool; None for what no model is given."""
    if not isinstance(asked.entry, Tool):
        return None
    tool = asked.learnt.masked(asked.entry, asked.records)
    view = definition_view(tool, asked.level, asked.host, chunk=asked.chunk)
    return view if tool is asked.entry else replace(view, tool=asked.entry)


def withheld(record: CallRecord) -> "Sequence[Removal]":
    """What `declared` withholds of a result."""
    return record.judgement.secrets(record.policy)
