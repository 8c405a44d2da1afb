"""Rules ANN: contradictory and malformed declarations."""

from collections.abc import Iterator
from functools import partial

from inspector.claims.claim import Subject
from inspector.claims.contradictions import ContradictionKind, contradictions, is_malformed_mark
from inspector.claims.registry import claims_of_resolution, claims_of_result
from inspector.json.exact import dump_text
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall
from inspector.review.rule import DEFINITIONS, ReviewRule

_SPECIFICATION = "MCP 2025-11-25, ToolAnnotations"


def _contradicts(offer: Offer, kind: ContradictionKind) -> Iterator[Hit]:
    for found in offer.contradictions:
        if found.kind is kind and not (kind is ContradictionKind.SENSITIVE_UNMARKED and _is_released(offer)):
            evidence = ", ".join(f"{claim.key} {dump_text(claim.value)}" for claim in found.claims)
            pointer = found.claims[-1].pointer if found.claims else ""
            yield Hit(message=found.message, pointer=pointer, evidence=quoted(evidence))


def _is_released(offer: Offer) -> bool:
    """True if the author explicitly marks a field of the output as not sensitive."""
    released = {
        claim.pointer.rpartition("/")[0]
        for claim in offer.claims
        if claim.key == "x-sensitive" and claim.value is False
    }
    return bool(released) and any(field.pointer in released for field in offer.outputs)


def _malformed(offer: Offer) -> Iterator[Hit]:
    for claim in offer.claims:
        # A misspelt sensitivity mark has its own rule.
        if not claim.well_formed and not is_malformed_mark(claim):
            yield Hit(
                message=f"A declaration of the vocabulary {claim.vocabulary} is malformed, so Sightline assumes the more cautious value: it {claim.problem}.",
                pointer=claim.pointer,
                evidence=quoted(f"{claim.key}: {dump_text(claim.value)}"),
            )


def _in_result(call: ReviewedCall) -> Iterator[Hit]:
    result_claims = claims_of_result(call.raw)
    if not result_claims:
        return
    for found in contradictions((*call.offer.claims, *result_claims), tool=call.offer.tool):
        of_result = next((claim for claim in found.claims if claim.subject in _OF_RESULTS), None)
        if found.kind in _RESULT_KINDS and of_result is not None and not call.lacks(of_result.pointer):
            yield Hit(
                message=found.message,
                pointer=of_result.pointer,
                evidence=quoted(", ".join(f"{claim.key} {dump_text(claim.value)}" for claim in found.claims)),
            )


_OF_RESULTS = frozenset({Subject.RESULT, Subject.BLOCK})
_RESULT_KINDS = frozenset(
    {
        ContradictionKind.RESULT_OPEN_WORLD,
        ContradictionKind.SET_IN_RESULT,
        ContradictionKind.SOURCE_DISAGREES,
    }
)


def _widened(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    tools = {offer.name: offer for offer in reviewed.tools}
    for answer in reviewed.traffic.resolved:
        offer = tools.get(answer.name)
        if offer is None:
            continue
        claims = (*offer.claims, *claims_of_resolution(answer.result))
        for found in contradictions(claims, tool=offer.tool):
            resolved = next((claim for claim in found.claims if claim.subject is Subject.RESOLUTION), None)
            if resolved is not None:
                evidence = ", ".join(f"{claim.key} {dump_text(claim.value)}" for claim in found.claims)
                yield offer, Hit(message=found.message, pointer=resolved.pointer, evidence=quoted(evidence))


def _contradiction(
    number: int,
    kind: ContradictionKind,
    title: str,
    severity: Severity,
    texts: tuple[str, str],
) -> ReviewRule:
    consequence, fix = texts
    return ReviewRule(
        id=f"SL-ANN{number:03}",
        title=title,
        severity=severity,
        confidence=Confidence.HIGH,
        consequence=consequence,
        fix=fix,
        references=("CWE-522" if kind is ContradictionKind.PUBLIC_CREDENTIALS else "CWE-684", _SPECIFICATION),
        each=partial(_contradicts, kind=kind),
    )


_EITHER = "Hosts follow different declarations, so one host may make a call that another would ask about."

RULES = (
    _contradiction(
        1,
        ContradictionKind.READ_ONLY_DESTRUCTIVE,
        "Both read-only and destructive",
        Severity.HIGH,
        (
            _EITHER,
            "Declare only `readOnlyHint: true` if the tool changes nothing; otherwise set it to false.",
        ),
    ),
    _contradiction(
        2,
        ContradictionKind.READ_ONLY_EFFECT,
        "Read-only, but declares another effect",
        Severity.HIGH,
        (_EITHER, "Make `readOnlyHint` and `mcp.dev/effect` agree."),
    ),
    _contradiction(
        3,
        ContradictionKind.READ_ONLY_OUTCOME,
        "Read-only, but declares consequences",
        Severity.HIGH,
        (_EITHER, "Make `readOnlyHint` and the declared outcome agree."),
    ),
    _contradiction(
        4,
        ContradictionKind.DELETE_UNCONFIRMED,
        "Deletes without confirmation",
        Severity.MEDIUM,
        (
            "A host that follows the declaration deletes data as soon as a model calls the tool.",
            "Declare `mcp.dev/requiresConfirmation: true`.",
        ),
    ),
    _contradiction(
        5,
        ContradictionKind.IDEMPOTENT_DISAGREES,
        "Vocabularies disagree on idempotence",
        Severity.LOW,
        (
            "A host that follows the wrong declaration may repeat a call that is not idempotent.",
            "Make `idempotentHint` and `mcp.dev/idempotent` agree.",
        ),
    ),
    _contradiction(
        6,
        ContradictionKind.PUBLIC_CREDENTIALS,
        "Accepts credentials and may publish its input",
        Severity.HIGH,
        (
            "The arguments may be published, and the tool declares that they may contain credentials.",
            "Declare the actual destination, or accept no credentials.",
        ),
    ),
    _contradiction(
        7,
        ContradictionKind.SENSITIVE_UNMARKED,
        "Sensitive output without marks in the schema",
        Severity.MEDIUM,
        (
            "A host that relies on marks withholds nothing, although the output is declared sensitive.",
            "Mark the sensitive fields with `x-sensitive: true`, or return a secret reference.",
        ),
    ),
    _contradiction(
        8,
        ContradictionKind.SOURCE_DISAGREES,
        "Data declared both trusted and from an untrusted source",
        Severity.MEDIUM,
        (
            "A host that follows the wrong declaration gives third-party text to the model as if it were trusted.",
            "Make the vocabularies agree on the source of the data.",
        ),
    ),
    ReviewRule(
        id="SL-ANN009",
        title="Malformed declaration",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Strict clients reject the tool, or the whole list; others drop the declaration.",
        fix="Use the type that the vocabulary defines: `sightline claims NAME` shows it.",
        references=("CWE-1286", _SPECIFICATION),
        subjects=DEFINITIONS,
        each=_malformed,
    ),
    ReviewRule(
        id="SL-ANN010",
        title="Result contradicts its tool's declarations",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="A host that relies on the definition of the tool handles the result wrongly.",
        fix="Declare all possible values for the tool, and the one actual value for a result.",
        references=("CWE-684", "SEP-1913"),
        call=_in_result,
    ),
    ReviewRule(
        id="SL-ANN011",
        title="Resolution of a call allows more than the tool declares",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="A call is resolved to do more than the tool declares, and so more than the host agreed to.",
        fix="Declare the maximum effect of any call for the tool; a resolution may only narrow it.",
        references=("CWE-684", "Tool resolution"),
        whole=_widened,
    ),
)
