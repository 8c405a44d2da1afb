"""Deciding: the one place where rules meet facts, before a call leaves and when its answer is there."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.json.exact import JsonObject
from inspector.policy.facts import Fact, Facts
from inspector.policy.rules import Effect, Policy, Rule
from inspector.safe_text import safe_line


class Verdict(StrEnum):
    """What becomes of a call, or of an answer."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    BLOCK = "block"


_GRAVEST_FIRST = (
    (Effect.BLOCK, Verdict.BLOCK),
    (Effect.CONFIRM, Verdict.CONFIRM),
    (Effect.ALLOW, Verdict.ALLOW),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A rule whose effect takes place, and the facts that it asked about."""

    rule: Rule
    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        """In words, safe to show."""
        reason = f" ({safe_line(self.rule.reason)})" if self.rule.reason else ""
        return f"{safe_line(self.rule.name)}{reason}: {', '.join(map(str, self.facts))}"

    def as_json(self) -> JsonObject:
        """`rule`, `effect`, `reason` and `facts`."""
        return {
            "rule": self.rule.name,
            "effect": self.rule.effect.value,
            "reason": self.rule.reason,
            "facts": [fact.as_json() for fact in self.facts],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided, and why."""

    verdict: Verdict
    matches: tuple[Match, ...] = ()
    """The rules of the effect that won. The first of them decides; the others would have too. Empty where none matched."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each rule, with its facts. Safe to show."""
        return tuple(map(str, self.matches))

    def as_json(self) -> JsonObject:
        """`verdict` and `matches`, for the timeline and the recording. Holds no value of an argument."""
        return {"verdict": self.verdict.value, "matches": [match.as_json() for match in self.matches]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """What becomes of an answer that is there."""

    decision: Decision
    """CONFIRM: nothing of it goes to a model until the user agrees. BLOCK: nothing does."""
    warnings: tuple[Match, ...] = ()
    withholding: tuple[Match, ...] = ()
    """Why nothing of it goes to a model, whoever agrees."""
    hiding: tuple[Match, ...] = ()
    """Why what is declared untrusted in it is hidden."""

    @property
    def is_withheld(self) -> bool:
        """Whether nothing of it may go to a model, whoever agrees."""
        return bool(self.withholding) or self.decision.verdict is Verdict.BLOCK

    def as_json(self) -> JsonObject:
        """`verdict`, `matches`, `warn`, `withhold` and `hideUntrusted`."""
        found: JsonObject = {
            "warn": [match.as_json() for match in self.warnings],
            "withhold": [match.as_json() for match in self.withholding],
            "hideUntrusted": [match.as_json() for match in self.hiding],
        }
        return self.decision.as_json() | found


def decide(policy: Policy, facts: Facts) -> Decision:
    """Whether a call may leave, by the rules that ask about no response. Where no rule matches, it may."""
    return _decided(_matches(policy, facts, after=False))


def handle(policy: Policy, facts: Facts) -> Handling:
    """What becomes of an answer, by the rules that ask about a response, or have an effect on one."""
    found = _matches(policy, facts, after=True)
    return Handling(
        decision=_decided(found),
        warnings=_of(Effect.WARN, found),
        withholding=_of(Effect.WITHHOLD, found),
        hiding=_of(Effect.HIDE_UNTRUSTED, found),
    )


def _matches(policy: Policy, facts: Facts, *, after: bool) -> tuple[Match, ...]:
    return tuple(
        Match(rule=rule, facts=rule.facts(facts))
        for rule in policy.rules
        if rule.is_after is after and rule.matches(facts)
    )


def _decided(matches: tuple[Match, ...]) -> Decision:
    for effect, verdict in _GRAVEST_FIRST:
        if found := _of(effect, matches):
            return Decision(verdict=verdict, matches=found)
    return Decision(verdict=Verdict.ALLOW)


def _of(effect: Effect, matches: tuple[Match, ...]) -> tuple[Match, ...]:
    return tuple(match for match in matches if match.rule.effect is effect)
