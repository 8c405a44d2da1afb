"""What has been drawn, update by update, is what drawing the whole screen again would show."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual.app import App
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from inspector.files import themes
from inspector.protocol.targets import DemoTarget
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from tests.tui.scripted import LARGE, SMALL, patience, screen_strips, settled

Cell = tuple[str, object]
_PAINT = cast("Any", Compositor).render_update
"""The method that other tests of the interface replace, because they look at whole screens only."""


def cells(strip: Strip) -> Iterator[Cell]:
    """Each cell of a strip, with its style; the second cell of a wide character is empty."""
    for segment in strip:
        for character in segment.text:
            yield character, segment.style


class ModelTerminal:
    """A screen that has only what it was sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: dict[int, dict[int, Cell]] = {}
        display = cast("Any", App)._display  # noqa: SLF001

        def take(app: App[None], screen: Screen[object], drawing: object) -> None:
            self._take(drawing)
            display(app, screen, drawing)

        monkeypatch.setattr(App, "_display", take)
        monkeypatch.setattr(Compositor, "render_update", _PAINT)

    def _take(self, drawing: object) -> None:
        if isinstance(drawing, LayoutUpdate):
            for y, line in enumerate(drawing.strips, drawing.region.y):
                self._write(y, drawing.region.x, [cell for strip in line for cell in cells(strip)])
        elif isinstance(drawing, ChopsUpdate):
            for y, start, stop in drawing.spans:
                for end, (x, strip) in zip(drawing.chop_ends[y], drawing.chops[y].items(), strict=False):
                    if strip is not None and x <= stop and end > start:
                        self._write(y, x, list(cells(strip.crop(0, min(end, stop) - x))))

    def _write(self, y: int, x: int, drawn: list[Cell]) -> None:
        self.rows.setdefault(y, {}).update(enumerate(drawn, x))

    def wrong(self, strips: list[Strip]) -> list[str]:
        """The rows that differ from the whole screen."""
        wrong: list[str] = []
        for y, strip in enumerate(strips):
            row = self.rows.get(y, {})
            whole = dict(enumerate(cells(strip)))
            if row != whole:
                wrong.append(f"{y}: drawn {_text(row)!r}, whole {_text(whole)!r}")
        return wrong


def _text(row: dict[int, Cell]) -> str:
    return "".join(character for _, (character, _) in sorted(row.items()))


LOOKED_AT = (
    *("tab", "tab", "tab", "tab", "shift+tab", "escape", "j", "enter", "tab", "escape", "escape"),
    *("1", "escape", "2", "j", "escape", "3", "escape", "4", "j", "escape", "5", "escape"),
    *("ctrl+r", "v", "j", "J", "m", "m", "escape", "t", "k", "enter", "tab", "escape", "escape"),
    *("f", "tab", "escape", "h", "tab", "escape", "question_mark", "tab", "escape", "slash", "e", "escape"),
    *("g", "escape", "s", "escape", "ctrl+p", "escape", "escape", "T", "escape"),
)
"""Keys that move the focus between the parts of the main screen, and to other screens and back."""


@pytest.mark.parametrize("size", [LARGE, SMALL])
async def test_each_key_draws_all_that_it_changes(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    terminal = ModelTerminal(monkeypatch)
    target = DemoTarget()

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(is_quick_to_end=True), listener)

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "tools")
        for number, key in enumerate((*LOOKED_AT, "", "tab")):
            if key:
                await pilot.press(key)
            else:
                app.screen.set_focus(None)
            await settled(pilot, app)
            wrong = [""]
            for _ in patience():
                for widget in (app.screen, *app.screen.walk_children(Widget)):
                    # Without this, rows that were drawn before and should have changed would be taken from here.
                    cast("Any", widget)._styles_cache.clear()  # noqa: SLF001
                if not (wrong := terminal.wrong(screen_strips(app))):
                    break
                await pilot.pause(0.05)
            assert not wrong, (number, key)
