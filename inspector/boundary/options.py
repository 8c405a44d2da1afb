"""What an operator may tighten."""

from dataclasses import dataclass, replace


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
    withheld: str = ""
    """Why nothing of a result may go to a model, at any boundary: a sentence that quotes nothing of it. Empty where something may."""

    @property
    def about_secrets(self) -> "BoundaryPolicy":
        """Without what takes whole contents for other reasons: a secret in those would not be told apart any more."""
        return replace(self, hide_untrusted=False, withheld="")


DEFAULT_POLICY = BoundaryPolicy()
