"""A review as it is handed over: what was found, what of it is known or accepted, and what was not looked at."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from inspector.json.exact import Json, JsonObject
from inspector.review.finding import Finding, Severity
from inspector.review.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChecked:
    """Something that the review does not speak of: silence is not a pass."""

    what: str
    """May quote a tool's name: foreign text."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """What the user accepts: a rule, everywhere or for one tool."""

    id: str
    name: str | None
    """Of the tool; None for all."""
    reason: str = ""

    def covers(self, finding: Finding) -> bool:
        """Whether it speaks of this finding."""
        return finding.id == self.id and self.name in {None, finding.name}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One finding in a report."""

    finding: Finding
    fingerprint: str
    known: bool = False
    """Whether the baseline has it."""
    acceptance: Acceptance | None = None

    @property
    def counts(self) -> bool:
        """Whether it can fail a review."""
        return not self.known and self.acceptance is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedServer:
    """One of the servers that were reviewed. All but the target is foreign text."""

    target: str
    """As the user wrote it."""
    name: str
    version: str
    protocol: str
    """The revision that was spoken."""
    tools: tuple[str, ...]
    """The names of all tools, in the order sent."""
    called: int = 0
    """How many calls were made, or are in the recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that is handed over. Texts of the server are foreign."""

    target: str
    server: str
    version: str
    """Of the server."""
    protocol: str
    """The revision that was spoken."""
    tools: tuple[str, ...]
    """The names of all tools, in the order sent."""
    entries: tuple[Entry, ...]
    """The worst first."""
    not_checked: tuple[NotChecked, ...]
    rules: tuple[Rule, ...]
    """Those that were asked."""
    called: int = 0
    """How many calls were made."""
    reviewed_by: str = ""
    """This program and its version."""
    servers: tuple[ReviewedServer, ...] = ()
    """Each of them, where several were reviewed: the fields above then are about all, without name, version and protocol."""

    @property
    def parts(self) -> tuple[ReviewedServer, ...]:
        """Each server that was reviewed, one at least."""
        return self.servers or (
            ReviewedServer(
                target=self.target,
                name=self.server,
                version=self.version,
                protocol=self.protocol,
                tools=self.tools,
                called=self.called,
            ),
        )

    def groups(self) -> tuple[tuple[Entry, ...], ...]:
        """Entries that say the same of several places together, in the order of the first of each."""
        found: dict[tuple[object, ...], list[Entry]] = {}
        for entry in self.entries:
            finding = entry.finding
            said = (finding.id, finding.severity, finding.confidence, finding.message, finding.target)
            found.setdefault((*said, entry.known, entry.acceptance), []).append(entry)
        return tuple(map(tuple, found.values()))

    def counted(self) -> Mapping[Severity, int]:
        """How many findings there are of each severity, the worst first, those that are known or accepted left out."""
        return {
            severity: sum(1 for entry in self.entries if entry.counts and entry.finding.severity is severity)
            for severity in reversed(Severity)
        }

    def fails(self, at: Severity) -> bool:
        """Whether a finding that is neither known nor accepted is as bad as `at`, or worse."""
        return any(entry.counts and entry.finding.severity.rank >= at.rank for entry in self.entries)

    def rule(self, identifier: str) -> Rule | None:
        """The rule of that id."""
        return next((rule for rule in self.rules if rule.id == identifier), None)


def fingerprint(finding: Finding) -> str:
    """What is the same for the same finding in another review: 32 hexadecimal digits of SHA-256.

    Made of the rule and the place; what the server's text says may change without making another finding.
    """
    place = f"{finding.id}\0{finding.subject.value}\0{finding.name}\0{finding.pointer}"
    if finding.target:
        place += f"\0{finding.target}"
    return hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def entries_of(
    findings: Iterable[Finding], *, known: frozenset[str], accepted: Iterable[Acceptance]
) -> tuple[Entry, ...]:
    """Findings as entries. `known`: fingerprints of a baseline. Of several findings in one place each counts."""
    given = tuple(accepted)
    found: list[Entry] = []
    for finding in findings:
        mark = fingerprint(finding)
        acceptance = next((each for each in given if each.covers(finding)), None)
        found.append(Entry(finding=finding, fingerprint=mark, known=mark in known, acceptance=acceptance))
    return tuple(found)


def entry_shape(entry: Entry) -> JsonObject:
    """One entry of `findings`."""
    finding = entry.finding
    shape: JsonObject = {
        "id": finding.id,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "subject": finding.subject.value,
        "tool": finding.name if finding.subject.value in {"tool", "call"} else None,
        "name": finding.name or None,
        "pointer": finding.pointer,
        "message": finding.message,
        "evidence": finding.evidence or None,
        "fingerprint": entry.fingerprint,
    }
    if finding.target:
        shape["target"] = finding.target
    if entry.known:
        shape["known"] = True
    if entry.acceptance:
        shape["accepted"] = entry.acceptance.reason or True
    return shape


def report_shape(report: Report) -> JsonObject:
    """A whole report."""
    return {
        "reviewedBy": report.reviewed_by,
        "target": report.target,
        **_servers_shape(report),
        "tools": len(report.tools),
        "calls": report.called,
        "counts": {severity.value: number for severity, number in report.counted().items()},
        "findings": [entry_shape(entry) for entry in report.entries],
        "notChecked": [{"what": each.what, "why": each.why} for each in report.not_checked],
    }


def _servers_shape(report: Report) -> JsonObject:
    """`server`, or `servers` where there are several."""
    if not report.servers:
        return {"server": _identity(report.parts[0])}
    return {
        "servers": [
            {"target": part.target, **_identity(part), "tools": len(part.tools), "calls": part.called}
            for part in report.servers
        ]
    }


def _identity(part: ReviewedServer) -> JsonObject:
    return {"name": part.name, "version": part.version, "protocolVersion": part.protocol}


def baseline_of(report: Json) -> frozenset[str] | None:
    """The fingerprints in a report that was printed as JSON; None where it is none."""
    findings = report.get("findings") if isinstance(report, dict) else None
    if not isinstance(findings, list):
        return None
    marks = [finding.get("fingerprint") if isinstance(finding, dict) else None for finding in findings]
    known = [mark for mark in marks if isinstance(mark, str)]
    return frozenset(known) if len(known) == len(marks) else None


def without_credentials(report: Report, cover: Callable[[str], str]) -> Report:
    """A report in whose texts the user's credentials are covered; the fingerprints stay those of the whole texts."""
    return replace(
        report,
        server=cover(report.server),
        version=cover(report.version),
        tools=tuple(map(cover, report.tools)),
        entries=tuple(replace(entry, finding=_shown(entry.finding, cover)) for entry in report.entries),
        not_checked=tuple(NotChecked(what=cover(one.what), why=cover(one.why)) for one in report.not_checked),
        servers=tuple(
            replace(one, name=cover(one.name), version=cover(one.version), tools=tuple(map(cover, one.tools)))
            for one in report.servers
        ),
    )


def _shown(finding: Finding, cover: Callable[[str], str]) -> Finding:
    return replace(
        finding,
        name=cover(finding.name),
        pointer=cover(finding.pointer),
        message=cover(finding.message),
        evidence=cover(finding.evidence),
    )
