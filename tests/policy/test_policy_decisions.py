"""The decisions of policies: the printed examples, the built-in policy, and properties that no rule can change."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.claims.resolution import resolution_of
from inspector.demo.tools.mail import TOOLS
from inspector.json.exact import Json, JsonObject
from inspector.policy.built_in import DEFAULT_POLICY, DEFAULT_RULES
from inspector.policy.facts import Situation, facts_of
from inspector.policy.gate.consideration import sentence_of
from inspector.policy.rules import Policy, Verdict, decide
from inspector.policy.taint import LabelOrigin, SessionTrust, trust_of
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result, RpcError
from tests.policy.deciding import EXAMPLES, answer, decided, handled, policy, rule, seen, tool

DEMO = {
    str(found.definition["name"]): Tool(name=str(found.definition["name"]), definition=found.definition)
    for found in TOOLS
}


def verdict_of(given: Policy, listed: Tool, trust: SessionTrust | None = None) -> Verdict:
    return decided(given, listed, trust=trust).verdict


def test_the_printed_examples_block_escalate_and_let_the_rest_pass() -> None:
    examples = policy(EXAMPLES)
    outside = seen({"openWorldHint": True})
    assert verdict_of(examples, DEMO["send_mail"], outside) is Verdict.BLOCK
    assert verdict_of(examples, DEMO["send_mail"]) is Verdict.CONFIRM
    assert verdict_of(examples, DEMO["read_drafts"], outside) is Verdict.ALLOW
    assert verdict_of(examples, tool(), outside) is Verdict.ALLOW


@pytest.mark.parametrize(
    ("annotations", "verdict"),
    [
        ({"maliciousActivityHint": True}, Verdict.CONFIRM),
        ({"maliciousActivityHint": "perhaps"}, Verdict.CONFIRM),
        ({"maliciousActivityHint": False}, Verdict.ALLOW),
        ({}, Verdict.ALLOW),
    ],
)
def test_the_printed_example_escalates_flagged_answers(annotations: JsonObject, verdict: Verdict) -> None:
    assert handled(policy(EXAMPLES), DEMO["list_inbox"], answer(annotations)).decision.verdict is verdict


def test_a_decision_names_its_rule_and_its_facts() -> None:
    found = decided(policy(EXAMPLES), DEMO["send_mail"], trust=seen({"openWorldHint": True}))
    (reason,) = found.reasons
    assert reason == (
        "block-open-world-to-external: request.annotations.openWorldHint is true, "
        'tool.annotations.inputMetadata.destination is "public"'
    )
    assert found.as_json() == {
        "verdict": "block",
        "matches": [
            {
                "rule": "block-open-world-to-external",
                "effect": "block",
                "reason": "",
                "facts": [
                    {"fact": "request.annotations.openWorldHint", "state": "present", "shown": "true"},
                    {
                        "fact": "tool.annotations.inputMetadata.destination",
                        "state": "present",
                        "shown": '"public"',
                    },
                ],
            }
        ],
    }


def test_a_decision_contains_no_control_characters_and_no_arguments() -> None:
    condition: JsonObject = {
        "and": [{"fact": "arguments.password", "exists": True}, {"fact": "tool.name", "contains": "\x1b"}]
    }
    found = decided(rule(condition), tool(name="\x1b[2J\n\u202e"), arguments={"password": "hunter2"})
    assert found.reasons == ('r: arguments.password is present, tool.name is "\\u001b[2J\\n⟨U+202E⟩"',)
    assert "hunter2" not in json.dumps(found.as_json())


def test_a_decision_repeats_no_withheld_value_of_an_answer() -> None:
    condition: JsonObject = {"fact": "response._meta.token", "exists": True}
    found = handled(rule(condition, "warn"), tool(), Result(value={"_meta": {"token": "hunter2"}}))
    assert str(found.warnings[0]) == "r: response._meta.token is present"
    assert "hunter2" not in json.dumps(found.as_json())


def test_the_strictest_effect_wins_and_its_first_rule_decides() -> None:
    anything: JsonObject = {"fact": "tool.listed", "equals": True}
    effects = ["allow", "confirm", "confirm", "block", "allow", "block"]
    for count, verdict, first in ((1, "allow", "0"), (3, "confirm", "1"), (6, "block", "3")):
        rules: list[Json] = [
            {"name": str(index), "effect": effect, "conditions": anything}
            for index, effect in enumerate(effects[:count])
        ]
        found = decided(policy({"rules": rules}), tool())
        assert (found.verdict.value, found.matches[0].rule.name) == (verdict, first)


def test_a_rule_can_warn_about_withhold_or_strip_an_answer() -> None:
    flagged: JsonObject = {"fact": "response.traits.untrusted", "equals": True}
    outside = answer({"openWorldHint": True})
    found = {effect: handled(rule(flagged, effect), tool(), outside) for effect in ("warn", "withhold")}
    assert (len(found["warn"].warnings), found["warn"].is_withheld) == (1, False)
    assert found["withhold"].is_withheld
    assert handled(rule(flagged, "hide_untrusted"), tool(), outside).hiding
    assert handled(rule(flagged), tool(), outside).is_withheld
    assert decided(rule(flagged), tool()).verdict is Verdict.ALLOW
    unconditional = rule({"fact": "tool.listed", "equals": True}, "warn")
    assert handled(unconditional, tool(), outside).warnings
    clean = handled(rule(flagged, "withhold"), tool(), answer({"openWorldHint": False}))
    assert (clean.is_withheld, clean.decision.verdict) == (False, Verdict.ALLOW)


@pytest.mark.parametrize(
    ("annotations", "meta", "rules"),
    [
        (None, None, []),
        ({"readOnlyHint": True, "sensitiveHint": True}, None, []),
        ({"readOnlyHint": False}, None, []),
        ({"destructiveHint": True}, None, ["claims-destructive"]),
        ({"destructiveHint": "maybe"}, None, ["claims-destructive"]),
        (None, {"mcp.dev/effect": "write"}, []),
        (
            None,
            {"mcp.dev/effect": "delete", "mcp.dev/requiresConfirmation": True},
            ["claims-destructive", "claims-delete", "claims-confirmation"],
        ),
        (None, {"mcp.dev/requiresConfirmation": True}, ["claims-confirmation"]),
        (
            {"io.modelcontextprotocol/action-metadata": {"requiresReview": True}},
            None,
            ["claims-confirmation"],
        ),
        ({"inputMetadata": {"outcomes": ["benign", "irreversible"]}}, None, ["claims-irreversible"]),
        ({"readOnlyHint": True}, {"mcp.dev/effect": "write"}, ["contradicts-itself"]),
    ],
)
def test_the_built_in_policy_asks_before_tools_that_claim_harm(
    annotations: Json, meta: Json, rules: list[str]
) -> None:
    found = decided(DEFAULT_POLICY, tool(annotations, meta))
    assert [match.rule.name for match in found.matches] == rules
    assert found.verdict is (Verdict.CONFIRM if rules else Verdict.ALLOW)


def test_the_built_in_policy_asks_before_a_read_only_tool_that_is_named_for_a_change() -> None:
    named = tool({"readOnlyHint": True}, name="delete_all_users")
    found = decided(DEFAULT_POLICY, named)
    assert [match.rule.name for match in found.matches] == ["contradicts-itself"]
    assert "its name contains `delete`" in sentence_of(found.matches[0])
    assert decided(DEFAULT_POLICY, tool({"readOnlyHint": True}, name="get_users")).verdict is Verdict.ALLOW


def test_the_built_in_policy_can_be_written_in_a_file() -> None:
    assert policy(DEFAULT_RULES) == DEFAULT_POLICY


conditions = st.sampled_from(
    [
        {"fact": "session.untrusted", "equals": True},
        {"fact": "tool.traits.destructive", "equals": True},
        {"not": {"fact": "tool.annotations.readOnlyHint", "equals": True}},
        {"fact": "arguments.to", "contains": "@"},
    ]
)
effects = st.sampled_from(["allow", "confirm", "block"])
rule_lists = st.lists(st.tuples(effects, conditions), max_size=5)
tools = st.sampled_from([tool(), tool({"readOnlyHint": True}), tool("broken"), *DEMO.values()])
trusts = st.sampled_from([SessionTrust(), seen({"openWorldHint": True})])
argument_values = st.sampled_from([{}, {"to": "a@b.example"}, {"to": 7}])
GRAVITY = {Verdict.ALLOW: 0, Verdict.CONFIRM: 1, Verdict.BLOCK: 2}


def numbered(rules: list[tuple[str, Json]]) -> Policy:
    written: list[Json] = [
        {"name": str(index), "effect": effect, "conditions": condition}
        for index, (effect, condition) in enumerate(rules)
    ]
    return policy({"rules": written})


@given(rule_lists, conditions, st.integers(0, 5), tools, trusts, argument_values)
def test_one_more_block_or_confirm_rule_never_allows_more(
    rules: list[tuple[str, Json]],
    condition: Json,
    place: int,
    listed: Tool,
    trust: SessionTrust,
    arguments: JsonObject,
) -> None:
    before = decided(numbered(rules), listed, arguments=arguments, trust=trust).verdict
    for effect in ("confirm", "block"):
        more = numbered([*rules[:place], (effect, condition), *rules[place:]])
        after = decided(more, listed, arguments=arguments, trust=trust).verdict
        assert GRAVITY[after] >= GRAVITY[before]


@given(rule_lists, tools, trusts, argument_values)
def test_a_decision_depends_only_on_facts(
    rules: list[tuple[str, Json]], listed: Tool, trust: SessionTrust, arguments: JsonObject
) -> None:
    situation = Situation(name="t", tool=listed, arguments=arguments, trust=trust)
    given_rules = numbered(rules)
    assert decide(given_rules, facts_of(situation)) == decide(given_rules, facts_of(situation))


def joined(*outcomes: tuple[str, Tool, Outcome]) -> SessionTrust:
    """A session over several servers."""
    trust = SessionTrust()
    for number, (server, by, outcome) in enumerate(outcomes, 1):
        trust = trust.join(trust_of(outcome, by, LabelOrigin(call=number, server=server, tool=by.name)))
    return trust


READ_FILE = tool(
    {"readOnlyHint": True, "returnMetadata": {"source": "internal", "sensitivity": ["none", "financial"]}},
    {"io.modelcontextprotocol/tool-resolution": {"resolvable": True}},
    name="read_file",
)
SEND_EMAIL = tool(
    {"inputMetadata": {"destination": "public", "sensitivity": ["pii", "user"], "outcomes": "irreversible"}},
    name="send_email",
)
NO_SALARIES = rule(
    {
        "and": [
            {"fact": "session.dataClasses", "contains": "financial"},
            {"fact": "tool.annotations.inputMetadata.destination", "equals": "public"},
        ]
    }
)


def test_salaries_read_by_one_server_are_not_mailed_by_another() -> None:
    arguments: JsonObject = {"path": "/internal/salaries.xlsx"}
    resolved: JsonObject = {
        "name": "read_file",
        "annotations": {"returnMetadata": {"source": "internal", "sensitivity": "financial"}},
    }
    resolution = resolution_of(READ_FILE, Result(value={"tool": resolved}))
    known = rule({"fact": "tool.annotations.returnMetadata.sensitivity", "equals": "financial"}, "confirm")
    before = decided(known, READ_FILE, arguments=arguments, resolution=resolution)
    assert before.reasons == ('r: tool.annotations.returnMetadata.sensitivity is "financial"',)

    read = answer({"returnMetadata": {"source": "internal", "sensitivity": "financial"}})
    found = decided(NO_SALARIES, SEND_EMAIL, trust=joined(("files", READ_FILE, read)))
    assert found.verdict is Verdict.BLOCK
    assert 'session.dataClasses is ["financial"]' in found.reasons[0]
    harmless = answer({"returnMetadata": {"source": "internal", "sensitivity": "none"}})
    assert (
        decided(NO_SALARIES, SEND_EMAIL, trust=joined(("files", READ_FILE, harmless))).verdict
        is Verdict.ALLOW
    )


def test_a_refusal_of_a_server_does_not_reduce_the_session_trust() -> None:
    fetched = ("web", DEMO["search_web"], answer({"openWorldHint": True}))
    refused = ("mail", SEND_EMAIL, RpcError(value={"code": -32000, "message": "no"}))
    trust = joined(fetched, refused)
    assert decided(policy(EXAMPLES), SEND_EMAIL, trust=trust).verdict is Verdict.BLOCK
