import pytest

from inspector.json.exact import JsonObject
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.facts import Situation, facts_of
from inspector.policy.rules import decide
from inspector.protocol.catalogue import Tool


def asked(**definition: JsonObject) -> tuple[str, ...]:
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, **definition})
    return decide(DEFAULT_POLICY, facts_of(Situation(name="t", tool=tool, arguments={}))).reasons


@pytest.mark.parametrize(
    "definition",
    [
        {},
        {"annotations": {"readOnlyHint": False}},
        {"annotations": {"readOnlyHint": True, "sensitiveHint": True}},
        {"annotations": {"destructiveHint": False}},
        {"_meta": {"mcp.dev/effect": "write"}},
    ],
)
def test_a_tool_that_claims_no_harm_needs_no_confirmation(definition: dict[str, JsonObject]) -> None:
    assert asked(**definition) == ()


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        (
            {"annotations": {"destructiveHint": True}},
            "tool.traits.destructive is true (mcp destructiveHint)",
        ),
        (
            {"_meta": {"mcp.dev/effect": "delete", "mcp.dev/requiresConfirmation": True}},
            "tool.traits.confirm is true (policy-hints mcp.dev/requiresConfirmation)",
        ),
        (
            {
                "annotations": {
                    "inputMetadata": {
                        "destination": "public",
                        "sensitivity": "pii",
                        "outcomes": ["benign", "irreversible"],
                    }
                }
            },
            'tool.traits.outcome is "irreversible" (sep-1913 inputMetadata.outcomes)',
        ),
    ],
)
def test_a_claim_of_harm_is_the_reason_to_ask_for_confirmation(
    definition: dict[str, JsonObject], reason: str
) -> None:
    assert any(reason in sentence for sentence in asked(**definition))


def test_a_tool_that_contradicts_itself_needs_confirmation() -> None:
    reasons = asked(annotations={"readOnlyHint": True}, _meta={"mcp.dev/effect": "write"})
    said = "The tool is declared read-only, but its declared effect is not `read`."
    kinds = 'tool.contradictions is ["read-only-effect"]'
    assert reasons == (
        f"contradicts-itself (the declarations of the tool contradict each other): {kinds} ({said})",
    )
