"""Findings that quote nothing which was withheld from a result: a definition may repeat it once the server has returned it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.boundary.options import DEFAULT_POLICY
from inspector.json.pointer import join, split
from inspector.protocol.outcome import Failure
from inspector.recording.bounding import Bounder
from inspector.recording.known import Known
from inspector.recording.markers import Key
from inspector.review.finding import Finding, SubjectKind
from inspector.review.reviewed import Reviewed, ReviewedCall

if TYPE_CHECKING:
    from inspector.json.exact import Json

COVERED = "[withheld]"
_NOT_QUOTED = "The definition repeats a value that was withheld from a result, so that what was found in it is not quoted."
_TOGETHER = frozenset({SubjectKind.SERVER, SubjectKind.LISTING})
"""Findings about these may quote any definition."""


class Covering:
    """What was withheld from results, ready to be found in findings about anything else. Linear in what is compared."""

    def __init__(self, calls: Iterable[ReviewedCall] = ()) -> None:
        """`calls`: those to learn from."""
        self._bounder = Bounder(Key(bytes(32)), DEFAULT_POLICY, ())
        for call in calls:
            self.learn(call)

    def learn(self, call: ReviewedCall) -> None:
        """One more call. One with values that a recording left out is skipped: its definitions were searched when they were recorded."""
        if not call.left_out and not isinstance(call.outcome, Failure):
            self._bounder.judged(call.offer.tool, call.raw, call.bounded.removals)

    def repeating(self, reviewed: Reviewed) -> frozenset[str]:
        """The names under which any definition repeats a withheld value, in any listing; of the server, the empty name."""
        if self._known.is_empty:
            return frozenset()
        values: list[tuple[str, Json]] = [(offer.name, offer.definition) for offer in reviewed.offers]
        for listing in reviewed.listings:
            values.append(("", listing.instructions))
            values += ((tool.name, tool.definition) for tool in listing.tools)
        texts = [(name, self._known.texts_of([name, value])) for name, value in values]
        bad = self._known.found({text for _, said in texts for text in said}, weak=False)
        return frozenset(name for name, said in texts if not bad.isdisjoint(said))

    def text(self, text: str) -> str:
        """A name or a sentence, or what is shown in its place."""
        return COVERED if self._is_bad(text) else text

    def finding(self, finding: Finding, repeating: frozenset[str]) -> Finding:
        """The finding as it may be shown. `repeating`: of all that was reviewed together with it."""
        if self._known.is_empty:
            return finding
        # What is quoted is cut, so that the value may be there in part.
        is_near = (finding.subject is not SubjectKind.CALL and finding.name in repeating) or (
            bool(repeating) and finding.subject in _TOGETHER
        )
        if is_near or self._is_bad(finding.message) or self._is_bad(finding.evidence):
            finding = replace(finding, message=_NOT_QUOTED, evidence="")
        tokens = split(finding.pointer)
        first = next((place for place, token in enumerate(tokens) if self._is_bad(token)), None)
        if first is not None:
            finding = replace(finding, pointer=join(tokens[:first]))
        return replace(finding, name=COVERED) if self._is_bad(finding.name) else finding

    @property
    def _known(self) -> Known:
        return self._bounder.known

    def _is_bad(self, text: str) -> bool:
        return bool(text) and text not in self._known.names and self._known.repeats(text)


def covered(found: Iterable[Finding], reviewed: Reviewed) -> tuple[Finding, ...]:
    """The findings about all that was reviewed, as they may be shown."""
    covering = Covering(reviewed.calls)
    repeating = covering.repeating(reviewed)
    return tuple(covering.finding(finding, repeating) for finding in found)
