"""Whether a call may leave without asking."""

from inspector.core.catalogue import Tool
from inspector.core.claims.claim import Claim
from inspector.core.claims.contradictions import ContradictionKind, contradictions
from inspector.core.claims.registry import claims_of_tool
from inspector.core.claims.traits import Trait, traits

_ABOUT_THE_CALL = frozenset(
    {
        ContradictionKind.READ_ONLY_DESTRUCTIVE,
        ContradictionKind.READ_ONLY_EFFECT,
        ContradictionKind.READ_ONLY_OUTCOME,
        ContradictionKind.DELETE_UNCONFIRMED,
        ContradictionKind.IDEMPOTENT_DISAGREES,
        ContradictionKind.PUBLIC_CREDENTIALS,
    }
)


def confirmations(tool: Tool) -> tuple[str, ...]:
    """Why the user should be asked before `tool` is called, in sentences; empty where there is no reason.

    A claim asks; a mere default (destructiveHint not stated) does not.
    """
    claims = claims_of_tool(tool)
    found = traits(claims)
    reasons = [
        *_reason(found.destructive, claimed=found.destructive.value is True, what="is destructive"),
        *_reason(found.effect, claimed=found.effect.value == "delete", what="deletes"),
        *_reason(
            found.outcome, claimed=found.outcome.value == "irreversible", what="may do what cannot be undone"
        ),
        *_reason(found.confirm, claimed=found.confirm.value is True, what="wants to be confirmed"),
    ]
    reasons += [item.message for item in contradictions(claims, tool=tool) if item.kind in _ABOUT_THE_CALL]
    return tuple(reasons)


def _reason(trait: Trait, *, claimed: bool, what: str) -> tuple[str, ...]:
    if not claimed or trait.defaulted:
        return ()
    return (f"it claims that it {what} ({', '.join(dict.fromkeys(map(_named, trait.claims_for)))})",)


def _named(claim: Claim) -> str:
    return f"{claim.vocabulary} {claim.key}"
