"""`no-contract`: at the boundary level `closed`, withholds everything that no output schema describes."""

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.draft import (
    Block,
    Draft,
    Fate,
    Reason,
    withhold_blocks,
    withhold_members,
    withhold_structured,
)

_NO_SCHEMA = Reason(rule=Rule.NO_CONTRACT, detail="the tool declares no output schema")
_READ = Reason(rule=Rule.NO_CONTRACT, detail="no schema describes the contents of resources and prompts")
_FREE = Reason(rule=Rule.NO_CONTRACT, detail="no output schema describes content blocks")
_MEMBER = Reason(rule=Rule.UNDECLARED, detail="the protocol does not define this member")


def apply(draft: Draft) -> Draft:
    """Withhold content without a schema; copies of the structured content stay."""
    if draft.level is not Level.CLOSED:
        return draft
    draft = withhold_members(draft, _MEMBER)
    if draft.contract.positions is None:
        reason = _READ if draft.shape else _NO_SCHEMA
        return withhold_structured(withhold_blocks(draft, lambda _: reason), reason)
    return withhold_blocks(draft, _reason_for)


def _reason_for(block: Block) -> Reason | None:
    match block:
        case Block(fate=Fate.MIRROR, value={"type": "text"}):
            return None
        case _:
            return _FREE
