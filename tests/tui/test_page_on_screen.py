"""Tools of a page on the screen: by document, with what was declared beside what the browser kept."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from inspector.core.catalogue import Catalogue, Kind, Tool
from inspector.core.json_text import Json, JsonObject
from inspector.core.targets import PageTarget
from inspector.core.webmcp.page import Document, PageFacts, Place, ToolKind
from inspector.session.events import Listener, ListingAdvanced, State
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.store import themes
from inspector.tui.app import SightlineApp
from tests.tui.scripted import (
    LARGE,
    SMALL,
    Script,
    ScriptedSession,
    answering,
    app_of,
    screen_text,
    settled,
)

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
TARGET = PageTarget(url="http://127.0.0.1:8000/shop")
SHOP = Document(
    frame_id="A",
    loader_id="1",
    url="http://127.0.0.1:8000/shop",
    origin="http://127.0.0.1:8000",
    is_permitted=True,
)
FRAME = Document(
    frame_id="B",
    loader_id="2",
    url="https://partner.example/[bold]x",
    origin="https://partner.example",
    parent_id="A",
    is_permitted=False,
)
DECLARED: JsonObject = {
    "name": "pay",
    "description": "Pays.",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"card": {"type": "string", "x-sensitive": True}}},
    "annotations": {"sensitiveHint": True},
}
KEPT: JsonObject = {"name": "pay", "description": "Pays.", "annotations": {"readOnly": False}}


def page_tool(name: str, document: Document) -> Tool:
    known = PageFacts(
        document=document,
        kind=ToolKind.IMPERATIVE,
        tool_id=None,
        place=Place(url=f"{document.url}.js", line=12, column=5),
        exposed_to=("https://friend.example",),
        kept=KEPT,
        declared=DECLARED,
        options=None,
        agent={"title": "told to agents"},
        dropped=("/outputSchema", "/annotations/sensitiveHint"),
        faults=("its name is longer than the draft allows",),
    )
    definition: Json = {**DECLARED, "name": name}
    assert isinstance(definition, dict)
    return Tool(name=name, definition=definition, page=known)


class PageSession(ScriptedSession):
    """A script whose tools are a page's."""

    tools: tuple[Tool, ...] = (page_tool("pay", SHOP), page_tool("ship", SHOP), page_tool("rate", FRAME))

    async def connect(self) -> ServerFacts:
        facts = await super().connect()
        self.server = replace(facts, notes=("Chromium runs without its sandbox [/nope].",))
        self.enter(State.READY)
        return self.server

    async def list_all(self) -> Catalogue:
        self.catalogue = Catalogue(entries={Kind.TOOL: self.tools})
        self.tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue


def app_of_page(script: Script) -> SightlineApp:
    async def open_session(listener: Listener) -> Session:
        return PageSession(script, TARGET, listener)

    return SightlineApp(TARGET, open_session, theme_files=themes.shipped())


@SIZES
async def test_tools_stand_by_document_and_say_where_they_come_from(size: tuple[int, int]) -> None:
    app = app_of_page(Script())
    async with app.run_test(size=size, notifications=True) as pilot:
        text = await settled(pilot, app, "imperative tool of")
        assert "Page http://127.0.0.1" in text
        assert "without its sandbox [/nope]." in " ".join(text.split())
        assert "web+http" in text
        for _ in range(2):
            await pilot.press("down")
        text = await settled(pilot, app, "▸ rate")
        assert "Frame https://partner" in text


async def test_what_the_browser_dropped_is_a_finding_and_marks_its_claims() -> None:
    app = app_of_page(Script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "imperative tool of")
        await pilot.press("4")
        assert "/outputSchema" in await settled(pilot, app, "Declared, and dropped by the browser")
        await pilot.press("j", "j")
        await settled(pilot, app, "its name is longer than the draft allows")
        await pilot.press("G")
        assert "https://friend.example" in await settled(pilot, app, "exposed to")
        await pilot.press("3")
        assert "sensitiveHint = true  dropped by the browser" in await settled(pilot, app, "sensitiveHint")


@SIZES
async def test_o_shows_declared_beside_kept_and_escape_goes_back(size: tuple[int, int]) -> None:
    app = app_of_page(Script())
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "imperative tool of")
        await pilot.press("o")
        text = await settled(pilot, app, "Kept by the browser")
        assert "Declared by the page" in text
        assert '"told to agents"' in text
        assert any(
            "✗" in line and "outputSchema" in line for line in (await scrolled(pilot, app)).splitlines()
        )
        await pilot.press("escape")
        assert "Declared by the page" not in await settled(pilot, app, "imperative tool of")


async def scrolled(pilot: Pilot[None], app: SightlineApp) -> str:
    """The screen with the lines of the schema in view."""
    await pilot.press(*["down"] * 8)
    return await settled(pilot, app)


async def test_o_on_a_server_s_tool_says_what_it_is_for() -> None:
    script = Script(
        tools=[{"name": "clock", "inputSchema": {"type": "object"}}], answers={"clock": answering({})}
    )
    app = app_of(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "clock")
        await pilot.press("o")
        await settled(pilot, app, "Only tools of a page")
        assert "Declared by the page" not in screen_text(app)
