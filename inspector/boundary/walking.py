"""The common parts of the walks over structured content, and a shortcut for containers of scalars."""

from itertools import islice
from operator import itemgetter
from typing import NamedTuple, cast

from msgspec import Struct

from inspector.boundary.bounded import Rule
from inspector.boundary.removals import Ledger, MarkedRows
from inspector.claims.claim import Claim
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.schema.nodes import SCALARS
from inspector.schema.positions import Position, Source

WITHHELD = "[withheld]"
"""Replaces a withheld item of an array, if omitting it would move later items."""
REFERENCE = "secret_reference"
FROM_REFERENCE = "the model sees only the label of a secret reference"

DUPLICATE_KEY = "an object has a duplicate key, so its meaning is ambiguous"
_NOT_JSON = "it is not a JSON value"


class Walked(Struct, frozen=True, kw_only=True):
    """The part of a structured value that remains after withholding."""

    value: Json
    """What remains: the raw value itself if nothing was withheld. May share parts with the raw value."""
    gone: bool = False
    """True if nothing remains."""


GONE = Walked(value=None, gone=True)


class WalkStep:
    """A container during a walk: its remaining part, its position in the schema, and the members not yet judged."""

    __slots__ = (
        "above",
        "dropped",
        "items",
        "left",
        "made_pointer",
        "members",
        "name",
        "position",
        "raw",
        "token",
    )

    def __init__(
        self,
        above: "WalkStep | None",
        token: str | int,
        position: Position,
        raw: JsonObject | list[Json],
        left: JsonObject | list[Json],
    ) -> None:
        self.above = above
        self.token = token
        """The key or index of this container in the container above."""
        self.position = position
        self.raw = raw
        self.left = left
        """What passes of this container: built by the walk, or `raw` itself until something is withheld."""
        self.members = iter(raw.items() if isinstance(raw, dict) else ())
        """For an object: the members not yet judged."""
        self.items = enumerate(raw if isinstance(raw, list) else ())
        """For an array: the items not yet judged."""
        self.dropped: list[int] = []
        """For an array: the indices of withheld items."""
        self.name: str | None = above.name_of(token) if above else None
        """The key of this container, or of the array around it; None if the schema does not name that key."""
        self.made_pointer: str | None = None
        """The pointer to this container in the raw result; None until it is computed."""

    def name_of(self, token: str | int) -> str | None:
        """The key `token`; None if the schema does not name it. For an index, the name of this array."""
        if isinstance(token, int):
            return self.name
        return token if token in self.position.names else None

    def pointer(self, ledger: Ledger) -> str:
        missing: list[WalkStep] = []
        step = self
        while step.above and step.made_pointer is None:
            missing.append(step)
            step = step.above
        pointer = step.made_pointer
        if pointer is None:
            pointer = step.made_pointer = ledger.spend(ledger.root)
        for below in reversed(missing):
            pointer = below.made_pointer = ledger.spend(child(pointer, below.token))
        return pointer

    def pointer_to(self, token: str | int, ledger: Ledger) -> str:
        return child(self.pointer(ledger), token)

    def put(self, token: str | int, value: Json) -> None:
        """Set the value at `token`. Changes `left`, which must not be `raw`."""
        if isinstance(self.left, dict):
            self.left[str(token)] = value
        else:
            self.left[int(token)] = value

    def skip_items(self, count: int) -> None:
        """Skip the next `count` items of an array."""
        next(islice(self.items, count, count), None)

    def finish(self) -> None:
        """Drop the placeholders of withheld items at the end of an array. No other item changes its index."""
        while self.dropped and self.dropped[-1] == len(self.left) - 1:
            self.dropped.pop()
            if isinstance(self.left, list):
                self.left.pop()


def note_mark(
    ledger: Ledger,
    above: WalkStep | None,
    token: str | int,
    position: Position,
    source: Source,
    value: Json,
) -> None:
    """Add the removal of a sensitive `value` at the key or index `token` to `ledger`."""
    if above is None:
        ledger.mark(ledger.root, None, source, None, value)
    elif position.hides_key:
        # A pointer to the value would reveal the key.
        ledger.mark(above.pointer(ledger), None, source, None, [str(token), value])
    else:
        ledger.mark(above.pointer(ledger), token, source, above.name_of(token), value)


def note_other(
    ledger: Ledger,
    above: WalkStep | None,
    token: str | int,
    rule: Rule,
    detail: str,
    value: Json,
    claim: Claim | None = None,
) -> None:
    """Add the removal of `value` at the key or index `token` to `ledger`, by another rule than `x-sensitive`."""
    pointer = above.pointer_to(token, ledger) if above else ledger.root
    ledger.note(pointer, rule, detail, value, name=above.name_of(token) if above else None, claim=claim)


def fault_of(value: Json) -> str:
    """The reason why a value other than a scalar, list or dict cannot be judged."""
    return DUPLICATE_KEY if isinstance(value, DuplicateKeys) else _NOT_JSON


def is_reference(value: JsonObject) -> bool:
    """True for a secret reference, well formed or not."""
    return value.get("type") == REFERENCE


def secret_of(key: str, value: Json) -> Json:
    """The secret part of one member of a secret reference: `value`, or null if the member is not secret.

    `key`: the key of the member. The members `type`, `label` and `ttl` are not secret.
    """
    return None if key in {"type", "label", "ttl"} else value


def is_plain(value: Json) -> bool:
    """True if `value` is JSON without duplicate keys or secret references at any depth."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if item.get("type") == REFERENCE:
                return False
            inner = item.values()
        elif isinstance(item, list):
            inner = item
        elif type(item) in SCALARS:
            continue
        else:
            return False
        for below in inner:
            if type(below) not in SCALARS:
                stack.append(below)  # noqa: PERF401 - a comprehension is slower where most are scalars
    return True


def left_of_flat(
    above: WalkStep, token: str | int, position: Position, value: Json, ledger: Ledger, *, declared: bool
) -> Json:
    """The part of a container of scalars that passes; `value` itself if all of it passes.

    None if the members must be judged one by one. `declared`: true if only typed positions pass. `position`:
    the position of the container, which is not sensitive and, with `declared`, has the type of the container.
    """
    if isinstance(value, dict):
        return _left_of_object(above, token, position, value, ledger, declared=declared)
    item = position.every_item
    if not isinstance(value, list) or item is None or item.sensitive is not None:
        return None
    passing = item.plain if declared else SCALARS
    return value if passing.issuperset(map(type, value)) else None


def _left_of_object(
    above: WalkStep,
    token: str | int,
    position: Position,
    value: JsonObject,
    ledger: Ledger,
    *,
    declared: bool,
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


def left_of_rows(step: WalkStep, index: int, ledger: Ledger, *, declared: bool) -> list[Json]:
    """The passing parts of the next items of an array, from `index` on.

    Empty if the items must be judged one by one.

    Objects of scalars that all have the same keys are judged together, column by column. `declared`: true if
    only typed positions pass.
    """
    rows = cast("list[JsonObject]", step.raw)[index : index + ROWS]
    position = step.position.every_item
    if (
        len(rows) < _FEW
        or position is None
        or position.sensitive is not None
        or {dict} != set(map(type, rows))
    ):
        return []
    if declared and not position.declares_object:
        return []
    keys, *others = {tuple(row) for row in rows}
    plan = None if others else _plan_of(position, keys, declared=declared)
    if plan is None or (plan.may_be_reference and any(map(is_reference, rows))):
        return []
    for key, kinds in zip(keys, plan.kinds, strict=True):
        if not kinds.issuperset(map(type, map(itemgetter(key), rows))):
            return []
    if not plan.marked:
        return cast("list[Json]", rows)
    left = [row.copy() for row in rows]
    columns = [[row.pop(key) for row in left] for key, _, _ in plan.marked]
    marked = MarkedRows(step.pointer(ledger), index, len(rows), plan.marked)
    ledger.mark_rows(marked, [value for row in zip(*columns, strict=True) for value in row])
    return cast("list[Json]", left)


class _Plan(NamedTuple):
    """How to judge objects of scalars with the same keys: which members are sensitive, and which types pass."""

    marked: tuple[tuple[str, Source, str | None], ...]
    kinds: tuple[frozenset[type], ...]
    """The types that pass, for each member."""
    may_be_reference: bool


def _plan_of(position: Position, keys: tuple[str, ...], *, declared: bool) -> _Plan | None:
    """What to do with objects of scalars that have these keys; None if they must be read one by one."""
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


ROWS, _FEW = 1_000, 8
"""The maximum number of array items that are judged together, and the minimum for which this is faster."""
_REMEMBERED = 1_000
"""The maximum number of cached plans per position. The objects of a result mostly share a few key sets."""
