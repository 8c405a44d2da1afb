"""Makes the rows of findings about an item or a whole server, the detail of a row, and the mark of a tool."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from msgspec import Struct, field
from textual.content import Content

from inspector.protocol.catalogue import Entry as Item
from inspector.protocol.catalogue import Tool
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.board import TO_MODEL, Board
from inspector.review.live.ongoing import not_reached, ranked
from inspector.review.registry import rules
from inspector.review.report import NotChecked, ReportEntry, counted_words, grouped
from inspector.review.rule import ReviewRule
from inspector.review.texts import MAX_POINTER
from inspector.tui.catalogue.marks import FAINT, Mark
from inspector.tui.text import content, count, cut_at_front, cut_in_the_middle, path, shortened

ACCEPTED, UNKNOWN = "✓", "?"
_NAME_WIDTH = 20
_LEAST_TITLE, _LEAST_PLACE = 16, 16
"""The minimum widths, in characters, of the title of a finding in a row, and of a place that is cut."""
EARLIER, BEFORE = "in an earlier result", "before the reconnect"
_WHEN = {EARLIER: f"{EARLIER}, not in the last one", BEFORE: f"from {BEFORE}"}

_SHAPES = {"critical": "◆", "high": "▲", "medium": "■", "low": "▽", "info": "·"}
_STYLES = {
    "critical": "bold reverse $text-error",
    "high": "bold $text-error",
    "medium": "bold $text-warning",
    "low": "$text-warning",
    "info": "$foreground 70%",
}


class FindingRow(Struct, frozen=True, kw_only=True):
    """A row with a finding. `rule`: the rule of the finding; None if this version does not have that rule.

    `since`: `EARLIER` if the finding is about an earlier result of the tool, and not about the last one;
    `BEFORE` if the last result is from before the last reconnect; otherwise empty.
    """

    entry: ReportEntry
    rule: ReviewRule | None
    since: str = ""


class UncheckedRow(Struct, frozen=True, kw_only=True):
    """A row with something that the review did not check."""

    what: NotChecked


class NoteRow(Struct, frozen=True, kw_only=True):
    """A row with a heading or a sentence, or an empty row."""

    words: Content
    is_heading: bool = False


Row: TypeAlias = FindingRow | UncheckedRow | NoteRow


class FindingsView(Struct, frozen=True, kw_only=True):
    """A list of findings, ready to be drawn."""

    title: Content
    rows: tuple[Row, ...]
    counting: int
    """The number of findings in `rows` that are not accepted. The tab shows it."""
    name_width: int = 0
    """The width of the column with the names of tools, in cells; 0 if all rows are about one tool."""
    remarks: int = 0
    """The number of remarks on the result, which the tab shows too."""
    to_model: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, Mapping[str, str]])
    """The words of findings about values in results. They are shown to explain the signs of these values.

    The keys are the number of the call, then the pointer of the value.
    """

    def place_of(self, entry: ReportEntry | None) -> int:
        """The index of the row with a finding; if there is none, of the first row that is no heading."""
        if entry is not None:
            for index, row in enumerate(self.rows):
                if (
                    isinstance(row, FindingRow)
                    and row.entry.fingerprint == entry.fingerprint
                    and row.entry.finding == entry.finding
                ):
                    return index
        return int(bool(self.rows) and isinstance(self.rows[0], NoteRow) and self.rows[0].is_heading)


class ItemFindings(Struct, frozen=True, kw_only=True):
    """A request for the findings of one item, with the facts about the item to show below the findings."""

    item: Item
    board: Board
    accepted: AcceptedFindings
    of_result: tuple[Content, ...] = ()
    """The remarks on the result of the item."""
    traits: tuple[Content, ...] = ()
    origins: tuple[Content, ...] = ()
    is_called: bool = False


class AllFindings(Struct, frozen=True, kw_only=True):
    """A request for all findings of a server that contain all words of `query`."""

    board: Board
    accepted: AcceptedFindings
    query: str = ""
    until: str = ""
    """The part of a recording after the current position, in words; empty if nothing follows."""


def item_findings(asked: ItemFindings) -> FindingsView:
    """The content of the Findings tab. Blocks: call it in a thread."""
    entries = [asked.accepted.with_acceptance(entry) for entry in asked.board.of(asked.item)]
    title = Content.styled(_counted(entries, len(asked.of_result)), "bold")
    if asked.board.is_waiting(asked.item):
        title = Content.styled("Not reviewed yet", "bold")
    rows = [
        *_rows(entries, asked.board),
        *_section("Remarks on the result", asked.of_result),
        *_section("Summary of the claims", asked.traits),
        *_section("Where it comes from", asked.origins),
        *_section("Not checked", tuple(_unchecked(asked))),
    ]
    # Without findings, the list begins with a heading, not with an empty line.
    return FindingsView(
        title=title,
        rows=tuple(rows if entries else rows[1:]),
        counting=sum(entry.counts for entry in entries),
        remarks=len(asked.of_result),
        to_model={
            number: _to_model(map(asked.accepted.with_acceptance, found))
            for number, found in asked.board.to_model.items()
        },
    )


def _to_model(entries: Iterable[ReportEntry]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for finding in (entry.finding for entry in entries if entry.counts):
        words = f"{TO_MODEL[finding.id]}: {finding.id}"
        before = found.get(finding.pointer)
        found[finding.pointer] = f"{before}; {words}" if before else words
    return found


def all_findings(asked: AllFindings) -> FindingsView:
    """The content of the review screen: the worst findings first, then what was not checked."""
    words = asked.query.casefold().split()
    entries = [asked.accepted.with_acceptance(entry) for entry in asked.board.all]
    found = [row for row in _rows(entries, asked.board) if _matches(row, words)]
    unreached = (*not_reached(asked.until), *asked.board.not_checked)
    missing = (each for each in unreached if _matches(UncheckedRow(what=each), words))
    unchecked = [UncheckedRow(what=each) for each in grouped(missing)]
    heading = [
        *([NoteRow(words=Content(""))] if found else []),
        NoteRow(words=Content.styled("Not checked, so nothing is known", "bold"), is_heading=True),
    ]
    board = asked.board
    progress = f" so far; reviewed {board.reviewed:,} of {board.total:,} …"
    return FindingsView(
        title=Content.assemble(
            (counted_words(entries), "bold"),
            ("" if board.is_complete else progress, "$text-warning"),
            (f"  {len(grouped(unreached)):,} not checked", FAINT),
            (f"  {len(found):,} shown" if words else "", FAINT),
        ),
        rows=(*found, *(heading if unchecked else ()), *unchecked),
        name_width=min(_NAME_WIDTH, max((_name(entry).cell_length for entry in entries), default=1)),
        counting=sum(entry.counts for entry in entries),
    )


def _counted(entries: Iterable[ReportEntry], remarks: int) -> str:
    """The counts in words, such as `2 findings: 1 high, 1 low; 1 accepted; 1 remark on the result`."""
    words = counted_words(entries)
    return f"{words}; {count(remarks, 'remark')} on the result" if remarks else words


def _rows(entries: Iterable[ReportEntry], board: Board) -> list[Row]:
    by_id = _by_id()
    return [
        FindingRow(entry=entry, rule=by_id.get(entry.finding.id), since=_since(entry, board))
        for entry in ranked(entries)
    ]


def _since(entry: ReportEntry, board: Board) -> str:
    if entry.fingerprint in board.earlier:
        return EARLIER
    return BEFORE if (entry.fingerprint, entry.finding.message) in board.before else ""


def _section(heading: str, lines: tuple[Content, ...]) -> Iterator[Row]:
    if lines:
        yield NoteRow(words=Content(""))
        yield NoteRow(words=Content.styled(heading, "bold"), is_heading=True)
        yield from (NoteRow(words=line) for line in lines)


def _unchecked(asked: ItemFindings) -> Iterator[Content]:
    if isinstance(asked.item, Tool) and not asked.is_called:
        yield Content.styled("results of this tool: no call in this session has returned a result", FAINT)
    total = sum(asked.accepted.with_acceptance(entry).counts for entry in asked.board.all)
    of_server = sum(asked.accepted.with_acceptance(entry).counts for entry in asked.board.of_server)
    more = f", {of_server:,} of them about the server itself" if of_server else ""
    all_of_them = f"all {count(total, 'finding')}{more}, and " if total else ""
    words = f"f lists {all_of_them}everything that was not checked"
    yield Content.styled(words, FAINT)


def _matches(row: Row, words: list[str]) -> bool:
    searched = _searched(row) if words else ""
    return all(word in searched for word in words)


def _searched(row: Row) -> str:
    match row:
        case FindingRow(entry=entry, rule=rule, since=since):
            finding = entry.finding
            parts = (
                finding.id,
                finding.severity.value,
                finding.subject.value,
                finding.name,
                rule.title if rule else "",
                rule.titles.get(finding.pointer, "") if rule else "",
                finding.pointer,
                finding.message,
                finding.evidence,
                since,
                f"accepted {entry.acceptance.reason}" if entry.acceptance else "",
            )
            return " ".join(parts).casefold()
        case UncheckedRow(what=what):
            return f"not checked {what.what} {what.why}".casefold()
        case NoteRow():
            return ""


@cache
def _by_id() -> dict[str, ReviewRule]:
    return {rule.id: rule for rule in rules()}


def sign_of(entries: Iterable[ReportEntry], *, is_waiting: bool) -> Mark:
    """A mark with the worst findings: `▲2 high`, or `▲2 of 5 high` with 3 less severe findings.

    Accepted findings are left out. The legend of the mark counts each severity. The mark is `…` before the
    review, and empty without findings.
    """
    numbers = Counter(entry.finding.severity for entry in entries if entry.counts)
    if not numbers:
        waiting = Content.styled("…" if is_waiting else "", FAINT)
        words = Content.styled("not reviewed yet" if is_waiting else "", FAINT)
        return Mark(words=waiting, short=waiting, explained=words)
    ordered = sorted((severity.rank, severity.value, number) for severity, number in numbers.items())[::-1]
    words = [
        Content.styled(f"{_SHAPES[severity]}{number} {severity}", _STYLES[severity])
        for _, severity, number in ordered
    ]
    _, worst, number = ordered[0]
    short = f"{_SHAPES[worst]}{number}"
    return Mark(
        words=Content.styled(
            f"{short} {f'of {numbers.total()} ' if numbers.total() > number else ''}{worst}", _STYLES[worst]
        ),
        short=Content.styled(short, _STYLES[worst]),
        explained=Content.assemble(count(numbers.total(), "finding"), ": ", Content(", ").join(words)),
    )


def _name(entry: ReportEntry, *, pad_to: int = 0) -> Content:
    """The name of the item that a finding is about; without a name, the kind of the subject.

    `pad_to`: the minimum width in cells.
    """
    name = content(shortened(entry.finding.name or entry.finding.subject.value, 40), "bold")
    return name.pad_right(max(0, pad_to - name.cell_length))


def row_line(row: Row, width: int, *, here: bool, name_width: int = 0) -> Content:
    """A row in `width` cells. `here`: whether the cursor is on it. `name_width`: as in `FindingsView`."""
    cursor = "▸" if here else " "
    match row:
        case NoteRow(words=words):
            line = Content.assemble(cursor, " ", words)
        case UncheckedRow(what=what):
            words = content(shortened(f"{what.what}: {what.why}", width))
            line = Content.assemble(cursor, (f"{UNKNOWN} ", "bold $text-accent"), words)
        case FindingRow(entry=entry, rule=rule, since=since):
            finding, accepted = entry.finding, entry.acceptance
            first = Content.assemble(
                cursor,
                _severity(entry),
                (f"{finding.id}  ", FAINT),
                _name(entry, pad_to=name_width) if name_width else "",
                "  " if name_width else "",
            )
            room = width - first.cell_length - (len(since) + 2 if since else 0)
            place = _place(finding.pointer, rule)
            # Findings of one rule may differ only in their places, and places mostly differ at their ends.
            title = _title(rule, max(room - min(len(place), _LEAST_PLACE) - 2, _LEAST_TITLE), finding.pointer)
            place = cut_at_front(place, max(room - title.cell_length - 2, _LEAST_PLACE))
            line = Content.assemble(
                first,
                title,
                (f"  {since}" if since else "", FAINT),
                content(f"  {place}", FAINT) if place else "",
                content(f"  accepted: {shortened(accepted.reason, width)}", "$text-success")
                if accepted
                else "",
            )
    return line.truncate(width, ellipsis=True)


_HOW = Content.styled("A finding under the cursor is shown here, with its evidence, meaning and fix.", FAINT)


def row_detail(row: Row | None) -> Content:
    """A row in full, for the detail below the list."""
    match row:
        case FindingRow(entry=entry, rule=rule, since=since):
            return _finding_detail(entry, rule, since=since)
        case UncheckedRow(what=what):
            return Content.assemble(
                content(f"Not checked: {shortened(what.what, 400)}", "bold"),
                "\n",
                content(shortened(what.why, 400)),
                ("\nNothing is known about this.", FAINT),
            )
        case NoteRow(words=words, is_heading=is_heading):
            return words if words.plain and not is_heading else _HOW
        case None:
            return Content("")


def _finding_detail(entry: ReportEntry, rule: ReviewRule | None, *, since: str) -> Content:
    finding = entry.finding
    about = f"{finding.subject.value} {shortened(finding.name, 120)}".rstrip()
    place = _place(finding.pointer, rule)
    lines = [
        Content.assemble(
            _severity(entry),
            (f"{finding.id}  ", "bold"),
            _title(rule, 200, finding.pointer),
            (f"  confidence: {finding.confidence.value}", FAINT),
        ),
        Content.assemble(
            content(about, "bold"),
            (", at ", FAINT) if place else "",
            content(cut_in_the_middle(place, 300)),
            (f"  {_WHEN[since]}" if since else "", "$text-warning"),
        ),
        content(shortened(finding.message, 1200)),
    ]
    if finding.evidence:
        lines.append(Content.assemble(("> ", "bold $text-accent"), content(shortened(finding.evidence, 400))))
    if entry.acceptance is not None:
        lines.append(content(f"Accepted: {shortened(entry.acceptance.reason, 600)}", "bold $text-success"))
    if rule is not None:
        lines += [
            Content.assemble(("Means: ", "bold"), rule.consequence),
            Content.assemble(("Fix: ", "bold"), rule.fix),
            Content.styled(", ".join(rule.references), FAINT),
        ]
    return Content("\n").join(lines)


def _severity(entry: ReportEntry) -> Content:
    severity = entry.finding.severity.value
    if not entry.counts:
        return Content.styled(f"{ACCEPTED} {severity:<9}", FAINT)
    mark = f"{_SHAPES[severity]} {severity}"
    return Content.styled(mark, _STYLES[severity]).pad_right(11 - len(mark))


def _title(rule: ReviewRule | None, width: int, pointer: str) -> Content:
    title = rule.titles.get(pointer, rule.title) if rule else ""
    return Content(shortened(title, width))


def _place(pointer: str, rule: ReviewRule | None) -> str:
    """The pointer of a finding as a path; empty if the title describes the same place. Untrusted text."""
    return "" if rule is not None and pointer in rule.titles else path(pointer, MAX_POINTER, whole="")
