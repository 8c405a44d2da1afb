"""`mirror`: withholds, in text blocks that copy the structured content, what is withheld from that content.

Source: MCP 2025-11-25, Tools, "Structured Content": the same data should be in a text block too.
"""

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Block, Draft, Fate, Reason, withhold_blocks
from inspector.boundary.removals import Ledger, Secrets
from inspector.boundary.same_content import (
    MIRRORED,
    is_equally_spelt,
    json_in,
    repeats,
    text_of,
    text_pointer,
    with_text,
)
from inspector.boundary.walking import REFERENCE
from inspector.boundary.withhold import withhold
from inspector.json.exact import Json, dump_text

_GONE = Reason(rule=Rule.MIRROR, detail="copy of the structured content, all of which is withheld")
_REWRITTEN = Reason(rule=Rule.MIRROR, detail="JSON with withheld fields; rewritten without them")


def apply(draft: Draft) -> Draft:
    """Withhold, in texts that are JSON, what is withheld from the structured content."""
    rule = _Mirror(draft)
    blocks = tuple(rule.judge(block) for block in draft.blocks)
    return replace(draft, blocks=blocks).removing(rule.removals, rule.secrets)


def settle(draft: Draft) -> Draft:
    """Withhold copies of the structured content in text blocks, if rules after `apply` withheld all of it."""
    if draft.structured is None or not draft.structured.gone:
        return draft
    return withhold_blocks(draft, lambda block: _GONE if block.fate is Fate.MIRROR else None)


class _Mirror:
    def __init__(self, draft: Draft) -> None:
        self.removals: list[Removal] = []
        self.secrets = Secrets()
        self._draft = draft
        self._start = draft.contract.start()
        self._touched = draft.structured is not None and draft.structured.touched
        # If false, no text can contain a withheld value, and parsing is not necessary.
        self._matters = draft.structured is not None or not self._start.harmless

    def judge(self, block: Block) -> Block:
        text = text_of(block.value) if block.fate is Fate.RAW else None
        if text is None or not (self._matters or _may_hold_reference(text)):
            return block
        parsed = json_in(text)
        if parsed is None:
            return block
        structured = self._draft.structured
        if structured and repeats(text, parsed.value, structured.raw):
            if structured.gone:
                return self._withheld(block)
            is_rewritten = self._touched or self._draft.level is Level.CLOSED
            if is_rewritten or is_equally_spelt(text, parsed.value, structured.raw):
                return self._mirror(block)
        # At level `closed`, the text counts as free text, which is withheld.
        return block if self._draft.level is Level.CLOSED else self._rewritten(block, parsed.value)

    def _mirror(self, block: Block) -> Block:
        if self._touched:
            self.removals.append(MIRRORED.at(block.pointer + text_pointer(block.value)))
        return replace(block, fate=Fate.MIRROR, noted=self._touched)

    def _rewritten(self, block: Block, value: Json) -> Block:
        ledger = Ledger(self._draft.contract, "")
        walked = withhold(value, self._start, ledger)
        self.secrets.declared.extend(ledger.secrets.declared)
        if walked.gone:
            self.removals.append(replace(ledger.removals[0], pointer=block.pointer))
            return replace(block, fate=Fate.WITHHELD)
        if not ledger:
            return block
        self.removals.append(_REWRITTEN.at(block.pointer + text_pointer(block.value)))
        return replace(block, value=with_text(block.value, dump_text(walked.value)))

    def _withheld(self, block: Block) -> Block:
        self.removals.append(_GONE.at(block.pointer))
        return replace(block, fate=Fate.WITHHELD)


def _may_hold_reference(text: str) -> bool:
    # The word may be written with JSON escapes.
    return REFERENCE in text or "\\u" in text
