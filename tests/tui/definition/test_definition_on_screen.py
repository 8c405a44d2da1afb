import re

import pytest
from textual.content import Content

from inspector.json.exact import Json, JsonObject
from inspector.tui.definition.pane import DefinitionMark, DefinitionPane
from inspector.tui.definition.view import DefinitionAsked
from inspector.tui.main import selection as looking
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, settled

MINT: JsonObject = {
    "name": "mint",
    "description": "Makes a key.",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
    },
    "annotations": {"readOnlyHint": False},
}
PLAIN: JsonObject = {"name": "plain", "inputSchema": {"type": "object"}}
MINTED: Json = {"content": [], "structuredContent": {"id": "one", "key": "sk_live_0123456789abcdef"}}

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def script() -> Script:
    return Script(
        tools=[MINT, PLAIN, {"name": "broken"}],
        resources=[{"uri": "file:///notes", "name": "notes"}],
        answers={"mint": answering(MINTED)},
    )


def given(text: str) -> str:
    """The model's side of a definition in full-screen."""
    return "\n".join(line.partition("│")[2] for line in text.splitlines() if "│" in line)


async def test_a_wide_terminal_shows_both_sides_of_a_definition() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2", "z")
        text = await settled(pilot, app, "Model gets  spec, declared")
        model = given(text)
        assert "x-sensitive  true" in text
        assert "x-sensitive" not in model
        assert "readOnlyHint" not in model
        assert '"Makes a key."' in model
        assert "✗ 1 withheld" in text


async def test_the_place_of_a_missing_member_is_marked_at_the_nearest_value_around_it() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2", "z", "G")
        await settled(pilot, app, "Model gets  spec, declared")
        pane = app.screen.query_one(DefinitionPane)
        pane.mark(DefinitionMark(pointer="/outputSchema/properties/gone/type", words=Content("! is missing")))
        text = await settled(pilot, app, "! is missing")
        assert pane.values.pointer == "/outputSchema/properties"
        assert re.search(r"▸ ! +properties", text)
        assert len(re.findall(r"^[▸ ] !", text, re.MULTILINE)) == 1


async def test_a_narrow_terminal_shows_one_side_and_m_switches() -> None:
    app = app_of(script())
    async with app.run_test(size=(64, 24)) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2", "n")
        text = await settled(pilot, app, "m: other side")
        assert "Model gets" not in text
        assert "▸~" in text or "▸✗" in text
        await pilot.press("m")
        await settled(pilot, app, "Model gets  spec")


@SIZES
async def test_each_difference_shows_its_reason(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2")
        await settled(pilot, app, "server sent 227 B")
        told = ""
        for _ in range(12):
            await pilot.press("n")
            told += await settled(pilot, app)
            if "No further difference below." in told:
                break
        assert "✗ marked sensitive  /outputSchema/properties/key" in told
        assert "/annotations" in told
        await pilot.press("enter")
        assert "declared by webmcp-110: x-sensitive" in await settled(pilot, app)
        await pilot.press("escape")
        assert "declared by" not in await settled(pilot, app)
        assert app.is_running


async def test_the_definition_follows_boundary_and_host() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2")
        await settled(pilot, app, "Model gets  spec, declared")
        await pilot.press("B")
        text = await settled(pilot, app, "Model gets  spec, open")
        assert "✗ withheld" not in text
        await pilot.press("b", "h", *"claude", "enter")
        text = await settled(pilot, app, "Model gets  claude-code, declared")
        assert "not observed" in text


async def test_a_malformed_definition_has_no_model_side() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2", "escape")
        await settled(pilot, app, "Model gets  spec, declared")
        await pilot.press("down")
        assert '"Makes a key."' not in await settled(pilot, app, '"plain"')
        await pilot.press("down")
        text = await settled(pilot, app, "≠ malformed broken")
        assert "Model gets" not in text
        assert "as the server sent it" in text


async def test_a_definition_that_cannot_be_judged_has_no_model_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(asked: DefinitionAsked) -> None:
        raise RuntimeError(str(asked.level))

    monkeypatch.setattr(looking, "asked_definition", failing)
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2")
        text = await settled(
            pilot, app, "Sightline cannot tell what a model gets of this definition (RuntimeError)"
        )
        assert "Model gets" not in text
        assert '"Makes a key."' in text


async def test_a_definition_without_removals_is_shown_as_such() -> None:
    told = script()
    told.tools = [PLAIN]
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("2")
        await settled(pilot, app, "The model gets the whole definition")
        await pilot.press("n")
        await settled(pilot, app, "Both sides are equal: the model")
