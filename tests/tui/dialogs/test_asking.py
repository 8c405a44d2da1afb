"""An input dialog: while its answer is processed it shows that, and accepts no more input."""

import asyncio

from textual.widgets import Input

from inspector.tui.dialogs.ask import AskField, AskScreen
from tests.tui.scripted import LARGE, SMALL, Script, app_of, screen_lines, settled, shows


async def test_an_input_is_locked_while_its_answer_is_processed() -> None:
    app = app_of(Script())
    ended = asyncio.Event()
    handed: list[tuple[str, ...]] = []

    async def accept(answers: tuple[str, ...]) -> str:
        handed.append(answers)
        await ended.wait()
        return "It exists already." if len(handed) == 1 else ""

    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "demo")
        ask = AskScreen(
            "Where to", "A file.", (AskField(label="File"), AskField(label="Seal to")), accept, verb="write"
        )
        await app.push_screen(ask)
        await pilot.press("a", "enter", "b", "enter")
        await shows(pilot, app, "Working…")
        assert handed == [("a", "")]
        ended.set()
        text = await settled(pilot, app, "It exists already.")
        assert "Working…" not in text
        assert isinstance(app.focused, Input)
        await pilot.press("c", "enter")
        await settled(pilot, app)
        assert handed == [("a", ""), ("ac", "")]
        assert app.screen is not ask


async def test_a_dialog_takes_the_whole_width_of_a_narrow_terminal() -> None:
    app = app_of(Script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "demo")
        await pilot.press("w")
        text = await settled(pilot, app, "Record this session")
        assert "look like credentials but are not declared sensitive" in " ".join(
            text.replace("│", " ").split()
        )
        rows = [line for line in screen_lines(app) if "│" in line]
        assert rows
        assert all(line[0] == line[-1] == "│" for line in rows)
        await pilot.press("escape", "ctrl+p")
        await settled(pilot, app, "Search for commands")
        assert app.screen.query_one("#--input").region.width == SMALL[0]
