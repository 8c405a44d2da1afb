"""Rules: a name, an effect, and conditions over facts.

Source: SEP-1913, Policy Layer. Its example rules can be read unchanged.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import Json, JsonObject, dump_text
from inspector.policy.facts import Fact, FactPath, Facts, FactState
from inspector.policy.operators import OPERATORS, Truth, scale_of
from inspector.safe_text import safe_line


class Effect(StrEnum):
    """The effect of a rule if its conditions hold."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    BLOCK = "block"
    WARN = "warn"
    WITHHOLD = "withhold"
    HIDE_UNTRUSTED = "hide_untrusted"


AFTER = frozenset({Effect.WARN, Effect.WITHHOLD, Effect.HIDE_UNTRUSTED})
"""The effects that a rule can have on answers only, not on calls."""


class FactComparison(Struct, frozen=True, kw_only=True):
    """A condition: compares one fact with a value."""

    path: FactPath
    operator: str
    operand: Json


class And(Struct, frozen=True, kw_only=True):
    """A condition that holds if all of its conditions hold."""

    conditions: "tuple[Condition, ...]"


class Or(Struct, frozen=True, kw_only=True):
    """A condition that holds if at least one of its conditions holds."""

    conditions: "tuple[Condition, ...]"


class Not(Struct, frozen=True, kw_only=True):
    """A condition that holds if its one condition does not hold."""

    condition: "Condition"


Condition: TypeAlias = FactComparison | And | Or | Not


class PolicyRule(Struct, frozen=True, kw_only=True):
    """A rule of a policy: an effect, which applies if its conditions hold."""

    name: str
    effect: Effect
    condition: Condition
    reason: str = ""
    """The author's reason; may be empty."""

    @property
    def paths(self) -> tuple[FactPath, ...]:
        """The facts that the rule tests, each once, in the order written."""
        return tuple({test.path.text: test.path for test in _tests(self.condition)}.values())

    @property
    def is_after(self) -> bool:
        """True if the rule applies to an answer, not to a call before it is sent."""
        return self.effect in AFTER or any(path.namespace == "response" for path in self.paths)

    def matches(self, facts: Facts) -> bool:
        """True if the rule takes effect.

        An `allow` takes effect only if its conditions certainly hold; any other effect applies even if it is
        undecided whether they hold. A test of an absent fact is false; for `allow` it is undecided, so that `not`
        cannot turn an absent fact into a permission.
        """
        allows = self.effect is Effect.ALLOW
        truth = _judge(self.condition, facts, Truth.MAYBE if allows else Truth.NO)
        return truth is Truth.YES if allows else truth is not Truth.NO

    def facts(self, facts: Facts) -> tuple[Fact, ...]:
        return tuple(facts.read(path) for path in self.paths)


class Policy(Struct, frozen=True, kw_only=True):
    """Rules, in the order in which they are evaluated."""

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


def condition_text(condition: Condition) -> str:
    """A condition in one line, such as `tool.name equals "wipe" and not session.untrusted equals true`. Untrusted text."""
    match condition:
        case FactComparison():
            return f"{condition.path.text} {condition.operator} {dump_text(condition.operand)}"
        case And(conditions=conditions):
            return " and ".join(map(_part_text, conditions))
        case Or(conditions=conditions):
            return " or ".join(map(_part_text, conditions))
        case Not(condition=inner):
            return f"not {_part_text(inner)}"


def _part_text(condition: Condition) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, (And, Or)) else text


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
    """The decision about a call or an answer."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    BLOCK = "block"


_GRAVEST_FIRST = (
    (Effect.BLOCK, Verdict.BLOCK),
    (Effect.CONFIRM, Verdict.CONFIRM),
    (Effect.ALLOW, Verdict.ALLOW),
)


class RuleMatch(Struct, frozen=True, kw_only=True):
    """A rule that takes effect, with the facts that it tested."""

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
    """A verdict, and the rules behind it."""

    verdict: Verdict
    matches: tuple[RuleMatch, ...] = ()
    """The matching rules with the effect of the verdict; empty if no rule matched.

    Each alone would give this verdict.
    """

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each rule, with its facts. Safe to show."""
        return tuple(map(str, self.matches))

    def as_json(self) -> JsonObject:
        """The members `verdict` and `matches`. Contains no value of an argument."""
        return {"verdict": self.verdict.value, "matches": [match.as_json() for match in self.matches]}


class Handling(Struct, frozen=True, kw_only=True):
    """The effects of policy rules on one answer, such as withholding or asking the user."""

    decision: Decision
    """The decision about the answer.

    CONFIRM: a model gets nothing of the answer until the user agrees. BLOCK: a model gets nothing of it.
    """
    warnings: tuple[RuleMatch, ...] = ()
    withholding: tuple[RuleMatch, ...] = ()
    """The rules that withhold the whole answer from a model, even if the user agrees."""
    hiding: tuple[RuleMatch, ...] = ()
    """The rules that hide from a model the parts of the answer that are declared untrusted."""

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
    """Decide whether a call may be sent, by the rules that do not test the response.

    If no rule matches, the call may be sent.
    """
    return _decided(_matches(policy, facts, after=False))


def handle(policy: Policy, facts: Facts) -> Handling:
    """Decide about an answer, by the rules that test a response, or whose effect applies to one."""
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
