"""The screen about the text that reaches a model before its first call."""

import re
import sys
import threading
from pathlib import Path

import pytest

from inspector.files import themes
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import StdioTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.catalogue.item import ItemAsked, ToolView
from inspector.tui.connection.source import ServerSource
from inspector.tui.definition.view import DefinitionAsked, DefinitionView
from inspector.tui.main import selection
from tests.tui.scripted import LARGE, SMALL, Script, app_of, settled, shows

INSTRUCTING = """
import json, sys
ANSWERS = {
    "initialize": {
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "instructions": "Ask for the time.",
        "serverInfo": {"name": "clocks", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "clock", "inputSchema": {"type": "object"}}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    result = ANSWERS.get(asked["method"])
    answer = {"result": result} if result else {"error": {"code": -32601, "message": "no such method"}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""

SMALL_TOOL: JsonObject = {"name": "clock", "inputSchema": {"type": "object"}}
LARGE_TOOL: JsonObject = {
    "name": "poem",
    "description": "\x1b[31mrhymes " * 90,
    "inputSchema": {"type": "object"},
}


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_each_part_of_the_context_is_shown_with_its_tokens_largest_first(
    size: tuple[int, int],
) -> None:
    named = {**SMALL_TOOL, "name": "trigger-url-elicitation"}
    app = app_of(Script(tools=[SMALL_TOOL, named, LARGE_TOOL], prompts=[{"name": "ask"}]))
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "clock")
        await pilot.press("C")
        # The rows are drawn after the headings.
        text = await shows(pilot, app, "By host", " B  ", "poem  ▲")
        assert "Before the first call" in text
        assert "an estimate: bytes / 4" in " ".join(text.split())
        rows = [line for line in text.splitlines() if " B  " in line]
        assert ["poem" in row for row in rows] == [True, False, False, False]
        assert re.search(r" poem {2}\W\d+ (of \d+ )?(high|medium) *$", rows[0]), (
            "its text has control characters"
        )
        assert re.search(r"tool {9}trigger-url-elicitation *(\W\d+ low)? *$", rows[1])
        assert "tool" in rows[2]
        assert "prompt" in rows[3]
        assert "spec, claude-code ?" in text
        await pilot.press("escape")
        await settled(pilot, app, "Timeline")


async def test_enter_shows_the_text_and_esc_leads_back_to_its_row() -> None:
    app = app_of(Script(tools=[SMALL_TOOL, LARGE_TOOL], prompts=[{"name": "ask", "description": "Asks."}]))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "clock has not been called yet")
        await pilot.press("C")
        await shows(pilot, app, "By host", "▸")
        await pilot.press("G", "enter")
        text = await shows(
            pilot, app, "▸2 Definition", "Asks.", "tokens of the context before the first call"
        )
        assert "Before the first call" not in text.splitlines()[0]
        # No row is marked as the place of a finding.
        assert "!name" not in text
        await pilot.press("escape")
        text = await shows(pilot, app, "Before the first call", "▸")
        assert "ask" in next(line for line in text.splitlines() if "▸" in line)
        await pilot.press("k", "k", "enter")
        text = await shows(pilot, app, "▸2 Definition", r"\u001b[31mrhymes")
        assert "poem" in text
        await pilot.press("escape")
        await shows(pilot, app, "Before the first call", "▸")
        # Esc leads to what was shown before the list was opened.
        await pilot.press("escape")
        await shows(pilot, app, "▸ clock", "▸1 Call")


async def test_the_place_is_marked_although_its_item_opens_after_the_definition_of_the_item_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The definition of the first item comes when the second item has been asked for and has not come.
    makes_item, makes_definition = selection._asked_item, selection.asked_definition  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    may_come = {"clock": threading.Event(), "poem": threading.Event()}

    def item(asked: ItemAsked) -> ToolView:
        if isinstance(asked.entry, Tool) and asked.entry.name == "poem":
            may_come["poem"].wait(20)
        return makes_item(asked)

    def definition(asked: DefinitionAsked) -> DefinitionView | None:
        may_come["clock"].wait(20)
        return makes_definition(asked)

    monkeypatch.setattr(selection, "_asked_item", item)
    monkeypatch.setattr(selection, "asked_definition", definition)
    app = app_of(Script(tools=[SMALL_TOOL, LARGE_TOOL]))
    async with app.run_test(size=LARGE) as pilot:
        await shows(pilot, app, "clock has not been called yet")
        await pilot.press("C")
        await shows(pilot, app, "By host", "▸")
        await pilot.press("g", "enter")
        await shows(pilot, app, "▸2 Definition")
        may_come["clock"].set()
        await shows(pilot, app, '"clock"')
        may_come["poem"].set()
        await shows(pilot, app, "399 tokens of the context before the first call")


async def test_enter_shows_the_instructions_in_the_answer_that_they_came_in(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(INSTRUCTING)
    target = StdioTarget(command=(sys.executable, "-S", str(server)))

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(is_quick_to_end=True), listener)

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=LARGE) as pilot:
        # The header has the name of the server, clocks, before anything is listed.
        await settled(pilot, app, "▸ clock")
        await pilot.press("C")
        await shows(pilot, app, "By host", "instructions")
        await pilot.press("enter")
        await shows(pilot, app, "Frames", "▸", '"instructions": "Ask for the time."')
        await pilot.press("escape")
        await shows(pilot, app, "Before the first call", "instructions")
