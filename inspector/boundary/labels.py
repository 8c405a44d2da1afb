"""Decides whether labels of a tool, of a result or of its blocks make the result sensitive."""

from collections.abc import Iterable

from inspector.boundary.options import BoundaryPolicy
from inspector.claims.claim import LEVELS, Claim
from inspector.json.exact import equal

_CREDENTIALS = "credentials"
_RETURNED = "returnMetadata.sensitivity"
_AROUND_RETURNED = frozenset(
    {"returnMetadata", "_meta.annotations", "io.modelcontextprotocol/action-metadata"}
)
"""The keys of the objects in which a server may declare the data classes of results.

If one of these objects is malformed, the claim about the object counts as a claim about data classes.
"""


def says_yes(claim: Claim) -> bool:
    """True if a boolean claim counts as true. A malformed claim counts as true."""
    return not (claim.well_formed and claim.value is False)


def is_sensitive_hint(claim: Claim) -> bool:
    """True if a claim is a `sensitiveHint`."""
    return claim.vocabulary == "webmcp-110" and claim.key == "sensitiveHint"


def labelling(claim: Claim, policy: BoundaryPolicy) -> str:
    """The reason why `claim` alone makes its subject sensitive; empty if it does not."""
    match claim.vocabulary, claim.key:
        case "trust-annotations", "sensitive":
            return "" if _says(claim, False) else "it is labelled sensitive"
        case "related", "secretHint":
            return "" if _says(claim, False) else "the tool is declared to return secrets"
        case "policy-hints", "mcp.dev/resultSensitivity":
            return "" if _says(claim, *_below(policy)) else _at_or_above(claim, policy.sensitivity_threshold)
        case "ifc", "confidentiality" if policy.withhold_private:
            return "" if _says(claim, "public") else "it is labelled private"
        case "ifc", _ if claim.container and not claim.well_formed and policy.withhold_private:
            return "its labels are malformed"
        case "trust-annotations", _ if claim.container and not claim.well_formed:
            return "its labels are malformed"
        case _:
            return ""


def credentials_claim(of_tool: Iterable[Claim], of_result: Iterable[Claim]) -> Claim | None:
    """The claim that a result may contain credentials; None if there is none.

    If the result names one data class out of those that the tool declares, only that class counts.
    """
    declared = [claim for claim in of_tool if _is_about_classes(claim)]
    returned = [claim for claim in of_result if _is_about_classes(claim)]
    possible = frozenset[str]().union(*map(_classes, declared))
    if len(returned) == 1 and _is_concrete(returned[0]) and _classes(returned[0]) <= possible:
        declared = []
    return next((claim for claim in (*declared, *returned) if _CREDENTIALS in _classes(claim)), None)


def is_concrete_class(claim: Claim) -> bool:
    """True if a claim names exactly one data class."""
    return (
        claim.key == _RETURNED
        and claim.vocabulary == "sep-1913"
        and claim.well_formed
        and isinstance(claim.value, str)
    )


def _is_about_classes(claim: Claim) -> bool:
    if claim.vocabulary not in {"sep-1913", "action-metadata"}:
        return False
    return claim.key == _RETURNED or (
        claim.container and not claim.well_formed and claim.key in _AROUND_RETURNED
    )


def _classes(claim: Claim) -> frozenset[str]:
    """The data classes that a claim names; credentials if it is malformed."""
    if not claim.well_formed:
        return frozenset({_CREDENTIALS})
    values = claim.value if isinstance(claim.value, list) else [claim.value]
    return frozenset(value if isinstance(value, str) else "regulated" for value in values)


def _is_concrete(claim: Claim) -> bool:
    return claim.well_formed and not isinstance(claim.value, list)


def _at_or_above(claim: Claim, threshold: str) -> str:
    # A well-formed value is one of the levels, so no text of the server is quoted.
    if not claim.well_formed:
        return "its declared sensitivity is malformed"
    return f"it is declared {claim.value}, and everything at {threshold} or above is withheld"


def _says(claim: Claim, *harmless: bool | str) -> bool:
    """True if a claim is well formed and its value is one of `harmless`."""
    return claim.well_formed and any(equal(claim.value, word) for word in harmless)


def _below(policy: BoundaryPolicy) -> tuple[str, ...]:
    """The sensitivity levels below the policy's threshold; none if the threshold is unknown."""
    threshold = policy.sensitivity_threshold
    return LEVELS[: LEVELS.index(threshold)] if threshold in LEVELS else ()
