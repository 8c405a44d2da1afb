"""`error`: at level `closed`, replaces the texts of a failure with its code.

Source: docs/decisions/0004-boundaries.md.
"""

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.draft import Block, Draft, Fate, Reason, withhold_all
from inspector.boundary.notice import text_block

_REASON = Reason(rule=Rule.ERROR, detail="the model gets only the code of an error")


def apply(draft: Draft) -> Draft:
    """At level `closed`, replace the texts of a failed call with its error code."""
    if draft.level is not Level.CLOSED or draft.code is None:
        return draft
    coded_text = text_block(draft.code.value)
    first = draft.blocks[0] if draft.blocks else None
    if first and first.value == coded_text:
        # An earlier boundary wrote this text, or the server sent the same text.
        draft = replace(draft, blocks=(replace(first, fate=Fate.OWN), *draft.blocks[1:]))
        return withhold_all(draft, _REASON)
    draft = withhold_all(draft, _REASON)
    if draft.error is not None:
        return draft
    coded = Block(pointer="", raw=None, value=coded_text, fate=Fate.OWN)
    return replace(draft, blocks=(coded, *draft.blocks))
