"""What redeems secret references: over HTTP, or inside of the page that registered the tool."""

from typing import Protocol

from inspector.boundary.secret_references import SecretReference
from inspector.secrets.states import Outcome
from inspector.urls.host import Refused
from inspector.urls.origin import Allowed


class Redeemer(Protocol):
    """Redeems for one connection, one reference at a time, and only when the user says so."""

    def preview(self, reference: SecretReference) -> Allowed | Refused:
        """The request that `redeem` would send, to be shown before the user agrees. Sends nothing."""
        ...

    async def redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool = False
    ) -> Outcome:
        """One try. Never raises but for cancellation; of what it leaves, only `Revealed` holds the value.

        `received_s`: when the reference arrived, on the redeemer's own monotonic clock.
        `revealed_before`: whether this session has had the secret from this reference.
        """
        ...
