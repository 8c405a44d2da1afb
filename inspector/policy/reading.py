"""Reads policies from JSON, completely or not at all."""

from collections.abc import Iterator
from math import isfinite

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Malformed
from inspector.json.pointer import child
from inspector.json.walk import walk
from inspector.policy.facts import path_of
from inspector.policy.operators import OPERATORS, SCALES, scale_of
from inspector.policy.rules import And, Condition, Effect, FactComparison, Not, Or, Policy, PolicyRule

MAX_DEPTH = 32
"""The maximum depth of nested conditions."""

_EFFECTS = {effect.value: effect for effect in Effect} | {"escalate": Effect.CONFIRM}
_NAMES = (*OPERATORS, "exists")


class _Wrong(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(reason)
        self.pointer = pointer
        self.reason = reason


def policy_of(value: Json, base: Policy | None = None) -> Policy | Malformed:
    """Parse the policy in `{"rules": [{"name", "effect", "conditions"}]}`.

    Returns a Malformed with the pointer to a fault and the reason, a text for the user that quotes the input.
    `base`: the policy whose rules come first if the input has `"extends": "default"`.
    """
    try:
        top = _object(value, "", required=("rules",), optional=("extends",))
        inherited = _inherited(top, base)
        return Policy(rules=(*inherited, *_rules(top["rules"], {rule.name for rule in inherited})))
    except _Wrong as wrong:
        return Malformed(pointer=wrong.pointer, reason=wrong.reason)


def _inherited(top: JsonObject, base: Policy | None) -> tuple[PolicyRule, ...]:
    if "extends" not in top:
        return ()
    if top["extends"] != "default" or base is None:
        raise _Wrong("/extends", '`extends` can only be "default"')
    return base.rules


def _rules(value: Json, taken: set[str]) -> Iterator[PolicyRule]:
    if not isinstance(value, list):
        raise _Wrong("/rules", "`rules` is not a list")
    for index, item in enumerate(value):
        pointer = child("/rules", index)
        rule = _rule(item, pointer)
        if rule.name in taken:
            raise _Wrong(pointer, f"the name {rule.name} is taken by an earlier rule")
        taken.add(rule.name)
        yield rule


def _rule(value: Json, pointer: str) -> PolicyRule:
    members = _object(value, pointer, required=("name", "effect", "conditions"), optional=("reason",))
    name, effect, reason = members["name"], members["effect"], members.get("reason", "")
    if not isinstance(name, str) or not name.strip():
        raise _Wrong(pointer, "`name` is not text, or is empty")
    if not isinstance(effect, str) or effect not in _EFFECTS:
        raise _Wrong(pointer, f"`effect` of {name} is not one of {', '.join(_EFFECTS)}")
    if not isinstance(reason, str):
        raise _Wrong(pointer, f"`reason` of {name} is not text")
    condition = _condition(members["conditions"], child(pointer, "conditions"), MAX_DEPTH)
    return PolicyRule(name=name, effect=_EFFECTS[effect], condition=condition, reason=reason)


def _condition(value: Json, pointer: str, depth: int) -> Condition:
    if not depth:
        raise _Wrong(pointer, f"conditions are nested more than {MAX_DEPTH} levels deep")
    if not isinstance(value, dict):
        raise _Wrong(pointer, _repeated(value) or "a condition is not an object")
    if "fact" in value:
        return _test(value, pointer)
    if len(value) != 1 or not value.keys() <= {"and", "or", "not"}:
        raise _Wrong(pointer, "a condition must be one of `and`, `or`, `not`, or a `fact` with an operator")
    ((name, inner),) = value.items()
    at = child(pointer, name)
    if name == "not":
        return Not(condition=_condition(inner, at, depth - 1))
    if not isinstance(inner, list) or not inner:
        raise _Wrong(at, f"`{name}` is not a list of one or more conditions")
    parts = tuple(_condition(each, child(at, index), depth - 1) for index, each in enumerate(inner))
    return And(conditions=parts) if name == "and" else Or(conditions=parts)


def _test(value: JsonObject, pointer: str) -> FactComparison:
    fact = value["fact"]
    path = path_of(fact) if isinstance(fact, str) else "is not text"
    if isinstance(path, str):
        raise _Wrong(pointer, f"the fact {fact if isinstance(fact, str) else ''} {path}".replace("  ", " "))
    operators = [key for key in value if key != "fact"]
    if len(operators) != 1 or operators[0] not in _NAMES:
        raise _Wrong(pointer, f"{path.text} takes exactly one of {', '.join(_NAMES)}")
    operator = operators[0]
    operand = value[operator]
    problem = _operand_problem(operator, operand, path.parts[-1])
    if problem:
        raise _Wrong(pointer, f"`{operator}` of {path.text} {problem}")
    return FactComparison(path=path, operator=operator, operand=operand)


def _operand_problem(operator: str, operand: Json, name: str) -> str:
    match operator:
        case "exists":
            return "" if isinstance(operand, bool) else "takes true or false"
        case "in" if not isinstance(operand, list) or not operand:
            return "takes a list of one or more values"
        case "at_least" if isinstance(operand, str):
            scale = scale_of(name)
            if not scale:
                return f"takes a number: words can be compared only for {', '.join(SCALES)}"
            return "" if operand in scale else f"takes one of {', '.join(scale)}"
        case "at_least" if isinstance(operand, bool) or not isinstance(operand, (int, float)):
            return "takes a number"
        case _:
            return _unusable(operand)


def _unusable(operand: Json) -> str:
    """The reason why a value cannot be compared with anything; empty if it can."""
    for value in walk(operand):
        if isinstance(value, DuplicateKeys):
            return f"has a duplicate key: {', '.join(value.repeated)}"
        if isinstance(value, float) and not isfinite(value):
            return "takes a finite number"
    return ""


def _object(
    value: Json, pointer: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> JsonObject:
    what = "a rule" if pointer else "the policy"
    if not isinstance(value, dict):
        raise _Wrong(pointer, _repeated(value) or f"{what} is not an object")
    for key in required:
        if key not in value:
            raise _Wrong(pointer, f"{what} lacks `{key}`")
    for key in value:
        if key not in {*required, *optional}:
            raise _Wrong(
                pointer,
                f"{what} has an unknown key `{key}`; the known keys are {', '.join((*required, *optional))}",
            )
    return value


def _repeated(value: Json) -> str:
    if isinstance(value, DuplicateKeys):
        return f"duplicate key: {', '.join(value.repeated)}"
    return ""
