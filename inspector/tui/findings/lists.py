"""Lists of findings, made in worker threads: those of one item, and all of a server. Importing this loads the core."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from textual.content import Content

from inspector.protocol.catalogue import Entry as Item
from inspector.protocol.catalogue import Tool
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.board import Board
from inspector.review.live.ongoing import ranked
from inspector.review.registry import rules
from inspector.review.report import Entry
from inspector.review.rule import Rule
from inspector.tui.findings.rows import FindingRow, FindingsView, NoteRow, Row, UncheckedRow, counted

_FAINT = "$foreground 70%"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFindings:
    """An item of the catalogue, and what there is to say of it beside its findings."""

    item: Item
    board: Board
    accepted: AcceptedFindings
    of_result: tuple[Content, ...] = ()
    """What could not be judged in the result that is shown, and what the host changed."""
    traits: tuple[Content, ...] = ()
    origins: tuple[Content, ...] = ()
    is_called: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AllFindings:
    """Everything that was found, narrowed by words."""

    board: Board
    accepted: AcceptedFindings
    query: str = ""


def item_findings(asked: ItemFindings) -> FindingsView:
    """What the Findings tab shows."""
    entries = [asked.accepted.standing(entry) for entry in asked.board.of(asked.item)]
    title = counted(entries)
    if asked.board.is_waiting(asked.item):
        title = Content.styled("Not reviewed yet: the review has not come to it.", "bold")
    of_server = [asked.accepted.standing(entry) for entry in asked.board.of_server]
    rows = [
        *_rows(entries),
        *_section("In the result that is shown", asked.of_result),
        *_found_section("Of the server itself", of_server),
        *_section("What the claims amount to", asked.traits),
        *_section("Where it comes from", asked.origins),
        *_section("Not checked", tuple(_not_checked(asked))),
    ]
    # A list without findings begins with a heading.
    rows = rows if entries else rows[1:]
    return FindingsView(
        title=title,
        rows=tuple(rows),
        counting=sum(entry.counts for entry in entries) + len(asked.of_result),
    )


def all_findings(asked: AllFindings) -> FindingsView:
    """What the screen of all findings shows: the worst first, then what was not checked."""
    words = asked.query.casefold().split()
    found = [asked.accepted.standing(entry) for entry in asked.board.all]
    rows: list[Row] = [*_rows(found), *(UncheckedRow(what=what) for what in asked.board.not_checked)]
    kept = [row for row in rows if _matches(row, words)]
    place = next((number for number, row in enumerate(kept) if isinstance(row, UncheckedRow)), len(kept))
    heading = [
        NoteRow(words=Content("")),
        NoteRow(words=Content.styled("Not checked: silence is not a pass", "bold")),
    ]
    if place < len(kept):
        kept[place:place] = heading if place else heading[1:]
    progress = "" if asked.board.is_complete else _progress(asked.board)
    narrowed = f"  {place:,} shown" if words else ""
    return FindingsView(
        title=Content.assemble(counted(found), (progress, "$text-warning"), (narrowed, _FAINT)),
        rows=tuple(kept),
        counting=sum(entry.counts for entry in found),
    )


def _progress(board: Board) -> str:
    return f" so far  reviewing: {board.reviewed:,} of {board.total:,} …"


def _rows(entries: Iterable[Entry]) -> list[Row]:
    by_id = _by_id()
    return [FindingRow(entry=entry, rule=by_id.get(entry.finding.id)) for entry in ranked(entries)]


def _section(heading: str, lines: tuple[Content, ...]) -> Iterator[Row]:
    if lines:
        yield NoteRow(words=Content(""))
        yield NoteRow(words=Content.styled(heading, "bold"))
        yield from (NoteRow(words=line) for line in lines)


def _found_section(heading: str, entries: list[Entry]) -> Iterator[Row]:
    if entries:
        yield NoteRow(words=Content(""))
        yield NoteRow(words=Content.styled(heading, "bold"))
        yield from _rows(entries)


def _not_checked(asked: ItemFindings) -> Iterator[Content]:
    if isinstance(asked.item, Tool) and not asked.is_called:
        yield Content.styled("Its results: it was not called in this session.", _FAINT)
    yield Content.styled("f lists all findings of the server, and what else was not checked.", _FAINT)


def _matches(row: Row, words: list[str]) -> bool:
    if not words:
        return True
    searched = _searched(row)
    return all(word in searched for word in words)


def _searched(row: Row) -> str:
    match row:
        case FindingRow(entry=entry, rule=rule):
            finding = entry.finding
            accepted = f"accepted {entry.acceptance.reason}" if entry.acceptance else ""
            title = rule.title if rule else ""
            parts = (
                finding.id,
                finding.severity.value,
                finding.subject.value,
                finding.name,
                title,
                finding.pointer,
                finding.message,
                finding.evidence,
                accepted,
            )
            return " ".join(parts).casefold()
        case UncheckedRow(what=what):
            return f"not checked {what.what} {what.why}".casefold()
        case NoteRow():
            return ""


@cache
def _by_id() -> dict[str, Rule]:
    return {rule.id: rule for rule in rules()}
