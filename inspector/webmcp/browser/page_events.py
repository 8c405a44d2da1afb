"""Handles the browser's events of a page."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator

from inspector.connect.tap import Tap
from inspector.json.exact import JsonObject
from inspector.webmcp.browser.calls import Calls, PolyfillBackend
from inspector.webmcp.browser.cdp import CdpError, CdpEvent
from inspector.webmcp.browser.opening import PageOpening
from inspector.webmcp.browser.quiet import Quiet
from inspector.webmcp.browser.worlds import WorldError
from inspector.webmcp.tree import TreeChange

CALM_S = 0.1
"""The seconds after a change of the tools in which further changes become part of the same report."""
TOOLS_AT_ONCE = 150
"""The maximum number of tools of one event processed at once; a page may have ten thousand."""


class PageEvents:
    """Applies events to the tree of frames, and passes answers on to calls.

    Work that must wait for the browser runs in tasks.
    """

    def __init__(
        self,
        opening: PageOpening,
        calls: Calls,
        tap: Tap,
        quiet: Quiet,
        *,
        is_seen: bool,
        on_change: Callable[[], None],
        on_lost: Callable[[str], None],
    ) -> None:
        """`is_seen`: whether the user can see and answer dialogs.

        `on_lost`: called with the reason when the page is gone.
        """
        self._opening = opening
        self._cdp = opening.cdp
        self._attachment = opening.attachment
        self._tree = opening.tree
        self._calls = calls
        self._tap = tap
        self._quiet = quiet
        self._is_seen = is_seen
        self._on_change = on_change
        self._on_lost = on_lost
        self._tasks: set[asyncio.Task[None]] = set()
        self._listing: set[asyncio.Task[None]] = set()
        """Those of the tasks in which the polyfill lists the tools of a document of the tab's own session."""
        self._calm: asyncio.TimerHandle | None = None
        self._is_over = False

    async def heard(self, event: CdpEvent) -> None:
        self._quiet.heard(event)
        self._act(event)
        for part in _parts(event):
            self._apply(self._tree.take(event.session, event.method, part))
            if part is not event.params:
                await asyncio.sleep(0)
        if event.method == "Runtime.executionContextCreated" and self._attachment.polyfill is not None:
            is_own = event.session == self._attachment.session
            self.start(self._watch(self._attachment.polyfill, event), lists=is_own)

    async def settled(self) -> None:
        """Wait until frames in other processes, and their child frames, are prepared."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def listed(self) -> None:
        """Wait until the polyfill has listed the tools of the page's documents, except those in other processes."""
        if self._listing:
            await asyncio.wait(self._listing)

    def start(self, work: Coroutine[None, None, None], *, lists: bool = False) -> None:
        """Run a coroutine as a task. `lists`: `listed` waits for it."""
        task = asyncio.ensure_future(work)
        for tasks in (self._tasks, self._listing) if lists else (self._tasks,):
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    def silence(self) -> None:
        self._is_over = True
        if self._calm:
            self._calm.cancel()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _act(self, event: CdpEvent) -> None:
        is_own = event.session == self._attachment.session
        match event.method:
            case "WebMCP.toolInvoked":
                self._calls.begun(event.params)
            case "WebMCP.toolResponded":
                self._calls.responded(event.params, event.frame)
            case "Runtime.bindingCalled" if self._attachment.polyfill is not None:
                self._polyfill_event(self._attachment.polyfill, event)
            case "Page.loadEventFired" if is_own:
                self._opening.loaded.set()
            case "Target.attachedToTarget":
                session = event.params.get("sessionId")
                # `Attachment.attach` prepares the session of the tab itself.
                if isinstance(session, str) and event.session:
                    is_new = event.params.get("waitingForDebugger") is True
                    self.start(self._prepare(session, is_new=is_new))
            case "Page.javascriptDialogOpening":
                self.start(self._answer_dialog(event))
            case "Inspector.targetCrashed" if is_own:
                self._on_lost("the page crashed: its browser ended the page's process")
            case "Inspector.detached" if is_own:
                self._on_lost("the page was closed, or its browser detached from it")
            case "Target.detachedFromTarget" if event.params.get("sessionId") == self._attachment.session:
                self._on_lost("the page was closed")
            case _:
                pass

    async def _watch(self, polyfill: PolyfillBackend, event: CdpEvent) -> None:
        """Request the tools of a new document from its polyfill, now and after each change."""
        context = event.params.get("context")
        number = context.get("id") if isinstance(context, dict) else None
        frame_id = self._tree.frame_of(event.session, number) if isinstance(number, int) else None
        document = self._tree.document(frame_id) if frame_id is not None else None
        if document is not None:
            with contextlib.suppress(CdpError, WorldError, OSError, TimeoutError):
                await polyfill.watch(document, event.session)

    def _polyfill_event(self, polyfill: PolyfillBackend, event: CdpEvent) -> None:
        match polyfill.heard(event):
            case {"type": "tools", "frameId": str(frame_id), "tools": tools, **rest}:
                self._tree.permit(frame_id, is_permitted=rest.get("allowed") is True)
                self._apply(self._tree.replace_tools(event.session, frame_id, tools))
            case {"type": "toolSubmitted", "frameId": str(frame_id), "id": str(number)}:
                polyfill.left(frame_id, number)
            case {"type": "toolResponded", "id": str(number), **rest}:
                self._calls.responded({"invocationId": number, **rest}, event.frame)
            case _:
                pass

    def _apply(self, change: TreeChange) -> None:
        if change.gone:
            self._calls.gone(change.gone)
        if change.tools and self._calm is None and not self._is_over:
            self._calm = asyncio.get_running_loop().call_later(CALM_S, self._changed)

    def _changed(self) -> None:
        self._calm = None
        self._on_change()

    async def _prepare(self, session: str, *, is_new: bool) -> None:
        # The frame may disappear before it is ready.
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            await self._attachment.prepare(session)
            if not is_new:
                await self._opening.adopt(session)

    async def _answer_dialog(self, event: CdpEvent) -> None:
        """Dismiss a dialog that the user cannot see. In a visible window, the user answers it."""
        if self._is_seen:
            self._tap.note("the page shows a dialog: answer it in the browser's window")
            return
        self._tap.note("the page showed a dialog; Sightline dismissed it, because the browser has no window")
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            await self._cdp.send("Page.handleJavaScriptDialog", {"accept": False}, session=event.session)


def _parts(event: CdpEvent) -> Iterator[JsonObject]:
    """The parameters of an event, split so that each part is quick to process."""
    tools = event.params.get("tools")
    if not isinstance(tools, list) or len(tools) <= TOOLS_AT_ONCE:
        yield event.params
        return
    for start in range(0, len(tools), TOOLS_AT_ONCE):
        yield {**event.params, "tools": tools[start : start + TOOLS_AT_ONCE]}
