"""Applies policy rules to an answer: their effects, the trust labels it adds, and what a model may see."""

import dataclasses
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Rule
from inspector.boundary.mask import mask
from inspector.boundary.options import BoundaryPolicy
from inspector.claims.deviations import deviations
from inspector.json.exact import Json, JsonObject
from inspector.policy.facts import with_response
from inspector.policy.gate.consideration import Consideration
from inspector.policy.rules import Decision, Handling, Policy, RuleMatch, Verdict, handle
from inspector.policy.taint import (
    LabelKind,
    LabelOrigin,
    SessionTrust,
    TrustLabel,
    declaration_of,
    trust_of,
)
from inspector.protocol.outcome import Result
from inspector.safe_text import safe_line
from inspector.session.call_record import CallRecord

_UNJUDGED = Handling(decision=Decision(verdict=Verdict.BLOCK))


class Ruled(Struct, frozen=True, kw_only=True):
    """A call that was made, with the decision of the policy about its answer."""

    record: CallRecord
    """The record of the call. Its boundary policy includes what the rules require."""
    consideration: Consideration
    handling: Handling
    brought: SessionTrust
    """The trust labels that the answer added to the agent session."""
    remarks: tuple[str, ...] = ()
    """Sentences about contradictions to the tool's declarations, or about a log that could not be written.

    They contain no text of the server.
    """
    problem: str = ""
    """The reason why the answer could not be judged; empty if it was judged."""
    is_agreed: bool = False
    """True if the user agreed that a model sees the answer."""

    @property
    def is_asked_about(self) -> bool:
        """True if the answer is held until the user agrees."""
        waits = self.handling.decision.verdict is Verdict.CONFIRM and not self.handling.is_withheld
        return waits and not self.is_agreed

    @property
    def is_stopped(self) -> bool:
        """True if a rule blocks the answer, or holds it until the user agrees."""
        return self.handling.decision.verdict is Verdict.BLOCK or self.is_asked_about

    @property
    def is_malicious(self) -> bool:
        return self.brought.has(LabelKind.MALICIOUS)

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects of rules on the answer, one sentence each.

        Safe to show; they quote nothing of the answer.
        """
        decision = self.handling.decision
        verdict = {
            Verdict.BLOCK: "blocked",
            Verdict.CONFIRM: "agreed to" if self.is_agreed else "waits for your agreement",
            Verdict.ALLOW: "allowed",
        }[decision.verdict]
        return (
            *_sentences(verdict, decision.matches),
            *_sentences("withheld", self.handling.withholding),
            *_sentences("untrusted content is hidden", self.handling.hiding),
            *_sentences("warning", self.handling.warnings),
        )

    def as_json(self) -> JsonObject:
        brought: list[Json] = [
            {"mark": label.kind.value, "value": label.value, "declared_by": label.declaration}
            for label in sorted(self.brought.labels)
        ]
        content: JsonObject = {
            "agreed": self.is_agreed,
            "brought": brought,
            "remarks": [*self.remarks],
            "problem": self.problem,
        }
        return self.handling.as_json() | content


def ruled(policy: Policy, considered: Consideration, record: CallRecord, *, is_agreed: bool) -> Ruled:
    """Apply the policy to an answer. Linear in the size of the answer.

    Never raises: if the rules cannot be evaluated, the answer is withheld.

    `is_agreed`: whether the user agreed in advance to any question of the rules.
    """
    origin = LabelOrigin(call=record.number, server=considered.server, tool=record.name)
    problem, handling = "", _UNJUDGED
    # The answer counts as untrusted until its claims have been read.
    brought = _untrusted(origin, "an answer that could not be judged")
    remarks: tuple[str, ...] = ()
    try:
        brought = labels_of(record, considered.server)
        remarks = deviations(record.tool, record.outcome)
        if considered.facts is not None:
            handling = handle(policy, with_response(considered.facts, considered.situation, record.outcome))
    except Exception as fault:  # noqa: BLE001 - what fails must not let an answer through, whatever failed in it
        problem = f"the answer could not be judged ({safe_line(type(fault).__name__)}), so all of it is withheld: a defect of Sightline"
    remarks = (*considered.remarks, *remarks)
    made = Ruled(
        record=replace(record, resolution=considered.resolution),
        consideration=considered,
        handling=handling,
        brought=brought,
        remarks=remarks,
        problem=problem,
        is_agreed=is_agreed,
    )
    return in_force(made)


def labels_of(record: CallRecord, server: str) -> SessionTrust:
    """The trust labels that a call brings into the session. Linear in the size of the answer.

    `server`: the target in the user's words.
    """
    origin = LabelOrigin(call=record.number, server=server, tool=record.name)
    labels = _without_secrets(trust_of(record.outcome, record.tool, origin), record, origin)
    if record.has_asked:
        labels = labels.join(_untrusted(origin, "a question of the server during the call"))
    return labels.join(_of_marked_values(record, origin))


def _untrusted(origin: LabelOrigin, cause: str) -> SessionTrust:
    label = TrustLabel(kind=LabelKind.UNTRUSTED, origin=origin, declaration=cause)
    return SessionTrust(labels=frozenset({label}))


def _of_marked_values(record: CallRecord, origin: LabelOrigin) -> SessionTrust:
    """The label SENSITIVE if the answer has a value at a position that the output schema marks sensitive.

    The label is added at every boundary level, because at `open` the value reaches the model.
    """
    if record.tool is None or record.tool.output_schema is None:
        return SessionTrust()
    removals = record.judgement.secrets(record.policy)
    marked = next((removal for removal in removals if removal.rule == Rule.X_SENSITIVE), None)
    if marked is None:
        return SessionTrust()
    declaration = declaration_of(marked.claim) if marked.claim else "the output schema of the tool"
    label = TrustLabel(kind=LabelKind.SENSITIVE, origin=origin, declaration=declaration)
    return SessionTrust(labels=frozenset({label}))


def _without_secrets(brought: SessionTrust, record: CallRecord, origin: LabelOrigin) -> SessionTrust:
    """The trust labels of an answer, without those whose text the declarations withhold.

    Labels are shown, and are sent to other servers, so they must not contain such texts. If names of sources
    are dropped, a label records that there are such sources.
    """
    if not isinstance(record.outcome, Result) or not any(label.value for label in brought.labels):
        return brought
    removals = record.judgement.secrets(record.policy)
    left = trust_of(
        dataclasses.replace(record.outcome, value=mask(record.outcome.value, removals)), record.tool, origin
    )
    kept = {label for label in brought.labels if not label.value or label in left.labels}
    if len(kept) < len(brought.labels):
        cause = "a source that contains a withheld value"
        kept.add(TrustLabel(kind=LabelKind.UNNAMED_SOURCES, origin=origin, declaration=cause))
    return SessionTrust(labels=frozenset(kept))


def in_force(made: Ruled) -> Ruled:
    """A copy of `made` whose call record has the policy that the rules require."""
    policy = replace(
        made.record.policy,
        withheld=_withheld(made),
        hide_untrusted=made.record.policy.hide_untrusted or bool(made.handling.hiding),
    )
    remarks = (*made.remarks, *((made.problem,) if made.problem else ()))
    return replace(made, record=_with(made.record, policy, remarks))


def _with(record: CallRecord, policy: BoundaryPolicy, remarks: tuple[str, ...]) -> CallRecord:
    if policy == record.policy and remarks == record.remarks:
        return record
    return replace(record, policy=policy, remarks=remarks)


def _withheld(made: Ruled) -> str:
    if made.problem:
        return made.problem
    if made.handling.is_withheld:
        blocking = made.handling.decision.matches if made.handling.decision.verdict is Verdict.BLOCK else ()
        matches = (*made.handling.withholding, *blocking)
        return f"a rule of the policy withholds it: {_names(matches)}"
    if made.is_asked_about:
        return f"a rule of the policy withholds it without your agreement: {_names(made.handling.decision.matches)}"
    return ""


def _names(matches: Sequence[RuleMatch]) -> str:
    return ", ".join(
        safe_line(match.rule.name) + (f" ({safe_line(match.rule.reason)})" if match.rule.reason else "")
        for match in matches
    )


def _sentences(what: str, matches: Sequence[RuleMatch]) -> tuple[str, ...]:
    return tuple(f"{what}: {match}" for match in matches)
