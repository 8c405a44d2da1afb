"""What is decided before a run connects: its policy, its audit log, and who agrees to calls."""

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit
    from inspector.policy.rules import Policy


class Agreement(StrEnum):
    """Whether and how the user agreed to a call. The values are safe to show."""

    NOT_ASKED = "not asked"
    USER = "agreed by the user"
    YES = "agreed with --yes"
    NONE = "not agreed"

    @property
    def is_given(self) -> bool:
        return self in {Agreement.USER, Agreement.YES}


class Terms(Struct, frozen=True, kw_only=True):
    """The policy that decides, and the audit log for its decisions."""

    policy: "Policy | None" = None
    """The policy; None for the built-in policy."""
    source: str = ""
    """The file of the policy; empty for the built-in policy."""
    doubts: tuple[str, ...] = ()
    """The probable mistakes in the policy, one sentence each. Safe to show."""
    audit: "Audit | None" = None
    """The audit log, which the caller closes; None to log nothing."""
