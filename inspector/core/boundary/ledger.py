"""The removals of one structured value, as a walk finds them."""

from inspector.core.boundary.bounded import Removal, Rule
from inspector.core.boundary.contract import Contract
from inspector.core.claims.claim import Claim
from inspector.core.schema.positions import Source

MAX_POINTER_CHARACTERS = 64_000_000
"""In all pointers of one result. With more, the result cannot be told apart piece by piece."""


_TOO_MANY = "more is withheld than can be listed"


class UnjudgeableError(Exception):
    """A result that only withholding it whole is safe for. The message quotes nothing of it."""


class Ledger:
    """Removals in the order of the walk."""

    def __init__(self, contract: Contract, root: str) -> None:
        self.removals: list[Removal] = []
        self.root = root
        """Where the value that is walked now stands in the raw result."""
        self._contract = contract
        self._claims: dict[Source, Claim | None] = {}
        self._left = MAX_POINTER_CHARACTERS

    def spend(self, pointer: str) -> str:
        """`pointer`, counted. Raises UnjudgeableError past the bound."""
        self._left -= len(pointer)
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        return pointer

    def mark(self, pointer: str, source: Source, name: str | None) -> None:
        """Note a sensitive position. Raises UnjudgeableError past the bound."""
        if source not in self._claims:
            self._claims[source] = self._contract.claim_at(source)
        self._left -= len(pointer)
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        self.removals.append(
            Removal(
                pointer=pointer,
                rule=Rule.X_SENSITIVE,
                detail=source.reason,
                claim=self._claims[source],
                schema_pointer=source.schema_pointer,
                name=name,
            )
        )

    def note(
        self, pointer: str, rule: Rule, detail: str, *, name: str | None = None, claim: Claim | None = None
    ) -> None:
        """Note anything else. Raises UnjudgeableError past the bound."""
        removal = Removal(pointer=self.spend(pointer), rule=rule, detail=detail, claim=claim, name=name)
        self.removals.append(removal)
