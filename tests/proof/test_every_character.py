"""Invariant 7: an outline shows every character of both values, in order and once, in rows that fit their width."""

import pytest
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.json.exact import DuplicateKeys, Json, Number, dump_text, scalar_text
from inspector.safe_text import safe_line
from inspector.tui.values.outline import ABSENT, Outline, OutlineStyle, Side, Value
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import PieceKind, Span, quoted
from tests.proof.tally import PARTS, prove

LEAST_WIDTH, MOST_WIDTH = 20, 200
ODD = '"\\\n\t\r\x00\x1b\u200b\u202e\u0301漢字👩🏽\ud800\udc00\ufe0f\U000e0100é'
TEXTS = st.one_of(
    st.text(st.characters(), max_size=60),
    st.text(st.sampled_from("ab " + ODD), max_size=300),
    st.text(st.sampled_from("lorem ipsum. "), max_size=900),
    st.builds(
        dump_text, st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=40), max_size=4)
    ),
)
KEYS = st.sampled_from(["content", "text", "type", "structuredContent", "a b", "_meta"]) | TEXTS
LEAVES = st.one_of(
    TEXTS,
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False),
    st.sampled_from([Number("1.10"), Number("9" * 500)]),
)


def _block(text: str) -> Json:
    return {"type": "text", "text": text}


def _result(content: list[Json]) -> Json:
    return {"content": content}


def _containers(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    block: st.SearchStrategy[Json] = st.builds(_block, TEXTS)
    return st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(KEYS, inner, max_size=5),
        st.builds(DuplicateKeys, st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple)),
        st.builds(_result, st.lists(block | inner, max_size=3)),
    )


VALUES: st.SearchStrategy[Json] = st.recursive(LEAVES, _containers, max_leaves=12)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Json, Value, int, int]:
    """A value, another one that shares most members with it, and the widths of both."""
    left = draw(VALUES)
    shared: st.SearchStrategy[Value] = st.just(left) | st.just(ABSENT) | VALUES
    if isinstance(left, dict):
        members = list(left.items())
        shared |= st.lists(
            st.sampled_from([*members, ("added", "x" * 70)]), unique_by=lambda item: item[0]
        ).map(dict)
    if isinstance(left, list):
        shared |= st.lists(st.sampled_from([*left, "added"]), max_size=6)
    widths = st.integers(LEAST_WIDTH, MOST_WIDTH)
    return left, draw(shared), draw(widths), draw(widths)


Rows = list[list[Span]]


def drawn(outline: Outline, rows: OutlineRows, side: Side) -> Rows:
    """The rows of one side. Asserts that each fits."""
    width = rows.widths[side]
    shown: Rows = []
    for index in range(len(rows)):
        row = rows.at(index)
        spans = list(outline.side_row(row.node, side, width, row.number))
        assert cell_len("".join(text for text, _ in spans)) <= width
        shown.append(spans)
    return shown


def text_in(shown: Rows, kinds: frozenset[PieceKind]) -> str:
    """The text of these kinds."""
    return "".join(text for row in shown for text, kind in row if kind in kinds)


def written(value: Value) -> str:
    """A value as JSON, each character in its safe form, without blanks between tokens."""
    match value:
        case str():
            return f'"{quoted(value)}"'
        case dict():
            return "{" + ",".join(f'"{quoted(key)}":{written(item)}' for key, item in value.items()) + "}"
        case DuplicateKeys():
            return "{" + ",".join(f'"{quoted(key)}":{written(item)}' for key, item in value.pairs) + "}"
        case list():
            return "[" + ",".join(map(written, value)) + "]"
        case _:
            return "" if value is ABSENT else safe_line(scalar_text(value))


def lines_drawn(shown: Rows) -> int:
    """The number of lines that begin behind a border."""
    return sum(kind is PieceKind.CONTINUATION and text.endswith("▏") for row in shown for text, kind in row)


def drawn_text(text: str) -> str:
    """A text as the tree of values shows it: in quotes, or line by line, with a row that begins after each line feed."""
    return safe_line(text.replace("\n", "")) if "\n" in text else f'"{quoted(text)}"'


def check(case: tuple[Json, Value, int, int]) -> set[str]:
    left, right, *widths = case
    sides: tuple[Side, ...] = (0,) if right is ABSENT else (0, 1)
    outline = Outline(left, right, style=OutlineStyle.JSON)
    rows = OutlineRows(outline, (widths[0], widths[1]))
    for side in sides:
        text = text_in(drawn(outline, rows, side), frozenset(PieceKind) - {PieceKind.CONTINUATION})
        # Blanks for indentation and after a colon do not belong to the value; texts are compared without their blanks.
        assert text.replace(" ", "") == written((left, right)[side]).replace(" ", "")
    tree = Outline(left, right)
    rows = OutlineRows(tree, (widths[0], widths[1]))
    for side in sides:
        shown = drawn(tree, rows, side)
        leaves = [leaf for node in range(len(tree)) if isinstance(leaf := tree.value(node, side), str)]
        assert text_in(shown, frozenset({PieceKind.STRING})) == "".join(map(drawn_text, leaves))
        expected = sum(leaf.count("\n") + 1 for leaf in leaves if "\n" in leaf)
        assert lines_drawn(shown) == expected
        labels = text_in(shown, frozenset({PieceKind.LABEL}))
        assert labels.replace(" ", "") == "".join(
            tree.label(node, side)
            for node in range(len(tree))
            if tree.value(node, side) is not ABSENT and tree.height(node, (widths[0], widths[1]))
        ).replace(" ", "")
    return {"removal"} if right is not ABSENT else set()


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_every_character_of_both_values_is_shown(part: int) -> None:
    prove("every character is on the screen", part, pairs(), check, mostly=())


def test_a_comma_on_only_one_side_may_need_an_extra_row() -> None:
    text = "00000000\x800000"
    check(([text], [text, text], 20, 20))
