"""`error`: at `closed`, the model learns of a failure only which of a closed set of codes it was.

Source: docs/decisions/0004-boundaries.md.
"""

from dataclasses import replace

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.draft import Block, Draft, Fate, Reason, withhold_all
from inspector.boundary.notice import text_block

_REASON = Reason(rule=Rule.ERROR, detail="of an error, a model gets only the code")


def apply(draft: Draft) -> Draft:
    """The draft with a code in place of a failure's own words."""
    if draft.level is not Level.CLOSED or draft.code is None:
        return draft
    said = text_block(draft.code.value)
    first = draft.blocks[0] if draft.blocks else None
    if first and first.value == said:
        # An earlier boundary's, or as good as that.
        draft = replace(draft, blocks=(replace(first, fate=Fate.OWN), *draft.blocks[1:]))
        return withhold_all(draft, _REASON)
    draft = withhold_all(draft, _REASON)
    if draft.error is not None:
        return draft
    coded = Block(pointer="", raw=None, value=said, fate=Fate.OWN)
    return replace(draft, blocks=(coded, *draft.blocks))
