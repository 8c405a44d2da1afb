"""`audience`: withholds content whose annotations say that it is for the user only.

At level `closed`, content with a malformed audience is withheld too.

Source: MCP 2025-11-25 and 2026-07-28, Annotations.
"""

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.draft import Block, Draft, Reason, claims_by_block, withhold_blocks
from inspector.claims.claim import Claim, Subject

_FOR_USER = "its audience is the user only"
_UNCLEAR = "a content block has an `audience` that is empty or malformed, so that nobody knows whom it is for"


def apply(draft: Draft) -> Draft:
    """Withhold blocks whose audience excludes the model."""
    claims = claims_by_block(draft)
    of_item = tuple(claim for claim in draft.contract.claims if claim.subject is Subject.RESOURCE)

    def reason_for(block: Block) -> Reason | None:
        for claim in filter(_is_about_audience, (*claims.get(block.pointer, ()), *of_item)):
            if _is_for_user(claim):
                return Reason(rule=Rule.AUDIENCE, detail=_FOR_USER, claim=claim)
            if not claim.well_formed and draft.level is Level.CLOSED:
                return Reason(rule=Rule.AUDIENCE, detail=_UNCLEAR, claim=claim)
        return None

    unclear = any(
        _is_about_audience(claim) and not claim.well_formed
        for of_block in (*claims.values(), of_item)
        for claim in of_block
    )
    draft = withhold_blocks(draft, reason_for)
    return draft.remarking(_UNCLEAR) if unclear else draft


def _is_about_audience(claim: Claim) -> bool:
    return claim.vocabulary == "mcp-content" and (claim.key == "audience" or claim.container)


def _is_for_user(claim: Claim) -> bool:
    """True if `user` is the only audience."""
    value = claim.value
    return isinstance(value, list) and bool(value) and all(item == "user" for item in value)
