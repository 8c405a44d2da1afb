"""Rules: a name, an effect, and conditions over facts.

Source: SEP-1913, Policy Layer, whose example rules are read as they are printed there.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.policy.facts import Fact, FactPath, Facts, FactState
from inspector.policy.operators import OPERATORS, Truth, scale_of
from inspector.safe_text import safe_line


class Effect(StrEnum):
    """What a rule does where its conditions hold."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    BLOCK = "block"
    WARN = "warn"
    WITHHOLD = "withhold"
    HIDE_UNTRUSTED = "hide_untrusted"


AFTER = frozenset({Effect.WARN, Effect.WITHHOLD, Effect.HIDE_UNTRUSTED})
"""The effects that only an answer can have."""


class FactComparison(Struct, frozen=True, kw_only=True):
    """One question about one fact."""

    path: FactPath
    operator: str
    operand: Json


class And(Struct, frozen=True, kw_only=True):
    """`and`."""

    conditions: "tuple[Condition, ...]"


class Or(Struct, frozen=True, kw_only=True):
    """`or`."""

    conditions: "tuple[Condition, ...]"


class Not(Struct, frozen=True, kw_only=True):
    """`not`."""

    condition: "Condition"


Condition: TypeAlias = FactComparison | And | Or | Not


class PolicyRule(Struct, frozen=True, kw_only=True):
    """One rule."""

    name: str
    effect: Effect
    condition: Condition
    reason: str = ""
    """Why, in the author's words; may be empty."""

    @property
    def paths(self) -> tuple[FactPath, ...]:
        """The facts that it asks about, each once, in the order written."""
        return tuple({test.path.text: test.path for test in _tests(self.condition)}.values())

    @property
    def is_after(self) -> bool:
        """Whether it needs the answer."""
        return self.effect in AFTER or any(path.namespace == "response" for path in self.paths)

    def matches(self, facts: Facts) -> bool:
        """Whether its effect takes place.

        `allow` takes place only where its conditions surely hold, every other effect where they may. An absent fact is
        false; only to `allow` it is unknown, so that no `not` turns silence into a permission.
        """
        allows = self.effect is Effect.ALLOW
        truth = _judge(self.condition, facts, Truth.MAYBE if allows else Truth.NO)
        return truth is Truth.YES if allows else truth is not Truth.NO

    def facts(self, facts: Facts) -> tuple[Fact, ...]:
        return tuple(facts.read(path) for path in self.paths)


class Policy(Struct, frozen=True, kw_only=True):
    """Rules in the order in which they are asked."""

    rules: tuple[PolicyRule, ...] = ()


def _tests(condition: Condition) -> Iterator[FactComparison]:
    match condition:
        case FactComparison():
            yield condition
        case And(conditions=conditions) | Or(conditions=conditions):
            for each in conditions:
                yield from _tests(each)
        case Not(condition=inner):
            yield from _tests(inner)


def _judge(condition: Condition, facts: Facts, absent: Truth) -> Truth:
    match condition:
        case FactComparison():
            return _answer(condition, facts.read(condition.path), absent)
        case And(conditions=conditions):
            return min(_judge(each, facts, absent) for each in conditions)
        case Or(conditions=conditions):
            return max(_judge(each, facts, absent) for each in conditions)
        case Not(condition=inner):
            return _judge(inner, facts, absent).negated()


def _answer(test: FactComparison, fact: Fact, absent: Truth) -> Truth:
    if test.operator == "exists":
        return fact.exists if test.operand is True else fact.exists.negated()
    match fact.state:
        case FactState.ABSENT:
            return absent
        case FactState.UNREADABLE:
            return Truth.MAYBE
        case FactState.PRESENT:
            return OPERATORS[test.operator](fact.value, test.operand, scale_of(test.path.parts[-1]))


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


class RuleMatch(Struct, frozen=True, kw_only=True):
    """A rule whose effect takes place, and the facts that it asked about."""

    rule: PolicyRule
    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        reason = f" ({safe_line(self.rule.reason)})" if self.rule.reason else ""
        return f"{safe_line(self.rule.name)}{reason}: {', '.join(map(str, self.facts))}"

    def as_json(self) -> JsonObject:
        return {
            "rule": self.rule.name,
            "effect": self.rule.effect.value,
            "reason": self.rule.reason,
            "facts": [fact.as_json() for fact in self.facts],
        }


class Decision(Struct, frozen=True, kw_only=True):
    """What was decided, and why."""

    verdict: Verdict
    matches: tuple[RuleMatch, ...] = ()
    """The rules of the effect that won. The first of them decides; the others would have too. Empty where none matched."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each rule, with its facts. Safe to show."""
        return tuple(map(str, self.matches))

    def as_json(self) -> JsonObject:
        """`verdict` and `matches`. Holds no value of an argument."""
        return {"verdict": self.verdict.value, "matches": [match.as_json() for match in self.matches]}


class Handling(Struct, frozen=True, kw_only=True):
    """What becomes of an answer that is there."""

    decision: Decision
    """CONFIRM: nothing of it goes to a model until the user agrees. BLOCK: nothing does."""
    warnings: tuple[RuleMatch, ...] = ()
    withholding: tuple[RuleMatch, ...] = ()
    """Why nothing of it goes to a model, even if the user agrees."""
    hiding: tuple[RuleMatch, ...] = ()
    """Why what is declared untrusted in it is hidden."""

    @property
    def is_withheld(self) -> bool:
        return bool(self.withholding) or self.decision.verdict is Verdict.BLOCK

    def as_json(self) -> JsonObject:
        content: JsonObject = {
            "warn": [match.as_json() for match in self.warnings],
            "withhold": [match.as_json() for match in self.withholding],
            "hideUntrusted": [match.as_json() for match in self.hiding],
        }
        return self.decision.as_json() | content


def decide(policy: Policy, facts: Facts) -> Decision:
    """Whether a call may leave, by the rules that ask about no response. Where no rule matches, it may."""
    return _decided(_matches(policy, facts, after=False))


def handle(policy: Policy, facts: Facts) -> Handling:
    """What becomes of an answer, by the rules that ask about a response, or have an effect on one."""
    matches = _matches(policy, facts, after=True)
    return Handling(
        decision=_decided(matches),
        warnings=_of(Effect.WARN, matches),
        withholding=_of(Effect.WITHHOLD, matches),
        hiding=_of(Effect.HIDE_UNTRUSTED, matches),
    )


def _matches(policy: Policy, facts: Facts, *, after: bool) -> tuple[RuleMatch, ...]:
    return tuple(
        RuleMatch(rule=rule, facts=rule.facts(facts))
        for rule in policy.rules
        if rule.is_after is after and rule.matches(facts)
    )


def _decided(matches: tuple[RuleMatch, ...]) -> Decision:
    for effect, verdict in _GRAVEST_FIRST:
        if winning := _of(effect, matches):
            return Decision(verdict=verdict, matches=winning)
    return Decision(verdict=Verdict.ALLOW)


def _of(effect: Effect, matches: tuple[RuleMatch, ...]) -> tuple[RuleMatch, ...]:
    return tuple(match for match in matches if match.rule.effect is effect)
