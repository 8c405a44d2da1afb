"""The judgement of one answer: what each boundary level lets through, computed once and cached."""

from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.boundary.bound import FoundSecrets, bound
from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.output_check import NOT_ASKED, OutputCheck, checked_output, safe_output
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome

if TYPE_CHECKING:
    from inspector.schema.validation import SchemaCheck

CACHED = 3
"""The maximum number of bounded results that a judgement caches, because results can be large."""


class Judgement:
    """What each boundary level makes of one answer of a tool.

    Thread-safe: each bounded result is computed by one thread, for which other threads wait.
    """

    __slots__ = (
        "_bounded",
        "_checked",
        "_contract",
        "_found",
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
        """`nonce`: the random value in the markers around untrusted text.

        `contract`: the contract of `tool`, if already computed.

        `output`: the check against the output schema, if it was made before. The check cannot be repeated on
        a recording, which lacks some of the values that the server sent.
        """
        self.outcome = outcome
        self.tool = tool
        self.nonce = nonce
        self._contract = contract
        self._known = output
        self._checked: SchemaCheck | bool = False
        """The check of the result; False until it is made, True if `checked_output` returned None."""
        self._bounded: dict[tuple[Level, BoundaryPolicy], Bounded] = {}
        self._found: dict[BoundaryPolicy, FoundSecrets] = {}
        self._secrets: dict[BoundaryPolicy, Sequence[Removal]] = {}
        self._lock = RLock()

    @property
    def contract(self) -> Contract:
        with self._lock:
            if self._contract is None:
                self._contract = contract_of(self.tool)
            # A recording does not say that a listed tool belongs to a page.
            of_page = not isinstance(self.outcome, Failure) and self.outcome.of_page
            if of_page and not self._contract.is_of_page:
                self._contract = replace(self._contract, is_of_page=True)
            return self._contract

    def bounded(self, level: Level, policy: BoundaryPolicy = DEFAULT_POLICY) -> Bounded:
        """The bounded result. The cost is linear in the result, unless it is cached. Never raises."""
        with self._lock:
            key = level, policy
            bounded = self._bounded.pop(key, None)
            if bounded is None:
                if level is Level.CLOSED and policy == policy.about_secrets:
                    # `declared` is needed too, for masking, and finds the values that `closed` searches for.
                    self.secrets(policy)
                bounded = bound(
                    self.outcome,
                    self.tool,
                    level,
                    policy=policy,
                    declared=self.contract,
                    nonce=self.nonce,
                    found=self._found.setdefault(policy, FoundSecrets()),
                )
            self._bounded[key] = bounded
            if len(self._bounded) > CACHED:
                del self._bounded[next(iter(self._bounded))]
            return bounded

    def secrets(self, policy: BoundaryPolicy = DEFAULT_POLICY) -> Sequence[Removal]:
        """The removals with which the raw result is masked on the screen, at any boundary level.

        They are the removals of level `declared` with the policy `policy.about_secrets`.

        Level `open` has no removals. The removals of level `closed` do not suffice: they are often of whole
        blocks, and do not say which parts of a block are secrets.
        """
        about = policy.about_secrets
        with self._lock:
            secrets = self._secrets.get(about)
            if secrets is None:
                secrets = self._secrets[about] = self.bounded(Level.DECLARED, about).removals
            return secrets

    @property
    def breaks_schema(self) -> bool:
        """True if the result is known to break the protocol or the output schema.

        False until `output` is called. Takes no time.
        """
        if self._known is not None:
            return bool(self._known.violations)
        return not isinstance(self._checked, bool) and bool(self._checked.violations)

    def output(
        self, level: Level, policy: BoundaryPolicy = DEFAULT_POLICY, *, quote: bool = True
    ) -> OutputCheck:
        """The check of the result against the protocol and the output schema of its tool.

        Quotes nothing that `level` withholds. `quote`: false to quote no value at all.

        The first call can take seconds. Never raises.
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
            return safe_output(
                self._checked, self.secrets(policy), self.bounded(level, policy).removals, quote=quote
            )
