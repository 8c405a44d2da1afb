"""A review as Markdown, for a job summary or a comment."""

import re
from collections.abc import Iterator, Sequence

from inspector.review.formats.as_text import (
    described,
    origin,
    place,
    places,
    provenance,
    same_evidence,
    status,
    summary,
)
from inspector.review.report import Report, ReportEntry, ReviewedServer, grouped
from inspector.safe_text import safe_line

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]<>()#+.!|~:@&/=-])")
_TICKS = re.compile(r"`+")


def lines(report: Report) -> list[str]:
    """The report as lines of Markdown.

    Untrusted text becomes plain text or code, never a link, an image or HTML.
    """
    return list(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"# Review of {plain(report.target)}"
    yield ""
    if not report.has_several:
        yield f"{plain(described(report.parts[0]))}."
        yield ""
        yield from _provenance(report.parts[0])
    yield f"{plain(origin(report))}."
    yield ""
    yield plain(summary(report))
    for part in report.parts:
        if report.has_several:
            address = f" ({code(part.address)})" if part.address else ""
            yield from ("", f"## Review of {code(part.target)}", "")
            yield f"{plain(described(part))}{address}. {plain(summary(report, part))}"
            yield ""
            yield from _provenance(part)
        for group in report.groups(part):
            yield ""
            yield from _group(group, report)
    yield ""
    yield "## Not checked"
    yield ""
    for each in grouped(report.not_checked):
        yield f"- {plain(each.what)}: {plain(each.why)}"


def _provenance(part: ReviewedServer) -> Iterator[str]:
    for name, value in provenance(part):
        yield from (f"{name}: {code(value)}", "")


def _group(group: Sequence[ReportEntry], report: Report) -> Iterator[str]:
    finding = group[0].finding
    rule = report.rule(finding.id)
    title = rule.title if rule else ""
    level = "###" if report.has_several else "##"
    yield f"{level} {finding.severity.value}: {title} ({finding.id}){plain(status(group[0]))}"
    yield ""
    if len(group) == 1:
        yield f"{code(place(group[0]))}, confidence {finding.confidence.value}"
    else:
        yield f"In {len(group):,} places, confidence {finding.confidence.value}:"
        yield ""
        for where, evidence in places(group):
            yield f"- {code(where)}" + (f": {code(evidence)}" if evidence else "")
    yield ""
    yield plain(finding.message)
    if evidence := same_evidence(group):
        yield ""
        yield f"> {code(evidence)}"
    if rule:
        yield ""
        yield f"{rule.consequence} **Fix:** {rule.fix} ({', '.join(rule.references)})"


def plain(text: str) -> str:
    """`text` as one line that Markdown shows literally."""
    return _PUNCTUATION.sub(r"\\\1", safe_line(text))


def code(text: str) -> str:
    """`text` as a code span."""
    shown = safe_line(text)
    fence = "`" * (max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    return f"{fence} {shown} {fence}"
