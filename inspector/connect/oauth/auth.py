"""Sends a request again, with a token, if a server refused it for lack of one.

The provider of tokens is imported only when a server requires a token.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

import httpx2
from msgspec.structs import replace

from inspector.connect.dispatch import Dispatcher
from inspector.connect.oauth.held import hold
from inspector.protocol.authorization import Access
from inspector.protocol.targets import HttpTarget

if TYPE_CHECKING:
    from inspector.connect.oauth.provider import Provider


class Authorization(httpx2.Auth):
    """Authorizes the requests to one endpoint. The first request is sent without a token."""

    def __init__(
        self,
        target: HttpTarget,
        access: Access,
        dispatcher: Dispatcher,
        make_transport: Callable[[str], httpx2.AsyncBaseTransport],
    ) -> None:
        """`make_transport`: returns the transport for a URL of an authorization server."""
        self._target = target
        self._access = access
        self._dispatcher = dispatcher
        self._make_transport = make_transport
        self._provider: Provider | None = None
        self._turn = asyncio.Lock()
        self._failures = 0
        self._reason = ""

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request, and again after each authorization flow.

        For one request, at most one flow runs to get a token, and one more to get further scopes.
        """
        held = hold(request)
        flows: set[int] = set()
        while True:
            if self._provider is not None and self._provider.is_due:
                await self._authorize(request, None, self._provider.token)
            token = self._provider.token if self._provider else None
            if token is not None:
                request.headers["Authorization"] = f"Bearer {token}"
            held.failure = held.fail = None
            response = yield request
            failure, fail = held.failure, held.fail
            if failure is None or fail is None:
                return
            status = response.status_code
            had_flow, reason = False, _AGAIN
            if status not in flows:
                had_flow, reason = await self._authorize(request, response, token)
            if reason:
                fail(replace(failure, detail=f"{failure.detail}\n{reason}"))
                return
            if had_flow:
                flows.add(status)

    async def _authorize(
        self, request: httpx2.Request, response: httpx2.Response | None, token: str | None
    ) -> tuple[bool, str]:
        """Get another token than `token`.

        Returns whether a flow ran, and the reason why there is no token: a line of untrusted text, empty on
        success.
        """
        failures = self._failures
        async with self._turn:
            if self._failures != failures:
                # The user has been asked while this request waited.
                return False, self._reason
            if self._provider is not None and self._provider.token != token:
                return False, ""
            with self._dispatcher.paused():
                had_flow, reason = await self._with_provider(request, response)
            if reason:
                self._failures += 1
                self._reason = reason
            return had_flow, reason

    async def _with_provider(
        self, request: httpx2.Request, response: httpx2.Response | None
    ) -> tuple[bool, str]:
        # The SDK's providers take a third of a second to import.
        from inspector.connect.oauth.provider import Provider  # noqa: PLC0415

        if self._provider is None:
            provider = Provider(self._target, self._access, self._make_transport)
            await provider.restore()
            self._provider = provider
            if provider.token is not None:
                return False, ""
        return True, await self._provider.authorize(request, response)


_AGAIN = "Authorization: the server refused the new token too"
