"""The shares of the catalogue, the tool and the result on screens of every size."""

from itertools import product

import pytest

from inspector.tui.main.layout import Needs

STATES = [
    Needs(is_folded=folded, has_few_fields=few, is_reading=reading, has_no_result=empty, is_in_result=inside)
    for folded, few, reading, empty, inside in product((False, True), repeat=5)
    if folded + few + reading < 2
]


@pytest.mark.parametrize(
    ("size", "state", "lines"),
    [
        # Wide and tall: equal shares, except for a form that needs less.
        ((140, 45), {}, 18),
        ((140, 45), {"has_few_fields": True}, 11),
        ((140, 45), {"is_folded": True}, 3),
        ((140, 45), {"is_reading": True}, 18),
        # Wide and short: the part with the focus has more.
        ((120, 24), {}, 22),
        ((120, 24), {"is_in_result": True}, 13),
        ((120, 24), {"has_no_result": True}, 31),
        ((120, 24), {"is_folded": True}, 2),
        ((120, 24), {"is_reading": True}, 34),
        # Narrow.
        ((80, 24), {"is_folded": True}, 14),
        ((80, 24), {"is_folded": True, "is_in_result": True}, 2),
        ((80, 24), {"is_reading": True}, 36),
        ((80, 24), {"is_in_result": True}, 1),
        ((80, 40), {"is_in_result": True}, 2),
        ((80, 24), {"is_in_result": True, "has_no_result": True}, 13),
        ((80, 40), {"is_folded": True, "is_in_result": True}, 3),
        # Too low for the timeline.
        ((80, 15), {"has_no_result": True, "is_in_result": True}, 22),
    ],
)
def test_the_tool_has_the_lines_that_its_state_needs(
    size: tuple[int, int], state: dict[str, bool], lines: int
) -> None:
    assert Needs(**state).tool_lines(*size, of=36 if lines != 18 else 37, is_low=size[1] < 20) == lines


def test_a_hidden_result_leaves_all_lines_to_the_tool_and_no_share_exceeds_the_area() -> None:
    for state, columns, lines, area in product(STATES, (60, 80, 109, 110, 200), (15, 24, 34, 60), range(40)):
        tool = state.tool_lines(columns, lines, area, is_low=lines < 20)
        assert 0 <= tool <= area
        if state.hides_result(columns, lines):
            assert tool == area
        # A part that has the focus is never hidden.
        assert not (state.is_in_result and not state.is_reading and state.hides_result(columns, lines))
