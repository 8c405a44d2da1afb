"""Places of the interface that a test with keys may miss: notifications, tooltips, palette, titles."""

from textual.command import CommandList
from textual.content import Content
from textual.widget import Widget

from inspector.safe_text import safe
from inspector.tui.keys.table import COMMANDS
from tests.terminal.payloads import EVERYTHING, PAYLOADS
from tests.terminal.server import definition
from tests.terminal.stream import assert_text
from tests.tui.scripted import LARGE, Script, app_of, screen_lines, settled, until

OFFERED = [found for found in COMMANDS if found.palette]
MARKUP = "".join(PAYLOADS[name] for name in PAYLOADS if name.startswith("markup"))


def hostile() -> Script:
    return Script(tools=[definition(EVERYTHING, EVERYTHING), definition("everything", EVERYTHING)])


async def test_a_notification_shows_foreign_text_without_markup() -> None:
    app = app_of(hostile())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "Tools 2")
        for text in ("\x1b]0;CANARY\x07 \x9b2J \u202e", MARKUP, PAYLOADS["combining run"]):
            app.notify(text, title=text, severity="error", timeout=60, markup=True)
            app.screen.notify(text, timeout=60, markup=True)

            def is_shown(_: str, shown: str = safe(text)) -> bool:
                return any(shown in str(toast.render()) for toast in app.screen.query("Toast"))

            await until(pilot, app, is_shown)
            toasts = tuple(app.screen.query("Toast").results(Widget))
            for line in screen_lines(app):
                assert_text(line)
            for toast in toasts:
                await pilot.click(toast)
        assert app.guard.caught == 0
        assert app.is_running


async def test_no_tooltip_or_title_contains_text_of_a_server() -> None:
    app = app_of(hostile())
    own = {found.tooltip for found in COMMANDS}
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Tools 2")
        for key in ("enter", "2", "3", "4", "1"):
            await pilot.press(key)
            await settled(pilot, app)
            for widget in app.screen.query("*").results(Widget):
                assert widget.tooltip is None or widget.tooltip in own
            assert (app.title, app.sub_title, app.screen.title, app.screen.sub_title) == (
                "Sightline",
                "",
                None,
                None,
            )


async def test_the_palette_contains_no_name_from_a_server() -> None:
    app = app_of(hostile())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Tools 2")
        await pilot.press("ctrl+p")
        palette = app.screen.query_one(CommandList)
        while len(palette.options) < len(OFFERED):
            await pilot.pause()
        offered = [option.prompt for option in palette.options]
        for prompt in offered:
            assert isinstance(prompt, Content)
            assert_text(prompt.plain.replace("\n", " "))
            assert "CANARY" not in prompt.plain
        await pilot.press(*"everything")
        await settled(pilot, app)
        assert app.guard.caught == 0
