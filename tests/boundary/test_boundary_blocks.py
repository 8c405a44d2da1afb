"""Content blocks: types that the protocol does not know, and the parts of `_meta` that pass."""

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
def test_an_empty_meta_passes(holder: str) -> None:
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
def test_an_empty_meta_passes_also_if_an_echo_is_withheld(more: list[Json], policy: BoundaryPolicy) -> None:
    result: JsonObject = {"content": [text("w"), *more], "structuredContent": {"pin": SECRET}, "_meta": {}}
    bounded = judged(result, fields(pin=SENSITIVE), policy=policy)
    assert member(bounded, "_meta") == {}
    assert [pointer for pointer in removed(bounded) if pointer.startswith("/_meta")] == []


def test_a_trust_claim_of_a_block_passes_only_in_the_meta_of_that_block() -> None:
    block = text("w", _meta={"ifc": {"integrity": "trusted"}})
    bounded = judged({"content": [block], "_meta": {"ifc": {"integrity": "untrusted", "k": 1}}})
    assert member(bounded, "_meta") == {"ifc": {"integrity": "untrusted"}}
    assert removed(bounded) == ["/_meta/ifc meta"]
    bounded = judged({"content": [block], "_meta": {"content": {"0": {"_meta": block["_meta"]}}}})
    assert content_of(bounded) == [block]
    assert member(bounded, "_meta") is None
    assert removed(bounded) == ["/_meta/content meta"]


def test_the_meta_of_a_resource_is_separate_from_that_of_its_block() -> None:
    trusted: JsonObject = {"ifc": {"integrity": "trusted"}}
    resource: JsonObject = {"uri": "u:", "text": "w", "_meta": {"k": 1}}
    block: JsonObject = {"type": "resource", "resource": resource, "_meta": trusted}
    bounded = judged({"content": [block]})
    left: JsonObject = {"type": "resource", "resource": {"uri": "u:", "text": "w"}, "_meta": trusted}
    assert content_of(bounded) == [left]
    assert removed(bounded) == ["/content/0/resource/_meta/k meta"]


def test_a_trust_claim_of_a_block_releases_nothing_in_its_resource() -> None:
    trusted: JsonObject = {"ifc": {"integrity": "trusted"}}
    # The path that the pointer to the claim would have, if it were followed from there.
    disguised: JsonObject = {"content": {"0": {"_meta": trusted}}}
    resource: JsonObject = {"uri": "u:", "text": "w", "_meta": disguised}
    bounded = judged({"content": [{"type": "resource", "resource": resource, "_meta": trusted}]})
    left: JsonObject = {"type": "resource", "resource": {"uri": "u:", "text": "w"}, "_meta": trusted}
    assert content_of(bounded) == [left]
    assert removed(bounded) == ["/content/0/resource/_meta/content meta"]


@pytest.mark.parametrize("meta", [None, "trusted", []])
def test_a_meta_that_is_not_an_object_is_withheld(meta: Json) -> None:
    bounded = judged({"_meta": meta})
    assert bounded.result == {"content": []}
    assert removed(bounded) == ["/_meta meta"]


def without(block: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in block.items() if key not in keys}


AUDIO: JsonObject = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}


LINK: JsonObject = {"type": "resource_link", "uri": "u:", "name": "n"}


@pytest.mark.parametrize("block", [text("w"), IMAGE, AUDIO, LINK])
def test_a_block_with_all_required_members_passes(block: JsonObject) -> None:
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
def test_a_block_without_a_required_member_is_replaced(block: JsonObject, level: Level) -> None:
    bounded = judged({"content": [block, text("fine")]}, None, level)
    assert content_of(bounded)[0] == text("[content that cannot be judged was withheld]")
    assert removed(bounded)[0] == "/content/0 unknown-content"


@pytest.mark.parametrize("level", STRICT)
def test_a_block_with_a_duplicate_key_is_withheld_and_its_text_is_secret(level: Level) -> None:
    twice = DuplicateKeys((("type", "text"), ("text", SECRET), ("text", "w")))
    bounded = judged({"content": [twice, text(f"it is {SECRET}")]}, None, level)
    last = "echo" if level is Level.DECLARED else "no-contract"
    assert removed(bounded) == ["/content/0 internal", f"/content/1 {last}"]
