"""Guards of the boundary around its rules: each test here fails if one of them is taken away."""

import sys
from collections import Counter
from types import FrameType

import pytest

from inspector.core.boundary.bound import bound
from inspector.core.boundary.bounded import Bounded, Level, Removal, Rule
from inspector.core.boundary.contract import Contract
from inspector.core.boundary.error_code import coded_error
from inspector.core.boundary.labels import (
    credentials_claim,
    is_concrete_class,
    is_sensitive_hint,
    labelling,
    says_yes,
)
from inspector.core.boundary.ledger import Ledger
from inspector.core.boundary.notice import text_block
from inspector.core.boundary.own_words import is_own, label_in, reference_text
from inspector.core.boundary.policy import BoundaryPolicy
from inspector.core.boundary.removals import Removals
from inspector.core.boundary.walking import Step, fault_of
from inspector.core.boundary.withhold import withhold
from inspector.core.catalogue import Tool
from inspector.core.claims.claim import Claim, Standing, Subject
from inspector.core.json_text import DuplicateKeys, Json, JsonObject
from inspector.core.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.core.pointer import child
from inspector.core.schema.positions import Source, positions_of

TRUST = "io.modelcontextprotocol/trust-annotations"
SECRET = "hunter2-Secret"
MARKED: Json = {"type": "string", "x-sensitive": True}
REFERENCE: Json = {"type": "secret_reference", "id": SECRET, "label": "key"}
STRICT = [Level.DECLARED, Level.CLOSED]
TWICE = DuplicateKeys((("a", "one"), ("a", "two")))


def tool_with(schema: Json = None, **more: Json) -> Tool:
    definition: JsonObject = {"name": "tool", "inputSchema": {"type": "object"}, **more}
    return Tool(
        name="tool", definition=definition if schema is None else {**definition, "outputSchema": schema}
    )


def object_of(**properties: Json) -> JsonObject:
    return {"type": "object", "properties": dict(properties)}


def bounded_of(value: Json, schema: Json = None, level: Level = Level.DECLARED, **more: Json) -> Bounded:
    return bound(Result(value=value), tool_with(schema, **more), level)


def structured_of(bounded: Bounded) -> Json:
    assert isinstance(bounded.result, dict)
    return bounded.result.get("structuredContent")


def content_of(bounded: Bounded) -> Json:
    assert isinstance(bounded.result, dict)
    return bounded.result["content"]


def rules_of(bounded: Bounded) -> list[tuple[str, str]]:
    return [(removal.pointer, str(removal.rule)) for removal in bounded.removals]


def details_of(bounded: Bounded) -> dict[str, str]:
    return {removal.pointer: removal.detail for removal in bounded.removals}


# Walks over structured content.


def test_what_stands_behind_an_item_that_is_judged_as_a_whole_is_judged_too() -> None:
    schema = object_of(rows={"type": "array", "items": object_of(pin=MARKED)})
    rows: Json = [TWICE, {"pin": "first-pin"}, REFERENCE, {"pin": "second-pin", "x": {"y": 1}}]
    bounded = bounded_of({"content": [], "structuredContent": {"rows": rows}}, schema)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["rows"] == ["[withheld]", {}, {"type": "secret_reference", "label": "key"}, {"x": {"y": 1}}]


def test_a_text_that_repeats_what_nothing_is_taken_from_keeps_its_spelling() -> None:
    schema = object_of(box=object_of(a={"type": "string"}, pin=MARKED))
    block: Json = {"type": "text", "text": '{ "box" :\n{"a": "x"}}'}
    bounded = bounded_of({"content": [block], "structuredContent": {"box": {"a": "x"}}}, schema)
    assert content_of(bounded) == [block]
    assert bounded.removals == ()
    assert bounded.repetitions == 1


def effort_of(value: Json, schema: Json = None) -> int:
    """How many functions are called for it."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    tool = tool_with(schema)
    sys.setprofile(count)
    try:
        bounded = bound(Result(value={"content": [], "structuredContent": value}), tool, Level.DECLARED)
    finally:
        sys.setprofile(None)
    assert bounded.removals
    return counted


def test_how_deep_a_reference_stands_costs_no_more_than_its_way() -> None:
    def deep(depth: int) -> Json:
        value: Json = REFERENCE
        for _ in range(depth):
            value = {"a": value}
        return value

    assert effort_of(deep(300)) < 5 * effort_of(deep(100))


def test_the_way_to_a_container_is_put_together_once() -> None:
    start = positions_of(True).start()
    ledger = Ledger(Contract(), "/root")
    step = Step(None, 0, start, {}, {})
    for _ in range(50):
        step = Step(step, "a", start, {}, {})
    assert step.pointer(ledger) == "/root" + "/a" * 50
    below = Step(step, "b", start, {}, {})
    calls: list[str] = []
    sys.setprofile(lambda frame, event, _: calls.append(event) if frame.f_code is child.__code__ else None)
    try:
        assert below.pointer(ledger) == step.pointer(ledger) + "/b"
    finally:
        sys.setprofile(None)
    assert calls.count("call") == 1


@pytest.mark.parametrize("value", ["x", 5, None])
def test_a_scalar_where_something_else_may_be_sensitive_is_not_faulty(value: Json) -> None:
    start = positions_of(object_of(box=object_of(pin=MARKED))).start()
    nested: Json = {"box": value, "other": [{}]}
    for sent in (value, nested):
        ledger = Ledger(Contract(), "")
        assert withhold(sent, start, ledger).value == sent
        assert len(ledger) == 0


@pytest.mark.parametrize("value", ["x", 5, None, True])
def test_a_page_may_return_a_scalar_that_its_schema_declares(value: Json) -> None:
    schema: Json = {"type": ["string", "integer", "null", "boolean"]}
    bounded = bounded_of(value, schema, Level.CLOSED)
    assert bounded.removals == ()
    assert bounded.result == {"content": [], "structuredContent": value}


@pytest.mark.parametrize("level", STRICT)
def test_an_object_that_names_a_key_twice_is_withheld_where_it_stands_and_says_why(level: Level) -> None:
    schema = object_of(rows={"type": "array", "items": {"type": ["object", "string"]}})
    bounded = bounded_of({"content": [], "structuredContent": {"rows": [TWICE, "x"]}}, schema, level)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["rows"] == ["[withheld]", "x"]
    assert rules_of(bounded) == [("/structuredContent/rows/0", "internal")]
    assert "twice" in details_of(bounded)["/structuredContent/rows/0"]


def test_what_no_typed_position_names_is_withheld_for_that_reason() -> None:
    bounded = bounded_of({"content": [], "structuredContent": {"a": "x"}}, object_of(), Level.CLOSED)
    assert details_of(bounded) == {"/structuredContent/a": "no typed position of the output schema names it"}


def hinted(value: Json, schema: Json, level: Level = Level.DECLARED) -> Bounded:
    sent: Json = {"content": [], "structuredContent": value}
    return bounded_of(sent, schema, level, annotations={"sensitiveHint": True})


@pytest.mark.parametrize("value", ["x", 5, None])
def test_of_a_sensitive_result_a_released_value_passes_at_declared_without_a_type(value: Json) -> None:
    bounded = hinted({"a": value, "b": {"c": "y"}}, object_of(a={"x-sensitive": False}))
    assert rules_of(bounded)[-1] == ("/structuredContent/b", "sensitive-hint")
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["a"] == value


def test_at_declared_nothing_is_withheld_for_being_undeclared() -> None:
    schema: Json = {"type": "array", "properties": {"a": {"x-sensitive": False}}}
    assert {rule for _, rule in rules_of(hinted({"a": 5, "c": 7}, schema))} == {
        "sensitive-hint",
        "invalid-output",
    }


def test_of_a_sensitive_result_what_nothing_releases_is_withheld_for_the_hint_at_closed_too() -> None:
    released: Json = {"type": "string", "x-sensitive": False}
    bounded = hinted({"a": "x", "b": {"c": 1}}, object_of(a=released), Level.CLOSED)
    assert rules_of(bounded) == [("/structuredContent/b", "sensitive-hint")]


def test_of_a_sensitive_result_a_released_value_keeps_all_that_is_around_it() -> None:
    released: Json = {"type": "string", "x-sensitive": False}
    schema = object_of(outer=object_of(inner=object_of(a=released)))
    left = structured_of(hinted({"outer": {"inner": {"a": "x"}}}, schema))
    assert left == {"outer": {"inner": {"a": "x"}}}


def test_only_what_the_hint_withholds_is_put_down_to_it() -> None:
    released: Json = {"type": "string", "x-sensitive": False}
    bounded = hinted({"a": "x", "r": REFERENCE, "b": "y"}, object_of(a=released))
    claims = {removal.pointer: removal.claim for removal in bounded.removals}
    assert claims["/structuredContent/r"] is None
    hint = claims["/structuredContent/b"]
    assert hint is not None
    assert hint.key == "sensitiveHint"


def test_an_array_has_no_keys_that_could_be_sensitive() -> None:
    names: JsonObject = {"propertyNames": {"x-sensitive": True}}
    schema: Json = {"type": ["object", "array"], "items": {"type": "string"}, **names}
    bounded = bounded_of(["x"], schema, Level.CLOSED)
    assert bounded.removals == ()


# What is still searched when all rules have been through.

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
def test_a_withheld_word_of_the_protocol_takes_no_member_that_is_called_so(word: str) -> None:
    bounded = bound(
        RpcError(value={"code": word, "message": "it broke", "data": {word: "x"}}), None, Level.DECLARED
    )
    assert isinstance(bounded.result, dict)
    error = bounded.result["error"]
    assert isinstance(error, dict)
    assert (error["message"], error["data"]) == ("it broke", {word: "x"})


def echoing(level: Level = Level.DECLARED, **members: Json) -> Bounded:
    """A result in which a reference keeps the secret back."""
    content = members.pop("content", [])
    assert isinstance(content, list)
    return bounded_of({**members, "content": [*content, REFERENCE]}, level=level)


def echoes_of(bounded: Bounded) -> list[str]:
    return [removal.pointer for removal in bounded.removals if removal.rule == "echo"]


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
def test_an_echo_in_structured_content_goes_and_a_key_is_not_told(value: Json, pointer: str) -> None:
    bounded = echoing(structuredContent=value)
    assert echoes_of(bounded) == ["/structuredContent" + pointer]
    assert (structured_of(bounded) is None) is (pointer == "")
    assert SECRET not in str(bounded.result)


def test_a_withheld_number_goes_wherever_it_is_repeated() -> None:
    reference: Json = {"type": "secret_reference", "id": 7312994, "label": "key"}
    bounded = bounded_of({"content": [reference], "structuredContent": {"a": 7312994, "b": 1}})
    assert echoes_of(bounded) == ["/structuredContent/a"]


def test_an_echo_in_a_member_that_the_protocol_does_not_know_takes_that_member_alone() -> None:
    bounded = echoing(extra=SECRET, other="x")
    assert echoes_of(bounded) == ["/extra"]
    assert isinstance(bounded.result, dict)
    assert list(bounded.result) == ["other", "content"]


def test_an_echo_in_the_key_of_a_block_takes_the_block() -> None:
    bounded = echoing(content=[{"type": "text", "text": "w", SECRET: 1}, {"type": "text", "text": "x"}])
    assert echoes_of(bounded) == ["/content/0"]


def test_a_repetition_is_searched_apart_from_its_text() -> None:
    sent: list[Json] = [
        {"type": "resource", "resource": {"uri": uri, "text": '{"a":"x"}'}}
        for uri in (f"file:///{SECRET}", "file:///x")
    ]
    schema = object_of(a={"type": "string"}, p=MARKED)
    bounded = bounded_of({"content": [*sent, REFERENCE], "structuredContent": {"a": "x"}}, schema)
    assert echoes_of(bounded) == ["/content/0"]


@pytest.mark.parametrize("level", STRICT)
def test_what_is_withheld_already_is_not_withheld_for_an_echo_too(level: Level) -> None:
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
    # What is for the user alone may be shown to the user, so a repetition in it has to be known.
    assert echoes_of(bounded) == (["/content/2", "/content/0"] if level is Level.DECLARED else [])
    assert "structuredContent" not in str(bounded.result)


def test_an_echo_in_what_is_said_about_trust_takes_that_entry() -> None:
    meta: Json = {TRUST: {"untrusted": True}}
    reference: Json = {"type": "secret_reference", "id": TRUST, "label": "key"}
    bounded = bounded_of(
        {"content": [{"type": "text", "text": "w", "_meta": meta}, reference], "_meta": meta}
    )
    assert echoes_of(bounded) == ["/_meta", "/content/0/_meta"]
    assert "_meta" not in str(bounded.result)
    assert str(content_of(bounded)).startswith("[{'type': 'text', 'text': 'w'}")


def test_only_the_label_that_is_an_echo_goes() -> None:
    labelled: Json = {"type": "secret_reference", "id": "other-identifier", "label": SECRET}
    bounded = bounded_of({"content": [labelled, REFERENCE]})
    nothing = "[secret reference; only the user can reveal what it stands for]"
    named = '[secret reference "key"; only the user can reveal what it stands for]'
    assert content_of(bounded) == [{"type": "text", "text": nothing}, {"type": "text", "text": named}]
    assert echoes_of(bounded) == ["/content/0"]


def test_an_error_keeps_its_code_and_gets_a_word_of_its_own_for_an_echo() -> None:
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


def test_the_number_of_an_error_stays_though_it_is_withheld_elsewhere() -> None:
    bounded = bound(RpcError(value={"code": 7312994, "message": [7312994]}), None, Level.DECLARED)
    assert bounded.result == {"error": {"code": 7312994, "message": "tool_error"}}
    assert rules_of(bounded) == [("/error/message", "internal")]


# The result put together again, and taken apart before.


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (RpcError(value={"code": -32603, "message": SECRET}), {"error": coded_error(None)}),
        (
            Failure(kind=FailureKind.TIMEOUT, detail=SECRET),
            {"error": {"code": -31908, "message": "network_timeout"}},
        ),
        (Result(value={"content": [], "isError": True}), {"isError": True}),
        (Result(value={"content": []}), {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("level", STRICT)
def test_what_cannot_be_judged_leaves_only_how_the_call_failed(
    outcome: Outcome, result: JsonObject, level: Level
) -> None:
    bounded = bound(outcome, None, level, declared=Contract(fault="it cannot be read"))
    assert isinstance(bounded.result, dict)
    notice = 'Withheld from this result: {"otherFields":"all","contentBlocks":"all"}'
    content: JsonObject = {} if "error" in result else {"content": [{"type": "text", "text": notice}]}
    assert bounded.result == content | result
    assert rules_of(bounded) == [("", "internal")]


def test_an_error_without_a_code_is_an_internal_one() -> None:
    assert coded_error(None) == {"code": -32603, "message": "internal_error"}


def test_how_many_texts_repeat_the_structured_content_is_counted() -> None:
    blocks: list[Json] = [{"type": "text", "text": text} for text in ('{"a":1}', "x", "y", '{"a": 1}')]
    bounded = bounded_of({"content": blocks, "structuredContent": {"a": 1}}, object_of(p=MARKED))
    assert bounded.repetitions == 2


@pytest.mark.parametrize(
    "value",
    [
        {"isError": True, "_meta": {"k": 1}, "resultType": "complete", "a": 1},
        ["_withheld", 1],
        ["content"],
        5,
        None,
        "_withheld",
    ],
)
def test_what_a_page_returns_passes_as_it_is(value: Json) -> None:
    bounded = bounded_of(value)
    assert bounded.removals == ()
    assert bounded.result == {"content": [], "structuredContent": value}


@pytest.mark.parametrize(
    "members", [["structuredContent", "isError", "content"], ["content", "structuredContent"]]
)
def test_the_members_of_a_result_keep_their_order(members: list[str]) -> None:
    values: JsonObject = {"structuredContent": {"a": 1}, "isError": False, "content": []}
    bounded = bounded_of({key: values[key] for key in members})
    assert isinstance(bounded.result, dict)
    assert list(bounded.result) == members


def test_of_a_page_fields_with_the_protocols_names_are_told_as_fields() -> None:
    schema = object_of(_meta={"type": "string"}, isError={"type": "string"}, pin=MARKED)
    bounded = bounded_of({"_meta": 5, "isError": 6}, schema)
    assert structured_of(bounded) == {"_withheld": {"fields": ["_meta", "isError"]}}


def test_an_array_holds_no_notice() -> None:
    schema: Json = {"type": "array", "prefixItems": [MARKED, {"type": "string"}]}
    bounded = bounded_of({"content": [], "structuredContent": ["hidden-pin", "x"]}, schema)
    assert structured_of(bounded) == ["[withheld]", "x"]
    assert str(content_of(bounded)).count("Withheld from this result") == 1


def test_members_that_are_hidden_as_untrusted_are_told() -> None:
    policy = BoundaryPolicy(hide_untrusted=True)
    result: Json = {"content": [], "extra": "w", "_meta": {TRUST: {"untrusted": True}}}
    bounded = bound(Result(value=result), tool_with(), Level.DECLARED, policy=policy)
    assert content_of(bounded) == [{"type": "text", "text": 'Withheld from this result: {"otherFields":"1"}'}]


@pytest.mark.parametrize("word", ["complete", "input_required"])
def test_the_words_for_what_a_result_is_pass_at_closed(word: str) -> None:
    bounded = bounded_of({"content": [], "resultType": word}, level=Level.CLOSED)
    assert bounded.result == {"content": [], "resultType": word}


@pytest.mark.parametrize("word", ["other", ["complete"], {"a": 1}, 5])
def test_any_other_is_a_member_that_nobody_knows(word: Json) -> None:
    value: Json = {"content": [], "resultType": word}
    assert bounded_of(value).result == value
    assert rules_of(bounded_of(value, level=Level.CLOSED)) == [("/resultType", "undeclared")]


@pytest.mark.parametrize("detail", ["", "it took too long"])
def test_a_failure_without_words_is_told_by_its_code(detail: str) -> None:
    bounded = bound(Failure(kind=FailureKind.TIMEOUT, detail=detail), None, Level.DECLARED)
    assert bounded.result == {"error": {"code": -31908, "message": detail or "network_timeout"}}


def test_a_result_that_names_a_member_twice_says_so() -> None:
    value = DuplicateKeys((("content", []), ("content", [])))
    bounded = bounded_of(value)
    assert bounded.findings == ("it names a key twice, so that readers differ about what it says",)
    assert content_of(bounded) != []


@pytest.mark.parametrize(
    ("error", "pointer", "left"),
    [
        ({"code": True, "message": "m"}, "/error/code", {"code": -32600, "message": "m"}),
        ({"code": 5, "message": 7312994}, "/error/message", {"code": 5, "message": "tool_error"}),
        ({"code": 5, "message": {"a": "b"}}, "/error/message", {"code": 5, "message": "tool_error"}),
        ([], "/error", {"code": -32600, "message": "protocol_error"}),
    ],
)
def test_of_an_error_what_json_rpc_does_not_allow_is_withheld(error: Json, pointer: str, left: Json) -> None:
    bounded = bound(RpcError(value=error), tool_with(), Level.DECLARED)
    assert bounded.result == {"error": left}
    assert rules_of(bounded) == [(pointer, "internal")]


# Drafts.


@pytest.mark.parametrize(
    "block",
    [
        {"type": "resource", "resource": {"uri": SECRET, "text": "w"}},
        {"type": "resource_link", "uri": SECRET, "name": "n"},
        {"type": "image", "data": SECRET, "mimeType": "image/png"},
        {"type": "text", "text": SECRET},
    ],
)
def test_what_a_withheld_block_says_is_searched_for_elsewhere(block: JsonObject) -> None:
    kept: Json = {"type": "text", "text": f"it is {SECRET}"}
    bounded = bounded_of({"content": [{**block, "annotations": {"audience": ["user"]}}, kept]})
    assert echoes_of(bounded)[:1] == ["/content/1"]


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
def test_what_describes_a_withheld_block_is_no_secret(around: JsonObject) -> None:
    kept: Json = {"type": "text", "text": "7312994 of image/figure"}
    bounded = bounded_of({"content": [{**around, "annotations": {"audience": ["user"]}}, kept]})
    assert echoes_of(bounded) == []
    assert isinstance(bounded.result, dict)
    assert kept in (bounded.result["content"] or [])  # pyright: ignore[reportOperatorIssue]


LABELLED: Json = {TRUST: {"sensitive": True}}


def test_a_label_on_the_result_withholds_members_that_nobody_knows() -> None:
    bounded = bounded_of({"content": [], "extra": "w", "_meta": LABELLED})
    assert rules_of(bounded)[0] == ("/extra", "labelled")
    assert "'extra'" not in str(bounded.result)


@pytest.mark.parametrize("level", STRICT)
def test_an_error_of_a_sensitive_tool_is_a_code_whose_number_is_no_secret(level: Level) -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    outcome = RpcError(value={"code": 7312994, "message": f"{SECRET} failed"})
    bounded = bound(outcome, tool, level)
    assert bounded.result == {"error": {"code": -31954, "message": "tool_error"}}
    assert {pointer for pointer, _ in rules_of(bounded)} == {"/error/code", "/error/message"}


def test_an_error_that_is_a_code_already_loses_nothing() -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    bounded = bound(RpcError(value=coded_error(None)), tool, Level.CLOSED)
    assert (bounded.result, bounded.removals[:]) == ({"error": coded_error(None)}, ())


def test_the_number_of_an_error_is_no_value_that_is_too_short_to_be_searched_for() -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    bounded = bound(RpcError(value={"code": 5, "message": f"{SECRET} failed"}), tool, Level.DECLARED)
    assert bounded.findings == ()


def test_a_key_that_repeats_the_words_of_a_withheld_error_is_not_told_by_a_pointer() -> None:
    tool = tool_with(annotations={"sensitiveHint": True})
    outcome = RpcError(value={"code": 5, "message": SECRET, SECRET: "something else"})
    pointers = [pointer for pointer, _ in rules_of(bound(outcome, tool, Level.DECLARED))]
    assert pointers == ["/error/code", "/error/message", "/error"]


@pytest.mark.parametrize("policy", [BoundaryPolicy(), BoundaryPolicy(withhold_credentials=True)])
def test_a_key_that_looks_like_a_credential_is_not_told_by_a_pointer(policy: BoundaryPolicy) -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    result: Json = {"content": [], "structuredContent": {"a": {shaped: 1, "b": 2}}}
    bounded = bound(Result(value=result), None, Level.DECLARED, policy=policy)
    assert rules_of(bounded) == ([("/structuredContent/a", "detect")] if policy.withhold_credentials else [])
    assert shaped not in str((bounded.removals[:], bounded.findings))
    assert bounded.removals or bounded.findings


def test_what_is_no_json_value_says_so() -> None:
    value: Json = ("x",)  # pyright: ignore[reportAssignmentType]
    assert fault_of(value) == "it is no JSON value"
    assert fault_of(TWICE) == "an object names a key twice, so that readers differ about what it says"


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
def test_what_is_not_exactly_the_words_for_a_reference_is_a_text_like_any_other(
    text: str, level: Level
) -> None:
    block: Json = {"type": "text", "text": text}
    assert not is_own(block, level)
    assert label_in(block) is None


@pytest.mark.parametrize("block", [None, "text", ["text"], {"type": "text", "text": 5}, {"type": "text"}, {}])
def test_what_is_no_text_block_is_in_nobodys_words(block: Json) -> None:
    assert not is_own(block, Level.DECLARED)
    assert label_in(block) is None


@pytest.mark.parametrize("label", ["", "key", "two\nlines", 'a "quoted" one', "\u2028"])
def test_the_words_for_a_reference_tell_its_label(label: str) -> None:
    block = text_block(reference_text(label))
    assert label_in(block) == label
    assert is_own(block, Level.DECLARED)
    assert not is_own(block, Level.CLOSED)
    assert not is_own({**block, "more": 1}, Level.DECLARED)
    assert is_own(text_block(reference_text(None)), Level.CLOSED)


@pytest.mark.parametrize("level", STRICT)
def test_what_a_reference_says_of_its_kind_and_its_time_is_no_secret(level: Level) -> None:
    texts: Json = ["a secret_reference", "in 86400 seconds"]
    reference: Json = {"type": "secret_reference", "id": SECRET, "label": "key", "ttl": 86400}
    schema = object_of(texts={"type": "array", "items": {"type": "string"}})
    bounded = bounded_of(
        {"content": [], "structuredContent": {"r": reference, "texts": texts}}, schema, level
    )
    assert echoes_of(bounded) == []


def test_a_block_that_names_a_key_twice_hides_what_it_says_and_not_its_type() -> None:
    twice = DuplicateKeys((("type", "text"), ("text", SECRET), ("text", "w")))
    kept: Json = {"type": "text", "text": "text"}
    bounded = bounded_of({"content": [twice, kept, {"type": "text", "text": SECRET}]})
    assert echoes_of(bounded) == ["/content/2"]


# Codes.


@pytest.mark.parametrize(
    ("status", "code"),
    [(407, "auth_failed"), (410, "not_found"), (499, "protocol_error"), (500, "upstream_unavailable")],
)
def test_a_status_is_told_by_its_code(status: int, code: str) -> None:
    outcome = Failure(kind=FailureKind.HTTP_STATUS, detail="d", http_status=status)
    assert bound(outcome, None, Level.CLOSED).error == code


# Notices.


def test_a_field_that_is_withheld_more_than_once_is_named_once_and_counted_once() -> None:
    named: JsonObject = {f"f{index}": MARKED for index in range(50)}
    row: JsonObject = dict.fromkeys(named, "hidden-value")
    schema = object_of(rows={"type": "array", "items": object_of(**named)})
    bounded = bounded_of({"content": [], "structuredContent": {"rows": [row, row]}}, schema)
    left = structured_of(bounded)
    assert isinstance(left, dict)
    assert left["_withheld"] == {"fields": list(named)}


@pytest.mark.parametrize("fields", ["pin", {"pin": 1}, 5, None])
def test_a_notice_whose_fields_are_no_list_is_none(fields: Json) -> None:
    value: Json = {"a": 1, "_withheld": {"fields": fields}}
    bounded = bounded_of({"content": [], "structuredContent": value}, object_of(pin=MARKED))
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
def test_a_text_that_is_not_exactly_a_notice_is_one_like_any_other(text: str) -> None:
    block: Json = {"type": "text", "text": text}
    assert content_of(bounded_of({"content": [block]})) == [block]
    closed = content_of(bounded_of({"content": [block]}, level=Level.CLOSED))
    assert closed == [{"type": "text", "text": 'Withheld from this result: {"contentBlocks":"1"}'}]
    assert rules_of(bounded_of({"content": [block]}, level=Level.CLOSED)) == [("/content/0", "no-contract")]


# Labels.


def claim_of(
    vocabulary: str, key: str, value: Json, *, well_formed: bool = True, container: bool = False
) -> Claim:
    return Claim(
        subject=Subject.RESULT,
        pointer="/_meta/k",
        vocabulary=vocabulary,
        key=key,
        value=value,
        standing=Standing.PROPOSAL,
        well_formed=well_formed,
        container=container,
    )


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (claim_of("policy-hints", "mcp.dev/resultSensitivity", "public"), ""),
        (claim_of("policy-hints", "mcp.dev/resultSensitivity", "internal"), ""),
        (claim_of("trust-annotations", "sensitive", False), ""),
        (claim_of("trust-annotations", "sensitive", False, well_formed=False), "it is labelled sensitive"),
        (claim_of("trust-annotations", "attribution", 5, well_formed=False), ""),
        (claim_of("trust-annotations", TRUST, {}, container=True), ""),
        (
            claim_of("trust-annotations", TRUST, 5, well_formed=False, container=True),
            "its labels cannot be read",
        ),
        (claim_of("ifc", "integrity", 5, well_formed=False), ""),
        (claim_of("ifc", "ifc", {}, container=True), ""),
        (claim_of("ifc", "ifc", 5, well_formed=False, container=True), "its labels cannot be read"),
    ],
)
def test_only_labels_that_say_so_or_cannot_be_read_make_sensitive(claim: Claim, reason: str) -> None:
    assert labelling(claim, BoundaryPolicy(withhold_private=True)) == reason
    if claim.vocabulary == "ifc":
        assert labelling(claim, BoundaryPolicy(withhold_private=False)) == ""


@pytest.mark.parametrize(
    ("value", "well_formed", "yes"),
    [(False, True, False), (False, False, True), (True, True, True), ("no", False, True)],
)
def test_a_claim_is_false_only_where_it_says_so_in_good_form(
    *, value: Json, well_formed: bool, yes: bool
) -> None:
    assert says_yes(claim_of("webmcp-110", "sensitiveHint", value, well_formed=well_formed)) is yes


def test_a_sensitive_hint_is_one_of_its_vocabulary_alone() -> None:
    assert is_sensitive_hint(claim_of("webmcp-110", "sensitiveHint", True))
    assert not is_sensitive_hint(claim_of("webmcp-110", "untrustedContentHint", True))
    assert not is_sensitive_hint(claim_of("related", "sensitiveHint", True))


RETURNED = "returnMetadata.sensitivity"


@pytest.mark.parametrize(
    ("claim", "is_concrete"),
    [
        (claim_of("sep-1913", RETURNED, "none"), True),
        (claim_of("sep-1913", RETURNED, ["none"]), False),
        (claim_of("sep-1913", RETURNED, "none", well_formed=False), False),
        (claim_of("action-metadata", RETURNED, "none"), False),
        (claim_of("sep-1913", "returnMetadata.source", "none"), False),
    ],
)
def test_a_class_is_concrete_where_one_word_names_it(claim: Claim, *, is_concrete: bool) -> None:
    assert is_concrete_class(claim) is is_concrete


@pytest.mark.parametrize("vocabulary", ["sep-1913", "action-metadata"])
@pytest.mark.parametrize(
    "key", ["returnMetadata", "_meta.annotations", "io.modelcontextprotocol/action-metadata"]
)
def test_what_should_hold_the_classes_and_cannot_be_read_may_say_credentials(
    vocabulary: str, key: str
) -> None:
    unreadable = claim_of(vocabulary, key, 5, well_formed=False, container=True)
    assert credentials_claim([], [unreadable]) is unreadable
    readable = claim_of(vocabulary, key, "credentials", container=True)
    assert credentials_claim([], [readable]) is None
    no_container = claim_of(vocabulary, key, 5, well_formed=False)
    assert credentials_claim([], [no_container]) is None
    another = claim_of(vocabulary, "inputMetadata", 5, well_formed=False, container=True)
    assert credentials_claim([], [another]) is None
    classes = claim_of(vocabulary, RETURNED, "credentials")
    assert credentials_claim([], [classes]) is classes


def test_classes_of_another_vocabulary_are_none() -> None:
    assert credentials_claim([], [claim_of("related", RETURNED, "credentials")]) is None


def test_a_response_that_names_the_one_declared_class_is_the_reason_itself() -> None:
    declared, said = (claim_of("sep-1913", RETURNED, "credentials") for _ in range(2))
    assert credentials_claim([declared], [said]) is said


def test_a_response_whose_class_cannot_be_read_does_not_stand_in_for_the_declared_ones() -> None:
    declared = claim_of("sep-1913", RETURNED, ["credentials", "none"])
    said = claim_of("sep-1913", RETURNED, "none", well_formed=False)
    assert credentials_claim([declared], [said]) is declared


# Removals.


@pytest.mark.parametrize("pointer", [None, "/a"])
def test_a_position_that_nothing_marks_goes_back_to_no_declaration(pointer: str | None) -> None:
    claim = claim_of("webmcp-110", "x-sensitive", True)
    contract = Contract(marks={f"/outputSchema/a/{key}": claim for key in ("None", "x-sensitive")})
    unmarked = Source(reason="r", schema_pointer=pointer, mark_key=None)
    too_deep = Source(reason="r", schema_pointer=None, mark_key="x-sensitive")
    marked = Source(reason="r", schema_pointer="/a", mark_key="x-sensitive")
    assert [contract.claim_at(source) for source in (unmarked, too_deep, marked)] == [None, None, claim]


def test_a_removal_without_a_declaration_is_of_no_vocabulary() -> None:
    claim = claim_of("webmcp-110", "x-sensitive", True)
    removals = [Removal(pointer="", rule=Rule.META, detail="d", claim=said) for said in (claim, None)]
    assert [removal.vocabulary for removal in removals] == ["webmcp-110", None]


def test_a_reference_of_which_nothing_goes_leaves_its_repetition_as_it_was_spelt() -> None:
    block: Json = {"type": "text", "text": '{"r": {"type": "secret_reference",  "label": "key"}}'}
    value: Json = {"r": {"type": "secret_reference", "label": "key"}}
    bounded = bounded_of({"content": [block], "structuredContent": value})
    assert content_of(bounded) == [block]
    assert bounded.removals == ()


def test_a_key_that_is_withheld_elsewhere_is_not_told_by_a_pointer() -> None:
    schema = object_of(pin=MARKED, map={"type": "object", "additionalProperties": MARKED})
    value: Json = {"pin": SECRET, "map": {SECRET: "some-value", "plain": "other-value"}}
    bounded = bounded_of({"content": [], "structuredContent": value}, schema)
    assert SECRET not in str([removal.pointer for removal in bounded.removals])
    assert ("/structuredContent/map/plain", "x-sensitive") in rules_of(bounded)
    bounded = bounded_of({"content": [], "structuredContent": value}, object_of(pin=MARKED), Level.CLOSED)
    assert rules_of(bounded) == [
        ("/structuredContent/pin", "x-sensitive"),
        ("/structuredContent/map", "undeclared"),
    ]


@pytest.mark.parametrize("level", STRICT)
def test_a_part_of_the_removals_is_a_part_of_each(level: Level) -> None:
    value: Json = {"pin": SECRET, "rows": [{"pin": "x1"}, {"pin": "x2"}], "r": REFERENCE}
    schema = object_of(pin=MARKED, rows={"type": "array", "items": object_of(pin=MARKED)})
    removals = bounded_of(
        {"content": [], "structuredContent": value, "_meta": {"k": 1}}, schema, level
    ).removals
    assert isinstance(removals, Removals)
    every = list(removals)
    assert len(every) > 3
    for segment in removals.segments:
        assert list(segment[1:]) == list(segment)[1:]
    assert list(removals[1:3]) == every[1:3]
    assert removals.by_rule() == dict(Counter(str(removal.rule) for removal in every))


def test_removals_are_counted_from_both_ends_and_end_there() -> None:
    removals = bounded_of({"content": [REFERENCE, {"type": "new"}], "_meta": {"k": 1}}).removals
    assert len(removals) == 3
    assert [removals[index] for index in (-1, -2, -3)] == [removals[index] for index in (2, 1, 0)]
    for index in (3, -4):
        with pytest.raises(IndexError):
            removals[index]


def test_removals_equal_those_that_are_the_same_and_nothing_else() -> None:
    removals = bounded_of({"content": [REFERENCE], "_meta": {"k": 1}}).removals
    assert removals == tuple(removals)
    assert removals == Removals((tuple(removals), ()))
    assert removals != Removals((removals[:1],))
    assert removals != list(removals)
    assert removals != len(removals)
    assert (len(Removals()), list(Removals())) == (0, [])


def test_of_a_page_a_field_with_the_protocols_name_is_told_though_its_pointer_is_cut_short() -> None:
    schema = object_of(pin=MARKED, _meta={"type": "object", "additionalProperties": MARKED})
    bounded = bounded_of({"pin": SECRET, "_meta": {SECRET: "some-value"}}, schema)
    assert rules_of(bounded) == [("/pin", "x-sensitive"), ("/_meta", "x-sensitive")]
    assert structured_of(bounded) == {"_meta": {}, "_withheld": {"fields": ["pin"], "otherFields": "1"}}
