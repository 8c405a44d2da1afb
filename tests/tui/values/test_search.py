"""Search in values: the matches, where they are shown, and the keys."""

import threading

import pytest

from inspector.json.exact import Json, JsonObject
from inspector.tui.app import SightlineApp
from inspector.tui.values.outline import ABSENT, Outline, Value
from inspector.tui.values.pane import OutlineLines
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.search import Match, SearchAsked, matches
from inspector.tui.values.search_line import SearchInput
from inspector.tui.values.wrap import row_text
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_lines, settled, until

WIDTH = 40


def rows_of(left: Json, query: str, right: Value = ABSENT) -> list[str]:
    """The rows to which the matches lead, without surrounding blanks."""
    outline = Outline(left, right)
    rows = OutlineRows(outline, (WIDTH, 0 if right is ABSENT else WIDTH))
    found: list[str] = []
    for match in matches(SearchAsked(outline, (0,) if right is ABSENT else (0, 1), query)):
        number = outline.row_of(match.node, match.side, WIDTH, match.offset) if match.offset >= 0 else 0
        at = rows.at(rows.first(match.node) + number)
        found.append(row_text(outline.side_row(at.node, match.side, WIDTH, at.number)).strip())
    return found


@pytest.mark.parametrize(
    ("value", "query", "rows"),
    [
        ({"name": "x", "other": "the name"}, "NAME", ['name   "x"', 'other  "the name"']),
        ({"a": 12345, "b": True, "c": None}, "234", ["a  12345"]),
        ({"a": {"b": [1, {"deep": "found"}]}}, "found", ['deep  "found"']),
        # As displayed: characters made safe, brackets of lists.
        ({"a": "zero\u200bwidth"}, "U+200B", ['a  "zero⟨U+200B⟩width"']),
        ({"a": 'say "this"'}, '\\"this', ['a  "say \\"this\\""']),
        ({"a": ["x"]}, "a[0]", ['a[0]  "x"']),
        # Each occurrence in a long text, on its row.
        (
            {"a": "one two three four five six seven eight nine ten one"},
            "one",
            ['a  "one two three four five six seven', '↪ eight nine ten one"'],
        ),
        ({"a": 1}, "", []),
        ({"a": "."}, "a.", []),
    ],
)
def test_words_are_found_in_the_rows_that_show_them(value: Json, query: str, rows: list[str]) -> None:
    assert rows_of(value, query) == rows


def test_a_match_on_both_sides_counts_once_if_the_values_are_equal() -> None:
    assert len(rows_of({"a": "word"}, "word", {"a": "word"})) == 1
    assert len(rows_of({"a": "word"}, "word", {"a": "wordy"})) == 2
    assert len(rows_of({}, "word", {"a": "word"})) == 1


TOOL: JsonObject = {"name": "look", "inputSchema": {"type": "object"}}
RESULT: JsonObject = {
    "content": [],
    "structuredContent": {"rows": [{"id": number} for number in range(300)], "end": "the end"},
    "_meta": {"x": {"hidden": "in a fold"}},
}


async def searching(app: SightlineApp, size: tuple[int, int], *words: str) -> list[str]:
    """The screen after each of the words was searched for."""
    drawn: list[str] = []
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        for word in words:
            await pilot.press("slash", *word)
            await settled(pilot, app, "1 of ")
            drawn.append(next(line for line in screen_lines(app) if "▹" in line and word in line))
            await pilot.press("escape")
            await settled(pilot, app, "Esc tools")
    return drawn


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_slash_goes_to_the_first_match_even_in_a_folded_part(size: tuple[int, int]) -> None:
    app = app_of(Script(tools=[TOOL], answers={"look": answering(RESULT)}))
    found = await searching(app, size, "299", "end", *(["hidden"] if size == LARGE else []))
    assert found


async def test_enter_goes_to_the_match_and_n_cycles_through_all() -> None:
    app = app_of(Script(tools=[TOOL], answers={"look": answering(RESULT)}))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("slash", *"29")
        await settled(pilot, app, "1 of 26 matches")
        await pilot.press("enter")
        await settled(pilot, app, "1 of 26 matches")
        await pilot.press("n")
        await settled(pilot, app, "2 of 26 matches")
        await pilot.press("N", "N")
        await settled(pilot, app, "26 of 26 matches")
        await settled(pilot, app, "n next match  N previous match  Esc close the search")
        await pilot.press("escape")
        await settled(pilot, app, "Esc tools")
        await pilot.press("slash", "end", *"x")
        await settled(pilot, app, "no match")
        await pilot.press("enter")
        await settled(pilot, app, "No match for “29x”.")
        # What is typed next is still text, also after an Enter that came before the search had ended.
        await pilot.press("s", "enter")
        words = app.screen.query_one("#result SearchInput", SearchInput)
        await until(pilot, app, lambda _: words.has_focus and words.value == "29xs")
        await settled(pilot, app, "no match")
        await pilot.press("backspace", "backspace")
        await settled(pilot, app, "26 matches")
        await pilot.press("enter")
        await settled(pilot, app, "n next match")
        assert app.screen.query_one("#result-values", OutlineLines).has_focus


async def test_a_definition_can_be_searched() -> None:
    app = app_of(Script(tools=[TOOL]))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "look")
        await pilot.press("2")
        await settled(pilot, app, "inputSchema")
        await pilot.press("slash", *"type")
        await settled(pilot, app, "1 of 1 match")


async def test_words_are_kept_if_enter_comes_before_the_search_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = threading.Event()

    def slow(asked: SearchAsked) -> tuple[Match, ...]:
        ended.wait(10)
        return matches(asked)

    monkeypatch.setattr("inspector.tui.values.pane.matches", slow)
    app = app_of(Script(tools=[TOOL], answers={"look": answering(RESULT)}))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("slash", *"29x", "enter")
        values, words = (
            app.screen.query_one("#result-values"),
            app.screen.query_one("#result SearchInput", SearchInput),
        )
        await until(pilot, app, lambda _: values.has_focus)
        ended.set()
        await settled(pilot, app, "no match")
        assert words.has_focus
        await pilot.press("backspace")
        await settled(pilot, app, "1 of 26 matches")
        assert words.value == "29"
