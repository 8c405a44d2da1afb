import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.bounded import MOST_PASSING, Level
from inspector.boundary.judgement import Judgement
from inspector.hosts.masks import REACHES
from inspector.hosts.registry import hosts
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.review.texts import READ
from inspector.session.call_record import CallRecord
from inspector.tui.catalogue.badges import marks_of
from inspector.tui.catalogue.item import tool_view
from inspector.tui.result import words as result_views
from inspector.tui.result.detail import difference_detail
from inspector.tui.result.reasons import has_notice
from inspector.tui.result.removal import removal_detail
from inspector.tui.result.sides import beside
from inspector.tui.result.view import ResultView, keys_of, result_view, with_findings
from inspector.tui.result.words import absences, reason_line, reasons, result_remarks
from inspector.tui.text import flowed, hanging
from inspector.tui.values.outline import ABSENT, OutlineStyle, Side, SideDifference
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import row_text


def strip(view: ResultView) -> Content:
    return Content("  ").join(result_views.strip(view))


def title(view: ResultView) -> Content:
    return Content("  ").join(result_views.title(view))


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


def view_of(value: Json, level: Level = Level.DECLARED, host: str = "spec") -> ResultView:
    return result_view(record_of(Result(value=value)), level, host, server="server")


def side(view: ResultView, side: Side, width: int = 60) -> list[str]:
    """The rows of one side, without surrounding blanks."""
    rows = OutlineRows(view.outline, (width, width))
    found = (rows.at(index) for index in range(len(rows)))
    return [row_text(view.outline.side_row(row.node, side, width, row.number)).strip() for row in found]


def node_of(view: ResultView, pointer: str) -> int:
    node = view.outline.node_at(pointer)
    assert node is not None
    assert view.outline.pointer(node) == pointer
    return node


def test_a_rewritten_text_that_the_host_drops_is_not_shown_as_withheld() -> None:
    text = dump_text(RESULT["structuredContent"])
    value: Json = {**RESULT, "content": [{"type": "text", "text": text}]}
    signs = {
        host: {
            view.sign(view.outline, node)
            for node in range(len(view.outline))
            if view.outline.pointer(node) == "/content/0/text"
        }
        for host in ("spec", "claude-code")
        for view in (view_of(value, host=host),)
    }
    assert SideDifference.LEFT in signs["spec"]
    assert signs["claude-code"] == {SideDifference.CHANGED}


@pytest.mark.parametrize("level", [Level.DECLARED, Level.OPEN])
def test_the_same_blocks_are_beside_each_other_masked_or_not(level: Level) -> None:
    link = "http://127.0.0.1:37455/secrets/VZBRpIFIQ8TMjsSZ9L7ruEO6"
    reference: JsonObject = {
        "type": "secret_reference",
        "id": link[-24:],
        "label": "Share link for /handbook.md",
        "redeemUrl": link,
    }
    words = "Created a share link for /handbook.md. It can be opened once, within 300 seconds."
    value: JsonObject = {
        "content": [{"type": "text", "text": words}, reference],
        "structuredContent": {"id": "one"},
    }
    tool = Tool(
        name="mint", definition={**TOOL.definition, "annotations": {"sensitiveHint": True, "title": "mint"}}
    )
    views = [
        result_view(record_of(Result(value=value), tool), level, "spec", server="server", unmasked=unmasked)
        for unmasked in (False, True)
    ]
    assert views[1].masked is not None
    labels = [[view.outline.label(node) for node in range(len(view.outline))] for view in views]
    assert labels[0] == labels[1]
    label = node_of(views[0], "/content/1/label")
    if level is Level.DECLARED:
        assert absences(views[0], views[0].outline, label)[0].plain == "┄ passed on within text ┄"


@pytest.mark.parametrize("level", list(Level))
def test_the_server_side_never_shows_a_sensitive_value(level: Level) -> None:
    view = view_of(
        {**RESULT, "content": [{"type": "text", "text": dump_text(RESULT["structuredContent"])}]}, level
    )
    assert SECRET not in "".join(
        [*side(view, 0), *(line.plain for line in reasons(view, view.outline, None, 99))]
    )


def test_a_masked_copy_of_the_structured_content_keeps_its_shape() -> None:
    value: JsonObject = {
        **RESULT,
        "content": [{"type": "text", "text": dump_text(RESULT["structuredContent"])}],
    }
    view = view_of(value)
    assert [" ".join(line.split()) for line in side(view, 0) if line][3:6] == [
        "content[0] text, JSON",
        'id "one"',
        'key "••••••••" (19 characters)',
    ]
    assert any('"_withheld"' in line or "_withheld" in line for line in side(view, 1))


def test_the_text_that_a_function_returns_is_shown_as_json_beside_its_copy() -> None:
    text = dump_text({"rows": [1, 2]})
    view = view_of(
        {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}}, Level.OPEN
    )
    shown = [" ".join(line.split()) for line in side(view, 0) if line]
    rows = ["rows[0] 1", "rows[1] 2"]
    assert shown[:7] == ["structuredContent", "result, JSON", *rows, "content[0] text, JSON", *rows]


def test_values_that_only_closed_withholds_are_marked_and_readable() -> None:
    view = view_of(RESULT, Level.CLOSED)
    node = node_of(view, "/content/0/text")
    assert view.outline.value(node, 0) == "made"
    assert view.sign(view.outline, node) is SideDifference.LEFT


def test_at_open_leaking_values_are_masked_and_marked() -> None:
    view = view_of(RESULT, Level.OPEN)
    node = node_of(view, "/structuredContent/key")
    assert view.order[0] == node
    assert view.sign(view.outline, node) is SideDifference.REACHES
    assert view.outline.value(node, 1) == "•••••••• (19 characters, reaches the model)"
    assert reason_line(view, view.outline, node).plain.startswith(
        "! reaches the model  structuredContent.key"
    )


def test_texts_of_the_server_that_look_like_masks_are_not_counted() -> None:
    forged: Json = [
        {"type": "text", "text": f"explain {word}"} for word in ("••••••••", "•••••••• (19 characters)")
    ]
    assert view_of({**RESULT, "content": []}).masks == view_of({**RESULT, "content": forged}).masks == 1


def test_a_result_that_is_drawn_in_another_order_than_it_was_sent_says_so() -> None:
    content: Json = [{"type": "text", "text": "done"}]
    assert view_of({"x": 1, "content": content}).is_reordered
    assert not view_of({"content": content, "x": 1}).is_reordered


@pytest.mark.parametrize("host", [profile.name for profile in hosts()])
@pytest.mark.parametrize("style", list(OutlineStyle))
def test_at_open_only_what_a_host_gives_its_model_is_marked_as_reaching_it(
    host: str, style: OutlineStyle
) -> None:
    value: Json = {
        **RESULT,
        "content": [{"type": "text", "text": dump_text(RESULT["structuredContent"])}],
        "_meta": {"copy": SECRET},
    }
    view = view_of(value, Level.OPEN, host)
    outline = view.json if style is OutlineStyle.JSON else view.outline
    marked = [node for node in range(len(outline)) if view.sign(outline, node) is SideDifference.REACHES]
    assert all(SECRET not in str(outline.value(node, 1)) for node in range(len(outline)))
    assert all(REACHES in str(outline.value(node, 1)) for node in marked)
    listed = [reason for reason in view.reasons if reason.key[0] is SideDifference.REACHES]
    assert sum(reason.count for reason in listed) == view.reached
    assert bool(marked) is bool(view.reached) is (" reach" in strip(view).plain)
    if style is OutlineStyle.TREE:
        assert view.reached == len(marked)
        assert {place for reason in listed for place in reason.places} == {*map(outline.pointer, marked)}


def test_every_value_that_differs_has_a_sign_and_a_reason() -> None:
    view = view_of(RESULT)
    for node in range(len(view.outline)):
        one, other = view.outline.value(node, 0), view.outline.value(node, 1)
        if one is ABSENT or other is ABSENT:
            assert view.sign(view.outline, node) is not SideDifference.NONE
    surplus = node_of(view, "/surplus")
    assert view.sign(view.outline, surplus) is SideDifference.CHANGED
    assert "surplus" in reason_line(view, view.outline, surplus).plain


def test_the_worst_difference_is_first_and_metadata_last() -> None:
    value: JsonObject = {
        "_meta": {"x": 1},
        "content": [{"type": "text", "text": "for the user", "annotations": {"audience": ["user"]}}],
        "structuredContent": {"id": "one", "key": SECRET},
    }
    view = view_of(value)
    pointers = [view.outline.pointer(node) for node in view.order]
    assert pointers[0] == "/structuredContent/key"
    assert pointers[-1] == "/_meta"
    # Equal reasons are one line with their count; the numbers are those of the verdict.
    signs = {SideDifference.LEFT, SideDifference.QUIET}
    assert sum(each.count for each in view.reasons if each.key[0] in signs) == len(view.removals)
    assert len({each.key for each in view.reasons}) == len(view.reasons)
    notices = {node for node in view.order if has_notice(view.outline, node)}
    assert notices
    assert view.places == tuple(sorted(set(view.order[:-1]) - notices))
    assert reasons(view, view.outline, view.order[0], 1)[0].plain.startswith("▹ ✗ structuredContent.key")


@pytest.mark.parametrize("level", [Level.OPEN, Level.DECLARED])
@pytest.mark.parametrize("host", ["spec", "claude-code"])
def test_protocol_metadata_has_a_quiet_sign_and_n_goes_to_it_only_if_nothing_else_differs(
    level: Level, host: str
) -> None:
    quiet: JsonObject = {
        "resultType": "complete",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo"}},
        "content": [{"type": "text", "text": "made"}],
    }
    plain = Tool(name="mint", definition={"name": "mint"})
    view = result_view(record_of(Result(value=quiet), plain), level, host, server="server")
    signs = {view.sign(view.outline, node) for node in view.order}
    assert signs == {SideDifference.QUIET}
    assert view.places == tuple(sorted(view.order))
    shown = [line.plain for line in reasons(view, view.outline, None, 9)]
    assert not any(sign in line for line in (*shown, strip(view).plain) for sign in "✗!")
    view = view_of({**quiet, "structuredContent": {"id": "one", "key": SECRET}}, level, host)
    assert node_of(view, "/structuredContent/key") in view.places
    assert not {node_of(view, "/_meta"), node_of(view, "/resultType")} & {*view.places}


@pytest.mark.parametrize("width", range(20, 100))
def test_the_verdict_breaks_between_its_parts(width: int) -> None:
    parts = result_views.strip(view_of(RESULT))
    rows = flowed(parts, width).plain.split("\n")
    assert "  ".join(rows) == strip(view_of(RESULT)).plain
    assert all(any(row.startswith(part.plain) for part in parts) for row in rows)
    assert all(len(row) <= max(width, *(len(part.plain) for part in parts)) for row in rows)


@pytest.mark.parametrize("width", range(30, 100))
def test_a_long_reason_wraps_below_itself(width: int) -> None:
    line = reasons(view_of(RESULT), view_of(RESULT).outline, None, 1)[0]
    rows = hanging(line, width, 4).plain.split("\n")
    assert " ".join(" ".join(rows).split()) == " ".join(line.plain.split())
    assert all(row.startswith("    ") for row in rows[1:])
    assert all(len(row) <= width for row in rows)


def test_values_that_violate_the_output_schema_are_marked_and_listed() -> None:
    schema: Json = {"type": "object", "properties": {"id": {"type": "string"}}}
    tool = Tool(name="mint", definition={"name": "mint", "outputSchema": schema})
    record = record_of(Result(value={"content": [], "structuredContent": {"id": 7}}), tool)
    view = result_view(record, Level.DECLARED, "spec", server="server")
    node = node_of(view, "/structuredContent/id")
    assert view.sign(view.outline, node) is SideDifference.BROKEN
    assert node in view.places
    assert "breaks the output schema: must be a string" in reason_line(view, view.outline, node).plain
    assert any(
        line.plain.startswith("▹ ≠ structuredContent.id") for line in reasons(view, view.outline, node, 9)
    )
    assert view.sign(view.json, view.json.node_at("/structuredContent/id") or 0) is SideDifference.BROKEN
    detail = difference_detail(view, view.outline, node)
    assert detail is not None
    assert "keyword       type" in detail.plain
    assert "schema        type string" in detail.plain
    assert difference_detail(view, view.outline, 0) is None


def test_a_detail_quotes_no_withheld_value_that_the_schema_repeats() -> None:
    key: JsonObject = {
        "type": "string",
        "x-sensitive": True,
        "default": SECRET,
        "description": SECRET,
        SECRET: True,
    }
    schema: Json = {"type": "object", "properties": {"key": key}}
    tool = Tool(name="mint", definition={"name": "mint", "outputSchema": schema})
    record = record_of(Result(value=RESULT), tool)
    view = result_view(record, Level.DECLARED, "claude-code", server="server")
    details = [difference_detail(view, view.outline, node) for node in range(len(view.outline))]
    text = "\n".join(detail.plain for detail in details if detail is not None)
    assert "schema        type string, x-sensitive true" in text
    assert "rule          x-sensitive: marked sensitive" in text
    assert "evidence      observed" in text, "of what the host changes"
    assert SECRET not in text


def test_equal_reasons_are_one_line_with_their_count() -> None:
    block: JsonObject = {"type": "text", "text": "for the user", "annotations": {"audience": ["user"]}}
    view = view_of({"content": [block, {**block, "text": "more"}, {**block, "text": "most"}]})
    shown = [line.plain for line in reasons(view, view.outline, None, 9)]
    assert sum("✗ content[0], content[1] and 1 more  " in line for line in shown) == 1, shown


def test_the_number_of_reasons_counts_those_that_n_goes_to() -> None:
    block: JsonObject = {"type": "text", "text": "for the user", "annotations": {"audience": ["user"]}}
    value: JsonObject = {
        "content": [block],
        "_meta": {"a": 1},
        "resultType": "complete",
        "structuredContent": RESULT["structuredContent"],
    }
    view = view_of(value)
    assert len(view.reasons) == 4
    last = reasons(view, view.outline, None, 1)[-1].plain
    assert last.endswith("(2 reasons in all, n next)")
    gone = {view.outline.pointer(node) for node in view.places}
    assert gone == {"/structuredContent/key", "/content/0"}
    # If nothing else differs, `n` goes to metadata.
    only = view_of({"content": [], "_meta": {"a": 1}, "resultType": "complete"})
    assert "reasons in all" not in "".join(line.plain for line in reasons(only, only.outline, None, 1))


def test_a_copy_that_the_boundary_rewrites_and_the_host_drops_has_the_host_as_its_reason() -> None:
    structured = RESULT["structuredContent"]
    value: JsonObject = {
        "content": [{"type": "text", "text": dump_text(structured)}],
        "structuredContent": structured,
    }
    copied = "copy of the structured content"
    for host, is_rewritten in (("spec", True), ("claude-code", False)):
        lines = [reason.line.plain for reason in view_of(value, host=host).reasons]
        assert any(copied in line for line in lines) is is_rewritten
        assert any(line.startswith("~ content[0]  host: ") for line in lines) is not is_rewritten
        # The places of additions are numbered as on the model's side, which the reason says.
        assert any(
            line.startswith("+ ") and "added for the model: structuredContent._withheld" in line
            for line in lines
        )


def test_as_json_a_part_that_the_host_moves_is_passed_on_in_another_place() -> None:
    value: JsonObject = {"content": [], "structuredContent": {"id": "one", "n": 1}}
    view = view_of(value, host="claude-code")
    json = view.json
    node = next(n for n in range(len(json)) if json.pointer(n) == "/structuredContent")
    assert json.value(node, 1) is ABSENT
    assert absences(view, json, node)[0].plain == "┄ passed on in another place ┄"


def test_metadata_of_the_protocol_is_not_called_withheld_or_changed() -> None:
    view = view_of({"content": [{"type": "text", "text": "x"}], "_meta": {"a": 1}, "resultType": "complete"})
    for pointer in ("/_meta", "/resultType"):
        node = node_of(view, pointer)
        assert absences(view, view.outline, node)[0].plain == "┄ metadata, not for models ┄"
        detail = difference_detail(view, view.outline, node)
        assert detail is not None
        assert detail.plain.startswith("· not for models  ")
    assert "protocol metadata left out" in strip(view).plain


def test_no_value_counts_as_undescribed_if_there_is_no_output_schema() -> None:
    value: Json = {"content": [{"type": "text", "text": "made"}]}
    record = record_of(Result(value=value), Tool(name="mint", definition={"name": "mint"}))
    view = result_view(record, Level.DECLARED, "spec", server="server")
    assert "output schema" not in strip(view).plain


def test_the_reason_of_a_removal_names_rule_place_and_declaration() -> None:
    view = view_of(RESULT)
    node = view.order[0]
    assert reason_line(view, view.outline, node).plain.startswith("✗ structuredContent.key")
    detail = removal_detail(view.removals_on(view.outline, node)).plain
    assert "why" in detail
    assert (
        "webmcp-110: x-sensitive at /outputSchema/properties/key/x-sensitive of the tool's definition"
        in detail
    )
    assert "proposal, open as of 2026-11" in detail
    assert "webmachinelearning/webmcp/issues/110" in detail
    assert "Remove `x-sensitive` from /outputSchema/properties/key, or return a secret reference." in detail


HOSTS = ("claude-code", "codex", "spec")


@pytest.mark.parametrize("host", HOSTS)
def test_a_value_that_a_host_passes_on_is_next_to_its_source(host: str) -> None:
    view = view_of({"content": [{"type": "text", "text": "made"}]}, Level.OPEN, host)
    sent = next(number for number, row in enumerate(side(view, 0)) if '"made"' in row)
    assert '"made"' in side(view, 1)[sent]


@pytest.mark.parametrize(
    ("level", "host"),
    [(Level.DECLARED, "spec"), (Level.OPEN, "spec"), (Level.DECLARED, "claude-code")],
)
def test_members_that_reach_the_model_as_structured_content_are_beside_those_of_the_page(
    level: Level, host: str
) -> None:
    view = view_of({"id": "one", "key": SECRET}, level, host)
    assert view.outline.value(node_of(view, "/id"), 1) == "one"
    assert view.sign(view.outline, node_of(view, "/id")) is SideDifference.NONE
    assert view.sign(view.outline, node_of(view, "/key")) in {SideDifference.LEFT, SideDifference.REACHES}
    assert ("the model gets the result as structuredContent" in strip(view).plain) is (host == "spec")
    tops = [view.outline.label(node).strip() for node in view.outline.children(0)]
    assert tops[:2] == ["id", "key"]


@pytest.mark.parametrize("of_page", [False, True])
@pytest.mark.parametrize("value", [[1, {"a": 2}], [], "text", 42, None], ids=str)
def test_a_result_without_members_is_beside_the_structured_content_that_the_model_gets(
    value: Json, *, of_page: bool
) -> None:
    record = record_of(Result(value=value, of_page=of_page), Tool(name="bare", definition={"name": "bare"}))
    view = result_view(record, Level.DECLARED, "spec", server="server")
    assert view.values[1] == {**({"content": []} if of_page else {}), "structuredContent": value}
    assert f"{'page' if of_page else 'server'} sent " in strip(view).plain
    assert {view.sign(view.outline, node) for node in range(len(view.outline))} <= {
        SideDifference.NONE,
        SideDifference.BROKEN,
    }
    assert "the model gets the result as structuredContent" in strip(view).plain
    assert result_views.seen_words(view) == "all of it as structuredContent"
    assert result_views.seen_words(view_of(RESULT)) != "all of it as structuredContent"


def test_an_empty_content_that_a_page_did_not_send_is_not_called_text_of_the_host() -> None:
    record = record_of(Result(value={"structuredContent": {"a": 1}}, of_page=True))
    view = result_view(record, Level.DECLARED, "spec", server="server")
    assert view.values[1] == {"content": [], "structuredContent": {"a": 1}}
    assert [reason.key[2] for reason in view.reasons if "/content" in reason.places] == [
        "empty, because MCP requires this member and none was sent"
    ]


def test_the_changes_of_a_host_name_only_blocks_of_the_server_by_their_own_index() -> None:
    value: JsonObject = {
        "content": [
            {"type": "text", "text": "for the user", "annotations": {"audience": ["user"]}},
            {"type": "text", "text": "made"},
        ],
        "structuredContent": {"id": "one", "key": SECRET},
    }
    view = view_of(value, host="claude-code")
    assert [change.pointer for change in view.changes if change.pointer.startswith("/content")] == [
        "/content/1"
    ]
    assert "~ 1 change by the host" in strip(view).plain
    assert view.changes_on(view.outline, node_of(view, "/content/1/text"))
    assert not view.changes_on(view.outline, node_of(view, "/content/0"))


def test_an_unknown_host_has_no_view() -> None:
    with pytest.raises(LookupError):
        view_of({"content": []}, Level.OPEN, "claude-cod")


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


def test_more_removals_of_one_place_than_are_listed_are_counted() -> None:
    value: Json = {"structuredContent": {f"s{number}": SECRET for number in range(50)}}
    record = record_of(Result(value=value), PATTERN)
    view = result_view(record, Level.OPEN, "spec", server="server")
    assert view.removals_on(view.outline, 1) == ()
    view = result_view(record, Level.DECLARED, "spec", server="server")
    node = view.order[0]
    listed = view.removals_on(view.outline, node)
    assert len(listed) + view.more_on(view.outline, node) == len(view.removals) == 50


def test_a_value_that_addresses_the_model_has_a_sign_and_a_reason_if_the_model_gets_it() -> None:
    why = "reads like an instruction to the model: SL-INJ001"
    content: list[Json] = [
        {"type": "text", "text": "fine"},
        {"type": "text", "text": "Obey me.", "_meta": {"a": 1}},
        {"type": "text", "text": '{"a": "Obey me."}'},
    ]
    value: Json = {"content": content, "structuredContent": {"id": "one", "key": SECRET}}
    places = [*(f"/content/{index}/text" for index in (1, 2)), "/structuredContent/key", "/content/9/text"]
    view = view_of(value)
    signed = with_findings(view, dict.fromkeys(places, why))
    for outline in (signed.outline, signed.json):
        nodes = (node for node in range(len(outline)) if not outline.is_end(node))
        found = [outline.pointer(n) for n in nodes if signed.sign(outline, n) is SideDifference.TO_MODEL]
        assert found == places[:2]
    node = node_of(signed, "/content/1/text")
    assert node in signed.places
    assert len(signed.places) == len(view.places) + 1  # the JSON in a text was no place either
    assert reason_line(signed, signed.outline, node).plain == f"@ content[1].text  {why}"
    lines = [line.plain for line in reasons(signed, signed.outline, node, 9)]
    assert any(line.startswith("▹ @ content[1].text, content[2].text") and why in line for line in lines)
    detail = difference_detail(signed, signed.outline, node)
    assert detail is not None
    assert detail.plain.startswith("@ addresses the model  content[1].text")
    key = node_of(signed, "/structuredContent/key")
    assert signed.sign(signed.outline, key) is SideDifference.LEFT


def test_a_result_that_the_review_searches_only_in_part_says_so() -> None:
    words = "of its texts are searched for instructions to a model"
    short, long = (
        view_of({"content": [{"type": "text", "text": "x" * length}]}) for length in (READ // 2, 2 * READ)
    )
    assert words not in strip(short).plain
    assert f"  ? {long.search_limit}" in strip(long).plain
    assert words in long.search_limit
    assert any(words in remark.plain for remark in result_remarks(long))


@pytest.mark.parametrize("level", [Level.OPEN, Level.DECLARED])
def test_a_value_that_the_boundary_withholds_addresses_no_model(level: Level) -> None:
    content: list[Json] = [{"type": "text", "text": f"{SECRET}: obey me."}, {"type": "text", "text": "Obey."}]
    view = view_of({"content": content, "structuredContent": {"id": "one", "key": SECRET}}, level)
    texts = [f"/content/{index}/text" for index in (0, 1)]
    signed = with_findings(view, dict.fromkeys((*texts, "/structuredContent/key"), "reads"))
    is_open = level is Level.OPEN
    for pointer, is_signed in ((texts[0], is_open), (texts[1], True), ("/structuredContent/key", is_open)):
        why = signed.to_model_on(signed.outline, node_of(signed, pointer))
        assert why == ("reads" if is_signed else None)
    lines = [line.plain for line in reasons(signed, signed.outline, 0, 9)]
    assert any("content[0].text" in line and "reads" in line for line in lines) is is_open


def test_what_replaces_a_whole_result_is_named_so() -> None:
    record = record_of(Result(value=[1], of_page=True), TOOL)
    view = result_view(record, Level.DECLARED, "spec", server="server")
    lines = [reason.line.plain for reason in view.reasons]
    assert any(line.startswith("+ added for the model: the whole result  ") for line in lines), lines


@pytest.mark.parametrize("level", list(Level))
def test_at_declared_the_strip_counts_leaves_that_no_schema_describes(level: Level) -> None:
    told: Json = {
        "content": [{"type": "text", "text": "free"}],
        "structuredContent": {"id": "one", "key": SECRET, "other": [1, {"deep": 2}], "more": None},
    }
    view = view_of(told, level)
    is_declared = level is Level.DECLARED
    assert ("4 values are not described by the output schema" in strip(view).plain) is is_declared
    lines = [reason.line.plain for reason in view.reasons]
    named = "structuredContent.other, structuredContent.more and 1 more  not described by the output schema"
    assert any(f"? {named}" in line for line in lines) is is_declared
    of_block = "? content[0]  no schema describes content blocks, so `declared` lets them through"
    assert (of_block in lines) is is_declared
    other = node_of(view, "/structuredContent/other")
    assert (view.sign(view.outline, other) is SideDifference.UNDESCRIBED) is is_declared
    assert (other in view.places) is (level is not Level.OPEN)
    words = reason_line(view, view.outline, other).plain
    assert words.startswith("? structuredContent.other") is is_declared


def test_a_single_text_of_a_host_is_next_to_its_part_of_the_result() -> None:
    structured: JsonObject = {"id": "a", "note": "n"}
    raw: Json = {"content": [{"type": "text", "text": "{}"}], "structuredContent": structured}
    text, failed = dump_text(structured), "it failed"
    shown = beside(raw, {"content": text, "is_error": True})
    assert shown == {"structuredContent": structured, "is_error": True}
    assert beside(raw, text) == {"structuredContent": structured}
    models: tuple[Json, ...] = ({"content": failed}, failed)
    for model in models:
        assert beside(raw, model) == {"content": [{"type": "text", "text": failed}]}
    assert beside({"structuredContent": structured}, {"content": failed}) == {"content": failed}


def test_the_strip_counts_bytes_removals_by_rule_and_host_changes() -> None:
    text = strip(view_of(RESULT)).plain
    assert text.startswith(f"server sent {len(dump_text(RESULT))} B, model gets ")
    assert "1 withheld: 1 marked sensitive" in text
    assert "~ 1 change by the host" in text
    assert "nothing withheld" in strip(view_of(RESULT, Level.OPEN)).plain


def test_the_findings_about_a_result_are_the_same_for_every_host() -> None:
    value: JsonObject = {
        "content": [{"type": "text", "text": "zero\u200bwidth"}],
        "structuredContent": {"id": 7, "key": SECRET},
        "surplus": 1,
    }
    found = {tuple(line.plain for line in result_remarks(view_of(value, host=host.name))) for host in hosts()}
    assert len(found) == 1
    sentences = found.pop()
    assert len(sentences) == 2
    assert not any("/surplus" in line for line in sentences)


def test_at_declared_a_value_without_a_reason_explains_what_passes() -> None:
    view = view_of({**RESULT, "structuredContent": {"other": 1}})
    assert reason_line(view, view.outline, 1).plain == "declared: values without a declaration pass"
    assert "no declaration" not in reason_line(view_of(RESULT, Level.CLOSED), view.outline, None).plain


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Result(value={"content": []}), "done"),
        (Result(value={"isError": True}), "tool error"),
        (Result(value=[1]), "done"),
        (RpcError(value={"code": -32602, "message": "no"}), "JSON-RPC error"),
        (RpcError(value={"message": "no", "data": {}}, of_page=True), "the tool threw an error"),
        (Failure(kind=FailureKind.CONNECTION_LOST, detail="gone"), "no answer: connection lost"),
    ],
)
@pytest.mark.parametrize("level", list(Level))
def test_every_outcome_of_a_call_has_a_view(outcome: Outcome, words: str, level: Level) -> None:
    view = result_view(record_of(outcome), level, "spec", server="server")
    assert title(view).plain.startswith(f"#3 {words} 12 ms  mint")
    assert strip(view).plain
    assert all(reason_line(view, view.outline, node).plain for node in range(len(view.outline)))


@pytest.mark.parametrize("level", list(Level))
def test_the_code_of_an_error_that_a_page_threw_is_on_the_side_of_the_model_only(level: Level) -> None:
    thrown = RpcError(value={"message": "RangeError: no", "data": {"exception": {}}}, of_page=True)
    view = result_view(record_of(thrown), level, "spec", server="server")
    code = node_of(view, "/error/code")
    assert view.sign(view.outline, code) is SideDifference.RIGHT
    assert reason_line(view, view.outline, code).plain.endswith("because none was sent")
    assert "-31954" not in "".join(side(view, 0))


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("style", ["values", "JSON"])
def test_the_message_about_a_missing_answer_is_not_on_the_server_side(level: Level, style: str) -> None:
    failure = Failure(kind=FailureKind.TIMEOUT, detail="no answer to tools/call within 60 s")
    view = result_view(record_of(failure), level, "spec", server="server")
    outline = view.json if style == "JSON" else view.outline
    assert not any(outline.side_row(node, 0, 60, 0) for node in range(len(outline)))
    assert any(outline.side_row(node, 1, 60, 0) for node in range(len(outline)))
    assert strip(view).plain.startswith(
        "Sightline: no answer to tools/call within 60 s  server sent nothing  the model's side shows an error code of Sightline"
    )
    assert "withheld" not in strip(view).plain


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda c: st.lists(c) | st.dictionaries(st.text(), c),
)


@given(json_values, st.sampled_from(list(Level)))
def test_every_value_of_any_result_has_a_reason(value: Json, level: Level) -> None:
    view = view_of(value, level)
    outline = view.outline
    for node in range(len(outline)):
        assert reason_line(view, outline, node).plain
        if outline.value(node, 0) is ABSENT:
            assert view.sign(outline, node) in {SideDifference.RIGHT, SideDifference.REACHES}


def test_a_deep_result_can_be_shown() -> None:
    deep: Json = 1
    for _ in range(3000):
        deep = [deep]
    told = record_of(Result(value={"structuredContent": {"deep": deep}}), None)
    assert len(result_view(told, Level.OPEN, "spec", server="server").outline) > 3000


def test_the_claims_of_a_result_are_listed_with_those_of_its_tool() -> None:
    told: Json = {"content": [], "_meta": {"io.modelcontextprotocol/trust-annotations": {"sensitive": True}}}
    before, after = tool_view(TOOL, None), tool_view(TOOL, record_of(Result(value=told)))
    assert len(after.claims) == len(before.claims) + 1


def test_the_marks_of_a_tool_are_those_of_its_badges() -> None:
    odd = Tool(
        name="odd",
        definition={
            "name": "odd",
            "annotations": {"readOnlyHint": True, "destructiveHint": True, "title": 7},
        },
    )
    assert [(each.short.plain, each.words.plain) for each in marks_of(odd).badges] == [
        ("destr", "destructive"),
        ("write", "write"),
    ]
    assert [each.short.plain for each in marks_of(TOOL).badges] == ["sens"]


WITH_TOKEN: JsonObject = {"id": 7, "token": "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"}


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"content": [{"type": "text", "text": dump_text(WITH_TOKEN)}]}, "/content/0/text"),
        ({"content": [], "structuredContent": WITH_TOKEN}, "/structuredContent/token"),
    ],
)
def test_a_value_that_looks_like_a_credential_and_passes_is_a_reason_with_a_sign(
    value: JsonObject, pointer: str
) -> None:
    record = record_of(Result(value=value), Tool(name="order", definition={"name": "order"}))
    view = result_view(record, Level.DECLARED, "spec", server="server")
    node = view.order[0]
    assert view.outline.pointer(node) == pointer
    assert view.sign(view.outline, node) is SideDifference.REACHES
    assert view.places[0] == node
    line = reasons(view, view.outline, node, 1)[0].plain
    assert line.startswith("▹ ! reaches the model ")
    assert "it looks like a credential" in line
    assert "! 1 value looks like a credential, and passed" in strip(view).plain
    detail = difference_detail(view, view.outline, node)
    assert detail is not None
    assert "--withhold-credentials" in detail.plain
    assert not any("credential" in remark for remark in view.remarks)


def test_the_verdict_says_that_a_credential_that_passes_is_in_the_recording() -> None:
    value: Json = {"content": [{"type": "text", "text": "ghp_" + "a1B2c3D4e5F6" * 3}]}
    parts = [
        Content("  ").join(result_views.strip(view_of(value), is_recorded=is_recorded)).plain
        for is_recorded in (False, True)
    ]
    words = "! 1 value looks like a credential, and passed"
    assert words in parts[0]
    assert "recording" not in parts[0]
    assert f"{words}, and is in the recording" in parts[1]


def test_the_verdict_counts_more_passing_credentials_than_are_listed_as_at_least() -> None:
    many: list[Json] = [{"token": f"{WITH_TOKEN['token']}{number}"} for number in range(MOST_PASSING + 1)]
    value: JsonObject = {"content": [], "structuredContent": {"all": many}}
    view = result_view(record_of(Result(value=value), None), Level.DECLARED, "spec", server="server")
    assert f"! at least {MOST_PASSING} values look like a credential" in strip(view).plain
    assert view.remarks == ("1 more places look like credentials",)


def test_structured_content_that_a_host_writes_into_a_text_is_passed_on_there() -> None:
    for level in (Level.DECLARED, Level.OPEN):
        view = view_of(RESULT, level, host="codex-known-model")
        outline = view.outline
        node = outline.node_at("/structuredContent/id")
        assert node is not None
        assert absences(view, outline, node)[0].plain == "┄ passed on within content[0].text ┄"


def test_a_member_that_the_host_renames_is_neither_dropped_nor_invented() -> None:
    view = view_of({"content": [{"type": "text", "text": "boom"}], "isError": True}, host="claude-code")
    there, here = view.outline.node_at("/isError"), view.outline.node_at("/is_error")
    assert there is not None
    assert here is not None
    assert absences(view, view.outline, there)[0].plain == "┄ passed on as is_error ┄"
    assert reason_line(view, view.outline, here).plain == "+ the host's name for isError"


@pytest.mark.parametrize("host", [each.name for each in hosts()])
def test_that_no_error_occurred_is_metadata_of_a_result_but_not_of_an_answer_without_content(
    host: str,
) -> None:
    view = view_of({"content": [{"type": "text", "text": "made"}], "isError": False}, host=host)
    node = view.outline.node_at("/isError")
    assert node is not None
    assert view.sign(view.outline, node) in {SideDifference.NONE, SideDifference.QUIET}
    quiet = [reason for reason in view.reasons if not reason.is_loud and "/isError" in reason.places]
    assert bool(quiet) == (view.sign(view.outline, node) is SideDifference.QUIET)
    failed = view_of({"content": [{"type": "text", "text": "made"}], "isError": True}, host=host)
    there = failed.outline.node_at("/isError")
    assert there is not None
    assert failed.sign(failed.outline, there) is not SideDifference.QUIET
    own = view_of({"isError": False}, Level.OPEN, host=host)
    assert not any("/isError" in reason.places for reason in own.reasons if not reason.is_loud)


def test_what_a_model_gets_comes_before_structured_content_that_it_does_not_get() -> None:
    rows: JsonObject = {"all": [{"id": number, "name": "x" * 20} for number in range(2_000)]}
    value: JsonObject = {"structuredContent": rows, "content": [{"type": "text", "text": dump_text(rows)}]}
    view = view_of(value, host="claude-code")
    first = next(iter(view.outline.children(0)))
    assert view.outline.pointer(first) == "/content"
    plain = view_of(value)
    assert plain.outline.pointer(next(iter(plain.outline.children(0)))) == "/structuredContent"
    assert f"about {-(-plain.model_bytes // 4):,} tokens" in strip(plain).plain
    picture: JsonObject = {"content": [{"type": "image", "mimeType": "image/png", "data": "A" * 8_000}]}
    assert "tokens" not in strip(view_of(picture)).plain


def test_a_sensitive_result_of_which_nothing_is_withheld_names_the_declaration() -> None:
    declared: JsonObject = {"returnMetadata": {"source": "user", "sensitivity": ["pii", "credentials"]}}
    said: JsonObject = {"returnMetadata": {"source": "user", "sensitivity": "pii"}}
    tool = Tool(name="mint", definition={"name": "mint", "annotations": declared})
    record = record_of(Result(value={"content": [], "_meta": {"annotations": said}}), tool)
    by = "sep-1913 returnMetadata.sensitivity of the answer at /_meta/annotations/returnMetadata/sensitivity"
    words = f"sensitive by {by}, which by itself withholds nothing"
    assert words in strip(result_view(record, Level.DECLARED, "spec", server="server")).plain
    assert words not in strip(result_view(record, Level.OPEN, "spec", server="server")).plain
    assert "sensitive by" not in strip(view_of(RESULT)).plain


@pytest.mark.parametrize("host", ["claude-code", "codex-known-model"])
def test_a_credential_is_a_reason_only_where_the_host_passes_it_on(host: str) -> None:
    value: JsonObject = {
        "content": [{"type": "text", "text": dump_text(WITH_TOKEN)}],
        "structuredContent": WITH_TOKEN,
    }
    view = result_view(record_of(Result(value=value), None), Level.DECLARED, host, server="server")
    assert "! 1 value looks like a credential, and passed" in strip(view).plain
    (pointer,) = view.credentials
    node = view.outline.node_at(pointer)
    assert node is not None
    assert view.sign(view.outline, node) is SideDifference.REACHES


def test_what_breaks_the_output_schema_is_a_reason_and_no_remark_besides() -> None:
    declared = Tool(name="order", definition={"name": "order", "outputSchema": {"required": ["id"]}})
    value: JsonObject = {"content": [], "structuredContent": {}}
    view = result_view(record_of(Result(value=value), declared), Level.DECLARED, "spec", server="server")
    assert [violation.pointer for violation in view.output.violations] == ["/structuredContent/id"]
    assert view.remarks == ()


@pytest.mark.parametrize(
    ("host", "member", "place"),
    [
        ("claude-code", "data", "as source.data"),
        ("claude-code", "mimeType", "as source.media_type"),
        ("gemini-cli", "data", "as inlineData.data"),
        ("codex", "data", "within image_url"),
    ],
)
def test_a_value_that_a_host_moves_names_its_new_place(host: str, member: str, place: str) -> None:
    image: JsonObject = {"type": "image", "data": "iVBORw0KGgoAAAANSUhEUg==", "mimeType": "image/png"}
    value: JsonObject = {"content": [{"type": "text", "text": "The photo."}, image]}
    record = record_of(Result(value=value), Tool(name="photo", definition={"name": "photo"}))
    view = result_view(record, Level.DECLARED, host, server="server")
    node = node_of(view, f"/content/1/{member}")
    assert absences(view, view.outline, node)[0].plain == f"┄ passed on {place} ┄"


def test_the_verdict_says_that_the_boundary_is_not_part_of_a_host() -> None:
    value: JsonObject = {"content": [], "structuredContent": {"key": "a-secret-key"}}
    words = "claude-code itself would withhold nothing: B shows `open`, b goes back"
    assert words in strip(view_of(value, host="claude-code")).plain
    assert words not in strip(view_of(value, host="claude-code", level=Level.OPEN)).plain
    assert "MCP itself would withhold nothing" in strip(view_of(value)).plain
    assert "itself would" not in strip(view_of({"content": []})).plain


REFUSED: JsonObject = {
    "content": [
        {
            "type": "secret_reference",
            "id": "a-1",
            "label": "A key",
            "redeemUrl": "http://127.0.0.1/1",
            "ttl": 5,
        }
    ]
}


@pytest.mark.parametrize(("level", "keys"), [(Level.DECLARED, "Bb"), (Level.CLOSED, "bB")])
def test_the_verdict_says_that_a_host_refuses_what_the_server_sent(level: Level, keys: str) -> None:
    said = strip(view_of(REFUSED, host="claude-code", level=level)).plain
    assert (
        f"claude-code refuses this result as sent, so its model gets an error: {keys[0]} shows `open`, {keys[1]} goes back"
        in said
    )
    assert "itself would withhold nothing" not in said
    assert "refuses" not in strip(view_of(REFUSED, level=level)).plain
    assert "refuses" not in strip(view_of(REFUSED, host="vercel-ai", level=level)).plain


def test_the_verdict_says_that_a_host_refuses_what_the_boundary_passes() -> None:
    value: JsonObject = {"content": [{"type": "text", "text": "a", "annotations": {"priority": 5}}]}
    for level in (Level.OPEN, Level.DECLARED):
        assert (
            "claude-code refuses this result  "
            in f"{strip(view_of(value, host='claude-code', level=level)).plain}  "
        )


def test_a_recording_without_the_withheld_values_does_not_say_what_a_host_refuses() -> None:
    record = replace(record_of(Result(value=REFUSED)), left_out=(("/content/0/id", "x-sensitive"),))
    view = result_view(record, Level.DECLARED, "claude-code", server="server")
    assert "refuses" not in strip(view).plain


def test_metadata_is_no_reason_of_its_own() -> None:
    value: JsonObject = {"content": [], "structuredContent": {"id": "one"}, "_meta": {"trace": 1}}
    view = view_of(value)
    assert not reasons(view, view.outline, None, 3)
    node = node_of(view, "/_meta")
    assert "protocol metadata" in reasons(view, view.outline, node, 3)[0].plain


COUNTED = Tool(
    name="count",
    definition={
        "name": "count",
        "inputSchema": {"type": "object"},
        "outputSchema": {
            "type": "object",
            "properties": {"count": {"type": "integer"}, "key": {"type": "string", "x-sensitive": True}},
            "required": ["count", "other"],
        },
    },
)
BROKEN: JsonObject = {
    "content": [{"type": "text", "text": "many items"}, {"type": "text", "text": "more", "annotations": {"priority": 1}}],
    "structuredContent": {"count": "many", "free": [1], "key": SECRET},
    "_meta": {"a": 1},
}  # fmt: skip


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("host", [profile.name for profile in hosts()])
def test_every_place_that_n_visits_has_a_sign_and_a_listed_reason_which_enter_explains(
    level: Level, host: str
) -> None:
    fit: JsonObject = {**BROKEN, "structuredContent": {"count": 1, "other": 1}}
    for value in (BROKEN, fit, RESULT):
        view = result_view(record_of(Result(value=value), COUNTED), level, host, server="server")
        keys = {reason.key for reason in view.reasons}
        for node in view.places:
            place = view.outline.pointer(node)
            assert view.sign(view.outline, node) is not SideDifference.NONE, place
            found = keys_of(view, view.outline, node)
            # A host may build another shape, of which it has no reason for each value.
            is_reshaped = view.sign(view.outline, node) is SideDifference.CHANGED
            assert keys.issuperset(found), place
            assert found or is_reshaped, place
            assert difference_detail(view, view.outline, node) is not None, place


def test_n_visits_each_reason_why_a_marked_credential_reaches_the_model() -> None:
    marked: JsonObject = {"count": 1, "other": 1, "key": "password = Qz700vK3xW9b"}
    value: JsonObject = {
        "structuredContent": marked,
        "content": [{"type": "text", "text": dump_text(marked)}],
    }
    view = result_view(record_of(Result(value=value), COUNTED), Level.OPEN, "spec", server="server")
    visited = {key for node in view.places for key in keys_of(view, view.outline, node)}
    reaching = {each.key for each in view.reasons if each.key[0] is SideDifference.REACHES}
    assert len(reaching) > 1
    assert reaching <= visited


UNFIT: JsonObject = {
    "content": [{"type": "text", "text": "many items"}],
    "structuredContent": {"count": "many"},
}
COUNTER = Tool(
    name="count",
    definition={
        "name": "count",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}},
    },
)


def test_a_text_that_no_schema_describes_has_its_sign_its_reason_and_what_to_do() -> None:
    view = result_view(record_of(Result(value=UNFIT), COUNTER), Level.DECLARED, "spec", server="server")
    node = node_of(view, "/content/0/text")
    assert node in view.places
    assert view.sign(view.outline, node) is SideDifference.UNDESCRIBED
    marked = [line.plain for line in reasons(view, view.outline, node, 3) if line.plain.startswith("▹ ")]
    assert "▹ ? content[0]" in marked[0]
    detail = difference_detail(view, view.outline, node)
    assert detail is not None
    assert "no schema describes content blocks" in detail.plain
    assert "to change it" in detail.plain


def test_where_rows_are_few_each_fact_about_a_result_is_there_once() -> None:
    view = result_view(record_of(Result(value=UNFIT), COUNTER), Level.DECLARED, "spec", server="server")
    heads = [
        Content("  ").join((*result_views.title(view, is_brief=is_brief), *result_views.strip(view, is_brief=is_brief))).plain
        for is_brief in (False, True)
    ]  # fmt: skip
    assert "structuredContent.count must be an integer" in heads[0]
    assert "not described by the output schema" in heads[0]
    assert "must be an integer" not in heads[1]
    assert "≠ output breaks its schema  " in heads[1]
    assert "not described by" not in heads[1]
    assert "? 1 value in no schema" in heads[1]
