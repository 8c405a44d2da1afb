"""What the command line settles of a run's oversight, before anything is connected."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.core.policy.rules import Policy
    from inspector.store.audit import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The rules that decide, and where decisions are logged."""

    policy: "Policy | None" = None
    """None for the built-in policy."""
    audit: "Audit | None" = None
    """Closed by whoever opened it."""
