"""`meta`: rebuilds `_meta` from the trust claims in it that Sightline knows; nothing else reaches the model.

At level `closed`, and in a result that is declared sensitive, only the data class of the result passes. The
class is one of a fixed set of words, and a second boundary after this one needs it to decide in the same way.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Block, Draft, Fate, Reason, claims_by_block, claims_on_result
from inspector.boundary.labels import is_concrete_class
from inspector.claims.claim import Claim
from inspector.json.exact import Json, JsonObject, equal
from inspector.json.pointer import child, split

_TRUST = frozenset({"trust-annotations", "sep-1913", "ifc", "webmcp-110"})
_REASON = Reason(rule=Rule.META, detail="`_meta` is not shown to models, except trust annotations")


def apply(draft: Draft) -> Draft:
    """Withhold the parts of each `_meta` that may not pass."""
    removals: list[Removal] = []
    match draft.raw:
        case {"_meta": sent} if draft.members is not None:
            draft = replace(draft, meta=_passing(draft, sent, "/_meta", claims_on_result(draft), removals))
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
    """`holder` with only the part of its `_meta` that may reach the model."""
    if "_meta" not in holder:
        return holder
    passing = _passing(draft, holder["_meta"], child(pointer, "_meta"), claims, removals)
    if passing is None:
        return {key: value for key, value in holder.items() if key != "_meta"}
    return {**holder, "_meta": passing}


def _passing(
    draft: Draft, meta: Json, pointer: str, claims: Sequence[Claim], removals: list[Removal]
) -> JsonObject | None:
    """The part of `meta` that passes: `meta` itself if all of it passes, None if nothing passes."""
    if not isinstance(meta, dict):
        removals.append(_REASON.at(pointer))
        return None
    passing: JsonObject = {}
    strict = draft.level is Level.CLOSED or draft.hint is not None
    for claim in claims:
        if not claim.well_formed or not claim.pointer.startswith(f"{pointer}/"):
            continue
        if is_concrete_class(claim) if strict else claim.vocabulary in _TRUST:
            _put(passing, split(claim.pointer.removeprefix(pointer)), claim.value)
    changed = [key for key in meta if key not in passing or not equal(passing[key], meta[key])]
    removals.extend(_REASON.at(child(pointer, key)) for key in changed)
    if not changed:
        return meta
    return {key: passing[key] for key in meta if key in passing} or None


def _put(holder: JsonObject, tokens: tuple[str, ...], value: Json) -> None:
    """Set `value` at the path `tokens`."""
    for token in tokens[:-1]:
        inner = holder.setdefault(token, {})
        if not isinstance(inner, dict):
            return
        holder = inner
    holder[tokens[-1]] = value
