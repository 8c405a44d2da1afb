"""Values that look like a credential: where they are found, and how they are reported."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.rules.detect import MAX_LISTED
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from tests.boundary.bounding import (
    HIDE,
    UNTRUSTED,
    WITHHOLD,
    content_of,
    credential,
    judged,
    removed,
    rules_of,
    structured_of,
    text,
)


@pytest.mark.parametrize("count", [1, MAX_LISTED, MAX_LISTED + 1, MAX_LISTED + 5])
def test_places_like_credentials_are_listed_up_to_a_limit_and_then_counted(count: int) -> None:
    bounded = judged({"content": [text(credential(number)) for number in range(count)]})
    told = [f"it looks like a credential: secret in an assignment, at /content/{n}" for n in range(count)]
    more = [f"{count - MAX_LISTED} more places look like credentials"] if count > MAX_LISTED else []
    assert list(bounded.remarks) == told[:MAX_LISTED] + more


def test_a_result_that_is_itself_a_credential_is_reported_at_the_root() -> None:
    bounded = bound(Result(value=credential(0)), None, Level.DECLARED)
    assert bounded.remarks == ("it looks like a credential: secret in an assignment, at the root",)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": {"b/c": [1, credential(0)]}}, "/structuredContent/a/b~1c/1"),
        (credential(0), "/structuredContent"),
    ],
)
def test_a_credential_in_structured_content_is_reported_at_its_place(value: Json, place: str) -> None:
    found = judged({"structuredContent": value}).remarks
    assert found == (f"it looks like a credential: secret in an assignment, at {place}",)


def test_an_object_with_a_duplicate_key_gives_no_value_a_suspicious_key() -> None:
    twice = DuplicateKeys((("a", {"password": "Qz7vK3xW9b"}), ("a", 1)))
    result: JsonObject = {"structuredContent": {"box": twice, "note": "Qz7vK3xW9b"}}
    assert judged(result, level=Level.OPEN).remarks == ()
    result = {"structuredContent": {"box": {"a": {"password": "Qz7vK3xW9b"}}, "note": "Qz7vK3xW9b"}}
    assert len(judged(result, level=Level.OPEN).remarks) == 2


def test_texts_that_resemble_a_credential_only_together_are_not_reported() -> None:
    texts: list[Json] = [
        text("see https://example:8080"),
        *(text(f"name{number}@example") for number in range(40)),
    ]
    assert judged({"content": texts}).remarks == ()


@pytest.mark.parametrize("short", ["x://:abc@h", "https://:abcd@host"])
def test_the_shortest_possible_credential_is_found(short: str) -> None:
    assert removed(judged({"content": [text(short)]}, policy=WITHHOLD)) == ["/content/0 detect"]


@pytest.mark.parametrize(
    "value",
    [
        {"password": "Qz7vK3xW9b"},
        {"rows": ["a", 5, {"password": "Qz7vK3xW9b"}]},
        {"rows": [[{"password": "Qz7vK3xW9b"}]], "n": 1},
        {"a": {"b": {"passwd": "Qz7vK3xW9b"}}, "c": "d"},
    ],
)
def test_a_value_under_a_suspicious_key_is_found_at_any_depth(value: Json) -> None:
    result: JsonObject = {"content": [text("Qz7vK3xW9b"), text("fine")], "structuredContent": value}
    bounded = judged(result, policy=WITHHOLD)
    assert "Qz7vK3xW9b" not in dump_text(bounded.result)
    assert content_of(bounded)[0] == text("fine")


def test_a_short_value_or_one_under_another_key_is_not_a_credential() -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    value: JsonObject = {"name": "Qz7vK3xW9b", "short": "abc", "long": "many words", "tokens": ["Qz7vK3xW9b"]}
    numbers: JsonObject = {"passwords": 12_345_678_901, "keys": None}
    keys: JsonObject = {f"token {shaped}": "abc", shaped: "many words"}
    bounded = judged({"structuredContent": {**value, **numbers, **keys}}, policy=WITHHOLD)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert list(left) == [*value, *numbers, "_withheld"]


def test_a_withheld_part_is_not_searched_for_credentials() -> None:
    attribution: JsonObject = {"annotations": {"attribution": ["Qz7vK3xW9b"]}}
    result: JsonObject = {"structuredContent": {"password": "Qz7vK3xW9b"}}
    assert judged({**result, "_meta": attribution}).remarks != ()
    assert judged({**result, "_meta": {**UNTRUSTED, **attribution}}, policy=HIDE).remarks == ()


@pytest.mark.parametrize("policy", [BoundaryPolicy(), BoundaryPolicy(withhold_credentials=True)])
def test_a_key_that_looks_like_a_credential_is_in_no_pointer(policy: BoundaryPolicy) -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    result: Json = {"content": [], "structuredContent": {"a": {shaped: 1, "b": 2}}}
    bounded = bound(Result(value=result), None, Level.DECLARED, policy=policy)
    assert rules_of(bounded) == ([("/structuredContent/a", "detect")] if policy.withhold_credentials else [])
    assert shaped not in str((bounded.removals[:], bounded.remarks))
    assert bounded.removals or bounded.remarks


def test_copies_of_a_credential_are_withheld_at_closed_too() -> None:
    value: JsonObject = {"secret": "Qz7vK3xW9b", "note": "Qz7vK3xW9b", "other": "fine and well"}
    schema: Json = {
        "type": "object",
        "properties": {"secret": {}, "note": {"type": "string"}, "other": {"type": "string"}},
    }
    result: JsonObject = {"content": [text('{"secret": "Qz7vK3xW9b"}')], "structuredContent": value}
    tool = Tool(name="t", definition={"outputSchema": schema})
    for level in (Level.CLOSED, Level.DECLARED):
        bounded = bound(Result(value=result), tool, level, policy=WITHHOLD)
        assert "Qz7vK3xW9b" not in dump_text(bounded.result), level
        assert "fine and well" in dump_text(bounded.result)
    bounded = bound(Result(value=result), tool, Level.CLOSED)
    assert "Qz7vK3xW9b" in dump_text(bounded.result)
    assert bounded.remarks == ()
