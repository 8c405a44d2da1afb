"""JSON in the texts of results: the texts that are opened, pointers into them, and the texts that stay closed."""

import pytest

from inspector.json.diff import changes
from inspector.json.exact import DuplicateKeys, Json, dump_text
from inspector.json.opened import LONGEST, opened, opened_alike, opened_texts, resolve_opened


def result(*texts: str) -> Json:
    return {"content": [{"type": "text", "text": text} for text in texts]}


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('{"n": 1}', {"n": 1}),
        ("\n [1, 2]", [1, 2]),
        ("{}", {}),
        ('{"n": 1', None),
        ('{"n": 1} and more', None),
        ("1", None),
        ('"{}"', None),
        ("plain", None),
        ("\ufeff{}", None),
        (5, None),
        (None, None),
        ("[" * 30, None),
        ("[" + " " * LONGEST + "]", None),
    ],
)
def test_a_text_is_opened_if_it_is_an_object_or_an_array(text: Json, inside: Json) -> None:
    assert opened(text) == inside


def test_numbers_duplicate_keys_and_depth_are_kept() -> None:
    text = '{"a":1.10,"b":1e400,"c":{"k":1,"k":2}}'
    assert dump_text(opened(text)) == text
    assert isinstance(opened('{"k": 1, "k": 2}'), DuplicateKeys)
    deep = "[" * 50_000 + "]" * 50_000
    assert dump_text(opened(deep)) == deep


@pytest.mark.parametrize(
    ("value", "pointer", "found"),
    [
        (result('{"a": {"text": "{}"}}'), "/content/0/text", '{"a": {"text": "{}"}}'),
        (result('{"a": {"text": "{}"}}'), "/content/0/text/a/text", "{}"),
        (result("plain", '[{"a~/b": 1.10}]'), "/content/1/text/0/a~0~1b", 1.1),
        ({"content": [{"resource": {"text": '{"a": 1}'}}]}, "/content/0/resource/text/a", 1),
        ({"text": {"a": 2}}, "/text/a", 2),
        ({"text": '{"text": "{\\"a\\": 1}"}'}, "/text/text/a", None),
        (result('{"a": 1}'), "/content/0/text/b", None),
        (result("plain"), "/content/0/text/a", None),
        ({"other": '{"a": 1}'}, "/other/a", None),
        (result('{"a": 1}'), "/content/1/text/a", None),
    ],
)
def test_a_pointer_can_enter_only_one_level_of_texts(value: Json, pointer: str, found: Json) -> None:
    if found is not None:
        assert resolve_opened(value, pointer) == found
        return
    with pytest.raises(LookupError):
        resolve_opened(value, pointer)


@pytest.mark.parametrize(
    ("before", "now", "pointers"),
    [
        ('{"n": 1, "m": [1]}', '{"n": 2, "m": [1, 2]}', {"/n", "/m/1"}),
        ('{"n": 1}', '{"n":1}', {""}),
        ('{"n": 1.10}', '{"n": 1.1}', {""}),
        ('{"n": 1}', '[{"n": 1}]', {""}),
        ('{"n": 1}', '{"n": 1', {""}),
        ('{"k": 1, "k": 2}', '{"k": 1, "k": 3}', {""}),
        ('{"n": 9007199254740993}', '{"n": 9007199254740992}', {"/n"}),
        ('{"n": 1}', '{"n": 1}', set[str]()),
        ("[]", '[{"n": 1}]', {"/0"}),
    ],
)
def test_differences_between_two_json_texts_are_named_by_leaf(
    before: str, now: str, pointers: set[str]
) -> None:
    def found(value: tuple[Json, Json]) -> set[str]:
        return {each.pointer.removeprefix("/content/1/text") for each in changes(*value)}

    assert found(opened_alike(result("x", before), result("x", now))) == pointers
    closed = opened_alike(result("x", before), result("x", now), lambda pointer: pointer != "/content/1/text")
    assert found(closed) <= {""}


def test_only_the_texts_of_content_blocks_are_opened_in_their_order() -> None:
    value: Json = {
        "content": [
            {"type": "text", "text": '{"text": "[1]"}'},
            {"type": "resource", "resource": {"text": "[1]"}},
        ],
        "structuredContent": {"said": "[1]", "text": "{}"},
    }
    assert [pointer for pointer, _ in opened_texts(value)] == [
        "/content/0/text",
        "/content/1/resource/text",
    ]
    deep: Json = {"text": "{}"}
    for _ in range(5_000):
        deep = [deep]
    assert not [*opened_texts(deep)]
