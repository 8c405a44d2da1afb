"""Facts that are probably mistyped, and built-in questions that a policy drops."""

import pytest

from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.doubts import doubts, dropped
from inspector.policy.rules import Policy
from tests.policy.deciding import EXAMPLES, policy


def about(fact: str) -> Policy:
    return policy(
        {"rules": [{"name": "no", "effect": "block", "conditions": {"fact": fact, "equals": True}}]}
    )


@pytest.mark.parametrize(
    ("fact", "meant"),
    [
        ("tool.annotations.destructivHint", "destructiveHint"),
        ("tool.annotations.destructivehint", "destructiveHint"),
        ('tool._meta."mcp.dev/efect"', '"mcp.dev/effect"'),
        ("tool._meta.destructiveHint", "tool.annotations.destructiveHint"),
        ("tool.annotations.inputMetadata.destinations", "destination"),
        ("tool.annotations.destination", "tool.annotations.inputMetadata.destination"),
        ("response.annotations.maliciousActivityHnt", "maliciousActivityHint"),
        ("request.annotations.openWorldhint", "openWorldHint"),
    ],
)
def test_a_mistyped_member_is_named_with_the_one_that_was_meant(fact: str, meant: str) -> None:
    (doubt,) = doubts(about(fact))
    assert doubt == (
        f"rule no: no known vocabulary has {fact}, so the rule may never match. Did you mean {meant}?"
    )


def test_a_member_of_the_server_itself_is_named_without_a_suggestion() -> None:
    (doubt,) = doubts(about('tool._meta."acme.example/level".of'))
    assert doubt.endswith("so the rule may never match.")


@pytest.mark.parametrize(
    "fact",
    [
        "tool.annotations.inputMetadata",
        "tool.annotations.inputMetadata.outcomes.0",
        "tool.annotations.attribution.0",
        "tool.annotations.audience",
        'tool._meta."io.modelcontextprotocol/related-task".id',
        "response._meta.annotations.maliciousActivityHint",
        "arguments.destructivHint",
        "tool.traits.destructive",
    ],
)
def test_known_members_and_other_facts_are_in_no_doubt(fact: str) -> None:
    assert doubts(about(fact)) == ()


def test_the_examples_and_the_built_in_policy_are_in_no_doubt() -> None:
    assert doubts(policy(EXAMPLES)) == doubts(DEFAULT_POLICY) == ()


def test_dropped_names_the_built_in_rules_that_a_policy_lacks() -> None:
    assert "claims-destructive" in dropped(policy(EXAMPLES))
    assert dropped(DEFAULT_POLICY) == ()
