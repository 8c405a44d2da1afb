import pytest

from inspector.core.catalogue import Tool
from inspector.core.json_text import JsonObject
from inspector.core.policy import confirmations


def asked(**definition: JsonObject) -> tuple[str, ...]:
    return confirmations(Tool(name="t", definition={"name": "t", "inputSchema": {}, **definition}))


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
def test_a_tool_that_claims_no_harm_is_not_asked_about(definition: dict[str, JsonObject]) -> None:
    assert asked(**definition) == ()


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        (
            {"annotations": {"destructiveHint": True}},
            "it claims that it is destructive (mcp destructiveHint)",
        ),
        (
            {"_meta": {"mcp.dev/effect": "delete", "mcp.dev/requiresConfirmation": True}},
            "it claims that it wants to be confirmed (policy-hints mcp.dev/requiresConfirmation)",
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
            "it claims that it may do what cannot be undone (sep-1913 inputMetadata.outcomes)",
        ),
    ],
)
def test_a_tool_that_claims_harm_is_asked_about_by_that_claim(
    definition: dict[str, JsonObject], reason: str
) -> None:
    assert reason in asked(**definition)


def test_a_tool_that_contradicts_itself_is_asked_about() -> None:
    reasons = asked(annotations={"readOnlyHint": True}, _meta={"mcp.dev/effect": "write"})
    assert reasons == ("The tool is said to change nothing, and to have another effect than reading.",)
