"""Resolution: what a server says one call would do, and whether that keeps within what its tool declares.

Source: the tool-resolution extension, method `tools/resolve`; SEP-1862, whose older answer repeats the tool. A resolution
may only narrow. One that widens, is malformed or does not come counts for nothing, and is a finding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from inspector.claims.bearing import words_of
from inspector.claims.claim import Claim
from inspector.claims.contradictions import Contradiction, ContradictionKind, contradictions
from inspector.claims.registry import claims_of_resolution, claims_of_tool
from inspector.claims.traits import traits
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome, Result

METHOD = "tools/resolve"

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "maliciousActivityHint")
_TAKEN = (*_HINTS, "attribution", "inputMetadata", "returnMetadata")
"""The annotations that a resolution may refine; all others stay as listed."""
_SETS = (
    "inputMetadata.destination",
    "inputMetadata.sensitivity",
    "inputMetadata.outcomes",
    "returnMetadata.source",
    "returnMetadata.sensitivity",
)
"""A list of these is a set of possible values; a resolution chooses among them."""


class ResolutionState(StrEnum):
    """What came of asking."""

    RESOLVED = "resolved"
    WIDENED = "widened"
    MALFORMED = "malformed"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What a server said of one call, and what holds for it."""

    state: ResolutionState
    effective: Tool
    """The tool with the annotations that hold for this call; as listed, unless it was resolved."""
    claims: tuple[Claim, ...] = ()
    """Those of the answer, to be shown beside the tool's."""
    widenings: tuple[Contradiction, ...] = ()
    is_older_shape: bool = False
    """Whether it came as SEP-1862 had it."""
    problem: str = ""
    """Why the declarations of the list hold instead, for the user; empty where they do not. Quotes nothing foreign."""

    @property
    def findings(self) -> tuple[str, ...]:
        """What is wrong with the answer, in sentences."""
        return (*((self.problem,) if self.problem else ()), *(item.message for item in self.widenings))


def is_resolvable(tool: Tool) -> bool:
    """Whether a tool says that it can be resolved."""
    return traits(claims_of_tool(tool)).resolvable.value is True


def resolve_params(tool: Tool, arguments: JsonObject) -> JsonObject:
    """The parameters of the request: exactly the arguments that the call would be sent."""
    return {"name": tool.name, "arguments": arguments}


def resolution_of(tool: Tool, outcome: Outcome) -> Resolution:
    """What an answer amounts to, a late one included: its outcome is a `Failure`. Never raises."""
    asked = Resolution(state=ResolutionState.UNANSWERED, effective=tool)
    match outcome:
        case Result(value=value):
            return _read(asked, tool, value)
        case Failure():
            return replace(
                asked, problem="The call was not resolved: no answer came. What the list says holds."
            )
        case _:
            return replace(
                asked, problem="The call was not resolved: the server refused. What the list says holds."
            )


def _read(asked: Resolution, tool: Tool, value: Json) -> Resolution:
    claims = claims_of_resolution(value)
    is_older = isinstance(value, dict) and "tool" in value
    answered = replace(asked, claims=claims, is_older_shape=is_older)
    annotations = _annotations(tool, value)
    wrong = annotations if isinstance(annotations, str) else _fault(claims)
    if wrong or isinstance(annotations, str):
        problem = f"The resolution is malformed: {wrong}. What the list says holds."
        return replace(answered, state=ResolutionState.MALFORMED, problem=problem)
    widenings = tuple(_widenings(claims_of_tool(tool), claims))
    if widenings:
        problem = "The resolution goes beyond what the list says, which holds."
        return replace(answered, state=ResolutionState.WIDENED, widenings=widenings, problem=problem)
    return replace(answered, state=ResolutionState.RESOLVED, effective=_narrowed(tool, annotations))


def _annotations(tool: Tool, value: Json) -> JsonObject | str:
    """The annotations in an answer of either shape, or in words what is wrong with it."""
    if not isinstance(value, dict):
        return "it is no object"
    if "tool" in value and "annotations" in value:
        return "it has the shape of the extension and that of SEP-1862 at once"
    named = value.get("tool", value)
    if not isinstance(named, dict):
        return "its tool is no object"
    if named.get("name") != tool.name:
        return "it names another tool, or none"
    annotations = named.get("annotations")
    return annotations if isinstance(annotations, dict) else "its annotations are missing, or no object"


def _fault(claims: Sequence[Claim]) -> str:
    found = [
        claim
        for claim in claims
        if not claim.well_formed and (claim.vocabulary, claim.key) != ("tool-resolution", "tool")
    ]
    return "one of its members cannot be read" if found else ""


def _widenings(of_tool: tuple[Claim, ...], resolved: tuple[Claim, ...]) -> Iterator[Contradiction]:
    for item in contradictions((*of_tool, *resolved)):
        if item.kind is ContradictionKind.RESOLUTION_WIDENS:
            yield item
    for key in _SETS:
        listed, said = _of_key(of_tool, key), _of_key(resolved, key)
        possible = {word for claim in listed for word in words_of(claim.value)}
        chosen = {word for claim in said for word in words_of(claim.value)}
        if listed and not chosen <= possible:
            yield Contradiction(
                kind=ContradictionKind.RESOLUTION_WIDENS,
                claims=(*listed, *said),
                message=f"The call is resolved to an {key} that its tool does not declare.",
            )


def _of_key(claims: Sequence[Claim], key: str) -> list[Claim]:
    return [
        claim for claim in claims if claim.vocabulary == "sep-1913" and claim.key == key and claim.well_formed
    ]


def _narrowed(tool: Tool, resolved: JsonObject) -> Tool:
    listed = tool.definition.get("annotations", {})
    if not isinstance(listed, dict):
        return tool
    merged = listed | {key: _merged(listed.get(key), resolved[key]) for key in _TAKEN if key in resolved}
    return replace(tool, definition=tool.definition | {"annotations": merged})


def _merged(listed: Json, resolved: Json) -> Json:
    """One annotation; of an object, the members that the resolution does not name stay as listed."""
    if isinstance(listed, dict) and isinstance(resolved, dict):
        return listed | resolved
    # What the list has here is no object, and is read in the safe direction as long as it stays.
    return listed if isinstance(resolved, dict) and listed is not None else resolved
