"""The levels of the boundary, and settings that make them stricter."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace


class Level(StrEnum):
    """A boundary level: how much of a result is withheld."""

    OPEN = "open"
    """Nothing is withheld, which shows what leaks without a boundary."""
    DECLARED = "declared"
    """Values that declarations mark as sensitive are withheld. Undeclared values pass."""
    CLOSED = "closed"
    """Only values that the output schema describes and that no declaration marks as sensitive pass."""


class BoundaryPolicy(Struct, frozen=True, kw_only=True):
    """Settings that make the boundary withhold more than by default.

    Only a `sensitivity_threshold` above the default lets more pass.
    """

    sensitivity_threshold: str = "confidential"
    """A result is withheld if its declared resultSensitivity is this level or a higher one."""
    withhold_private: bool = False
    """True to withhold content that the vocabulary `ifc` labels private or labels in a malformed way."""
    hide_untrusted: bool = False
    """True to withhold untrusted content; otherwise markers delimit it."""
    withhold_credentials: bool = False
    """True to withhold text that looks like a credential; otherwise a remark reports it."""
    withheld: str = ""
    """The reason to withhold the whole result at every boundary level; empty if it is not withheld.

    Must not quote the result.
    """

    @property
    def about_secrets(self) -> "BoundaryPolicy":
        """The policy without the settings that withhold whole results for other reasons than secrets.

        If a whole result is withheld, the removals no longer say where the secrets in the result are.
        """
        return replace(self, hide_untrusted=False, withheld="")


DEFAULT_POLICY = BoundaryPolicy()
