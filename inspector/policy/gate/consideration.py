"""What was decided of a call before it leaves, and why."""

from dataclasses import dataclass

from inspector.claims.resolution import Resolution
from inspector.json.exact import JsonObject
from inspector.pins.pins import ConfirmReason
from inspector.policy.decide import Decision, Verdict, decide
from inspector.policy.facts import Facts
from inspector.policy.gathering import Situation, facts_of
from inspector.policy.rules import Policy
from inspector.policy.taint.state import SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import Target
from inspector.safe_text import safe_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Consideration:
    """One call that may be made, asked about, or not made."""

    target: Target
    situation: Situation
    decision: Decision
    facts: Facts | None
    """None where they could not be gathered."""
    asking: tuple[ConfirmReason, ...] = ()
    """Changes of the definition that nobody has agreed to yet."""
    problem: str = ""
    """Why it could not be judged, so that it is not made; empty where it could."""

    @property
    def name(self) -> str:
        """Of the tool. Foreign text."""
        return self.situation.name

    @property
    def server(self) -> str:
        """What is connected to, in the user's words."""
        return self.situation.server

    @property
    def arguments(self) -> JsonObject:
        """Exactly as they will be sent."""
        return self.situation.arguments

    @property
    def listed(self) -> Tool | None:
        """The tool as listed; None where the server lists none of that name."""
        return self.situation.tool

    @property
    def resolution(self) -> Resolution | None:
        """What the server said of this very call; None where it was not asked."""
        return self.situation.resolution

    @property
    def tool(self) -> Tool | None:
        """The tool with the annotations that hold for this call."""
        return self.resolution.effective if self.resolution else self.listed

    @property
    def trust(self) -> SessionTrust:
        """What the agent session had taken in when it was decided."""
        return self.situation.trust

    @property
    def verdict(self) -> Verdict:
        """What becomes of the call. What could not be judged is not made, and what has changed is asked about."""
        if self.problem:
            return Verdict.BLOCK
        if self.asking and self.decision.verdict is Verdict.ALLOW:
            return Verdict.CONFIRM
        return self.decision.verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in sentences: rules with their facts, changes, what could not be judged. Safe to show; quotes no argument."""
        changed = tuple(each.sentence for each in self.asking)
        return (*((self.problem,) if self.problem else ()), *self.decision.reasons, *changed)

    @property
    def causes(self) -> frozenset[str]:
        """The same by their names: of rules, and of changes."""
        rules = (match.rule.name for match in self.decision.matches)
        return frozenset((*rules, *(each.key for each in self.asking), self.problem))

    @property
    def told(self) -> tuple[str, ...]:
        """For the audit log: names of rules, and what else speaks against the call in sentences."""
        rules = tuple(match.rule.name for match in self.decision.matches)
        return (*rules, *(each.sentence for each in self.asking), *((self.problem,) if self.problem else ()))

    @property
    def findings(self) -> tuple[str, ...]:
        """What is wrong with what the server said of this call, in sentences of ours."""
        return self.resolution.findings if self.resolution else ()

    def as_json(self) -> JsonObject:
        """`verdict`, `matches`, `changed`, `problem` and `resolution`. Holds no value of an argument."""
        return {
            **self.decision.as_json(),
            "verdict": self.verdict.value,
            "changed": [each.sentence for each in self.asking],
            "problem": self.problem,
            "resolution": self.resolution.state.value if self.resolution else "none",
            "findings": [*self.findings],
        }


def considered(
    policy: Policy, target: Target, situation: Situation, asking: tuple[ConfirmReason, ...] = ()
) -> Consideration:
    """What the policy decides. Never raises: what cannot be judged is not made."""
    try:
        facts = facts_of(situation)
        decision = decide(policy, facts)
    except Exception as fault:  # noqa: BLE001 - a rule that fails must not let a call through, whatever failed in it
        problem = f"the call could not be judged ({safe_line(type(fault).__name__)}): a defect of Sightline"
        return Consideration(
            target=target,
            situation=situation,
            decision=Decision(verdict=Verdict.BLOCK),
            facts=None,
            asking=asking,
            problem=problem,
        )
    return Consideration(target=target, situation=situation, decision=decision, facts=facts, asking=asking)
