"""`labelled`: withholds a result or a block with a label that is too sensitive for a model.

Source: the vocabularies trust-annotations, sep-1913, action-metadata, policy-hints, ifc and related.
"""

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import (
    Block,
    Draft,
    Reason,
    claims_by_block,
    claims_on_result,
    withhold_all,
)
from inspector.boundary.labels import credentials_claim, labelling
from inspector.boundary.same_content import withhold_with_repetition
from inspector.claims.claim import Claim

_CREDENTIALS = "it is declared to contain credentials"


def apply(draft: Draft) -> Draft:
    """Withhold the whole result, or single blocks, because of a label."""
    of_result = claims_on_result(draft)
    for claim in (*draft.contract.claims, *of_result):
        reason = _reason(draft, claim)
        if reason:
            return withhold_all(draft, reason)
    credentials = credentials_claim(draft.contract.claims, of_result)
    if credentials:
        return withhold_all(draft, Reason(rule=Rule.LABELLED, detail=_CREDENTIALS, claim=credentials))
    claims = claims_by_block(draft)

    def reason_for(block: Block) -> Reason | None:
        reasons = (_reason(draft, claim) for claim in claims.get(block.pointer, ()))
        return next((reason for reason in reasons if reason), None)

    return withhold_with_repetition(draft, reason_for)


def _reason(draft: Draft, claim: Claim) -> Reason | None:
    detail = labelling(claim, draft.policy)
    return Reason(rule=Rule.LABELLED, detail=detail, claim=claim) if detail else None
