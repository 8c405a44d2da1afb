"""What the command line settles of a run's oversight, before anything is connected."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit
    from inspector.policy.rules import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The rules that decide, and where decisions are logged."""

    policy: "Policy | None" = None
    """None for the built-in policy."""
    audit: "Audit | None" = None
    """Closed by whoever opened it."""
