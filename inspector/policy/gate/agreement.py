"""The terms of a run, settled before anything is connected: its rules, its audit log, and who agrees to calls."""

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit
    from inspector.policy.rules import Policy


class Agreement(StrEnum):
    """In words that may be shown."""

    NOT_ASKED = "not asked"
    USER = "agreed by the user"
    YES = "agreed with --yes"
    NONE = "not agreed"

    @property
    def is_given(self) -> bool:
        return self in {Agreement.USER, Agreement.YES}


class Terms(Struct, frozen=True, kw_only=True):
    """The rules that decide, and where decisions are logged."""

    policy: "Policy | None" = None
    """None for the built-in policy."""
    audit: "Audit | None" = None
    """The caller closes it."""
