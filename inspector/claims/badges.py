"""Badges: the traits that a list has room for, each a letter and a word."""

from collections.abc import Callable
from enum import StrEnum

from inspector.claims.traits import Trait, Traits


class Badge(StrEnum):
    """One badge, by its letter."""

    READ = "R"
    WRITE = "W"
    DELETE = "D"
    EXTERNAL = "X"
    SENSITIVE = "S"
    UNTRUSTED = "U"
    CONFIRM = "C"
    MALICIOUS = "M"

    @property
    def word(self) -> str:
        """What the letter stands for."""
        return self.name.lower()


def badges(traits: Traits) -> tuple[Badge, ...]:
    """The badges that `traits` earn, in the order of `Badge`. Defaults earn none: nobody claimed them."""
    return tuple(badge for badge, earned in _EARNED.items() if earned(traits))


def _is(trait: Trait) -> bool:
    return trait.value is True and not trait.defaulted


_EARNED: dict[Badge, Callable[[Traits], bool]] = {
    Badge.READ: lambda traits: traits.effect.value == "read",
    Badge.WRITE: lambda traits: traits.effect.value == "write",
    Badge.DELETE: lambda traits: traits.effect.value == "delete" or _is(traits.destructive),
    Badge.EXTERNAL: lambda traits: traits.effect.value == "external" or _is(traits.open_world),
    Badge.SENSITIVE: lambda traits: _is(traits.sensitive) or bool(traits.sensitive_positions.value),
    Badge.UNTRUSTED: lambda traits: _is(traits.untrusted),
    Badge.CONFIRM: lambda traits: _is(traits.confirm),
    Badge.MALICIOUS: lambda traits: _is(traits.malicious),
}
