"""The data type of review rules."""

from collections.abc import Callable, Iterable, Mapping

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
"""The kinds of subjects that a user or a model reads before any result."""


class ReviewRule(Struct, frozen=True, kw_only=True):
    """A review rule. Its checks are functions without side effects, and linear in their input."""

    id: str
    """The id of the rule. It never changes and is never reused."""
    title: str
    severity: Severity
    confidence: Confidence
    consequence: str
    """What may happen because of the fault that the rule finds, in sentences for the user."""
    fix: str
    references: tuple[str, ...]
    """References: `CWE-…`, an id of the OWASP MCP Top 10, or a section of a specification."""
    titles: Mapping[str, str] = {}
    """More specific titles than that of the rule, by the pointer of the finding."""
    is_scored: bool = False
    """True if the score of a text (`signals.InstructionScore`) gives each finding its severity and confidence."""
    subjects: frozenset[SubjectKind] = TOOLS
    """The kinds of subjects that `each` checks."""
    each: Callable[[Offer], Iterable[Hit]] | None = None
    """Checks one definition."""
    whole: Callable[[Reviewed], Iterable[tuple[Offer, Hit]]] | None = None
    """Compares definitions, and checks the protocol traffic."""
    call: Callable[[ReviewedCall], Iterable[Hit]] | None = None
    """Checks one result."""

    @property
    def family(self) -> str:
        return self.id[3:6]
