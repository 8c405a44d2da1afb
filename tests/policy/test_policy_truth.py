"""The conditions under which a rule matches: operators, and facts that are absent, malformed or ambiguous."""

import pytest

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.policy.operators import Truth
from inspector.policy.rules import Verdict
from inspector.protocol.outcome import Result, RpcError
from tests.policy.deciding import answer, decided, handled, rule, tool

DESTINATION = "tool.annotations.inputMetadata.destination"
OUTCOMES = "tool.annotations.inputMetadata.outcomes"
ACTION = "io.modelcontextprotocol/action-metadata"


def blocks(condition: JsonObject, **arguments: Json) -> bool:
    return decided(rule(condition), tool(), arguments=arguments).verdict is Verdict.BLOCK


def allows(condition: JsonObject, **arguments: Json) -> bool:
    return decided(rule(condition, "allow"), tool(), arguments=arguments).matches != ()


@pytest.mark.parametrize(
    ("test", "value", "truth"),
    [
        ({"equals": True}, True, Truth.YES),
        ({"equals": True}, 1, Truth.NO),
        ({"equals": 1}, 1.0, Truth.YES),
        ({"equals": "a"}, "A", Truth.NO),
        ({"equals": {"b": 1, "a": 2}}, {"a": 2, "b": 1}, Truth.YES),
        ({"equals": "a"}, ["a", "b"], Truth.MAYBE),
        ({"equals": "a"}, ["b"], Truth.NO),
        ({"equals": ["a", "b"]}, ["a", "b"], Truth.YES),
        ({"equals": ["a"]}, ["a", "b"], Truth.NO),
        ({"in": ["a", "b"]}, "b", Truth.YES),
        ({"in": ["a", "b"]}, "c", Truth.NO),
        ({"in": ["a", "b"]}, ["c", "a"], Truth.MAYBE),
        ({"in": ["a", "b"]}, ["c"], Truth.NO),
        ({"contains": "a"}, ["b", "a"], Truth.YES),
        ({"contains": "a"}, ["ba"], Truth.NO),
        ({"contains": "a"}, "ba", Truth.YES),
        ({"contains": "a"}, "b", Truth.NO),
        ({"contains": "regulated:GDPR"}, [{"regulated": {"scopes": ["GDPR"]}}], Truth.YES),
        ({"contains": "regulated:GDPR"}, {"regulated": {"scopes": ["GDPR"]}}, Truth.YES),
        ({"contains": True}, [1], Truth.NO),
        ({"at_least": 10}, 10, Truth.YES),
        ({"at_least": 10}, 9.5, Truth.NO),
        ({"at_least": 10}, [1, 20], Truth.MAYBE),
        ({"at_least": 10}, [1, 2], Truth.NO),
        ({"exists": True}, None, Truth.YES),
        ({"exists": False}, None, Truth.NO),
    ],
)
def test_an_operator_is_true_false_or_unknown(test: JsonObject, value: Json, truth: Truth) -> None:
    condition: JsonObject = {"fact": "arguments.x", **test}
    assert blocks(condition, x=value) is (truth is not Truth.NO)
    assert blocks({"not": condition}, x=value) is (truth is not Truth.YES)
    assert allows(condition, x=value) is (truth is Truth.YES)
    assert allows({"not": condition}, x=value) is (truth is Truth.NO)


@pytest.mark.parametrize(
    ("test", "value"),
    [
        ({"at_least": 10}, "20"),
        ({"at_least": 10}, True),
        ({"at_least": 10}, Number("1e400")),
        ({"at_least": 10}, Number("NaN")),
        ({"at_least": 10}, [1, "2"]),
        ({"contains": "a"}, 7),
        ({"equals": "a"}, DuplicateKeys((("a", 1), ("a", 2)))),
    ],
)
def test_a_comparison_of_incomparable_values_is_unknown(test: JsonObject, value: Json) -> None:
    assert blocks({"fact": "arguments.x", **test}, x=value)
    assert blocks({"not": {"fact": "arguments.x", **test}}, x=value)


@pytest.mark.parametrize(
    ("listed", "blocked"), [("irreversible", True), ("consequential", True), ("benign", False)]
)
def test_ordered_values_are_compared_by_their_scale(listed: str, *, blocked: bool) -> None:
    found = decided(
        rule({"fact": OUTCOMES, "at_least": "consequential"}), tool({"inputMetadata": {"outcomes": listed}})
    )
    assert (found.verdict is Verdict.BLOCK) is blocked


PUBLIC: JsonObject = {"fact": DESTINATION, "equals": "public"}
NOT_PUBLIC: JsonObject = {"not": PUBLIC}
MALFORMED: list[Json] = [
    {"inputMetadata": {"destination": "Public"}},
    {"inputMetadata": {"destination": ["user", 5]}},
    {"inputMetadata": {"destination": None}},
    {"inputMetadata": "public"},
    {"inputMetadata": DuplicateKeys((("destination", "user"), ("destination", "public")))},
    "public",
    7,
]


@pytest.mark.parametrize("annotations", MALFORMED)
@pytest.mark.parametrize("condition", [PUBLIC, NOT_PUBLIC])
def test_a_malformed_fact_never_prevents_a_block_or_grants_permission(
    annotations: Json, condition: JsonObject
) -> None:
    assert decided(rule(condition), tool(annotations)).verdict is Verdict.BLOCK
    assert decided(rule(condition, "confirm"), tool(annotations)).verdict is Verdict.CONFIRM
    assert decided(rule(condition, "allow"), tool(annotations)).matches == ()


@pytest.mark.parametrize("annotations", [None, {}, [], {"inputMetadata": {}}, {"inputMetadata": None}])
def test_an_absent_claim_grants_no_permission(annotations: Json) -> None:
    assert decided(rule(PUBLIC), tool(annotations)).verdict is Verdict.ALLOW
    assert decided(rule(NOT_PUBLIC), tool(annotations)).verdict is Verdict.BLOCK
    assert decided(rule(PUBLIC, "allow"), tool(annotations)).matches == ()
    assert decided(rule(NOT_PUBLIC, "allow"), tool(annotations)).matches == ()
    assert decided(rule({"not": NOT_PUBLIC}, "allow"), tool(annotations)).matches == ()
    assert decided(rule({"fact": DESTINATION, "exists": False}), tool(annotations)).verdict is Verdict.BLOCK


def test_a_member_of_a_malformed_object_may_or_may_not_exist() -> None:
    for wanted in (True, False):
        condition: JsonObject = {"fact": DESTINATION, "exists": wanted}
        assert decided(rule(condition), tool({"inputMetadata": "x"})).verdict is Verdict.BLOCK
        assert decided(rule(condition, "allow"), tool({"inputMetadata": "x"})).matches == ()


def test_several_possible_values_can_block_but_not_permit() -> None:
    either = tool({"inputMetadata": {"destination": ["internal", "public"]}})
    assert decided(rule(PUBLIC), either).verdict is Verdict.BLOCK
    assert decided(rule(NOT_PUBLIC), either).verdict is Verdict.BLOCK
    assert decided(rule(PUBLIC, "allow"), either).matches == ()
    assert decided(rule(PUBLIC, "allow"), tool({"inputMetadata": {"destination": ["public"]}})).matches


def test_a_trait_has_a_cautious_default_and_a_fact_whether_it_is_claimed() -> None:
    silent, careful = tool(), tool({"destructiveHint": False})
    destructive: JsonObject = {"fact": "tool.traits.destructive", "equals": True}
    assert decided(rule(destructive), silent).verdict is Verdict.BLOCK
    assert decided(rule(destructive), careful).verdict is Verdict.ALLOW
    claimed: JsonObject = {"fact": "tool.claimed.destructive", "equals": True}
    assert decided(rule(claimed), silent).verdict is Verdict.ALLOW
    assert decided(rule(claimed), careful).verdict is Verdict.BLOCK


def test_a_trait_without_a_default_may_have_any_value() -> None:
    outcome: JsonObject = {"fact": "tool.traits.outcome", "equals": "benign"}
    conditions: list[JsonObject] = [
        outcome,
        {"not": outcome},
        {"fact": "tool.traits.effect", "at_least": "write"},
    ]
    for condition in conditions:
        assert decided(rule(condition), tool()).verdict is Verdict.BLOCK
        assert decided(rule(condition, "allow"), tool()).matches == ()
    assert decided(rule({"fact": "tool.traits.outcome", "exists": True}), tool()).verdict is Verdict.ALLOW


def test_a_key_with_dots_is_written_in_quotes() -> None:
    condition: JsonObject = {"fact": f'tool.annotations."{ACTION}".outcome', "equals": "irreversible"}
    assert decided(rule(condition), tool({ACTION: {"outcome": "irreversible"}})).verdict is Verdict.BLOCK
    effect: JsonObject = {"fact": 'tool._meta."mcp.dev/effect"', "at_least": "external"}
    assert decided(rule(effect), tool(meta={"mcp.dev/effect": "delete"})).verdict is Verdict.BLOCK
    assert decided(rule(effect), tool(meta={"mcp.dev/effect": "write"})).verdict is Verdict.ALLOW


def test_a_fact_can_refer_to_members_of_lists() -> None:
    assert blocks(
        {"fact": "arguments.to.1.host", "equals": "evil.example"}, to=[{}, {"host": "evil.example"}]
    )
    assert not blocks({"fact": "arguments.to.2.host", "equals": "evil.example"}, to=[{}, {}])
    assert blocks({"fact": "arguments.to.host", "equals": "evil.example"}, to=[{}, {}])


@pytest.mark.parametrize("value", ["text", 7, DuplicateKeys((("_meta", {}), ("_meta", {}))), {"_meta": "x"}])
def test_a_malformed_answer_might_have_any_annotation(value: Json) -> None:
    condition: JsonObject = {"fact": "response.annotations.maliciousActivityHint", "equals": True}
    assert handled(rule(condition, "withhold"), tool(), Result(value=value)).is_withheld


def test_an_answer_without_annotations_matches_no_rule_about_them() -> None:
    condition: JsonObject = {"fact": "response.annotations.maliciousActivityHint", "equals": True}
    silent: list[Json] = [{}, {"_meta": None}, {"_meta": {}}, {"_meta": {"annotations": {}}}]
    for value in silent:
        assert not handled(rule(condition, "withhold"), tool(), Result(value=value)).is_withheld
    assert not handled(rule(condition, "withhold"), tool(), RpcError(value={})).is_withheld


def test_a_contradiction_of_the_tool_is_not_one_of_its_answer() -> None:
    condition: JsonObject = {"fact": "response.contradictions", "contains": "read-only-effect"}
    both = tool({"readOnlyHint": True}, {"mcp.dev/effect": "write"})
    assert decided(rule({"fact": "tool.contradictions", "contains": "read-only-effect"}), both).matches
    assert not handled(rule(condition, "warn"), both, answer({})).warnings


def test_the_facts_of_an_answer_can_be_used_in_rules() -> None:
    flagged = answer({"returnMetadata": {"source": ["user", "system"], "sensitivity": "pii"}, "x": {"y": 1}})
    conditions: list[Json] = [
        {"fact": "response.contradictions", "contains": "set-in-result"},
        {"fact": "response.traits.dataClasses", "contains": "pii"},
        {"fact": "response.claimed.sensitive", "equals": True},
        {"fact": "response._meta.annotations.x.y", "equals": 1},
        {"fact": "response.isError", "equals": False},
    ]
    for condition in conditions:
        assert handled(rule(condition, "warn"), tool(), flagged).warnings
    assert handled(
        rule({"fact": "response.isError", "equals": True}, "warn"), tool(), RpcError(value={})
    ).warnings
