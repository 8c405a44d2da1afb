"""Helpers for the tests of pages: one browser per module, and sessions on pages in tabs of their own."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from inspector.connect.tap import Tap
from inspector.json.exact import Json, JsonObject, JsonText
from inspector.protocol.catalogue import Tool
from inspector.protocol.frames import Frame
from inspector.protocol.outcome import Result
from inspector.protocol.page import PageFacts
from inspector.protocol.targets import PageTarget
from inspector.protocol.timeline import Entry
from inspector.session.call_record import CallRecord
from inspector.session.events import Event, FrameSeen, ListChanged
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.webmcp.browser.cdp import Cdp, CdpEvent
from inspector.webmcp.browser.chromium import Chromium
from inspector.webmcp.browser.opening import close_tab
from inspector.webmcp.browser.worlds import value_of
from tests.driven import drives


@asynccontextmanager
async def browser(*, polyfill: bool = False) -> AsyncGenerator[str]:
    """A Chromium for many tabs; its debugging address. `polyfill`: without its own WebMCP."""
    drives()
    chromium = Chromium(PageTarget(url="", polyfill=polyfill), Tap(lambda _: None))
    try:
        yield await chromium.start(30)
    finally:
        await chromium.close()


@asynccontextmanager
async def opened(cdp: str, url: str) -> AsyncGenerator[Callable[[str], Awaitable[Json]]]:
    """A page in a tab that was not observed while it loaded; returns a function that evaluates in it."""
    drives()
    loaded = asyncio.Event()

    async def heard(event: CdpEvent) -> None:
        if event.method == "Page.loadEventFired":
            loaded.set()

    async with AsyncExitStack() as ending:
        client = Cdp(Tap(lambda _: None), heard, lambda _: None)
        ending.push_async_callback(client.close)
        await client.open(cdp, 10)
        made = await client.send("Target.createTarget", {"url": "about:blank"})
        target_id = str(made["targetId"])
        ending.push_async_callback(close_tab, client, target_id, 10)
        asked: JsonObject = {"targetId": target_id, "flatten": True}
        session = str((await client.send("Target.attachToTarget", asked))["sessionId"])
        await client.send("Page.enable", session=session)
        await client.send("Page.navigate", {"url": url}, session=session)
        async with asyncio.timeout(30):
            await loaded.wait()

        async def evaluate(expression: str) -> Json:
            asked: JsonObject = {"expression": expression, "awaitPromise": True, "returnByValue": True}
            return value_of(await client.send("Runtime.evaluate", asked, session=session))

        yield evaluate


@dataclass(slots=True)
class Visit:
    """A session on a page, and all events that it sent."""

    session: Session
    frames: list[Frame] = field(default_factory=list[Frame])
    _told: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, event: Event) -> None:
        match event:
            case FrameSeen(frame=frame):
                self.frames.append(frame)
                self._told.set()
            case ListChanged():
                self._told.set()
            case _:
                pass

    def tool(self, name: str) -> Tool:
        found = self.session.catalogue.tool(name)
        assert found is not None, [tool.name for tool in self.session.catalogue.tools]
        return found

    def facts(self, name: str) -> PageFacts:
        facts = self.tool(name).page
        assert facts is not None
        return facts

    def names(self) -> list[str]:
        return [tool.name for tool in self.session.catalogue.tools]

    async def call(
        self, name: str, arguments: JsonObject | None = None, *, timeout_s: float = 20
    ) -> CallRecord:
        return await self.session.call(name, arguments or {}, timeout_s=timeout_s)

    async def result(self, name: str, **arguments: Json) -> Json:
        record = await self.call(name, dict(arguments))
        assert isinstance(record.outcome, Result), record.outcome
        return record.outcome.value

    async def until(self, holds: Callable[[], bool], *, listing: bool = True) -> None:
        """Wait for a change of the page; list again after every event."""
        async with asyncio.timeout(20):
            while True:
                self._told.clear()
                if listing:
                    await self.session.list_all()
                if holds():
                    return
                await self._told.wait()

    def entry(self, tool: str) -> Entry:
        """The last call of a tool in the timeline."""
        entries = reversed(self.session.timeline.entries)
        return next(entry for entry in entries if entry.title == f"WebMCP.invokeTool {tool}")

    def ended(self, tool: str) -> tuple[str, str]:
        """The state and the detail of the last call of a tool in the timeline."""
        entry = self.entry(tool)
        return entry.state.value, entry.detail

    def sent(self, method: str) -> list[JsonObject]:
        """The parameters of every request with a method."""
        found: list[JsonObject] = []
        for frame in self.frames:
            match frame.body:
                case JsonText(value={"id": _, "method": str(asked), "params": dict() as params}) if (
                    asked == method
                ):
                    found.append(params)
                case _:
                    pass
        return found


@asynccontextmanager
async def visiting(
    url: str, cdp: str | None = None, *, options: Options | None = None, **target: object
) -> AsyncGenerator[Visit]:
    """A page that has loaded and was listed: in a tab of the browser at `cdp`, or in a browser of its own."""
    drives()
    session = Session(PageTarget(url=url, cdp=cdp, **target), options or Options())  # pyright: ignore[reportArgumentType]
    visit = Visit(session)
    session._listener = visit.hear  # noqa: SLF001 - the visit needs the session first  # pyright: ignore[reportPrivateUsage]
    try:
        await session.connect()
        await session.list_all()
        yield visit
    finally:
        await session.close()
