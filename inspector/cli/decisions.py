"""Decisions of the policy about calls and answers, as text and as JSON."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.errors import BlockedError, NotConfirmedError
from inspector.json.exact import JsonObject
from inspector.pins.pins import PinState
from inspector.policy.facts import Situation
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import Consideration, brought_line, considered
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Policy, Verdict
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import Target
from inspector.safe_text import safe_line

if TYPE_CHECKING:
    from inspector.policy.gate.replayed import ReplayedDecision


_VERDICTS = {Verdict.ALLOW: "allowed", Verdict.CONFIRM: "asks first", Verdict.BLOCK: "blocked"}


class Decided(Struct, frozen=True, kw_only=True):
    """The decision about a call and its answer, as text and as JSON."""

    lines: tuple[str, ...]
    shape: JsonObject
    """The members `decision` and `answer` of `sightline call --format json`."""


def decided(made: Ruled, agreement: Agreement) -> Decided:
    """The decision about a call that was made, and the policy's effects on its answer."""
    considered = made.consideration
    asked = considered.verdict is Verdict.CONFIRM
    lines = [_policy_line(considered.verdict, agreement, is_matched=bool(considered.reasons))]
    lines += [f"  {reason}" for reason in considered.reasons]
    if made.effects:
        lines += ["answer:", *(f"  {line}" for line in made.effects)]
    if made.brought.labels:
        lines.append(f"trust: {brought_line(made.brought)}")
    if made.is_malicious:
        lines.append(
            "! the server declares that this answer contains an attack; the declaration may be wrong"
        )
    lines += [f"! {remark}" for remark in made.record.remarks]
    shape: JsonObject = {
        "decision": {
            **considered.as_json(),
            "agreement": agreement.value if asked else Agreement.NOT_ASKED.value,
        },
        "answer": made.as_json(),
    }
    return Decided(lines=tuple(lines), shape=shape)


def _policy_line(verdict: Verdict, agreement: Agreement, *, is_matched: bool) -> str:
    asked = f", {agreement.value}" if verdict is Verdict.CONFIRM else ""
    return f"policy: {_VERDICTS[verdict]}{asked}{'' if is_matched else ' (no rule matched)'}"


def decision_lines(judged: "Iterable[ReplayedDecision]", agreement: Agreement) -> list[str]:
    """What the policy would decide about recorded calls if they were made now, with the reasons."""
    lines = ["decisions:"]
    for one in judged:
        verdict = one.consideration.verdict
        asked = f", {agreement.value}" if verdict is Verdict.CONFIRM else ""
        lines.append(f"  frame {one.call.frame}, {safe_line(one.call.name)}: {verdict.value}{asked}")
        lines += [f"    {line}" for line in one.effects]
    return lines


def listing_lines(
    tools: Iterable[Tool], policy: Policy, target: Target, agreement: Agreement, pins: PinState
) -> list[str]:
    """The tools that would be blocked or asked about if each were called without arguments.

    `pins`: the comparison of the listing with the pin.
    """
    lines = ["", "POLICY (for a call without arguments)"]
    for tool in tools:
        decision = of_listed(tool, policy, target, pins)
        if decision.verdict is not Verdict.ALLOW:
            asked = f", {agreement.value}" if decision.verdict is Verdict.CONFIRM else ""
            lines.append(f"{safe_line(tool.name)}: {decision.verdict.value}{asked}")
            lines += [f"  {reason}" for reason in decision.reasons]
    return lines if len(lines) > 2 else [*lines, "all tools are allowed"]


def of_listed(tool: Tool, policy: Policy, target: Target, pins: PinState) -> Consideration:
    """What would be decided about a call of `tool` without arguments, in a new session."""
    situation = Situation(name=tool.name, tool=tool, arguments={}, server=str(target))
    return considered(policy, target, situation, pins.asks(tool.name))


def stopped(made: Ruled) -> NotConfirmedError:
    """The error for an answer that the policy withholds from the model."""
    reasons = "\n".join(made.effects)
    message = f"called, but the model gets nothing from the answer: {reasons}"
    if made.is_asked_about:
        return NotConfirmedError(message, "With --yes, you agree to every question of the policy.")
    return BlockedError(message, "To allow it, use another policy.")
