import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.rules.untrusted import DELIMITED
from inspector.json.exact import DuplicateKeys, Json, dump_text, equal
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
    leaf_count,
    lens_change,
)
from inspector.tui.text import path
from inspector.tui.values.outline import Outline, Side, SideDifference
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import row_text
from tests.tui.result.test_result_view import RESULT, SECRET, TOOL, record_of, view_of

DECLARED = Lens(level=Level.DECLARED, host="spec")
CLOSED = Lens(level=Level.CLOSED, host="spec")
OPEN = Lens(level=Level.OPEN, host="spec")
TOLD: Json = {
    "content": [],
    "structuredContent": {"id": "one", "key": SECRET, "note": "nobody declared it", "more": [1, 2]},
}


def contrast_of(value: Json, left: Lens = DECLARED, right: Lens = CLOSED, tool: Tool = TOOL) -> Contrast:
    return contrast(record_of(Result(value=value), tool), left, right, server="server")


def texts(view: Contrast, side: Side) -> list[str]:
    rows = OutlineRows(view.outline, (60, 60))
    found = (rows.at(index) for index in range(len(rows)))
    return [row_text(view.outline.side_row(row.node, side, 60, row.number)).strip() for row in found]


def counted(left: Json, right: Json) -> LeafCount:
    return leaf_count(Outline(left, right))


def test_values_that_only_declared_passes_are_marked_and_counted() -> None:
    view = contrast_of(TOLD)
    for pointer in ("/structuredContent/note", "/structuredContent/more"):
        node = view.outline.node_at(pointer)
        assert node is not None
        assert view.outline.difference(node) is SideDifference.LEFT
        assert contrast_reason(view, node).plain == f"✗ only in declared  {path(pointer)}"
    same = view.outline.node_at("/structuredContent/id")
    assert same is not None
    assert view.outline.difference(same) is SideDifference.NONE
    text = contrast_strip(view, 200).plain
    assert text.startswith("declared against closed (spec)")
    assert "✗ 3 only in declared" in text
    assert [contrast_title(seen).plain for seen in (view.left, view.right)] == [
        "The model at  declared, spec",
        "The model at  closed, spec",
    ]


def test_a_model_view_does_not_differ_from_itself() -> None:
    view = contrast_of(TOLD, DECLARED, DECLARED)
    assert view.leaves.total == 0
    assert not view.has_differences
    assert "no value differs" in contrast_strip(view, 200).plain


def test_hosts_are_compared_at_one_boundary_and_named() -> None:
    view = contrast_of(RESULT, DECLARED, Lens(level=Level.DECLARED, host="claude-code"))
    text = contrast_strip(view, 200).plain
    assert text.startswith("spec against claude-code (declared)")
    assert view.leaves.total > 0
    assert view.has_differences
    assert view.missing is SideDifference.CHANGED


def test_no_side_shows_a_value_that_its_boundary_withholds() -> None:
    view = contrast_of(TOLD, OPEN, DECLARED)
    assert "(19 characters, reaches the model)" in "".join(texts(view, 0))
    assert SECRET not in "".join([*texts(view, 0), *texts(view, 1)])


def test_an_unknown_host_is_an_error() -> None:
    with pytest.raises(LookupError):
        contrast_of(TOLD, DECLARED, Lens(level=Level.DECLARED, host="nowhere"))


def test_the_differences_of_a_large_result_are_found_for_each_value() -> None:
    rows: Json = [{"id": str(number), "odd": number} for number in range(4_000)]
    schema: Json = {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}
        },
    }
    tool = Tool(name="mint", definition={"name": "mint", "outputSchema": schema})
    view = contrast_of({"content": [], "structuredContent": {"rows": rows}}, tool=tool)
    odd = [node for node in view.outline.tops if view.outline.pointer(node).endswith("/odd")]
    assert len(odd) == 4_000


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda c: st.lists(c, max_size=4) | st.dictionaries(st.text(max_size=2), c, max_size=4),
    max_leaves=12,
)


@given(json_values, json_values)
def test_differences_are_found_exactly_if_the_values_differ(left: Json, right: Json) -> None:
    assert bool(Outline(left, right).tops) is not equal(left, right)


def test_a_missing_item_does_not_make_its_neighbours_differ() -> None:
    assert counted([1, 2, 3, 4], [1, 3, 4]) == LeafCount(left=1)
    assert counted([{"a": 1}, {"b": 2}], [{"b": 2}]) == LeafCount(left=1)
    assert counted({"a": {}}, {"a": []}) == LeafCount(left=1, right=1)
    assert counted({"a": {"b": 1, "c": 2}}, {}) == LeafCount(left=2)
    assert counted({"a": 1, "b": 1}, {"a": True, "b": 1.0}) == LeafCount(changed=1)
    twice = DuplicateKeys((("a", 1), ("a", 2)))
    assert counted({"x": twice}, {"x": twice}) == LeafCount()
    assert counted({"x": twice}, {"x": 1}) == LeafCount(left=2, right=1)


def test_deep_values_are_compared_too() -> None:
    left: Json = 1
    right: Json = 2
    for _ in range(3_000):
        left, right = [left], [right]
    assert counted(left, right) == LeafCount(changed=1)


def test_a_contrast_keeps_its_call_record() -> None:
    record = record_of(Result(value=TOLD))
    assert contrast(record, DECLARED, CLOSED, server="server").record is record


def test_a_json_text_that_one_model_gets_unchanged_is_compared_by_value() -> None:
    structured: Json = {"id": "one", "key": SECRET}
    value: Json = {
        "content": [{"type": "text", "text": dump_text(structured)}],
        "structuredContent": structured,
    }
    view = contrast_of(value, OPEN, DECLARED)
    node = next(node for node in view.outline.tops if view.outline.pointer(node) == "/content/0/text")
    assert view.outline.label(node).rstrip() == "key"
    assert contrast_reason(view, node).plain == "✗ only in open  content[0].text"


def test_json_in_a_text_is_compared_value_by_value_as_in_a_result() -> None:
    structured: Json = {"id": "one", "key": SECRET}
    value: Json = {
        "content": [{"type": "text", "text": dump_text(structured)}],
        "structuredContent": structured,
    }
    left, right = (Lens(level=level, host="claude-code") for level in (Level.DECLARED, Level.CLOSED))
    view = contrast_of(value, left, right)
    tops = [view.outline.label(node) for node in view.outline.children(0)]
    assert "structuredContent" in tops
    assert "content" not in tops


def test_a_stricter_boundary_is_never_said_to_withhold_less() -> None:
    value: Json = {
        "content": [],
        "structuredContent": {"id": "one", "key": SECRET},
        "_meta": {"trace": SECRET},
    }
    declared, closed = view_of(value), view_of(value, Level.CLOSED)
    assert lens_change(declared, closed).plain == "declared → closed: nothing more passes"
    assert lens_change(closed, declared).plain == "closed → declared: nothing more is withheld"
    assert lens_change(declared, view_of(value, Level.OPEN)).plain.endswith("no longer withheld")


def test_a_change_of_the_boundary_counts_texts_between_markers() -> None:
    value: Json = {"content": [{"type": "text", "text": "read"}]}
    (detail, *_) = DELIMITED
    between = Removal(pointer="/content/0/text", rule=Rule.UNTRUSTED, detail=detail)
    declared = dataclasses.replace(view_of(value), removals=(between,))
    is_open = view_of(value, Level.OPEN)
    words = ": 1 untrusted text {} Sightline's markers"
    assert lens_change(declared, is_open).plain == f"declared → open{words.format('no longer between')}"
    assert lens_change(is_open, declared).plain == f"open → declared{words.format('more between')}"
