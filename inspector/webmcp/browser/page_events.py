"""What the browser tells of a page, event by event, and what is done about it."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator

from inspector.connect.tap import Tap
from inspector.json.exact import JsonObject
from inspector.webmcp.browser.calls import Calls, PolyfillBackend
from inspector.webmcp.browser.cdp import CdpError, CdpEvent
from inspector.webmcp.browser.opening import Opening
from inspector.webmcp.browser.quiet import Quiet
from inspector.webmcp.browser.worlds import WorldError
from inspector.webmcp.tree import Change

CALM_S = 0.1
"""Changes that follow each other faster are told once."""
TOOLS_AT_ONCE = 150
"""Tools of one event that are taken in one go; a page may have ten thousand."""


class Hearing:
    """Folds events into the tree and hands on answers. What takes a reply of the browser runs beside it."""

    def __init__(
        self,
        opening: Opening,
        calls: Calls,
        tap: Tap,
        quiet: Quiet,
        *,
        is_seen: bool,
        on_change: Callable[[], None],
        on_lost: Callable[[str], None],
    ) -> None:
        """`is_seen`: whether the user can answer a dialog. `on_lost`: is told why the page itself is gone."""
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
        self._calm: asyncio.TimerHandle | None = None
        self._is_over = False

    async def heard(self, event: CdpEvent) -> None:
        """One event."""
        self._quiet.heard(event)
        self._act(event)
        for part in _parts(event):
            self._apply(self._tree.take(event.session, event.method, part))
            if part is not event.params:
                await asyncio.sleep(0)
        if event.method == "Runtime.executionContextCreated" and self._attachment.polyfill is not None:
            self.start(self._watch(self._attachment.polyfill, event))

    async def settled(self) -> None:
        """Wait for frames in other processes, and frames in those."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, work: Coroutine[None, None, None]) -> None:
        """Run something beside the events, until `close`."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def silence(self) -> None:
        """Tell of no more changes."""
        self._is_over = True
        if self._calm:
            self._calm.cancel()

    async def close(self) -> None:
        """End all that runs beside the events."""
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
                self._polyfill_told(self._attachment.polyfill, event)
            case "Page.loadEventFired" if is_own:
                self._opening.loaded.set()
            case "Target.attachedToTarget":
                session = event.params.get("sessionId")
                # Our own tab's session is prepared by whoever asked for it.
                if isinstance(session, str) and event.session:
                    is_new = event.params.get("waitingForDebugger") is True
                    self.start(self._prepare(session, is_new=is_new))
            case "Page.javascriptDialogOpening":
                self.start(self._answer_dialog(event))
            case "Inspector.targetCrashed" if is_own:
                self._on_lost("the page crashed: its browser gave up the process that it ran in")
            case "Inspector.detached" if is_own:
                self._on_lost("the page was closed, or its browser let go of it")
            case "Target.detachedFromTarget" if event.params.get("sessionId") == self._attachment.session:
                self._on_lost("the page was closed")
            case _:
                pass

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
            case {"type": "toolSubmitted", "frameId": str(frame_id), "id": str(number)}:
                polyfill.left(frame_id, number)
            case {"type": "toolResponded", "id": str(number), **told}:
                self._calls.responded({"invocationId": number, **told}, event.frame)
            case _:
                pass

    def _apply(self, change: Change) -> None:
        if change.gone:
            self._calls.gone(change.gone)
        if change.tools and self._calm is None and not self._is_over:
            self._calm = asyncio.get_running_loop().call_later(CALM_S, self._changed)

    def _changed(self) -> None:
        self._calm = None
        self._on_change()

    async def _prepare(self, session: str, *, is_new: bool) -> None:
        # The frame may be gone before it was ready.
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            await self._attachment.prepare(session)
            if not is_new:
                await self._opening.adopt(session)

    async def _answer_dialog(self, event: CdpEvent) -> None:
        """Dismiss a dialog that nobody can see; in a window the user answers."""
        if self._is_seen:
            self._tap.note("the page shows a dialog: answer it in the browser's window")
            return
        self._tap.note("the page showed a dialog that nobody can see: dismissed")
        with contextlib.suppress(CdpError, OSError, TimeoutError):
            await self._cdp.send("Page.handleJavaScriptDialog", {"accept": False}, session=event.session)


def _parts(event: CdpEvent) -> Iterator[JsonObject]:
    """The parameters of an event, in pieces that each take little time."""
    tools = event.params.get("tools")
    if not isinstance(tools, list) or len(tools) <= TOOLS_AT_ONCE:
        yield event.params
        return
    for start in range(0, len(tools), TOOLS_AT_ONCE):
        yield {**event.params, "tools": tools[start : start + TOOLS_AT_ONCE]}
