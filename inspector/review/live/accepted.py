"""Findings that the user has accepted, each with a reason: kept as a report, which `review --baseline` reads too."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.json.exact import Json, JsonObject, equal
from inspector.review.finding import SubjectKind
from inspector.review.report import Acceptance, Entry, entry_shape

MAX_REASON = 500
"""Characters of a reason that are kept."""

_SAID = ("id", "severity", "message", "evidence")
_SAID_OF_CALL = ("id", "severity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One finding as it was when it was accepted."""

    fingerprint: str
    reason: str
    shape: JsonObject
    """As in a report, without its reason."""

    def covers(self, entry: Entry) -> bool:
        """Whether it speaks of this finding, and the finding says what it said then.

        What a result says differs from call to call: of a call the rule, the place and the severity count.
        """
        finding = entry.finding
        if finding.target or entry.fingerprint != self.fingerprint:
            return False
        now = entry_shape(Entry(finding=finding, fingerprint=entry.fingerprint))
        keys = _SAID_OF_CALL if finding.subject is SubjectKind.CALL else _SAID
        return all(equal(now.get(key), self.shape.get(key)) for key in keys)


@dataclass(frozen=True, kw_only=True)
class AcceptedFindings:
    """All that is accepted of one server."""

    items: tuple[Accepted, ...] = ()
    rules: tuple[Acceptance, ...] = ()
    """Whole rules that the user's configuration accepts. They are not kept with the items."""

    @cached_property
    def _by_fingerprint(self) -> Mapping[str, tuple[Accepted, ...]]:
        found: dict[str, tuple[Accepted, ...]] = {}
        for item in self.items:
            found[item.fingerprint] = (*found.get(item.fingerprint, ()), item)
        return found

    def standing(self, entry: Entry) -> Entry:
        """The entry with the reason for which it is accepted, where it is."""
        finding = entry.finding
        near = self._by_fingerprint.get(entry.fingerprint, ())
        reason = next((item.reason for item in near if item.covers(entry)), None)
        if reason is not None:
            acceptance = Acceptance(id=finding.id, name=finding.name or None, reason=reason)
            return replace(entry, acceptance=acceptance)
        rule = next((each for each in self.rules if each.covers(finding)), None)
        return replace(entry, acceptance=rule) if rule else entry

    def is_accepted(self, entry: Entry) -> bool:
        """Whether it is accepted by itself, and not by a rule of the configuration."""
        return any(item.covers(entry) for item in self._by_fingerprint.get(entry.fingerprint, ()))

    def including(self, entry: Entry, reason: str) -> "AcceptedFindings":
        """The same and this one, for that reason."""
        plain = Entry(finding=entry.finding, fingerprint=entry.fingerprint)
        item = Accepted(fingerprint=entry.fingerprint, reason=reason[:MAX_REASON], shape=entry_shape(plain))
        return replace(self, items=(*self.without(entry).items, item))

    def without(self, entry: Entry) -> "AcceptedFindings":
        """The same, this one taken back."""
        return replace(self, items=tuple(item for item in self.items if not item.covers(entry)))

    def shape(self, *, target: str, reviewed_by: str) -> JsonObject:
        """What is kept: a report of the accepted findings."""
        findings: list[Json] = [{**item.shape, "accepted": item.reason} for item in self.items]
        return {"reviewedBy": reviewed_by, "target": target, "findings": findings, "notChecked": []}


def accepted_of(report: Json, rules: Iterable[Acceptance] = ()) -> AcceptedFindings | None:
    """What a report says is accepted; None where it is no report. Findings that are not accepted count for nothing."""
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
