"""The boundary levels, and settings that make the boundary stricter."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace


class Level(StrEnum):
    """The amount that is withheld."""

    OPEN = "open"
    """Nothing is withheld: shows what leaks today."""
    DECLARED = "declared"
    """The declarations decide. A deny-list: undeclared values pass."""
    CLOSED = "closed"
    """Only declared, non-sensitive positions of the schema pass."""


class BoundaryPolicy(Struct, frozen=True, kw_only=True):
    """What is withheld beyond the rules of a level. No setting lets more pass."""

    sensitivity_threshold: str = "confidential"
    """A declared resultSensitivity of this level or above is withheld."""
    withhold_private: bool = False
    """True to withhold `ifc` confidentiality `private`."""
    hide_untrusted: bool = False
    """True to withhold untrusted content; otherwise markers delimit it."""
    withhold_credentials: bool = False
    """True to withhold text that looks like a credential; otherwise it is a finding."""
    withheld: str = ""
    """The reason to withhold a whole result at any level, without quoting it; empty for none."""

    @property
    def about_secrets(self) -> "BoundaryPolicy":
        """The policy without settings that withhold whole contents for other reasons, which would hide the secrets in them."""
        return replace(self, hide_untrusted=False, withheld="")


DEFAULT_POLICY = BoundaryPolicy()
