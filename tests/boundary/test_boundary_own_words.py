"""The boundary's own texts, references and notices, and texts that only look like them."""

import pytest

from inspector.boundary.bounded import Level
from inspector.boundary.notice import is_own, label_in, reference_text, text_block
from inspector.json.exact import Json, JsonObject
from tests.boundary.bounding import (
    SENSITIVE,
    STRICT,
    bounded_of,
    content_of,
    fields,
    rules_of,
    structured_of,
)


@pytest.mark.parametrize(
    "text",
    [
        '[secret reference "a" "b"; only the user can reveal what it stands for]',
        "[secret reference 5; only the user can reveal what it stands for]",
        '[secret reference "\\u0061"; only the user can reveal what it stands for]',
        '[secret reference "a"; only the user can reveal what it stands for',
        'secret reference "a"; only the user can reveal what it stands for]',
    ],
)
@pytest.mark.parametrize("level", STRICT)
def test_a_text_that_only_resembles_a_reference_is_an_ordinary_text(text: str, level: Level) -> None:
    block: Json = {"type": "text", "text": text}
    assert not is_own(block, level)
    assert label_in(block) is None


@pytest.mark.parametrize("block", [None, "text", ["text"], {"type": "text", "text": 5}, {"type": "text"}, {}])
def test_a_malformed_text_block_is_not_a_text_of_the_boundary(block: Json) -> None:
    assert not is_own(block, Level.DECLARED)
    assert label_in(block) is None


@pytest.mark.parametrize("label", ["", "key", "two\nlines", 'a "quoted" one', "\u2028"])
def test_the_label_is_read_back_from_the_text_of_a_reference(label: str) -> None:
    block = text_block(reference_text(label))
    assert label_in(block) == label
    assert is_own(block, Level.DECLARED)
    assert not is_own(block, Level.CLOSED)
    assert not is_own({**block, "more": 1}, Level.DECLARED)
    assert is_own(text_block(reference_text(None)), Level.CLOSED)


def test_a_field_that_is_withheld_repeatedly_is_named_and_counted_once() -> None:
    named: JsonObject = {f"f{index}": SENSITIVE for index in range(50)}
    row: JsonObject = dict.fromkeys(named, "hidden-value")
    schema = fields(rows={"type": "array", "items": fields(**named)})
    bounded = bounded_of({"content": [], "structuredContent": {"rows": [row, row]}}, schema)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["_withheld"] == {"fields": list(named)}


@pytest.mark.parametrize("listed", ["pin", {"pin": 1}, 5, None])
def test_a_notice_whose_fields_are_not_a_list_is_not_a_notice(listed: Json) -> None:
    value: Json = {"a": 1, "_withheld": {"fields": listed}}
    bounded = bounded_of({"content": [], "structuredContent": value}, fields(pin=SENSITIVE))
    assert rules_of(bounded) == [("/structuredContent/_withheld", "internal")]


@pytest.mark.parametrize(
    "text",
    [
        '{"contentBlocks":"1"}',
        "Withheld from this result: {",
        "Withheld from this result: [1]",
        'Withheld from this result:  {"contentBlocks":"1"}',
    ],
)
def test_a_text_that_only_resembles_a_notice_is_an_ordinary_text(text: str) -> None:
    block: Json = {"type": "text", "text": text}
    assert content_of(bounded_of({"content": [block]})) == [block]
    closed = content_of(bounded_of({"content": [block]}, level=Level.CLOSED))
    assert closed == [{"type": "text", "text": 'Withheld from this result: {"contentBlocks":"1"}'}]
    assert rules_of(bounded_of({"content": [block]}, level=Level.CLOSED)) == [("/content/0", "no-contract")]
