"""The screens over the main screen have one look: a title line, the content, one line of keys."""

from pathlib import Path
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.widgets.secondary import SecondaryScreen
from tests.tui.scripted import LARGE, SMALL, Script, app_of, screen_lines, settled
from tests.tui.secretive import called, secretive

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
SECRET = "sk-planted-0815"


@SIZES
async def test_every_screen_has_its_name_above_and_its_keys_below(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path))
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        await called(pilot, app)
        await pilot.press("escape")
        for key, name in (
            ("c", "Compare hosts"),
            ("T", "Trust"),
            ("s", "Secrets"),
            ("P", "Pins"),
            ("f", "Review"),
        ):
            await pilot.press(key)
            await settled(pilot, app, f"Sightline  {name}")
            first, *_, last = screen_lines(app)
            assert first.startswith(f" Sightline  {name}  ")
            assert "Esc back" in last
            assert "? keys" in last
            await pilot.press("escape")
            await settled(pilot, app, "#1 done")


class _FailingScreen(SecondaryScreen[None], inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.PINS)
    NAME = "Example"
    FAILED = "The example could not be shown"

    def __init__(self) -> None:
        super().__init__()
        self.fails = True
        self._shown = Static("", markup=False)
        self.views = self.latest(self._make, self._shown.update)

    def body(self) -> ComposeResult:
        yield self._shown

    def _make(self, words: str) -> str:
        if self.fails:
            raise RuntimeError(words)
        return words


async def test_an_error_replaces_the_content_until_the_next_success() -> None:
    app = app_of(Script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "demo")
        example = _FailingScreen()
        await app.push_screen(example)
        example.views.ask(SECRET)
        text = await settled(pilot, app, "The example could not be shown (RuntimeError)")
        assert SECRET not in text
        example.fails = False
        example.views.ask("the content")
        assert "could not be shown" not in await settled(pilot, app, "the content")
