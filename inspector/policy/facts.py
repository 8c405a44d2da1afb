"""The facts that policy rules can test: names, states, and how they are collected for one call."""

import json
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.claims.claim import Subject, TraitName
from inspector.claims.contradictions import Contradiction, ContradictionKind, contradictions
from inspector.claims.once import once
from inspector.claims.registry import claims_of_result, claims_of_tool
from inspector.claims.resolution import Resolution
from inspector.claims.traits import Trait, Traits, traits, traits_of_tool
from inspector.json import pointer as json_pointer
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.json.members import object_at
from inspector.policy.operators import Truth
from inspector.policy.taint import LabelKind, SessionTrust
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.outcome import Outcome, Result
from inspector.safe_text import safe_line

_PART = re.compile(r'("(?:[^"\\]|\\.)*"|[^."]+)(\.|$)')
_SHOWN = 80
"""The maximum number of characters of a value that a sentence quotes."""
_LISTED = 8
"""The maximum number of list items that a sentence quotes."""

_OPEN = frozenset({"annotations", "_meta"})
"""The facts that are objects, as sent. The name of a fact may go on with any path inside such an object."""
_BY_TRAIT = frozenset({"traits", "claimed"})
_MEMBERS: Mapping[str, frozenset[str]] = {
    "request": frozenset({"annotations"}),
    "tool": frozenset({"name", "listed", "contradictions", "resolution"}) | _OPEN | _BY_TRAIT,
    "arguments": frozenset(),
    "session": frozenset(
        {
            "openWorld",
            "untrusted",
            "malicious",
            "sensitive",
            "dataClasses",
            "attribution",
            "unnamedSources",
            "servers",
        }
    ),
    "response": frozenset({"contradictions", "isError"}) | _OPEN | _BY_TRAIT,
    "server": frozenset({"target", "name"}),
}
"""The names of facts in each namespace. The names in `arguments` depend on the call."""
_FROM_ANSWERS = frozenset(
    {("response", name) for name in _OPEN}
    | {("request", "annotations"), ("session", "attribution"), ("response", "traits", "attribution")}
)
"""The facts that hold texts from an answer."""
_OF_THE_USER = frozenset({("server", "target"), ("session", "servers")})
"""The facts that name what the user connects to. A command line or an address may contain a secret."""
_SECRET = _FROM_ANSWERS | _OF_THE_USER
_CLASSES = frozenset({"none", "user", "pii", "financial", "credentials", "regulated"})
"""The standard names of data classes."""
_TRAITS = frozenset(name.value for name in TraitName)


class FactPath(Struct, frozen=True, kw_only=True):
    """The name of a fact: parts joined with dots. A part that contains a dot is quoted."""

    text: str
    """The name as written."""
    parts: tuple[str, ...]

    @property
    def pointer(self) -> str:
        """The name as an RFC 6901 pointer into the facts."""
        return json_pointer.join(self.parts)

    @property
    def namespace(self) -> str:
        """The first part: `request`, `tool`, `arguments`, `session`, `response` or `server`."""
        return self.parts[0]


def path_of(text: str) -> FactPath | str:
    """Parse the name of a fact. If `text` names no fact, returns the reason as the end of a sentence.

    The subject of that sentence is the fact. Example: `has a quoted part that is not a JSON string`.
    """
    parts: list[str] = []
    position = 0
    while position < len(text) or text.endswith("."):
        part = _PART.match(text, position)
        if not part:
            return "is not a name: join its parts with dots, and quote a part that contains a dot"
        try:
            parts.append(json.loads(part[1]) if part[1].startswith('"') else part[1])
        except ValueError:
            return "has a quoted part that is not a JSON string"
        position = part.end()
    return _known(FactPath(text=text, parts=tuple(parts)))


def _known(path: FactPath) -> FactPath | str:
    head, *rest = path.parts or ("",)
    if head not in _MEMBERS:
        return f"must begin with one of {', '.join(_MEMBERS)}"
    if not rest:
        return f"needs a name after `{head}`"
    if head == "arguments":
        return path
    name, *below = rest
    if name not in _MEMBERS[head]:
        return f"is unknown; `{head}` has {', '.join(sorted(_MEMBERS[head]))}"
    if name in _BY_TRAIT and (len(below) != 1 or below[0] not in _TRAITS):
        return f"does not name a trait; the traits are {', '.join(sorted(_TRAITS))}"
    if below and name not in _OPEN | _BY_TRAIT:
        return f"is unknown: `{head}.{name}` has no parts"
    return path


class FactState(Enum):
    """Whether a rule can test a fact."""

    PRESENT = "present"
    ABSENT = "absent"
    """The fact is not declared."""
    UNREADABLE = "unreadable"
    """The fact is malformed, or it is a trait of which nothing is known."""


class Fact(Struct, frozen=True, kw_only=True):
    """One fact about a call, as a rule reads it: its name, its state and its value."""

    path: FactPath
    state: FactState
    exists: Truth
    """YES if there is a value at the path; MAYBE if an object on the way cannot be read; otherwise NO."""
    value: Json = None
    reasons: tuple[str, ...] = ()
    """The claims or contradictions behind the fact. They quote no untrusted text except names of keys."""

    def __str__(self) -> str:
        """A sentence that is safe to show.

        It quotes no value of an argument, an answer or a target, except true and false.
        """
        name = safe_line(self.path.text)
        if self.state is FactState.ABSENT:
            return f"{name} is not declared"
        if self.exists is not Truth.YES:
            return f"{name} is not known" if self.exists is Truth.NO else f"{name} cannot be read"
        value = shown(self.value) if self._is_repeated else "present"
        behind = f" ({safe_line(', '.join(self.reasons))})" if self.reasons else ""
        return (
            f"{name} is {value}{', which is malformed' if self.state is FactState.UNREADABLE else ''}{behind}"
        )

    def as_json(self) -> JsonObject:
        """A JSON object with `fact`, `state`, `shown` (if it may be quoted) and `because` (the reasons)."""
        content: JsonObject = {"fact": self.path.text, "state": self.state.value}
        if self.exists is Truth.YES and self._is_repeated:
            content["shown"] = shown(self.value)
        if self.reasons:
            content["because"] = [*self.reasons]
        return content

    @property
    def _is_repeated(self) -> bool:
        parts = self.path.parts
        if isinstance(self.value, bool):
            return True
        if "dataClasses" in parts and parts[0] != "tool":
            return isinstance(self.value, list) and all(item in _CLASSES for item in self.value)
        return parts[0] != "arguments" and not {parts[:2], parts[:3]} & _SECRET


class Facts(Struct, frozen=True, kw_only=True):
    """All facts that rules can test at one moment."""

    tree: JsonObject
    """The values of the facts, by namespace, with types as sent."""
    unreadable: frozenset[str] = frozenset()
    """Pointers to values that are malformed, or lost because their container is malformed."""
    unknown: frozenset[str] = frozenset()
    """Pointers to traits of which nothing is known. The tree has no value for them."""
    reasons: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By pointer, the claims or contradictions behind a value, in words that quote no untrusted text."""

    def read(self, path: FactPath) -> Fact:
        """The fact at `path`. Never raises."""
        value: Json = self.tree
        for index, part in enumerate(path.parts, 1):
            match value:
                case dict() if part in value:
                    value = value[part]
                case list() if value and part.isascii() and part.isdigit() and len(part) < 10:
                    if int(part) >= len(value):
                        return self._missing(path, json_pointer.join(path.parts[:index]))
                    value = value[int(part)]
                # Some servers send null or an empty list in place of an empty object.
                case dict() | None | [] | "":
                    return self._missing(path, json_pointer.join(path.parts[:index]))
                case _:
                    return Fact(path=path, state=FactState.UNREADABLE, exists=Truth.MAYBE)
        malformed = path.pointer in self.unreadable or isinstance(value, DuplicateKeys)
        state = FactState.UNREADABLE if malformed else FactState.PRESENT
        return Fact(path=path, state=state, exists=Truth.YES, value=value, reasons=self._behind(path, value))

    def _behind(self, path: FactPath, value: Json) -> tuple[str, ...]:
        items = value if isinstance(value, list) else []
        each = (self.reasons.get(f"{path.pointer}/{item}", ()) for item in items if isinstance(item, str))
        return (*self.reasons.get(path.pointer, ()), *chain.from_iterable(each))

    def _missing(self, path: FactPath, stopped_at: str) -> Fact:
        """The fact at a path without a value. `stopped_at`: the pointer to the path's first absent value."""
        if path.pointer in self.unknown:
            return Fact(path=path, state=FactState.UNREADABLE, exists=Truth.NO)
        if stopped_at in self.unreadable:
            return Fact(path=path, state=FactState.UNREADABLE, exists=Truth.MAYBE)
        return Fact(path=path, state=FactState.ABSENT, exists=Truth.NO)


def shown(value: Json) -> str:
    """A value on one short line, without control and invisible characters. A long value is truncated."""
    match value:
        case str():
            text = dump_text(value[:_SHOWN]) + ("…" if len(value) > _SHOWN else "")
        case list():
            items = ", ".join(shown(item) for item in value[:_LISTED])
            text = f"[{items}{', …' if len(value) > _LISTED else ''}]"
        case dict() | DuplicateKeys():
            text = "an object"
        case _:
            text = dump_text(value)
    return safe_line(text[: 4 * _SHOWN])


_CONTRADICTIONS = "/tool/contradictions"


class Situation(Struct, frozen=True, kw_only=True):
    """What the facts are collected from: a call that was made or is about to be made, and its session."""

    name: str
    tool: Tool | None
    """The tool as listed; None if the server lists no tool of that name."""
    arguments: JsonObject
    """The arguments exactly as they will be sent."""
    trust: SessionTrust = SessionTrust()
    """The session's trust before the call."""
    server: str = ""
    """The target, in the user's words."""
    server_name: str = ""
    """The name that the server gives itself, which proves nothing. Untrusted text."""
    title: str = ""
    """The name that rules see in place of `name`; empty for `name` itself.

    For a resource template, it is the handle of the resource that is read.
    """
    resolution: Resolution | None = None
    """The answer to `tools/resolve` for the call's arguments; None if it was not requested."""


def facts_of(situation: Situation) -> Facts:
    """The facts before a call.

    The cost depends on the size of the definition, not on that of the arguments.
    """
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
            "tool": {"name": situation.title or situation.name, "listed": tool is not None, **about.tree},
            "arguments": situation.arguments,
            "session": _session_facts(situation.trust),
            "server": {"target": situation.server, "name": situation.server_name},
        },
        unreadable=about.unreadable,
        unknown=about.unknown,
        reasons=about.reasons,
    )


def with_response(facts: Facts, situation: Situation, outcome: Outcome) -> Facts:
    """A copy of the facts of a call, to which the facts of its answer are added."""
    value = outcome.value if isinstance(outcome, Result) else None
    of_tool = claims_of_tool(situation.tool) if situation.tool else ()
    of_answer = claims_of_result(value, situation.tool.kind if situation.tool else Kind.TOOL)
    answered = traits(of_answer)
    result = object_at(value)
    meta = result.get("_meta")
    annotations = (
        {"annotations": meta["annotations"]} if isinstance(meta, dict) and "annotations" in meta else {}
    )
    # Contradictions among the tool's own claims do not depend on the answer.
    contradicted = contradictions((*of_tool, *of_answer), tool=situation.tool) if of_answer else ()
    response: JsonObject = {
        **annotations,
        **({"_meta": meta} if "_meta" in result else {}),
        **_trait_facts(answered),
        "contradictions": _kinds(
            item for item in contradicted if any(claim.subject is not Subject.TOOL for claim in item.claims)
        ),
        "isError": not isinstance(outcome, Result) or result.get("isError", False) is not False,
    }
    # If the result or its `_meta` is not an object, it might have contained these facts.
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
        unknown=facts.unknown | _unknown("/response/traits", answered),
    )


def _tool_facts(situation: Situation) -> Facts:
    """The facts below `/tool`. If the call was resolved, the resolved annotations replace the listed ones."""
    tool, resolution = situation.tool, situation.resolution
    if tool is not None and resolution is None:
        return _facts_of_listed(tool)
    return _facts_below_tool(tool, resolution)


@once
def _facts_of_listed(tool: Tool) -> Facts:
    return _facts_below_tool(tool, None)


def _facts_below_tool(listed: Tool | None, resolution: Resolution | None) -> Facts:
    effective = resolution.effective if resolution else listed
    claims = claims_of_tool(effective) if effective else ()
    known = traits_of_tool(effective) if effective else traits(())
    contradicted = _contradicted(listed, effective, resolution)
    tree: JsonObject = {
        **_present(effective, "annotations"),
        **_present(effective, "_meta"),
        **_trait_facts(known),
        "contradictions": _kinds(contradicted),
        "resolution": resolution.state.value if resolution else "none",
    }
    reasons = {f"/tool/traits/{name.value}": _claimed_by(known.trait(name)) for name in TraitName}
    for item in contradicted:
        at = f"{_CONTRADICTIONS}/{item.kind.value}"
        reasons[at] = (*reasons.get(at, ()), item.message)
    malformed = frozenset(f"/tool{claim.pointer}" for claim in claims if not claim.well_formed)
    return Facts(tree=tree, unreadable=malformed, unknown=_unknown("/tool/traits", known), reasons=reasons)


def _contradicted(
    listed: Tool | None, effective: Tool | None, resolution: Resolution | None
) -> tuple[Contradiction, ...]:
    own = _own_contradictions(effective)
    if resolution is None:
        return own
    # The name is about all calls of the tool. It does not contradict a resolution that this call only reads.
    if not any(each.kind is ContradictionKind.READ_ONLY_NAME for each in _own_contradictions(listed)):
        own = tuple(each for each in own if each.kind is not ContradictionKind.READ_ONLY_NAME)
    return (*own, *resolution.widenings)


def _own_contradictions(tool: Tool | None) -> tuple[Contradiction, ...]:
    return contradictions(claims_of_tool(tool), tool=tool) if tool else ()


def _session_facts(trust: SessionTrust) -> JsonObject:
    return {
        "openWorld": trust.open_world,
        "untrusted": trust.untrusted,
        "malicious": trust.malicious,
        "sensitive": trust.sensitive,
        "dataClasses": [*trust.data_classes],
        "attribution": [*trust.attribution],
        "unnamedSources": trust.has(LabelKind.UNNAMED_SOURCES),
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


def _unknown(pointer: str, known: Traits) -> frozenset[str]:
    return frozenset(f"{pointer}/{name.value}" for name in TraitName if _is_unknown(known.trait(name)))


def _is_unknown(trait: Trait) -> bool:
    """True if neither a claim nor a default gives the trait a value."""
    return trait.defaulted and trait.value in {None, "unknown", ()}


def _trait_value(trait: Trait) -> Json:
    return list(trait.value) if isinstance(trait.value, tuple) else trait.value


def _claimed_by(trait: Trait) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{claim.vocabulary} {claim.key}" for claim in trait.claims_for))


def _kinds(items: Iterable[Contradiction]) -> list[Json]:
    return [*dict.fromkeys(item.kind.value for item in items)]


def _present(tool: Tool | None, member: str) -> JsonObject:
    return {member: tool.definition[member]} if tool and member in tool.definition else {}
