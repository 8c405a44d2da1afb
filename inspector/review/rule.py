"""Rules: what is looked for, what it means where it is found, and how to mend it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One entry of the registry. A check is pure, and takes time in proportion to what it looks at."""

    id: str
    """Stable: an id is never given to another rule."""
    title: str
    severity: Severity
    confidence: Confidence
    meaning: str
    """What it means where it is found."""
    fix: str
    references: tuple[str, ...]
    """`CWE-…`, an OWASP MCP Top 10 id, or the section of a specification."""
    subjects: frozenset[SubjectKind] = TOOLS
    """What `each` is asked about."""
    each: Callable[[Offer], Iterable[Hit]] | None = None
    """Judges one definition by itself."""
    whole: Callable[[Reviewed], Iterable[tuple[Offer, Hit]]] | None = None
    """Judges definitions beside each other."""
    call: Callable[[ReviewedCall], Iterable[Hit]] | None = None
    """Judges one result; a rule with this alone needs calls."""

    @property
    def family(self) -> str:
        """The three letters of its family."""
        return self.id[3:6]
