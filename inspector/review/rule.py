"""The model of a review rule."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from inspector.review.finding import Confidence, Hit, Severity, SubjectKind
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall

TOOLS = frozenset({SubjectKind.TOOL})
DEFINITIONS = frozenset(
    {
        SubjectKind.SERVER,
        SubjectKind.TOOL,
        SubjectKind.RESOURCE,
        SubjectKind.TEMPLATE,
        SubjectKind.PROMPT,
        SubjectKind.SKILL,
    }
)
SHOWN = DEFINITIONS | {SubjectKind.REQUEST}
"""What a user or a model reads before any result."""


class ReviewRule(Struct, frozen=True, kw_only=True):
    """A review rule. Its check is pure and linear."""

    id: str
    """Stable; ids are never reused."""
    title: str
    severity: Severity
    confidence: Confidence
    meaning: str
    """The consequence of a finding."""
    fix: str
    references: tuple[str, ...]
    """`CWE-…`, an OWASP MCP Top 10 id, or the section of a specification."""
    subjects: frozenset[SubjectKind] = TOOLS
    """The subjects of `each`."""
    each: Callable[[Offer], Iterable[Hit]] | None = None
    """Checks one definition."""
    whole: Callable[[Reviewed], Iterable[tuple[Offer, Hit]]] | None = None
    """Compares definitions."""
    call: Callable[[ReviewedCall], Iterable[Hit]] | None = None
    """Checks one result."""

    @property
    def family(self) -> str:
        return self.id[3:6]
