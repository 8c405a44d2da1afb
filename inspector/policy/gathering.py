"""Gathering: the facts of one call, from what its tool declares, what it is sent, and what the session has taken in."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from inspector.claims.claim import Claim, Subject, TraitName
from inspector.claims.contradictions import Contradiction, contradictions
from inspector.claims.registry import claims_of_result, claims_of_tool
from inspector.claims.resolution import Resolution
from inspector.claims.traits import Trait, Traits, traits
from inspector.json.exact import Json, JsonObject
from inspector.policy.facts import Facts
from inspector.policy.taint.state import MarkKind, SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result

_CONTRADICTIONS = "/tool/contradictions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One call that is about to be made, or was."""

    name: str
    tool: Tool | None
    """As listed; None where the server lists none of that name."""
    arguments: JsonObject
    """Exactly as they will be sent."""
    trust: SessionTrust = SessionTrust()  # noqa: RUF009 - frozen
    """Before the call."""
    server: str = ""
    """What is connected to, in the user's words."""
    server_name: str = ""
    """The name that it gives itself, which proves nothing. Foreign text."""
    resolution: Resolution | None = None
    """What tools/resolve said of these arguments; None where it was not asked."""


def facts_of(situation: Situation) -> Facts:
    """What rules may ask about before the call. Cost: as the definition, not as the arguments."""
    tool = situation.tool
    about = _tool_facts(situation)
    return Facts(
        tree={
            "request": {
                "annotations": {
                    "openWorldHint": situation.trust.untrusted,
                    "attribution": [*situation.trust.attribution],
                }
            },
            "tool": {"name": situation.name, "listed": tool is not None, **about.tree},
            "arguments": situation.arguments,
            "session": _session_facts(situation.trust),
            "server": {"target": situation.server, "name": situation.server_name},
        },
        unreadable=about.unreadable,
        unknown=about.unknown,
        told=about.told,
    )


def with_response(facts: Facts, situation: Situation, outcome: Outcome) -> Facts:
    """The same facts with those of the answer."""
    value = outcome.value if isinstance(outcome, Result) else None
    of_tool = claims_of_tool(situation.tool) if situation.tool else ()
    of_answer = claims_of_result(value)
    said = traits(of_answer)
    result = value if isinstance(value, dict) else {}
    meta = result.get("_meta")
    annotations = (
        {"annotations": meta["annotations"]} if isinstance(meta, dict) and "annotations" in meta else {}
    )
    found = contradictions((*of_tool, *of_answer), tool=situation.tool)
    response: JsonObject = {
        **annotations,
        **({"_meta": meta} if "_meta" in result else {}),
        **_trait_facts(said),
        "contradictions": _kinds(
            item for item in found if any(claim.subject is not Subject.TOOL for claim in item.claims)
        ),
        "isError": not isinstance(outcome, Result) or result.get("isError", False) is not False,
    }
    # What is no object might have held them.
    is_lost = not isinstance(meta, dict) and meta not in (None, [], "")
    is_lost = is_lost or (isinstance(outcome, Result) and not isinstance(value, dict))
    lost = frozenset({"/response/annotations", "/response/_meta"}) if is_lost else frozenset[str]()
    malformed = {
        pointer
        for claim in of_answer
        if not claim.well_formed
        for pointer in (f"/response{claim.pointer}", f"/response{claim.pointer.removeprefix('/_meta')}")
    }
    return replace(
        facts,
        tree=facts.tree | {"response": response},
        unreadable=facts.unreadable | malformed | lost,
        unknown=facts.unknown | _unknown("/response/traits", said),
    )


def _tool_facts(situation: Situation) -> Facts:
    """What is below `/tool`. Where a call was resolved, its annotations stand for those of the list."""
    tool, resolution = situation.tool, situation.resolution
    effective = resolution.effective if resolution else tool
    claims = claims_of_tool(effective) if effective else ()
    found = traits(claims)
    contradicted = _contradicted(claims, effective, resolution)
    tree: JsonObject = {
        **_present(effective, "annotations"),
        **_present(effective, "_meta"),
        **_trait_facts(found),
        "contradictions": _kinds(contradicted),
        "resolution": resolution.state.value if resolution else "none",
    }
    told = {f"/tool/traits/{name.value}": _claimed_by(found.trait(name)) for name in TraitName}
    for item in contradicted:
        at = f"{_CONTRADICTIONS}/{item.kind.value}"
        told[at] = (*told.get(at, ()), item.message)
    malformed = frozenset(f"/tool{claim.pointer}" for claim in claims if not claim.well_formed)
    return Facts(tree=tree, unreadable=malformed, unknown=_unknown("/tool/traits", found), told=told)


def _contradicted(
    claims: tuple[Claim, ...], tool: Tool | None, resolution: Resolution | None
) -> tuple[Contradiction, ...]:
    own = contradictions(claims, tool=tool) if tool else ()
    return (*own, *(resolution.widenings if resolution else ()))


def _session_facts(trust: SessionTrust) -> JsonObject:
    return {
        "openWorld": trust.open_world,
        "untrusted": trust.untrusted,
        "malicious": trust.malicious,
        "sensitive": trust.sensitive,
        "dataClasses": [*trust.data_classes],
        "attribution": [*trust.attribution],
        "unnamedSources": trust.has(MarkKind.UNNAMED_SOURCES),
        "servers": [*trust.servers],
    }


def _trait_facts(found: Traits) -> JsonObject:
    known: JsonObject = {
        name.value: _trait_value(found.trait(name))
        for name in TraitName
        if not _is_unknown(found.trait(name))
    }
    claimed: JsonObject = {name.value: not found.trait(name).defaulted for name in TraitName}
    return {"traits": known, "claimed": claimed}


def _unknown(pointer: str, found: Traits) -> frozenset[str]:
    return frozenset(f"{pointer}/{name.value}" for name in TraitName if _is_unknown(found.trait(name)))


def _is_unknown(trait: Trait) -> bool:
    """Whether nobody says anything of it, and no default holds either."""
    return trait.defaulted and trait.value in {None, "unknown", ()}


def _trait_value(trait: Trait) -> Json:
    return list(trait.value) if isinstance(trait.value, tuple) else trait.value


def _claimed_by(trait: Trait) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{claim.vocabulary} {claim.key}" for claim in trait.claims_for))


def _kinds(found: Iterable[Contradiction]) -> list[Json]:
    return [*dict.fromkeys(item.kind.value for item in found)]


def _present(tool: Tool | None, member: str) -> JsonObject:
    return {member: tool.definition[member]} if tool and member in tool.definition else {}
