"""The findings of a review, for a test."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.review.covering import covered
from inspector.review.finding import Finding, Severity
from inspector.review.registry import findings_of
from inspector.review.reviewed import reviewed
from inspector.review.seen import traffic_of
from inspector.safe_text import safe_line
from inspector.session.live import Session

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject


class ReviewFinding(Struct, frozen=True, kw_only=True):
    """One finding of a review. Its texts contain no control or invisible characters."""

    rule: str
    """The id of the rule: `SL-`, the family, and three digits. See docs/rules.md."""
    severity: str
    subject: str
    """What the finding is about.

    It is `tool`, `server`, `resource`, `template`, `prompt`, `skill`, `listing`, `call` or `request`.
    """
    name: str
    """The name of the subject, such as the name of the tool; empty for a server or a whole list."""
    pointer: str
    message: str
    evidence: str

    def __repr__(self) -> str:
        where = " ".join(filter(None, (self.subject, self.name, self.pointer)))
        return f"<{self.rule} {self.severity}, {where}: {self.message}>"


class McpReview:
    """The findings of a review, the worst first."""

    def __init__(self, findings: Iterable[ReviewFinding]) -> None:
        self.findings = tuple(findings)

    def at_least(self, severity: str, *, ignore: Iterable[str] = ()) -> list[ReviewFinding]:
        """The findings of this severity (`info`, `low`, `medium`, `high`, `critical`) or a worse one.

        `ignore`: ids of rules, or `RULE@TOOL`. Raises ValueError for an unknown severity.
        """
        if severity not in set(Severity):
            raise ValueError(f"no severity {severity}; known severities: {', '.join(Severity)}")
        least, ignored = Severity(severity).rank, frozenset(ignore)
        return [
            each
            for each in self.findings
            if Severity(each.severity).rank >= least
            and ignored.isdisjoint((each.rule, f"{each.rule}@{each.name}"))
        ]

    def __repr__(self) -> str:
        return f"<McpReview: {len(self.findings):,} findings>"


def review_of(session: Session) -> McpReview:
    """A review of the definitions that a session has listed. Raises LookupError if it is not connected."""
    facts = session.server
    if facts is None:
        raise LookupError("not connected")
    server: JsonObject = {"name": facts.name, "version": facts.version}
    if facts.instructions is not None:
        server["instructions"] = facts.instructions
    found = reviewed(session.catalogue, server=server, traffic=traffic_of(session.timeline))
    return McpReview(map(_shown, covered(findings_of(found), found)))


def _shown(finding: Finding) -> ReviewFinding:
    return ReviewFinding(
        rule=finding.id,
        severity=finding.severity.value,
        subject=finding.subject.value,
        name=safe_line(finding.name),
        pointer=safe_line(finding.pointer),
        message=safe_line(finding.message),
        evidence=safe_line(finding.evidence),
    )
