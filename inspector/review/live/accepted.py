"""Accepted findings, which the user has read and does not want to fix. Each has a reason.

They are stored as a report that `review --baseline` can read.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject, equal
from inspector.review.finding import SubjectKind
from inspector.review.report import Acceptance, ReportEntry, entry_shape

MAX_REASON = 500
"""The maximum number of characters of a reason."""

_COMPARED = ("id", "severity", "message", "evidence")
_COMPARED_OF_CALL = ("id", "severity")
_OF_A_SESSION = frozenset({"SL-PRO002"})
"""The rules whose messages differ between sessions, because they count and quote what a server sent."""


class Accepted(Struct, frozen=True, kw_only=True):
    """A finding that the user has accepted, as it was at that time."""

    fingerprint: str
    reason: str
    shape: JsonObject
    """The JSON of the finding as in a report, without the reason."""

    def covers(self, entry: ReportEntry) -> bool:
        """True if a finding is the same as the accepted finding.

        The texts of results differ between calls, and those of protocol faults between sessions. For
        findings about them, only the rule, the place and the severity are compared.
        """
        finding = entry.finding
        if finding.target or entry.fingerprint != self.fingerprint:
            return False
        now = entry_shape(ReportEntry(finding=finding, fingerprint=entry.fingerprint))
        varies = finding.subject is SubjectKind.CALL or finding.id in _OF_A_SESSION
        keys = _COMPARED_OF_CALL if varies else _COMPARED
        return all(equal(now.get(key), self.shape.get(key)) for key in keys)


@dataclass(frozen=True, kw_only=True)
class AcceptedFindings:
    """All accepted findings of one server."""

    items: tuple[Accepted, ...] = ()
    rules: tuple[Acceptance, ...] = ()
    """The rules that the user's configuration accepts. They are not stored with the findings."""

    @cached_property
    def _by_fingerprint(self) -> Mapping[str, tuple[Accepted, ...]]:
        items: dict[str, tuple[Accepted, ...]] = {}
        for item in self.items:
            items[item.fingerprint] = (*items.get(item.fingerprint, ()), item)
        return items

    def with_acceptance(self, entry: ReportEntry) -> ReportEntry:
        """A copy of `entry`, with its acceptance if the user has accepted the finding or its rule."""
        finding = entry.finding
        near = self._by_fingerprint.get(entry.fingerprint, ())
        reason = next((item.reason for item in near if item.covers(entry)), None)
        if reason is not None:
            acceptance = Acceptance(id=finding.id, name=finding.name or None, reason=reason)
            return replace(entry, acceptance=acceptance)
        rule = next((each for each in self.rules if each.covers(finding)), None)
        return replace(entry, acceptance=rule) if rule else entry

    def is_accepted(self, entry: ReportEntry) -> bool:
        """True if the finding itself is accepted, not only its rule."""
        return any(item.covers(entry) for item in self._by_fingerprint.get(entry.fingerprint, ()))

    def including(self, entry: ReportEntry, reason: str) -> "AcceptedFindings":
        plain = ReportEntry(finding=entry.finding, fingerprint=entry.fingerprint)
        item = Accepted(fingerprint=entry.fingerprint, reason=reason[:MAX_REASON], shape=entry_shape(plain))
        return dataclasses.replace(self, items=(*self.without(entry).items, item))

    def without(self, entry: ReportEntry) -> "AcceptedFindings":
        return dataclasses.replace(self, items=tuple(item for item in self.items if not item.covers(entry)))

    def shape(self, *, target: str, reviewed_by: str) -> JsonObject:
        findings: list[Json] = [{**item.shape, "accepted": item.reason} for item in self.items]
        return {"reviewedBy": reviewed_by, "target": target, "findings": findings, "notChecked": []}


def accepted_of(report: Json, rules: Iterable[Acceptance] = ()) -> AcceptedFindings | None:
    """The accepted findings in a report; None if the value is not a report. Other findings are ignored."""
    findings = report.get("findings") if isinstance(report, dict) else None
    if not isinstance(findings, list):
        return None
    items: list[Accepted] = []
    for finding in findings:
        item = _item(finding)
        if item is None:
            return None
        if item.reason:
            items.append(item)
    return AcceptedFindings(items=tuple(items), rules=tuple(rules))


def _item(finding: Json) -> Accepted | None:
    if not isinstance(finding, dict):
        return None
    mark, reason = finding.get("fingerprint"), finding.get("accepted", "")
    if not isinstance(mark, str) or not isinstance(reason, str):
        return None
    shape = {key: value for key, value in finding.items() if key != "accepted"}
    return Accepted(fingerprint=mark, reason=reason[:MAX_REASON], shape=shape)
