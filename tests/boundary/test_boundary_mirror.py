"""Text that repeats structured content contains no more than what is left of that content."""

import pytest

from inspector.boundary.bounded import Level
from inspector.boundary.same_content import is_equally_spelt
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump_text, parse
from inspector.json.members import value_at
from tests.boundary.bounding import (
    HIDE,
    SECRET,
    SENSITIVE,
    STRICT,
    TEXT,
    UNTRUSTED,
    WHOLE,
    WITHHOLD,
    bounded_of,
    content_of,
    credential,
    fields,
    judged,
    removed,
    text,
)


def test_a_text_that_repeats_unchanged_content_keeps_its_spelling() -> None:
    schema = fields(box=fields(a={"type": "string"}, pin=SENSITIVE))
    block: Json = {"type": "text", "text": '{ "box" :\n{"a": "x"}}'}
    bounded = bounded_of({"content": [block], "structuredContent": {"box": {"a": "x"}}}, schema)
    assert content_of(bounded) == [block]
    assert bounded.removals == ()
    assert bounded.free_blocks == ()


def test_only_texts_that_do_not_repeat_the_structured_content_are_free_blocks() -> None:
    blocks: list[Json] = [{"type": "text", "text": text} for text in ('{"a":1}', "x", "y", '{"a": 1}')]
    bounded = bounded_of({"content": blocks, "structuredContent": {"a": 1}}, fields(p=SENSITIVE))
    assert bounded.free_blocks == ("/content/1", "/content/2")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('{"n": [1.00000000000000000000000000483920117]}', {"n": [1]}),
        ("0e483920117", 0),
        ("1e483920117", Number("1e400")),
    ],
)
def test_a_secret_in_the_spelling_of_a_number_is_withheld(written: str, value: Json) -> None:
    reference: Json = {"type": "secret_reference", "id": "483920117", "label": "x", "redeemUrl": "/a"}
    result: JsonObject = {"content": [reference, text(written)], "structuredContent": value}
    for level in Level.DECLARED, Level.CLOSED:
        assert "483920117" not in dump_text(bounded_of(result, level=level).result)
    plain: JsonObject = {"content": [text(written)], "structuredContent": value}
    assert content_of(bounded_of(plain)) == [text(written)]


def parsed(written: str) -> Json:
    found = parse(written)
    assert isinstance(found, JsonText)
    return found.value


def test_numbers_in_another_spelling_are_part_of_the_repetition_only_if_the_text_is_written_again() -> None:
    words, value = '{"n": [1.0, 2.50], "t": "x"}', parsed('{"n": [1, 2.5], "t": "x"}')
    result: JsonObject = {"content": [text(words)], "structuredContent": value}
    numbers: JsonObject = {"type": "array", "items": {"type": "number"}}
    plain, marked = fields(n=numbers, t=TEXT), fields(n=numbers, t=SENSITIVE)
    assert content_of(bounded_of(result, plain)) == [text(words)]
    assert content_of(bounded_of(result, plain, Level.CLOSED)) == [text('{"n":[1,2.5],"t":"x"}')]
    for level in STRICT:
        bounded = bounded_of(result, marked, level)
        assert any(str(value_at(block, "text")).startswith('{"n":[1,2.5],') for block in content_of(bounded))
        assert "/content/0/text mirror" in removed(bounded)


@pytest.mark.parametrize(
    ("written", "value", "is_equal"),
    [
        ('{"a": 1.5}', '{"a": 1.5}', True),
        ('{"a": 1.50}', '{"a": 1.5}', False),
        ('{"a": 1.50}', '{"a": 1.50}', True),
        ('{"a": [1.5, 2]}', '{"a": [1.5, 2]}', True),
        ('{"a": 1.5, "a": 2}', '{"a": 1.5, "a": 2}', True),
        ('{"a": 1.50, "a": 2}', '{"a": 1.5, "a": 2}', False),
        ('{"a": 1}', '{"a": 1}', True),
    ],
)
def test_the_spelling_of_each_number_is_compared(written: str, value: str, *, is_equal: bool) -> None:
    assert is_equally_spelt(written, parsed(written), parsed(value)) is is_equal


def test_a_text_that_repeats_an_unchanged_reference_keeps_its_spelling() -> None:
    block: Json = {"type": "text", "text": '{"r": {"type": "secret_reference",  "label": "key"}}'}
    value: Json = {"r": {"type": "secret_reference", "label": "key"}}
    bounded = bounded_of({"content": [block], "structuredContent": value})
    assert content_of(bounded) == [block]
    assert bounded.removals == ()


def test_a_text_that_repeats_withheld_structured_content_is_withheld_too() -> None:
    words = credential(0)
    result: JsonObject = {"content": [text(dump_text(words)), text("fine")], "structuredContent": words}
    bounded = judged(result, policy=WITHHOLD)
    assert content_of(bounded)[0] == text("fine")
    assert removed(bounded) == ["/structuredContent detect", "/content/0 mirror"]


def test_a_text_that_repeats_unmarked_structured_content_passes() -> None:
    value: Json = {"a": "x", "b": 1}
    result: JsonObject = {"content": [text(dump_text(value)), text("fine")], "structuredContent": value}
    for schema in (None, fields(a=TEXT, b=WHOLE), fields(a=TEXT, b=WHOLE, p=SENSITIVE)):
        bounded = judged(result, schema)
        assert bounded.result == result
        assert bounded.free_blocks == ("/content/1",)
    assert judged({"content": [text(dump_text(value))]}).free_blocks == ("/content/0",)


def test_the_meta_of_a_repeating_text_is_withheld_as_in_any_block() -> None:
    value: Json = {"a": "x"}
    result: JsonObject = {"content": [text('{"a":"x"}', _meta={"k": 1})], "structuredContent": value}
    bounded = judged(result, fields(a=TEXT))
    assert bounded.result == {"content": [text('{"a":"x"}')], "structuredContent": value}
    assert removed(bounded) == ["/content/0/_meta/k meta"]


def test_a_hidden_repetition_is_not_rewritten() -> None:
    value: Json = {"a": "x", "p": SECRET}
    result: JsonObject = {"content": [text(dump_text(value), _meta=UNTRUSTED)], "structuredContent": value}
    bounded = judged(result, fields(a=TEXT, p=SENSITIVE), policy=HIDE)
    assert [one for one in removed(bounded) if "content/0" in one] == [
        "/content/0 untrusted",
        "/content/0 echo",
    ]
    assert len(content_of(bounded)) == 1


@pytest.mark.parametrize("level", STRICT)
def test_a_value_withheld_from_json_text_is_withheld_from_other_text_too(level: Level) -> None:
    texts: list[Json] = [text(dump_text({"a": "x", "p": SECRET})), text(f"it is {SECRET}")]
    bounded = judged({"content": texts}, fields(a=TEXT, p=SENSITIVE), level)
    assert SECRET not in dump_text(bounded.result)
    if level is Level.DECLARED:
        assert content_of(bounded)[0] == text('{"a":"x"}')
        assert removed(bounded) == ["/content/0/text mirror", "/content/1 echo"]


@pytest.mark.parametrize("schema", [None, True, {}])
def test_a_repeating_text_is_rewritten_even_if_no_schema_marks_anything(schema: Json) -> None:
    twice = DuplicateKeys((("a", "CANARY"), ("a", 1)))
    value: Json = {"n": 1, "x": twice}
    bounded = judged({"content": [text(dump_text(value))], "structuredContent": value}, schema)
    assert removed(bounded) == ["/structuredContent/x internal", "/content/0/text mirror"]
    assert "CANARY" not in dump_text(bounded.result)


def test_json_text_without_declarations_passes_as_it_was_sent() -> None:
    words = '{ "a": 1, "a": 2.50 }'
    assert judged({"content": [text(words)]}).result == {"content": [text(words)]}
