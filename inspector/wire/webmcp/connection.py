"""A connection to a page: opened, listed, called, watched, closed."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace

from inspector.core.catalogue import Catalogue, Tool
from inspector.core.frames import Frame
from inspector.core.json_text import Json, JsonObject
from inspector.core.outcome import Failure, FailureKind
from inspector.core.targets import PageTarget
from inspector.core.webmcp.catalogue import catalogue_of
from inspector.core.webmcp.page import Document
from inspector.core.webmcp.tree import Change, Tree
from inspector.errors import UnreachableError
from inspector.wire.cdp import Cdp, CdpError, CdpEvent
from inspector.wire.chromium import NO_SANDBOX, Chromium
from inspector.wire.dispatch import Answer
from inspector.wire.tap import Tap
from inspector.wire.webmcp.attaching import NO_WEBMCP, Attachment
from inspector.wire.webmcp.backends import NativeBackend, PolyfillBackend
from inspector.wire.webmcp.calling import Calls
from inspector.wire.webmcp.redeem import PageRedeemer
from inspector.wire.webmcp.tabs import Tab, choose, debugging_address
from inspector.wire.webmcp.worlds import WorldError, Worlds

CALM_S = 0.1
"""Changes that follow each other faster are told once."""
CLOSE_TIMEOUT_S = 2.0
TOOLS_AT_ONCE = 500
"""Tools of one event that are taken in one go; a page may have ten thousand."""

POLYFILLED = "The page has a polyfill of ours for document.modelContext, not an API of its browser."

_PERMISSION = "tools"
_API = "[isSecureContext, !!(document.modelContext ?? navigator.modelContext)]"


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


class PageConnection:
    """One tab. Calls may run at the same time; one task opens and closes it."""

    def __init__(self, target: PageTarget, tap: Tap, on_change: Callable[[], None]) -> None:
        self._target = target
        self._tap = tap
        self._on_change = on_change
        self._cdp = Cdp(tap, self._heard, self._disconnected)
        self._attachment = Attachment(self._cdp)
        self._tree = Tree(self._attachment.binding)
        self._calls = Calls(NativeBackend(self._cdp), tap)
        self._worlds = Worlds(self._cdp)
        self._chromium: Chromium | None = None
        self._tab: Tab | None = None
        self._session = ""
        self._loaded = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._calm: asyncio.TimerHandle | None = None
        self._agents: dict[str, tuple[int, dict[str, Json]]] = {}
        self._lost: Failure | None = None
        self._browser = BrowserFacts(product="", raw={})

    @property
    def browser(self) -> BrowserFacts:
        """The browser behind the page."""
        return self._browser

    @property
    def lost(self) -> Failure | None:
        """Why the connection is gone; None while it is there."""
        return self._lost

    @property
    def process_id(self) -> int | None:
        """Of our own browser; None where it is the user's."""
        return self._chromium.pid if self._chromium else None

    def now_s(self) -> float:
        """Seconds since the connection was asked for: the clock of its frames."""
        return self._tap.now_s()

    def shows(self, document: Document) -> bool:
        """Whether a document is still the one in its frame."""
        now = self._tree.document(document.frame_id)
        return now is not None and now.loader_id == document.loader_id and now.origin == document.origin

    async def evaluate_quietly(self, document: Document, expression: str, *, timeout_s: float) -> Json:
        """The value of an expression in our own world of a document, kept out of every frame.

        Raises WorldError, CdpError, CdpLostError, TimeoutError.
        """
        session = self._tree.session_of(document.frame_id) or self._session
        return await self._worlds.evaluate(document, session, expression, timeout_s=timeout_s, is_quiet=True)

    async def open(self, timeout_s: float) -> None:
        """Start or reach the browser and show the page. Raises InspectorError."""
        if self._target.cdp is not None:
            address = await debugging_address(self._target.cdp, timeout_s)
        else:
            self._chromium = Chromium(self._target, self._tap)
            address = await self._chromium.start(timeout_s)
        await self._cdp.open(address, timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                await self._show()
        except TimeoutError as error:
            raise UnreachableError(
                f"the page did not load within {timeout_s:g} s\nURL: {self._target}",
                "--timeout SECONDS waits longer.",
            ) from error
        except (CdpError, WorldError, OSError) as error:
            raise UnreachableError(
                f"the browser refused: {error}", "Try again; --chromium PATH names another."
            ) from error

    async def _show(self) -> None:
        version = await self._cdp.send("Browser.getVersion")
        notes = (NO_SANDBOX,) if self._chromium and self._chromium.is_without_sandbox else ()
        self._browser = BrowserFacts(product=str(version.get("product", "")), raw=version, notes=notes)
        self._tab = await choose(self._cdp, self._target)
        if self._target.polyfill:
            self._give_polyfill()
        await self._attach(self._tab)
        if not self._tab.is_empty:
            await self._adopt(self._session)
            # Frames in other processes, and frames in those.
            while self._tasks:
                await asyncio.gather(*self._tasks, return_exceptions=True)
        else:
            await self._navigate()
        if await self._has_api():
            return
        if self._attachment.polyfill or not self._tab.is_empty:
            raise UnreachableError(f"{self._browser.product} gives the page no WebMCP", NO_WEBMCP)
        session, self._session = self._session, ""
        await self._cdp.send("Target.detachFromTarget", {"sessionId": session})
        self._give_polyfill()
        await self._attach(self._tab)
        await self._navigate()

    def _give_polyfill(self) -> None:
        backend = PolyfillBackend(self._worlds, self._tree)
        self._attachment.polyfill = self._calls.backend = backend
        self._browser = replace(
            self._browser, api="WebMCP polyfill", notes=(*self._browser.notes, POLYFILLED)
        )
        self._tap.note(POLYFILLED)

    async def _attach(self, tab: Tab) -> None:
        attached = await self._cdp.send("Target.attachToTarget", {"targetId": tab.target_id, "flatten": True})
        self._session = str(attached.get("sessionId", ""))
        await self._attachment.prepare(self._session)

    async def _adopt(self, session: str) -> None:
        """Take the documents that a session shows already."""
        tree = await self._cdp.send("Page.getFrameTree", session=session)
        self._tree.adopt(session, tree.get("frameTree"))

    async def _navigate(self) -> None:
        self._loaded.clear()
        went = await self._cdp.send("Page.navigate", {"url": self._target.url}, session=self._session)
        problem = went.get("errorText")
        if isinstance(problem, str) and problem:
            raise UnreachableError(
                f"cannot open the page: {problem}\nURL: {self._target}", "Is its server running?"
            )
        await self._loaded.wait()

    async def _has_api(self) -> bool:
        """Whether the page can offer tools. Raises UnreachableError where none in its place could."""
        document = self._tree.document(self._tab.target_id if self._tab else "")
        if document is None:
            return True
        found = await self._worlds.evaluate(document, self._session, _API, timeout_s=10)
        if found == [False, False] or document.origin == "://":
            raise UnreachableError(
                f"the page is no secure context, so that it cannot offer tools\nURL: {self._target}",
                "Use https, or http on localhost.",
            )
        if self._attachment.polyfill:
            # The polyfill is the page's, which our own world does not see.
            return True
        return found != [True, False] and self._attachment.has_native

    async def catalogue(self) -> Catalogue:
        """All tools of all documents, as they are now. Raises UnreachableError where the connection is gone."""
        if self._lost:
            raise UnreachableError(self._lost.detail, "Reconnect to go on.")
        told: dict[str, dict[str, Json]] = {}
        for document in self._tree.documents:
            if self._tree.offers(document.frame_id):
                told[document.frame_id] = await self._told(document)
        snapshot = self._tree.snapshot(told)
        return await asyncio.to_thread(catalogue_of, snapshot, self._attachment.script)

    async def _told(self, document: Document) -> dict[str, Json]:
        """What `getTools()` says in a document, asked once for each state of its tools."""
        revision = self._tree.revision(document.frame_id)
        known = self._agents.get(document.frame_id)
        if known is not None and known[0] == revision:
            return known[1]
        session = self._tree.session_of(document.frame_id) or self._session
        if document.is_permitted is None:
            await self._ask_permission(document, session)
        told = await self._worlds.agents(document, session)
        self._agents[document.frame_id] = (revision, told)
        return told

    async def _ask_permission(self, document: Document, session: str) -> None:
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            reply = await self._cdp.send(
                "Page.getPermissionsPolicyState", {"frameId": document.frame_id}, session=session, timeout_s=5
            )
            states = reply.get("states")
            for state in states if isinstance(states, list) else ():
                if isinstance(state, dict) and state.get("feature") == _PERMISSION:
                    self._tree.permit(document.frame_id, is_permitted=state.get("allowed") is True)

    async def call(self, tool: Tool | None, name: str, arguments: JsonObject, *, timeout_s: float) -> Answer:
        """Call a tool; one that is not listed, in the main frame. A failure is an outcome."""
        if self._lost:
            return Answer(outcome=self._lost, frame=None)
        if tool is None or tool.page is None:
            return await self._calls.call(
                self._tab.target_id if self._tab else "",
                None,
                name,
                arguments,
                session=self._session,
                timeout_s=timeout_s,
            )
        page = tool.page
        if not self.shows(page.document):
            gone = Failure(kind=FailureKind.CONNECTION_LOST, detail="the document of the tool is gone")
            return Answer(outcome=gone, frame=None)
        kept = tool.definition.get("name")
        return await self._calls.call(
            page.document.frame_id,
            page.tool_id,
            kept if isinstance(kept, str) else name,
            arguments,
            session=self._tree.session_of(page.document.frame_id) or self._session,
            timeout_s=timeout_s,
        )

    def redeemer(self, tool: Tool | None) -> PageRedeemer:
        """What redeems the references that a call of `tool` returned: the frame that registered it, and no other."""
        return PageRedeemer(self, tool.page.document if tool and tool.page else None)

    async def close(self) -> None:
        """End it. Our browser ends and our tab closes; nothing of the user's does."""
        if self._calm:
            self._calm.cancel()
        self._calls.fail_all(
            Failure(kind=FailureKind.CONNECTION_LOST, detail="the connection was closed here")
        )
        try:
            if self._target.cdp is not None and self._lost is None:
                await self._leave()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._cdp.close()
            if self._chromium is not None:
                await self._chromium.close()

    async def _leave(self) -> None:
        """Take back what was put into the user's browser."""
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            if self._tab and self._tab.is_ours:
                await self._cdp.send(
                    "Target.closeTarget", {"targetId": self._tab.target_id}, timeout_s=CLOSE_TIMEOUT_S
                )
            elif self._session:
                await self._cdp.send(
                    "Target.detachFromTarget", {"sessionId": self._session}, timeout_s=CLOSE_TIMEOUT_S
                )

    async def _heard(self, event: CdpEvent) -> None:
        match event.method:
            case "WebMCP.toolResponded":
                self._calls.responded(event.params, event.frame)
            case "Runtime.bindingCalled" if self._attachment.polyfill is not None:
                self._polyfill_told(self._attachment.polyfill, event)
            case "Page.loadEventFired" if event.session == self._session:
                self._loaded.set()
            case "Target.attachedToTarget":
                session = event.params.get("sessionId")
                # Our own tab's session is prepared by whoever asked for it.
                if isinstance(session, str) and event.session:
                    is_new = event.params.get("waitingForDebugger") is True
                    self._start(self._prepare(session, is_new=is_new))
            case "Page.javascriptDialogOpening":
                self._start(self._answer_dialog(event))
            case "Inspector.targetCrashed" | "Inspector.detached" if event.session == self._session:
                self._start(self._lose("the page crashed or was closed"))
            case "Target.detachedFromTarget" if event.params.get("sessionId") == self._session:
                self._start(self._lose("the page was closed"))
            case _:
                pass
        for part in _parts(event):
            self._take(event, part)
            if part is not event.params:
                await asyncio.sleep(0)

        if event.method == "Runtime.executionContextCreated" and self._attachment.polyfill is not None:
            self._start(self._watch(self._attachment.polyfill, event))

    async def _watch(self, polyfill: PolyfillBackend, event: CdpEvent) -> None:
        """A document has begun: ask its polyfill for its tools, now and whenever they change."""
        context = event.params.get("context")
        number = context.get("id") if isinstance(context, dict) else None
        frame_id = self._tree.frame_of(event.session, number) if isinstance(number, int) else None
        document = self._tree.document(frame_id) if frame_id is not None else None
        if document is not None:
            with contextlib.suppress(CdpError, WorldError, OSError, TimeoutError):
                await polyfill.watch(document, event.session)

    def _polyfill_told(self, polyfill: PolyfillBackend, event: CdpEvent) -> None:
        match polyfill.heard(event):
            case {"type": "tools", "frameId": str(frame_id), "tools": tools, **told}:
                self._tree.permit(frame_id, is_permitted=told.get("allowed") is True)
                self._apply(self._tree.list_anew(event.session, frame_id, tools))
            case {"type": "toolResponded", "id": str(number), **told}:
                self._calls.responded({"invocationId": number, **told}, event.frame)
            case _:
                pass

    def _take(self, event: CdpEvent, params: JsonObject) -> None:
        self._apply(self._tree.take(event.session, event.method, params))

    def _apply(self, change: Change) -> None:
        if change.gone:
            self._calls.gone(change.gone)
        if change.tools and self._calm is None and not self._lost:
            self._calm = asyncio.get_running_loop().call_later(CALM_S, self._changed)

    def _changed(self) -> None:
        self._calm = None
        self._on_change()

    async def _prepare(self, session: str, *, is_new: bool) -> None:
        # The frame may be gone before it was ready.
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            await self._attachment.prepare(session)
            if not is_new:
                await self._adopt(session)

    async def _answer_dialog(self, event: CdpEvent) -> None:
        """Dismiss a dialog that nobody can see; in a window the user answers."""
        if self._target.is_headed or self._target.cdp is not None:
            self._tap.note("the page shows a dialog: answer it in the browser's window")
            return
        self._tap.note("the page showed a dialog that nobody can see: dismissed")
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            await self._cdp.send("Page.handleJavaScriptDialog", {"accept": False}, session=event.session)

    def _disconnected(self, why: str) -> None:
        self._start(self._lose(why, with_browser=True))

    async def _lose(self, why: str, *, with_browser: bool = False) -> None:
        if self._lost is not None:
            return
        # At once, so that nothing is sent meanwhile; how it ended is learned a moment later.
        self._lost = Failure(kind=FailureKind.CONNECTION_LOST, detail=why)
        if self._chromium is not None and with_browser:
            ended = f"{why}\n{await self._chromium.how_it_ended()}"
            self._lost = Failure(kind=FailureKind.CONNECTION_LOST, detail=ended)
        self._calls.fail_all(self._lost)
        self._tap.note(self._lost.detail)
        self._loaded.set()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _parts(event: CdpEvent) -> Iterator[JsonObject]:
    """The parameters of an event, in pieces that each take little time."""
    tools = event.params.get("tools")
    if not isinstance(tools, list) or len(tools) <= TOOLS_AT_ONCE:
        yield event.params
        return
    for start in range(0, len(tools), TOOLS_AT_ONCE):
        yield {**event.params, "tools": tools[start : start + TOOLS_AT_ONCE]}


async def open_page(
    target: PageTarget, *, timeout_s: float, on_frame: Callable[[Frame], None], on_change: Callable[[], None]
) -> PageConnection:
    """A page that is ready for calls. Raises InspectorError; leaves no process and no profile behind when it does."""
    connection = PageConnection(target, Tap(on_frame), on_change)
    try:
        await connection.open(timeout_s)
    except BaseException:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(connection.close())
        raise
    return connection
