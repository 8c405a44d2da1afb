"""Masks withheld values in findings, because definitions may contain copies of such values."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.boundary.mask import MASK
from inspector.boundary.options import DEFAULT_POLICY
from inspector.json.pointer import join, split
from inspector.protocol.outcome import Failure
from inspector.recording.bounding import Bounder
from inspector.recording.known import KnownValues
from inspector.recording.markers import MarkerKey
from inspector.review.finding import Finding, SubjectKind
from inspector.review.reviewed import Reviewed, ReviewedCall, numbered

if TYPE_CHECKING:
    from inspector.json.exact import Json

COVERED = "[withheld]"
ON_WIRE = "SL-PRO002"
"""The id of the rule for protocol faults. Its findings quote one message and no definition."""
_NOUNS = {
    SubjectKind.SERVER: "What the server sent",
    SubjectKind.LISTING: "The list",
    SubjectKind.CALL: "The result",
    SubjectKind.REQUEST: "The request",
}
_REPEATS = " It repeats a value that was withheld from a result."
_TOGETHER = frozenset({SubjectKind.SERVER, SubjectKind.LISTING})
"""The kinds of subjects whose findings may quote any definition."""


class Covering:
    """Masks copies of withheld values in findings. Linear in the size of findings and results."""

    def __init__(self, calls: Iterable[ReviewedCall] = ()) -> None:
        """`calls`: calls that are passed to `learn`."""
        self._bounder = Bounder(MarkerKey(bytes(32)), DEFAULT_POLICY, ())
        for call in calls:
            self.learn(call)

    def learn(self, call: ReviewedCall) -> None:
        """Mask, in all later findings, the values that were withheld from the result of a call.

        A recorded call that lacks values is skipped: the recorder has already removed copies of these values
        from the definitions.
        """
        if not call.left_out and not isinstance(call.outcome, Failure):
            self._bounder.judged(call.offer.tool, call.raw, call.bounded.removals)

    def in_session(self, call: ReviewedCall) -> ReviewedCall:
        """The call with `repeats`: pointers to values that repeat a value withheld from an earlier call.

        Earlier calls are those that were passed to `learn`. A recorded call that lacks values is returned
        unchanged, because the recorder has already withheld the repeated values.
        """
        if self._known.is_empty or call.left_out or call.is_refusal or isinstance(call.outcome, Failure):
            return call
        places = tuple(place for place in self._known.repeated(call.raw) if not call.withholds(place))
        return dataclasses.replace(call, repeats=places) if places else call

    def repeating(self, reviewed: Reviewed) -> frozenset[str]:
        """The names of definitions, in any listing, that contain a withheld value.

        The empty name is that of the server.
        """
        if self._known.is_empty:
            return frozenset()
        values: list[tuple[str, Json]] = [(offer.name, offer.definition) for offer in reviewed.offers]
        for listing in reviewed.listings:
            values.append(("", listing.definitions.instructions))
            values += ((tool.label, tool.definition) for tool in listing.definitions.all)
        texts = [(name, self._known.texts_of([name, value])) for name, value in values]
        bad = self._known.found({text for _, values in texts for text in values}, weak=False)
        return frozenset(name for name, values in texts if not bad.isdisjoint(values))

    def text(self, text: str) -> str:
        """The text; `[withheld]` if it repeats a withheld value."""
        return COVERED if self._is_bad(text) else text

    def finding(self, finding: Finding, repeating: frozenset[str]) -> Finding:
        """A copy of `finding` without withheld values.

        `repeating`: the names of the definitions that contain a withheld value, as the method `repeating`
        returns them for the whole input of the review.
        """
        if self._known.is_empty:
            return finding
        # Evidence is cut, so it may contain a part of a withheld value, which a search does not find.
        is_near = (finding.subject is not SubjectKind.CALL and finding.name in repeating) or (
            bool(repeating) and finding.subject in _TOGETHER
        )
        if (is_near and finding.id != ON_WIRE) or self._is_bad(finding.message):
            what = _NOUNS.get(finding.subject, "The definition")
            why = (
                f"{what} contains a value that was withheld from a result, so the finding does not quote it."
            )
            finding = replace(finding, message=why, evidence="")
        elif self._is_bad(finding.evidence):
            message = finding.message + _REPEATS if finding.id == ON_WIRE else finding.message
            finding = replace(finding, message=message, evidence=self._masked(finding.evidence))
        tokens = split(finding.pointer)
        first = next((place for place, token in enumerate(tokens) if self._is_bad(token)), None)
        if first is not None:
            finding = replace(finding, pointer=join(tokens[:first]))
        return replace(finding, name=COVERED) if self._is_bad(finding.name) else finding

    def _masked(self, evidence: str) -> str:
        """Evidence with masks in place of withheld values; empty if nothing else is left of it."""
        words = self._known.masked_text(evidence).split(" ")
        # A word at which the evidence was cut may be a part of a value.
        start = 1 if evidence.startswith("…") else 0
        stop = len(words) - (1 if evidence.endswith(("…", '…"')) else 0)
        shown = " ".join(("…" if start else "", *words[start:stop], "…" if stop < len(words) else "")).strip()
        return "" if self._is_bad(shown) or not shown.replace(MASK, "").strip(' "…') else shown

    @property
    def _known(self) -> KnownValues:
        return self._bounder.known

    def _is_bad(self, text: str) -> bool:
        return bool(text) and text not in self._known.names and self._known.repeats(text)


def of_one_session(calls: Iterable[ReviewedCall]) -> tuple[ReviewedCall, ...]:
    """The calls of one session in order, each with its `number` and `repeats`.

    `repeats` has pointers to the values in a result that repeat a value withheld from an earlier call.
    """
    covering = Covering()
    found: list[ReviewedCall] = []
    for call in numbered(calls):
        found.append(covering.in_session(call))
        covering.learn(call)
    return tuple(found)


def covered(findings: Iterable[Finding], reviewed: Reviewed) -> tuple[Finding, ...]:
    """Copies of the findings of a review without withheld values."""
    covering = Covering(reviewed.calls)
    repeating = covering.repeating(reviewed)
    return tuple(covering.finding(finding, repeating) for finding in findings)
