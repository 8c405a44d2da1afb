"""A policy is read completely or not at all."""

from typing import cast

import pytest

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Malformed, Number
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.reading import MAX_DEPTH, policy_of
from inspector.policy.rules import Effect, Policy, Verdict
from tests.policy.deciding import EXAMPLES, decided, policy, tool

CONDITION: Json = {"fact": "session.untrusted", "equals": True}


def one(**changes: Json) -> JsonObject:
    return {"rules": [{"name": "n", "effect": "block", "conditions": CONDITION, **changes}]}


def refused(value: Json) -> Malformed:
    found = policy_of(value, DEFAULT_POLICY)
    assert isinstance(found, Malformed)
    return found


def test_the_printed_examples_are_read_with_escalate_as_confirm() -> None:
    assert [rule.effect for rule in policy(EXAMPLES).rules] == [Effect.BLOCK, Effect.CONFIRM, Effect.CONFIRM]
    assert [rule.is_after for rule in policy(EXAMPLES).rules] == [False, True, False]


@pytest.mark.parametrize(
    ("value", "pointer", "reason"),
    [
        ([], "", "the policy is not an object"),
        ({}, "", "the policy lacks `rules`"),
        ({"rules": {}}, "/rules", "`rules` is not a list"),
        ({"rules": [], "rule": []}, "", "an unknown key `rule`"),
        ({"rules": ["x"]}, "/rules/0", "a rule is not an object"),
        (DuplicateKeys((("rules", []), ("rules", []))), "", "duplicate key: rules"),
        ({"rules": [{"name": "n", "effect": "block"}]}, "/rules/0", "a rule lacks `conditions`"),
        (one(name=" "), "/rules/0", "`name` is not text, or is empty"),
        (one(effect="blok"), "/rules/0", "`effect` of n is not one of allow, confirm, block, warn"),
        (one(reason=7), "/rules/0", "`reason` of n is not text"),
        (one(unless=CONDITION), "/rules/0", "an unknown key `unless`"),
        ({"rules": [{"name": "n", "effect": "warn", "conditions": CONDITION}] * 2}, "/rules/1", "taken"),
        (one(conditions=[CONDITION]), "/rules/0/conditions", "a condition is not an object"),
        (one(conditions={}), "/rules/0/conditions", "a condition must be one of"),
        (one(conditions={"xor": [CONDITION]}), "/rules/0/conditions", "a condition must be one of"),
        (
            one(conditions={"and": [CONDITION], "or": [CONDITION]}),
            "/rules/0/conditions",
            "a condition must be one of",
        ),
        (one(conditions={"and": []}), "/rules/0/conditions/and", "not a list of one or more"),
        (one(conditions={"or": CONDITION}), "/rules/0/conditions/or", "not a list of one or more"),
        (
            one(conditions={"and": [CONDITION, 7]}),
            "/rules/0/conditions/and/1",
            "a condition is not an object",
        ),
        ({"rules": [], "extends": "other"}, "/extends", '`extends` can only be "default"'),
    ],
)
def test_an_invalid_policy_is_refused_with_place_and_reason(value: Json, pointer: str, reason: str) -> None:
    found = refused(value)
    assert (found.pointer, reason in found.reason) == (pointer, True), found


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ({"fact": 7, "equals": 1}, "is not text"),
        ({"fact": "", "equals": 1}, "must begin with one of request, tool"),
        ({"fact": "tools.name", "equals": 1}, "must begin with one of request, tool"),
        ({"fact": "tool", "equals": 1}, "needs a name after"),
        ({"fact": "tool.annotation.x", "equals": 1}, "is unknown"),
        ({"fact": "session.untrusted.x", "equals": 1}, "has no parts"),
        ({"fact": "tool.traits.destruktive", "equals": True}, "does not name a trait"),
        ({"fact": "tool.traits", "equals": True}, "does not name a trait"),
        ({"fact": "tool.claimed.effect.x", "equals": True}, "does not name a trait"),
        ({"fact": "arguments.a.", "equals": 1}, "is not a name"),
        ({"fact": "arguments..a", "equals": 1}, "is not a name"),
        ({"fact": 'arguments."a', "equals": 1}, "is not a name"),
        ({"fact": 'arguments."\\x"', "equals": 1}, "quoted part that is not a JSON string"),
        ({"fact": "arguments.a"}, "takes exactly one of"),
        ({"fact": "arguments.a", "equals": 1, "in": [1]}, "takes exactly one of"),
        ({"fact": "arguments.a", "matches": "x"}, "takes exactly one of"),
        ({"fact": "arguments.a", "exists": "yes"}, "takes true or false"),
        ({"fact": "arguments.a", "in": []}, "takes a list"),
        ({"fact": "arguments.a", "in": "x"}, "takes a list"),
        ({"fact": "arguments.a", "at_least": True}, "takes a number"),
        ({"fact": "arguments.a", "at_least": "irreversible"}, "takes a number: words"),
        ({"fact": "tool.traits.outcome", "at_least": "bad"}, "takes one of benign"),
        ({"fact": "arguments.a", "equals": DuplicateKeys((("a", 1), ("a", 2)))}, "has a duplicate key: a"),
        ({"fact": "arguments.a", "equals": [{"b": float("nan")}]}, "a finite number"),
        ({"fact": "arguments.a", "at_least": Number("1e400")}, "a finite number"),
    ],
)
def test_a_meaningless_condition_is_refused(test: Json, reason: str) -> None:
    assert reason in refused(one(conditions=test)).reason


def test_conditions_may_be_nested_up_to_a_limit() -> None:
    nested: Json = CONDITION
    for _ in range(MAX_DEPTH - 1):
        nested = cast("Json", {"not": nested})
    assert isinstance(policy_of(one(conditions=nested)), Policy)
    assert "levels deep" in refused(one(conditions=cast("Json", {"not": nested}))).reason


def test_a_policy_replaces_the_built_in_one_unless_it_extends_it() -> None:
    destructive = tool({"destructiveHint": True})
    assert decided(policy({"rules": []}), destructive).verdict is Verdict.ALLOW
    found = policy_of({"extends": "default", "rules": []}, DEFAULT_POLICY)
    assert found == DEFAULT_POLICY
    assert "extends" in str(policy_of({"extends": "default", "rules": []}))
    assert "taken" in refused(one(name="claims-delete") | {"extends": "default"}).reason
