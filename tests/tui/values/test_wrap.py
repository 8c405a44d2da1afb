"""The places at which texts are wrapped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.mask import MASK
from inspector.tui.values.wrap import PieceKind, Wrapped, plain_rows, row_text


@pytest.mark.parametrize("width", range(30, 60))
@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("•••••••• (36 characters)", ["(36 characters)"]),
        ("key: •••••••• (1,200 characters) or •••••••• (2 items) end", ["(1,200 characters)", "(2 items)"]),
    ],
)
def test_the_note_of_a_mask_is_not_wrapped(text: str, notes: list[str], width: int) -> None:
    wrapped = Wrapped("secret", "  ", text, PieceKind.STRING, ",", 2, width)
    rows = [row_text(wrapped.row(number)) for number in range(wrapped.count)]
    for note in notes:
        assert any(note in row for row in rows), rows
    assert all(len(row) <= width for row in rows)
    shown = "".join(row.strip().removeprefix("↪ ") for row in rows).replace(" ", "")
    # The note of a value that is masked whole is no part of it.
    value = f'"{MASK}"{text.removeprefix(MASK)}' if text.startswith(MASK) else f'"{text}"'
    assert shown == f"secret{value},".replace(" ", "")


@given(
    st.sampled_from(["", "id", "a_rather_long_label", "b" * 40]),
    st.text(st.sampled_from("ab  "), max_size=300),
    st.sampled_from(["", ","]),
    st.integers(0, 20),
    st.integers(16, 90),
)
def test_the_rows_of_a_plain_text_are_counted_without_being_made(
    label: str, text: str, comma: str, indent: int, width: int
) -> None:
    separator = "  " if label else ""
    counted = plain_rows(len(label + separator), text, len(comma), width - indent)
    if counted:
        assert counted == Wrapped(label, separator, text, PieceKind.STRING, comma, indent, width).count
    else:
        assert len(label) + len(text) + 4 > width - indent - 9
