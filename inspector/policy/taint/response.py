"""What one answer brings into a session, and where it says other than its tool declared.

Source: SEP-1913, Result Annotations and Response Annotations Scope.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from inspector.claims.claim import Claim, words_of
from inspector.claims.contradictions import ContradictionKind, contradictions
from inspector.claims.registry import claims_of_result, claims_of_tool
from inspector.claims.traits import Trait, traits
from inspector.policy.taint.state import Mark, MarkKind, Origin, SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome, Result

MAX_SOURCES = 256
"""Sources that are kept of one result; that there are more is a mark of its own."""
MAX_SOURCE_CHARACTERS = 2048

_OF_RESPONSES = frozenset({ContradictionKind.RESULT_OPEN_WORLD, ContradictionKind.SET_IN_RESULT})
_CLASSES = "returnMetadata.sensitivity"
_SETS = ("returnMetadata.source", _CLASSES)


def trust_of(outcome: Outcome, tool: Tool | None, origin: Origin) -> SessionTrust:
    """What an answer brings in. Nothing where no answer came.

    Untrusted is what the tool or the answer says is, as at the boundary. Open-world and malicious only the answer says:
    on a tool they mean that they are possible. One data class out of those that the tool declares stands for all of them.
    """
    if isinstance(outcome, Failure):
        return SessionTrust()
    of_tool = claims_of_tool(tool) if tool else ()
    of_answer = claims_of_result(outcome.value) if isinstance(outcome, Result) else ()
    answer, both = traits(of_answer), traits((*_still_open(of_tool, of_answer), *of_answer))
    found = {
        MarkKind.OPEN_WORLD: _is_claimed(answer.open_world),
        MarkKind.UNTRUSTED: _is_claimed(both.untrusted),
        MarkKind.MALICIOUS: _is_claimed(answer.malicious),
        MarkKind.SENSITIVE: _is_claimed(both.sensitive),
        MarkKind.UNNAMED_SOURCES: _has_unnamed(answer.attribution, of_answer),
    }
    marks = [Mark(kind=kind, origin=origin) for kind, holds in found.items() if holds]
    marks += [Mark(kind=MarkKind.DATA_CLASS, origin=origin, value=name) for name in _words(both.data_classes)]
    marks += [
        Mark(kind=MarkKind.ATTRIBUTION, origin=origin, value=source) for source in _kept(answer.attribution)
    ]
    return SessionTrust(marks=frozenset(marks))


def response_findings(tool: Tool | None, outcome: Outcome) -> tuple[str, ...]:
    """Where an answer says other than its tool, or names several values where one is due. Quotes nothing foreign."""
    if tool is None or not isinstance(outcome, Result):
        return ()
    of_tool, of_answer = claims_of_tool(tool), claims_of_result(outcome.value)
    found = [
        item.message
        for item in contradictions((*of_tool, *of_answer), tool=tool)
        if item.kind in _OF_RESPONSES
    ]
    return (*found, *_undeclared(of_tool, of_answer))


def _undeclared(of_tool: Sequence[Claim], of_answer: Sequence[Claim]) -> Iterator[str]:
    for key in _SETS:
        declared, said = _said(of_tool, key), _said(of_answer, key)
        if declared is not None and said is not None and not said <= declared:
            yield f"The result's {key} is none of those that its tool declares."
    declared, said = (_said(claims, "maliciousActivityHint") for claims in (of_tool, of_answer))
    if declared == frozenset({False}) and said == frozenset({True}):
        yield "The result is said to hold an attack, and its tool that it never does."


def _said(claims: Iterable[Claim], key: str) -> frozenset[bool | str] | None:
    """The words of every well-formed claim of one key; None where there is no such claim."""
    found = [
        claim
        for claim in claims
        if claim.key == key and claim.vocabulary in {"sep-1913", "action-metadata"} and claim.well_formed
    ]
    return frozenset(word for claim in found for word in words_of(claim.value)) if found else None


def _is_claimed(trait: Trait) -> bool:
    return trait.value is True and not trait.defaulted


def _words(trait: Trait) -> tuple[str, ...]:
    return trait.value if isinstance(trait.value, tuple) else ()


def _still_open(of_tool: Sequence[Claim], of_answer: Sequence[Claim]) -> Iterator[Claim]:
    """A tool's claims, without the set of classes of which the answer names the one that holds."""
    declared, said = _said(of_tool, _CLASSES), _said(of_answer, _CLASSES)
    is_settled = declared is not None and said is not None and len(said) == 1 and said <= declared
    return (claim for claim in of_tool if not (is_settled and claim.key == _CLASSES and claim.well_formed))


def _kept(attribution: Trait) -> Iterator[str]:
    return islice(_short(_words(attribution)), MAX_SOURCES)


def _short(sources: Iterable[str]) -> Iterator[str]:
    return (source for source in sources if len(source) <= MAX_SOURCE_CHARACTERS)


def _has_unnamed(attribution: Trait, claims: Iterable[Claim]) -> bool:
    unread = any(claim.key == "attribution" and not claim.well_formed for claim in claims)
    return unread or len(_words(attribution)) > sum(1 for _ in _kept(attribution))
