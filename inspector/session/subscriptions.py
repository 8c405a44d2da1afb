"""The resources to whose changes a session is subscribed.

In protocol revisions with a handshake each subscription is a request; in stateless protocol revisions all are
in the filter of `subscriptions/listen`. Source: MCP 2025-11-25, Resources, Subscriptions; MCP 2026-07-28,
`subscriptions/listen`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from inspector.json.exact import Json, JsonObject
from inspector.json.members import value_at
from inspector.protocol.outcome import Outcome, Result

SUBSCRIBE = "resources/subscribe"
UNSUBSCRIBE = "resources/unsubscribe"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
MOST = 100
"""The maximum number of subscriptions of one session."""
LEAVING_S = 0.5
"""The time limit for ending all subscriptions of a session that closes."""

Send = Callable[[str, JsonObject], Awaitable[Outcome]]


class Subscriptions:
    """The subscriptions of one session."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """`changed`: called when a subscription is added, confirmed or gone."""
        self._confirmed: dict[str, bool] = {}
        self._changed = changed

    @property
    def states(self) -> Mapping[str, bool]:
        """The URIs, each with whether the server has confirmed the subscription. Untrusted text."""
        return self._confirmed

    def add(self, uri: str) -> None:
        self._confirmed.setdefault(uri, False)
        self._changed()

    def drop(self, uri: str) -> None:
        self._confirmed.pop(uri, None)
        self._changed()

    def clear(self) -> None:
        if self._confirmed:
            self._confirmed.clear()
            self._changed()

    def unconfirm(self) -> None:
        """Mark every subscription as unconfirmed.

        After a new connection, the server must confirm each subscription again.
        """
        self._confirmed = dict.fromkeys(self._confirmed, False)
        self._changed()

    def acknowledge(self, params: Json) -> None:
        """Mark as confirmed the subscriptions that a server of a stateless protocol revision acknowledges."""
        uris = value_at(params, "notifications", "resourceSubscriptions")
        for uri in uris if isinstance(uris, list) else ():
            if isinstance(uri, str) and uri in self._confirmed:
                self._confirmed[uri] = True
        self._changed()

    def about(self, uri: str | None) -> str | None:
        """The subscribed resource that a change of `uri` concerns: `uri` itself or one that contains it; else None."""
        if uri is None or uri in self._confirmed:
            return uri
        return next((each for each in self._confirmed if uri.startswith(each.rstrip("/") + "/")), None)

    async def request(self, uri: str, send: Send) -> Outcome:
        """Request one subscription. The subscription is removed if the server refuses it."""
        outcome = await send(SUBSCRIBE, {"uri": uri})
        if isinstance(outcome, Result):
            if uri in self._confirmed:
                self._confirmed[uri] = True
                self._changed()
        else:
            self.drop(uri)
        return outcome

    async def end(self, send: Send) -> None:
        """End all subscriptions, because the session closes.

        Only for protocol revisions with an `initialize` handshake.
        """
        try:
            async with asyncio.timeout(LEAVING_S):
                await asyncio.gather(*(send(UNSUBSCRIBE, {"uri": uri}) for uri in self._confirmed))
        except TimeoutError:
            return
