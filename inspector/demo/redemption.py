"""The redemption endpoint's rules: one GET gives one secret, once, for a while.

Source: WebMCP issue 110, section 4a. Nothing here reads a clock or a socket.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from inspector.json.exact import JsonObject

TRIES_A_SECOND = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Where a deposited secret can be fetched."""

    id: str
    redeem_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redemption:
    """The answer to one try."""

    status: HTTPStatus
    body: JsonObject
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class _Deposit:
    value: str | None
    """None once it was fetched."""
    expires_at_s: float


class Vault:
    """Secrets that wait to be fetched."""

    def __init__(self, clock: Callable[[], float], bearer_token: str | None = None) -> None:
        """`clock`: seconds, never backwards. `bearer_token`: what a try must present; None asks for nothing."""
        self.origin = ""
        """Scheme, host and port of the endpoint, known once it listens."""
        self._clock = clock
        self._bearer_token = bearer_token
        self._deposits: dict[str, _Deposit] = {}
        self._tries: deque[float] = deque()

    def deposit(self, identifier: str, value: str, ttl_s: int) -> Reference:
        """Keep `value` for `ttl_s` seconds under an identifier that nobody can guess."""
        self._deposits[identifier] = _Deposit(value=value, expires_at_s=self._clock() + ttl_s)
        return Reference(id=identifier, redeem_url=f"{self.origin}/secrets/{identifier}")

    def redeem(self, identifier: str, authorization: str | None) -> Redemption:
        """One try; success uses the secret up."""
        if not self._may_try():
            return _refused(HTTPStatus.TOO_MANY_REQUESTS, "too many tries", ("Retry-After", "1"))
        if not self.authorizes(authorization):
            return _refused(HTTPStatus.UNAUTHORIZED, "not authorized", ("WWW-Authenticate", "Bearer"))
        deposit = self._deposits.get(identifier)
        if deposit is None:
            return _refused(HTTPStatus.NOT_FOUND, "no such secret")
        if deposit.value is None:
            return _refused(HTTPStatus.GONE, "already fetched")
        value, deposit.value = deposit.value, None
        if self._clock() >= deposit.expires_at_s:
            return _refused(HTTPStatus.GONE, "expired")
        return Redemption(status=HTTPStatus.OK, body={"value": value})

    def authorizes(self, authorization: str | None) -> bool:
        """Whether a request with this Authorization header may go on."""
        return self._bearer_token is None or authorization == f"Bearer {self._bearer_token}"

    def _may_try(self) -> bool:
        now = self._clock()
        while self._tries and now - self._tries[0] >= 1:
            self._tries.popleft()
        if len(self._tries) >= TRIES_A_SECOND:
            return False
        self._tries.append(now)
        return True


def _refused(status: HTTPStatus, error: str, *headers: tuple[str, str]) -> Redemption:
    return Redemption(status=status, body={"error": error}, headers=headers)
