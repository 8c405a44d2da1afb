"""ANN: contradictions between declarations, and declarations that are not well formed."""

from collections.abc import Iterator
from functools import partial

from inspector.claims.claim import Subject
from inspector.claims.contradictions import ContradictionKind, contradictions
from inspector.claims.registry import claims_of_resolution, claims_of_result
from inspector.json.exact import dump_text
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall
from inspector.review.rule import DEFINITIONS, Rule

_SPECIFICATION = "MCP 2025-11-25, ToolAnnotations"


def _contradicts(offer: Offer, kind: ContradictionKind) -> Iterator[Hit]:
    for found in offer.contradictions:
        if found.kind is kind and not (kind is ContradictionKind.SENSITIVE_UNMARKED and _is_released(offer)):
            said = ", ".join(f"{claim.key} {dump_text(claim.value)}" for claim in found.claims)
            pointer = found.claims[-1].pointer if found.claims else ""
            yield Hit(message=found.message, pointer=pointer, evidence=quoted(said))


def _is_released(offer: Offer) -> bool:
    """Whether the author said of each field of the output that it is not sensitive, or named none."""
    released = {
        claim.pointer.rpartition("/")[0]
        for claim in offer.claims
        if claim.key == "x-sensitive" and claim.value is False
    }
    return bool(released) and any(field.pointer in released for field in offer.outputs)


def _malformed(offer: Offer) -> Iterator[Hit]:
    for claim in offer.claims:
        # A misspelt mark of sensitivity has a rule of its own.
        if not claim.well_formed and claim.key != "x-sensitive":
            yield Hit(
                message=f"A declaration of the vocabulary {claim.vocabulary} is not well formed and is read in the safe direction: {claim.problem}.",
                pointer=claim.pointer,
                evidence=quoted(f"{claim.key}: {dump_text(claim.value)}"),
            )


def _in_result(call: ReviewedCall) -> Iterator[Hit]:
    said = claims_of_result(call.raw)
    if not said:
        return
    for found in contradictions((*call.offer.claims, *said), tool=call.offer.tool):
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
                said = ", ".join(f"{claim.key} {dump_text(claim.value)}" for claim in found.claims)
                yield offer, Hit(message=found.message, pointer=resolved.pointer, evidence=quoted(said))


def _contradiction(
    number: int,
    kind: ContradictionKind,
    title: str,
    severity: Severity,
    texts: tuple[str, str],
) -> Rule:
    meaning, fix = texts
    return Rule(
        id=f"SL-ANN{number:03}",
        title=title,
        severity=severity,
        confidence=Confidence.HIGH,
        meaning=meaning,
        fix=fix,
        references=("CWE-522" if kind is ContradictionKind.PUBLIC_CREDENTIALS else "CWE-684", _SPECIFICATION),
        each=partial(_contradicts, kind=kind),
    )


_EITHER = "Hosts differ in which of the two they believe, so that a call may go ahead that another host would ask about."

RULES = (
    _contradiction(
        1,
        ContradictionKind.READ_ONLY_DESTRUCTIVE,
        "Read-only and destructive at once",
        Severity.HIGH,
        (
            _EITHER,
            "Declare `readOnlyHint: true` alone where the tool changes nothing; otherwise set it to false.",
        ),
    ),
    _contradiction(
        2,
        ContradictionKind.READ_ONLY_EFFECT,
        "Read-only, with another effect than reading",
        Severity.HIGH,
        (_EITHER, "Make `readOnlyHint` and `mcp.dev/effect` say the same."),
    ),
    _contradiction(
        3,
        ContradictionKind.READ_ONLY_OUTCOME,
        "Read-only, with consequences",
        Severity.HIGH,
        (_EITHER, "Make `readOnlyHint` and the declared outcome say the same."),
    ),
    _contradiction(
        4,
        ContradictionKind.DELETE_UNCONFIRMED,
        "Deletes, without asking for confirmation",
        Severity.MEDIUM,
        (
            "A host that follows the declaration deletes as soon as a model says so.",
            "Declare `mcp.dev/requiresConfirmation: true`.",
        ),
    ),
    _contradiction(
        5,
        ContradictionKind.IDEMPOTENT_DISAGREES,
        "Two vocabularies disagree on repetition",
        Severity.LOW,
        (
            "A host that believes the wrong one repeats a call that does its work twice.",
            "Make `idempotentHint` and `mcp.dev/idempotent` say the same.",
        ),
    ),
    _contradiction(
        6,
        ContradictionKind.PUBLIC_CREDENTIALS,
        "Takes credentials, and may send its input to the public",
        Severity.HIGH,
        (
            "What the model puts into the arguments may be published, and the tool says that it takes credentials.",
            "Declare the destination that really holds, or take no credentials.",
        ),
    ),
    _contradiction(
        7,
        ContradictionKind.SENSITIVE_UNMARKED,
        "Sensitive, with a schema that marks nothing",
        Severity.MEDIUM,
        (
            "A host that reads marks alone finds nothing to withhold, though the output is said to be sensitive.",
            "Mark the sensitive fields with `x-sensitive: true`, or return a secret reference.",
        ),
    ),
    _contradiction(
        8,
        ContradictionKind.SOURCE_DISAGREES,
        "From an untrusted source, and trusted",
        Severity.MEDIUM,
        (
            "A host that believes the wrong one gives the model text of strangers as if it were the user's own.",
            "Make the vocabularies say the same of where the data come from.",
        ),
    ),
    Rule(
        id="SL-ANN009",
        title="Malformed declaration",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        meaning="Strict clients reject the tool, or the whole list; others drop the declaration.",
        fix="Write it as its vocabulary says: `sightline claims NAME` shows the type.",
        references=("CWE-1286", _SPECIFICATION),
        subjects=DEFINITIONS,
        each=_malformed,
    ),
    Rule(
        id="SL-ANN010",
        title="Result that contradicts its tool",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        meaning="A host that has judged the tool by its definition treats the result as something that it is not.",
        fix="Declare of the tool all that its results may be, and of a result the one value that holds.",
        references=("CWE-684", "SEP-1913"),
        call=_in_result,
    ),
    Rule(
        id="SL-ANN011",
        title="Resolution that widens",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        meaning="A call is resolved to do more than its tool declares: a host that agreed to the one gets the other.",
        fix="Declare of the tool the most that any call of it may do; a resolution only narrows.",
        references=("CWE-684", "Tool resolution"),
        whole=_widened,
    ),
)
