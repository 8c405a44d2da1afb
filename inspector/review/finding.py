"""The data types of findings."""

import re
from enum import StrEnum

from msgspec import Struct

from inspector.credentials.find import dotted
from inspector.safe_text import safe_line

MAX_EVIDENCE = 160
"""The maximum number of characters of the server's text in a finding."""

READS_LIKE_AN_INSTRUCTION = "reads like an instruction to the model"
"""The end of a sentence about a text that the rule SL-INJ001 finds. It follows the pointer of the text."""


class Severity(StrEnum):
    """The severity of a finding. The members are in ascending order."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """The rank of the severity, from 0 for info to 4 for critical."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """The likelihood that a finding is correct. The members are in ascending order."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class SubjectKind(StrEnum):
    """The kind of subject that a finding is about."""

    SERVER = "server"
    TOOL = "tool"
    RESOURCE = "resource"
    TEMPLATE = "template"
    PROMPT = "prompt"
    SKILL = "skill"
    LISTING = "listing"
    """A malformed item, or a list as a whole."""
    CALL = "call"
    REQUEST = "request"
    """A request by the server to the user or to a model."""


class Finding(Struct, frozen=True, kw_only=True):
    """One finding: what a rule found in one place."""

    id: str
    """The id of the rule: `SL-`, the family, and three digits."""
    severity: Severity
    confidence: Confidence
    subject: SubjectKind
    name: str
    """The name of the subject. Untrusted text.

    For a request, it is the method and the key of the request. For a server or a list, it is empty.
    """
    pointer: str
    """A pointer into the definition, the raw result, or the listing. Keys in it are untrusted text."""
    message: str
    """The description for the user, safe to show. Quotes no withheld value."""
    evidence: str = ""
    """The server's text that the rule matched, shortened and safe to show.

    Empty if the pointer suffices, or if the text must not be quoted.
    """
    call: int = 0
    """The number of the call in its session, if its tool was called more than once; otherwise 0."""
    calls: tuple[int, ...] = ()
    """The numbers of all calls in which the rule found something at this place, if there are several."""
    target: str = ""
    """The target as the user wrote it, if several servers are reviewed; otherwise empty."""
    tools: tuple[str, ...] = ()
    """For a finding about the server: the names of the tools during whose calls the fault occurred.

    Untrusted text, not for a report.
    """


class Hit(Struct, frozen=True, kw_only=True):
    """One match of a review rule. Together with the rule and the subject, it makes a `Finding`."""

    message: str
    pointer: str = ""
    evidence: str = ""
    confidence: Confidence | None = None
    """The confidence, if it differs from the rule's."""
    severity: Severity | None = None
    """The severity, if it differs from the rule's."""
    subject: SubjectKind | None = None
    """The subject kind, if it differs from that of the definition."""
    tools: tuple[str, ...] = ()
    """The names of the tools during whose calls the fault occurred, as in `Finding.tools`. Untrusted text."""


_RUN = re.compile(r"((?:⟨U\+[0-9A-F]{4,6}⟩){2})(?:⟨U\+[0-9A-F]{4,6}⟩){1,300}")


def quoted(text: str, at: int = 0) -> str:
    """About `MAX_EVIDENCE` characters of a server's text around position `at`, on one line, safe to show.

    Text that looks like a credential is masked.
    """
    start = max(0, at - MAX_EVIDENCE // 4)
    text = _covered(text, start)
    cut = text[start : start + MAX_EVIDENCE]
    shown = _RUN.sub(r"\1⟨…⟩", safe_line(cut))[:MAX_EVIDENCE]
    more = start + len(cut) < len(text) or len(shown) == MAX_EVIDENCE
    return ("…" if start else "") + shown + ("…" if more else "")


_AROUND = 4_000
"""The number of characters before and after a quotation that are searched for credentials."""


def _covered(text: str, start: int) -> str:
    first, last = max(0, start - _AROUND), start + MAX_EVIDENCE + _AROUND
    return text[:first] + dotted(text[first:last]) + text[last:]
