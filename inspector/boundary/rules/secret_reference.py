"""`secret-reference`: withholds a secret reference except its label; at level `closed`, also the label.

Source: WebMCP issue 110, "Agent exposure rules".
"""

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Block, Draft, Fate, Reason, claims_by_block
from inspector.boundary.notice import reference_text, text_block
from inspector.boundary.removals import Secrets
from inspector.boundary.walking import FROM_REFERENCE, REFERENCE, is_reference, secret_of
from inspector.claims.claim import Claim
from inspector.json.exact import JsonObject
from inspector.json.pointer import child


def apply(draft: Draft) -> Draft:
    """Replace each content block that is a secret reference by a text."""
    claims = claims_by_block(draft)
    blocks: list[Block] = []
    removals: list[Removal] = []
    secrets = Secrets()
    for block in draft.blocks:
        if isinstance(block.value, dict) and is_reference(block.value):
            label = _label(block.value, draft.level)
            reason = _reason(claims.get(block.pointer, []))
            removals.extend(_removals(block, block.value, label, reason))
            secrets.add(Rule.SECRET_REFERENCE, (secret_of(key, value) for key, value in block.value.items()))
            blocks.append(replace(block, value=text_block(reference_text(label)), fate=Fate.OWN))
        else:
            blocks.append(block)
    return replace(draft, blocks=tuple(blocks)).removing(removals, secrets)


def _label(reference: JsonObject, level: Level) -> str | None:
    label = reference.get("label")
    return label if isinstance(label, str) and level is not Level.CLOSED else None


def _reason(claims: list[Claim]) -> Reason:
    claim = next((claim for claim in claims if claim.key == REFERENCE), None)
    return Reason(rule=Rule.SECRET_REFERENCE, detail=FROM_REFERENCE, claim=claim)


def _removals(block: Block, reference: JsonObject, label: str | None, reason: Reason) -> list[Removal]:
    passing = {"type"} if label is None else {"type", "label"}
    withheld = [reason.at(child(block.pointer, key)) for key in reference if key not in passing]
    return withheld or [reason.at(block.pointer)]
