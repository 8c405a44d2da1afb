"""Rules: what is looked for, what it means where it is found, and how to mend it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from inspector.json.exact import Json, JsonObject
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall

Example: TypeAlias = JsonObject
"""What a server would say: `tools`, `prompts`, `resources`, `instructions`, and `calls`, the results of its first tool.

Beside that `page`, facts of a page; `pinned`, `again`, `other_client`, other listings; `neighbours`, tools of other servers by
target; `faults`, `answers` and `resolved`, of the wire.
"""

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
    positive: tuple[Example, ...]
    """Where it must find something."""
    negative: tuple[Example, ...]
    """Where it must find nothing."""
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


def tool_example(name: str = "lookup", description: str = "Look up a word.", **members: Json) -> Example:
    """An example of one tool, with the members given beside or in place of the usual ones."""
    usual: JsonObject = {"name": name, "description": description, "inputSchema": {"type": "object"}}
    return {"tools": [usual | members]}


def call_example(result: Json, **members: Json) -> Example:
    """An example of one tool, `lookup`, and one result of a call of it."""
    return {**tool_example("lookup", "Look up a word.", **members), "calls": [result]}


def text_result(text: str, **members: Json) -> Json:
    """A result of one block of text."""
    return {"content": [{"type": "text", "text": text}], **members}


def takes(**properties: Json) -> Json:
    """A schema of an object with these properties."""
    return {"type": "object", "properties": dict(properties)}
