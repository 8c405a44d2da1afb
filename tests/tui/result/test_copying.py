"""Copying from a result: the choices, and that masked values stay masked."""

import pytest

from inspector.json.exact import Json, JsonObject
from inspector.tui.main.copying import MEANINGS, copied_text
from tests.tui.result.test_masks import SECRET, TOOL, made, text
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, settled

CLOCK: JsonObject = {"name": "clock", "inputSchema": {"type": "object"}}
SENT: JsonObject = made({"id": "one\x1b[2Jtwo", "key": SECRET}, text(f"The key is {SECRET}."))


async def test_n_reports_that_both_sides_are_equal() -> None:
    app = app_of(Script(tools=[CLOCK], answers={"clock": answering({"content": [text("It is noon.")]})}))
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("n")
        await settled(pilot, app, "Both sides are equal")


@pytest.mark.parametrize(
    ("steps", "copied"),
    [
        (0, "•••••••• (19 characters)"),
        (1, "/structuredContent/key"),
        (2, '"text": "The key is •••••••• (19 characters)."'),
        (3, '"_withheld"'),
        (4, "sightline call"),
    ],
)
async def test_y_copies_the_chosen_part_and_never_a_secret(
    steps: int, copied: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_of(Script(tools=[TOOL.definition], answers={"mint": answering(SENT)}))
    put: list[str] = []

    def put_there(_app: object, words: str) -> None:
        put.append(words)

    monkeypatch.setattr("textual.app.App.copy_to_clipboard", put_there)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "masked, u shows")
        await pilot.press("y")
        shown = await settled(pilot, app, "Masked values stay masked.")
        assert "Enter copy  → another choice  " in shown
        assert "▸ value " in shown
        # Each choice has a line that says what it copies.
        for choice, meaning in MEANINGS.items():
            assert any(choice in line and meaning in line for line in shown.splitlines()), shown
        await pilot.press(*["right"] * steps, "enter")
        await settled(pilot, app, "Copied")
        assert copied in put[0]
        assert SECRET not in put[0]
        assert "\x1b" not in put[0]
        await pilot.press("u")
        await settled(pilot, app, "not masked, Esc masks")
        await pilot.press("y")
        await settled(pilot, app, "Esc masks them, then y copies.")
        assert len(put) == 1


@pytest.mark.parametrize(
    ("value", "copied"),
    [
        ("a\u202eb\nc", "a⟨U+202E⟩b\nc"),
        ({"a": [1, "x"]}, '{\n  "a": [\n    1,\n    "x"\n  ]\n}'),
        (1.50, "1.5"),
        (None, "null"),
    ],
)
def test_strings_are_copied_as_displayed_and_other_values_as_json(value: Json, copied: str) -> None:
    assert copied_text(value) == copied
