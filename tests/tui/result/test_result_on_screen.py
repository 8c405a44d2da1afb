"""What is on the screen after a call, without another key."""

import re
import threading
from typing import TYPE_CHECKING, Any

import pytest

from inspector.boundary.bounded import Level
from inspector.session.call_record import CallRecord
from inspector.tui.call import runner
from inspector.tui.main import selection
from inspector.tui.result import pane, view
from inspector.tui.result.pane import ResultPane
from inspector.tui.values.outline import ABSENT, Outline, OutlineStyle, Value
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, settled, until

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from inspector.json.exact import Json, JsonObject
    from inspector.tui.app import SightlineApp

SECRET = "planted-secret-4711"
NOTE = f'Dear "reader",\n\n{"many words " * 12}end\n'


def script(before: int) -> Script:
    """A tool with a long argument. `before`: the number of values before the one that is withheld."""
    structured: JsonObject = {**{f"value{number}": number for number in range(before)}, "key": SECRET}
    definition: Json = {
        "name": "mint",
        "inputSchema": {
            "type": "object",
            "properties": {"owner": {"type": "string", "default": "ada " * 60}},
        },
        "outputSchema": {
            "type": "object",
            "properties": {"key": {"type": "string", "x-sensitive": True}},
        },
    }
    result: Json = {
        "resultType": "complete",
        "content": [{"type": "text", "text": NOTE}],
        "structuredContent": structured,
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo"}},
    }
    return Script(tools=[definition], answers={"mint": answering(result)})


async def called(pilot: "Pilot[None]", app: "SightlineApp", shows: str = "#1 done") -> str:
    """Open the tool and call it; the screen that then shows this text."""
    await settled(pilot, app, "▸ mint")
    await pilot.press("enter")
    await settled(pilot, app, "Enter call")
    await pilot.press("ctrl+r")
    return await settled(pilot, app, shows)


@pytest.mark.parametrize("size", [(60, 15), SMALL, LARGE])
@pytest.mark.parametrize("before", [1, 60])
async def test_a_result_opens_at_its_top_or_at_the_first_withheld_value(
    size: tuple[int, int], before: int
) -> None:
    app = app_of(script(before))
    async with app.run_test(size=size, notifications=True) as pilot:
        text = await called(pilot, app)
        assert "┄ withheld" in text
        assert "✗ structuredContent.key" in text
        is_tall = size != (60, 15)
        if before == 1 and is_tall:
            assert "value0" in text, "the first rows are in sight"
        # The keys of the folded call are whole, whatever its arguments.
        assert "1 edit  r call again" in text
        if is_tall:
            assert re.search(r"✗ 1 withheld: 1 marked sensitive *(  |\n|$)", text)
        # Called again, it opens in the same way.
        await pilot.press("G")
        await settled(pilot, app)
        await pilot.press("r")
        text = await settled(pilot, app, "#2 done")
        assert "┄ withheld" in text
        assert "value0" in text or before == 60 or not is_tall


async def test_the_cursor_stays_in_the_json_of_a_text_if_the_boundary_changes() -> None:
    made = script(1)
    made.tools = [*made.tools, {"name": "plain", "inputSchema": {"type": "object"}}]
    text = '{"one": {"two": 2, "key": 4}, "more": 3}'
    answered: Json = {"content": [{"type": "text", "text": text}], "structuredContent": {"one": 1}}
    made.answers["plain"] = answering(answered)
    app = app_of(made)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "▸ mint")
        await pilot.press("down", "ctrl+r")
        await settled(pilot, app, "#1 done")
        values = app.screen.query_one(ResultPane).values
        values.focus()
        await pilot.press("g")
        for _ in range(values.count):
            if values.spot and values.spot[-1] == ("two", True):
                break
            await pilot.press("j")
        where = values.spot
        assert where, "the text is opened"
        assert where[-1] == ("two", True)
        for level in ("closed", "open", "declared"):
            await pilot.press("b")
            await settled(pilot, app, f"boundary: {level}")
            await until(pilot, app, lambda _: not values.is_busy)
            assert values.spot == where, level
        await pilot.press("m")
        await settled(pilot, app)
        assert values.spot == where


async def test_a_text_with_line_feeds_is_drawn_line_by_line() -> None:
    app = app_of(script(1))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        text = await called(pilot, app)
        rows = [row.partition("▏")[2].partition("│")[0].rstrip() for row in text.splitlines() if "▏" in row]
        assert rows[:2] == ['Dear "reader",', ""]
        assert rows[-1] == ""
        assert all(row.startswith("↪ ") for row in rows[3:-1])
        assert " ".join(row.removeprefix("↪ ") for row in rows[2:-1]) == NOTE.splitlines()[2]
        await pilot.press("J")
        assert r"reader\",\n" in await settled(pilot, app)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_one_column_shows_what_both_see_and_a_choice_of_sides_ends_with_its_tool(
    size: tuple[int, int],
) -> None:
    plain: Json = {"name": "plain", "inputSchema": {"type": "object"}}
    made = script(1)
    made.tools = [*made.tools, plain]
    answered: Json = {"content": [{"type": "text", "text": NOTE}], "_meta": {"trace": 1}}
    made.answers["plain"] = answering(answered)
    app = app_of(made)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "▸ mint")
        await pilot.press("down", "enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("ctrl+r")
        text = await settled(
            pilot, app, "Server sent, and the model sees all of it but metadata   m: both sides"
        )
        assert ("m: both sides   (spec, declared)" in text) is (size == LARGE)
        assert ("m: both sides   (" in text) is (size == LARGE)
        await pilot.press("m")
        await settled(pilot, app, "│ Model sees")
        await pilot.press("m", "m")
        await settled(pilot, app, "Server sent, and the model sees all of it but metadata")
        await pilot.press("escape", "up", "enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("ctrl+r")
        assert "│ Model sees" in await settled(pilot, app, "┄ withheld")
        # Who chooses another host sees its side, whichever side was shown.
        await pilot.press("m", "m")
        await until(pilot, app, lambda text: "Model sees" not in text)
        await pilot.press("h")
        await settled(pilot, app, "Choose a host")
        await pilot.press(*"claude-code", "enter")
        await settled(pilot, app, "│ Model sees (claude-code, declared)")


@pytest.mark.parametrize("more", [0, 30])
async def test_a_low_pane_shows_two_reasons_where_rows_are_free_and_else_their_number(more: int) -> None:
    properties: Json = {"id": {"type": "integer"}, "day": {"type": "string"}}
    structured: JsonObject = {"id": "seven", "day": 5, **{f"value{number}": 1 for number in range(more)}}
    definition: Json = {
        "name": "mint",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "properties": properties},
    }
    answer = answering({"content": [], "structuredContent": structured})
    app = app_of(Script(tools=[definition], answers={"mint": answer}))
    async with app.run_test(size=(80, 20), notifications=True) as pilot:
        text = await called(pilot, app, "output breaks its schema in 2 places")
        assert text.count("  breaks the output schema: ") == (1 if more else 2)
        assert ("reasons in all, n next)" in text) == bool(more)


async def test_enter_shows_a_long_reason_to_its_end_and_goes_back() -> None:
    app = app_of(script(1))
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await called(pilot, app, "┄ withheld")
        await pilot.press("enter")
        text = await settled(pilot, app, "more rows, Enter shows them")
        assert "to change it" not in text
        assert "why  " in text
        await pilot.press("enter")
        text = await settled(pilot, app, "the end, Enter goes back")
        assert "to change it" in text
        assert "c shows the hosts" in text
        await pilot.press("enter")
        assert "the end" not in await settled(pilot, app, "✗ structuredContent.key")


async def test_a_large_answer_is_announced_while_it_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    going = threading.Event()

    def slowly(record: CallRecord, level: Level, host: str, **_: object) -> view.ResultView:
        going.wait(30)
        return view.result_view(record, level, host, server=view.SERVER_NAME)

    monkeypatch.setattr(runner, "_LARGE_BYTES", 0)
    monkeypatch.setattr(selection, "result_view", slowly)
    app = app_of(script(1))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "▸ mint")
        await pilot.press("enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("ctrl+r")
        try:
            await until(pilot, app, lambda text: "received. The result is being judged" in text)
        finally:
            going.set()
        await settled(pilot, app, "#1 done")


async def test_the_json_of_a_large_result_is_laid_out_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    class Observed(Outline):
        def __init__(self, left: Value, right: Value = ABSENT, **options: Any) -> None:
            if options.get("style") is OutlineStyle.JSON:
                threads.append(threading.current_thread())
            super().__init__(left, right, **options)

    monkeypatch.setattr(view, "Outline", Observed)
    monkeypatch.setattr(pane, "_LARGE_BYTES", 0)
    app = app_of(script(1))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await called(pilot, app)
        await pilot.press("J")
        await settled(pilot, app, '"structuredContent": {')
        # It stays JSON after another call.
        await pilot.press("r")
        await settled(pilot, app, "#2 done")
        await settled(pilot, app, '"structuredContent": {')
        await pilot.press("J")
        assert '"structuredContent": {' not in await settled(pilot, app, "content[0] text")
    assert len(threads) == 2
    assert threading.main_thread() not in threads


async def test_a_host_whose_model_gets_nothing_at_the_cursor_shows_what_it_gets() -> None:
    made = script(1)
    rows: Json = [{"name": f"row {number}", "text": "word " * 40} for number in range(1_000)]
    plain: JsonObject = {"name": "plain", "inputSchema": {"type": "object"}}
    made.tools = [plain]
    made.answers["plain"] = answering({"content": [], "structuredContent": {"rows": rows}})
    app = app_of(made)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("slash", *"row 777", "enter")
        await settled(pilot, app, '"row 777"')
        await pilot.press("escape", "h")
        await settled(pilot, app, "Choose a host")
        await pilot.press(*"claude-code", "enter")
        text = await settled(pilot, app, "Model sees (claude-code, declared)")
        assert "exceeds maximum allowed" in text
