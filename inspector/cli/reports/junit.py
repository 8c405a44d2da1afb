"""A review as JUnit XML: one test case for each finding, and one for each tool without any."""

from inspector.cli.junit import Case, junit
from inspector.cli.reports.as_text import place, standing
from inspector.core.findings.report import Entry, Report
from inspector.core.foreign import safe_line


def lines(report: Report) -> list[str]:
    """The report, one suite for each subject. What is known or accepted passes; what was not checked is no case."""
    found = {entry.finding.name for entry in report.entries}
    cases = [_case(entry, report) for entry in report.entries]
    quiet = [Case(suite=f"tool {name}", name="no findings") for name in report.tools if name not in found]
    return junit(f"sightline review {safe_line(report.target)}", (*cases, *quiet))


def _case(entry: Entry, report: Report) -> Case:
    finding = entry.finding
    rule = report.rule(finding.id)
    told = (
        f"{finding.severity.value}, confidence {finding.confidence.value}: {finding.message}",
        place(entry),
        finding.evidence,
        rule.fix if rule else "",
    )
    return Case(
        suite=f"{finding.subject.value} {finding.name}".rstrip(),
        name=f"{finding.id} {rule.title if rule else ''}{standing(entry)}, {finding.pointer or 'the whole'}",
        failure="\n".join(line for line in told if line) if entry.counts else "",
    )
