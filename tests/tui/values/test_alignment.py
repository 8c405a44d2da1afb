from hypothesis import given
from hypothesis import strategies as st

from inspector.tui.values.alignment import GAP, align

lines = st.lists(st.sampled_from("abcdefgh"), max_size=30)


def rows(left: str, right: str) -> list[str]:
    found = align(left, right)
    return [
        (left[a] if a != GAP else "-") + (right[b] if b != GAP else "-")
        for a, b in zip(found.left, found.right, strict=True)
    ]


def test_a_missing_line_leaves_a_gap_and_the_rest_stays_aligned() -> None:
    assert rows("abcd", "abd") == ["aa", "bb", "c-", "dd"]
    assert rows("abd", "abcd") == ["aa", "bb", "-c", "dd"]


def test_repeated_lines_around_an_anchor_are_aligned() -> None:
    assert rows("((x))", "((x))") == ["((", "((", "xx", "))", "))"]
    assert rows("((xy))", "((y))") == ["((", "((", "x-", "yy", "))", "))"]


def test_lines_that_differ_have_rows_of_their_own() -> None:
    assert rows("axb", "ayb") == ["aa", "x-", "-y", "bb"]


@given(lines, lines)
def test_every_line_has_one_row_and_the_order_stays(left: list[str], right: list[str]) -> None:
    found = align(left, right)
    assert len(found.left) == len(found.right)
    assert [index for index in found.left if index != GAP] == list(range(len(left)))
    assert [index for index in found.right if index != GAP] == list(range(len(right)))
    for a, b in zip(found.left, found.right, strict=True):
        assert (a, b) != (GAP, GAP)
        assert GAP in {a, b} or left[a] == right[b]


@given(lines)
def test_a_document_aligned_with_itself_has_no_gaps(found: list[str]) -> None:
    aligned = align(found, found)
    assert aligned.left == aligned.right
