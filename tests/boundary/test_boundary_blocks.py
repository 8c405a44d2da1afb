"""Content blocks: what the protocol does not know, and what passes of `_meta`."""

import pytest

from inspector.boundary.bounded import Level
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from tests.boundary.bounding import (
    IMAGE,
    SECRET,
    SENSITIVE,
    STRICT,
    WITHHOLD,
    content_of,
    credential,
    fields,
    judged,
    member,
    removed,
    text,
)


@pytest.mark.parametrize("holder", ["block", "resource", "result"])
def test_a_meta_without_anything_in_it_stays(holder: str) -> None:
    resource: JsonObject = {"uri": "u:", "text": "w"}
    blocks: dict[str, Json] = {
        "block": text("w", _meta={}),
        "resource": {"type": "resource", "resource": {**resource, "_meta": {}}},
        "result": text("w"),
    }
    block = blocks[holder]
    meta: JsonObject = {"_meta": {}} if holder == "result" else {}
    bounded = judged({"content": [block], **meta})
    assert removed(bounded) == []
    assert bounded.result == {"content": [block], **meta}


@pytest.mark.parametrize("policy", [DEFAULT_POLICY, WITHHOLD])
@pytest.mark.parametrize("more", [[], [text(f"it is {SECRET}")], [text(credential(0))]])
def test_it_stays_too_where_something_else_is_searched_for_and_goes(
    more: list[Json], policy: BoundaryPolicy
) -> None:
    result: JsonObject = {"content": [text("w"), *more], "structuredContent": {"pin": SECRET}, "_meta": {}}
    bounded = judged(result, fields(pin=SENSITIVE), policy=policy)
    assert member(bounded, "_meta") == {}
    assert [pointer for pointer in removed(bounded) if pointer.startswith("/_meta")] == []


def test_what_a_block_says_about_trust_passes_in_its_own_meta_alone() -> None:
    block = text("w", _meta={"ifc": {"integrity": "trusted"}})
    bounded = judged({"content": [block], "_meta": {"ifc": {"integrity": "untrusted", "k": 1}}})
    assert member(bounded, "_meta") == {"ifc": {"integrity": "untrusted"}}
    assert removed(bounded) == ["/_meta/ifc meta"]
    bounded = judged({"content": [block], "_meta": {"content": {"0": {"_meta": block["_meta"]}}}})
    assert content_of(bounded) == [block]
    assert member(bounded, "_meta") is None
    assert removed(bounded) == ["/_meta/content meta"]


def test_the_meta_of_a_resource_is_not_that_of_the_block_around_it() -> None:
    trusted: JsonObject = {"ifc": {"integrity": "trusted"}}
    resource: JsonObject = {"uri": "u:", "text": "w", "_meta": {"k": 1}}
    block: JsonObject = {"type": "resource", "resource": resource, "_meta": trusted}
    bounded = judged({"content": [block]})
    left: JsonObject = {"type": "resource", "resource": {"uri": "u:", "text": "w"}, "_meta": trusted}
    assert content_of(bounded) == [left]
    assert removed(bounded) == ["/content/0/resource/_meta/k meta"]


def test_what_a_block_says_about_trust_lets_nothing_pass_in_the_meta_of_its_resource() -> None:
    trusted: JsonObject = {"ifc": {"integrity": "trusted"}}
    # As the pointer to the claim would lead, were it followed from there.
    disguised: JsonObject = {"content": {"0": {"_meta": trusted}}}
    resource: JsonObject = {"uri": "u:", "text": "w", "_meta": disguised}
    bounded = judged({"content": [{"type": "resource", "resource": resource, "_meta": trusted}]})
    left: JsonObject = {"type": "resource", "resource": {"uri": "u:", "text": "w"}, "_meta": trusted}
    assert content_of(bounded) == [left]
    assert removed(bounded) == ["/content/0/resource/_meta/content meta"]


@pytest.mark.parametrize("meta", [None, "trusted", []])
def test_a_meta_that_is_no_object_goes(meta: Json) -> None:
    bounded = judged({"_meta": meta})
    assert bounded.result == {"content": []}
    assert removed(bounded) == ["/_meta meta"]


def without(block: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in block.items() if key not in keys}


AUDIO: JsonObject = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}


LINK: JsonObject = {"type": "resource_link", "uri": "u:", "name": "n"}


@pytest.mark.parametrize("block", [text("w"), IMAGE, AUDIO, LINK])
def test_a_block_that_has_what_its_type_must_have_passes(block: JsonObject) -> None:
    bounded = judged({"content": [block]})
    assert bounded.result == {"content": [block]}
    assert removed(bounded) == []


@pytest.mark.parametrize(
    "block",
    [
        text("w") | {"text": 5},
        without(IMAGE, "data"),
        without(IMAGE, "mimeType"),
        without(AUDIO, "data"),
        without(AUDIO, "mimeType"),
        without(LINK, "uri"),
        without(LINK, "name"),
        {"type": "resource", "resource": {"uri": "u:"}},
        {"type": ["text"], "text": "w"},
        {"type": None, "text": "w"},
    ],
)
@pytest.mark.parametrize("level", STRICT)
def test_a_block_without_what_its_type_must_have_is_replaced(block: JsonObject, level: Level) -> None:
    bounded = judged({"content": [block, text("fine")]}, None, level)
    assert content_of(bounded)[0] == text("[content that cannot be judged was withheld]")
    assert removed(bounded)[0] == "/content/0 unknown-content"


@pytest.mark.parametrize("level", STRICT)
def test_a_block_that_names_a_key_twice_cannot_be_judged_and_what_it_says_is_a_secret(level: Level) -> None:
    twice = DuplicateKeys((("type", "text"), ("text", SECRET), ("text", "w")))
    bounded = judged({"content": [twice, text(f"it is {SECRET}")]}, None, level)
    last = "echo" if level is Level.DECLARED else "no-contract"
    assert removed(bounded) == ["/content/0 internal", f"/content/1 {last}"]
