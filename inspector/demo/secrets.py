"""Fake secrets, and the redemption endpoint: one GET returns one secret, once, for a limited time.

Source: WebMCP issue 110, section 4a. This module uses no clock and no socket of its own.
"""

import hashlib
import secrets
import string
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from msgspec import Struct

from inspector.json.exact import JsonObject

MARK = "DEMO-SECRET-"
"""The prefix of every fake secret that does not imitate a real credential."""
SHAPED_MARK = "DEMOSECRET"
"""A part of every fake secret that has the format of a real credential."""

_ALPHABET = string.ascii_letters + string.digits


class Mint:
    """Generates fake secrets without repeats; a seed makes the sequence repeatable."""

    def __init__(self, seed: str | None) -> None:
        self._seed = seed if seed is not None else secrets.token_hex(16)
        self._drawn = 0

    def letters(self, length: int) -> str:
        text = ""
        while len(text) < length:
            self._drawn += 1
            drawn = hashlib.sha256(f"{self._seed}:{self._drawn}".encode("utf-8", "surrogatepass")).digest()
            text += "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in drawn)
        return text[:length]

    def secret(self, kind: str) -> str:
        """A fake secret that everyone recognises as fake, such as `DEMO-SECRET-key-…`."""
        return f"{MARK}{kind}-{self.letters(20)}"

    def access_token(self) -> str:
        """A fake access token in the format of a code hosting service: a prefix and 36 characters."""
        return "_".join(("ghp", SHAPED_MARK + self.letters(26)))

    def oauth_token(self) -> str:
        return ".".join(("ya29", f"a0{SHAPED_MARK}{self.letters(40)}"))

    def key_id(self) -> str:
        """A fake id in the format of a cloud provider's access key: 20 capitals and digits."""
        return "AKIA" + SHAPED_MARK + self.letters(6).upper()


TRIES_A_SECOND = 5


class Reference(Struct, frozen=True, kw_only=True):
    """The id of a deposited secret, and the URL at which the secret can be redeemed."""

    id: str
    redeem_url: str


class Redemption(Struct, frozen=True, kw_only=True):
    """The response of the endpoint to one redemption."""

    status: HTTPStatus
    body: JsonObject
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class _Deposit:
    value: str | None
    """The secret; None after the first authorized request for it, even if it had expired."""
    expires_at_s: float


class DemoVault:
    """Stores secrets, each of which can be redeemed once before it expires."""

    def __init__(self, clock: Callable[[], float], bearer_token: str | None = None) -> None:
        """`clock`: returns monotonic seconds.

        `bearer_token`: the token that each request must have; None if requests need no token.
        """
        self.origin = ""
        """The scheme, host and port of the endpoint; empty until it listens."""
        self._clock = clock
        self._bearer_token = bearer_token
        self._deposits: dict[str, _Deposit] = {}
        self._tries: deque[float] = deque()

    def deposit(self, identifier: str, value: str, ttl_s: int) -> Reference:
        """Keep `value` for `ttl_s` seconds under `identifier`, which must be unguessable."""
        self._deposits[identifier] = _Deposit(value=value, expires_at_s=self._clock() + ttl_s)
        return Reference(id=identifier, redeem_url=f"{self.origin}/secrets/{identifier}")

    def redeem(self, identifier: str, authorization: str | None) -> Redemption:
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
