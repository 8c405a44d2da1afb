"""A review as a self-contained HTML page, without scripts or external resources."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from inspector.review.formats.as_text import (
    amount,
    described,
    origin,
    place,
    places,
    provenance,
    same_evidence,
    status,
    summary,
)
from inspector.review.report import Report, ReportEntry, ReviewedServer, counted_words, grouped
from inspector.safe_text import safe_line, safe_name

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1b1f24;background:#fff}"
    "article{border:1px solid #d0d7de;border-left-width:.5em;padding:.2em 1em;margin:1em 0}"
    ".critical,.high{border-left-color:#b42318}.medium{border-left-color:#b54708}.low,.info{border-left-color:#475467}"
    "code,pre{font-family:ui-monospace,monospace;background:#f3f4f6;overflow-wrap:anywhere;white-space:pre-wrap}"
    "pre{padding:.5em}table{border-collapse:collapse}td,th{border:1px solid #d0d7de;padding:.2em .8em;text-align:left}"
    ".off{opacity:.7}"
)
_CODE = re.compile(r"`([^`]+)`")


def lines(report: Report) -> list[str]:
    """The report as an HTML page, line by line."""
    return list(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    title = f"Review of {html_line(report.target)}"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{title}</title><style>{STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    if not report.has_several:
        yield f"<p>{html_line(described(report.parts[0]))}.</p>"
        yield from _provenance(report.parts[0])
    yield f"<p>{html_line(origin(report))}.</p>"
    yield "<h2>Summary</h2>"
    yield f"<p>{html_line(summary(report))}</p>"
    yield from _per_tool(report)
    for part in report.parts:
        if report.has_several:
            address = f" (<code>{html_line(part.address)}</code>)" if part.address else ""
            yield f"<h2>Review of <code>{html_line(part.target)}</code></h2>"
            yield f"<p>{html_line(described(part))}{address}. {html_line(summary(report, part))}</p>"
            yield from _provenance(part)
        else:
            yield "<h2>Findings</h2>"
        for group in report.groups(part):
            yield from _group(group, report)
    yield "<h2>Not checked</h2><ul>"
    for each in grouped(report.not_checked):
        yield f"<li>{html_line(each.what)}: {html_line(each.why)}</li>"
    yield "</ul></body></html>"


def _provenance(part: ReviewedServer) -> Iterator[str]:
    for name, value in provenance(part):
        yield f"<p>{name}: <code>{html_line(value)}</code></p>"


def _per_tool(report: Report) -> Iterator[str]:
    """A table with one row for each subject with findings, and one row for all other tools."""
    worst: dict[str, list[ReportEntry]] = {}
    for entry in report.entries:
        finding = entry.finding
        about = finding.name or finding.subject.value
        worst.setdefault(f"{finding.target}: {about}" if finding.target else about, []).append(entry)
    yield "<table><tr><th>About</th><th>Findings</th><th>Worst</th></tr>"
    for name, entries in worst.items():
        counting = [entry for entry in entries if entry.counts]
        apart = counted_words(entry for entry in entries if not entry.counts).partition("; ")[2]
        number = f"{len(counting):,}; {apart}" if apart else f"{len(counting):,}"
        severity = counting[0].finding.severity.value if counting else "none"
        yield f"<tr><td>{html_line(safe_name(name))}</td><td>{number}</td><td>{severity}</td></tr>"
    quiet = sum(
        1
        for part in report.parts
        for name in part.tools
        if (f"{part.target}: {name}" if report.has_several else name) not in worst
    )
    yield f"<tr><td>{amount(quiet, 'other tool')}</td><td>0</td><td>none</td></tr></table>"


def _group(group: Sequence[ReportEntry], report: Report) -> Iterator[str]:
    finding = group[0].finding
    rule = report.rule(finding.id)
    off = "" if group[0].counts else " off"
    yield f'<article class="{finding.severity.value}{off}">'
    title = rule.title if rule else ""
    yield f"<h3>{finding.severity.value}: {_own(title)} ({finding.id}){html_line(status(group[0]))}</h3>"
    if len(group) == 1:
        yield f"<p><code>{html_line(place(group[0]))}</code>, confidence {finding.confidence.value}</p>"
    else:
        yield f"<p>In {len(group):,} places, confidence {finding.confidence.value}:</p><ul>"
        for where, evidence in places(group):
            quoted = f"<pre>{html_line(evidence)}</pre>" if evidence else ""
            yield f"<li><code>{html_line(where)}</code>{quoted}</li>"
        yield "</ul>"
    yield f"<p>{html_line(finding.message)}</p>"
    if evidence := same_evidence(group):
        yield f"<pre>{html_line(evidence)}</pre>"
    if rule:
        yield f"<p>{_own(rule.consequence)}</p><p><b>How to fix it:</b> {_own(rule.fix)}</p>"
        yield f"<p>{html_line(', '.join(rule.references))}</p>"
    yield "</article>"


def _own(text: str) -> str:
    """The text of a rule as HTML, with code elements for text in backticks. Not for text of a server."""
    return _CODE.sub(r"<code>\1</code>", html_line(text))


def html_line(text: str) -> str:
    """`text` as one line of HTML text."""
    return escape(safe_line(text))
