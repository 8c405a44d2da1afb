"""A page's tool may return any JSON value: `content` may be an ordinary member of it."""

import pytest
from msgspec.structs import replace

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Rule
from inspector.json.exact import Json, dump_text
from inspector.protocol.outcome import Result
from tests.boundary.bounding import HINT, SECRET, SENSITIVE, TEXT, fields, tool_with
from tests.review.examples import page_facts


def of_page(value: Json, schema: Json = None, level: Level = Level.DECLARED, **more: Json) -> Bounded:
    tool = replace(tool_with(schema, **more), page=page_facts({}))
    return bound(Result(value=value), tool, level)


@pytest.mark.parametrize(
    "value",
    [
        {"content": "text"},
        {"content": "text", "isError": "no", "_meta": 7, "structuredContent": [1]},
        {"content": None},
        {"content": {"type": "text", "text": "x"}, "resultType": "complete"},
    ],
)
def test_a_page_result_whose_content_is_not_a_list_passes_as_a_plain_value(value: Json) -> None:
    bounded = of_page(value)
    assert bounded.result == {"content": [], "structuredContent": value}
    assert bounded.removals == ()
    closed = of_page(value, level=Level.CLOSED)
    assert dump_text(value) not in dump_text(closed.result)


def test_a_marked_member_named_content_is_withheld_with_its_copies() -> None:
    schema = fields(content=SENSITIVE, other=TEXT)
    for level in (Level.DECLARED, Level.CLOSED):
        bounded = of_page({"content": SECRET, "other": f"again {SECRET}"}, schema, level)
        assert SECRET not in dump_text(bounded.result)
        assert "/content x-sensitive" in [f"{one.pointer} {one.rule}" for one in bounded.removals]
    hinted = of_page({"content": SECRET}, annotations=HINT)
    assert SECRET not in dump_text(hinted.result)
    assert SECRET in dump_text(of_page({"content": SECRET}).result)


@pytest.mark.parametrize("tool", [None, tool_with()])
def test_content_that_is_not_a_list_cannot_be_judged_unless_a_page_sent_it(tool: object) -> None:
    bounded = bound(Result(value={"content": SECRET}), tool, Level.DECLARED)  # pyright: ignore[reportArgumentType]
    assert SECRET not in dump_text(bounded.result)
    assert [one.rule for one in bounded.removals] == [Rule.UNKNOWN_CONTENT]


def test_a_page_result_with_a_list_of_blocks_is_judged_as_a_result() -> None:
    bounded = of_page({"content": [{"type": "text", "text": "hi"}, 7]})
    assert "structuredContent" not in dump_text(bounded.result)
    assert [one.pointer for one in bounded.removals] == ["/content/1"]
