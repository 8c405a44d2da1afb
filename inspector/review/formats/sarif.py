"""A review as SARIF 2.1.0. Source: OASIS, Static Analysis Results Interchange Format."""

import json
from urllib.parse import quote

from inspector import __version__
from inspector.json.exact import Json, JsonObject
from inspector.review.finding import Confidence, Finding, Severity
from inspector.review.report import Report, ReportEntry, ReviewedServer
from inspector.review.rule import ReviewRule
from inspector.safe_text import safe_line

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {
    Severity.INFO: "note",
    Severity.LOW: "note",
    Severity.MEDIUM: "warning",
    Severity.HIGH: "error",
    Severity.CRITICAL: "error",
}
_SCORES = {
    Severity.INFO: "0.0",
    Severity.LOW: "3.0",
    Severity.MEDIUM: "5.5",
    Severity.HIGH: "8.0",
    Severity.CRITICAL: "9.5",
}
"""The values of `security-severity`, within the ranges of CVSS."""
_PRECISIONS = {Confidence.LOW: "low", Confidence.MEDIUM: "medium", Confidence.HIGH: "high"}


def lines(report: Report) -> list[str]:
    """The report as a SARIF log with one run, in ASCII."""
    return json.dumps(log_of(report), indent=1).split("\n")


def log_of(report: Report) -> JsonObject:
    """The report as a SARIF log.

    A definition is not on a line of a file, so each finding has a logical location. Its physical location is
    line 1 of a file of the server, because GitHub's code scanning rejects findings without a physical
    location.
    """
    files = {part.target if report.has_several else "": _place(part) for part in report.parts}
    index = {rule.id: number for number, rule in enumerate(report.rules)}
    notes: list[Json] = [
        {
            "level": "error" if each.is_failed_server else "note",
            "message": {"text": f"Not checked: {safe_line(each.what)}: {safe_line(each.why)}"},
        }
        for each in report.not_checked
    ]
    run: JsonObject = {
        "tool": {
            "driver": {
                "name": "Sightline",
                "version": __version__,
                "rules": [_rule(rule) for rule in report.rules],
            }
        },
        "invocations": [
            {"executionSuccessful": not report.failed_servers, "toolExecutionNotifications": notes}
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(entry, index, files[entry.finding.target]) for entry in report.entries],
        "properties": {
            "target": safe_line(report.target),
            **_servers(report),
            "tools": len(report.tools),
            "calls": report.called,
        },
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _servers(report: Report) -> JsonObject:
    """The members that describe the reviewed server; a member `servers` with a list if several were named."""
    shapes: list[JsonObject] = [
        {
            "server": safe_line(part.name),
            "serverVersion": safe_line(part.version),
            "protocolVersion": safe_line(part.protocol),
        }
        for part in report.parts
    ]
    if report.servers is None:
        return shapes[0]
    return {
        "servers": [
            {
                "target": safe_line(part.target),
                **({"address": safe_line(part.address)} if part.address else {}),
                **shape,
            }
            for part, shape in zip(report.servers, shapes, strict=True)
        ]
    }


def _rule(rule: ReviewRule) -> JsonObject:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.title.replace("-", " ").replace(",", "").split()),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.consequence},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["security", *rule.references],
            "precision": _PRECISIONS[rule.confidence],
            "security-severity": _SCORES[rule.severity],
        },
    }


def _place(part: ReviewedServer) -> str:
    """The relative URI of a server's file; one made from its target if the file is unknown."""
    return quote(part.file or safe_line(part.target).replace("://", "/").strip("/") or "server")


def _result(entry: ReportEntry, index: dict[str, int], file: str) -> JsonObject:
    finding = entry.finding
    result: JsonObject = {
        "ruleId": finding.id,
        "ruleIndex": index.get(finding.id, -1),
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": 1}},
                "logicalLocations": [_location(finding)],
            }
        ],
        "partialFingerprints": {"sightline/v1": entry.fingerprint},
        "properties": {"severity": finding.severity.value, "confidence": finding.confidence.value},
    }
    if finding.evidence:
        result["properties"] = {**_object(result["properties"]), "evidence": finding.evidence}
    if entry.known:
        result["baselineState"] = "unchanged"
    if entry.acceptance:
        suppression: JsonObject = {"kind": "external", "status": "accepted"}
        if entry.acceptance.reason:
            suppression["justification"] = safe_line(entry.acceptance.reason)
        result["suppressions"] = [suppression]
    return result


def _location(finding: Finding) -> JsonObject:
    place = "/".join(part for part in (finding.target, finding.subject.value, finding.name) if part)
    return {
        "name": safe_line(finding.name or finding.subject.value),
        "fullyQualifiedName": safe_line(f"{place}#{finding.pointer}"),
        "kind": "function" if finding.subject.value in {"tool", "call", "prompt"} else "resource",
    }


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
