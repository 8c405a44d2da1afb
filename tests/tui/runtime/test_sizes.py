"""New sizes reach every widget."""

import asyncio

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from inspector.tui.main.screen import MainScreen
from inspector.tui.runtime.sizes import SizingScreen
from inspector.tui.widgets.secondary import SecondaryScreen


class Sized(Widget):
    """Keeps the sizes that it gets."""

    DEFAULT_CSS = "Sized { height: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[Size] = []

    def on_resize(self) -> None:
        self.sizes.append(self.size)


class Sizing(SizingScreen[None]):
    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Sized()


@pytest.mark.parametrize("screen", [MainScreen, SecondaryScreen])
def test_our_screens_report_every_size(screen: type[Screen[None]]) -> None:
    assert issubclass(screen, SizingScreen)


async def test_a_widget_gets_its_size_also_if_a_position_was_asked_for_after_a_scroll() -> None:
    async with App[None]().run_test(size=(40, 10)) as pilot:
        screen = Sizing()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        holder, first, second = screen.query_one(VerticalScroll), screen.query_one(Sized), Sized()
        holder.styles.width = 20
        mounted = holder.mount(second)
        while not second.region:
            screen._refresh_layout(scroll=True)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            await asyncio.sleep(0)
        await mounted
        await pilot.pause()
        assert second.sizes == [Size(20, 2)]
        assert first.sizes == [Size(40, 2), Size(20, 2)]


async def test_a_widget_that_is_shown_again_gets_its_size_if_a_position_was_asked_for() -> None:
    async with App[None]().run_test(size=(40, 10)) as pilot:
        screen = Sizing()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        shown = screen.query_one(Sized)
        shown.display = False
        await pilot.pause()
        assert not shown.region
        screen._refresh_layout(scroll=True)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        shown.display = True
        assert shown in screen._compositor.full_map  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        await pilot.pause()
        assert shown.sizes == [Size(40, 2)] * 2
