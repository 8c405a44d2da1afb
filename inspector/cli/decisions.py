"""What was decided of a call and of its answer, as commands print it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.errors import BlockedError, NotConfirmedError
from inspector.json.exact import JsonObject
from inspector.policy.facts import Situation
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import Consideration, brought_line, considered
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Policy, Verdict
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import Target
from inspector.safe_text import safe_line

if TYPE_CHECKING:
    from inspector.policy.gate.replayed import Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """In both formats."""

    lines: tuple[str, ...]
    shape: JsonObject
    """`decision` and `answer` of `sightline call --format json`."""


def decided(made: Ruled, agreement: Agreement) -> Decided:
    """What was decided of a call that was made."""
    considered = made.consideration
    asked = considered.verdict is Verdict.CONFIRM
    lines = [f"decision: {considered.verdict.value}{f', {agreement.value}' if asked else ''}"]
    lines += [f"  {reason}" for reason in considered.reasons] or ["  no rule asks about it"]
    if made.told:
        lines += ["answer:", *(f"  {told}" for told in made.told)]
    if made.brought.marks:
        lines.append(f"trust: {brought_line(made.brought)} into the session")
    if made.is_malicious:
        lines.append(
            "! the server says that this answer holds an attack: a claim, which it may be wrong about"
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


def decision_lines(judged: "Iterable[Judged]", agreement: Agreement) -> list[str]:
    """What would have become of recorded calls: a line each, with the reasons below."""
    lines = ["decisions:"]
    for one in judged:
        verdict = one.consideration.verdict
        asked = f", {agreement.value}" if verdict is Verdict.CONFIRM else ""
        lines.append(f"  frame {one.call.frame}, {safe_line(one.call.name)}: {verdict.value}{asked}")
        lines += [f"    {reason}" for reason in one.told]
    return lines


def listing_lines(tools: Iterable[Tool], policy: Policy, target: Target, agreement: Agreement) -> list[str]:
    """What would be decided of a call of each tool without arguments, where it would not simply be made."""
    lines = ["", "DECISIONS (of a call without arguments)"]
    for tool in tools:
        found = of_listed(tool, policy, target)
        if found.verdict is not Verdict.ALLOW:
            asked = f", {agreement.value}" if found.verdict is Verdict.CONFIRM else ""
            lines.append(f"{safe_line(tool.name)}: {found.verdict.value}{asked}")
            lines += [f"  {reason}" for reason in found.reasons]
    return lines if len(lines) > 2 else [*lines, "every one is allowed"]


def of_listed(tool: Tool, policy: Policy, target: Target) -> Consideration:
    """What would be decided of a call without arguments, in a session that has taken in nothing."""
    situation = Situation(name=tool.name, tool=tool, arguments={}, server=str(target))
    return considered(policy, target, situation)


def stopped(made: Ruled) -> NotConfirmedError:
    """Why nothing of an answer goes to a model."""
    told = "\n".join(made.told)
    if made.is_asked_about:
        return NotConfirmedError(
            f"called, but a model gets nothing of the answer: {told}", "--yes agrees to what is asked."
        )
    return BlockedError(
        f"called, but a model gets nothing of the answer: {told}", "Only another policy lets it through."
    )
