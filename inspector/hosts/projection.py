"""The projection: from how a call ended to what a host's model sees of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import Contract
from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import mask
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.output_check import OutputCheck
from inspector.boundary.reading import raw_of
from inspector.boundary.removals import Removals
from inspector.boundary.undeclared import undeclared
from inspector.hidden_characters import hidden_sentences
from inspector.hosts.profile import Call, Change, Host, ModelContext
from inspector.json.exact import Json
from inspector.json.weight import compact_bytes
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome
from inspector.protocol.unfinished import Unfinished, unfinished, unfinished_in


# No slots: what is costly is worked out when it is asked for, and kept.
@dataclass(frozen=True, kw_only=True)
class Projection:
    """One outcome at one boundary, through one host."""

    judgement: Judgement
    policy: BoundaryPolicy
    bounded: Bounded
    context: ModelContext

    @property
    def outcome(self) -> Outcome:
        """How the call ended."""
        return self.judgement.outcome

    @property
    def raw(self) -> Json:
        """What the pointers of removals point into; for an error, `{"error": …}`."""
        return raw_of(self.outcome)

    @property
    def sensitive(self) -> Sequence[Removal]:
        """The removals by which the raw result is masked: `Judgement.secrets`."""
        return self.judgement.secrets(self.policy)

    @cached_property
    def undeclared(self) -> int:
        """At `declared`: how many leaves passed that no schema names. At any other boundary, 0."""
        if self.bounded.level is not Level.DECLARED:
            return 0
        return undeclared(self.bounded, self.judgement.contract)

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """Sentences for the user: what breaks the output schema, what could not be judged, and hidden characters.

        Of what is masked nothing is told: a place may be a secret too.
        """
        return (*self.output.sentences, *self.bounded.findings, *hidden_sentences(self.masked))

    @cached_property
    def output(self) -> OutputCheck:
        """The result compared with the output schema of its tool."""
        return self.judgement.output(self.bounded.level, self.policy)

    @cached_property
    def unfinished(self) -> Unfinished | None:
        """Why the answer does not end the call, and what the server asks for, as far as that is not masked; None where it does."""
        found = unfinished(self.outcome)
        if found is None:
            return None
        shown = unfinished_in(self.masked)
        return replace(found, asks=shown.asks if shown else ())

    @cached_property
    def masked(self) -> Json:
        """The raw result with sensitive values masked."""
        return mask(self.raw, self.sensitive)

    @cached_property
    def raw_bytes(self) -> int:
        """Size of the raw result as compact JSON."""
        return compact_bytes(self.raw)

    @cached_property
    def model_bytes(self) -> int:
        """Size of what the model gets as compact JSON; 0 where the call is unfinished, and it gets nothing."""
        return 0 if self.bounded.unfinished else compact_bytes(self.context.model)

    @cached_property
    def removals_by_rule(self) -> dict[str, int]:
        """How often each rule withheld something, in the order of their first removals."""
        removals = self.bounded.removals
        return removals.by_rule() if isinstance(removals, Removals) else {}


def project(
    outcome: Outcome,
    tool: Tool | None,
    level: Level,
    host: Host,
    *,
    call: Call | None = None,
    policy: BoundaryPolicy = DEFAULT_POLICY,
    contract: Contract | None = None,
) -> Projection:
    """What reaches the model of `outcome`. Never raises.

    `contract`: of `tool`, where it is known already.
    """
    asked = call or Call(tool=tool.name if tool else "tool")
    judgement = Judgement(outcome, tool, nonce=asked.nonce, contract=contract)
    return projection_of(judgement, level, host, asked, policy)


def projection_of(
    judgement: Judgement, level: Level, host: Host, call: Call, policy: BoundaryPolicy
) -> Projection:
    """What reaches the model of an answer that is judged already, or is judged now. Never raises."""
    bounded = judgement.bounded(level, policy)
    return Projection(
        judgement=judgement,
        policy=policy,
        bounded=bounded,
        context=handed_over(host, bounded, call),
    )


def handed_over(host: Host, bounded: Bounded, call: Call) -> ModelContext:
    """What a host hands to its model of a bounded result; nothing, where the call is unfinished or its profile fails."""
    if bounded.unfinished:
        change = Change(pointer="", what=f"nothing reaches the model: {bounded.unfinished}")
        return ModelContext(model=None, changes=(change,), observed=False)
    try:
        return host.hand_over(bounded, call)
    except Exception as fault:  # noqa: BLE001 - a profile that fails must hand over nothing, whatever failed in it
        reason = f"the profile could not judge this result ({type(fault).__name__}); nothing was handed over"
        return ModelContext(model=None, changes=(Change(pointer="", what=reason),), observed=False)
