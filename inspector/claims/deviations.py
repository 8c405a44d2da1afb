"""Differences between the trust declarations of a result and those of its tool.

Source: SEP-1913, Action Security Metadata, and Result Annotations.
"""

from collections.abc import Iterable, Iterator, Sequence

from inspector.claims.claim import Claim, words_of
from inspector.claims.contradictions import ContradictionKind, contradictions
from inspector.claims.registry import claims_of_result, claims_of_tool
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result

DATA_CLASSES = "returnMetadata.sensitivity"
_SETS = ("returnMetadata.source", DATA_CLASSES)
_OF_RESULTS = frozenset({ContradictionKind.RESULT_OPEN_WORLD, ContradictionKind.SET_IN_RESULT})


def deviations(tool: Tool | None, outcome: Outcome) -> tuple[str, ...]:
    """Sentences about a result that deviates from its tool's declarations, or has several values for a key.

    The sentences quote no untrusted text.
    """
    if tool is None or not isinstance(outcome, Result):
        return ()
    of_tool, of_result = claims_of_tool(tool), claims_of_result(outcome.value, tool.kind)
    if not of_result:
        return ()
    messages = [
        item.message for item in contradictions((*of_tool, *of_result), tool=tool) if item.kind in _OF_RESULTS
    ]
    return (*messages, *_undeclared(of_tool, of_result))


def _undeclared(of_tool: Sequence[Claim], of_result: Sequence[Claim]) -> Iterator[str]:
    for key in _SETS:
        declared, answered = declared_words(of_tool, key), declared_words(of_result, key)
        if declared is not None and answered is not None and not answered <= declared:
            yield f"The result has a value of {key} that its tool does not declare."
    declared, answered = (declared_words(claims, "maliciousActivityHint") for claims in (of_tool, of_result))
    if declared == frozenset({False}) and answered == frozenset({True}):
        yield "The result is declared malicious, but its tool declares that it never is."


def declared_words(claims: Iterable[Claim], key: str) -> frozenset[bool | str] | None:
    """The values in all well-formed trust claims with the key `key`; None if there is no such claim."""
    same = [
        claim
        for claim in claims
        if claim.key == key and claim.vocabulary in {"sep-1913", "action-metadata"} and claim.well_formed
    ]
    return frozenset(word for claim in same for word in words_of(claim.value)) if same else None
