"""The marks of a tool, shortened to the room that its name leaves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from inspector.claims.traits import Badge
from inspector.protocol.catalogue import Tool
from inspector.tui.catalogue.marks import Mark, RowMarks
from inspector.tui.catalogue.rows import entry_line, marks_in_row, whole_name
from inspector.tui.text import cut_in_the_middle


def mark(words: str, short: str, explained: str | None = None) -> Mark:
    return Mark(
        words=Content(words),
        short=Content(short),
        explained=None if explained is None else Content(explained),
    )


FINDINGS = mark("▲11 high", "▲11", "11 findings: ▲11 high")
CHANGED = mark("~ changed", "~")
LISTED = RowMarks(
    badges=tuple(mark(badge.word, badge.value) for badge in (Badge.UNTRUSTED, Badge.DESTRUCTIVE, Badge.WRITE))
)
FOUND = RowMarks(signs=(CHANGED,), findings=FINDINGS, badges=LISTED.badges)
TOOL = Tool(name="read_text", definition={})


@pytest.mark.parametrize(
    ("marks", "width", "shown", "legend"),
    [
        (LISTED, 31, "untrusted · destructive · write", ""),
        (LISTED, 30, "untrusted · destructive +1", "untrusted · destructive · write"),
        (LISTED, 20, "untrusted +2", "untrusted · destructive · write"),
        (LISTED, 11, "untr +2", "untr = untrusted · destr = destructive · write"),
        (LISTED, 6, "+3", "untrusted · destructive · write"),
        (LISTED, 1, "", "untrusted · destructive · write"),
        (FOUND, 52, "~ changed  ▲11 high  untrusted · destructive · write", ""),
        (
            FOUND,
            51,
            "~ ▲11 high untrusted · destructive · write",
            "~ changed · 11 findings: ▲11 high · untrusted · destructive · write",
        ),
        (
            FOUND,
            41,
            "~ ▲11 untrusted · destructive · write",
            "~ changed · 11 findings: ▲11 high · untrusted · destructive · write",
        ),
        (
            FOUND,
            15,
            "~ ▲11 untr +2",
            "~ changed · 11 findings: ▲11 high · untr = untrusted · destr = destructive · write",
        ),
        (
            FOUND,
            5,
            "~ ▲11",
            "~ changed · 11 findings: ▲11 high · untrusted · destructive · write",
        ),
        (RowMarks(findings=FINDINGS), 8, "▲11 high", ""),
        (RowMarks(findings=FINDINGS), 7, "▲11", "11 findings: ▲11 high"),
        (RowMarks(), 0, "", ""),
    ],
)
def test_marks_are_shortened_with_the_worst_first(
    marks: RowMarks, width: int, shown: str, legend: str
) -> None:
    fitted = marks.fitted(width)
    assert fitted.shown.plain == shown
    assert fitted.legend.plain == legend


@given(
    marks=st.sampled_from([LISTED, FOUND, RowMarks()]), width=st.integers(4, 90), length=st.integers(1, 80)
)
def test_no_name_is_cut_for_its_marks(marks: RowMarks, width: int, length: int) -> None:
    tool = Tool(name="n" * length, definition={})
    line = entry_line(tool, marks, width, here=False)
    assert line.cell_length == width
    fits = length <= width - 2
    assert line.plain.startswith(f"  {tool.name}") == fits
    assert whole_name(tool, width).plain == ("" if fits else cut_in_the_middle(tool.name, 76))
    fitted = marks_in_row(tool, marks, width)
    # Badges that the row does not show completely are in the legend.
    missing = [each for each in marks.badges if each.words.plain not in line.plain]
    assert all(each.words.plain in fitted.legend.plain for each in missing)


def test_names_are_cut_in_the_middle_for_they_differ_at_their_ends() -> None:
    names = [f"trigger-elicitation-request{end}" for end in ("", "-async")]
    rows = [entry_line(Tool(name=name, definition={}), LISTED, 27, here=True).plain for name in names]
    assert [row.rpartition("-")[2] for row in rows] == ["request", "async"]
    assert all(row.startswith("▸ trigger-…") and len(row) == 27 for row in rows)
    assert [whole_name(Tool(name=name, definition={}), 27).plain for name in names] == names


def test_the_marks_are_at_the_end_of_the_row() -> None:
    assert entry_line(TOOL, LISTED, 43, here=True).plain == "▸ read_text untrusted · destructive · write"
    assert entry_line(TOOL, LISTED, 30, here=False).plain == "  read_text       untrusted +2"
