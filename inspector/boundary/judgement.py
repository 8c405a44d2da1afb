"""The judgement of one answer: what the boundary makes of it at each level, computed once and kept."""

from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.output_check import NOT_ASKED, OutputCheck, checked_output, safe_output
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome

if TYPE_CHECKING:
    from inspector.schema.validation import SchemaCheck

KEPT = 3
"""Bounded results that one judgement keeps: a large result is not held at every level that was ever looked at."""


class Judgement:
    """One answer and the tool that gave it. Threads may share it: each bounded result is computed by one of them."""

    __slots__ = (
        "_bounded",
        "_checked",
        "_contract",
        "_known",
        "_lock",
        "_secrets",
        "nonce",
        "outcome",
        "tool",
    )

    def __init__(
        self,
        outcome: Outcome,
        tool: Tool | None,
        *,
        nonce: str = "",
        contract: Contract | None = None,
        output: OutputCheck | None = None,
    ) -> None:
        """`nonce`: delimits untrusted text. `contract`: of `tool`, where it is known already.

        `output`: the comparison with the output schema, where it is not to be made here: of a recording that does not
        hold all that the server sent.
        """
        self.outcome = outcome
        self.tool = tool
        self.nonce = nonce
        self._contract = contract
        self._known = output
        self._checked: SchemaCheck | bool = False
        """What breaks the output schema; True where that was not asked."""
        self._bounded: dict[tuple[Level, BoundaryPolicy], Bounded] = {}
        self._secrets: dict[BoundaryPolicy, Sequence[Removal]] = {}
        self._lock = RLock()

    @property
    def contract(self) -> Contract:
        """What the tool declares."""
        with self._lock:
            if self._contract is None:
                self._contract = contract_of(self.tool)
            return self._contract

    def bounded(self, level: Level, policy: BoundaryPolicy = DEFAULT_POLICY) -> Bounded:
        """The bounded result. Takes time in proportion to the result, unless it is kept. Never raises."""
        with self._lock:
            key = level, policy
            found = self._bounded.pop(key, None)
            if found is None:
                found = bound(
                    self.outcome,
                    self.tool,
                    level,
                    policy=policy,
                    declared=self.contract,
                    nonce=self.nonce,
                )
            self._bounded[key] = found
            if len(self._bounded) > KEPT:
                del self._bounded[next(iter(self._bounded))]
            return found

    def secrets(self, policy: BoundaryPolicy = DEFAULT_POLICY) -> Sequence[Removal]:
        """The removals by which the raw result is masked: those of `declared`, whatever the level and the rules about it.

        `open` has none, and `closed` withholds whole blocks as undeclared that `declared` knows to be secret.
        """
        about = policy.about_secrets
        with self._lock:
            found = self._secrets.get(about)
            if found is None:
                found = self._secrets[about] = self.bounded(Level.DECLARED, about).removals
            return found

    def output(self, level: Level, policy: BoundaryPolicy = DEFAULT_POLICY) -> OutputCheck:
        """The result compared with the output schema of its tool; quotes nothing that this boundary withholds.

        Takes seconds at most, the first time. Never raises.
        """
        with self._lock:
            if self._known is not None:
                return self._known
            if self._checked is False:
                self._checked = checked_output(self.outcome, self.contract) or True
            if isinstance(self._checked, bool):
                return NOT_ASKED
            if not self._checked.violations:
                return OutputCheck(unchecked=self._checked.unchecked)
            return safe_output(self._checked, self.secrets(policy), self.bounded(level, policy).removals)
