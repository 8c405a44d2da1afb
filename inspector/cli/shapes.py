"""The JSON shapes that commands print; docs/commands.md describes them."""

from collections.abc import Iterable

from inspector.core.boundary.bounded import Removal
from inspector.core.claims.claim import Claim
from inspector.core.json_text import Json, JsonObject, Malformed
from inspector.core.projection import Projection
from inspector.session.facts import ServerFacts


def claim_shape(claim: Claim) -> JsonObject:
    """One claim of `sightline list`; with `note` where a browser dropped or changed it."""
    shape: JsonObject = {
        "vocabulary": claim.vocabulary,
        "key": claim.key,
        "pointer": claim.pointer,
        "value": claim.value,
        "standing": claim.standing.value,
        "wellFormed": claim.well_formed,
    }
    if claim.note:
        shape["note"] = claim.note
    return shape


def removal_shape(removal: Removal) -> JsonObject:
    """One entry of `withheld`."""
    return {
        "pointer": removal.pointer,
        "rule": removal.rule,
        "vocabulary": removal.vocabulary,
        "detail": removal.detail,
    }


def malformed_shape(item: Malformed) -> JsonObject:
    """One entry of `malformed`."""
    return {"name": item.name, "pointer": item.pointer, "reason": item.reason, "value": item.value}


def server_shape(target: str, server: ServerFacts) -> JsonObject:
    """`server` of `sightline list`."""
    return {
        "target": target,
        "name": server.name,
        "version": server.version,
        "protocolVersion": server.protocol_version,
        "era": server.era.value,
        "capabilities": server.capabilities,
        "instructions": server.instructions,
    }


def findings_shape(sentences: Iterable[str]) -> list[Json]:
    """`findings` of a projection or a definition."""
    return [{"message": sentence} for sentence in sentences]


def unfinished_shape(shown: Projection) -> JsonObject:
    """`unfinished` of a projection: why its answer does not end the call; nothing where it does."""
    return {"unfinished": shown.unfinished.as_json()} if shown.unfinished else {}


def withheld_shape(removals: Iterable[Removal]) -> list[Json]:
    """`withheld` of a projection."""
    return [removal_shape(removal) for removal in removals]
