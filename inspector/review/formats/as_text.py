"""A review as text for a terminal."""

from collections.abc import Iterator, Sequence

from inspector.json.pointer import readable
from inspector.review.report import Report, ReportEntry, ReviewedServer, counted_words, grouped
from inspector.safe_text import safe_line, safe_name


def lines(report: Report) -> list[str]:
    """The report as lines of text."""
    return list(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    for part in report.parts:
        # Lines never begin with untrusted text, because build servers interpret some words as commands.
        address = f" ({safe_line(part.address)})" if part.address else ""
        yield f"Review of {safe_line(part.target)}{address}: {safe_line(described(part))}"
        for group in report.groups(part):
            yield ""
            yield from _group(group, report)
        yield ""
        if report.has_several:
            yield from (summary(report, part), "")
    yield summary(report)
    if report.not_checked:
        yield ""
        yield "Not checked:"
        for each in grouped(report.not_checked):
            yield f"- {safe_line(each.what)}: {safe_line(each.why)}"


def _group(group: Sequence[ReportEntry], report: Report) -> Iterator[str]:
    finding = group[0].finding
    rule = report.rule(finding.id)
    many = f", {len(group):,} places" if len(group) > 1 else ""
    yield f"{finding.severity.value.upper():8}  {finding.id}  {rule.title if rule else ''} (confidence: {finding.confidence.value}{many}){status(group[0])}"
    for where, evidence in places(group):
        yield f"          {where}"
        if evidence:
            yield f"          > {evidence}"
    yield f"          {finding.message}"
    if evidence := same_evidence(group):
        yield f"          > {evidence}"
    if rule:
        yield f"          {rule.fix}"


def places(group: Sequence[ReportEntry]) -> Iterator[tuple[str, str]]:
    """The place and the evidence of each entry.

    The evidence is empty if it is the same for all entries.
    """
    same = len({entry.finding.evidence for entry in group}) == 1
    return ((place(entry), "" if same else entry.finding.evidence) for entry in group)


def same_evidence(group: Sequence[ReportEntry]) -> str:
    """The evidence, if it is the same for all entries; otherwise empty."""
    quoted = {entry.finding.evidence for entry in group}
    return quoted.pop() if len(quoted) == 1 else ""


def described(part: ReviewedServer) -> str:
    """The name, version and protocol of the server, and the numbers of tools and calls, in one line.

    Untrusted text.
    """
    named = f"{part.name} {part.version}".strip() or "a server without a name"
    spoken = f"protocol {part.protocol}, " if part.protocol else ""
    calls = f"{amount(part.called, 'call')} {part.repetition}".rstrip()
    return f"{named}, {spoken}{amount(len(part.tools), 'tool')}, {calls}"


def origin(report: Report) -> str:
    """The program that made the report, and the time if it is known. The text has no full stop."""
    return f"{report.reviewed_by}, {report.reviewed_at}" if report.reviewed_at else report.reviewed_by


def provenance(part: ReviewedServer) -> tuple[tuple[str, str], ...]:
    """The server's folder and the fingerprint of its definitions, each after a label. Untrusted text."""
    named = (("Folder", part.folder), ("Fingerprint of the definitions", part.definitions))
    return tuple((name, value) for name, value in named if value)


def amount(number: int, noun: str) -> str:
    """A number with its noun: `1 tool`, `2 tools`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def place(entry: ReportEntry) -> str:
    """The subject and place of a finding, in one safe line."""
    finding = entry.finding
    named = f"{finding.subject.value} {safe_name(finding.name)}" if finding.name else finding.subject.value
    if finding.calls:
        more = len(finding.calls) - _MOST_CALLS
        shown = ", ".join(f"{call:,}" for call in finding.calls[:_MOST_CALLS])
        named += f" (calls {shown}{f' and {more:,} more' if more > 0 else ''})"
    elif finding.call:
        named += f" (call {finding.call:,})"
    where = f"{safe_line(finding.target)}: {named}" if finding.target else named
    return f"{where}, at {safe_line(readable(finding.pointer))}" if finding.pointer else where


_MOST_CALLS = 5
"""The maximum number of calls whose numbers are printed with the place of a finding."""


def status(entry: ReportEntry) -> str:
    """The status that is printed after the title of an entry, such as `accepted`; empty for an open finding."""
    if entry.acceptance:
        reason = f": {safe_line(entry.acceptance.reason)}" if entry.acceptance.reason else ""
        return f" [accepted{reason}]"
    return " [known]" if entry.known else ""


def summary(report: Report, part: ReviewedServer | None = None) -> str:
    """The number of findings, or of those about `part`, as a sentence. Each place counts as one finding, in all formats.

    Without `part`, the sentence also gives the number of servers, if several were named.
    """
    entries = report.entries if part is None else report.of(part)
    words = counted_words(entries)
    if not entries and not (part or report).called:
        words = f"{words} in the definitions"
    elif any(len(group) > 1 for group in report.groups(part) if group[0].counts):
        words = words.replace(":", ", one for each place:", 1)
    if part is not None or not report.has_several:
        return f"{words}."
    failed = len(report.failed_servers)
    missing = f" {amount(failed, 'server')} could not be reviewed." if failed else ""
    reviewed = (
        f"{amount(len(report.parts), 'server')}: {words}." if report.parts else "No server was reviewed."
    )
    return f"{reviewed}{missing}"
