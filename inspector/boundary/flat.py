"""The shortcut for containers that hold scalars alone, which large results mostly consist of.

It does nothing that entering them would not do, in a third of the time.
"""

from typing import NamedTuple, cast

from inspector.boundary.ledger import Ledger
from inspector.boundary.walking import Step, is_reference
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.schema.nodes import SCALARS
from inspector.schema.positions import Position, Source


def left_of_flat(
    above: Step, token: str | int, position: Position, value: Json, ledger: Ledger, *, declared: bool
) -> Json:
    """What passes of a flat container, `value` itself where all does; None where it has to be entered.

    `position`: its own, not sensitive and, where only typed positions pass (`declared`), one for its kind.
    """
    if isinstance(value, dict):
        return _left_of_object(above, token, position, value, ledger, declared=declared)
    item = position.every_item
    if not isinstance(value, list) or item is None or item.sensitive is not None:
        return None
    passing = item.plain if declared else SCALARS
    return value if passing.issuperset(map(type, value)) else None


def _left_of_object(
    above: Step, token: str | int, position: Position, value: JsonObject, ledger: Ledger, *, declared: bool
) -> JsonObject | None:
    plan = _plan_of(position, tuple(value), declared=declared)
    if plan is None or (plan.may_be_reference and is_reference(value)):
        return None
    if declared:
        for inner, kinds in zip(value.values(), plan.kinds, strict=True):
            if type(inner) not in kinds:
                return None
    elif not SCALARS.issuperset(map(type, value.values())):
        return None
    if not plan.marked:
        return value
    left = value.copy()
    pointer = child(above.pointer(ledger), token)
    for key, source, name in plan.marked:
        ledger.mark(pointer, key, source, name, left.pop(key))
    return left


class _Plan(NamedTuple):
    """What becomes of the members of an object with certain keys, if all are scalars."""

    marked: tuple[tuple[str, Source, str | None], ...]
    kinds: tuple[frozenset[type], ...]
    """For each member, the types that pass unseen."""
    may_be_reference: bool


def _plan_of(position: Position, keys: tuple[str, ...], *, declared: bool) -> _Plan | None:
    """Remembered with the position; None where such objects have to be entered."""
    plans = cast("dict[tuple[bool, tuple[str, ...]], _Plan | None]", position.plans)
    asked = (declared, keys)
    if asked in plans:
        return plans[asked]
    plan = _made_plan(position, keys, declared=declared)
    if len(plans) < _REMEMBERED:
        plans[asked] = plan
    return plan


def _made_plan(position: Position, keys: tuple[str, ...], *, declared: bool) -> _Plan | None:
    if position.keys is not None:
        return None
    marked: list[tuple[str, Source, str | None]] = []
    kinds: list[frozenset[type]] = []
    for key in keys:
        below = position.step(key)
        if below.hides_key:
            return None
        if below.sensitive is not None:
            marked.append((key, below.sensitive, key if key in position.names else None))
        kinds.append(below.plain if declared and below.sensitive is None else SCALARS)
    return _Plan(tuple(marked), tuple(kinds), "type" in keys)


_REMEMBERED = 1_000
"""Sets of keys for each position; objects of a result mostly share a few."""
