import threading

import pytest

from inspector.json.exact import Json, JsonObject
from inspector.tui.app import SightlineApp
from inspector.tui.result import comparing
from inspector.tui.result import pane as result
from inspector.tui.values.pane import OutlineLines
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_text, settled

KEY = "sk-planted-4711-secret"
MINT: JsonObject = {
    "name": "mint",
    "annotations": {"idempotentHint": True},
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
    },
}
MINTED: Json = {
    "content": [],
    "structuredContent": {"id": "one", "key": KEY, "note": "undeclared words", "n": 7},
}
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def app_with_a_result() -> SightlineApp:
    return app_of(Script(tools=[MINT], answers={"mint": answering(MINTED)}))


@SIZES
async def test_d_compares_declared_with_closed(size: tuple[int, int]) -> None:
    app = app_with_a_result()
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        values = app.screen.query_one("#result-values", OutlineLines)
        await pilot.press("n")
        before = values.pointer
        await pilot.press("d")
        text = await settled(pilot, app, "declared against closed")
        await pilot.press("G")
        assert values.pointer != before
        assert "The model at  closed" in text
        assert "2 only in declared" in text
        assert "only in declared" in text or "+ only in closed" in text
        assert "Server sent" not in text
        assert KEY not in text
        await pilot.press("escape")
        text = await settled(pilot, app, "Server sent")
        assert "against" not in text
        assert values.pointer == before
        assert app.is_running


async def test_n_moves_to_the_next_difference_and_wraps_around() -> None:
    app = app_with_a_result()
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("d")
        await settled(pilot, app, "declared against closed")
        left = app.screen.query_one("#result-values", OutlineLines)
        seen = [left.cursor]
        for _ in range(9):
            await pilot.press("n")
            seen.append(left.cursor)
        there = sorted(set(seen))
        assert 1 < len(there) < 9
        assert seen == [there[(there.index(seen[0]) + step) % len(there)] for step in range(10)]
        while left.cursor != there[-1]:
            await pilot.press("n")
        await pilot.press("n")
        await settled(pilot, app, "Back at the first difference.")
        assert left.cursor == there[0]
        await pilot.press("N")
        assert left.cursor == there[-1]
        await pilot.press("enter")
        await settled(pilot, app, "Esc goes back to the result")


async def test_b_and_h_change_the_comparison_and_not_the_result() -> None:
    app = app_with_a_result()
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("d", "b")
        text = await settled(pilot, app, "open against declared")
        assert "reaches the model" in text
        assert KEY not in text
        await pilot.press("B")
        await settled(pilot, app, "declared against closed")
        await pilot.press("h")
        # Compared with itself, no host says anything.
        assert " spec " not in (await settled(pilot, app, "Choose a host")).partition("claude-code")[0]
        await pilot.press(*"claude", "enter")
        await settled(pilot, app, "spec against claude-code")
        await pilot.press("h", *"codex", "enter")
        await settled(pilot, app, "spec against codex")
        await pilot.press("H")
        again = await settled(pilot, app, "spec against claude-code")
        assert "boundary: declared  host: spec" in again
        await pilot.press("d")
        await settled(pilot, app, "spec, declared")


async def test_a_new_call_is_compared_in_the_same_way() -> None:
    told = Script(tools=[MINT], answers={"mint": answering(MINTED)})
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("d")
        await settled(pilot, app, "2 only in declared")
        told.answers["mint"] = answering({"content": [], "structuredContent": {"a": 1, "b": 2, "c": 3}})
        await pilot.press("r")
        await settled(pilot, app, "3 only in declared")
        await pilot.press("escape")
        await settled(pilot, app, "#2 done")


async def test_d_without_a_result_reports_that_there_is_none() -> None:
    app = app_with_a_result()
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("d")
        await settled(pilot, app, "There is no result to compare yet.")


async def test_a_failed_comparison_is_reported_and_the_result_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_asked: object) -> None:
        raise ZeroDivisionError(KEY)

    monkeypatch.setattr(comparing, "contrast_view", failing)
    app = app_with_a_result()
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("d")
        text = await settled(pilot, app, "could not be compared (ZeroDivisionError)")
        assert "Server sent" in text
        assert "comparing" not in text
        assert KEY not in screen_text(app)


async def test_a_large_result_that_is_replaced_is_freed_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[int] = []

    def noted(values: list[Json]) -> None:
        threads.append(threading.get_ident())
        values.clear()

    monkeypatch.setattr(result, "release", noted)
    rows: list[Json] = ["x" * 1_000] * 1_000
    large: Json = {"content": [], "structuredContent": {"rows": rows}}
    app = app_of(Script(tools=[MINT], answers={"mint": answering(large)}))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        assert not threads
        await pilot.press("r")
        await settled(pilot, app, "#2 done")
        await pilot.press("d")
        await settled(pilot, app, "declared against closed")
        await pilot.press("escape")
        await settled(pilot, app, "#2 done")
    assert len(threads) >= 2
    assert threading.get_ident() not in threads
