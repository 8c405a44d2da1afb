"""What a walk withholds of one structured value: where, why, and the values themselves, to be searched for elsewhere."""

from collections.abc import Iterable

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.removals import Marked, Noted
from inspector.claims.claim import Claim
from inspector.json.exact import Json
from inspector.json.pointer import join
from inspector.schema.positions import Source

MAX_POINTER_CHARACTERS = 64_000_000
"""In all pointers of one result. With more, the result cannot be told apart piece by piece."""

SECRET: frozenset[str] = frozenset(
    {
        Rule.X_SENSITIVE,
        Rule.SECRET_REFERENCE,
        Rule.LABELLED,
        Rule.INVALID_OUTPUT,
        Rule.INTERNAL,
    }
)
"""Rules that withhold because somebody declared it or nobody can tell. Their values are searched for in all the rest;
what is merely undeclared, free text or metadata may well be said elsewhere. Those of `sensitive-hint` and `audience`
are searched for too, and kept apart."""

_TOO_MANY = "more is withheld than can be listed"


class UnjudgeableError(Exception):
    """A result that only withholding it whole is safe for. The message quotes nothing of it."""


class Secrets:
    """Withheld values that must not be said elsewhere either."""

    __slots__ = ("declared", "hinted", "personal")

    def __init__(self) -> None:
        self.declared: list[Json] = []
        """Those withheld for a reason of SECRET."""
        self.hinted: list[Json] = []
        """Those that are sensitive only since the whole result is declared to be."""
        self.personal: list[Json] = []
        """Those that are for the user alone, and shown there."""

    def add(self, rule: str, values: Iterable[Json]) -> "Secrets":
        """Add values that `rule` withholds, if they must not be said elsewhere."""
        if rule == Rule.SENSITIVE_HINT:
            self.hinted.extend(values)
        elif rule == Rule.AUDIENCE:
            self.personal.extend(values)
        elif rule in SECRET:
            self.declared.extend(values)
        return self

    def and_then(self, more: "Secrets") -> "Secrets":
        """These and more, as new lists."""
        both = Secrets()
        both.declared += [*self.declared, *more.declared]
        both.hinted += [*self.hinted, *more.hinted]
        both.personal += [*self.personal, *more.personal]
        return both


class Ledger:
    """Removals in the order of the walk."""

    def __init__(self, contract: Contract, root: str) -> None:
        self.root = root
        """Where the value that is walked now stands in the raw result."""
        self._contract = contract
        self._entries: list[Marked | Removal] = []
        self._values: list[Json] = []
        self._left = MAX_POINTER_CHARACTERS

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def removals(self) -> Noted:
        """All that was noted."""
        return Noted(self._entries, self._contract)

    @property
    def secrets(self) -> "Secrets":
        """The withheld values that must not be said elsewhere."""
        found = Secrets()
        for entry, value in zip(self._entries, self._values, strict=True):
            if isinstance(entry, Marked):
                found.declared.append(value)
            else:
                found.add(entry.rule, (value,))
        return found

    def spend(self, pointer: str) -> str:
        """`pointer`, counted. Raises UnjudgeableError past the bound."""
        self._left -= len(pointer)
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        return pointer

    def mark(
        self, above: str, token: str | int | None, source: Source, name: str | None, value: Json
    ) -> None:
        """Note a sensitive position. Raises UnjudgeableError past the bound."""
        self._left -= len(above) + (len(token) if isinstance(token, str) else 1)
        if self._left < 0:
            raise UnjudgeableError(_TOO_MANY)
        self._entries.append(Marked(above, token, source, name))
        self._values.append(value)

    def note(
        self,
        pointer: str,
        rule: Rule,
        detail: str,
        value: Json,
        *,
        name: str | None = None,
        claim: Claim | None = None,
    ) -> None:
        """Note anything else. Raises UnjudgeableError past the bound."""
        removal = Removal(pointer=self.spend(pointer), rule=rule, detail=detail, claim=claim, name=name)
        self._entries.append(removal)
        self._values.append(value)

    def note_at(
        self,
        path: tuple[str | int, ...],
        rule: Rule,
        detail: str,
        value: Json,
        *,
        hides_key: bool = False,
        claim: Claim | None = None,
    ) -> None:
        """`note` what stands at a path from the root, by the nearest name on its way.

        `hides_key`: whether the pointer must not tell its key.
        """
        names = self._contract.names
        name = next((str(token) for token in reversed(path) if token in names), None)
        to = path[:-1] if hides_key else path
        self.note(self.root + join(to), rule, detail, value, name=name, claim=claim)

    def forget(self, since: int) -> None:
        """Drop what was noted after the first `since`: something around it is withheld as a whole."""
        del self._entries[since:]
        del self._values[since:]
