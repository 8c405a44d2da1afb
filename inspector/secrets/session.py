"""The secrets of one session: keeps them in a vault, and fetches the secrets behind references.

Only the terminal interface uses this module, for its secrets screen; commands do not.
"""

import time
from collections.abc import Callable

from inspector.boundary.secret_references import MalformedReference, SecretReference
from inspector.secrets.outcomes import BUSY, Outcome, Redeemer
from inspector.secrets.vault import KeptReference, Vault, VaultKey
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed, Origin, origin_of, resolve

_MALFORMED = RefusedUrl(reason="it is malformed")
_NOT_REACHED = RefusedUrl(
    reason="the server's own address is not known yet, or could not be looked up",
    hint="Reconnect, then call the tool again.",
)


class Custody:
    """Keeps the secrets of one session in a vault, and exchanges its secret references for their secrets."""

    def __init__(self) -> None:
        self.vault = Vault()
        self.now_s: Callable[[], float] = time.monotonic
        """The clock for the expiry of references."""
        self.peeked: VaultKey | None = None
        """The item whose value is shown on the screen."""
        self._base: str | None = None
        self._redeemer: Redeemer | None = None
        self._redeemer_of: Callable[[int], Redeemer | None] | None = None
        """For a page: returns the redeemer for a call number, since each frame redeems its own references."""

    async def redeem_at_server(
        self, base: str | None, *, authorization: str | None, clock: Callable[[], float]
    ) -> None:
        """Set up redemption at a server.

        This looks up the address class of the server, because Sightline redeems only at an address of the
        same class. `base`: the URL at whose origin secrets may be redeemed; None to redeem nowhere.
        `authorization`: the `Authorization` header of the connection.
        """
        self._base = base
        self.now_s = clock
        origin = origin_of(base) if base is not None else None
        if not isinstance(origin, Origin):
            return
        from inspector.secrets.http import HttpRedeemer, HttpServer  # noqa: PLC0415 - only redemption needs the network code
        from inspector.secrets.redemption.addresses import class_of  # noqa: PLC0415

        server = HttpServer(url=base, reached_at=await class_of(origin), authorization=authorization)
        self._redeemer = HttpRedeemer(server, clock=self.now_s)

    def redeem_in_page(
        self, redeemer_of: Callable[[int], Redeemer | None], *, clock: Callable[[], float]
    ) -> None:
        """Set up redemption in a page. Each secret is fetched in the frame of its reference.

        `redeemer_of`: returns, for a call number, the object that fetches secrets in the frame of that call.
        """
        self.now_s = clock
        self._redeemer_of = redeemer_of

    @property
    def is_guarding(self) -> bool:
        """True while the session has a redeemed secret, or a withheld value is shown.

        Selecting, copying, screenshots and exports are disabled meanwhile.
        """
        return self.vault.holds_revealed or self.peeked is not None

    def preview(self, kept: KeptReference) -> Allowed | RefusedUrl:
        reference = kept.located.reference
        if isinstance(reference, MalformedReference):
            return _MALFORMED
        redeemer = self._redeemer_for(kept.key.call)
        if redeemer is None:
            target = resolve(reference.redeem_url, self._base)
            return target if isinstance(target, RefusedUrl) else _NOT_REACHED
        return redeemer.preview(reference)

    async def reveal(self, key: VaultKey) -> Outcome:
        """Fetch the secret of a reference, and store the outcome in the vault.

        Call it only after the user agreed to `preview`, and log it (`SecretFetcher.fetch` does). Raises
        ForgottenError if the vault has no such reference.
        """
        kept = self.vault.of(key)
        reference = kept.located.reference if isinstance(kept, KeptReference) else None
        if not isinstance(kept, KeptReference) or not isinstance(reference, SecretReference):
            return _MALFORMED
        if self.vault.is_busy:
            return BUSY
        redeemer = self._redeemer_for(key.call)
        if redeemer is None:
            self.vault.end(key, _NOT_REACHED)
            return _NOT_REACHED
        had_secret = self.vault.begin(key)
        outcome = None
        try:
            outcome = await redeemer.redeem(reference, received_s=kept.received_s, revealed_before=had_secret)
            return outcome
        finally:
            self.vault.end(key, outcome)

    def end(self) -> None:
        self.vault.forget_all()
        self.peeked = None
        self._redeemer = None
        self._redeemer_of = None

    def _redeemer_for(self, call: int) -> Redeemer | None:
        return self._redeemer_of(call) if self._redeemer_of else self._redeemer
