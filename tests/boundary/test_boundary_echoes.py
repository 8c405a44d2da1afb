"""Copies of withheld values elsewhere in a result, and keys that are such values."""

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.contract import Contract
from inspector.boundary.mask import mask
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number, dump_text
from inspector.protocol.outcome import Result, RpcError
from tests.boundary.bounding import (
    FOR_USER,
    HIDE,
    HINT,
    REFERENCE,
    RELEASED,
    SECRET,
    SENSITIVE,
    STRICT,
    TEXT,
    TRUST,
    TWICE,
    UNTRUSTED,
    WEAK,
    bounded_of,
    content_of,
    echoes_of,
    fields,
    judged,
    removed,
    rules_of,
    structured_of,
    text,
    tool_with,
)

BLOCK_WORDS = [
    "type",
    "text",
    "data",
    "mimeType",
    "annotations",
    "_meta",
    "resource",
    "uri",
    "blob",
    "name",
    "title",
]


OTHER_WORDS = [
    "description",
    "size",
    "icons",
    "src",
    "sizes",
    "audience",
    "priority",
    "lastModified",
    "code",
    "message",
]


@pytest.mark.parametrize("word", [*BLOCK_WORDS, *OTHER_WORDS])
def test_a_withheld_protocol_word_does_not_remove_members_of_that_name(word: str) -> None:
    bounded = bound(
        RpcError(value={"code": word, "message": "it broke", "data": {word: "x"}}), None, Level.DECLARED
    )
    assert isinstance(bounded.result, dict)
    error = bounded.result["error"]
    assert isinstance(error, dict)
    assert (error["message"], error["data"]) == ("it broke", {word: "x"})


def echoing(level: Level = Level.DECLARED, **members: Json) -> Bounded:
    """A result with a secret that a reference withholds."""
    content = members.pop("content", [])
    assert isinstance(content, list)
    return bounded_of({**members, "content": [*content, REFERENCE]}, level=level)


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (SECRET, ""),
        ({"a": SECRET}, "/a"),
        ({"a": [1, {"b": SECRET}]}, "/a/1/b"),
        ({"a": {SECRET: 1}, "b": 2}, "/a"),
        ([1, SECRET], "/1"),
    ],
)
def test_an_echo_in_structured_content_is_withheld_and_its_key_hidden(value: Json, pointer: str) -> None:
    bounded = echoing(structuredContent=value)
    assert echoes_of(bounded) == ["/structuredContent" + pointer]
    assert (structured_of(bounded) is None) is (pointer == "")
    assert SECRET not in str(bounded.result)


def test_a_withheld_number_is_withheld_wherever_it_is_repeated() -> None:
    reference: Json = {"type": "secret_reference", "id": 7312994, "label": "key"}
    bounded = bounded_of({"content": [reference], "structuredContent": {"a": 7312994, "b": 1}})
    assert echoes_of(bounded) == ["/structuredContent/a"]


def test_a_number_that_repeats_a_secret_in_one_of_its_spellings_is_withheld_and_no_other_number_is() -> None:
    value: JsonObject = {
        "pin": "47110.50",
        "sent so": Number("47110.50"),
        "exponent": [Number("4.711050e4")],
        "ratio": 3.14159,
        "count": 47110,
        "none": None,
    }
    other: JsonObject = {"code": "31415.5"}
    schema = fields(pin=SENSITIVE, code=SENSITIVE)
    bounded = judged({"structuredContent": value}, schema)
    assert removed(bounded) == ["/structuredContent/pin x-sensitive", "/structuredContent/sent so echo"]
    again: JsonObject = {**other, "exponent": [Number("3.14155e4"), Number("2.71828e4"), 2.71828, 27182]}
    bounded = judged({"structuredContent": again}, schema)
    assert removed(bounded) == ["/structuredContent/code x-sensitive", "/structuredContent/exponent/0 echo"]
    assert [one for one in dump_text(bounded.result).split('"') if "314" in one] == []


def test_an_echo_in_an_unknown_member_removes_only_that_member() -> None:
    bounded = echoing(extra=SECRET, other="x")
    assert echoes_of(bounded) == ["/extra"]
    assert isinstance(bounded.result, dict)
    assert list(bounded.result) == ["other", "content"]


def test_an_echo_in_a_key_of_a_block_removes_the_block() -> None:
    bounded = echoing(content=[{"type": "text", "text": "w", SECRET: 1}, {"type": "text", "text": "x"}])
    assert echoes_of(bounded) == ["/content/0"]


def test_a_block_that_repeats_structured_content_is_searched_beyond_its_text() -> None:
    sent: list[Json] = [
        {"type": "resource", "resource": {"uri": uri, "text": '{"a":"x"}'}}
        for uri in (f"file:///{SECRET}", "file:///x")
    ]
    schema = fields(a={"type": "string"}, p=SENSITIVE)
    bounded = bounded_of({"content": [*sent, REFERENCE], "structuredContent": {"a": "x"}}, schema)
    assert echoes_of(bounded) == ["/content/0"]


@pytest.mark.parametrize("level", STRICT)
def test_a_value_that_is_already_withheld_is_not_withheld_as_an_echo_too(level: Level) -> None:
    block: Json = {"type": "text", "text": SECRET, "annotations": {"audience": ["user"]}}
    bounded = bounded_of(
        {
            "content": [block, REFERENCE, {"type": "text", "text": SECRET}],
            "structuredContent": {"pin": SECRET},
            "x": SECRET,
        },
        {"x-sensitive": True},
        level,
    )
    # A block for the user alone may be shown to the user, so a copy of a secret in it has to be known.
    assert echoes_of(bounded) == (["/content/2", "/content/0"] if level is Level.DECLARED else [])
    assert "structuredContent" not in str(bounded.result)


def test_an_echo_in_a_trust_claim_removes_that_claim() -> None:
    meta: Json = {TRUST: {"untrusted": True}}
    reference: Json = {"type": "secret_reference", "id": TRUST, "label": "key"}
    bounded = bounded_of(
        {"content": [{"type": "text", "text": "w", "_meta": meta}, reference], "_meta": meta}
    )
    assert echoes_of(bounded) == ["/_meta", "/content/0/_meta"]
    assert "_meta" not in str(bounded.result)
    assert str(content_of(bounded)).startswith("[{'type': 'text', 'text': 'w'}")


def test_only_a_label_that_is_an_echo_is_removed() -> None:
    labelled: Json = {"type": "secret_reference", "id": "other-identifier", "label": SECRET}
    bounded = bounded_of({"content": [labelled, REFERENCE]})
    nothing = "[secret reference; only the user can reveal what it stands for]"
    named = '[secret reference "key"; only the user can reveal what it stands for]'
    assert content_of(bounded) == [{"type": "text", "text": nothing}, {"type": "text", "text": named}]
    assert echoes_of(bounded) == ["/content/0"]


def test_an_error_with_an_echo_keeps_its_code_and_gets_a_standard_message() -> None:
    error: Json = {
        "code": 73129945,
        "message": "failed at 73129945",
        "data": SECRET,
        SECRET: DuplicateKeys(()),
    }
    bounded = bound(RpcError(value=error), None, Level.DECLARED)
    assert bounded.result == {"error": {"code": 73129945, "message": "failed at 73129945", "data": SECRET}}
    echo: Json = {
        "code": 1,
        "message": f"it was {SECRET}",
        "data": [SECRET],
        "x": DuplicateKeys((("a", SECRET),)),
    }
    bounded = bound(RpcError(value=echo), None, Level.DECLARED)
    assert bounded.result == {"error": {"code": 1, "message": "tool_error"}}
    assert echoes_of(bounded) == ["/error/message", "/error/data"]


def test_the_code_of_an_error_passes_even_if_its_number_is_withheld_elsewhere() -> None:
    bounded = bound(RpcError(value={"code": 7312994, "message": [7312994]}), None, Level.DECLARED)
    assert bounded.result == {"error": {"code": 7312994, "message": "tool_error"}}
    assert rules_of(bounded) == [("/error/message", "internal")]


def test_a_value_of_a_sensitive_block_is_withheld_from_structured_content() -> None:
    block = text(SECRET, annotations=HINT)
    result: JsonObject = {
        "content": [block],
        "structuredContent": {"a": f"it is {SECRET}", "b": SECRET, "c": "x"},
    }
    bounded = judged(result, fields(a=TEXT, b=TEXT, c=TEXT))
    assert removed(bounded) == [
        "/content/0 sensitive-hint",
        "/structuredContent/a echo",
        "/structuredContent/b echo",
    ]


def test_withheld_structured_content_releases_no_value() -> None:
    reference: Json = {"type": "secret_reference", "id": "i", "label": "My bank PIN", "redeemUrl": "u"}
    result: JsonObject = {
        "content": [text("My bank PIN"), reference],
        "structuredContent": {"a": "My bank PIN"},
    }
    bounded = judged(result, fields(a=RELEASED), policy=HIDE, annotations=HINT, _meta=UNTRUSTED)
    assert "bank" not in dump_text(bounded.result)


def test_a_secret_key_of_a_withheld_field_is_in_no_pointer() -> None:
    schema: JsonObject = {**fields(p=SENSITIVE), "additionalProperties": {"x-sensitive": True}}
    bounded = judged({"structuredContent": {SECRET: 1, "other": 2, "p": SECRET}}, schema)
    assert removed(bounded) == [
        "/structuredContent x-sensitive",
        "/structuredContent/other x-sensitive",
        "/structuredContent/p x-sensitive",
    ]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"_meta": {SECRET: 1, "o": 1}}, ["/_meta meta", "/_meta/o meta"]),
        ({"_meta": {"o": {SECRET: 1}}}, ["/_meta/o meta"]),
        (
            {"content": [{"type": "secret_reference", SECRET: 1, "id": "i"}]},
            ["/content/0 secret-reference", "/content/0/id secret-reference"],
        ),
    ],
)
@pytest.mark.parametrize("level", STRICT)
def test_no_removal_points_at_a_key_that_is_a_secret(
    result: JsonObject, expected: list[str], level: Level
) -> None:
    bounded = judged({**result, "structuredContent": {"p": SECRET}}, fields(p=SENSITIVE), level)
    assert [one for one in removed(bounded) if not one.endswith((" echo", " x-sensitive"))] == expected
    assert not any(SECRET in removal.pointer for removal in bounded.removals)


@pytest.mark.parametrize("more", [{}, {"required": ["missing"]}])
@pytest.mark.parametrize("level", STRICT)
def test_no_removal_has_a_secret_key_within_its_pointer(more: JsonObject, level: Level) -> None:
    schema: JsonObject = {"type": "object", "additionalProperties": fields(p=SENSITIVE), **more}
    bounded = judged(
        {"structuredContent": {SECRET: {"p": SECRET}, "b": {"p": "other-Secret"}}}, schema, level
    )
    assert removed(bounded)
    assert not any(SECRET in removal.pointer for removal in bounded.removals)


@pytest.mark.parametrize("level", STRICT)
def test_a_removed_member_with_a_secret_key_is_not_named_by_that_key(level: Level) -> None:
    result: JsonObject = {"structuredContent": {"p": SECRET}, SECRET: 1, "other": 1}
    bounded = judged(result, fields(p=SENSITIVE), level)
    assert SECRET not in dump_text(bounded.result)
    assert not any(SECRET in removal.pointer for removal in bounded.removals)


@pytest.mark.parametrize("word", ["content", "structuredContent", "isError", "_meta"])
def test_a_pointer_may_contain_a_protocol_word_that_equals_a_secret(word: str) -> None:
    result: JsonObject = {
        "content": [text(word, annotations=FOR_USER)],
        "structuredContent": {"p": word},
        "_meta": {"k": 1},
        "isError": 1,
    }
    bounded = judged(result, fields(p=SENSITIVE))
    assert {removal.pointer for removal in bounded.removals} == {
        "/isError",
        "/structuredContent/p",
        "/content/0",
        "/_meta/k",
    }


def test_an_error_with_the_word_error_as_its_code_is_reported_by_its_place() -> None:
    bounded = bound(RpcError(value={"code": "error", "message": "m"}), None, Level.DECLARED)
    assert removed(bounded) == ["/error/code internal"]


def test_a_block_for_the_user_that_repeats_a_secret_is_reported_as_an_echo() -> None:
    blocks: list[Json] = [text(words, annotations=FOR_USER) for words in (f"it is {SECRET}", "it is mine")]
    result: JsonObject = {"content": blocks, "structuredContent": {"p": SECRET}}
    audience = ["/structuredContent/p x-sensitive", "/content/0 audience", "/content/1 audience"]
    assert removed(judged(result, fields(p=SENSITIVE))) == [*audience, "/content/0 echo"]
    assert removed(judged(result, fields(p=SENSITIVE), Level.CLOSED)) == audience


@pytest.mark.parametrize(("value", "expected"), [("ab", (WEAK,)), (SECRET, ())])
def test_only_a_short_secret_is_reported_as_weak(value: str, expected: tuple[str, ...]) -> None:
    assert judged({"structuredContent": {"p": value}}, fields(p=SENSITIVE)).remarks == expected


@pytest.mark.parametrize(
    "block",
    [
        {"type": "resource", "resource": {"uri": SECRET, "text": "w"}},
        {"type": "resource_link", "uri": SECRET, "name": "n"},
        {"type": "image", "data": SECRET, "mimeType": "image/png"},
        {"type": "text", "text": SECRET},
    ],
)
def test_the_values_of_a_withheld_block_are_searched_for_elsewhere(block: JsonObject) -> None:
    kept: Json = {"type": "text", "text": f"it is {SECRET}"}
    bounded = bounded_of({"content": [{**block, "annotations": {"audience": ["user"]}}, kept]})
    assert echoes_of(bounded)[:1] == ["/content/1"]


@pytest.mark.parametrize(
    "annotations", [HINT, {"returnMetadata": {"source": "user", "sensitivity": ["credentials"]}}]
)
@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "w", "_meta": {"k": [SECRET]}},
        {"type": "text", "text": "w", "_meta": SECRET},
        {"type": "resource", "resource": {"uri": "file:///w", "text": "w", "_meta": {"k": SECRET}}},
    ],
)
def test_the_metadata_of_a_sensitive_block_is_secret_too(block: JsonObject, annotations: JsonObject) -> None:
    meta: Json = {"annotations": {"attribution": [f"of {SECRET}"]}}
    result: JsonObject = {"content": [block], "_meta": meta}
    masked = mask(result, judged(result, annotations=annotations).removals)
    assert SECRET not in str(masked)


@pytest.mark.parametrize("meta", [{"r": REFERENCE}, {"r": TWICE, "k": SECRET}])
def test_the_metadata_of_a_block_that_cannot_be_judged_is_secret_too(meta: JsonObject) -> None:
    content: list[Json] = [text("w", _meta=meta), text(f"it is {SECRET}")]
    assert removed(judged({"content": content})) == ["/content/0 internal", "/content/1 echo"]


def test_a_key_that_only_results_may_use_is_not_a_claim_of_a_block() -> None:
    labelled = text("w", _meta={TRUST: {"sensitive": True}, "annotations": {"k": SECRET}})
    result: JsonObject = {"content": [labelled, text(f"it is {SECRET}")]}
    of_result: JsonObject = {"_meta": {"annotations": {"sensitiveHint": False}}}
    expected = ["/content/0 labelled", "/content/1 echo"]
    assert removed(judged(result)) == removed(judged(result | of_result)) == expected


def test_blocks_may_repeat_the_trust_claims_of_a_withheld_block() -> None:
    said: JsonObject = {
        "untrusted": True,
        "evidenceRef": {"type": "t", "digest": "long-digest", "canonicalization": "c"},
    }
    labelled: Json = {**text("w"), "_meta": {TRUST: {**said, "sensitive": True}}}
    kept: Json = {**text("fine"), "_meta": {TRUST: said}}
    assert echoes_of(bounded_of({"content": [labelled, kept]})) == []


@pytest.mark.parametrize(
    "around",
    [
        {"type": "image", "data": "aGVsbG8gdGhlcmU=", "mimeType": "image/figure"},
        {"type": "text", "text": "w", "_meta": {"k": "image/figure"}},
        {"type": "resource_link", "uri": "file:///w", "name": "n", "size": 7312994},
        {"type": "resource", "resource": {"uri": "file:///w", "text": "w", "mimeType": "image/figure"}},
        {"type": "resource_link", "uri": "file:///w", "name": "n", "icons": [{"src": "image/figure"}]},
    ],
)
def test_the_type_and_size_of_a_withheld_block_are_not_secret(around: JsonObject) -> None:
    kept: Json = {"type": "text", "text": "7312994 of image/figure"}
    bounded = bounded_of({"content": [{**around, "annotations": {"audience": ["user"]}}, kept]})
    assert echoes_of(bounded) == []
    assert isinstance(bounded.result, dict)
    assert kept in (bounded.result["content"] or [])  # pyright: ignore[reportOperatorIssue]


def test_a_short_error_code_is_not_reported_as_a_weak_secret() -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    bounded = bound(RpcError(value={"code": 5, "message": f"{SECRET} failed"}), tool, Level.DECLARED)
    assert bounded.remarks == ()


def test_a_key_that_repeats_a_withheld_error_message_is_in_no_pointer() -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    outcome = RpcError(value={"code": 5, "message": SECRET, SECRET: "something else"})
    pointers = [pointer for pointer, _ in rules_of(bound(outcome, tool, Level.DECLARED))]
    assert pointers == ["/error/code", "/error/message", "/error"]


@pytest.mark.parametrize("level", STRICT)
def test_the_type_and_ttl_of_a_reference_are_not_secret(level: Level) -> None:
    texts: Json = ["a secret_reference", "in 86400 seconds"]
    reference: Json = {"type": "secret_reference", "id": SECRET, "label": "key", "ttl": 86400}
    schema = fields(texts={"type": "array", "items": {"type": "string"}})
    bounded = bounded_of(
        {"content": [], "structuredContent": {"r": reference, "texts": texts}}, schema, level
    )
    assert echoes_of(bounded) == []


def test_a_block_with_a_duplicate_key_hides_its_text_and_not_its_type() -> None:
    twice = DuplicateKeys((("type", "text"), ("text", SECRET), ("text", "w")))
    kept: Json = {"type": "text", "text": "text"}
    bounded = bounded_of({"content": [twice, kept, {"type": "text", "text": SECRET}]})
    assert echoes_of(bounded) == ["/content/2"]


def test_a_key_that_is_withheld_elsewhere_is_in_no_pointer() -> None:
    schema = fields(pin=SENSITIVE, map={"type": "object", "additionalProperties": SENSITIVE})
    value: Json = {"pin": SECRET, "map": {SECRET: "some-value", "plain": "other-value"}}
    bounded = bounded_of({"content": [], "structuredContent": value}, schema)
    assert SECRET not in str([removal.pointer for removal in bounded.removals])
    assert ("/structuredContent/map/plain", "x-sensitive") in rules_of(bounded)
    bounded = bounded_of({"content": [], "structuredContent": value}, fields(pin=SENSITIVE), Level.CLOSED)
    assert rules_of(bounded) == [
        ("/structuredContent/pin", "x-sensitive"),
        ("/structuredContent/map", "undeclared"),
    ]


def test_an_interface_cannot_repeat_what_was_kept_from_the_model() -> None:
    contract = Contract(is_of_app=True, kept_back=(SECRET,))
    repeated: Json = {"content": [text(f"the key is {SECRET}"), text("fine")]}
    bounded = bound(Result(value=repeated), None, Level.DECLARED, declared=contract)
    assert removed(bounded) == ["/content/0 echo"]
    assert SECRET not in dump_text(bounded.result)
