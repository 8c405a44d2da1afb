"""The help opens on the keys of the pane in focus, with a legend and a paragraph each on boundary and host."""

import re
from pathlib import Path

import pytest

from inspector.json.exact import JsonObject
from inspector.tui.help.screen import legend_lines
from inspector.tui.keys.footer import KeyLine
from inspector.tui.values.outline import SideDifference
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, settled

CLOCK: JsonObject = {"name": "clock", "inputSchema": {"type": "object"}}
NOON: JsonObject = {"content": [{"type": "text", "text": "It is noon."}]}


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_the_keys_of_the_pane_in_focus_are_first_in_the_help(size: tuple[int, int]) -> None:
    app = app_of(Script(tools=[CLOCK], answers={"clock": answering(NOON)}))
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        for key, place in (("4", "Among findings"), ("T", "In a list or document")):
            await pilot.press(key)
            await settled(pilot, app)
            offers = app.screen.query_one(KeyLine).offers
            await pilot.press("question_mark")
            text = await settled(pilot, app, "All keys")
            if size == SMALL:
                assert sum(line.startswith("│  ") for line in text.splitlines()) >= 15
            rows = text.splitlines()
            now = next(
                number
                for number, line in enumerate(rows)
                if "Keys that work now, the most useful first" in line
            )
            assert rows[now + 1].strip(" │").startswith(f"{offers[0].command.key} "), text
            assert "The boundary decides which parts" in text
            await pilot.press("pagedown")
            text += await settled(pilot, app)
            headings = [line for line in text.splitlines() if "(here)" in line]
            assert place in headings[0], text
            await pilot.press("escape")
            await settled(pilot, app)
        await pilot.press("question_mark")
        await settled(pilot, app, "All keys")
        await pilot.press("tab", "G")
        await settled(pilot, app, "only reads")


def test_the_legend_explains_every_sign_of_the_timeline_and_of_values() -> None:
    explained = " ".join(f"{line.key} {line.words}" for line in legend_lines()).split()
    assert not set("→←•%ie!✗·§▸▹⊞⊟↪┄~+≠?") - set(explained)
    # The words of the header.
    assert not {"sensitive", "untrusted,", "malicious,", "since", "T"} - set(explained)


def test_the_help_and_the_documentation_explain_every_sign_of_a_result() -> None:
    page = (Path(__file__).parents[3] / "docs" / "interface.md").read_text("utf-8")
    table = page.partition("| sign | the value |")[2].partition("\n\n")[0]
    drawn = {sign.value for sign in SideDifference if sign is not SideDifference.NONE}
    assert set(re.findall(r"^\| `(.)` \|", table, re.MULTILINE)) == drawn
    assert drawn <= {key for line in legend_lines() for key in line.key.split()}
