import pytest

from inspector.boundary.bounded import Bounded, ErrorCode, Level
from inspector.hosts.profile import Call, HostChange
from inspector.hosts.profiles.spec import HOST
from inspector.hosts.registry import host, hosts
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text


def model_view_of(result: Json, error: ErrorCode | None = None) -> tuple[Json, tuple[HostChange, ...]]:
    context = HOST.model_view(Bounded(level=Level.OPEN, result=result, error=error), Call())
    return context.model, context.changes


def pointers(changes: tuple[HostChange, ...]) -> list[str]:
    return [change.pointer for change in changes]


def text(words: str, **members: Json) -> JsonObject:
    return {"type": "text", "text": words, **members}


def test_only_known_members_are_passed_on_with_content_first_and_the_others_as_sent() -> None:
    result: JsonObject = {
        "isError": False,
        "x": 1,
        "structuredContent": {"z": 1, "a": 2},
        "_meta": {},
        "content": [text("a")],
    }
    model, changes = model_view_of(result)
    assert (
        dump_text(model)
        == '{"content":[{"type":"text","text":"a"}],"isError":false,"structuredContent":{"z":1,"a":2}}'
    )
    assert pointers(changes) == ["/x", "/_meta"]


@pytest.mark.parametrize(
    "value", [{"structuredContent": None}, {"structuredContent": {"a": 1}, "content": []}]
)
def test_no_content_is_added(value: JsonObject) -> None:
    assert model_view_of(value) == (value, ())


@pytest.mark.parametrize(
    ("audience", "kept"),
    [
        (["user"], False),
        (["system"], False),
        (["user", "assistant"], True),
        (["assistant"], True),
        ([], True),
        ("user", True),
        (None, True),
        ([["assistant"]], False),
    ],
)
def test_a_block_for_another_audience_is_not_passed_on(audience: Json, *, kept: bool) -> None:
    block = text("a", annotations={"audience": audience})
    model, changes = model_view_of({"content": [block, text("b")]})
    assert model == {"content": [block, text("b")] if kept else [text("b")]}
    assert pointers(changes) == ([] if kept else ["/content/0"])


def test_the_meta_of_blocks_and_their_resources_is_not_passed_on() -> None:
    resource: JsonObject = {"type": "resource", "resource": {"uri": "a:b", "text": "t", "_meta": {"k": 1}}}
    model, changes = model_view_of({"content": [text("a", _meta={"k": 1}), resource]})
    assert model == {"content": [text("a"), {"type": "resource", "resource": {"uri": "a:b", "text": "t"}}]}
    assert pointers(changes) == ["/content/0/_meta", "/content/1/resource/_meta"]
    assert resource["resource"] == {"uri": "a:b", "text": "t", "_meta": {"k": 1}}


def test_an_error_is_passed_on_unchanged() -> None:
    error: JsonObject = {"error": {"code": -32602, "message": "m", "data": 1}}
    assert model_view_of(error, ErrorCode.INVALID_ARGUMENTS) == (error, ())


@pytest.mark.parametrize(
    "value", [None, 5, "text", [1], {}, {"error": {"code": 1}}, DuplicateKeys((("a", 1), ("a", 2)))]
)
def test_a_value_that_is_not_a_tool_result_is_structured_content(value: Json) -> None:
    model, changes = model_view_of(value)
    assert model == {"structuredContent": value}
    assert pointers(changes) == [""]


@pytest.mark.parametrize("content", ["text", None, {"type": "text"}])
def test_content_that_is_not_a_list_is_not_passed_on(content: Json) -> None:
    assert model_view_of({"content": content})[0] == {"content": []}
    assert pointers(model_view_of({"content": content})[1]) == ["/content"]


def test_blocks_that_are_not_objects_are_passed_on_at_open() -> None:
    odd: list[Json] = ["a", None, DuplicateKeys((("a", 1), ("a", 2)))]
    assert model_view_of({"content": odd}) == ({"content": odd}, ())


def test_the_registry_starts_with_the_specification_and_finds_hosts_by_name() -> None:
    assert hosts()[0] is HOST
    assert host("spec") is HOST
    assert host("nothing") is None
    names = [found.name for found in hosts()]
    assert len(set(names)) == len(names)
    assert names[1:] == sorted(names[1:])
