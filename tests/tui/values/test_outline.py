import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.json.exact import Json
from inspector.tui.values import outline as module
from inspector.tui.values.outline import Outline, OutlineStyle

KEYS: tuple[str, ...] = ("id", "a_rather_long_key", "é", "text", "my_text", "mimeType", "data", "")
LEAVES: st.SearchStrategy[Json] = st.sampled_from(
    [
        None,
        True,
        7,
        10**30,
        -(2**63),
        1.5,
        "",
        "word",
        "é",
        "two words " * 9,
        '{"a": 1}',
        "image/png",
        "a\nb",
        [],
        {},
    ]
)
RECORDS: st.SearchStrategy[dict[str, Json]] = st.dictionaries(st.sampled_from(KEYS), LEAVES, max_size=6)
ROWS: st.SearchStrategy[Json] = st.lists(RECORDS, max_size=2).map(list[Json])
VALUES: st.SearchStrategy[list[Json]] = st.lists(st.one_of(RECORDS, LEAVES, ROWS), max_size=5)


def never(*_: object) -> bool:
    return False


def nodes(outline: Outline) -> list[tuple[object, ...]]:
    return [
        (
            outline.label(node),
            outline.pointer(node),
            outline.value(node, 0),
            outline.value(node, 1),
            outline.indent(node, 200),
            outline.parent(node),
            outline.end(node),
            outline.difference(node),
            outline.begins_absence(node),
            outline.is_drawn(node),
        )
        for node in range(len(outline))
    ]


@settings(max_examples=150)
@given(VALUES, st.data())
def test_records_are_added_at_once_as_any_other_object_is(value: list[Json], data: st.DataObject) -> None:
    other: list[Json] = [
        {key: kept for key, kept in item.items() if data.draw(st.booleans())}
        if isinstance(item, dict)
        else item
        for item in value
        if data.draw(st.booleans())
    ]
    left: Json = {"rows": value}
    right: Json = data.draw(st.sampled_from([left, {"rows": other}, {"rows": data.draw(VALUES)}]))
    quick = Outline(left, right), Outline(left)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Outline, "_add_record", never)
        slow = Outline(left, right), Outline(left)
    assert [nodes(outline) for outline in quick] == [nodes(outline) for outline in slow]
    assert [outline.tops for outline in quick] == [outline.tops for outline in slow]


@settings(max_examples=150)
@given(VALUES, VALUES, st.sampled_from(OutlineStyle), st.integers(20, 60), st.sampled_from([0, 1, 7]))
def test_heights_are_those_of_each_node(
    one: list[Json], other: list[Json], style: OutlineStyle, width: int, more: int
) -> None:
    for outline in (
        Outline(one, style=style),
        Outline(one, one, style=style),
        Outline(one, other, style=style),
    ):
        widths = (width, width + more if more else 0)
        heights = list(outline.heights(widths))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_is_short", never)
            assert heights == [outline.height(node, widths) for node in range(len(outline))]
