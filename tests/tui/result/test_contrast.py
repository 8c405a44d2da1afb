import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.bounded import Level
from inspector.json.exact import DuplicateKeys, Json, dump_text, equal
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.tui.result.contrast import (
    Contrast,
    LeafCount,
    Lens,
    contrast,
    contrast_reason,
    contrast_strip,
    contrast_title,
    differences,
    leaf_count,
)
from inspector.tui.widgets.alignment import GAP
from tests.tui.result.test_result_view import RESULT, SECRET, TOOL, record_of

DECLARED = Lens(level=Level.DECLARED, host="spec")
CLOSED = Lens(level=Level.CLOSED, host="spec")
OPEN = Lens(level=Level.OPEN, host="spec")
TOLD: Json = {
    "content": [],
    "structuredContent": {"id": "one", "key": SECRET, "note": "nobody declared it", "more": [1, 2]},
}


def contrast_of(value: Json, left: Lens = DECLARED, right: Lens = CLOSED, tool: Tool = TOOL) -> Contrast:
    return contrast(record_of(Result(value=value), tool), left, right, server="server", chunk=60)


def texts(view: Contrast, side: int) -> list[str]:
    rows = (view.rows.left, view.rows.right)[side]
    return [
        "" if line == GAP else "".join(span.text for span in view.documents[side].line(line).spans).strip()
        for line in rows
    ]


def counted(left: Json, right: Json) -> LeafCount:
    found = LeafCount()
    for apart in differences(left, right):
        found = found.with_(apart)
    return found


def test_what_only_declared_lets_through_is_marked_and_counted() -> None:
    view = contrast_of(TOLD)
    left = texts(view, 0)
    for line in ('"note": "nobody declared it"', '"more": ['):
        row = next(row for row, text in enumerate(left) if text.startswith(line))
        assert view.signs(row)[0] == "✗"
        assert contrast_reason(view, row).plain.startswith("✗ only in declared  /structuredContent/")
    assert view.signs(next(row for row, text in enumerate(left) if text.startswith('"id"'))) == (" ", " ")
    text = contrast_strip(view).plain
    assert text.startswith("declared against closed (spec)")
    assert "✗ 3 only in declared" in text
    assert [contrast_title(seen).plain for seen in (view.left, view.right)] == [
        "The model at  declared, spec",
        "The model at  closed, spec",
    ]


def test_a_model_against_itself_differs_nowhere() -> None:
    view = contrast_of(TOLD, DECLARED, DECLARED)
    assert view.leaves.total == 0
    assert view.next_difference(-1, 1) is None
    assert "no leaf differs" in contrast_strip(view).plain


def test_hosts_are_compared_at_one_boundary_and_named() -> None:
    view = contrast_of(RESULT, DECLARED, Lens(level=Level.DECLARED, host="claude-code"))
    text = contrast_strip(view).plain
    assert text.startswith("spec against claude-code (declared)")
    assert view.leaves.total > 0
    assert view.next_difference(-1, 1) is not None
    assert "✗" not in "".join(sign for row in range(len(view.rows)) for sign in view.signs(row))


def test_no_side_shows_what_its_boundary_withholds() -> None:
    view = contrast_of(TOLD, OPEN, DECLARED)
    assert SECRET in "".join(texts(view, 0))
    assert SECRET not in "".join(texts(view, 1))


def test_an_unknown_host_is_an_error_and_not_another_host() -> None:
    with pytest.raises(LookupError):
        contrast_of(TOLD, DECLARED, Lens(level=Level.DECLARED, host="nowhere"))


def test_differences_of_what_is_too_large_to_align_are_marked_on_each_side() -> None:
    rows: Json = [{"id": str(number), "odd": number} for number in range(4_000)]
    schema: Json = {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}
        },
    }
    tool = Tool(name="mint", definition={"name": "mint", "outputSchema": schema})
    view = contrast_of({"content": [], "structuredContent": {"rows": rows}}, tool=tool)
    assert not view.aligned
    assert view.leaves.left == 4_000
    row, seen = view.next_difference(-1, 1), 0
    while row is not None and seen < 10:
        if view.signs(row)[0] == "✗":
            assert "odd" in texts(view, 0)[row]
            seen += 1
        row = view.next_difference(row, 1)
    assert seen == 10


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda c: st.lists(c, max_size=4) | st.dictionaries(st.text(max_size=2), c, max_size=4),
    max_leaves=12,
)


@given(json_values, json_values)
def test_values_differ_exactly_where_something_is_found(left: Json, right: Json) -> None:
    found = list(differences(left, right))
    assert bool(found) is not equal(left, right)
    for apart in found:
        here = resolve(left, apart.left) if apart.left is not None else None
        there = resolve(right, apart.right) if apart.right is not None else None
        if apart.left is not None and apart.right is not None:
            assert not equal(here, there)
        assert apart.left_leaves == (leaf_count(here) if apart.left is not None else 0)
        assert apart.right_leaves == (leaf_count(there) if apart.right is not None else 0)


def test_an_item_that_is_missing_does_not_make_its_neighbours_differ() -> None:
    assert counted([1, 2, 3, 4], [1, 3, 4]) == LeafCount(left=1)
    assert counted([{"a": 1}, {"b": 2}], [{"b": 2}]) == LeafCount(left=1)
    assert counted({"a": {}}, {"a": []}) == LeafCount(changed=1)
    assert counted({"a": {"b": 1, "c": 2}}, {}) == LeafCount(left=2)
    assert counted({"a": 1, "b": 1}, {"a": True, "b": 1.0}) == LeafCount(changed=1)
    twice = DuplicateKeys((("a", 1), ("a", 2)))
    assert counted({"x": twice}, {"x": twice}) == LeafCount()
    assert counted({"x": twice}, {"x": 1}) == LeafCount(left=1, changed=1)


def test_deep_values_are_compared_too() -> None:
    left: Json = 1
    right: Json = 2
    for _ in range(3_000):
        left, right = [left], [right]
    assert counted(left, right) == LeafCount(changed=1)


def test_the_record_is_kept_with_the_contrast() -> None:
    record = record_of(Result(value=TOLD))
    assert contrast(record, DECLARED, CLOSED, server="server", chunk=60).record is record


def test_what_both_models_have_with_other_words_is_changed_on_the_left_and_new_on_the_right() -> None:
    structured: Json = {"id": "one", "key": SECRET}
    told: Json = {
        "content": [{"type": "text", "text": dump_text(structured)}],
        "structuredContent": structured,
    }
    view = contrast_of(told, OPEN, DECLARED)
    row = next(row for row, text in enumerate(texts(view, 0)) if text.startswith('"text": '))
    assert view.signs(row) == ("~", "+")
    assert contrast_reason(view, row).plain.startswith(
        "~ not the same in open and in declared  /content/0/text"
    )
    assert view.leaves.changed == 1
