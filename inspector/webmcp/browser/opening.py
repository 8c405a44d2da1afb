"""Opening a page in a browser that answers: its tab, its documents, and an API of ours where the browser has none."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from inspector.errors import UnreachableError
from inspector.json.exact import JsonObject
from inspector.protocol.targets import PageTarget
from inspector.webmcp.browser.attaching import NO_WEBMCP, Attachment
from inspector.webmcp.browser.backends import PolyfillBackend
from inspector.webmcp.browser.cdp import Cdp
from inspector.webmcp.browser.tabs import Tab, choose
from inspector.webmcp.browser.worlds import Worlds
from inspector.webmcp.tree import Tree

POLYFILLED = "The page has a polyfill of ours for document.modelContext, not an API of its browser."

_API = "[isSecureContext, !!(document.modelContext ?? navigator.modelContext)]"
_API_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserFacts:
    """What the browser said of itself. All of it is foreign text."""

    product: str
    """`Chrome/156.0.8078.79`."""
    raw: JsonObject
    api: str = "WebMCP"
    """Whose `document.modelContext` the page has, in words that may be shown."""
    notes: tuple[str, ...] = ()
    """What the user should know of it, in sentences of ours."""


class Opening:
    """One tab on its way to the target's page."""

    def __init__(
        self, target: PageTarget, cdp: Cdp, attachment: Attachment, tree: Tree, worlds: Worlds
    ) -> None:
        self._target = target
        self.cdp = cdp
        self.attachment = attachment
        self.tree = tree
        self._worlds = worlds
        self.loaded = asyncio.Event()
        """Set by whoever hears that the page has loaded, or is gone."""
        self.tab: Tab | None = None
        """The tab, as soon as it is chosen."""

    async def show(self, notes: tuple[str, ...], settled: Callable[[], Awaitable[None]]) -> BrowserFacts:
        """Bring the tab to the page. `notes`: of the browser itself. `settled`: waits for frames in other processes.

        Raises InspectorError, CdpError, WorldError, OSError, TimeoutError.
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
                raise UnreachableError(f"{facts.product} gives the page no WebMCP", NO_WEBMCP)
            await self.attachment.detach()
            self._give_polyfill()
            await self.attachment.attach(tab.target_id)
            await self._navigate()
        if self.attachment.polyfill is None:
            return facts
        return replace(facts, api="WebMCP polyfill", notes=(*notes, POLYFILLED))

    async def adopt(self, session: str) -> None:
        """Take the documents that a session shows already. Raises CdpError, OSError, TimeoutError."""
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

    async def _has_api(self, tab: Tab) -> bool:
        """Whether the page can offer tools. Raises UnreachableError where none in its place could."""
        document = self.tree.document(tab.target_id)
        if document is None:
            return True
        found = await self._worlds.evaluate(document, self.attachment.session, _API, timeout_s=_API_TIMEOUT_S)
        if found == [False, False] or document.origin == "://":
            raise UnreachableError(
                f"the page is no secure context, so that it cannot offer tools\nURL: {self._target}",
                "Use https, or http on localhost.",
            )
        if self.attachment.polyfill:
            # The polyfill is the page's, which our own world does not see.
            return True
        return found != [True, False] and self.attachment.has_native
