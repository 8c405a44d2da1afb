"""Keys that arrive together, as over a slow line."""

import asyncio

import pytest
from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

from inspector.json.exact import Json
from inspector.tui.app import SightlineApp
from inspector.tui.call.pane import CallPane
from inspector.tui.runtime.key_reader import KeyReader
from tests.driven import drives
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, held_opening, settled

_TOOLS: tuple[Json, ...] = (
    {"name": "quiet", "inputSchema": {"type": "object"}},
    {
        "name": "translate",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
)


def arrive(app: SightlineApp, *typed: str) -> None:
    """Send keys as the driver does after one read of the terminal: all before any of them is handled."""
    for word in typed:
        for key in [word] if word in {"enter", "escape", "slash"} else word:
            app.post_message(events.Key(key, None))


async def test_keys_that_arrive_together_go_to_the_screens_that_they_open() -> None:
    drives()
    script = Script(tools=_TOOLS, answers={"quiet": answering({"content": []})})
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "▸ quiet")
        await pilot.press("enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
        # r and t are keys of the list: r calls again.
        arrive(app, "escape", "slash", "translate", "enter")
        await settled(pilot, app, "▸ translate")
        await settled(pilot, app, "translate  ")
        arrive(app, "enter", "rather this")
        app.post_message(events.Paste(" and that"))
        arrive(app, ", quietly")
        await settled(pilot, app, "rather this and that, quietly")
        assert app.screen.query_one(CallPane).has_focus_within
        arrive(app, "escape", "escape", "slash", "qui", "enter", "enter")
        await settled(pilot, app, "▹ quiet")
        assert [name for name, _ in script.calls] == ["quiet"]


@pytest.mark.parametrize("size", [LARGE, SMALL])
async def test_letters_after_enter_go_into_the_form_that_is_still_being_opened(size: tuple[int, int]) -> None:
    drives()
    app = app_of(Script(tools=_TOOLS))
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "▸ quiet")
        await pilot.press("escape")
        arrive(app, "j", "enter", "rather this")
        await settled(pilot, app, "rather this")
        assert app.screen.query_one(CallPane).has_focus_within


async def test_keys_wait_for_the_messages_that_a_key_causes_however_slowly_these_bubble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drives()
    bubbling = MessagePump._on_message  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    async def slowly(pump: MessagePump, message: Message) -> None:
        if type(message).__name__ == "Chosen":
            await asyncio.sleep(0.05)
        await bubbling(pump, message)

    monkeypatch.setattr(MessagePump, "_on_message", slowly)
    app = app_of(Script(tools=_TOOLS))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("j")
        await settled(pilot, app, "text, required")
        arrive(app, "enter", "rather this")
        await settled(pilot, app, "rather this")


async def test_1_while_the_item_under_the_cursor_is_being_opened_goes_to_its_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drives()
    opening, may_open = held_opening(monkeypatch, "translate")
    app = app_of(Script(tools=_TOOLS))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        arrive(app, "j")
        await asyncio.to_thread(opening.wait, 20)
        arrive(app, "1", "rather this")
        # Longer than a key waits for one that may be stuck.
        await asyncio.sleep(0.5)
        may_open.set()
        await settled(pilot, app, "rather this")
        assert app.screen.query_one(CallPane).has_focus_within


@pytest.mark.parametrize(
    ("read", "keys"),
    [
        ("a\x1bT", ["a", "escape", "T"]),
        ("\x1bn\x1bn", ["escape", "n"] * 2),
        ("\x1b/", ["escape", "slash"]),
        ("\x1b2", ["escape", "2"]),
        ("\x1b[", ["escape", "left_square_bracket"]),
        ("\x1b[1;3Zx\x1bOzx", ["x", "x"]),
        ("\x1b\x1b[A\x1b[1;5A\x1bb\x1b\x7f", ["escape", "up", "ctrl+up", "ctrl+left", "ctrl+w"]),
        ("^™", ["circumflex_accent", "trade_mark_sign"]),
    ],
)
def test_escape_and_the_next_key_are_two_keys_and_an_unknown_sequence_is_none(
    read: str, keys: list[str]
) -> None:
    parser = KeyReader()
    found = (*parser.feed(read), *parser.feed(""))
    assert [key.key for key in found if isinstance(key, events.Key)] == keys


async def test_enter_in_the_palette_runs_what_all_the_letters_before_it_find() -> None:
    drives()
    app = app_of(Script(tools=_TOOLS))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "▸ quiet")
        for typed, shown in (("zzqq", "No matches found"), ("policy", "Rules decide on every call")):
            await pilot.press("ctrl+p")
            await settled(pilot, app, "Enter run")
            arrive(app, typed, "enter")
            text = await settled(pilot, app, shown)
            assert "▸1 Call" not in text
            await pilot.press("escape")
            await settled(pilot, app, "▸ quiet")
