"""Fetches the secret behind a reference for the user, and logs the request without the secret."""

from collections.abc import Callable, Iterable

from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.secrets.outcomes import Revealed, logged
from inspector.secrets.session import Custody
from inspector.secrets.vault import KeptReference, VaultKey
from inspector.session.live import Session
from inspector.tui.text import shortened
from inspector.urls.origin import Allowed


class SecretFetcher:
    """Fetches secrets from the servers of a run.

    The timeline, the recording and the audit log name each request, without its path, its query and the
    secret.
    """

    def __init__(
        self,
        oversight: Oversight,
        sessions: Callable[[], Iterable[Session | None]],
        conceal: Callable[[str], None],
    ) -> None:
        """`sessions`: returns the sessions in use.

        `conceal`: called with each secret before it is shown or logged, so that no file repeats it.
        """
        self._oversight = oversight
        self._sessions = sessions
        self._conceal = conceal

    async def fetch(self, custody: Custody, key: VaultKey) -> None:
        """Fetch the secret of a reference, as the user has agreed. If the session has ended, do nothing.

        Raises ForgottenError if the vault has no such reference, and InspectorError if the audit log cannot
        be written; if that happens before the request, nothing is sent.
        """
        session = next((each for each in self._sessions() if each and each.custody is custody), None)
        kept = custody.vault.of(key)
        request = custody.preview(kept) if isinstance(kept, KeptReference) else None
        if session is None or not isinstance(kept, KeptReference) or not isinstance(request, Allowed):
            return
        label, origin = kept.located.reference.label or "", str(request.origin)
        secret = await self._oversight.secret_requested(session, key.call, kept.tool, label, origin)
        outcome = None
        try:
            outcome = await custody.reveal(key)
            if isinstance(outcome, Revealed):
                self._conceal(outcome.value)
        finally:
            state, reason = logged(outcome)
            # Masked before it is cut, so that no part of a secret is left.
            shown = shortened(session.own.mask(label), 200)
            words = f"{state}: {request.method} {origin}/… for {shown}, {Agreement.USER}"
            session.note(
                f"secret of #{key.call} {kept.tool}",
                f"{words}; {reason}" if reason else words,
                kind="secret",
                is_failed=not isinstance(outcome, Revealed),
            )
        fetched = outcome.value if isinstance(outcome, Revealed) else ""
        await self._oversight.secret_answered(secret, state, reason, fetched)
