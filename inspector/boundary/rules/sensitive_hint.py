"""`sensitive-hint`: withholds a result that is declared sensitive as a whole.

Secret references and values that the schema marks `"x-sensitive": false` are not withheld.

This rule withholds the content blocks, the error and other members. The rule `structured` withholds the
structured content.

Source: WebMCP issue 110, `sensitiveHint`.
"""

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import (
    Block,
    Draft,
    Reason,
    claims_by_block,
    withhold_blocks,
    withhold_error,
    withhold_members,
)
from inspector.boundary.labels import is_sensitive_hint, says_yes
from inspector.boundary.same_content import withhold_with_repetition

_WHOLE = "the whole result is declared sensitive"
_BLOCK = "the content block is declared sensitive"


def apply(draft: Draft) -> Draft:
    """Withhold the content and the error of a result that is declared sensitive.

    In other results, withhold the content blocks that are declared sensitive.
    """
    if draft.hint:
        reason = Reason(rule=Rule.SENSITIVE_HINT, detail=_WHOLE, claim=draft.hint)
        draft = withhold_members(withhold_blocks(draft, lambda _: reason), reason)
        return withhold_error(draft, reason)
    claims = claims_by_block(draft)

    def reason_for(block: Block) -> Reason | None:
        for claim in claims.get(block.pointer, ()):
            if is_sensitive_hint(claim) and says_yes(claim):
                return Reason(rule=Rule.SENSITIVE_HINT, detail=_BLOCK, claim=claim)
        return None

    return withhold_with_repetition(draft, reason_for)
