"""The three boundaries."""

from enum import StrEnum


class Level(StrEnum):
    """How much is withheld."""

    OPEN = "open"
    """Nothing: what leaks today."""
    DECLARED = "declared"
    """What the declarations ask for. A deny-list: it fails open for what nobody declared."""
    CLOSED = "closed"
    """All but what a declared, non-sensitive schema position names."""
