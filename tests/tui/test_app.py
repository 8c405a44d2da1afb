import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from rich.text import Text
from textual.widgets import Static

from inspector.protocol.targets import DemoTarget
from inspector.tui.app import SightlineApp
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_lines, settled

if TYPE_CHECKING:
    from inspector.json.exact import Json

HEAVY = (
    "mcp",
    "httpx",
    "pydantic",
    "jsonschema",
    "jsonschema_rs",
    "inspector.connect.connection",
    "inspector.hosts.projection",
)
SECRET = "planted-secret-4711"


def test_no_heavy_module_is_imported_before_the_first_paint() -> None:
    code = f"import sys, inspector.tui.app; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def crash(app: SightlineApp) -> None:
    secret = SECRET + "\x1b[31m"
    try:
        _ = dict[str, int]()[secret]
    except LookupError:
        app._fatal_error()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def test_a_crash_shows_its_place_without_message_or_locals(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def panic(*renderables: Text) -> None:
        said.extend(renderable.plain for renderable in renderables)

    app = app_of(Script())
    monkeypatch.setattr(app, "panic", panic)
    monkeypatch.setattr(app, "bell", lambda: None)
    crash(app)
    crash(app)
    assert len(said) == 1
    assert said[0].startswith("Sightline stopped because of a defect.")
    assert said[0].endswith("KeyError")
    assert "in crash" in said[0]
    assert SECRET not in said[0]
    assert "\x1b" not in said[0]


async def fail_in(app: SightlineApp) -> None:
    async with app.run_test() as pilot:
        app.call_later(lambda: 1 // 0)
        await pilot.pause()


async def test_a_defect_ends_with_status_1() -> None:
    app = app_of(Script())
    with pytest.raises(ZeroDivisionError):
        await fail_in(app)
    assert app.return_code == 1


async def test_the_guard_filters_the_output_of_every_widget() -> None:
    app = app_of(Script(tools=[{"name": "clock", "inputSchema": {"type": "object"}}]))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "clock")
        await app.screen.mount(Static("past present/ \x1b[31m\u202e", markup=False))
        await pilot.pause()
        text = "".join(screen_lines(app))
        assert "past present/ ␛[31m�" in text
        assert "\x1b" not in text
        assert app.guard.caught > 0


async def test_a_notification_is_safe_and_never_markup() -> None:
    app = app_of(Script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        # A new state of the connection ends what was said before it.
        await settled(pilot, app, "The server lists nothing.")
        app.notify("[/nope] \x1b]52;c;x\x07", title="[@click=app.leave]t[/]", markup=True)
        text = await settled(pilot, app, "[/nope] ␛]52")
        assert "[@click=app.leave]t[/]" in text
        assert app.guard.caught == 0


async def test_notifications_are_shown_whole_and_the_oldest_makes_room() -> None:
    app = app_of(Script())
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "The server lists nothing.")
        for number in range(3):
            app.notify(f"begin{number} " + "x" * 340 + f" end{number}")
        text = await settled(pilot, app, "end2")
        assert "begin2" in text
        assert text.count("x") >= 340
        assert "begin0" not in text
        app.notify("https://example.com/" + "y" * 300 + "/end")
        text = await settled(pilot, app, "/end")
        assert text.count("y") >= 300


async def test_the_palette_finds_and_runs_commands() -> None:
    app = app_of(Script(tools=[{"name": "clock", "inputSchema": {"type": "object"}}]))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "clock")
        await pilot.press("colon")
        await settled(pilot, app, "Call again  (r)")
        await pilot.press("enter")
        await settled(pilot, app, "Sightline help")
        # The description of a command that calls has this word too, and is not searched.
        await pilot.press("escape", "colon", *"policy")
        assert "Call again" not in await settled(pilot, app, "Policy  (A)")
        await pilot.press("escape", "colon", *"boundary")
        await settled(pilot, app, "Boundary  (b)")
        await pilot.press("enter")
        await settled(pilot, app, "boundary: closed")
        await pilot.press("ctrl+p", *"claude-code")
        await settled(pilot, app, "Host claude-code")
        await pilot.press("enter")
        await settled(pilot, app, "host: claude-code")
        await pilot.press("ctrl+p", *"high-con")
        await settled(pilot, app, "Theme high-contrast")
        await pilot.press("enter")
        await settled(pilot, app)
        assert app.theme == "high-contrast"


async def test_clicking_a_key_in_the_footer_runs_it() -> None:
    app = app_of(Script(tools=[{"name": "clock", "inputSchema": {"type": "object"}}]))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "y copy call")
        footer = screen_lines(app)[-1]
        await pilot.click(offset=(footer.index("f findings"), LARGE[1] - 1))
        await settled(pilot, app, "Findings of demo")
        await pilot.press("escape")
        await settled(pilot, app, "y copy call")
        footer = screen_lines(app)[-1]
        await pilot.click(offset=(footer.index("? keys"), LARGE[1] - 1))
        await settled(pilot, app, "All keys")


async def test_the_mouse_chooses_items_and_tabs() -> None:
    tools: list[Json] = [
        {"name": name, "inputSchema": {"type": "object"}, "description": f"the {name}"}
        for name in ("one", "two")
    ]
    app = app_of(Script(tools=tools, answers={"two": answering({"content": []})}))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "the one")
        await pilot.click(offset=(4, 3))
        await settled(pilot, app, "the two")
        tabs = screen_lines(app)[2]
        await pilot.click(offset=(tabs.index("2 Definition"), 2))
        await settled(pilot, app, 'description  "the two"')
        await pilot.click(offset=(tabs.index("1 Call"), 2))
        button = next(y for y, line in enumerate(screen_lines(app)) if " Call  " in line and y > 4)
        await pilot.click(offset=(screen_lines(app)[button].index("Call"), button))
        await settled(pilot, app, "#1 done")


@pytest.mark.parametrize("place", list(KeyPlace))
def test_every_place_of_the_interface_has_keys(place: KeyPlace) -> None:
    assert bindings(place)


async def test_ten_thousand_tools_are_filtered_and_only_visible_ones_drawn() -> None:
    tools: list[Json] = [{"name": f"tool_{n}", "inputSchema": {"type": "object"}} for n in range(10_000)]
    app = app_of(Script(tools=tools), target=DemoTarget())
    drawn: set[str] = set()
    async with app.run_test(size=LARGE) as pilot:
        text = await settled(pilot, app, "Tools 10,000")
        drawn.update(word for word in text.split() if word.startswith("tool_"))
        await pilot.press("G")
        await settled(pilot, app, "tool_9999")
        await pilot.press("slash", *"_123")
        text = await settled(pilot, app, "Tools 11 of 10,000")
        assert "tool_123" in text
        lines = app.screen.query_one("CatalogueLines")
        assert len(vars(lines)["_marks"]) < 300
    assert len(drawn) < LARGE[1]
