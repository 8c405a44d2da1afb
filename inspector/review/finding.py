"""Findings: what a review has to say about one place, ready to be shown."""

import re
from dataclasses import dataclass
from enum import StrEnum

from inspector.credentials.find import sightings
from inspector.safe_text import safe_line

MAX_EVIDENCE = 160
"""Characters of the server's own text that a finding quotes."""


class Severity(StrEnum):
    """How bad it is where it is true. In ascending order."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """From 0 for info to 4 for critical."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How sure it is that it is true. In ascending order."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class SubjectKind(StrEnum):
    """What a finding is about."""

    SERVER = "server"
    TOOL = "tool"
    RESOURCE = "resource"
    TEMPLATE = "template"
    PROMPT = "prompt"
    LISTING = "listing"
    """What was sent in place of one of these, or a list as a whole."""
    CALL = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of one rule in one place."""

    id: str
    """The rule's: `SL-` and the family, then three digits."""
    severity: Severity
    confidence: Confidence
    subject: SubjectKind
    name: str
    """Of the subject; empty for a server or a list. Foreign text."""
    pointer: str
    """Into the subject's definition, the raw result of a call, or what was listed. Foreign text where keys are."""
    message: str
    """For the user, safe to show. Quotes no withheld value."""
    evidence: str = ""
    """What was found, shortened, safe to show. Empty where the place says it all, or must not be quoted."""
    target: str = ""
    """Of which server, as the user wrote it, where several are reviewed; empty where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What a rule says of one place; the rule and the subject make it a `Finding`."""

    message: str
    pointer: str = ""
    evidence: str = ""
    confidence: Confidence | None = None
    """Where it differs from the rule's."""
    severity: Severity | None = None
    """Where it differs from the rule's."""
    subject: SubjectKind | None = None
    """Where it differs from the kind of what was judged."""


_RUN = re.compile(r"((?:⟨U\+[0-9A-F]{4,6}⟩){2})(?:⟨U\+[0-9A-F]{4,6}⟩){1,300}")


def quoted(text: str, at: int = 0) -> str:
    """A part of a server's text around the character at `at`, one safe line of about `MAX_EVIDENCE`.

    What looks like a credential is covered.
    """
    start = max(0, at - MAX_EVIDENCE // 4)
    text = _covered(text, start)
    cut = text[start : start + MAX_EVIDENCE]
    shown = _RUN.sub(r"\1⟨…⟩", safe_line(cut))[:MAX_EVIDENCE]
    more = start + len(cut) < len(text) or len(shown) == MAX_EVIDENCE
    return ("…" if start else "") + shown + ("…" if more else "")


_AROUND = 4_000
"""Characters before and behind a quoted part in which credentials are looked for."""


def _covered(text: str, start: int) -> str:
    first, last = max(0, start - _AROUND), start + MAX_EVIDENCE + _AROUND
    part = text[first:last]
    for found in sightings(part):
        part = part[: found.start] + "•" * (found.end - found.start) + part[found.end :]
    return text[:first] + part + text[last:]
