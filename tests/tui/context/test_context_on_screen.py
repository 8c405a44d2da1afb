"""The screen about the text that reaches a model before its first call."""

import pytest

from inspector.json.exact import JsonObject
from tests.tui.scripted import LARGE, SMALL, Script, app_of, settled, shows

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
    app = app_of(Script(tools=[SMALL_TOOL, LARGE_TOOL], prompts=[{"name": "ask"}]))
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "clock")
        await pilot.press("C")
        # The rows are drawn after the headings.
        text = await shows(pilot, app, "By host", " B  ")
        assert "Before the first call" in text
        assert "an estimate: bytes / 4" in " ".join(text.split())
        rows = [line for line in text.splitlines() if " B  " in line]
        assert ["poem" in row for row in rows] == [True, False, False]
        assert "tool" in rows[1]
        assert "prompt" in rows[2]
        assert "spec, claude-code ?" in text
        await pilot.press("escape")
        await settled(pilot, app, "Timeline")
