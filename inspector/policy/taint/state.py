"""The trust of an agent session: the join over all results that it has taken in, from whichever server.

Source: SEP-1913, Terminology (agent session) and Propagation Rules. A state is a set of marks and the join is their
union, so that it is associative, commutative and idempotent, and nothing in it is ever taken back.
"""

from dataclasses import dataclass
from enum import StrEnum


class MarkKind(StrEnum):
    """What a result can bring into a session; the values are words that may be shown."""

    OPEN_WORLD = "open-world"
    UNTRUSTED = "untrusted"
    MALICIOUS = "malicious"
    SENSITIVE = "sensitive"
    DATA_CLASS = "data class"
    ATTRIBUTION = "attribution"
    UNNAMED_SOURCES = "unnamed sources"
    """Sources beyond those that are kept, or that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Origin:
    """The call that brought something in."""

    call: int
    """Counts from 1 over all servers. A new agent session counts on."""
    server: str
    """What was connected to, in the user's words; never the name that the server gives itself."""
    tool: str
    """Foreign text."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mark:
    """One thing that one call brought in."""

    kind: MarkKind
    origin: Origin
    value: str = ""
    """The data class or the source, which is foreign text; empty for the other kinds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTrust:
    """What a session has taken in. A new session starts with `SessionTrust()`."""

    marks: frozenset[Mark] = frozenset()

    def join(self, other: "SessionTrust") -> "SessionTrust":
        """Both together."""
        return SessionTrust(marks=self.marks | other.marks)

    @property
    def open_world(self) -> bool:
        """Whether anything came from an open world."""
        return self.has(MarkKind.OPEN_WORLD)

    @property
    def untrusted(self) -> bool:
        """Whether anything was untrusted, or from an open world: on a result both say the same of the data."""
        return self.has(MarkKind.UNTRUSTED) or self.open_world

    @property
    def malicious(self) -> bool:
        """Whether any result was said to hold an attack."""
        return self.has(MarkKind.MALICIOUS)

    @property
    def sensitive(self) -> bool:
        """Whether any result was sensitive."""
        return self.has(MarkKind.SENSITIVE)

    @property
    def data_classes(self) -> tuple[str, ...]:
        """Every class of data, sorted. Foreign text."""
        return self.values(MarkKind.DATA_CLASS)

    @property
    def attribution(self) -> tuple[str, ...]:
        """Every source that was named, sorted. Foreign text."""
        return self.values(MarkKind.ATTRIBUTION)

    @property
    def servers(self) -> tuple[str, ...]:
        """The servers that brought any of it, sorted."""
        return tuple(sorted({mark.origin.server for mark in self.marks}))

    def has(self, kind: MarkKind) -> bool:
        """Whether there is a mark of that kind."""
        return any(mark.kind is kind for mark in self.marks)

    def values(self, kind: MarkKind) -> tuple[str, ...]:
        """The distinct values of the marks of one kind, sorted."""
        return tuple(sorted({mark.value for mark in self.marks if mark.kind is kind}))

    def since(self, kind: MarkKind) -> Origin | None:
        """The first call that brought a mark of that kind; None where none did."""
        return min((mark.origin for mark in self.marks if mark.kind is kind), default=None)

    @property
    def untrusted_since(self) -> Origin | None:
        """The first call that brought in anything untrusted, or from an open world; None where none did."""
        found = (self.since(MarkKind.UNTRUSTED), self.since(MarkKind.OPEN_WORLD))
        return min((origin for origin in found if origin is not None), default=None)
