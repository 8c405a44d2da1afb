"""Rules: a name, an effect, and conditions over facts.

Source: SEP-1913, Policy Layer, whose example rules are read as they are printed there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.json.exact import Json
from inspector.policy.facts import Fact, Facts, Path, State
from inspector.policy.operators import OPERATORS, Truth, scale_of


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One question about one fact."""

    path: Path
    operator: str
    operand: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """`and`."""

    conditions: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """`or`."""

    conditions: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """`not`."""

    condition: "Condition"


Condition: TypeAlias = Comparison | And | Or | Not


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule."""

    name: str
    effect: Effect
    condition: Condition
    reason: str = ""
    """Why, in the words of whoever wrote it; empty where nobody did."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The facts that it asks about, each once, in the order written."""
        return tuple({test.path.text: test.path for test in _tests(self.condition)}.values())

    @property
    def is_after(self) -> bool:
        """Whether it can be judged only when an answer is there."""
        return self.effect in AFTER or any(path.namespace == "response" for path in self.paths)

    def matches(self, facts: Facts) -> bool:
        """Whether its effect takes place.

        `allow` takes place only where its conditions surely hold, every other effect where they may. What nobody says is
        not so; only to `allow` it is unknown, so that no `not` makes a permission of silence.
        """
        allows = self.effect is Effect.ALLOW
        truth = _judge(self.condition, facts, Truth.MAYBE if allows else Truth.NO)
        return truth is Truth.YES if allows else truth is not Truth.NO

    def facts(self, facts: Facts) -> tuple[Fact, ...]:
        """What it asks about, as it is."""
        return tuple(facts.read(path) for path in self.paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules in the order in which they are asked."""

    rules: tuple[Rule, ...] = ()


def _tests(condition: Condition) -> Iterator[Comparison]:
    match condition:
        case Comparison():
            yield condition
        case And(conditions=conditions) | Or(conditions=conditions):
            for each in conditions:
                yield from _tests(each)
        case Not(condition=inner):
            yield from _tests(inner)


def _judge(condition: Condition, facts: Facts, absent: Truth) -> Truth:
    match condition:
        case Comparison():
            return _answer(condition, facts.read(condition.path), absent)
        case And(conditions=conditions):
            return min(_judge(each, facts, absent) for each in conditions)
        case Or(conditions=conditions):
            return max(_judge(each, facts, absent) for each in conditions)
        case Not(condition=inner):
            return _judge(inner, facts, absent).negated()


def _answer(test: Comparison, fact: Fact, absent: Truth) -> Truth:
    if test.operator == "exists":
        return fact.exists if test.operand is True else fact.exists.negated()
    match fact.state:
        case State.ABSENT:
            return absent
        case State.UNREADABLE:
            return Truth.MAYBE
        case State.PRESENT:
            return OPERATORS[test.operator](fact.value, test.operand, scale_of(test.path.parts[-1]))
