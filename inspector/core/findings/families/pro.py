"""PRO: protocol faults that were seen while listing."""

from collections.abc import Iterator

from inspector.core.findings.finding import Confidence, Hit, Severity, SubjectKind
from inspector.core.findings.reviewed import Offer
from inspector.core.findings.rule import Rule, tool_example
from inspector.core.findings.shadowed import NAME_TAKEN
from inspector.core.foreign import safe_line


def _malformed(offer: Offer) -> Iterator[Hit]:
    problem = offer.problem
    if problem is not None and problem.reason != NAME_TAKEN:
        what = (
            "An item of a list cannot be used" if problem.value is not None else "A list is not as it must be"
        )
        yield Hit(message=f"{what}: {safe_line(problem.reason)[:200]}.", pointer=problem.pointer)


RULES = (
    Rule(
        id="SL-PRO001",
        title="Malformed item or list",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        meaning="Strict clients reject the whole list over it, and lenient ones differ in what they make of it.",
        fix="Send what the protocol asks for.",
        references=("CWE-1286", "MCP 2025-11-25, Tools"),
        subjects=frozenset({SubjectKind.LISTING}),
        each=_malformed,
        positive=({"tools": [{"name": "broken"}]}, {"tools": [7]}),
        negative=(tool_example(),),
    ),
)
