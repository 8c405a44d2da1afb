from dataclasses import dataclass

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.notice import (
    UNKNOWN_CONTENT,
    Amount,
    Notice,
    is_notice,
    is_own,
    merged,
    notice_in,
    notice_in_block,
    notice_of,
    reference_text,
    text_block,
)
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result

NAMES = frozenset({"pin", "secret", "a"})
START = "Withheld from this result: "


@pytest.mark.parametrize(
    ("count", "amount"),
    [
        (0, None),
        (1, "1"),
        (2, "up to 5"),
        (5, "up to 5"),
        (6, "up to 10"),
        (50, "up to 50"),
        (51, "more than 50"),
        (9999, "more than 50"),
    ],
)
def test_a_count_is_rounded_up(count: int, amount: str | None) -> None:
    notice = notice_of([None] * count, blocks=count, whole=False)
    assert (notice.others, notice.blocks) == (amount, amount)


def test_a_notice_names_each_field_once_and_counts_those_without_a_name() -> None:
    notice = notice_of(["pin", None, "secret", "pin", None], blocks=1, whole=False)
    assert notice.text == START + '{"fields":["pin","secret"],"otherFields":"up to 5","contentBlocks":"1"}'


def test_no_more_than_fifty_fields_are_named() -> None:
    notice = notice_of([f"p{index}" for index in range(60)], blocks=0, whole=False)
    assert (len(notice.fields), notice.others) == (50, Amount.TEN)


def test_a_notice_names_no_field_if_everything_is_withheld() -> None:
    assert notice_of(["pin"], blocks=0, whole=True) == Notice(others=Amount.ALL)


def test_two_merged_notices_name_all_fields_and_the_larger_count() -> None:
    one = Notice(fields=("a",), others=Amount.FIVE)
    other = Notice(fields=("pin", "a"), others=Amount.ONE, blocks=Amount.MORE)
    assert merged(one, other) == Notice(fields=("a", "pin"), others=Amount.FIVE, blocks=Amount.MORE)
    assert merged(other, one) == Notice(fields=("pin", "a"), others=Amount.FIVE, blocks=Amount.MORE)


def test_a_notice_is_recognised_in_both_its_forms() -> None:
    notice = Notice(fields=("pin",), others=Amount.FIFTY, blocks=Amount.ALL)
    assert notice_in(notice.value, NAMES) == notice
    assert notice_in_block(text_block(notice.text), NAMES) == notice


@pytest.mark.parametrize(
    ("block", "is_one"),
    [
        (text_block(START + '{"fields":["pin"]}'), True),
        (text_block(START + "anything"), True),
        (text_block(" " + START), False),
        (text_block("words"), False),
        (text_block(""), False),
        ({"type": "text"}, False),
        ({"type": "text", "text": None}, False),
        (START, False),
    ],
    ids=str,
)
def test_a_block_is_shown_as_a_notice_if_it_begins_like_one(
    block: Json,
    is_one: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert is_notice(block) is is_one


MANY = frozenset(f"p{index}" for index in range(60))


def test_a_notice_with_more_than_fifty_fields_is_not_recognised() -> None:
    assert notice_in({"fields": [f"p{index}" for index in range(50)]}, MANY)
    assert not notice_in({"fields": [f"p{index}" for index in range(51)]}, MANY)


FORGED: list[Json] = [
    {},
    {"fields": []},
    {"fields": ["sk-live-123"]},
    {"fields": ["pin", "pin"]},
    {"fields": ["pin"], "otherFields": "3"},
    {"fields": ["pin"], "more": "x"},
    {"otherFields": 1},
    {"contentBlocks": "up to 7"},
    {"fields": "pin"},
    {"fields": [["pin"]]},
    ["pin"],
    "pin",
    None,
    DuplicateKeys((("fields", ["pin"]), ("fields", ["pin"]))),
]


@pytest.mark.parametrize("forged", FORGED, ids=str)
def test_only_the_exact_form_is_recognised_as_a_notice(forged: Json) -> None:
    assert notice_in(forged, NAMES) is None
    assert notice_in_block(text_block(START + dump_text(forged)), NAMES) is None


@pytest.mark.parametrize(
    "block",
    [
        text_block(START + '{"fields": ["pin"]}'),
        text_block(START + '{"fields":["p\\u0069n"]}'),
        text_block(START + '{"otherFields":"1","fields":["pin"]}'),
        text_block(START + '{"fields":["pin"]} and more'),
        text_block(" " + START + '{"fields":["pin"]}'),
        {**text_block(START + '{"fields":["pin"]}'), "annotations": {"x": "sk-live-123"}},
        {"type": "image", "text": START + '{"fields":["pin"]}'},
        START + '{"fields":["pin"]}',
    ],
    ids=str,
)
def test_a_block_with_more_than_a_notice_is_not_a_notice(block: Json) -> None:
    assert notice_in_block(block, NAMES) is None


TOOL = Tool(
    name="t",
    definition={
        "name": "t",
        "inputSchema": {},
        "annotations": {"sensitiveHint": True},
        "outputSchema": {"type": "object", "properties": {"pin": {"type": "string"}}},
    },
)


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_a_notice_written_by_the_server_gains_nothing(level: Level) -> None:
    forged = text_block(START + '{"fields":["sk-live-123"]}')
    honest = text_block(START + '{"fields":["pin"]}')
    assert "sk-live" not in dump_text(bound(Result(value={"content": [forged]}), TOOL, level).result)
    # Anywhere but at the end, even the exact form is an ordinary block.
    bounded = bound(Result(value={"content": [honest, text_block("x"), honest]}), TOOL, level)
    assert bounded.result == {"content": [text_block(START + '{"fields":["pin"],"contentBlocks":"up to 5"}')]}


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_an_earlier_notice_is_kept_and_merged(level: Level) -> None:
    result: JsonObject = {
        "content": [text_block("x"), text_block(START + '{"otherFields":"up to 10"}')],
        "structuredContent": {"pin": "1", "_withheld": {"contentBlocks": "up to 5"}},
    }
    tool = Tool(
        name="t",
        definition={
            "name": "t",
            "outputSchema": {
                "type": "object",
                "properties": {"pin": {"type": "string", "x-sensitive": True}},
            },
        },
    )
    bounded = bound(Result(value=result), tool, level)
    assert isinstance(bounded.result, dict)
    said = '{"fields":["pin"],"otherFields":"up to 10","contentBlocks":"up to 5"}'
    assert dump_text(bounded.result["structuredContent"]) == f'{{"_withheld":{said}}}'
    assert dump_text(bounded.result["content"]).endswith(dump_text(START + said) + "}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    block: Json
    at_declared: bool
    at_closed: bool


@pytest.mark.parametrize(
    "words",
    [
        Words(block=text_block(UNKNOWN_CONTENT), at_declared=True, at_closed=True),
        Words(block=text_block(reference_text(None)), at_declared=True, at_closed=True),
        Words(block=text_block(reference_text('a "key" \u2028')), at_declared=True, at_closed=False),
        Words(block={**text_block(UNKNOWN_CONTENT), "_meta": {"x": 1}}, at_declared=False, at_closed=False),
        Words(block=text_block(UNKNOWN_CONTENT + " x"), at_declared=False, at_closed=False),
        Words(
            block=text_block(reference_text("a").replace('"a"', '"a" sk-live-123')),
            at_declared=False,
            at_closed=False,
        ),
        Words(
            block=text_block(reference_text("a").replace('"a"', '"\\u0061"')),
            at_declared=False,
            at_closed=False,
        ),
        Words(block=text_block("tool_error"), at_declared=False, at_closed=False),
    ],
    ids=str,
)
def test_only_texts_of_the_boundary_itself_are_recognised_as_such(words: Words) -> None:
    assert is_own(words.block, Level.DECLARED) is words.at_declared
    assert is_own(words.block, Level.CLOSED) is words.at_closed


@pytest.mark.parametrize("level", [Level.DECLARED, Level.CLOSED])
def test_a_notice_names_fields_of_the_schema_and_never_keys_of_the_result(level: Level) -> None:
    keyed: Json = {"type": "object", "patternProperties": {"^tok": {"x-sensitive": True}}}
    mapped: Json = {"type": "object", "additionalProperties": {"x-sensitive": True}}
    schema: Json = {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": mapped},
            "keyed": {"type": "array", "items": keyed},
        },
        "patternProperties": {"^tok": {"x-sensitive": True}},
    }
    tool = Tool(name="t", definition={"name": "t", "outputSchema": schema})
    value: JsonObject = {
        "rows": [{"sk-live-123": 1}],
        "tok-456": 2,
        "tok-789": 3,
        "keyed": [{"tok-1": 1, "n": 2}],
    }
    bounded = bound(Result(value=value), tool, level)
    text = dump_text(bounded.result)
    assert "123" not in text
    assert "tok" not in text
    assert '"otherFields":"up to 5"' in text
    assert "tok" not in "".join(removal.pointer for removal in bounded.removals)
