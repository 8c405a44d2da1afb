"""A result in two panes: what stands on each row, what was withheld there, and the counts under them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.boundary.bounded import Level, Removal
from inspector.hosts.profile import Call
from inspector.hosts.projection import projection_of
from inspector.hosts.registry import host as host_of
from inspector.json.document import Document
from inspector.json.exact import Json
from inspector.protocol.outcome import Failure, RpcError, Unfinished, unfinished
from inspector.recording.markers import with_ids
from inspector.session.call_record import CallRecord
from inspector.tui.result.removal import change_line, removal_line
from inspector.tui.text import content, count, duration, level_style, shortened, size
from inspector.tui.widgets.alignment import (
    GAP,
    Alignment,
    Marks,
    aligned,
    marks,
    merged,
    nearest,
    side_by_side,
)

if TYPE_CHECKING:
    from inspector.hosts.profile import Change

_MAX_FINDINGS = 200
MAX_TOLD = 20
"""Removals of one place that are told in full; others are counted."""

FAILS_OPEN = "declared fails open for what nobody declared"


class Difference(Enum):
    """Why the two sides of a row differ; the value is the sign for it."""

    NONE = " "
    REMOVED = "✗"
    """The boundary withheld it."""
    CHANGED = "~"
    """The host did not hand it over, or not as it was."""
    ADDED = "+"
    """The model sees it, and it is not in the raw result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """One call through two lenses, ready to be drawn."""

    record: "CallRecord"
    level: Level
    host: str
    raw: "Document"
    """Masked in sensitive positions, at every boundary."""
    model: "Document"
    rows: Alignment
    removals: Sequence[Removal]
    """May be hundreds of thousands, each made when it is asked for."""
    rules: Mapping[str, int]
    """How often each rule withheld something."""
    marks: Marks
    """Of the removals, on the lines of `raw`."""
    changes: "tuple[Change, ...]"
    """What the host did, apart from what the boundary withheld."""
    pointed: "tuple[Change, ...]"
    """The changes that are at some place; others concern the whole."""
    change_marks: Marks
    """Of `pointed`."""
    begins: Sequence[int]
    """The rows on which a removal or a change begins, in order."""
    aligned: bool
    """Whether what stands on one row belongs together; if not, the sides are too large or too unlike."""
    observed: bool
    findings: tuple[str, ...]
    raw_bytes: int
    model_bytes: int
    undeclared: int | None
    """How many leaves passed that no schema names; None where that is no question."""
    unfinished: Unfinished | None = None
    """Why the answer does not end the call; None where it does."""
    values: tuple[Json, ...] = ()
    """What the documents show, to be let go of with care where it is large."""

    @property
    def size_bytes(self) -> int:
        """How much there is to let go of, about."""
        return self.raw_bytes + self.model_bytes

    @property
    def documents(self) -> "tuple[Document, Document]":
        """What stands on the left, and on the right."""
        return self.raw, self.model

    @property
    def has_differences(self) -> bool:
        """Whether anything was withheld or changed."""
        return bool(self.removals or self.changes)

    def removals_on(self, row: int) -> tuple[Removal, ...]:
        """What was withheld on a row of the panes, the first few of it."""
        return tuple(self.removals[index] for index in self._places_on(row)[:MAX_TOLD])

    def more_on(self, row: int) -> int:
        """How many removals there are on a row beside the first few."""
        return max(len(self._places_on(row)) - MAX_TOLD, 0)

    def changes_on(self, row: int) -> "tuple[Change, ...]":
        """What the host changed on a row; what it changed as a whole, where the row is only on the left."""
        line = self._line(row)
        found = () if line == GAP else self.change_marks.of(line)
        if found or not self._is_left_alone(row):
            return tuple(self.pointed[index] for index in found[:MAX_TOLD])
        return tuple(change for change in self.changes if not change.pointer)

    def difference(self, row: int) -> Difference:
        """Why the two sides of a row differ, or that they do not."""
        line = self._line(row)
        if line == GAP:
            return Difference.ADDED
        if self.marks.covers(line):
            return Difference.REMOVED
        changed = self.change_marks.covers(line) or self._is_left_alone(row)
        return Difference.CHANGED if changed else Difference.NONE

    def signs(self, row: int) -> tuple[str, str]:
        """The signs of a row, left and right."""
        difference = self.difference(row)
        left = difference.value if self._line(row) != GAP else " "
        if not self.aligned:
            return left, " "
        if self.rows.right[row] == GAP:
            return left, difference.value
        return left, " " if difference is Difference.NONE else Difference.ADDED.value

    def next_difference(self, row: int, step: int) -> int | None:
        """The nearest row after (or before) `row` on which a removal or a change begins."""
        return nearest(self.begins, row, step)

    def _places_on(self, row: int) -> Sequence[int]:
        line = self._line(row)
        return () if line == GAP else self.marks.of(line)

    def _is_left_alone(self, row: int) -> bool:
        """Whether a row has something on the left only; not known where the documents are not aligned."""
        return self.aligned and self._line(row) != GAP and self.rows.right[row] == GAP

    def _line(self, row: int) -> int:
        return self.rows.left[row] if row < len(self.rows) else GAP


def begins(rows: Alignment | None, *places: Marks) -> Sequence[int]:
    """The rows on which any of the places begins, in order. `rows`: None where every line has the row of its number."""
    lines: Sequence[int] = ()
    for found in places:
        lines = merged(lines, found.begins)
    if rows is None:
        return lines
    begun = frozenset(lines)
    return tuple(row for row, line in enumerate(rows.left) if line in begun)


def title(view: ResultView) -> Content:
    """Which call it was, how it ended, how long it took. Its name comes last: it may be long."""
    record = view.record
    return Content.assemble(
        (f"#{record.number} ", "$foreground 70%"),
        _ending(record),
        (f" {duration(record.duration_s)} ", "$foreground 70%"),
        content(shortened(record.name, 120)),
    )


def strip(view: ResultView) -> Content:
    """Bytes in, bytes to the model, removals by rule; then, apart, what the host changed."""
    counted = sorted(view.rules.items(), key=lambda found: -found[1])
    rules = ", ".join(f"{rule} {number:,}" for rule, number in counted)
    parts = [
        Content.assemble(
            (size(view.raw_bytes), "bold"), " in, ", (size(view.model_bytes), "bold"), " to the model"
        ),
        content(f"✗ withheld {len(view.removals):,}: {rules}", "$text-error")
        if view.removals
        else Content.styled("nothing withheld", level_style(view.level)),
    ]
    if view.undeclared:
        passed = count(
            view.undeclared, "leaf passed that no schema names", "leaves passed that no schema names"
        )
        parts.insert(1, Content.styled(passed, "bold $text-warning"))
    if view.changes:
        parts.append(Content.styled(f"~ host: {count(len(view.changes), 'change')}", "$text-accent"))
    if not view.observed:
        parts.append(Content.styled("not observed of this host", "$text-warning"))
    if view.findings:
        parts.append(Content.styled(f"! {count(len(view.findings), 'finding')}", "$text-warning"))
    return Content("  ").join(parts)


def standing_line(view: ResultView) -> Content:
    """What the boundary in force means for this result."""
    if view.unfinished:
        words = "; ".join(view.unfinished.asks) or view.unfinished.reason
        return content(
            shortened(f"unfinished, so the model gets nothing; {words}", 1_000), "bold $text-warning"
        )
    match view.level:
        case Level.OPEN:
            return Content.styled("open: nothing is withheld; this is what leaks today", "$text-error")
        case Level.DECLARED:
            leaves = "leaf" if view.undeclared == 1 else "leaves"
            counted = "" if view.undeclared is None else f": {view.undeclared:,} such {leaves} here"
            return Content.styled(FAILS_OPEN + counted, "$text-warning")
        case Level.CLOSED:
            return Content.styled(
                "closed: only what a declared, non-sensitive position names", "$text-success"
            )


def reason_line(view: ResultView, row: int) -> Content:
    """Why the two sides of a row differ, on one line; else what the boundary in force means."""
    if view.unfinished:
        return standing_line(view)
    removals, changes = view.removals_on(row), view.changes_on(row)
    if removals:
        return removal_line(removals[0], len(removals) - 1 + view.more_on(row))
    if changes:
        return change_line(changes[0])
    if view.difference(row) is Difference.ADDED and view.rows.right[row] != GAP:
        words = (
            "+ only in what the model sees: the boundary's notice, text written anew, or the host's own shape"
        )
        return Content.styled(words, "$text-accent")
    return standing_line(view)


def result_findings(view: ResultView) -> tuple[Content, ...]:
    """What could not be judged in a result, and what the host changed, in sentences."""
    return (
        *(
            Content.assemble(("? result  ", "bold $text-warning"), content(shortened(asked, 400)))
            for asked in (view.unfinished.asks if view.unfinished else ())
        ),
        *(
            Content.assemble(("! result  ", "$text-warning"), content(shortened(sentence, 400)))
            for sentence in view.findings[:_MAX_FINDINGS]
        ),
        *(
            Content.assemble(("≠ result  ", "bold $text-error"), content(shortened(remark, 400)))
            for remark in view.record.remarks[:_MAX_FINDINGS]
        ),
        *map(change_line, view.changes[:_MAX_FINDINGS]),
    )


def _ending(record: "CallRecord") -> Content:
    if unfinished(record.outcome):
        return Content.styled("unfinished", "bold $text-warning")
    match record.outcome:
        case RpcError():
            return Content.styled("JSON-RPC error", "bold $text-error")
        case Failure(kind=kind):
            return Content.styled(f"no answer: {kind.value.replace('_', ' ')}", "bold $text-error")
        case outcome:
            failed = isinstance(outcome.value, dict) and outcome.value.get("isError") is True
            return (
                Content.styled("tool error", "bold $text-error")
                if failed
                else Content.styled("done", "$text-success")
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultAsked:
    """A call through two lenses."""

    record: CallRecord
    level: Level
    host: str
    chunk: int
    """Characters after which a text breaks, so that it can be read without moving sideways."""


SERVER_NAME = "server"
"""The name under which hosts are taken to know the server."""


def result_view(record: CallRecord, level: Level, host: str, *, server: str, chunk: int) -> ResultView:
    """A call through two lenses. `server`: the name that hosts know the server by. `chunk`: as of a document."""
    profile = host_of(host) or host_of("spec")
    if profile is None:
        raise LookupError(host)
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    shown = projection_of(record.judgement, level, profile, call, record.policy)
    masked = with_ids(shown.masked, shown.raw) if record.has_ids else shown.masked
    raw = Document(masked, chunk=chunk)
    model = Document(shown.context.model, chunk=chunk)
    removals = shown.bounded.removals
    pointed = tuple(change for change in shown.context.changes if change.pointer)
    found = marks(_extent(raw, removal.pointer) for removal in removals)
    changed = marks(_extent(raw, change.pointer) for change in pointed)
    rows = aligned(raw, model)
    return ResultView(
        record=record,
        level=level,
        host=host,
        raw=raw,
        model=model,
        rows=rows or side_by_side(raw.line_count, model.line_count),
        removals=removals,
        rules=shown.removals_by_rule,
        marks=found,
        changes=shown.context.changes,
        pointed=pointed,
        change_marks=changed,
        begins=begins(rows, found, changed),
        aligned=rows is not None,
        observed=shown.context.observed,
        findings=shown.findings,
        raw_bytes=shown.raw_bytes,
        model_bytes=shown.model_bytes,
        undeclared=shown.undeclared if level is Level.DECLARED else None,
        unfinished=shown.unfinished,
        values=(masked, shown.context.model),
    )


def _extent(document: Document, pointer: str) -> tuple[int, int]:
    lines = document.extent(pointer)
    return (lines.start, lines.stop) if lines else (0, 0)
