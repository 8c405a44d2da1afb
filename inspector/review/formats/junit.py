"""A review as JUnit XML: a test case for each finding, and for each tool without findings."""

from collections.abc import Iterator

from inspector.junit import JunitCase, junit
from inspector.review.finding import Severity
from inspector.review.formats.as_text import place, status
from inspector.review.report import Report, ReportEntry
from inspector.safe_text import safe_line


def lines(report: Report) -> list[str]:
    """The lines of a JUnit document with one suite per subject.

    Known and accepted findings pass. Parts that were not checked are left out, except servers that could not
    be reviewed, which are failed cases.
    """
    return junit(
        f"sightline review {safe_line(report.target)}",
        cases(report),
        at=report.reviewed_at,
        properties=properties(report),
    )


def properties(report: Report) -> Iterator[tuple[str, str]]:
    """The origin of the report as names and values. Untrusted text."""
    yield "reviewedBy", report.reviewed_by
    yield "target", report.target
    for part in report.parts:
        before = f"{part.target}: " if report.has_several else ""
        named = (("address", part.address), ("folder", part.folder), ("definitions", part.definitions))
        yield from ((f"{before}{name}", value) for name, value in named if value)


def cases(report: Report, at: Severity = Severity.INFO) -> Iterator[JunitCase]:
    """The test cases of a report. Known and accepted findings pass, as do those below the severity `at`."""
    subjects = {(entry.finding.target, entry.finding.name) for entry in report.entries}
    yield from (_case(entry, report, at) for entry in report.entries)
    for each in report.failed_servers:
        yield JunitCase(suite=each.what, name="review", failure=f"could not be reviewed: {each.why}")
    for part in report.parts:
        target = part.target if report.has_several else ""
        for name in part.tools:
            if (target, name) not in subjects:
                yield JunitCase(suite=_suite("tool", name, target), name="no findings")


def _case(entry: ReportEntry, report: Report, at: Severity) -> JunitCase:
    finding = entry.finding
    rule = report.rule(finding.id)
    texts = (
        f"{finding.severity.value}, confidence {finding.confidence.value}: {finding.message}",
        f"In {place(entry)}",
        f"> {finding.evidence}" if finding.evidence else "",
        rule.fix if rule else "",
    )
    fails = entry.counts and finding.severity.rank >= at.rank
    return JunitCase(
        suite=_suite(finding.subject.value, finding.name, finding.target),
        name=f"{finding.id} {rule.title if rule else ''}{status(entry)}, {finding.pointer or 'the whole'}",
        failure="\n".join(line for line in texts if line) if fails else "",
    )


def _suite(subject: str, name: str, target: str) -> str:
    about = f"{subject} {name}".rstrip()
    return f"{target}: {about}" if target else about
