"""Resolution: asking the server, before a call, which declarations hold for this call and its arguments.

The answer is compared with the declarations of the tool.

Source: the tool-resolution extension, method `tools/resolve`; SEP-1862, whose older answer repeats the tool.
A resolution may only narrow the tool's declarations. One that widens them, is malformed or does not arrive is
ignored and reported.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from inspector.claims.claim import Claim, words_of
from inspector.claims.contradictions import Contradiction, ContradictionKind, contradictions
from inspector.claims.registry import claims_of_resolution, claims_of_tool
from inspector.claims.traits import traits_of_tool
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome, Result

METHOD = "tools/resolve"

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "maliciousActivityHint")
_TAKEN = (*_HINTS, "attribution", "inputMetadata", "returnMetadata")
"""The annotations that an answer may refine."""
_SETS = (
    "inputMetadata.destination",
    "inputMetadata.sensitivity",
    "inputMetadata.outcomes",
    "returnMetadata.source",
    "returnMetadata.sensitivity",
)
"""The keys whose list is a set of possible values, from which a resolution chooses."""


class ResolutionState(StrEnum):
    """The outcome of asking the server which declarations hold for a call."""

    RESOLVED = "resolved"
    WIDENED = "widened"
    MALFORMED = "malformed"
    UNANSWERED = "unanswered"


class Resolution(Struct, frozen=True, kw_only=True):
    """The server's answer to `tools/resolve` about one call, and the annotations that apply to the call."""

    state: ResolutionState
    effective: Tool
    """The tool with the annotations that apply to this call; the listed tool unless `state` is RESOLVED."""
    claims: tuple[Claim, ...] = ()
    """The claims in the answer, shown next to those of the tool."""
    widenings: tuple[Contradiction, ...] = ()
    is_older_shape: bool = False
    """True if the answer has the shape of SEP-1862."""
    problem: str = ""
    """The reason why the declarations in the tool's listing apply; empty if the resolved ones apply.

    The reason quotes no untrusted text.
    """

    @property
    def remarks(self) -> tuple[str, ...]:
        """The problems with the answer, in sentences."""
        return (*((self.problem,) if self.problem else ()), *(item.message for item in self.widenings))


def is_resolvable(tool: Tool) -> bool:
    """True if the tool declares that the server can be asked about one call before it is made."""
    return traits_of_tool(tool).resolvable.value is True


def resolve_params(tool: Tool, arguments: JsonObject) -> JsonObject:
    """The parameters of a `tools/resolve` request, with exactly the arguments of the call."""
    return {"name": tool.name, "arguments": arguments}


def resolution_of(tool: Tool, outcome: Outcome) -> Resolution:
    """Read the answer to `tools/resolve`: the annotations that hold for one call with its arguments.

    A `Failure` as `outcome` means that no answer arrived in time. Never raises.
    """
    unanswered = Resolution(state=ResolutionState.UNANSWERED, effective=tool)
    match outcome:
        case Result(value=value):
            return _read(unanswered, tool, value)
        case Failure():
            return replace(
                unanswered,
                problem="The call was not resolved: the server did not answer. The listed declarations apply.",
            )
        case _:
            return replace(
                unanswered,
                problem="The call was not resolved: the server refused. The listed declarations apply.",
            )


def _read(unanswered: Resolution, tool: Tool, value: Json) -> Resolution:
    claims = claims_of_resolution(value)
    is_older = isinstance(value, dict) and "tool" in value
    answered = replace(unanswered, claims=claims, is_older_shape=is_older)
    annotations = _annotations(tool, value)
    wrong = annotations if isinstance(annotations, str) else _fault(claims)
    if wrong or isinstance(annotations, str):
        problem = f"The resolution is malformed: {wrong}. The listed declarations apply."
        return replace(answered, state=ResolutionState.MALFORMED, problem=problem)
    widenings = tuple(_widenings(claims_of_tool(tool), claims))
    if widenings:
        problem = "The resolution goes beyond the listed declarations, which apply instead."
        return replace(answered, state=ResolutionState.WIDENED, widenings=widenings, problem=problem)
    return replace(answered, state=ResolutionState.RESOLVED, effective=_narrowed(tool, annotations))


def _annotations(tool: Tool, value: Json) -> JsonObject | str:
    """The annotations in an answer of either shape; a string names the problem."""
    if not isinstance(value, dict):
        return "it is not an object"
    if "tool" in value and "annotations" in value:
        return "it mixes the shapes of the extension and of SEP-1862"
    named = value.get("tool", value)
    if not isinstance(named, dict):
        return "its tool is not an object"
    if named.get("name") != tool.name:
        return "it names another tool, or none"
    annotations = named.get("annotations")
    return annotations if isinstance(annotations, dict) else "its annotations are missing or not an object"


def _fault(claims: Sequence[Claim]) -> str:
    malformed = [
        claim
        for claim in claims
        if not claim.well_formed and (claim.vocabulary, claim.key) != ("tool-resolution", "tool")
    ]
    return "one of its members is malformed" if malformed else ""


def _widenings(of_tool: tuple[Claim, ...], resolved: tuple[Claim, ...]) -> Iterator[Contradiction]:
    for item in contradictions((*of_tool, *resolved)):
        if item.kind is ContradictionKind.RESOLUTION_WIDENS:
            yield item
    for key in _SETS:
        listed, chosen = _of_key(of_tool, key), _of_key(resolved, key)
        possible = {word for claim in listed for word in words_of(claim.value)}
        words = {word for claim in chosen for word in words_of(claim.value)}
        if listed and not words <= possible:
            yield Contradiction(
                kind=ContradictionKind.RESOLUTION_WIDENS,
                claims=(*listed, *chosen),
                message=f"The call is resolved to a value of {key} that the tool does not declare.",
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
    """One annotation as it applies to the call. Members of an object that the answer omits stay as listed."""
    if isinstance(listed, dict) and isinstance(resolved, dict):
        return listed | resolved
    # A listed value that is not an object is malformed. It counts as a cautious value, so keep it.
    return listed if isinstance(resolved, dict) and listed is not None else resolved
