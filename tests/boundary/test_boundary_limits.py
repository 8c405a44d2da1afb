"""Deep, large, repetitive and broken input: the cost is proportional to the size, and what cannot be judged is withheld."""

import json
from typing import cast

import pytest

from inspector.boundary import bound as boundary
from inspector.boundary import removals as ledger
from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Rule
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.draft import Draft
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump_text, parse
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result, RpcError

STRICT = [Level.DECLARED, Level.CLOSED]
NODE: JsonObject = {
    "type": "object",
    "properties": {
        "s": {"type": "string", "x-sensitive": True},
        "n": {"type": "integer"},
        "next": {"$ref": "#"},
        "all": {"type": "array", "items": {"$ref": "#"}},
    },
}


def tool(schema: Json, **definition: Json) -> Tool:
    return Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema, **definition})


def structured(bounded: Bounded) -> Json:
    assert isinstance(bounded.result, dict)
    return bounded.result.get("structuredContent")


@pytest.mark.parametrize("level", STRICT)
def test_a_very_deep_result_is_judged_and_withheld_below_the_depth_limit(
    level: Level,
) -> None:
    value: JsonObject = {"s": "CANARY", "n": 1}
    for index in range(3_000):
        value = {"next": value} if index % 2 else {"all": [value], "s": "CANARY"}
    raw: JsonObject = {"content": [{"type": "text", "text": dump_text(value)}], "structuredContent": value}
    bounded = bound(Result(value=raw), tool(NODE), level)
    text = dump_text(bounded.result)
    assert "CANARY" not in text
    assert text.count('{\\"all\\"') == 133
    assert len([removal for removal in bounded.removals if removal.rule == Rule.X_SENSITIVE]) == 1_501
    deep = [removal for removal in bounded.removals if removal.rule == Rule.INVALID_OUTPUT]
    assert [removal.pointer.count("/") for removal in deep] == [401]
    for removal in bounded.removals:
        resolve(raw, removal.pointer)


@pytest.mark.parametrize("level", STRICT)
def test_a_deep_result_without_a_schema_does_not_recurse(level: Level) -> None:
    parsed = parse(b"[" * 5_000 + b"1" + b"]" * 5_000)
    assert isinstance(parsed, JsonText)
    bounded = bound(Result(value=parsed.value), None, level)
    assert dump_text(bounded.result).count("[[[[") == (1_250 if level is Level.DECLARED else 0)


@pytest.mark.parametrize("level", STRICT)
@pytest.mark.parametrize("schema", [NODE, True, None])
def test_an_object_with_a_duplicate_key_is_withheld_anywhere(level: Level, schema: Json) -> None:
    twice = DuplicateKeys((("n", 1), ("s", "CANARY"), ("s", "CANARY")))
    value: JsonObject = {"n": 2, "all": [{"n": 3}, twice], "next": {"next": {"next": twice}}, "other": twice}
    bounded = bound(Result(value={"content": [], "structuredContent": value}), tool(schema), level)
    assert "CANARY" not in dump_text(bounded.result)
    found = {removal.pointer for removal in bounded.removals if removal.rule == Rule.INTERNAL}
    if level is Level.DECLARED:
        where = ("all/1", "next/next/next", "other")
        assert found == {f"/structuredContent/{place}" for place in where}
        assert structured(bounded) is not None


@pytest.mark.parametrize("level", STRICT)
def test_a_result_with_a_duplicate_key_at_its_root_is_withheld_entirely(level: Level) -> None:
    twice = DuplicateKeys((("content", []), ("content", [{"type": "text", "text": "CANARY"}])))
    bounded = bound(Result(value=twice), None, level)
    assert bounded.result == {
        "content": [
            {"type": "text", "text": 'Withheld from this result: {"otherFields":"all","contentBlocks":"all"}'}
        ]
    }
    assert [(removal.pointer, removal.rule) for removal in bounded.removals] == [("", "internal")]
    assert bounded.remarks == (bounded.removals[0].detail,)


TWICE = DuplicateKeys((("a", 1), ("a", "CANARY")))


@pytest.mark.parametrize("level", STRICT)
@pytest.mark.parametrize(
    "where",
    [
        {"more": TWICE},
        {"annotations": {"more": [TWICE]}},
        {"more": {"type": "secret_reference", "id": "CANARY"}},
    ],
)
def test_a_block_with_a_part_that_cannot_be_judged_is_replaced(where: JsonObject, level: Level) -> None:
    block: JsonObject = {"type": "text", "text": "CANARY", **where}
    bounded = bound(Result(value={"content": [block]}), None, level)
    assert bounded.result == {
        "content": [{"type": "text", "text": "[content that cannot be judged was withheld]"}]
    }
    assert [removal.rule for removal in bounded.removals] == ["internal"]


@pytest.mark.parametrize("level", STRICT)
def test_text_that_repeats_an_object_with_a_duplicate_key_does_not_pass(level: Level) -> None:
    value: JsonObject = {"x": TWICE, "n": 1}
    for text in (dump_text(value), dump_text([value])):
        raw: JsonObject = {"content": [{"type": "text", "text": text}], "structuredContent": value}
        assert "CANARY" not in dump_text(bound(Result(value=raw), None, level).result)


def test_a_duplicate_key_in_annotations_counts_with_its_stricter_value() -> None:
    annotations = DuplicateKeys((("sensitiveHint", True), ("sensitiveHint", False)))
    result: JsonObject = {"content": [{"type": "text", "text": "CANARY"}]}
    bounded = bound(Result(value=result), tool(None, annotations=annotations), Level.DECLARED)
    assert [removal.rule for removal in bounded.removals] == ["sensitive-hint"]


@pytest.mark.parametrize("level", STRICT)
def test_a_rule_that_raises_withholds_the_whole_result(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Draft) -> Draft:
        raise KeyError("CANARY")

    monkeypatch.setattr(boundary, "RULES", (*boundary.RULES[:3], broken))
    failed = bound(Result(value={"content": [], "isError": True}), None, level)
    assert failed.result == {
        "content": [
            {"type": "text", "text": 'Withheld from this result: {"otherFields":"all","contentBlocks":"all"}'}
        ],
        "isError": True,
    }
    assert [(removal.pointer, removal.rule, removal.detail) for removal in failed.removals] == [
        ("", "internal", "a rule failed on it (KeyError)")
    ]
    error = bound(RpcError(value={"code": -32603, "message": "CANARY"}), None, level)
    assert error.result == {"error": {"code": -32603, "message": "internal_error"}}


class PanicError(BaseException):
    """Not a subclass of Exception, as extension modules raise it."""


@pytest.mark.parametrize("fault", [PanicError, KeyError])
def test_a_failed_credential_search_is_a_finding_and_the_result_passes(
    fault: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Draft) -> Draft:
        raise fault("CANARY")

    monkeypatch.setattr(boundary.detect, "apply", broken)
    bounded = bound(Result(value={"content": []}), None, Level.OPEN)
    assert bounded.result == {"content": []}
    assert bounded.remarks == (f"the search for credentials failed ({fault.__name__})",)


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("level", list(Level))
def test_an_interrupt_within_a_rule_ends_the_program(
    level: Level, ending: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(_: Draft) -> Draft:
        raise ending

    monkeypatch.setattr(boundary.detect, "apply", ended)
    monkeypatch.setattr(boundary, "RULES", (ended,))
    with pytest.raises(ending):
        bound(Result(value={"content": []}), None, level)


@pytest.mark.parametrize("level", STRICT)
def test_declarations_that_cannot_be_read_withhold_the_whole_result(level: Level) -> None:
    contract = Contract(fault="the tool's declarations could not be read (ValueError)")
    bounded = bound(
        Result(value={"content": [{"type": "text", "text": "CANARY"}]}), None, level, declared=contract
    )
    assert "CANARY" not in dump_text(bounded.result)
    assert bounded.removals[0].detail == contract.fault


def test_a_contract_is_read_even_from_a_nonsensical_definition() -> None:
    contract = contract_of(
        Tool(name="t", definition={"name": "t", "annotations": 5, "_meta": [], "outputSchema": "x"})
    )
    assert not contract.fault
    assert contract.positions
    assert contract.positions.marks_any


def test_an_unreadable_definition_gives_a_contract_that_lets_nothing_pass() -> None:
    contract = contract_of(Tool(name="t", definition=cast("JsonObject", None)))
    assert contract.fault == "the tool's declarations could not be read (AttributeError)"


@pytest.mark.parametrize("level", STRICT)
def test_more_removals_than_can_be_listed_withhold_the_whole_result(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    value: JsonObject = {"all": [{"s": "CANARY", "n": index} for index in range(100)]}
    assert len(bound(Result(value=value), tool(NODE), level).removals) == 100
    monkeypatch.setattr(ledger, "MAX_POINTER_CHARACTERS", 500)
    bounded = bound(Result(value=value), tool(NODE), level)
    assert [removal.detail for removal in bounded.removals] == ["too many values are withheld to list them"]
    assert "CANARY" not in dump_text(bounded.result)


def test_parts_without_removals_are_shared_and_not_copied() -> None:
    rows: list[Json] = [{"n": index} for index in range(3)]
    marked: JsonObject = {"n": 1, "s": "x"}
    value: JsonObject = {"all": [*rows, marked]}
    left = structured(bound(Result(value={"structuredContent": value}), tool(NODE), Level.DECLARED))
    items = resolve(left, "/all")
    assert isinstance(items, list)
    assert [item is row for item, row in zip(items, [*rows, marked], strict=True)] == [
        True,
        True,
        True,
        False,
    ]
    assert marked == {"n": 1, "s": "x"}


@pytest.mark.parametrize("level", STRICT)
def test_numbers_and_the_order_of_keys_are_kept_exactly(level: Level) -> None:
    text = '{"z":9007199254740993,"a":1.10,"m":1e400,"k":-0,"s":0}'
    parsed = parse(text)
    assert isinstance(parsed, JsonText)
    names: JsonObject = {name: {"type": "number"} for name in "zamk"}
    schema: Json = {"type": "object", "properties": {**names, "s": {"x-sensitive": True}}}
    left = structured(bound(Result(value=parsed.value), tool(schema), level))
    assert isinstance(left, dict)
    assert dump_text({key: value for key, value in left.items() if key != "_withheld"}) == text.replace(
        ',"s":0', ""
    )


@pytest.mark.parametrize("level", STRICT)
def test_a_repetition_is_found_despite_other_spacing_order_and_depth(level: Level) -> None:
    value: JsonObject = {"n": 1, "s": "CANARY", "next": {"n": 2}}
    for text in (
        json.dumps(value, indent=4),
        json.dumps(value, sort_keys=True),
        "\ufeff " + dump_text(value),
    ):
        raw: JsonObject = {"content": [{"type": "text", "text": text}], "structuredContent": value}
        bounded = bound(Result(value=raw), tool(NODE), level)
        assert isinstance(bounded.result, dict)
        assert resolve(bounded.result, "/content/0/text") == dump_text(structured(bounded))


def test_a_repetition_with_nan_in_it_is_found() -> None:
    value: JsonObject = {"s": Number("NaN"), "n": 1}
    raw: JsonObject = {"content": [{"type": "text", "text": '{"n":1,"s":NaN}'}], "structuredContent": value}
    bounded = bound(Result(value=raw), tool(NODE), Level.DECLARED)
    assert resolve(bounded.result, "/content/0/text") == dump_text(structured(bounded))
