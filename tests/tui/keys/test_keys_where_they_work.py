"""Keys that work from every part of the main screen, and what Space and - do in a recording."""

import re
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

from inspector.json.exact import JsonObject
from inspector.tui.call.form import ArgumentForm
from inspector.tui.player.transport import TransportBar, TransportView, bar_line
from inspector.tui.values.pane import OutlineLines
from tests.tui.recorded import player_of, read, recording
from tests.tui.scripted import (
    LARGE,
    SMALL,
    Script,
    answering,
    app_of,
    screen_lines,
    screen_text,
    settled,
    until,
)

SECRET = "planted-secret-4711"
MINT: JsonObject = {
    "name": "mint",
    "description": "Makes a key.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "properties": {"owner": {"type": "string", "default": "ada"}}},
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
    },
}
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def script() -> Script:
    minted = answering({"content": [], "structuredContent": {"id": "one", "key": SECRET}})
    return Script(tools=[MINT], answers={"mint": minted}, stderr=["serving"])


@SIZES
async def test_masked_values_are_shown_from_every_part_of_the_screen(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        # The values, the catalogue, the timeline.
        for keys in ((), ("escape",), ("t", "t", "tab", "shift+tab")):
            await pilot.press(*keys)
            text = await settled(pilot, app, "#1 done")
            assert SECRET not in text
            assert "u unmask" in text
            await pilot.press("u")
            text = await settled(pilot, app, "Esc mask")
            assert SECRET in text.replace("│", "")
            where = app.focused
            await pilot.press("escape")
            assert SECRET not in await settled(pilot, app, "masked, u shows")
            assert app.focused is where
        # The next call masks again, and a text field takes the letters.
        await pilot.press("u")
        await settled(pilot, app, "Esc mask")
        await pilot.press("r")
        assert SECRET not in await settled(pilot, app, "#2 done")
        await pilot.press("1", "u", "m")
        await settled(pilot, app, "Esc leave")
        assert app.screen.query_one("FieldLine Input", Input).value == "um"


async def test_the_sides_are_changed_from_every_part_of_the_screen() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("m")
        await settled(pilot, app, "No result is on the screen.")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        for keys in ((), ("escape",)):
            await pilot.press(*keys)
            text = await settled(pilot, app, "Server sent")
            assert "m sides" in text
            assert "Model sees" in text
            await pilot.press("m")
            text = await settled(pilot, app, "m: other side, both")
            assert ("Server sent" in text) != ("Model sees" in text)
            await pilot.press("m", "m")


async def test_in_a_recording_space_plays_and_minus_folds(tmp_path: Path) -> None:
    app = player_of(recording(tmp_path))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await read(pilot, app, "frame 13 of 13")
        await pilot.press("left_curly_bracket", "enter")
        await settled(pilot, app, "Server sent")
        values = app.screen.query_one("#result-values", OutlineLines)
        values.focus()
        await settled(pilot, app, "- fold/unfold")
        footer = screen_lines(app)[-1]
        assert "Space play" in footer
        assert "Space fold" not in footer
        rows = values.count
        await pilot.press("minus")
        await settled(pilot, app, "- unfolds")
        assert values.count < rows
        # Nothing is called here, and no key says so.
        await pilot.press("1")
        text = await settled(pilot, app, "Enter or Tab: look at the arguments")
        assert "edit the arguments" not in text
        await pilot.press("tab")
        text = await settled(pilot, app, "Esc leave")
        assert "Enter call" not in text
        # Nor can the arguments be changed: letters run commands, also here.
        form = app.screen.query_one(ArgumentForm)
        before = form.entered()
        assert form.lines
        # On a busy machine, it plays to the end before the screen is read.
        bars: list[str] = []

        def read_bar(view: TransportView) -> None:
            bars.append(bar_line(view, 120).plain)

        app.screen.watch(app.screen.query_one(TransportBar), "view", read_bar, init=False)
        await pilot.press("9", "backspace", "space")
        await until(pilot, app, lambda _: any("▶" in bar for bar in bars))
        await pilot.press("escape", "1", "tab", "ctrl+j", *"no")
        assert app.screen.query_one("#arguments", TextArea).read_only
        assert form.entered() == before
        await pilot.press("escape", "less_than_sign")
        await read(pilot, app, "frame 1 of 13")
        bars.clear()
        await pilot.press("space")
        await until(pilot, app, lambda _: any("▶" in bar for bar in bars))
        await pilot.press("less_than_sign")
        await read(pilot, app, "frame 1 of 13")
        await pilot.press("question_mark")
        text = await settled(pilot, app, "Keys that work now, the most useful first")
        assert "play: Plays from here" in text
        await pilot.press("escape")
        assert "Sightline help" not in screen_text(app)


@SIZES
async def test_the_palette_begins_with_what_people_look_for(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "ctrl+p")
        text = await settled(pilot, app, "Record  (w)")
        titles = re.findall(r"^ +([A-Z][\w ]+)  \(\S+\)", text, re.MULTILINE)
        assert titles[:4] == ["Call", "Call again", "Reconnect", "Record"], text
        assert "Quit" not in text
        assert "Enter run  ↓ next  ↑ previous  Esc close" in screen_lines(app)[-1]
        await pilot.press(*"copy result", "enter")
        await settled(pilot, app, "What to copy")


async def test_the_palette_names_a_host_that_has_no_profile() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "▸ mint")
        await pilot.press("ctrl+p", *"chatgpt")
        await settled(pilot, app, "Host ChatGPT")
        await pilot.press("enter")
        text = await settled(pilot, app, "ChatGPT was not observed, so it has no profile.")
        assert "host: spec" in text
