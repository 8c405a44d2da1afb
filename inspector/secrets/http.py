"""Redemption over HTTP: fetches a secret with one GET to the server's own origin, at the user's request.

Source: docs/secrets.md. httpx is imported with the first redemption.
"""

import asyncio
import importlib
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from inspector.boundary.secret_references import SecretReference
from inspector.secrets.outcomes import BUSY, Cause, Expired, ExpiredBy, Failed, Outcome, Revealed
from inspector.secrets.redemption.addresses import AddressClass, Resolver, checked_addresses, look_up
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed, resolve

TIME_LIMIT_S = 10.0
"""The time limit for a whole redemption: name resolution, connection, headers and body."""

_FETCH = "inspector.secrets.redemption.fetch"
_FIELD_VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")

EXPIRED = Expired(by=ExpiredBy.TTL)
UNSENDABLE = RefusedUrl(
    reason="the Authorization header of this connection holds characters that headers do not allow",
    hint="Correct it in your configuration.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer:
    """The MCP server whose secrets are redeemed: its origin, its address class and the credentials for it."""

    url: str | None = field(repr=False)
    """The URL at whose origin secrets may be redeemed; None refuses every redemption."""
    reached_at: AddressClass
    """The class of the address through which the connection reached the server."""
    authorization: str | None = field(default=None, repr=False)
    """The connection's own Authorization header."""


class HttpRedeemer:
    """Fetches the secrets of one connection over HTTP (a `Redeemer`)."""

    def __init__(
        self,
        server: HttpServer,
        *,
        clock: Callable[[], float] = time.monotonic,
        resolver: Resolver = look_up,
        time_limit_s: float = TIME_LIMIT_S,
        authorities: str | None = None,
    ) -> None:
        """`clock`: returns monotonic seconds.

        `authorities`: certificates (PEM) to trust instead of the system's.
        """
        self._server = server
        self._clock = clock
        self._resolver = resolver
        self._time_limit_s = time_limit_s
        self._authorities = authorities
        self._is_busy = False

    def preview(self, reference: SecretReference) -> Allowed | RefusedUrl:
        return resolve(reference.redeem_url, self._server.url)

    async def redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool = False
    ) -> Outcome:
        if self._is_busy:
            return BUSY
        self._is_busy = True
        try:
            return await self._redeem(reference, received_s=received_s, revealed_before=revealed_before)
        except Exception:  # noqa: BLE001 - the exception's text could quote the request or the answer
            return Failed(cause=Cause.INTERNAL)
        finally:
            self._is_busy = False

    async def _redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool
    ) -> Outcome:
        request = self.preview(reference)
        if isinstance(request, RefusedUrl):
            return request
        authorization = self._server.authorization
        if authorization is not None and not _FIELD_VALUE.fullmatch(authorization):
            return UNSENDABLE
        if reference.is_over(received_s=received_s, now_s=self._clock()):
            return EXPIRED
        try:
            async with asyncio.timeout(self._time_limit_s):
                outcome = await self._fetched(request, revealed_before=revealed_before)
        except TimeoutError:
            return Failed(cause=Cause.TIMEOUT)
        # A secret that arrives late is not shown.
        is_late = reference.is_over(received_s=received_s, now_s=self._clock())
        return EXPIRED if isinstance(outcome, Revealed) and is_late else outcome

    async def _fetched(self, request: Allowed, *, revealed_before: bool) -> Outcome:
        addresses = await checked_addresses(request.origin, self._server.reached_at, self._resolver)
        if not isinstance(addresses, tuple):
            return addresses
        # Importing httpx and loading the system's certificates would block the event loop.
        await asyncio.to_thread(importlib.import_module, _FETCH)
        from inspector.secrets.redemption.fetch import Fetch, fetch  # noqa: PLC0415

        is_encrypted = request.origin.scheme == "https"
        context = await asyncio.to_thread(client_context, self._authorities) if is_encrypted else None
        return await fetch(
            Fetch(
                request=request,
                addresses=addresses,
                authorization=self._server.authorization,
                context=context,
                revealed_before=revealed_before,
            )
        )


def client_context(authorities: str | None = None) -> ssl.SSLContext:
    """A TLS context that verifies chain and name. Takes about 20 ms: do not call it on the event loop.

    `authorities`: certificates (PEM) to trust instead of the system's. Raises ssl.SSLError. Unlike
    `ssl.create_default_context`, it does not write keys to SSLKEYLOGFILE.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authorities is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(cadata=authorities)
    return context
