"""The places at which texts are wrapped."""

import pytest

from inspector.boundary.mask import MASK
from inspector.tui.values.wrap import PieceKind, Wrapped, row_text


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
