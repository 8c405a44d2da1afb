"""Connects to a page: opens it, lists its tools, calls them, closes it."""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

from inspector.connect.dispatch import FramedAnswer
from inspector.connect.tap import Tap
from inspector.errors import UnreachableError
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.exchanges import Matched
from inspector.protocol.outcome import Failure, FailureKind
from inspector.protocol.page import Forms, PageDocument, PageFacts
from inspector.protocol.targets import PageTarget
from inspector.webmcp.browser.attachment import Attachment
from inspector.webmcp.browser.calls import Calls, NativeBackend, PageForm
from inspector.webmcp.browser.cdp import Cdp, CdpError, CdpEvent
from inspector.webmcp.browser.chromium import NO_SANDBOX, Chromium
from inspector.webmcp.browser.listing import PageListing
from inspector.webmcp.browser.opening import (
    POLYFILLED,
    BrowserFacts,
    PageOpening,
    close_tab,
    debugging_address,
)
from inspector.webmcp.browser.page_events import PageEvents
from inspector.webmcp.browser.quiet import HIDDEN, Quiet
from inspector.webmcp.browser.redeem import PageRedeemer
from inspector.webmcp.browser.worlds import WorldError, Worlds
from inspector.webmcp.tree import Tree

CLOSE_TIMEOUT_S = 2.0


class PageConnection:
    """A connection to one tab.

    Calls may run concurrently; the task that opens the connection must close it.
    """

    def __init__(
        self, target: PageTarget, tap: Tap, on_change: Callable[[], None], *, will_settle: bool = False
    ) -> None:
        """`will_settle`: whether `settle` will be called, which also needs events about network requests."""
        self._target = target
        self._tap = tap
        self._chromium: Chromium | None = None
        self._lost: Failure | None = None
        self._browser = BrowserFacts(product="", raw={})
        self._cdp = Cdp(tap, self._heard, self._disconnected)
        self._attachment = Attachment(self._cdp)
        self._tree = Tree(self._attachment.binding, self._attachment.proof)
        self._calls = Calls(NativeBackend(self._cdp), tap)
        self._worlds = Worlds(self._cdp)
        self._opening = PageOpening(target, self._cdp, self._attachment, self._tree, self._worlds)
        self._listing = PageListing(self._cdp, self._tree, self._worlds, self._attachment)
        self._quiet = Quiet(
            lambda: frozenset(document.origin for document in self._tree.documents),
            lambda: self._tree.sessions | {self._attachment.session},
        )
        if will_settle:
            self._attachment.watches_network = True
            self._cdp.hide(HIDDEN, self._quiet.overheard)
        self._events = PageEvents(
            self._opening,
            self._calls,
            tap,
            self._quiet,
            is_seen=target.is_headed or target.cdp is not None,
            on_change=on_change,
            on_lost=lambda why: self._events.start(self._lose(why)),
        )

    @property
    def browser(self) -> BrowserFacts:
        return self._browser

    @property
    def lost(self) -> Failure | None:
        return self._lost

    def now_s(self) -> float:
        return self._tap.now_s()

    def shows(self, document: PageDocument) -> bool:
        now = self._tree.document(document.frame_id)
        return now is not None and now.loader_id == document.loader_id and now.origin == document.origin

    async def evaluate_quietly(self, document: PageDocument, expression: str, *, timeout_s: float) -> Json:
        """Evaluate an expression in an isolated world of a document. Request and reply do not become frames.

        Raises WorldError, CdpError, CdpLostError, TimeoutError.
        """
        session = self._session_of(document.frame_id)
        return await self._worlds.evaluate(document, session, expression, timeout_s=timeout_s, is_quiet=True)

    async def open(self, timeout_s: float) -> None:
        """Start the browser or connect to a running one, and open the page. Raises InspectorError."""
        if self._target.cdp is not None:
            address = await debugging_address(self._target.cdp, timeout_s)
        else:
            self._chromium = Chromium(self._target, self._tap)
            address = await self._chromium.start(timeout_s)
        await self._cdp.open(address, timeout_s)
        notes = (NO_SANDBOX,) if self._chromium and self._chromium.is_without_sandbox else ()
        try:
            async with asyncio.timeout(timeout_s):
                self._browser = await self._opening.show(notes, self._events.settled)
                # The page may have loaded before the polyfill has answered the request for its tools.
                await self._events.listed()
        except TimeoutError as error:
            raise UnreachableError(
                f"the page did not load within {timeout_s:g} s\nURL: {self._target}",
                "--timeout SECONDS waits longer.",
            ) from error
        except (CdpError, WorldError, OSError) as error:
            raise UnreachableError(
                f"the browser refused: {error}", "Try again; --chromium PATH selects another browser."
            ) from error
        if self._attachment.polyfill is not None:
            self._calls.backend = self._attachment.polyfill
            self._tap.note(POLYFILLED)
        self._quiet.stir()

    async def settle(self, limit_s: float) -> bool:
        """Wait until the page is quiet and has tools, or is known to have none.

        Returns False after `limit_s` seconds, or if the browser refuses a request or is lost.
        """
        with contextlib.suppress(CdpError, OSError):
            return await self._quiet.settle(
                limit_s, is_complete=self._is_complete, answers=lambda: self._answers(limit_s)
            )
        return False

    async def _is_complete(self) -> bool:
        if self._lost or any(self._tree.offers(document.frame_id) for document in self._tree.documents):
            return True
        return bool(await self.obstacles())

    async def _answers(self, limit_s: float) -> None:
        """Wait until scripts have run in every document. Raises CdpError, CdpLostError."""
        # A document that stays busy this long will not become quiet.
        with contextlib.suppress(TimeoutError):
            for session in self._tree.sessions:
                asked: JsonObject = {"expression": "0", "silent": True}
                await self._cdp.send("Runtime.evaluate", asked, session=session, timeout_s=limit_s)

    async def obstacles(self) -> list[str]:
        """The reasons why the page is unlikely to offer tools; empty if none is known.

        The reasons are clauses that quote untrusted text.
        """
        return await self._listing.obstacles(self._opening.tab.target_id if self._opening.tab else "")

    async def catalogue(self) -> Catalogue:
        """The current tools of all documents. Raises UnreachableError if the connection is lost."""
        if self._lost:
            raise UnreachableError(self._lost.detail, "Reconnect to go on.")
        return await self._listing.catalogue()

    async def call(
        self,
        tool: Tool | None,
        name: str,
        arguments: JsonObject,
        *,
        timeout_s: float,
        forms: Forms = Forms.WAIT,
        on_filled: Callable[[], None] = lambda: None,
    ) -> FramedAnswer:
        """Call a tool; an unlisted tool is called in the main frame.

        A failure is an outcome, not an exception.

        `forms`: what to do with a form that does not submit itself. `on_filled`: called when such a form
        waits for the user.
        """
        if self._lost:
            return FramedAnswer(outcome=self._lost, frame=None)
        tool_id = None
        tab = self._opening.tab
        frame_id = tab.target_id if tab else ""
        if tool is not None and tool.page is not None:
            if not self.shows(tool.page.document):
                gone = Failure(kind=FailureKind.CONNECTION_LOST, detail="the document of the tool is gone")
                return FramedAnswer(outcome=gone, frame=None)
            frame_id, tool_id = tool.page.document.frame_id, tool.page.tool_id
            kept = tool.definition.get("name")
            name = kept if isinstance(kept, str) else name
        session = self._session_of(frame_id)
        form = None
        if tool is not None and tool.page is not None and tool.page.waits_for_submit:
            form = PageForm(then=forms, submit=partial(self._submit, tool.page, name), on_filled=on_filled)
        return await self._calls.call(
            frame_id, tool_id, name, arguments, session=session, timeout_s=timeout_s, form=form
        )

    async def submit(self) -> bool:
        return await self._calls.submit()

    async def _submit(self, facts: PageFacts, name: str) -> str:
        document = facts.document
        session = self._session_of(document.frame_id)
        try:
            return await self._worlds.submit(document, session, node=facts.form_node, name=name)
        except CdpError:
            # The reply is lost if the form leads to another document.
            if not self.shows(document):
                return ""
            raise

    def redeemer(self, tool: Tool | None) -> PageRedeemer:
        """The object that fetches the secrets of references that a call of `tool` returned.

        It fetches secrets only in the frame that registered the tool.
        """
        return PageRedeemer(self, tool.page.document if tool and tool.page else None)

    async def close(self) -> None:
        """Close the connection.

        A browser or a tab that Sightline opened is closed too; a browser or tab of the user stays open.
        """
        self._events.silence()
        self._calls.fail_all(
            Failure(kind=FailureKind.CONNECTION_LOST, detail="Sightline closed the connection")
        )
        try:
            if self._target.cdp is not None and self._lost is None:
                await self._leave()
        finally:
            await self._events.close()
            await self._cdp.close()
            if self._chromium is not None:
                await self._chromium.close()

    async def _leave(self) -> None:
        tab = self._opening.tab
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            if tab and tab.is_ours:
                await close_tab(self._cdp, tab.target_id, CLOSE_TIMEOUT_S)
            elif self._attachment.session:
                await self._attachment.detach(CLOSE_TIMEOUT_S)

    def _session_of(self, frame_id: str) -> str:
        return self._tree.session_of(frame_id) or self._attachment.session

    async def _heard(self, event: CdpEvent) -> None:
        await self._events.heard(event)

    def _disconnected(self, why: str) -> None:
        self._events.start(self._lose(why, with_browser=True))

    async def _lose(self, why: str, *, with_browser: bool = False) -> None:
        if self._lost is not None:
            return
        # Set at once, so that nothing more is sent; the exit status is added later.
        self._lost = Failure(kind=FailureKind.CONNECTION_LOST, detail=why)
        self._quiet.stir()
        self._events.silence()
        # The end of stderr is shown to the user, but is not part of a call's outcome.
        outcome = self._lost
        if self._chromium is not None and with_browser:
            how = await self._chromium.how_it_ended()
            self._lost = Failure(kind=FailureKind.CONNECTION_LOST, detail=f"{why}\n{how}")
            first, _, _ = how.partition("\n")
            outcome = Failure(kind=FailureKind.CONNECTION_LOST, detail=f"{why}: {first}")
        self._calls.fail_all(outcome)
        self._tap.note(self._lost.detail)
        self._opening.loaded.set()


async def open_page(
    target: PageTarget,
    *,
    timeout_s: float,
    on_frame: Callable[[Matched], None],
    on_change: Callable[[], None],
    will_settle: bool = False,
) -> PageConnection:
    """Open a page, and return the connection when it is ready for calls.

    Raises InspectorError, and then leaves no process and no profile behind.
    """
    connection = PageConnection(target, Tap(on_frame), on_change, will_settle=will_settle)
    try:
        await connection.open(timeout_s)
    except BaseException:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(connection.close())
        raise
    return connection
