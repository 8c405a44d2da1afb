"""The built-in policy. docs/policy.md lists its rules."""

from inspector.json.exact import Json, JsonObject, Malformed
from inspector.policy.reading import policy_of
from inspector.policy.rules import Policy

_ABOUT_THE_CALL: list[Json] = [
    "read-only-destructive",
    "read-only-effect",
    "read-only-outcome",
    "read-only-name",
    "delete-unconfirmed",
    "idempotent-disagrees",
    "public-credentials",
    "resolution-widens",
]


def _claims(name: str, trait: str, value: Json, reason: str) -> JsonObject:
    """A rule that requires a confirmation if a claim, not a default, gives a trait this value."""
    return {
        "name": name,
        "effect": "confirm",
        "reason": reason,
        "conditions": {
            "and": [
                {"fact": f"tool.claimed.{trait}", "equals": True},
                {"fact": f"tool.traits.{trait}", "equals": value},
            ]
        },
    }


DEFAULT_RULES: JsonObject = {
    "rules": [
        _claims(
            "claims-destructive", "destructive", True, "the server declares that the tool is destructive"
        ),
        _claims("claims-delete", "effect", "delete", "the server declares that the tool deletes"),
        _claims(
            "claims-irreversible",
            "outcome",
            "irreversible",
            "the server declares that the tool's effect may be irreversible",
        ),
        _claims(
            "claims-confirmation", "confirm", True, "the server declares that the tool requires confirmation"
        ),
        {
            "name": "contradicts-itself",
            "effect": "confirm",
            "reason": "the declarations of the tool contradict each other",
            "conditions": {"fact": "tool.contradictions", "in": _ABOUT_THE_CALL},
        },
    ]
}
"""The built-in rules in the form of a policy file."""


def _default() -> Policy:
    policy = policy_of(DEFAULT_RULES)
    if isinstance(policy, Malformed):
        raise TypeError(policy.reason)
    return policy


DEFAULT_POLICY = _default()
