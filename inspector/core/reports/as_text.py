"""A review for a terminal."""

from collections.abc import Iterator

from inspector.core.findings.report import Entry, Report, ReviewedServer
from inspector.core.foreign import safe_line


def lines(report: Report) -> list[str]:
    """The report as lines of text."""
    return list(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    for part in report.parts:
        # No word of a target or a server begins a line: the log of a build takes some for commands.
        yield f"Review of {safe_line(part.target)}: {safe_line(described(part))}"
    for entry in report.entries:
        yield ""
        yield from _entry(entry, report)
    yield ""
    yield summary(report)
    if report.not_checked:
        yield ""
        yield "Not checked:"
        for each in report.not_checked:
            yield f"- {safe_line(each.what)}: {safe_line(each.why)}"


def _entry(entry: Entry, report: Report) -> Iterator[str]:
    finding = entry.finding
    rule = report.rule(finding.id)
    yield f"{finding.severity.value.upper():8}  {finding.id}  {rule.title if rule else ''} (confidence: {finding.confidence.value}){standing(entry)}"
    yield f"          {place(entry)}"
    yield f"          {finding.message}"
    if finding.evidence:
        yield f"          > {finding.evidence}"
    if rule:
        yield f"          {rule.fix}"


def described(part: ReviewedServer) -> str:
    """What is known of a server, in one line. Foreign text."""
    named = f"{part.name} {part.version}".strip() or "a server without a name"
    spoken = f"protocol {part.protocol}, " if part.protocol else ""
    return f"{named}, {spoken}{len(part.tools):,} tools, {part.called:,} calls"


def place(entry: Entry) -> str:
    """What a finding is about and where, in one safe line."""
    finding = entry.finding
    named = f"{finding.subject.value} {safe_line(finding.name)}" if finding.name else finding.subject.value
    where = f"{safe_line(finding.target)}: {named}" if finding.target else named
    return f"{where}, at {safe_line(finding.pointer)}" if finding.pointer else where


def standing(entry: Entry) -> str:
    """Whether it is known or accepted, in words behind its title; empty where it counts."""
    if entry.acceptance:
        reason = f": {safe_line(entry.acceptance.reason)}" if entry.acceptance.reason else ""
        return f" [accepted{reason}]"
    return " [known]" if entry.known else ""


def summary(report: Report) -> str:
    """How many findings there are, in one sentence."""
    counted = [f"{number} {severity.value}" for severity, number in report.counted().items() if number]
    left_out = sum(1 for entry in report.entries if not entry.counts)
    said = f"Findings: {', '.join(counted)}" if counted else "No findings"
    return said + (f"; {left_out} known or accepted." if left_out else ".")
