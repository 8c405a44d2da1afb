"""A review as JUnit XML: a test case for each finding, and for each tool without findings."""

from inspector.junit import Case, junit
from inspector.review.formats.as_text import place, status
from inspector.review.report import Entry, Report
from inspector.safe_text import safe_line


def lines(report: Report) -> list[str]:
    """One suite for each subject. Known and accepted findings pass; unchecked items are not cases."""
    subjects = {(entry.finding.target, entry.finding.name) for entry in report.entries}
    cases = [_case(entry, report) for entry in report.entries]
    quiet = [
        Case(suite=_suite("tool", name, target), name="no findings")
        for part in report.parts
        for target in [part.target if report.servers else ""]
        for name in part.tools
        if (target, name) not in subjects
    ]
    return junit(f"sightline review {safe_line(report.target)}", (*cases, *quiet))


def _case(entry: Entry, report: Report) -> Case:
    finding = entry.finding
    rule = report.rule(finding.id)
    texts = (
        f"{finding.severity.value}, confidence {finding.confidence.value}: {finding.message}",
        f"In {place(entry)}",
        f"> {finding.evidence}" if finding.evidence else "",
        rule.fix if rule else "",
    )
    return Case(
        suite=_suite(finding.subject.value, finding.name, finding.target),
        name=f"{finding.id} {rule.title if rule else ''}{status(entry)}, {finding.pointer or 'the whole'}",
        failure="\n".join(line for line in texts if line) if entry.counts else "",
    )


def _suite(subject: str, name: str, target: str) -> str:
    about = f"{subject} {name}".rstrip()
    return f"{target}: {about}" if target else about
