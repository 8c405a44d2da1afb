from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.options import Level
from inspector.json.exact import Json, JsonObject, Malformed
from inspector.protocol.catalogue import Kind, Tool, decode_page
from inspector.tui.definition.view import (
    CHANGED,
    SAME,
    DefinitionView,
    beside_line,
    column_line,
    definition_view,
    every_reason,
    measure_line,
    why_line,
)
from inspector.tui.widgets.alignment import GAP, line_text
from inspector.tui.widgets.lines import REMOVED

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
    return definition_view(tool_of(definition), level, host, chunk=60)


def side(view: DefinitionView, row: int, *, is_model: bool) -> str | None:
    line = (view.rows.right if is_model else view.rows.left)[row]
    document = view.model if is_model else view.raw
    return None if line == GAP else line_text(document.line(line))


def rows_with(view: DefinitionView, sign: str) -> str:
    return "\n".join(side(view, row, is_model=False) or "" for row, at in enumerate(view.signs) if at == sign)


@given(SCHEMAS, st.sampled_from(Level))
def test_a_row_has_a_sign_exactly_where_its_sides_differ(schema: JsonObject, level: Level) -> None:
    view = view_of({"name": "t", "inputSchema": {}, "outputSchema": schema}, level=level)
    assert len(view.signs) == len(view.rows)
    if view.aligned:
        for row, sign in enumerate(view.signs):
            same = side(view, row, is_model=False) == side(view, row, is_model=True)
            assert (sign == SAME) == same


@given(SCHEMAS)
def test_the_column_has_every_line_of_either_side_once(schema: JsonObject) -> None:
    view = view_of({"name": "t", "inputSchema": {}, "outputSchema": schema})
    shown = [divmod(place, 2) for place in view.column]
    assert shown == sorted(shown)
    raw = [view.rows.left[row] for row, is_model in shown if not is_model]
    assert raw == list(range(view.raw.line_count))
    if view.aligned:
        alike = {view.rows.right[row] for row, sign in enumerate(view.signs) if sign == SAME}
        model = [view.rows.right[row] for row, is_model in shown if is_model]
        assert sorted([*model, *alike]) == list(range(view.model.line_count))
        for row in range(len(view.rows)):
            assert view.column[view.in_column(row)] // 2 == row


def test_what_is_withheld_what_is_loosened_and_what_the_host_keeps_have_their_signs() -> None:
    view = view_of(MINT)
    assert '"x-sensitive": true' in rows_with(view, REMOVED)
    assert '"readOnlyHint": false' in rows_with(view, CHANGED)
    assert '"required": [' in rows_with(view, CHANGED)
    measured = measure_line(view).plain
    assert "✗ withheld 1" in measured
    assert "~ loosened " in measured
    assert "~ host 1" in measured
    assert f"about {view.raw_tokens} tokens → " in measured
    assert f"about {view.model_tokens}" in measured
    assert view.model_bytes < view.raw_bytes


def test_every_reason_begins_with_the_one_under_the_cursor() -> None:
    view = view_of(MINT)
    row = view.signs.index(REMOVED)
    told = every_reason(view, row).plain
    assert told.startswith("✗ x-sensitive  /outputSchema/properties/key")
    assert told.count("/outputSchema/properties/key ") == 1
    assert "~ host  /annotations" in told
    last = max(at for at, sign in enumerate(view.signs) if sign == CHANGED)
    assert every_reason(view, last).plain.startswith("~ host  /annotations")


def test_a_host_whose_handling_was_not_observed_is_never_taken_for_one_that_was() -> None:
    view = view_of(MINT, host="claude-code")
    assert "not observed" in measure_line(view).plain
    assert "was not observed" in why_line(view, 1).plain
    assert "~ host (not observed)  /annotations" in every_reason(view, 0).plain
    assert "not observed" not in every_reason(view_of(MINT), 0).plain


def test_differences_are_found_forwards_and_backwards() -> None:
    view = view_of(MINT)
    forwards: list[int] = []
    row: int | None = 0
    while (row := view.next_difference(row, 1)) is not None:
        forwards.append(row)
    backwards: list[int] = []
    row = len(view.rows) - 1
    while (row := view.next_difference(row, -1)) is not None:
        backwards.append(row)
    assert len(forwards) >= 3
    assert forwards == backwards[::-1]
    assert all(view.signs[row] != SAME for row in forwards)


def test_a_definition_too_large_to_be_aligned_still_marks_what_is_withheld() -> None:
    properties: JsonObject = {f"p{n}": {"type": "string", "title": "p"} for n in range(4000)}
    properties["p7"] = {"type": "string", "x-sensitive": True}
    view = view_of(
        {"name": "t", "inputSchema": {}, "outputSchema": {"type": "object", "properties": properties}}
    )
    assert not view.aligned
    assert '"x-sensitive": true' in rows_with(view, REMOVED)
    assert view.signs.count(REMOVED) == 4
    row = view.signs.index(REMOVED)
    assert column_line(view, view.in_column(row), here=True).plain.startswith("▸✗")
    assert beside_line(view, row, 40, is_model=True, here=False).plain.startswith("   ")
    assert "to be set line by line" in why_line(view, len(view.rows) - 1).plain


def test_foreign_text_in_a_definition_is_made_safe() -> None:
    hostile = "\x1b[31m\u202e"
    view = view_of({"name": "t", "inputSchema": {}, "description": hostile, hostile: hostile})
    shown = [
        *(column_line(view, index, here=False).plain for index in range(len(view.column))),
        *(why_line(view, row).plain for row in range(len(view.rows))),
        every_reason(view, 0).plain,
    ]
    assert not any("\x1b" in line or "\u202e" in line for line in shown)
