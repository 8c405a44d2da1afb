"""The badges of the catalogue: computed in threads, for visible rows."""

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.screen import Screen

from inspector.protocol.catalogue import Kind, Listing, Tool
from inspector.tui.catalogue import badges
from inspector.tui.catalogue.badges import BadgeLoader
from inspector.tui.catalogue.marks import RowMarks
from tests.tui.scripted import LARGE, Script, app_of, settled

if TYPE_CHECKING:
    from inspector.json.exact import Json


def tools_of(count: int) -> list[Tool]:
    listing = Listing(Kind.TOOL)
    definitions: list[Json] = [
        {"name": f"t{n}", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
        for n in range(count)
    ]
    listing.take({"tools": definitions})
    return [entry for entry in listing.entries if isinstance(entry, Tool)]


async def test_badges_are_never_computed_on_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    made_in: set[int] = set()
    before = badges.marks_of

    def marks_of(tool: Tool) -> RowMarks:
        made_in.add(threading.get_ident())
        return before(tool)

    monkeypatch.setattr(badges, "marks_of", marks_of)
    many: list[Json] = [
        {
            "name": f"tool_{n:03d}",
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": n % 2 == 0, "destructiveHint": n % 2 == 1},
        }
        for n in range(300)
    ]
    app = app_of(Script(tools=many))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Tools 300")
        await pilot.press("G")
        text = await settled(pilot, app, "▸ tool_299")
        row = next(line for line in text.splitlines() if line.startswith("▸ tool_299"))
        assert row[:40].rstrip().endswith("destructive · write")
    assert made_in
    assert threading.get_ident() not in made_in


async def test_badges_are_cached_up_to_a_limit() -> None:
    app: App[None] = App()
    changes: list[int] = []
    async with app.run_test():
        screen: Screen[None] = Screen()
        await app.push_screen(screen)
        loader = BadgeLoader(screen, lambda: changes.append(1))
        tools = tools_of(3_000)
        assert not loader.of(tools[0]).badges
        for start in range(0, 3_000, 150):
            await _asked(app, loader, tools[start : start + 150])
        assert len(changes) == 20
        assert loader.of(tools[-1]).badges[0].words.plain == "read"
        assert not loader.of(tools[0]).badges
        assert len(vars(loader)["_known"]) == 2_000


async def test_a_definition_that_cannot_be_judged_is_marked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def marks_of(_tool: Tool) -> RowMarks:
        raise LookupError("not to be shown")

    monkeypatch.setattr(badges, "marks_of", marks_of)
    app = app_of(Script(tools=[{"name": "odd", "inputSchema": {"type": "object"}}]))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        text = await settled(pilot, app, "No badges for some tools")
        assert "not to be shown" not in text
        row = next(line for line in text.splitlines() if line.startswith("▸ odd"))
        assert row[:40].rstrip().endswith("!")


async def _asked(app: App[None], loader: BadgeLoader, tools: list[Tool]) -> None:
    for tool in tools:
        loader.of(tool)
    while not loader.of(tools[-1]).badges:
        await asyncio.sleep(0.001)
    while any(not worker.is_finished for worker in app.workers):
        await asyncio.sleep(0.001)
