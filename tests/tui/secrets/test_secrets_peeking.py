from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.pilot import Pilot

from inspector.secrets.outcomes import Revealed
from inspector.tui.app import SightlineApp
from inspector.tui.secrets import screen
from inspector.tui.secrets.rows import PeekAsked, Shown
from inspector.tui.secrets.screen import SecretsScreen, ValuePane
from tests.secrets.redemption.redeeming import Clock
from tests.tui.scripted import LARGE, SMALL, app_of, screen_text, settled, until
from tests.tui.secretive import (
    KEPT,
    MASKED_TITLE,
    MINT,
    MINTED,
    REDEEMED,
    REFERENCE,
    SHOWN_TITLE,
    among_secrets,
    masked,
    peeked,
    revealed,
    secretive,
)

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
ACTING = "\x1b]52;c;Q0FO\x07[bold]\u202e[@click=app.leave]x[/]\r\n\x9b31m"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that stands still, so that the timer does not mask a value that something else should mask."""
    stopped = Clock()
    monkeypatch.setattr(screen, "time", SimpleNamespace(monotonic=stopped))
    return stopped


def press(*keys: str) -> Callable[[Pilot[None], SightlineApp], Awaitable[None]]:
    async def act(pilot: Pilot[None], _: SightlineApp) -> None:
        await pilot.press(*keys)

    return act


async def blur(_: Pilot[None], app: SightlineApp) -> None:
    app.post_message(events.AppBlur())


async def suspend(_: Pilot[None], app: SightlineApp) -> None:
    app.app_suspend_signal.publish(app)  # pyright: ignore[reportUnknownMemberType]


async def leave(_: Pilot[None], app: SightlineApp) -> None:
    app.pop_screen()


async def click_elsewhere(pilot: Pilot[None], _: SightlineApp) -> None:
    await pilot.click("#secret-lines", offset=(4, 1))


MASKS: dict[str, Callable[[Pilot[None], SightlineApp], Awaitable[None]]] = {
    "u": press("u"),
    "m": press("m"),
    "escape": press("escape"),
    "the cursor": press("j"),
    "a click on another item": click_elsewhere,
    "a question": press("v"),
    "blur": blur,
    "suspension": suspend,
    "the palette": press("ctrl+p"),
    "the palette by a colon": press("colon"),
    "the help": press("question_mark"),
    "leaving": leave,
    "forgetting": press("backspace", "y"),
}


def all_screens(app: SightlineApp) -> str:
    """The content of every screen, including those behind the first one."""
    return "\n".join(
        strip.text
        for each in app.screen_stack
        for strip in each._compositor.render_strips()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    )


@pytest.mark.parametrize("size", [(60, 15), SMALL, LARGE], ids=["60x15", "80x24", "140x45"])
async def test_a_peek_shows_the_value_until_the_user_turns_away(size: tuple[int, int]) -> None:
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        custody = script.opened[0].custody
        for way, act in MASKS.items():
            text = await peeked(pilot, app)
            assert SHOWN_TITLE in text
            assert "shown below" in text
            assert custody.peeked is not None
            await act(pilot, app)
            await until(pilot, app, lambda _: REDEEMED not in all_screens(app))
            assert custody.peeked is None, way
            assert SHOWN_TITLE not in all_screens(app), way
            assert custody.vault.holds_revealed is (way != "forgetting")
            if not isinstance(app.screen, SecretsScreen):
                await pilot.press("s" if way == "leaving" else "escape")
            elif way == "a question":
                await pilot.press("escape")
            await pilot.press("g")
            assert REDEEMED not in await settled(pilot, app, " API key")


def nothing(_: SecretsScreen) -> None:
    """Do nothing, in place of one of two things that mask, so that the other one has to."""


async def test_a_peeked_value_is_masked_after_its_time(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecretsScreen, "_time_is_over", nothing)
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        assert "masks itself in 10 s" in await peeked(pilot, app)
        clock.now_s += 4
        await until(pilot, app, lambda text: "masks itself in 6 s" in text and REDEEMED in text)
        clock.now_s += 6
        await masked(pilot, app)
        assert script.opened[0].custody.peeked is None
        # The next peek has its own time.
        await peeked(pilot, app)


async def test_a_value_is_masked_by_its_own_timer_between_two_ticks(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def show(pane: ValuePane, value: Shown, left: int) -> None:
        draw(pane, value, left)
        drawn.append(left)
        clock.now_s += 1

    draw = ValuePane.show
    monkeypatch.setattr(screen, "PEEK_S", 0.05)
    monkeypatch.setattr(ValuePane, "show", show)
    monkeypatch.setattr(SecretsScreen, "_tick", nothing)
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await pilot.press("u")
        await until(pilot, app, lambda _: script.opened[0].custody.peeked is None)
        await masked(pilot, app)
        assert len(drawn) == 1


async def test_a_value_whose_layout_takes_too_long_is_not_shown(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:

    def slow(_: PeekAsked) -> tuple[str, ...]:
        clock.now_s += 11
        return (REDEEMED,)

    monkeypatch.setattr(screen, "peeked", slow)
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await pilot.press("u")
        await until(pilot, app, lambda _: script.opened[0].custody.peeked is None)
        assert REDEEMED not in await settled(pilot, app, MASKED_TITLE)


async def test_a_value_that_cannot_be_shown_is_an_error_without_the_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(asked: PeekAsked) -> tuple[str, ...]:
        raise RuntimeError(str(asked.value))

    monkeypatch.setattr(screen, "peeked", failing)
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await pilot.press("u")
        text = await settled(pilot, app, "The value could not be shown (RuntimeError)")
        assert REDEEMED not in text
        assert script.opened[0].custody.peeked is None


async def test_holding_a_mouse_button_shows_the_value() -> None:
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await pilot.mouse_down("#secret-text")
        await settled(pilot, app, REDEEMED)
        await pilot.mouse_up("#secret-text")
        await masked(pilot, app)
        assert script.opened[0].custody.peeked is None


@SIZES
async def test_withheld_values_are_listed_by_pointer_and_can_be_peeked_at(
    size: tuple[int, int],
) -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("j")
        text = await settled(pilot, app, "▸ ✗ structuredContent.key")
        assert KEPT not in text
        assert "Show it for 10 s, or forget it." in text
        await peeked(pilot, app, KEPT)
        await pilot.press("u")
        await masked(pilot, app, KEPT)
        await pilot.press("enter")
        await settled(pilot, app, KEPT)
        await pilot.press("m", "v", "y")
        await masked(pilot, app, KEPT)
        await pilot.press("backspace")
        await settled(pilot, app, "Call the tool again for a new one.")
        await pilot.press("u")
        assert KEPT not in await settled(pilot, app, "forgotten")
        assert redeemer.asked == []


async def test_containers_are_shown_as_json() -> None:
    result: JsonObject = {"content": [], "structuredContent": {"all": {"a": [1, {"b": KEPT}]}}}
    script, _ = secretive(result=result)
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app, "structuredContent.all")
        text = await peeked(pilot, app, f'"b": "{KEPT}"')
        assert '"a": [' in text
        await pilot.press("m")
        await masked(pilot, app, KEPT)


async def test_a_value_of_a_megabyte_can_be_peeked_at() -> None:
    result: JsonObject = {"content": [], "structuredContent": {"key": KEPT + "x" * 1_000_000}}
    script, _ = secretive(result=result)
    app = app_of(script)
    async with app.run_test(size=SMALL) as pilot:
        await among_secrets(pilot, app, "structuredContent.key")
        text = await peeked(pilot, app, KEPT)
        assert "structuredContent.key" in text
        assert text.count("\n") <= SMALL[1]
        await pilot.press("m")
        await masked(pilot, app, KEPT)


async def test_foreign_text_is_safe_in_label_tool_pointer_and_value() -> None:
    name = f"mint {ACTING}"
    tool: JsonObject = {
        **MINT,
        "name": name,
        "outputSchema": {"type": "object", "properties": {ACTING: {"type": "string", "x-sensitive": True}}},
    }
    reference: JsonObject = {**REFERENCE, "label": f"key {ACTING}"}
    result: JsonObject = {"content": [reference], "structuredContent": {ACTING: f"{KEPT}{ACTING}"}}
    script, _ = secretive(Revealed(value=f"{REDEEMED}{ACTING}"), result=result, tool=tool)
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        text = await among_secrets(pilot, app, "key ␛]52;c;Q0FO␇[bold]")
        assert "#1 mint ␛]52" in text
        await revealed(pilot, app)
        await peeked(pilot, app, f"{REDEEMED}␛]52;c;Q0FO␇[bold]")
        await pilot.press("j")
        await settled(pilot, app, '▸ ✗ structuredContent."␛]52;c;Q0FO␇[bold]')
        text = await peeked(pilot, app, f"{KEPT}␛]52;c;Q0FO␇[bold]")
        assert "[@click=app.leave]" in text
        assert not set(screen_text(app)) & set("\x1b\x07\u202e\x9b")
        assert app.guard.caught == 0
        assert app.is_running


async def test_the_length_of_the_mask_does_not_depend_on_the_value() -> None:
    lines: set[str] = set()
    for value in ("k", "k" * 5_000):
        result: JsonObject = {**MINTED, "structuredContent": {"key": f"{value}-{KEPT}"}}
        script, _ = secretive(result=result)
        app = app_of(script)
        async with app.run_test(size=LARGE) as pilot:
            await among_secrets(pilot, app)
            await pilot.press("j")
            text = await settled(pilot, app, "▸ ✗ structuredContent.key")
            lines.add(text)
    assert len(lines) == 1
