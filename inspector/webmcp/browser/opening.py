"""Opens a page in a running browser.

It chooses the tab, loads the page, and injects the polyfill if the browser lacks the WebMCP API.
"""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from typing import cast
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct
from msgspec.structs import replace

from inspector.errors import UnreachableError, UsageError
from inspector.json.exact import Json, JsonObject, JsonText, parse
from inspector.protocol.targets import PageTarget
from inspector.urls.host import is_on_this_machine
from inspector.webmcp.browser.attachment import NO_WEBMCP, Attachment
from inspector.webmcp.browser.calls import PolyfillBackend
from inspector.webmcp.browser.cdp import Cdp
from inspector.webmcp.browser.worlds import Worlds
from inspector.webmcp.tree import Tree

_HINT = (
    "Start the browser with --remote-debugging-port=9222 and its own --user-data-dir, and give that address."
)
_CLOSING_S = 0.02
"""The interval at which Sightline looks whether a tab is closed."""


class BrowserTab(Struct, frozen=True, kw_only=True):
    """The tab of the browser that shows the target."""

    target_id: str
    is_ours: bool
    """True if Sightline opened the tab, and so closes it."""
    is_empty: bool
    """True if the target's address must still be loaded."""


async def debugging_address(cdp: str, timeout_s: float) -> str:
    """The WebSocket address of a running browser. Raises UsageError, UnreachableError."""
    wrong = UsageError(
        f"--cdp {cdp}: not the address of a browser", "Write it as --cdp http://127.0.0.1:9222"
    )
    try:
        parts = urlsplit(cdp)
        is_numbered = parts.port != 0
    except ValueError:
        raise wrong from None
    if parts.scheme not in {"http", "https", "ws", "wss"} or not parts.hostname or not is_numbered:
        raise wrong
    if not is_on_this_machine(parts.hostname):
        raise UsageError(
            f"--cdp {cdp}: the browser is on another machine", "Forward its port, as with ssh -L."
        )
    if parts.scheme in {"ws", "wss"}:
        return cdp
    version = await asyncio.to_thread(_version, urlunsplit((*parts[:2], "/json/version", "", "")), timeout_s)
    address = version.get("webSocketDebuggerUrl")
    if not isinstance(address, str):
        raise UnreachableError(f"{cdp} reports no WebSocket address for debugging", _HINT)
    # If the port is forwarded, the browser names an address that is only valid on the browser's machine.
    return urlunsplit(("ws", parts.netloc, urlsplit(address).path, "", ""))


def _version(url: str, timeout_s: float) -> JsonObject:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=timeout_s) as answer:
            read = parse(cast("bytes", answer.read(1 << 16)))
    except (OSError, urllib.error.URLError, ValueError, json.JSONDecodeError) as error:
        raise UnreachableError(f"no browser answers at {url}: {error}", _HINT) from error
    return read.value if isinstance(read, JsonText) and isinstance(read.value, dict) else {}


async def choose(cdp: Cdp, target: PageTarget) -> BrowserTab:
    """The tab for the target.

    In a browser that was already running, this is the tab that shows the target's address, or else a new tab.
    Raises UsageError for a target without an address, unless there is exactly one tab.
    """
    pages = [page for page in await _pages(cdp) if page.get("type") == "page"]
    if target.cdp is None:
        if not pages:
            return await _opened(cdp)
        return BrowserTab(target_id=_id(pages[0]), is_ours=True, is_empty=True)
    if not target.url:
        if len(pages) == 1:
            return BrowserTab(target_id=_id(pages[0]), is_ours=False, is_empty=False)
        urls = "\n".join(f"  web+{page.get('url')}" for page in pages[:20])
        raise UsageError(f"the browser shows {len(pages)} pages:\n{urls}", "Name one of them.")
    shown = [page for page in pages if _bare(page.get("url")) == _bare(target.url)]
    exact = [page for page in shown if page.get("url") == target.url]
    if exact or shown:
        return BrowserTab(target_id=_id((exact or shown)[0]), is_ours=False, is_empty=False)
    return await _opened(cdp)


async def _pages(cdp: Cdp, *, is_quiet: bool = False) -> list[JsonObject]:
    listed = (await cdp.send("Target.getTargets", is_quiet=is_quiet)).get("targetInfos")
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


async def _opened(cdp: Cdp) -> BrowserTab:
    # In the background, so that the user's tab stays visible.
    made = await cdp.send("Target.createTarget", {"url": "about:blank", "background": True})
    return BrowserTab(target_id=_id(made), is_ours=True, is_empty=True)


async def close_tab(cdp: Cdp, target_id: str, timeout_s: float) -> None:
    """Close a tab, and wait until the browser no longer lists it. Raises CdpError, OSError, TimeoutError.

    The browser answers before the tab is gone. A connection to the same page would find a tab that is closing.
    """
    async with asyncio.timeout(timeout_s):
        await cdp.send("Target.closeTarget", {"targetId": target_id})
        while True:
            pages = await _pages(cdp, is_quiet=True)
            if target_id not in {_id(page) for page in pages}:
                return
            await asyncio.sleep(_CLOSING_S)


def _id(value: JsonObject) -> str:
    return str(value.get("targetId", ""))


def _bare(url: Json) -> str:
    """An address without its fragment, with the path `/` if it has none."""
    if not isinstance(url, str):
        return ""
    bare = url.partition("#")[0]
    return f"{bare}/" if urlsplit(bare).path == "" else bare


POLYFILLED = "The page uses Sightline's polyfill for document.modelContext, not an API of its browser."

_API = "[isSecureContext, !!(document.modelContext ?? navigator.modelContext)]"
_API_TIMEOUT_S = 10.0


class BrowserFacts(Struct, frozen=True, kw_only=True):
    """What the browser says about itself. All texts are untrusted, except `api` and `notes`."""

    product: str
    """The product and its version, such as `Chrome/156.0.8078.79`."""
    raw: JsonObject
    api: str = "WebMCP"
    """The provider of `document.modelContext`, in words for the user."""
    notes: tuple[str, ...] = ()


class PageOpening:
    """Opens the target's page in a tab."""

    def __init__(
        self, target: PageTarget, cdp: Cdp, attachment: Attachment, tree: Tree, worlds: Worlds
    ) -> None:
        self._target = target
        self.cdp = cdp
        self.attachment = attachment
        self.tree = tree
        self._worlds = worlds
        self.loaded = asyncio.Event()
        """Set when the page has loaded, or the connection is lost."""
        self.tab: BrowserTab | None = None
        """The tab; None until `show` has chosen it."""

    async def show(self, notes: tuple[str, ...], settled: Callable[[], Awaitable[None]]) -> BrowserFacts:
        """Open the page. Raises InspectorError, CdpError, WorldError, OSError, TimeoutError.

        `notes`: notes about the browser itself. `settled`: waits for frames in other processes.
        """
        version = await self.cdp.send("Browser.getVersion")
        facts = BrowserFacts(product=str(version.get("product", "")), raw=version, notes=notes)
        self.tab = tab = await choose(self.cdp, self._target)
        if self._target.polyfill:
            self._give_polyfill()
        await self.attachment.attach(tab.target_id)
        if not tab.is_empty:
            await self.adopt(self.attachment.session)
            await settled()
        else:
            await self._navigate()
        if not await self._has_api(tab):
            if self.attachment.polyfill or not tab.is_empty:
                raise UnreachableError(f"{facts.product} does not offer WebMCP to the page", NO_WEBMCP)
            await self.attachment.detach()
            self._give_polyfill()
            await self.attachment.attach(tab.target_id)
            await self._navigate()
        if self.attachment.polyfill is None:
            return facts
        return replace(facts, api="WebMCP polyfill", notes=(*notes, POLYFILLED))

    async def adopt(self, session: str) -> None:
        """Add the documents that a session had loaded before Sightline attached.

        Raises CdpError, OSError, TimeoutError.
        """
        tree = await self.cdp.send("Page.getFrameTree", session=session)
        self.tree.adopt(session, tree.get("frameTree"))

    def _give_polyfill(self) -> None:
        self.attachment.polyfill = PolyfillBackend(self._worlds, self.tree)

    async def _navigate(self) -> None:
        self.loaded.clear()
        went = await self.cdp.send(
            "Page.navigate", {"url": self._target.url}, session=self.attachment.session
        )
        problem = went.get("errorText")
        if isinstance(problem, str) and problem:
            raise UnreachableError(
                f"cannot open the page: {problem}\nURL: {self._target}", "Is its server running?"
            )
        await self.loaded.wait()

    async def _has_api(self, tab: BrowserTab) -> bool:
        """True if the page has an API to offer tools, or if that is unknown.

        Raises UnreachableError if the page is not a secure context: there, a polyfill would not help either.
        """
        document = self.tree.document(tab.target_id)
        if document is None:
            return True
        api = await self._worlds.evaluate(document, self.attachment.session, _API, timeout_s=_API_TIMEOUT_S)
        if api == [False, False] or document.origin == "://":
            raise UnreachableError(
                f"the page is not a secure context, so it cannot offer tools\nURL: {self._target}",
                "Use https, or http on localhost.",
            )
        if self.attachment.polyfill:
            # An isolated world does not see the page's polyfill.
            return True
        return api != [True, False] and self.attachment.has_native
