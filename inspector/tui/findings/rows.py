"""Findings: one row each, the one under the cursor in full, and the sign of a tool's worst."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from inspector.tui.text import content, count, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.review.report import Entry, NotChecked
    from inspector.review.rule import Rule

ACCEPTED, UNKNOWN = "✓", "?"

_FAINT = "$foreground 70%"
_SHAPES = {"critical": "◆", "high": "▲", "medium": "■", "low": "▽", "info": "·"}

_STYLES = {
    "critical": "bold reverse $text-error",
    "high": "bold $text-error",
    "medium": "bold $text-warning",
    "low": "$text-warning",
    "info": "$foreground 70%",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding, with the reason for which it is accepted, where it is."""

    entry: "Entry"
    rule: "Rule | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class UncheckedRow:
    """Something that the review does not speak of."""

    what: "NotChecked"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """A heading, a sentence, or nothing."""

    words: Content


Row: TypeAlias = FindingRow | UncheckedRow | NoteRow


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView:
    """A list of findings, ready to be drawn."""

    title: Content
    rows: tuple[Row, ...]
    counting: int
    """Findings that are not accepted."""

    def place_of(self, entry: "Entry | None") -> int:
        """Where a finding stands in this list; 0 where it does not."""
        if entry is None:
            return 0
        for index, row in enumerate(self.rows):
            if isinstance(row, FindingRow):
                other = row.entry
                if other.fingerprint == entry.fingerprint and other.finding == entry.finding:
                    return index
        return 0


def sign_of(entries: "Iterable[Entry]", *, is_waiting: bool) -> Content:
    """Shape and letter of the worst finding that is not accepted, and how many there are: `▲H3`.

    `…` where it has not been reviewed yet; empty where nothing was found.
    """
    counting = [entry.finding.severity for entry in entries if entry.counts]
    if not counting:
        return Content.styled("… " if is_waiting else "", _FAINT)
    worst = max(counting, key=lambda severity: severity.rank).value
    mark = f"{_SHAPES[worst]}{worst[0].upper()}{len(counting)}"
    return Content.assemble((mark, _STYLES[worst]), " ")


def row_line(row: Row, width: int, *, here: bool, with_name: bool) -> Content:
    """One row in `width` cells. `with_name`: whether it says what it is about."""
    cursor = "▸" if here else " "
    match row:
        case NoteRow(words=words):
            line = Content.assemble(cursor, " ", words)
        case UncheckedRow(what=what):
            said = content(shortened(f"{what.what}: {what.why}", width))
            line = Content.assemble(cursor, (f"{UNKNOWN} ", "bold $text-accent"), said)
        case FindingRow(entry=entry, rule=rule):
            finding = entry.finding
            line = Content.assemble(
                cursor,
                _severity(entry),
                (f"{finding.id}  ", _FAINT),
                content(shortened(finding.name or finding.subject.value, 40), "bold") if with_name else "",
                "  " if with_name else "",
                _title(rule, width),
                content(f"  {shortened(finding.pointer, width)}", _FAINT),
                _accepted(entry, width),
            )
    return line.truncate(width, ellipsis=True)


def row_detail(row: Row | None) -> Content:
    """All there is to say of a row."""
    match row:
        case FindingRow(entry=entry, rule=rule):
            return _finding_detail(entry, rule)
        case UncheckedRow(what=what):
            return Content.assemble(
                ("Not checked: ", "bold"),
                content(shortened(what.what, 400), "bold"),
                "\n",
                content(shortened(what.why, 400)),
                ("\nSilence is not a pass: nothing is known of it.", _FAINT),
            )
        case NoteRow(words=words):
            return words
        case None:
            return Content("")


def _finding_detail(entry: "Entry", rule: "Rule | None") -> Content:
    finding = entry.finding
    about = f"{finding.subject.value} {shortened(finding.name, 120)}".rstrip()
    lines = [
        Content.assemble(
            _severity(entry),
            (f"{finding.id}  ", "bold"),
            _title(rule, 200),
            (f"  confidence: {finding.confidence.value}", _FAINT),
        ),
        Content.assemble(
            content(about, "bold"),
            (", at ", _FAINT) if finding.pointer else "",
            content(shortened(finding.pointer, 300)),
        ),
        content(shortened(finding.message, 1200)),
    ]
    if finding.evidence:
        lines.append(Content.assemble(("> ", "bold $text-accent"), content(shortened(finding.evidence, 400))))
    if entry.acceptance is not None:
        lines.append(content(f"Accepted: {shortened(entry.acceptance.reason, 600)}", "bold $text-success"))
    if rule is not None:
        lines += [
            Content.assemble(("Means: ", "bold"), rule.meaning),
            Content.assemble(("Fix: ", "bold"), rule.fix),
            Content.styled(", ".join(rule.references), _FAINT),
        ]
    return Content("\n").join(lines)


def counted(entries: "Iterable[Entry]") -> Content:
    """`5 findings: 2 high, 3 low; 1 accepted`."""
    numbers: dict[str, int] = {}
    accepted = 0
    for entry in entries:
        severity = entry.finding.severity.value
        accepted += not entry.counts
        numbers[severity] = numbers.get(severity, 0) + entry.counts
    told = [f"{numbers[name]:,} {name}" for name in _SHAPES if numbers.get(name)]
    total = sum(numbers.values())
    said = f"{count(total, 'finding')}: {', '.join(told)}" if total else "No findings"
    return Content.styled(f"{said}; {accepted:,} accepted" if accepted else said, "bold")


def _severity(entry: "Entry") -> Content:
    severity = entry.finding.severity.value
    if not entry.counts:
        return Content.styled(f"{ACCEPTED} {severity:<9}", _FAINT)
    mark = f"{_SHAPES[severity]} {severity}"
    return Content.styled(mark, _STYLES[severity]).pad_right(11 - len(mark))


def _title(rule: "Rule | None", width: int) -> Content:
    return Content(shortened(rule.title, max(width, 20)) if rule else "")


def _accepted(entry: "Entry", width: int) -> Content:
    if entry.acceptance is None:
        return Content("")
    return content(f"  accepted: {shortened(entry.acceptance.reason, width)}", "$text-success")
