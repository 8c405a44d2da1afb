import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.session.call_record import CallRecord
from inspector.tui.catalogue.badges import marks_of
from inspector.tui.catalogue.item import tool_view
from inspector.tui.result.removal import removal_detail
from inspector.tui.result.view import (
    Difference,
    ResultView,
    reason_line,
    result_findings,
    result_view,
    strip,
    title,
)
from inspector.tui.widgets.alignment import GAP

SECRET = "planted-secret-4711"
TOOL = Tool(
    name="mint",
    definition={
        "name": "mint",
        "inputSchema": {"type": "object"},
        "outputSchema": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
        },
    },
)
RESULT: JsonObject = {
    "content": [{"type": "text", "text": "made"}],
    "structuredContent": {"id": "one", "key": SECRET},
    "surplus": 1,
}


def record_of(outcome: Outcome, tool: Tool | None = TOOL) -> CallRecord:
    return CallRecord(
        number=3,
        name="mint",
        arguments={},
        judgement=Judgement(outcome, tool),
        at_s=0,
        duration_s=0.012,
        size_bytes=100,
    )


def view_of(value: Json, level: Level = Level.DECLARED, chunk: int = 60) -> ResultView:
    return result_view(record_of(Result(value=value)), level, "spec", server="server", chunk=chunk)


def side(view: ResultView, name: str) -> list[str]:
    document, rows = (view.raw, view.rows.left) if name == "raw" else (view.model, view.rows.right)
    return [
        "" if line == GAP else "".join(span.text for span in document.line(line).spans).strip()
        for line in rows
    ]


@pytest.mark.parametrize("level", list(Level))
def test_the_raw_side_never_shows_what_is_sensitive(level: Level) -> None:
    assert SECRET not in "".join(side(view_of(RESULT, level), "raw"))


def test_what_closed_withholds_without_a_declaration_is_marked_and_stays_readable() -> None:
    view = view_of(RESULT, Level.CLOSED)
    row = side(view, "raw").index('"text": "made"')
    assert view.difference(row) is Difference.REMOVED


def test_the_model_side_shows_at_open_what_leaks() -> None:
    assert SECRET in "".join(side(view_of(RESULT, Level.OPEN), "model"))
    assert SECRET not in "".join(side(view_of(RESULT), "model"))


def test_every_row_that_differs_has_a_reason() -> None:
    view = view_of(RESULT)
    for row, (raw, model) in enumerate(zip(side(view, "raw"), side(view, "model"), strict=True)):
        if raw.rstrip(",") != model.rstrip(","):
            assert view.difference(row) is not Difference.NONE, (raw, model)
    by_line = dict(zip(side(view, "raw"), range(len(view.rows)), strict=True))
    assert view.difference(by_line['"surplus": 1']) is Difference.CHANGED
    assert "/surplus" in reason_line(view, by_line['"surplus": 1']).plain


def test_the_reason_of_a_removal_names_rule_place_and_declaration() -> None:
    view = view_of(RESULT)
    row = view.next_difference(0, 1)
    while row is not None and not view.removals_on(row):
        row = view.next_difference(row, 1)
    assert row is not None
    assert reason_line(view, row).plain.startswith("✗ x-sensitive  /structuredContent/key")
    detail = removal_detail(view.removals_on(row)).plain
    assert "why" in detail
    assert (
        "webmcp-110: x-sensitive at /outputSchema/properties/key/x-sensitive of the tool's definition"
        in detail
    )
    assert "proposal, open as of 2026-11" in detail
    assert "webmachinelearning/webmcp/issues/110" in detail
    assert "Remove `x-sensitive` from /outputSchema/properties/key, or return a secret reference." in detail


PATTERN = Tool(
    name="pattern",
    definition={
        "name": "pattern",
        "outputSchema": {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "patternProperties": {"^s": {"x-sensitive": True}},
        },
    },
)


def test_more_removals_of_one_place_than_can_be_told_are_counted() -> None:
    told: Json = {"structuredContent": {f"s{number}": SECRET for number in range(50)}}
    view = result_view(record_of(Result(value=told), PATTERN), Level.OPEN, "spec", server="server", chunk=60)
    assert view.removals_on(1) == ()
    view = result_view(
        record_of(Result(value=told), PATTERN), Level.DECLARED, "spec", server="server", chunk=60
    )
    row = view.next_difference(-1, 1)
    assert row is not None
    assert len(view.removals_on(row)) + view.more_on(row) == len(view.removals)


@pytest.mark.parametrize("level", list(Level))
def test_the_strip_says_at_declared_how_many_leaves_no_schema_names(level: Level) -> None:
    told: Json = {
        "content": [],
        "structuredContent": {"id": "one", "key": SECRET, "other": [1, {"deep": 2}], "more": None},
    }
    text = strip(view_of(told, level)).plain
    assert ("3 leaves passed that no schema names" in text) is (level is Level.DECLARED)


def test_the_strip_counts_bytes_and_removals_by_rule_and_the_host_apart() -> None:
    text = strip(view_of(RESULT)).plain
    assert text.startswith(f"{len(dump_text(RESULT))} B in, ")
    assert "x-sensitive 1" in text
    assert "~ host: 1 change" in text
    assert "nothing withheld" in strip(view_of(RESULT, Level.OPEN)).plain
    assert any("/surplus" in line.plain for line in result_findings(view_of(RESULT)))


def test_at_declared_a_line_without_a_reason_says_that_it_fails_open() -> None:
    assert "fails open" in reason_line(view_of(RESULT), 0).plain
    assert "fails open" not in reason_line(view_of(RESULT, Level.CLOSED), 0).plain


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Result(value={"content": []}), "done"),
        (Result(value={"isError": True}), "tool error"),
        (Result(value=[1]), "done"),
        (RpcError(value={"code": -32602, "message": "no"}), "JSON-RPC error"),
        (Failure(kind=FailureKind.CONNECTION_LOST, detail="gone"), "no answer: connection lost"),
    ],
)
@pytest.mark.parametrize("level", list(Level))
def test_however_a_call_ends_there_is_a_view_that_says_so(outcome: Outcome, words: str, level: Level) -> None:
    view = result_view(record_of(outcome), level, "spec", server="server", chunk=60)
    assert title(view).plain == f"#3 {words} 12 ms mint"
    assert strip(view).plain
    assert all(reason_line(view, row).plain for row in range(len(view.rows)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda c: st.lists(c) | st.dictionaries(st.text(), c),
)


@given(json_values, st.sampled_from(list(Level)))
def test_whatever_the_result_every_row_that_differs_has_a_reason(value: Json, level: Level) -> None:
    view = view_of(value, level)
    raw, model = side(view, "raw"), side(view, "model")
    assert [line for line in view.rows.left if line != GAP] == list(range(view.raw.line_count))
    assert [line for line in view.rows.right if line != GAP] == list(range(view.model.line_count))
    for row in range(len(view.rows)):
        assert reason_line(view, row).plain
        if raw[row] == "" and model[row]:
            assert view.difference(row) is Difference.ADDED


def test_a_deep_result_is_shown_too() -> None:
    deep: Json = 1
    for _ in range(3000):
        deep = [deep]
    told = record_of(Result(value={"structuredContent": {"deep": deep}}), None)
    assert result_view(told, Level.OPEN, "spec", server="server", chunk=60).raw.line_count > 3000


def test_the_claims_of_a_result_stand_among_those_of_its_tool() -> None:
    told: Json = {"content": [], "_meta": {"io.modelcontextprotocol/trust-annotations": {"sensitive": True}}}
    before, after = tool_view(TOOL, None), tool_view(TOOL, record_of(Result(value=told)))
    assert len(after.claims) == len(before.claims) + 1


def test_the_letters_of_a_tool_are_those_of_its_badges() -> None:
    odd = Tool(
        name="odd",
        definition={
            "name": "odd",
            "annotations": {"readOnlyHint": True, "destructiveHint": True, "title": 7},
        },
    )
    assert marks_of(odd).letters.plain == "WD"
    assert marks_of(TOOL).letters.plain == "S"
