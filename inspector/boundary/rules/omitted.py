"""Withholds again what the boundary had withheld when the result was recorded.

A recording has a text in place of each withheld value. The other rules do not recognise these texts.
"""

from functools import partial

from inspector.boundary.bounded import Rule
from inspector.boundary.copies import with_copies_shown
from inspector.boundary.draft import Block, Draft, Reason, Texts, withhold_blocks
from inspector.boundary.notice import UNKNOWN_CONTENT
from inspector.boundary.passing import with_texts, without
from inspector.boundary.removals import UnjudgeableError
from inspector.boundary.same_content import text_of


def whole(draft: Draft) -> Draft:
    """Withhold the blocks that the rules `internal` and `labelled` withheld before the result was recorded.

    Raises UnjudgeableError if the whole result was withheld.
    """
    if "" in draft.omitted:
        raise UnjudgeableError("it could not be judged when it was recorded")
    for rule, instead in ((Rule.INTERNAL, UNKNOWN_CONTENT), (Rule.LABELLED, None)):
        if rule in draft.omitted.values():
            draft = withhold_blocks(draft, partial(_reason_for, draft, rule), instead)
    return draft


def _reason_for(draft: Draft, rule: Rule, block: Block) -> Reason | None:
    text = text_of(block.value) or ""
    return _reason(draft, text) if draft.omitted.get(text) == rule else None


def apply(draft: Draft) -> Draft:
    """Withhold the texts that replace withheld values in a recording, except those that `whole` withholds.

    Most of the replaced values were copies.
    """
    if not draft.omitted:
        return draft
    draft, texts = with_texts(draft)
    found = texts.values.keys() & draft.omitted.keys()
    if found:
        draft = without(draft, Texts(values=dict.fromkeys(found)), lambda text: _reason(draft, text))
    return with_copies_shown(draft, draft.omitted.keys(), lambda text: _reason(draft, text))


def _reason(draft: Draft, text: str) -> Reason:
    rule = Rule(draft.omitted[text])
    why = "a copy of a withheld value" if rule is Rule.ECHO else f"rule {rule}"
    return Reason(rule=rule, detail=f"withheld when it was recorded ({why})")
