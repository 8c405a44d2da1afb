import re

import pytest
from textual.widgets import Input

from inspector.json.exact import Json, JsonObject
from inspector.pins.withheld import OutputMasks
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Result
from inspector.session.call_record import CallRecord
from inspector.tui.result import pane
from inspector.tui.timeline.pane import SessionTimeline, TimelinePane
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, settled

MINT: JsonObject = {
    "name": "mint",
    "inputSchema": {
        "type": "object",
        "properties": {
            "owner": {"type": "string", "default": "ada"},
            "pin": {"type": "string", "x-sensitive": True},
            "days": {"type": "integer"},
        },
        "required": ["owner"],
    },
    "annotations": {"readOnlyHint": True},
}


def script() -> Script:
    return Script(tools=[MINT], answers={"mint": answering({"content": []})})


async def test_a_call_collapses_its_form_and_can_be_expanded_in_the_timeline() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*  default")
        await pilot.press("enter", "tab", *"hush", "enter")
        text = await settled(pilot, app, 'mint(owner="ada", pin=•••)')
        assert told.calls == [("mint", {"owner": "ada", "pin": "hush"})]
        assert "text, required" not in text
        text = await settled(pilot, app, "Timeline  1 call")
        assert re.search(r"^▹\d\d:\d\d:\d\d +0:00 → ⊞ #1 mint owner=", text, re.MULTILINE), text
        await pilot.press("t", "G")
        await settled(pilot, app, "Space fold/unfold")
        await pilot.press("space")
        assert "→ tools/call mint" in await settled(pilot, app, "⊟ #1 mint")
        await pilot.press("G", "minus")
        assert "⊟" not in await settled(pilot, app, "⊞ #1 mint")
        # The text of a field that the focus reaches is selected, so what is typed replaces it, and can be undone.
        await pilot.press("1", "r")
        await settled(pilot, app, "Esc leave")
        field = app.screen.query_one("FieldLine Input", Input)
        assert field.value == "r"
        await pilot.press("ctrl+z")
        await settled(pilot, app, "default")
        await pilot.press("tab", "shift+tab", "end", "r")
        await settled(pilot, app, "Esc leave")
        assert field.value == "adar"
        await pilot.press("ctrl+z")
        await settled(pilot, app, "default")
        assert field.value == "ada"
        await pilot.press("ctrl+z")
        await settled(pilot, app, "There is nothing to undo in this field.")
        await pilot.press("escape", "1", "b", "ctrl+z", "escape", "r")
        await settled(pilot, app, "#2 done")
        assert told.calls[1] == told.calls[0]


async def test_enter_on_a_call_shows_its_result_even_after_a_reconnection() -> None:
    told = script()
    tool: JsonObject = {
        **MINT,
        "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }
    told.tools = [tool, {"name": "other", "inputSchema": {"type": "object"}}]
    given: list[Json] = ["seven", 8, 9]

    async def numbered(_arguments: JsonObject, _progress: object) -> Result:
        return Result(value={"content": [], "structuredContent": {"n": given.pop(0)}})

    told.answers = {"mint": numbered}
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*  default")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "≠ output breaks its schema")
        timeline = app.screen.query_one(TimelinePane)
        await pilot.press("R")
        while len(told.opened) < 2:
            await pilot.pause()
        await settled(pilot, app, "demo  ready")
        await pilot.press("r")
        await settled(pilot, app, "#2 done")
        await pilot.press("r")
        await settled(pilot, app, "#3 mint")
        assert '"seven"' not in await settled(pilot, app, "#3 done")
        timeline.focus()
        await pilot.press("slash", *"status:breaks", "enter")
        await settled(pilot, app, "filter: status:breaks")
        assert timeline.count == 1
        await pilot.press("enter")
        text = await settled(pilot, app, "an earlier call, Esc goes back")
        assert '"seven"' in text
        assert "#1 done" in text
        await settled(pilot, app, 'mint(owner="ada")   Esc back')
        await pilot.press("escape")
        text = await settled(pilot, app, "#3 done")
        assert '"seven"' not in text
        assert timeline.has_focus


async def test_the_timeline_follows_new_rows_until_the_cursor_moves_up() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        session = told.opened[0]
        timeline = app.screen.query_one(TimelinePane)
        timeline.focus()
        await settled(pilot, app, "following")
        # What is on the screen is seen, wherever the cursor is.
        session.exchange("ping", {"number": -1}, {})
        session.exchange("ping", {"number": -2}, {})
        await settled(pilot, app, "ping")
        await pilot.press("g")
        session.exchange("ping", {"number": -3}, {})
        assert "newer" not in await settled(pilot, app, "G follows")
        await pilot.press("G")
        for number in range(12):
            session.exchange("prompts/list", {"number": number}, {})
        await settled(pilot, app, "prompts/list")
        assert timeline.count >= 12
        # The first row beyond the height has no scrollbar yet that could be moved.
        assert timeline.scroll_offset.y == timeline.max_scroll_y > 0
        timeline.focus()
        await pilot.press("g")
        for number in range(5):
            session.exchange("ping", {"number": number}, {})
        await settled(pilot, app, "5 newer, G follows")
        assert timeline.cursor == 0
        await pilot.press("G")
        await settled(pilot, app, "following")
        session.note("block wipe", "no-deletes", kind="policy")
        await pilot.press("slash", *"kind:decision", "enter")
        await settled(pilot, app, "filter: kind:decision")
        while timeline.count != 1:
            await pilot.pause(0.02)
        await pilot.press("enter")
        text = await settled(pilot, app, "no-deletes")
        assert "Esc close" in text
        await pilot.press("escape", "escape")
        await settled(pilot, app, "following")
        assert timeline.count == 21
        # The rows outlive the connection.
        await pilot.press("R")
        while len(told.opened) < 2:
            await pilot.pause()
        await settled(pilot, app, "ready")
        told.opened[1].exchange("ping", {}, {})
        assert "block wipe" in await settled(pilot, app, "reconnected")


async def test_stderr_can_be_read_completely() -> None:
    told = script()
    told.stderr = ["Traceback (most recent call last):", "  in load", "KeyError: 'url'"]
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "stderr 3 lines: KeyError: 'url'")
        await pilot.press("t", "g", "enter")
        await settled(pilot, app, "in load")
        await pilot.press("j", "j", "enter")
        text = await settled(pilot, app, "Frames  stderr 3 lines")
        assert [line.strip() for line in text.splitlines()].count("in load") == 1
        assert "Traceback (most recent call last):" in text
        assert "KeyError: 'url'" in text
        await pilot.press("escape")
        await settled(pilot, app, "Timeline  0 calls")
        # A filter keeps only the matching lines.
        await pilot.press("slash", *"load", "enter")
        text = await settled(pilot, app, "filter: load")
        assert "in load" in text
        assert "Traceback" not in text
        await pilot.press("escape", "slash", *"status:done")
        await settled(pilot, app, "no row matches: status is one of ok, output breaks its schema,")


async def test_enter_on_a_failed_call_unfolds_its_traceback_in_whole_lines() -> None:
    told = script()
    told.answers = {"mint": answering({"content": [], "isError": True})}
    app = app_of(told)
    long = "  File " + "/a/long/path" * 20 + ' line 7, in "the very end"'
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 tool error")
        for line in ("Traceback (most recent call last):", long, "KeyError: 'url'"):
            told.opened[0].frame(Direction.RECEIVED, line.encode(), Channel.STDERR)
        await settled(pilot, app, "stderr 3 lines: KeyError: 'url'")
        app.screen.query_one(TimelinePane).focus()
        await settled(pilot, app, "Enter stderr")
        await pilot.press("enter")
        text = await settled(pilot, app, "KeyError: 'url'\n")
        lines = [line.strip(" ▁▂▃▄▅▆▇█") for line in text.splitlines()]
        begin = next(number for number, line in enumerate(lines) if line.startswith("File /a/long"))
        assert "".join(lines[begin : begin + 4]) == long.strip()
        assert lines[begin + 4] == "KeyError: 'url'"
        assert "newer" not in text
        # Then Enter shows the result, and Esc goes back to the row.
        await settled(pilot, app, "Enter result")
        await pilot.press("enter")
        await settled(pilot, app, "Server sent")
        await pilot.press("escape")
        await settled(pilot, app, "KeyError: 'url'\n")


async def test_a_long_traceback_unfolds_at_its_exception_and_folds_again_with_the_timeline() -> None:
    told = script()
    told.answers = {"mint": answering({"content": [], "isError": True})}
    app = app_of(told)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 tool error")
        frames = (f'  File "/a/server.py", line {number}, in call' for number in range(30))
        for line in ("Traceback (most recent call last):", *frames, "KeyError: 'url'", "bye", *["."] * 10):
            told.opened[0].frame(Direction.RECEIVED, line.encode(), Channel.STDERR)
        await settled(pilot, app, "KeyError: 'url'")
        timeline = app.screen.query_one(TimelinePane)
        timeline.focus()
        await pilot.press("enter")
        text = await settled(pilot, app, "▸   KeyError: 'url'")
        assert "line 29, in call" in text
        # The row of the call stays above its lines, also while the cursor moves up.
        assert "→ ⊟ #1 mint" in text.partition("─Timeline")[2].splitlines()[1]
        await pilot.press(*["up"] * 20)
        text = await settled(pilot, app, '▸     File "/a/server.py", line 10, in call')
        below = text.partition("─Timeline")[2].splitlines()
        assert "→ ⊟ #1 mint" in below[1]
        assert below[2].startswith("▸")
        await pilot.press("escape")
        await settled(pilot, app, "following")
        assert timeline.count < 30


async def test_the_cause_of_a_failed_call_is_below_its_result_and_t_goes_to_it() -> None:
    told = script()
    told.tools = [
        MINT,
        {"name": "other", "inputSchema": {"type": "object"}, "annotations": MINT["annotations"]},
    ]
    told.answers = {"mint": answering({"content": [], "isError": True}), "other": answering({"content": []})}
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 tool error")
        frames = (f'  File "/a/server.py", line {number}, in call' for number in range(30))
        # Rich indents a traceback by the width of a time and a level.
        indent = " " * 20
        for line in (
            f"{indent}Traceback (most recent call last):",
            *(indent + frame for frame in frames),
            f"{indent}KeyError: '\x1b[2J'",
            *["[12:00] after"] * 3,
        ):
            told.opened[0].frame(Direction.RECEIVED, line.encode(), Channel.STDERR)
        text = await settled(pilot, app, "line 29, in call")
        (last,) = [line for line in text.splitlines() if "line 29, in call" in line and "! ⊞" not in line]
        assert indent not in last[last.rindex("│") + 1 if "│" in last else 42 :]
        below = text.partition("Server sent")[2].partition("Timeline")[0]
        assert "\n".join(line.split("│")[-1].strip() for line in below.splitlines()).count("in call") > 2
        assert "KeyError: '" in below
        assert "after" not in below
        assert "Traceback" not in below
        await pilot.press("escape", "j", "enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("enter")
        text = await settled(pilot, app, "#2 done")
        assert "in call" not in text
        await pilot.press("escape", "k")
        await settled(pilot, app, "line 29, in call")
        await pilot.press("enter")
        await settled(pilot, app, "b boundary")
        await pilot.press("t")
        text = await settled(pilot, app, "Enter whole line")
        timeline = app.screen.query_one(TimelinePane)
        assert "KeyError" in timeline.row(timeline.cursor, 80).plain
        # There is no room below the values now.
        assert "isError  true" in text
        assert text.count("line 29, in call") == 1


async def test_the_number_of_newer_rows_is_at_the_right_until_it_follows_again() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        for number in range(12):
            told.opened[0].exchange("ping", {"number": number}, {})
        text = await settled(pilot, app, "ping")
        titles = [line for line in text.splitlines() if "Timeline  0 calls" in line]
        assert titles[0].endswith("─ following─")
        app.screen.query_one(TimelinePane).focus()
        await pilot.press("g")
        for number in range(12):
            told.opened[0].exchange("ping", {"number": number}, {})
        text = await settled(pilot, app, "12 newer, G follows─\n")
        await pilot.press("G")
        assert "newer" not in await settled(pilot, app, "─ following─\n")
        # Esc leaves it, and it follows again.
        await pilot.press("pageup")
        assert "─ following─\n" not in await settled(pilot, app)
        await pilot.press("escape")
        await settled(pilot, app, "─ following─\n")


async def test_stderr_next_to_a_result_is_masked_as_the_result_is() -> None:
    secret: JsonObject = {"type": "string", "x-sensitive": True}
    told = script()
    told.tools = [{**MINT, "outputSchema": {"type": "object", "properties": {"card": secret}}}]
    card = "4111-2222-3333-4444"
    told.answers = {"mint": answering({"content": [], "structuredContent": {"card": card}, "isError": True})}
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:

        async def beside(words: str) -> str:
            text = await settled(pilot, app, words)
            return text.partition("#1 tool error")[2].partition("Timeline")[0]

        await settled(pilot, app, "owner*  default")
        await pilot.press("enter", "tab", *"hushhush", "enter")
        assert "repeats" not in await beside("#1 tool error")
        # A line that is cut where the interface cuts lines must not keep a part of a value.
        long = f"{'x ' * 245}{card}"
        for line in ("Traceback", f"of hushhush and {card}", long, f"KeyError: '{card}'"):
            told.opened[0].frame(Direction.RECEIVED, line.encode(), Channel.STDERR)
        text = await beside("! the server's stderr repeats a masked value")
        assert "stderr 4 lines: KeyError: '••••••••'" in text
        assert "of •••••••• and ••••••••" in text
        assert "4111" not in text
        assert "hush" not in text
        await pilot.press("u")
        text = await beside(f"stderr 4 lines: KeyError: '{card}'")
        assert f"of hushhush and {card}" in text
        await pilot.press("escape")
        assert "4111" not in await beside("stderr 4 lines: KeyError: '••••••••'")


async def test_stderr_that_cannot_be_masked_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(record: CallRecord) -> OutputMasks:
        raise RuntimeError(record.name)

    monkeypatch.setattr(pane, "output_masks", fails)
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*  default")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        told.opened[0].frame(Direction.RECEIVED, b"hello there", Channel.STDERR)
        text = await settled(pilot, app, "stderr could not be masked (RuntimeError)")
        assert "hello there" not in text.partition("#1 done")[2].partition("Timeline")[0]


async def test_frames_have_the_clock_of_the_timeline_after_a_reconnect() -> None:
    told = script()
    told.stdout = ["printed"]
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "owner*  default")
        timeline = app.screen.query_one(SessionTimeline)
        timeline._began_s -= 83  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - a minute ago
        await pilot.press("R")
        while len(told.opened) < 2:
            await pilot.pause()
        await settled(pilot, app, "demo  ready")
        timeline.focus()
        await settled(pilot, app, "reconnected")
        await pilot.press("G", "enter")
        text = await settled(pilot, app, "← received")
        assert re.search(r", at 1:2[3-9]\.\d{3}", text), text
