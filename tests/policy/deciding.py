"""Short helpers for policies and situations."""

from inspector.claims.resolution import Resolution
from inspector.json.exact import Json, JsonObject
from inspector.policy.facts import Situation, facts_of, with_response
from inspector.policy.reading import policy_of
from inspector.policy.rules import Decision, Handling, Policy, decide, handle
from inspector.policy.taint import LabelOrigin, SessionTrust, trust_of
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result

# As printed in SEP-1913, Policy Layer.
EXAMPLES: JsonObject = {
    "rules": [
        {
            "name": "block-open-world-to-external",
            "effect": "block",
            "conditions": {
                "and": [
                    {"fact": "request.annotations.openWorldHint", "equals": True},
                    {"fact": "tool.annotations.inputMetadata.destination", "equals": "public"},
                ]
            },
        },
        {
            "name": "escalate-malicious",
            "effect": "escalate",
            "conditions": {"fact": "response.annotations.maliciousActivityHint", "equals": True},
        },
        {
            "name": "confirm-irreversible-actions",
            "effect": "escalate",
            "conditions": {"fact": "tool.annotations.inputMetadata.outcomes", "equals": "irreversible"},
        },
    ]
}


def policy(value: Json) -> Policy:
    """A valid policy."""
    found = policy_of(value)
    assert isinstance(found, Policy), found
    return found


def rule(conditions: Json, effect: str = "block") -> Policy:
    """A policy of one rule."""
    return policy({"rules": [{"name": "r", "effect": effect, "conditions": conditions}]})


def tool(annotations: Json = None, meta: Json = None, name: str = "t") -> Tool:
    """A tool as a server would list it."""
    definition: JsonObject = {"name": name, "inputSchema": {"type": "object"}}
    if annotations is not None:
        definition["annotations"] = annotations
    if meta is not None:
        definition["_meta"] = meta
    return Tool(name=name, definition=definition)


def seen(annotations: Json, server: str = "web") -> SessionTrust:
    """A session that received one answer."""
    return trust_of(answer(annotations), None, LabelOrigin(call=1, server=server, tool="t"))


def answer(annotations: Json) -> Result:
    """An answer with these annotations."""
    return Result(value={"content": [], "_meta": {"annotations": annotations}})


def decided(
    given: Policy,
    listed: Tool | None,
    *,
    arguments: JsonObject | None = None,
    trust: SessionTrust | None = None,
    resolution: Resolution | None = None,
) -> Decision:
    """The decision of a policy on a call."""
    return decide(given, facts_of(_situation(listed, arguments, trust, resolution)))


def handled(given: Policy, listed: Tool | None, outcome: Outcome) -> Handling:
    """The handling of an answer by a policy."""
    situation = _situation(listed, None, None, None)
    return handle(given, with_response(facts_of(situation), situation, outcome))


def _situation(
    listed: Tool | None,
    arguments: JsonObject | None,
    trust: SessionTrust | None,
    resolution: Resolution | None,
) -> Situation:
    return Situation(
        name=listed.name if listed else "unlisted",
        tool=listed,
        arguments=arguments or {},
        trust=trust or SessionTrust(),
        server="demo",
        server_name="A server",
        resolution=resolution,
    )
