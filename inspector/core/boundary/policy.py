"""What an operator may tighten."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryPolicy:
    """What is withheld beyond what a boundary always withholds. Nothing here lets more pass."""

    sensitivity_threshold: str = "confidential"
    """resultSensitivity at or above this is withheld."""
    withhold_private: bool = False
    """Whether `ifc` confidentiality `private` is withheld."""
    hide_untrusted: bool = False
    """Whether content that is declared untrusted is withheld, rather than delimited."""
    withhold_credentials: bool = False
    """Whether what looks like a credential is withheld, rather than a finding."""


DEFAULT_POLICY = BoundaryPolicy()
