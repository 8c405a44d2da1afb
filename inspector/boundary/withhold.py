"""Walks structured content with a deny-list: only values that are marked sensitive are withheld.

Copies only the parts that change.
"""

from typing import cast

from inspector.boundary.bounded import Rule
from inspector.boundary.removals import Ledger
from inspector.boundary.walking import (
    FROM_REFERENCE,
    GONE,
    ROWS,
    WITHHELD,
    Walked,
    WalkStep,
    fault_of,
    is_plain,
    is_reference,
    left_of_flat,
    left_of_rows,
    note_mark,
    note_other,
    secret_of,
)
from inspector.json.exact import Json, JsonObject
from inspector.schema.nodes import SCALARS
from inspector.schema.positions import Position, Source


def withhold(value: Json, position: Position, ledger: Ledger) -> Walked:
    """`value` without the parts that are sensitive or cannot be read; `value` itself if there are none.

    Removals go to `ledger`. Raises UnjudgeableError if there are too many.
    """
    return _Walk(ledger).run(value, position)


class _Walk:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._whole = Walked(value=None)

    def run(self, value: Json, position: Position) -> Walked:
        self._whole = Walked(value=value)
        if position.sensitive:
            self._mark(None, 0, position, position.sensitive, value)
            return self._whole
        first = None if type(value) in SCALARS else self._enter(None, 0, value, position)
        stack = [first] if first else []
        while stack:
            step = stack[-1]
            entered = self._judge_members(step) or self._judge_items(step)
            if entered:
                stack.append(entered)
            else:
                step.finish()
                stack.pop()
        return Walked(value=first.left) if first else self._whole

    def _judge_members(self, step: WalkStep) -> WalkStep | None:
        """Judge members up to the next container to enter. Returns the step into it; None after the last."""
        position = step.position
        known = position.by_key
        for key, value in step.members:
            below = known.get(key) or position.step(key)
            if below.sensitive is not None:
                self._mark(step, key, below, below.sensitive, value)
            elif type(value) not in SCALARS and not self._judge_flat(step, key, below, value):
                entered = self._enter(step, key, value, below)
                if entered:
                    return entered
        return None

    def _judge_items(self, step: WalkStep) -> WalkStep | None:
        """Judge items up to the next container to enter. Returns the step into it; None after the last."""
        item = step.position.item
        for index, value in step.items:
            if not index % ROWS and (rows := left_of_rows(step, index, self._ledger, declared=False)):
                if rows[0] is not value:
                    _own(step)
                    cast("list[Json]", step.left)[index : index + len(rows)] = rows
                step.skip_items(len(rows) - 1)
                continue
            below = item(index)
            if below.sensitive is not None:
                # The placeholder of an earlier boundary is harmless from any sender.
                if value != WITHHELD:
                    self._mark(step, index, below, below.sensitive, value)
            elif type(value) not in SCALARS and not self._judge_flat(step, index, below, value):
                entered = self._enter(step, index, value, below)
                if entered:
                    return entered
        return None

    def _judge_flat(self, step: WalkStep, token: str | int, position: Position, value: Json) -> bool:
        """Judge a container at once if it holds only scalars. Returns true if it was judged."""
        left = left_of_flat(step, token, position, value, self._ledger, declared=False)
        if left is not None and left is not value:
            _own(step)
            step.put(token, left)
        return left is not None

    def _enter(
        self, above: WalkStep | None, token: str | int, value: Json, position: Position
    ) -> WalkStep | None:
        """Enter a container. Returns the step into it, or None if the container is judged as a whole."""
        ahead = position.harmless and (above is None or not above.position.harmless)
        if ahead and is_plain(value):
            return None
        if isinstance(value, list):
            return WalkStep(above, token, position, value, value)
        if not isinstance(value, dict):
            note_other(self._ledger, above, token, Rule.INTERNAL, fault_of(value), value)
            self._drop(above, token)
        elif is_reference(value):
            self._strip(above, token, position, value)
        elif keys := position.keys:
            self._mark(above, token, position, keys, value)
        else:
            return WalkStep(above, token, position, value, value)
        return None

    def _mark(
        self, above: WalkStep | None, token: str | int, position: Position, source: Source, value: Json
    ) -> None:
        note_mark(self._ledger, above, token, position, source, value)
        self._drop(above, token)

    def _strip(self, above: WalkStep | None, token: str | int, position: Position, value: JsonObject) -> None:
        """Keep only the type and the label of a secret reference."""
        step = WalkStep(above, token, position, value, {})
        for key, inner in value.items():
            below = position.step(key)
            if key in {"type", "label"} and isinstance(inner, str) and not below.sensitive:
                step.put(key, inner)
            else:
                note_other(
                    self._ledger, step, key, Rule.SECRET_REFERENCE, FROM_REFERENCE, secret_of(key, inner)
                )
        if len(step.left) == len(value):
            return
        if above is None:
            self._whole = Walked(value=step.left)
        else:
            _own(above)
            above.put(token, step.left)

    def _drop(self, above: WalkStep | None, token: str | int) -> None:
        if above is None:
            self._whole = GONE
            return
        _own(above)
        if isinstance(above.left, dict):
            del above.left[str(token)]
        else:
            above.put(token, WITHHELD)
            above.dropped.append(int(token))


def _own(step: WalkStep) -> None:
    """Replace the remaining part of `step`, and of each step above it, by a copy that may be changed."""
    below: WalkStep | None = None
    at: WalkStep | None = step
    while at:
        fresh = at.left is at.raw
        if fresh:
            at.left = dict(at.raw) if isinstance(at.raw, dict) else list(at.raw)
        if below:
            at.put(below.token, below.left)
        if not fresh:
            return
        below, at = at, at.above
