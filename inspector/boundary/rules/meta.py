"""`meta`: of `_meta`, what registered vocabularies say about trust passes, built anew from their claims.

At `closed`, and of a result that is declared sensitive, only the one data class does that it is said to hold, a word of a
closed set: a second boundary has to judge by it as the first one did. All else is a server's words.
"""

from collections.abc import Sequence
from dataclasses import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Block, Draft, Fate, Reason, claims_by_block, claims_on_result
from inspector.boundary.labels import is_concrete_class
from inspector.claims.claim import Claim
from inspector.json.exact import Json, JsonObject, equal
from inspector.json.pointer import child, split

_TRUST = frozenset({"trust-annotations", "sep-1913", "ifc", "webmcp-110"})
_REASON = Reason(rule=Rule.META, detail="`_meta` is for programs; only registered claims about trust pass")


def apply(draft: Draft) -> Draft:
    """The draft with the `_meta` that may pass."""
    removals: list[Removal] = []
    match draft.raw:
        case {"_meta": sent} if draft.members is not None:
            draft = replace(draft, meta=_kept(draft, sent, "/_meta", claims_on_result(draft), removals))
        case _:
            pass
    claims = claims_by_block(draft)
    blocks = tuple(_judge(draft, block, claims.get(block.pointer, []), removals) for block in draft.blocks)
    return replace(draft, blocks=blocks).removing(removals)


def _judge(draft: Draft, block: Block, claims: list[Claim], removals: list[Removal]) -> Block:
    match block:
        case Block(fate=Fate.RAW | Fate.MIRROR, value=dict() as sent):
            value = _without(draft, sent, block.pointer, claims, removals)
        case _:
            return block
    resource = value.get("resource")
    if isinstance(resource, dict):
        inner = _without(draft, resource, child(block.pointer, "resource"), claims, removals)
        value = {**value, "resource": inner}
    return replace(block, value=value)


def _without(
    draft: Draft, holder: JsonObject, pointer: str, claims: list[Claim], removals: list[Removal]
) -> JsonObject:
    """`holder` with the `_meta` that may pass."""
    if "_meta" not in holder:
        return holder
    kept = _kept(draft, holder["_meta"], child(pointer, "_meta"), claims, removals)
    if kept is None:
        return {key: value for key, value in holder.items() if key != "_meta"}
    return {**holder, "_meta": kept}


def _kept(
    draft: Draft, meta: Json, pointer: str, claims: Sequence[Claim], removals: list[Removal]
) -> JsonObject | None:
    """What passes of one `_meta`, the same object where all of it does; None where nothing does."""
    if not isinstance(meta, dict):
        removals.append(_REASON.at(pointer))
        return None
    kept: JsonObject = {}
    strict = draft.level is Level.CLOSED or draft.hint is not None
    for claim in claims:
        if not claim.well_formed or not claim.pointer.startswith(f"{pointer}/"):
            continue
        if is_concrete_class(claim) if strict else claim.vocabulary in _TRUST:
            _put(kept, split(claim.pointer.removeprefix(pointer)), claim.value)
    changed = [key for key in meta if key not in kept or not equal(kept[key], meta[key])]
    removals.extend(_REASON.at(child(pointer, key)) for key in changed)
    if not changed:
        return meta
    return {key: kept[key] for key in meta if key in kept} or None


def _put(holder: JsonObject, tokens: tuple[str, ...], value: Json) -> None:
    """Let `value` stand where the tokens lead."""
    for token in tokens[:-1]:
        inner = holder.setdefault(token, {})
        if not isinstance(inner, dict):
            return
        holder = inner
    holder[tokens[-1]] = value
