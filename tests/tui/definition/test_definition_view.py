from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.options import Level
from inspector.json.exact import Json, JsonObject, Malformed
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.tui.definition.view import (
    DefinitionView,
    definition_view,
    every_reason,
    measure_line,
    why_line,
)
from inspector.tui.values.outline import ABSENT, SideDifference
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import row_text

MINT: JsonObject = {
    "name": "mint",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
        "required": ["id", "key"],
    },
    "annotations": {"readOnlyHint": False},
}


def text(*, marked: bool) -> JsonObject:
    return {"type": "string", "x-sensitive": True} if marked else {"type": "string"}


def members(properties: dict[str, JsonObject], *, required: bool) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": {**properties}}
    return {**schema, "required": ["a"]} if required else schema


SCHEMAS: st.SearchStrategy[JsonObject] = st.recursive(
    st.builds(text, marked=st.booleans()),
    lambda inner: st.builds(
        members, st.dictionaries(st.sampled_from("abcd"), inner, max_size=3), required=st.booleans()
    ),
    max_leaves=6,
)


def tool_of(definition: Json) -> Tool:
    page = decode_page(Kind.TOOL, {"tools": [definition]})
    assert not isinstance(page, Malformed)
    (tool,) = page
    assert isinstance(tool, Tool)
    return tool


def view_of(definition: Json, *, level: Level = Level.DECLARED, host: str = "spec") -> DefinitionView:
    return definition_view(tool_of(definition), level, host)


def pointers_with(view: DefinitionView, sign: SideDifference) -> list[str]:
    return [view.outline.pointer(node) for node in range(len(view.outline)) if view.sign(node) is sign]


@given(SCHEMAS, st.sampled_from(Level))
def test_a_value_has_a_sign_exactly_if_its_sides_differ(schema: JsonObject, level: Level) -> None:
    view = view_of({"name": "t", "inputSchema": {}, "outputSchema": schema}, level=level)
    for node in range(len(view.outline)):
        one, other = view.outline.value(node, 0), view.outline.value(node, 1)
        if one is ABSENT or other is ABSENT:
            assert view.sign(node) is not SideDifference.NONE
        elif not isinstance(one, (dict, list)) and not isinstance(other, (dict, list)):
            assert (view.sign(node) is SideDifference.NONE) == (one == other)


def test_each_kind_of_difference_has_its_own_sign() -> None:
    view = view_of(MINT)
    assert "/outputSchema/properties/key/x-sensitive" in pointers_with(view, SideDifference.LEFT)
    changed = pointers_with(view, SideDifference.CHANGED)
    assert "/annotations/readOnlyHint" in changed
    assert "/outputSchema/required/1" in changed
    measured = measure_line(view).plain
    assert "✗ 1 withheld" in measured
    assert " loosened" in measured
    assert "~ 1 changed by the host" in measured
    assert f"about {view.raw_tokens} tokens; model gets " in measured
    assert f"about {view.model_tokens}" in measured
    assert view.model_bytes < view.raw_bytes


def test_the_list_of_reasons_begins_at_the_cursor() -> None:
    view = view_of(MINT)
    node = next(node for node in range(len(view.outline)) if view.sign(node) is SideDifference.LEFT)
    reasons = every_reason(view, node).plain
    assert reasons.startswith("✗ marked sensitive  /outputSchema/properties/key")
    assert reasons.count("/outputSchema/properties/key ") == 1
    assert "~ host  /annotations" in reasons
    last = view.outline.node_at("/annotations/readOnlyHint")
    assert every_reason(view, last).plain.startswith("~ host  /annotations")


def test_the_reasons_of_an_unobserved_host_are_marked_not_observed() -> None:
    view = view_of(MINT, host="claude-code")
    assert "not observed" in measure_line(view).plain
    assert (
        "what claude-code does with definitions was not observed"
        in why_line(view, view.outline.node_at("/name")).plain
    )
    assert "~ host (not observed)  /annotations" in every_reason(view, 0).plain
    assert "not observed" not in every_reason(view_of(MINT), 0).plain


def test_a_large_definition_marks_its_withheld_parts() -> None:
    properties: JsonObject = {f"p{n}": {"type": "string", "title": "p"} for n in range(4000)}
    properties["p7"] = {"type": "string", "x-sensitive": True}
    view = view_of(
        {"name": "t", "inputSchema": {}, "outputSchema": {"type": "object", "properties": properties}}
    )
    withheld = pointers_with(view, SideDifference.LEFT)
    assert withheld
    assert all(pointer.startswith("/outputSchema/properties/p7") for pointer in withheld)


def test_foreign_text_in_a_definition_is_made_safe() -> None:
    hostile = "\x1b[31m\u202e"
    view = view_of({"name": "t", "inputSchema": {}, "description": hostile, hostile: hostile})
    rows = OutlineRows(view.outline, (60, 60))
    drawn = (rows.at(index) for index in range(len(rows)))
    shown = [
        *(row_text(view.outline.side_row(row.node, 0, 60, row.number)) for row in drawn),
        *(why_line(view, node).plain for node in range(len(view.outline))),
        every_reason(view, 0).plain,
    ]
    assert not any("\x1b" in line or "\u202e" in line for line in shown)
