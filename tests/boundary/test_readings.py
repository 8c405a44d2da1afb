"""Resources and prompts at the boundary: judged like tool results, in their own shape, with pointers that resolve."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.boundary.reading_shape import NOTICE_URI, ReadingShape, as_tool_result, is_reading
from inspector.claims.claim import Subject
from inspector.claims.registry import claims_of_result
from inspector.hosts.projection import project
from inspector.hosts.readings import NOT_OBSERVED
from inspector.hosts.registry import hosts
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Item, Kind, unlisted
from inspector.protocol.outcome import Outcome, Result, RpcError
from tests.boundary.bounding import (
    FOR_USER,
    HIDE,
    NONCE,
    SECRET,
    TWICE,
    UNTRUSTED,
    WITHHOLD,
    claim_of,
    credential,
    text,
)

RESOURCE, PROMPT = unlisted(Kind.RESOURCE, "note://a"), unlisted(Kind.PROMPT, "ask")


def contents(*items: Json, **members: Json) -> Outcome:
    return Result(value={"contents": [*items], **members})


def note(words: str, **members: Json) -> JsonObject:
    return {"uri": "note://a", "text": words, **members}


def messages(*blocks: Json) -> Outcome:
    return Result(value={"messages": [{"role": "user", "content": block} for block in blocks]})


def removed(item: Item, outcome: Outcome, policy: BoundaryPolicy = WITHHOLD) -> set[tuple[str, str]]:
    found = bound(outcome, item.as_tool, Level.DECLARED, policy=policy, nonce=NONCE).removals
    return {(removal.pointer, str(removal.rule)) for removal in found}


CASES: list[tuple[Item, Outcome, set[tuple[str, str]]]] = [
    (RESOURCE, contents(note("hi"), {"uri": "b", "blob": "aGk=", "mimeType": "image/png"}), set()),
    (RESOURCE, contents(note("hi", _meta={"a": 1})), {("/contents/0/_meta/a", "meta")}),
    (RESOURCE, contents(note("hi", annotations=FOR_USER)), {("/contents/0", "audience")}),
    (RESOURCE, contents(note("a"), note(credential(1))), {("/contents/1", "detect")}),
    (
        RESOURCE,
        contents(5, {"uri": "x"}, note("a")),
        {("/contents/0", "unknown-content"), ("/contents/1", "unknown-content")},
    ),
    (RESOURCE, contents(note("a", _meta=UNTRUSTED)), {("/contents/0/text", "untrusted")}),
    (RESOURCE, contents(TWICE), {("/contents/0", "unknown-content")}),
    (PROMPT, messages(text("hi")), set()),
    (PROMPT, messages(text("a"), text("b", annotations=FOR_USER)), {("/messages/1/content", "audience")}),
    (PROMPT, messages(text(credential(2))), {("/messages/0/content", "detect")}),
    (
        PROMPT,
        messages([text("a")], "b"),
        {("/messages/0/content", "unknown-content"), ("/messages/1/content", "unknown-content")},
    ),
    (
        PROMPT,
        Result(value={"messages": [text("no message"), {"role": "system", "content": text("x")}]}),
        {("/messages/0", "unknown-content"), ("/messages/1", "unknown-content")},
    ),
    (
        PROMPT,
        Result(value={"messages": [{"role": "user", "content": text("x"), "hidden": SECRET}]}),
        {("/messages/0/hidden", "undeclared")},
    ),
    (
        PROMPT,
        messages({"type": "resource", "resource": note("a", _meta={"b": 1})}),
        {("/messages/0/content/resource/_meta/b", "meta")},
    ),
]


@pytest.mark.parametrize(("item", "outcome", "expected"), CASES)
def test_resources_and_prompts_are_judged_by_the_same_rules(
    item: Item, outcome: Outcome, expected: set[tuple[str, str]]
) -> None:
    assert removed(item, outcome) == expected


@pytest.mark.parametrize(("item", "outcome", "_expected"), CASES)
@pytest.mark.parametrize("level", list(Level))
def test_a_bounded_reading_keeps_its_shape_and_its_pointers_resolve(
    item: Item, outcome: Outcome, _expected: object, level: Level
) -> None:
    member = "messages" if item.kind is Kind.PROMPT else "contents"
    bounded = bound(outcome, item.as_tool, level, nonce=NONCE)
    assert isinstance(bounded.result, dict)
    assert "content" not in bounded.result
    left = bounded.result[member]
    assert isinstance(left, list)
    for removal in bounded.removals:
        resolve(raw_of(outcome), removal.pointer)
    if level is not Level.OPEN:
        keys = {"role", "content"} if member == "messages" else {"uri"}
        assert all(isinstance(each, dict) and keys <= each.keys() for each in left)
    if level is Level.CLOSED:
        assert not set(_strings(left)) & set(_strings(outcome_texts(outcome)))


def outcome_texts(outcome: Outcome) -> Json:
    found = [each for each in _strings(raw_of(outcome)) if len(each) > 12]
    return [*found]


def _strings(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)
        case DuplicateKeys():
            for _, inner in value.pairs:
                yield from _strings(inner)
        case _:
            pass


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"contents": {}},
        {"contents": None},
        *(
            {"contents": [], "messages": [], member: []}
            for member in ("content", "structuredContent", "isError")
        ),
        TWICE,
    ],
)
@pytest.mark.parametrize("item", [RESOURCE, PROMPT])
def test_a_malformed_reading_is_withheld_entirely(item: Item, value: Json) -> None:
    bounded = bound(Result(value=value), item.as_tool, Level.DECLARED)
    assert [removal.pointer for removal in bounded.removals] == [""]
    assert SECRET not in dump_text(bounded.result)
    assert isinstance(bounded.result, dict)
    assert list(bounded.result) == ["contents" if item is RESOURCE else "messages"]


def test_a_message_keeps_the_order_of_its_members() -> None:
    sent: list[Json] = [{"role": "user", "content": text("a")}, {"content": text("b"), "role": "assistant"}]
    outcome: Outcome = Result(value={"messages": sent})
    for level in (Level.OPEN, Level.DECLARED):
        bounded = bound(outcome, PROMPT.as_tool, level, nonce=NONCE)
        assert dump_text(bounded.result) == dump_text(raw_of(outcome))


def test_the_audience_of_a_listed_resource_applies_to_its_content() -> None:
    listed = Item(kind=Kind.RESOURCE, name="a", definition={"uri": "a", "annotations": FOR_USER})
    assert removed(listed, contents(note("hi"))) == {("/contents/0", "audience")}


def test_untrusted_text_is_delimited_or_hidden() -> None:
    outcome = contents(note("do as I say", _meta=UNTRUSTED))
    delimited = dump_text(bound(outcome, RESOURCE.as_tool, Level.DECLARED, nonce=NONCE).result)
    assert NONCE in delimited
    assert "do as I say" in delimited
    hidden = bound(outcome, RESOURCE.as_tool, Level.DECLARED, policy=HIDE, nonce=NONCE).result
    assert "do as I say" not in dump_text(hidden)


def test_errors_and_unfinished_answers_of_readings_are_bounded() -> None:
    failed = bound(RpcError(value={"code": -32002, "message": "no"}), RESOURCE.as_tool, Level.CLOSED)
    assert failed.result == {"error": {"code": -31904, "message": "not_found"}}
    passed = bound(RpcError(value={"code": -32002, "message": "no"}), RESOURCE.as_tool, Level.DECLARED)
    assert (passed.result, passed.removals) == ({"error": {"code": -32002, "message": "no"}}, ())
    asked: JsonObject = {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}}
    shown = project(Result(value=asked), PROMPT.as_tool, Level.OPEN, hosts()[0])
    assert shown.unfinished
    assert shown.context.model is None


def test_only_the_specification_host_is_not_marked_as_unobserved_for_readings() -> None:
    for host in hosts():
        shown = project(contents(note("hi")), RESOURCE.as_tool, Level.DECLARED, host)
        assert shown.context.model == {"contents": [note("hi")]}
        said = [change.what for change in shown.context.changes]
        assert (NOT_OBSERVED in said) is (host.name != "spec")


def test_claims_in_readings_are_found_at_their_place() -> None:
    found = claims_of_result(
        {"messages": [{"role": "user", "content": text("a", annotations=FOR_USER)}]}, Kind.PROMPT
    )
    assert "/messages/0/content/annotations/audience" in {claim.pointer for claim in found}
    found = claims_of_result({"contents": [note("a", annotations=FOR_USER)]}, Kind.RESOURCE)
    assert "/contents/0/annotations/audience" in {claim.pointer for claim in found}


def test_only_an_object_with_a_list_can_be_a_reading() -> None:
    assert is_reading({"contents": []}, Kind.RESOURCE)
    others: list[Json] = ["contents", ["contents"], {"messages": []}]
    assert not any(is_reading(value, Kind.RESOURCE) for value in others)


@pytest.mark.parametrize(
    ("kind", "pointer", "place"),
    [
        (Kind.RESOURCE, "/content", "/contents"),
        (Kind.PROMPT, "/content", "/messages"),
        (Kind.RESOURCE, "/_meta/k", "/_meta/k"),
        (Kind.RESOURCE, "/content/7/resource/text", "/contents/7/text"),
        (Kind.PROMPT, "/content/0/resource/text", "/messages/0/content/resource/text"),
        (Kind.PROMPT, "/content/1/text", "/messages/1"),
    ],
)
def test_a_pointer_into_a_tool_result_is_one_into_the_reading(kind: Kind, pointer: str, place: str) -> None:
    shape = ReadingShape(kind=kind, roles=("user",))
    assert shape.place(pointer) == place
    for subject in (Subject.BLOCK, Subject.RESULT, Subject.TOOL):
        claim = replace(claim_of("ifc", "integrity", "untrusted"), subject=subject, pointer=pointer)
        placed = shape.placed(Removal(pointer=pointer, rule=Rule.UNTRUSTED, detail="", claim=claim))
        assert placed.pointer == place
        assert placed.claim == replace(claim, pointer=pointer if subject is Subject.TOOL else place)
    assert shape.placed(Removal(pointer=pointer, rule=Rule.META, detail="")).claim is None


def test_a_tool_result_takes_its_former_shape_again() -> None:
    result: JsonObject = {"content": [text("a"), text("b")], "_meta": {"k": 1}}
    prompt = ReadingShape(kind=Kind.PROMPT, roles=("assistant",), content_first=frozenset({0}))
    shaped = prompt.result(result, ["/content/0", ""])
    assert dump_text(shaped) == dump_text(
        {
            "messages": [{"content": text("a"), "role": "assistant"}, {"role": "user", "content": text("b")}],
            "_meta": {"k": 1},
        }
    )
    added: Json = {"uri": NOTICE_URI, "mimeType": "text/plain", "text": "a"}
    blocks: JsonObject = {"content": [{"type": "resource", "resource": 5}, text("a"), "b"]}
    assert ReadingShape(kind=Kind.RESOURCE).result(blocks, ["", "", ""]) == {
        "contents": [5, added, {**added, "text": None}]
    }


def test_an_item_of_a_resource_is_no_message() -> None:
    sent: JsonObject = {"contents": [{"role": "user", "content": "x", "more": 1}]}
    assert as_tool_result(sent, Kind.RESOURCE)[1] == ReadingShape(kind=Kind.RESOURCE)


def test_only_messages_of_a_known_role_with_content_become_blocks() -> None:
    others: list[Json] = [
        5,
        {"role": "user"},
        {"role": ["user"], "content": "x"},
        {"role": "robot", "content": "x"},
    ]
    last: JsonObject = {"more": 1, "content": text("x"), "role": "user"}
    shaped, shape = as_tool_result({"messages": [*others, last], "_meta": {"k": 1}}, Kind.PROMPT)
    assert shaped == {"content": [*({"message": other} for other in others), text("x")], "_meta": {"k": 1}}
    assert shape == ReadingShape(
        kind=Kind.PROMPT,
        roles=(None, None, None, None, "user"),
        content_first=frozenset({4}),
        extras=("/messages/4/more",),
    )


def test_a_remark_names_the_place_in_the_reading_that_the_server_sent() -> None:
    bounded = bound(contents(note("a"), note(credential(1))), RESOURCE.as_tool, Level.DECLARED)
    assert [remark.rpartition(", at ")[2] for remark in bounded.remarks] == ["/contents/1"]
