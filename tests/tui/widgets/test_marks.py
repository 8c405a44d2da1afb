from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import dump
from inspector.json.weight import compact_bytes
from inspector.tui.widgets.alignment import marks, merged, nearest

extents = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=12)
lines = st.lists(st.integers(0, 40), max_size=12).map(sorted)


@given(extents)
def test_a_line_is_marked_if_and_only_if_a_place_covers_it(found: list[tuple[int, int]]) -> None:
    made = marks(found)
    for line in range(32):
        covering = [index for index, (start, stop) in enumerate(found) if start <= line < stop]
        beginning = [index for index in covering if found[index][0] == line]
        assert made.covers(line) is bool(covering)
        assert made.begin(line) is bool(beginning)
        assert bool(made.of(line)) is bool(covering)
        if beginning:
            assert sorted(made.of(line)) == beginning


def test_a_line_inside_belongs_to_the_place_around_it() -> None:
    assert list(marks([(2, 9), (4, 5)]).of(7)) == [0]
    assert list(marks([(2, 9), (4, 5)]).of(4)) == [1]


@given(lines, lines)
def test_merged_lines_are_all_of_them_in_order_and_once(one: list[int], other: list[int]) -> None:
    assert list(merged(one, other)) == sorted({*one, *other})


@given(lines, st.integers(-1, 41))
def test_the_nearest_line_is_the_next_one_in_that_direction(found: list[int], line: int) -> None:
    assert nearest(found, line, 1) == min((one for one in found if one > line), default=None)
    assert nearest(found, line, -1) == max((one for one in found if one < line), default=None)


def test_marks_of_many_places_are_numbers_in_arrays() -> None:
    made = marks((line * 3, line * 3 + 2) for line in range(200_000))
    assert made.covers(300_001)
    assert not made.covers(300_002)
    assert {type(part).__name__ for part in (made.begins, made.places, made.starts, made.stops)} == {"array"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    max_leaves=40,
)


@given(json_values)
def test_the_weight_of_a_value_is_that_of_its_compact_json(value: object) -> None:
    for held in (value, {"rows": [value] * 300}, [[[[[[[[value]]]]]]]], {str(n): value for n in range(300)}):
        assert compact_bytes(held) == len(dump(held))  # pyright: ignore[reportArgumentType] - JSON by construction
