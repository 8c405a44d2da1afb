"""A result in two panes: what stands on each row, what was withheld there, and the counts under them."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.core.boundary.bounded import Level, Removal
from inspector.core.outcome import Failure, RpcError
from inspector.tui.present.alignment import GAP, Alignment
from inspector.tui.present.foreign import content, shortened
from inspector.tui.present.header import level_style
from inspector.tui.present.measures import count, duration, size

if TYPE_CHECKING:
    from inspector.core.document import Document
    from inspector.core.hosts.profile import Change
    from inspector.session import CallRecord

_MAX_FINDINGS = 200

FAILS_OPEN = "declared withholds what somebody declared; it fails open for what nobody declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Which lines of the raw document belong to a removal."""

    at: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """By first line: the removals, as indexes."""
    starts: tuple[int, ...] = ()
    stops: tuple[int, ...] = ()
    """Stretches of lines that are removed, apart from each other and in order."""

    def covers(self, line: int) -> bool:
        """Whether `line` is removed."""
        found = bisect_right(self.starts, line) - 1
        return found >= 0 and line < self.stops[found]

    def of(self, line: int) -> tuple[int, ...]:
        """The removals that `line` belongs to: those that begin there, else the one around it."""
        if line in self.at:
            return self.at[line]
        found = bisect_right(self.starts, line) - 1
        return self.at[self.starts[found]] if found >= 0 and line < self.stops[found] else ()


def marks(extents: Iterable[tuple[int, int]]) -> Marks:
    """Marks from the lines of each removal, as start and stop."""
    at: defaultdict[int, list[int]] = defaultdict(list)
    stretches: list[tuple[int, int]] = []
    for index, (start, stop) in enumerate(extents):
        if start < stop:
            at[start].append(index)
            stretches.append((start, stop))
    starts: list[int] = []
    stops: list[int] = []
    for start, stop in sorted(stretches):
        if stops and start < stops[-1]:
            stops[-1] = max(stops[-1], stop)
        else:
            starts.append(start)
            stops.append(stop)
    return Marks(
        at={line: tuple(found) for line, found in at.items()}, starts=tuple(starts), stops=tuple(stops)
    )


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
    removals: tuple[Removal, ...]
    marks: Marks
    changes: "tuple[Change, ...]"
    """What the host did, apart from what the boundary withheld."""
    pointed: "tuple[Change, ...]"
    """The changes that are at some place; others concern the whole."""
    change_marks: Marks
    """Of `pointed`."""
    aligned: bool
    """Whether what stands on one row belongs together; if not, the sides are too large or too unlike."""
    observed: bool
    findings: tuple[str, ...]
    raw_bytes: int
    model_bytes: int

    def removals_on(self, row: int) -> tuple[Removal, ...]:
        """What was withheld on a row of the panes."""
        line = self._line(row)
        return () if line == GAP else tuple(self.removals[index] for index in self.marks.of(line))

    def changes_on(self, row: int) -> "tuple[Change, ...]":
        """What the host changed on a row; what it changed as a whole, where the row is only on the left."""
        line = self._line(row)
        found = () if line == GAP else self.change_marks.of(line)
        if found or not self._is_left_alone(row):
            return tuple(self.pointed[index] for index in found)
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

    def rewritten(self, row: int) -> bool:
        """Whether both sides have something on a row that was withheld or changed."""
        return (
            self.difference(row) is not Difference.NONE
            and self._line(row) != GAP
            and self.rows.right[row] != GAP
        )

    def next_difference(self, row: int, step: int) -> int | None:
        """The nearest row after (or before) `row` on which a removal or a change begins."""
        places = range(row + step, len(self.rows) if step > 0 else -1, step)
        begins = self.marks.at.keys() | self.change_marks.at.keys()
        return next((place for place in places if self.rows.left[place] in begins), None)

    def _is_left_alone(self, row: int) -> bool:
        """Whether a row has something on the left only; not known where the documents are not aligned."""
        return self.aligned and self._line(row) != GAP and self.rows.right[row] == GAP

    def _line(self, row: int) -> int:
        return self.rows.left[row] if row < len(self.rows) else GAP


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
    counted = Counter(removal.rule for removal in view.removals)
    rules = ", ".join(f"{rule} {number:,}" for rule, number in counted.most_common())
    parts = [
        Content.assemble(
            (size(view.raw_bytes), "bold"), " in, ", (size(view.model_bytes), "bold"), " to the model"
        ),
        content(f"✗ withheld {len(view.removals):,}: {rules}", "$text-error")
        if view.removals
        else Content.styled("nothing withheld", level_style(view.level)),
    ]
    if view.changes:
        parts.append(Content.styled(f"~ host: {count(len(view.changes), 'change')}", "$text-accent"))
    if not view.observed:
        parts.append(Content.styled("not observed of this host", "$text-warning"))
    if view.findings:
        parts.append(Content.styled(f"! {count(len(view.findings), 'finding')}", "$text-warning"))
    return Content("  ").join(parts)


def standing_line(view: ResultView) -> Content:
    """What the boundary in force means for this result."""
    match view.level:
        case Level.OPEN:
            return Content.styled("open: nothing is withheld; this is what leaks today", "$text-error")
        case Level.DECLARED:
            return Content.styled(FAILS_OPEN, "$text-warning")
        case Level.CLOSED:
            return Content.styled(
                "closed: only what a declared, non-sensitive position names", "$text-success"
            )


def reason_line(view: ResultView, row: int) -> Content:
    """Why the two sides of a row differ, on one line; else what the boundary in force means."""
    removals, changes = view.removals_on(row), view.changes_on(row)
    if removals:
        first = removals[0]
        more = f" (and {len(removals) - 1:,} more here)" if len(removals) > 1 else ""
        return Content.assemble(
            ("✗ ", "bold $text-error"),
            content(first.rule, "bold $text-error"),
            "  ",
            content(shortened(first.pointer or "the whole result", 120), "bold"),
            "  ",
            content(shortened(first.detail, 300)),
            (more, "$foreground 70%"),
        )
    if changes:
        return _change_line(changes[0])
    if view.difference(row) is Difference.ADDED and view.rows.right[row] != GAP:
        words = (
            "+ only in what the model sees: the boundary's notice, text written anew, or the host's own shape"
        )
        return Content.styled(words, "$text-accent")
    return standing_line(view)


def removal_detail(removals: Sequence[Removal]) -> Content:
    """Every removal under the cursor: rule, pointer, declaration and why."""
    lines: list[Content] = []
    for removal in removals[:20]:
        lines.append(
            Content.assemble(
                ("✗ ", "bold $text-error"),
                content(removal.rule, "bold $text-error"),
                " withholds ",
                content(shortened(removal.pointer or "the whole result", 400), "bold"),
            )
        )
        lines.append(
            Content.assemble(("  why          ", "$foreground 70%"), content(shortened(removal.detail, 1000)))
        )
        lines.append(Content.assemble(("  declaration  ", "$foreground 70%"), _declaration(removal)))
    if len(removals) > 20:
        lines.append(Content(f"… and {len(removals) - 20:,} more"))
    return Content("\n").join(lines)


def result_findings(view: ResultView) -> tuple[Content, ...]:
    """What could not be judged in a result, and what the host changed, in sentences."""
    return (
        *(
            Content.assemble(("! result  ", "$text-warning"), content(shortened(sentence, 400)))
            for sentence in view.findings[:_MAX_FINDINGS]
        ),
        *map(_change_line, view.changes[:_MAX_FINDINGS]),
    )


def _change_line(change: "Change") -> Content:
    return Content.assemble(
        ("~ host  ", "bold $text-accent"),
        content(shortened(change.pointer or "the whole", 120), "bold"),
        "  ",
        content(shortened(change.what, 400)),
    )


def _declaration(removal: Removal) -> Content:
    claim = removal.claim
    if claim is None and removal.schema_pointer is None:
        return Content.styled("none: the rule needs none", "$foreground 70%")
    parts: list[Content | str] = []
    if claim is not None:
        parts += [
            content(shortened(f"{claim.vocabulary}: {claim.key}", 120), "bold"),
            f" ({claim.standing}) at ",
            content(shortened(claim.pointer or "its root", 300)),
        ]
    if removal.schema_pointer is not None:
        parts += [
            "; " if parts else "",
            "output schema ",
            content(shortened(removal.schema_pointer or "root", 300)),
        ]
    return Content.assemble(*parts)


def _ending(record: "CallRecord") -> Content:
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
