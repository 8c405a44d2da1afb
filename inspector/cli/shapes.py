"""The JSON shapes that commands print; docs/commands.md describes them."""

from collections.abc import Iterable

from inspector.boundary.bounded import Removal
from inspector.boundary.output_check import OutputCheck
from inspector.claims.claim import Claim
from inspector.hosts.projection import Projection
from inspector.json.exact import Json, JsonObject, Malformed
from inspector.protocol.catalogue import Catalogue, Item, Kind
from inspector.protocol.targets import Era
from inspector.session.facts import ServerFacts
from inspector.session.wording import ANNOUNCES_NOTHING


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
    """`server` of `sightline list`; `raw` is what it said of itself, as sent."""
    identity = server.identity
    said = server.raw if isinstance(server.raw, dict) else {}
    return {
        "target": target,
        "name": server.name,
        "title": identity.get("title"),
        "version": server.version,
        "icons": identity.get("icons"),
        "protocolVersion": server.protocol_version,
        "era": server.era.value,
        "capabilities": server.capabilities,
        "instructions": server.instructions,
        "ttlMs": said.get("ttlMs"),
        "cacheScope": said.get("cacheScope"),
        "raw": server.raw,
    }


def client_shape(server: ServerFacts) -> Json:
    """`client` of `sightline list`: the capabilities that were announced, and what that hides. None for a page."""
    return None if server.era is Era.AUTO else {"capabilities": {}, "note": ANNOUNCES_NOTHING}


def items_shape(catalogue: Catalogue, kind: Kind) -> list[Json]:
    """`resources`, `resourceTemplates` or `prompts` of `sightline list`: what can be read of them, as sent."""
    return [
        {"name": entry.name, "definition": entry.definition}
        for entry in catalogue.entries.get(kind, ())
        if isinstance(entry, Item)
    ]


def findings_shape(sentences: Iterable[str]) -> list[Json]:
    """`findings` of a projection or a definition."""
    return [{"message": sentence} for sentence in sentences]


def output_shape(output: OutputCheck) -> JsonObject:
    """`violations` of a result, with `moreViolations` and `unchecked` where there are any."""
    shape: JsonObject = {"violations": [told.as_json() for told in output.violations]}
    if output.more:
        shape["moreViolations"] = output.more
    if output.unchecked:
        shape["unchecked"] = list(output.unchecked)
    return shape


def unfinished_shape(shown: Projection) -> JsonObject:
    """`unfinished` of a projection: why its answer does not end the call; nothing where it does."""
    return {"unfinished": shown.unfinished.as_json()} if shown.unfinished else {}


def withheld_shape(removals: Iterable[Removal]) -> list[Json]:
    """`withheld` of a projection."""
    return [removal_shape(removal) for removal in removals]
