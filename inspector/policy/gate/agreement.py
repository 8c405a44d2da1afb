"""Who agreed to a call that is asked about."""

from enum import StrEnum


class Agreement(StrEnum):
    """In words that may be shown."""

    NOT_ASKED = "not asked"
    USER = "agreed by the user"
    YES = "agreed with --yes"
    NONE = "not agreed"

    @property
    def is_given(self) -> bool:
        """Whether anybody agreed."""
        return self in {Agreement.USER, Agreement.YES}
