"""The decisions that a policy would have made about the calls in a recording.

No call is made, and no server is contacted.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.boundary.judgement import Judgement
from inspector.json.exact import JsonObject
from inspector.json.members import object_at
from inspector.policy.facts import Situation
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import Consideration, considered
from inspector.policy.gate.ruling import Ruled, ruled
from inspector.policy.rules import Policy, Verdict
from inspector.policy.taint import SessionTrust
from inspector.protocol.targets import DemoTarget
from inspector.recording.replaying import ReplayedCall
from inspector.session.call_record import CallRecord


class ReplayedDecision(Struct, frozen=True, kw_only=True):
    """A recorded call, with the decision about the call and the ruling on its answer."""

    call: ReplayedCall
    consideration: Consideration
    made: Ruled | None
    """The ruling on the answer; None if the call would not have been made."""

    @property
    def is_stopped(self) -> bool:
        return self.made is None or self.made.is_stopped

    @property
    def effects(self) -> tuple[str, ...]:
        return (*self.consideration.reasons, *(self.made.effects if self.made else ()))

    def as_json(self) -> JsonObject:
        return {
            "frame": self.call.frame,
            "tool": self.call.name,
            "decision": self.consideration.as_json(),
            "answer": self.made.as_json() if self.made else None,
            "stopped": self.is_stopped,
        }


def replayed(
    policy: Policy, calls: Iterable[ReplayedCall], server: str, agreement: Agreement
) -> Iterator[ReplayedDecision]:
    """The decisions about each call, in order.

    A call that the policy would have stopped adds no trust labels to the session.

    `server`: the name of the target in the recording. In place of a withheld argument, the rules see the
    placeholder for it.
    """
    trust = SessionTrust()
    for number, call in enumerate(calls, 1):
        situation = Situation(
            name=call.name,
            tool=call.tool,
            arguments=object_at(call.arguments),
            trust=trust,
            server=server,
        )
        # No decision depends on the kind of target.
        consideration = considered(policy, DemoTarget(), situation)
        asked = consideration.verdict is Verdict.CONFIRM and not agreement.is_given
        made = None
        if consideration.verdict is not Verdict.BLOCK and not asked:
            record = _record(number, call)
            made = ruled(policy, consideration, record, is_agreed=agreement is Agreement.YES)
            trust = trust.join(made.brought)
        yield ReplayedDecision(call=call, consideration=consideration, made=made)


def _record(number: int, call: ReplayedCall) -> CallRecord:
    return CallRecord(
        number=number,
        name=call.name,
        arguments=object_at(call.arguments),
        judgement=Judgement(call.outcome, call.tool),
        at_s=call.at_s,
        duration_s=call.duration_s,
        size_bytes=0,
        has_asked=call.has_asked,
    )
