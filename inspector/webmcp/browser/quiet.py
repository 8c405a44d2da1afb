"""Detects when a page has finished loading (is quiet), so that its tools can be listed.

It watches documents, tools, network requests and service workers.

The browser does not report timers, so a page counts as quiet after some time without changes.
"""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from inspector.json.exact import Json, JsonObject
from inspector.webmcp.browser.cdp import CdpEvent

CALM_S = 1.5
"""The seconds without a change of documents or tools before a page counts as quiet.

The value is more than one second, which is the usual delay of a timer in a page.
"""
NETWORK_CALM_S = 0.5
"""The seconds after the end of the last request before a page counts as quiet."""
SLOW_S = 0.25
"""The seconds after which an answer of the page is slow: the page was busy, so its timers are late."""
HIDDEN = ("Network.", "ServiceWorker.")
"""Prefixes of the DevTools domains whose events hold cookies, form data and data of other sites.

Sightline only counts these events. They never become frames.
"""

_ENDLESS = frozenset({"EventSource", "WebSocket", "Ping", "Media"})
"""The types of requests that stay open as long as the page does."""
_AT_WORK = frozenset({"new", "installing", "activating"})
"""The states in which a service worker still changes without further events from outside."""
_STIRRING = frozenset(
    {
        "Page.frameAttached",
        "Page.frameNavigated",
        "Page.frameDetached",
        "Page.frameStoppedLoading",
        "Page.loadEventFired",
        "Page.navigatedWithinDocument",
        "Runtime.bindingCalled",
        "WebMCP.toolsAdded",
        "WebMCP.toolsRemoved",
    }
)


class Quiet:
    """Watches one page until it is quiet. Times are of the event loop's clock."""

    def __init__(self, origins: Callable[[], frozenset[str]], sessions: Callable[[], frozenset[str]]) -> None:
        """`origins`: returns the origins of the current documents.

        `sessions`: returns the attached sessions; network requests of other sessions are ignored.
        """
        self._origins = origins
        self._sessions = sessions
        self._changed_s = 0.0
        self._network_s = 0.0
        self._requests: dict[str, str] = {}
        """By request id, the DevTools session of each network request in flight."""
        self._scopes: dict[str, str] = {}
        """The scope (a URL) of each service worker registration, by registration id."""
        self._workers: dict[str, str] = {}
        """The registration ids of service workers that are being installed or activated, by version id."""
        self._stirred = asyncio.Event()

    def stir(self) -> None:
        """Note a change of the page or of its connection."""
        self._changed_s = asyncio.get_running_loop().time()
        self._stirred.set()

    def heard(self, event: CdpEvent) -> None:
        if event.method in _STIRRING:
            self.stir()

    def overheard(self, method: str, params: JsonObject, session: str) -> None:
        number = params.get("requestId")
        match method:
            case "Network.requestWillBeSent" if isinstance(number, str):
                if params.get("type") not in _ENDLESS:
                    self._requests[number] = session
            case "Network.loadingFinished" | "Network.loadingFailed" if isinstance(number, str):
                if self._requests.pop(number, None) is not None:
                    self._network_s = asyncio.get_running_loop().time()
            case "ServiceWorker.workerRegistrationUpdated":
                for registration in _items(params, "registrations"):
                    key, scope = registration.get("registrationId"), registration.get("scopeURL")
                    if isinstance(key, str) and isinstance(scope, str):
                        self._scopes[key] = scope
            case "ServiceWorker.workerVersionUpdated":
                for version in _items(params, "versions"):
                    self._took_version(version)
            case _:
                return
        self._stirred.set()

    async def settle(
        self,
        limit_s: float,
        *,
        is_complete: Callable[[], Awaitable[bool]],
        answers: Callable[[], Awaitable[None]],
    ) -> bool:
        """Wait until the page is quiet. Returns False after `limit_s`.

        `is_complete`: returns whether there is nothing more to wait for once the page is quiet. `answers`:
        returns when the scripts of the page have run. Exceptions that they raise are passed on.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + limit_s
        while (left := end - clock()) > 0:
            self._stirred.clear()
            due = self._due_s(clock())
            if due <= 0:
                if await self._is_calm(answers):
                    if await is_complete():
                        return True
                    due = left
                else:
                    continue
            try:
                async with asyncio.timeout(min(due, left)):
                    await self._stirred.wait()
            except TimeoutError:
                pass
        return False

    async def _is_calm(self, answers: Callable[[], Awaitable[None]]) -> bool:
        clock = asyncio.get_running_loop().time
        asked_s = clock()
        await answers()
        if clock() - asked_s > SLOW_S:
            self.stir()
        return self._due_s(clock()) <= 0

    def _due_s(self, now_s: float) -> float:
        """The seconds that must still pass without a change; 0 or less if the page is quiet."""
        if self._is_busy():
            return CALM_S
        return max(self._changed_s + CALM_S, self._network_s + NETWORK_CALM_S) - now_s

    def _is_busy(self) -> bool:
        sessions = self._sessions()
        if any(session in sessions for session in self._requests.values()):
            return True
        origins = self._origins() if self._workers else frozenset[str]()
        return any(origin_of(self._scopes.get(key, "")) in origins for key in self._workers.values())

    def _took_version(self, version: JsonObject) -> None:
        key, registration = version.get("versionId"), version.get("registrationId")
        if not isinstance(key, str) or not isinstance(registration, str):
            return
        if version.get("status") in _AT_WORK:
            self._workers[key] = registration
        elif self._workers.pop(key, None) is not None:
            # Code that waited for the worker runs now.
            self.stir()


def origin_of(url: str) -> str:
    """The scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _items(params: JsonObject, member: str) -> list[JsonObject]:
    items: Json = params.get(member)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
