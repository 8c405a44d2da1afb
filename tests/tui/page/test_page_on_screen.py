"""Tools of a page on the screen: by document, with the declared and the kept definition side by side."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from inspector.files import themes
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.outcome import Outcome, Result
from inspector.protocol.page import PageDocument, PageFacts, RefusedTool, SourcePlace, ToolKind
from inspector.protocol.targets import PageTarget, Target
from inspector.session.call_record import FILLED, Progress
from inspector.session.events import ListChanged, Listener, ListingAdvanced, SessionState
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.tui.app import SightlineApp
from inspector.tui.catalogue.item import about
from inspector.tui.connection.source import ServerSource
from tests.tui.scripted import (
    LARGE,
    SMALL,
    Answer,
    Script,
    ScriptedSession,
    answering,
    app_of,
    screen_text,
    settled,
)

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
TARGET = PageTarget(url="http://127.0.0.1:8000/shop")
SHOP = PageDocument(
    frame_id="A",
    loader_id="1",
    url="http://127.0.0.1:8000/shop",
    origin="http://127.0.0.1:8000",
    is_permitted=True,
)
FRAME = PageDocument(
    frame_id="B",
    loader_id="2",
    url="https://partner.example/[bold]x",
    origin="https://partner.example",
    parent_id="A",
    is_permitted=False,
)
DECLARED: JsonObject = {
    "name": "pay",
    "description": "Pays the amount that the customer saw.",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"card": {"type": "string", "x-sensitive": True}}},
    "annotations": {"sensitiveHint": True},
}
KEPT: JsonObject = {
    "name": "pay",
    "description": "Pays the amount that the customer saw.",
    "annotations": {"readOnly": False},
}


def page_tool(name: str, document: PageDocument) -> Tool:
    known = PageFacts(
        document=document,
        kind=ToolKind.SCRIPT,
        tool_id=None,
        place=SourcePlace(url=f"{document.url}.js", line=12, column=5),
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
    """A scripted session whose tools belong to a page."""

    offered: tuple[Tool | RefusedTool, ...] = (
        page_tool("pay", SHOP),
        page_tool("ship", SHOP),
        page_tool("rate", FRAME),
    )

    async def connect(self) -> ServerFacts:
        facts = await super().connect()
        self.server = replace(facts, notes=("Chromium runs without its sandbox [/nope].",))
        self.enter(SessionState.READY)
        return self.server

    async def list_all(self) -> Catalogue:
        self.catalogue = Catalogue(entries={Kind.TOOL: self.offered})
        self.tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue

    async def submit(self) -> bool:
        self.submitted.set()
        return True

    def __init__(self, script: Script, target: Target, listener: Listener) -> None:
        super().__init__(script, target, listener)
        self.submitted = asyncio.Event()

    def lists(self, *tools: Tool | RefusedTool) -> None:
        """Make the page offer these tools now."""
        self.offered = tools
        self.tell(ListChanged())


def app_of_page(script: Script) -> SightlineApp:
    async def open_session(listener: Listener) -> Session:
        return PageSession(script, TARGET, listener)

    return SightlineApp([ServerSource(target=TARGET, opener=open_session)], theme_files=themes.shipped())


@SIZES
async def test_tools_are_grouped_by_document_and_show_their_origin(size: tuple[int, int]) -> None:
    app = app_of_page(Script())
    async with app.run_test(size=size, notifications=True) as pilot:
        text = await settled(pilot, app, "a script of")
        assert "Page http://127.0.0.1" in text
        assert "without its sandbox [/nope]." in " ".join(text.split())
        assert "web+http" in text
        for _ in range(2):
            await pilot.press("down")
        text = await settled(pilot, app, "▸ rate")
        assert "Frame https://partner" in text


async def test_a_dropped_member_is_a_finding_and_marks_its_claims() -> None:
    app = app_of_page(Script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "a script of")
        await pilot.press("4")
        assert "/outputSchema" in await settled(pilot, app, "Declaration dropped by the browser")
        await pilot.press("j", "j")
        await settled(pilot, app, "its name is longer than the draft allows")
        await pilot.press("G")
        assert "https://friend.example" in await settled(pilot, app, "exposed to")
        await pilot.press("3")
        assert "sensitiveHint = true  dropped by the browser" in await settled(pilot, app, "sensitiveHint")


@SIZES
async def test_o_compares_the_declared_with_the_kept_definition(size: tuple[int, int]) -> None:
    app = app_of_page(Script())
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "a script of")
        await pilot.press("o")
        text = await settled(pilot, app, "Kept by the browser")
        assert "Declared by the page" in text
        assert '"told to agents"' in text
        assert text.count('"Pays the amount that the customer saw."') == 2
        assert any(
            " - " in line and "outputSchema" in line for line in (await scrolled(pilot, app)).splitlines()
        )
        await pilot.press("escape")
        assert "Declared by the page" not in await settled(pilot, app, "a script of")


async def scrolled(pilot: Pilot[None], app: SightlineApp) -> str:
    """The screen with the lines of the schema in view."""
    await pilot.press(*["down"] * 8)
    return await settled(pilot, app)


async def test_o_on_a_server_tool_explains_the_key() -> None:
    script = Script(
        tools=[{"name": "clock", "inputSchema": {"type": "object"}}], answers={"clock": answering({})}
    )
    app = app_of(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "clock")
        await pilot.press("o")
        await settled(pilot, app, "tools of web pages only (web+http://…)")
        assert "Declared by the page" not in screen_text(app)


async def test_the_result_of_a_call_that_leaves_the_page_stays_visible() -> None:
    script = Script()
    next_page = replace(SHOP, loader_id="9", url="http://127.0.0.1:8000/thanks")

    async def leave(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        session = cast("PageSession", script.opened[-1])
        session.lists()
        session.lists(page_tool("thanks", next_page), page_tool("more", next_page))
        return Result(value={"order": "A-7"})

    script.answers = {"pay": leave}
    app = app_of_page(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "a script of")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "Page http://127.0.0.1:8000/thanks")
        text = await settled(pilot, app, "#1 done")
        assert "its page was left" in " ".join(text.split())
        assert "▹ thanks" in text
        # It is registered again, and removed again.
        session = cast("PageSession", script.opened[-1])
        session.lists(page_tool("thanks", next_page), page_tool("pay", SHOP))
        assert "#1 done" in await settled(pilot, app, "▹ pay")
        session.lists(page_tool("thanks", next_page), page_tool("more", next_page))
        assert "#1 done" in await settled(pilot, app, "▹ thanks")
        await pilot.press("1", "escape", "down")
        text = await settled(pilot, app, "more has not been called yet")
        assert "#1 done" not in text
        assert "its result stays" not in " ".join(text.split())


async def test_an_empty_list_of_a_page_is_explained() -> None:
    answered = {
        "pay": Result(value=[], of_page=True, left_page=True),
        "ship": Result(value=[1], of_page=True),
    }

    def answer(outcome: Result) -> Answer:
        async def answered(_arguments: JsonObject, _progress: object) -> Outcome:
            return outcome

        return answered

    app = app_of_page(Script(answers={name: answer(outcome) for name, outcome in answered.items()}))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "a script of")
        await pilot.press("ctrl+r")
        words = "the new page has no JSON-LD, so it answered []"
        assert words in " ".join((await settled(pilot, app, "#1 done")).split())
        await pilot.press("escape", "down", "ctrl+r")
        assert "JSON-LD" not in await settled(pilot, app, "#2 done")


async def test_a_page_without_tools_says_what_it_may_wait_for() -> None:
    script = Script()
    app = app_of_page(script)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "a script of")
        session = cast("PageSession", script.opened[-1])
        session.lists()
        words = "The page has registered no tools so far. They are listed as soon as it registers some: perhaps after a click"
        assert words in " ".join((await settled(pilot, app, "after a click")).split())
        session.lists(page_tool("pay", SHOP))
        assert "after a click" not in await settled(pilot, app, "a script of")


async def test_a_waiting_form_is_submitted_with_a_key() -> None:
    script = Script()

    async def fill(_arguments: JsonObject, progress: Callable[[Progress], None]) -> Outcome:
        progress(FILLED)
        await cast("PageSession", script.opened[-1]).submitted.wait()
        return Result(value={"order": "A-7"})

    script.answers = {"pay": fill}
    app = app_of_page(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "a script of")
        await pilot.press("F")
        await settled(pilot, app, "No form of a page waits to be submitted")
        await pilot.press("ctrl+r")
        assert "F submit form" in await settled(
            pilot, app, "the form is filled in and waits to be submitted: F submits the"
        )
        await pilot.press("F")
        await settled(pilot, app, "#1 done")


@SIZES
async def test_a_refused_tool_is_listed_under_its_document_with_the_message(
    size: tuple[int, int],
) -> None:
    script = Script()
    refused = RefusedTool(
        pointer="/0/0",
        reason="InvalidStateError: [bold]Invalid tool name",
        value={"name": "bad\x1b[31m name"},
        name="bad\x1b[31m name",
        document=SHOP,
        place=SourcePlace(url=SHOP.url, line=3, column=9),
    )
    app = app_of_page(script)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "a script of")
        cast("PageSession", script.opened[-1]).lists(
            page_tool("pay", SHOP), refused, page_tool("rate", FRAME)
        )
        await pilot.pause()
        text = await settled(pilot, app, "≠ bad␛[31m name  refused")
        assert text.index("≠ bad") < text.index("Frame https://partner")
        await pilot.press("down")
        text = " ".join((await settled(pilot, app, "The browser refused it")).split())
        assert "[bold]Invalid tool name" in text
        await pilot.press("3")
        await settled(pilot, app, "because the browser refused the tool")


def test_a_form_says_that_the_page_adds_its_defaults() -> None:
    tool = page_tool("book", SHOP)
    assert tool.page is not None
    form = replace(tool, page=replace(tool.page, kind=ToolKind.FORM))
    words = "adds its own defaults for the fields that are left out"
    assert words in about(form).plain
    assert words not in about(tool).plain
