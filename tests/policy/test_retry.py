import pytest

from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import traits
from inspector.json.exact import Json, JsonObject
from inspector.policy.retry import why_not_repeat
from inspector.protocol.catalogue import Tool

ACTION = "io.modelcontextprotocol/action-metadata"


def tool(**members: Json) -> Tool:
    return Tool(name="t", definition={"name": "t", "inputSchema": {"type": "object"}, **members})


def hints(**values: Json) -> Tool:
    return tool(annotations=dict(values))


def meta(**values: Json) -> Tool:
    return tool(_meta={f"mcp.dev/{key}": value for key, value in values.items()})


@pytest.mark.parametrize(
    "repeatable",
    [
        hints(readOnlyHint=True),
        hints(readOnlyHint=True, destructiveHint=False),
        hints(idempotentHint=True),
        hints(idempotentHint=True, destructiveHint=True),
        meta(effect="read"),
        meta(effect="delete", idempotent=True),
        hints(readOnlyHint=True, idempotentHint=False),
    ],
)
def test_tools_that_claim_to_read_or_to_be_idempotent_may_be_repeated(repeatable: Tool) -> None:
    assert why_not_repeat(repeatable) == ""


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (tool(), "declares neither"),
        (hints(readOnlyHint=False), "declares neither"),
        (hints(idempotentHint=False), "not idempotent"),
        (hints(idempotentHint="yes"), "not idempotent"),
        (hints(readOnlyHint="maybe"), "declares neither"),
        (meta(effect="write"), "declares neither"),
        (meta(effect="external", idempotent=False), "not idempotent"),
        (hints(readOnlyHint=True, destructiveHint=True), "contradict"),
        (tool(annotations={"readOnlyHint": True}, _meta={"mcp.dev/effect": "write"}), "contradict"),
        (hints(readOnlyHint=True, inputMetadata={"outcomes": "irreversible"}), "contradict"),
        (hints(readOnlyHint=True, inputMetadata={"outcomes": ["benign", "consequential"]}), "contradict"),
        (tool(annotations={"idempotentHint": True}, _meta={"mcp.dev/idempotent": False}), "contradict"),
        (tool(annotations={"readOnlyHint": True, ACTION: {"outcome": "irreversible"}}), "contradict"),
        (None, "does not list it"),
    ],
)
def test_of_every_other_it_is_said_why_not(other: Tool | None, reason: str) -> None:
    assert reason in why_not_repeat(other)


def test_what_was_resolved_for_a_call_decides() -> None:
    asked = tool(annotations={"readOnlyHint": False, "idempotentHint": False})
    narrowed: JsonObject = {"readOnlyHint": True, "destructiveHint": False}
    resolved = traits(claims_of_tool(hints(**narrowed)))
    assert why_not_repeat(asked)
    assert why_not_repeat(asked, resolved) == ""
