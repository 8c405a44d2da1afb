"""Walks structured content with an allow-list: only declared parts are copied, field by field."""

from msgspec import Struct

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
    is_reference,
    left_of_flat,
    left_of_rows,
    note_mark,
    note_other,
    secret_of,
)
from inspector.claims.claim import Claim
from inspector.json.exact import Json, JsonObject
from inspector.schema.nodes import SCALARS
from inspector.schema.positions import Position, Source


class Gate(Struct, frozen=True, kw_only=True):
    """The conditions under which a value may reach the model."""

    declared: bool
    """True if a value passes only where the output schema gives it a type."""
    hint: Claim | None
    """The claim that makes every position sensitive except those marked `"x-sensitive": false`; None if there is none.
    """


def construct(value: Json, position: Position, ledger: Ledger, gate: Gate) -> Walked:
    """Build a new value from the passing parts of `value`.

    If `gate.hint` is set, a container of which no part passes is withheld too. Removals go to `ledger`.
    Raises UnjudgeableError if there are too many.
    """
    return _Walk(ledger, gate).run(value, position)


class _Built(WalkStep):
    """A container under construction."""

    __slots__ = ("noted", "passed")

    def __init__(
        self,
        above: WalkStep | None,
        token: str | int,
        position: Position,
        raw: JsonObject | list[Json],
        noted: int,
    ) -> None:
        WalkStep.__init__(self, above, token, position, raw, {} if isinstance(raw, dict) else [])
        self.noted = noted
        """The number of removals listed before this container."""
        self.passed = False
        """True if a value in this container passed."""

    def add(self, token: str | int, value: Json) -> None:
        if isinstance(self.left, list):
            self.left.append(value)
        else:
            self.left[str(token)] = value

    def skip(self, token: str | int) -> None:
        if isinstance(self.left, list):
            self.dropped.append(int(token))
            self.left.append(WITHHELD)


class _Walk:
    def __init__(self, ledger: Ledger, gate: Gate) -> None:
        self._ledger = ledger
        self._gate = gate
        self._whole = GONE

    def run(self, value: Json, position: Position) -> Walked:
        first = self._judge(None, 0, value, position)
        stack = [first] if first else []
        while stack:
            entered = self._advance(stack[-1])
            if entered:
                stack.append(entered)
            else:
                self._leave(stack.pop(), stack[-1] if stack else None)
        return self._whole

    def _advance(self, step: _Built) -> _Built | None:
        """Judge the content of a container up to the next container to enter. Returns the step into it, if any."""
        for key, value in step.members:
            entered = self._judge(step, key, value, step.position.step(key))
            if entered:
                return entered
        for index, value in step.items:
            if self._judge_rows(step, index):
                continue
            if value == WITHHELD:
                # The placeholder of an earlier boundary is harmless from any sender.
                step.add(index, value)
                continue
            entered = self._judge(step, index, value, step.position.item(index))
            if entered:
                return entered
        return None

    def _judge_rows(self, step: _Built, index: int) -> bool:
        """Judge the next items of an array together, if they are similar enough; False if they are not."""
        if index % ROWS or self._gate.hint:
            return False
        rows = left_of_rows(step, index, self._ledger, declared=True)
        for row in rows:
            step.add(index, row)
        step.skip_items(max(0, len(rows) - 1))
        return bool(rows)

    def _leave(self, step: _Built, above: _Built | None) -> None:
        """Add a finished container to the one above it; if a hint is set and no part passes, withhold it."""
        step.finish()
        if self._gate.hint and not step.passed:
            self._ledger.forget(step.noted)
            self._note(above, step.token, Rule.SENSITIVE_HINT, step.raw)
        elif above is None:
            self._whole = Walked(value=step.left)
        else:
            above.add(step.token, step.left)
            above.passed = True

    def _judge(
        self, above: _Built | None, token: str | int, value: Json, position: Position
    ) -> _Built | None:
        """Judge one value; return the step into it if the decision depends on its content."""
        if position.sensitive:
            self._mark(above, token, position, position.sensitive, value)
        elif type(value) in SCALARS:
            rule = self._scalar_rule(value, position)
            if rule:
                self._note(above, token, rule, value)
            elif above:
                above.add(token, value)
                above.passed = True
            else:
                self._whole = Walked(value=value)
        elif isinstance(value, (dict, list)):
            return self._enter(above, token, value, position)
        else:
            self._note(above, token, Rule.INTERNAL, value, fault_of(value))
        return None

    def _scalar_rule(self, value: Json, position: Position) -> Rule | None:
        """The rule that withholds a scalar; None if it passes."""
        if self._gate.hint and not position.released:
            return Rule.SENSITIVE_HINT
        if not self._gate.declared or type(value) in position.plain:
            return None
        return None if position.admits(value) else Rule.UNDECLARED

    def _enter(
        self, above: _Built | None, token: str | int, value: JsonObject | list[Json], position: Position
    ) -> _Built | None:
        is_object = isinstance(value, dict)
        if is_object and is_reference(value):
            self._note(
                above, token, Rule.SECRET_REFERENCE, [secret_of(key, inner) for key, inner in value.items()]
            )
        elif is_object and (keys := position.keys):
            self._mark(above, token, position, keys, value)
        elif self._gate.hint and position.unreleased:
            self._note(above, token, Rule.SENSITIVE_HINT, value)
        elif self._gate.declared and not (position.declares_object if is_object else position.declares_array):
            self._note(above, token, Rule.UNDECLARED, value)
        elif (
            above is None
            or self._gate.hint
            or (left := left_of_flat(above, token, position, value, self._ledger, declared=True)) is None
        ):
            return _Built(above, token, position, value, len(self._ledger))
        else:
            above.add(token, left)
        return None

    def _mark(
        self, above: _Built | None, token: str | int, position: Position, source: Source, value: Json
    ) -> None:
        note_mark(self._ledger, above, token, position, source, value)
        if above:
            above.skip(token)

    def _note(
        self, above: _Built | None, token: str | int, rule: Rule, value: Json, detail: str = ""
    ) -> None:
        claim = self._gate.hint if rule is Rule.SENSITIVE_HINT else None
        note_other(self._ledger, above, token, rule, detail or _DETAILS[rule], value, claim)
        if above:
            above.skip(token)


_DETAILS = {
    Rule.SENSITIVE_HINT: 'the result is declared sensitive, and no `"x-sensitive": false` in the output schema releases this value',
    Rule.SECRET_REFERENCE: FROM_REFERENCE,
    Rule.UNDECLARED: "the output schema describes no value of this type at this place",
}
