"""The secrets of one session: what is kept for the user, and who fetches it when the user says so.

Nothing here is reached by a command: only the secrets screen asks.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.boundary.secret_references import MalformedReference, SecretReference
from inspector.secrets.vault import KeptReference, Key, Vault
from inspector.urls.origin import Allowed, Origin, origin_of, resolve
from inspector.urls.refused import Refused

if TYPE_CHECKING:
    from inspector.secrets.outcomes import Redeemer

_MALFORMED = Refused(reason="it is malformed")
_NOT_REACHED = Refused(
    reason="the server's own address is not known yet, or could not be looked up",
    hint="Reconnect, then call the tool again.",
)


class Custody:
    """Of one session, from its connection to its end."""

    def __init__(self) -> None:
        self.vault = Vault()
        self.now_s: Callable[[], float] = time.monotonic
        """The clock by which references expire."""
        self.peeked: Key | None = None
        """What stands on the screen now."""
        self._base: str | None = None
        self._redeemer: Redeemer | None = None
        self._redeemer_of: Callable[[int], Redeemer | None] | None = None
        """For a page, whose frames redeem each their own: by the number of the call that a reference came from."""

    async def belong_to(
        self, base: str | None, *, authorization: str | None, clock: Callable[[], float]
    ) -> None:
        """Whose secrets these are; where that server is, is looked up now: no redemption goes to another class of address.

        `base`: the address at whose origin they may be redeemed; None for nowhere. `authorization`: the connection's own.
        """
        self._base = base
        self.now_s = clock
        origin = origin_of(base) if base is not None else None
        if not isinstance(origin, Origin):
            return
        from inspector.secrets.http import HttpRedeemer, HttpServer  # noqa: PLC0415 - the wire loads late
        from inspector.secrets.redemption.addresses import class_of  # noqa: PLC0415

        server = HttpServer(url=base, reached_at=await class_of(origin), authorization=authorization)
        self._redeemer = HttpRedeemer(server, clock=self.now_s)

    def belong_to_page(
        self, redeemer_of: "Callable[[int], Redeemer | None]", *, clock: Callable[[], float]
    ) -> None:
        """Whose secrets these are: of a page, whose frames redeem each their own.

        `redeemer_of`: the redeemer for what a call left, by the call's number.
        """
        self.now_s = clock
        self._redeemer_of = redeemer_of

    @property
    def is_guarding(self) -> bool:
        """Whether a secret is revealed or shown: nothing may be selected, copied, pictured or exported."""
        return self.vault.holds_revealed or self.peeked is not None

    def preview(self, kept: KeptReference) -> Allowed | Refused:
        """The request that `reveal` would send, or why there is none. Sends nothing."""
        reference = kept.found.reference
        if isinstance(reference, MalformedReference):
            return _MALFORMED
        redeemer = self._redeemer_for(kept.key.call)
        if redeemer is None:
            found = resolve(reference.redeem_url, self._base)
            return found if isinstance(found, Refused) else _NOT_REACHED
        return redeemer.preview(reference)

    async def reveal(self, key: Key) -> None:
        """One redemption; the vault has how it ended. Only for a user who was shown `preview` and agreed.

        Raises ForgottenError where the vault has no such reference.
        """
        kept = self.vault.of(key)
        reference = kept.found.reference if isinstance(kept, KeptReference) else None
        if (
            self.vault.is_busy
            or not isinstance(kept, KeptReference)
            or not isinstance(reference, SecretReference)
        ):
            return
        redeemer = self._redeemer_for(key.call)
        if redeemer is None:
            self.vault.end(key, _NOT_REACHED)
            return
        had = self.vault.begin(key)
        outcome = None
        try:
            outcome = await redeemer.redeem(reference, received_s=kept.received_s, revealed_before=had)
        finally:
            self.vault.end(key, outcome)

    def end(self) -> None:
        """Forget everything."""
        self.vault.forget_all()
        self.peeked = None
        self._redeemer = None
        self._redeemer_of = None

    def _redeemer_for(self, call: int) -> "Redeemer | None":
        return self._redeemer_of(call) if self._redeemer_of else self._redeemer
