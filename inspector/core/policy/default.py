"""The built-in policy: it asks before what claims to do harm, and blocks nothing."""

from inspector.core.catalogue import Tool
from inspector.core.json_text import Json, JsonObject, Malformed
from inspector.core.policy.decide import Match, decide
from inspector.core.policy.facts import Facts
from inspector.core.policy.gathering import Situation, facts_of
from inspector.core.policy.reading import policy_of
from inspector.core.policy.rules import Policy

_ABOUT_THE_CALL: list[Json] = [
    "read-only-destructive",
    "read-only-effect",
    "read-only-outcome",
    "delete-unconfirmed",
    "idempotent-disagrees",
    "public-credentials",
    "resolution-widens",
]


def _claims(name: str, trait: str, value: Json, reason: str) -> JsonObject:
    """A rule that asks where a trait has a value that somebody claims; a mere default does not ask."""
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
        _claims("claims-destructive", "destructive", True, "it claims that it is destructive"),
        _claims("claims-delete", "effect", "delete", "it claims that it deletes"),
        _claims(
            "claims-irreversible", "outcome", "irreversible", "it claims that it may do what cannot be undone"
        ),
        _claims("claims-confirmation", "confirm", True, "it claims that it wants to be confirmed"),
        {
            "name": "contradicts-itself",
            "effect": "confirm",
            "reason": "it contradicts itself",
            "conditions": {"fact": "tool.contradictions", "in": _ABOUT_THE_CALL},
        },
    ]
}
"""As a file would have it."""


def _default() -> Policy:
    found = policy_of(DEFAULT_RULES)
    if isinstance(found, Malformed):
        raise TypeError(found.reason)
    return found


DEFAULT_POLICY = _default()


def confirmations(tool: Tool) -> tuple[str, ...]:
    """Why the built-in policy asks before `tool` is called, in sentences; empty where it does not."""
    facts = facts_of(Situation(name=tool.name, tool=tool, arguments={}))
    decision = decide(DEFAULT_POLICY, facts)
    return tuple(sentence for match in decision.matches for sentence in _sentences(match, facts))


def _sentences(match: Match, facts: Facts) -> tuple[str, ...]:
    kinds = [
        kind
        for fact in match.facts
        for kind in _ABOUT_THE_CALL
        if isinstance(fact.value, list) and kind in fact.value
    ]
    if match.rule.name == "contradicts-itself":
        return tuple(sentence for kind in kinds for sentence in facts.told[f"/tool/contradictions/{kind}"])
    told = [word for fact in match.facts for word in facts.told.get(fact.path.pointer, ())]
    return (f"{match.rule.reason} ({', '.join(told)})",)
