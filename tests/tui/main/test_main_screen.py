import asyncio
import re
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from textual.events import Key
from textual.pilot import Pilot

from inspector.errors import UnreachableError
from inspector.hosts.profile import evidence
from inspector.hosts.registry import hosts
from inspector.json.exact import Json, JsonObject
from inspector.protocol.authorization import Certificates
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Outcome, Result
from inspector.protocol.targets import PageTarget, Target
from inspector.session.call_record import Progress
from inspector.session.events import ListingAdvanced, SessionState
from inspector.tui.app import SightlineApp
from inspector.tui.catalogue.item import ItemAsked, ToolView, tool_view
from inspector.tui.catalogue.pane import CatalogueLines
from inspector.tui.keys import footer
from inspector.tui.main import selection
from inspector.tui.main.servers import ServerParts
from inspector.tui.result.pane import ResultPane
from tests.tui.scripted import (
    LARGE,
    SMALL,
    Script,
    ScriptedSession,
    answering,
    app_of,
    screen_lines,
    screen_text,
    settled,
    until,
)

KEY = "sk-planted-4711-secret"

MINT: JsonObject = {
    "name": "mint",
    "title": "Mint a key",
    "description": "Makes a key.",
    "inputSchema": {
        "type": "object",
        "properties": {"owner": {"type": "string"}, "days": {"type": "integer", "maximum": 30}},
        "required": ["owner"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
    },
    "annotations": {"readOnlyHint": False},
}
MINTED: Json = {"content": [], "structuredContent": {"id": "key-one", "key": KEY}}
CLOCK: JsonObject = {
    "name": "clock",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}
NOON: Json = {"content": [{"type": "text", "text": "It is noon."}]}
BROKEN: JsonObject = {"name": "broken"}

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def script() -> Script:
    return Script(
        tools=[MINT, CLOCK, BROKEN],
        resources=[{"uri": "file:///notes", "name": "notes"}],
        prompts=[{"name": "greet"}],
        answers={"mint": answering(MINTED), "clock": answering(NOON)},
    )


@SIZES
async def test_all_items_of_the_server_are_listed_including_malformed_ones(
    size: tuple[int, int],
) -> None:
    app = app_of(script())
    async with app.run_test(size=size) as pilot:
        text = await settled(pilot, app, "mint")
        assert "Tools 2 (1 malformed)" in text
        assert "≠ broken  malformed" in text
        assert "Resources 1" in text
        assert "Prompts 1" in text
        assert "ready" in text
        assert "boundary: declared  host: spec" in text
        assert "certificate" not in text


async def test_the_claims_tab_says_that_a_malformed_definition_is_not_read() -> None:
    told = Script(tools=[CLOCK, {**BROKEN, "annotations": {"readOnlyHint": True}}])
    app = app_of(told)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "clock")
        await pilot.press("down", "3")
        text = " ".join((await settled(pilot, app, "Declarations are not read")).split())
        assert "because the definition is malformed. The Findings tab says what is wrong with it." in text
        assert "No declarations" not in text
        # It has no form, so the keys are still those of the list.
        await pilot.press("escape", "1")
        text = await settled(pilot, app, "cannot be called")
        assert "Enter open" in text
        assert "Esc leave" not in text
        await pilot.press("2")
        await settled(pilot, app, "malformed: ")


@SIZES
async def test_the_header_shows_that_the_certificate_is_not_checked(
    size: tuple[int, int],
) -> None:
    told = script()
    told.certificates = Certificates(is_insecure=True)
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        text = await settled(pilot, app, "certificate not checked")
        assert "boundary: declared  host: spec" in text


@SIZES
async def test_enter_on_a_called_tool_opens_its_call_above_the_result(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("4")
        await settled(pilot, app, "▸4 Findings")
        await pilot.press("escape", "enter")
        await settled(pilot, app, "▸1 Call")


@SIZES
async def test_a_call_shows_both_sides_with_the_secret_masked_and_the_reason(size: tuple[int, int]) -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        text = await settled(pilot, app, "#1 done")
        assert told.calls == [("mint", {"owner": "ada"})]
        assert KEY not in text
        assert "Model sees" in text
        # The removals and their reasons are shown without a key press.
        assert "✗ structuredContent.key" in text
        assert "┄ withheld" in text
        await pilot.press("enter")
        text = await settled(pilot, app, "declaration")
        assert "/properties/key" in text
        assert "x-sensitive: marked sensitive" in text
        assert "type string, x-sensitive true" in text
        assert KEY not in text


async def test_both_panes_follow_the_boundary_and_the_raw_side_stays_masked() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "spec, declared")
        await pilot.press("B")
        text = await settled(pilot, app, "declared → open: 1 part no longer withheld")
        assert "reaches the model" in text
        assert KEY not in text
        await pilot.press("B")
        text = await settled(pilot, app, "open → closed: 1 more part withheld")
        assert KEY not in text
        await pilot.press("b", "b")
        assert "spec, declared" in await settled(pilot, app, "boundary: declared")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_a_host_is_chosen_from_a_list_that_says_what_each_model_gets(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("H")
        await settled(pilot, app, "No other host was shown yet.")
        await pilot.press("h")
        text = await settled(pilot, app, "Choose a host")
        assert "▸ spec" in text
        assert re.search(r"(specification)? +in force: text and", text)
        for host in hosts()[: None if size == LARGE else 12]:
            known = rf"{evidence(host.how)} " if size == LARGE else ""
            assert re.search(rf" {host.name} +{known}", text), host.name
        await pilot.press("escape")
        await settled(pilot, app, "host: spec")
        # The palette has the same list; what is typed filters it, also by evidence and by what the model gets.
        await pilot.press("ctrl+p", *"lists the hosts")
        await settled(pilot, app, "Host  (h)")
        await pilot.press("enter")
        await settled(pilot, app, "Choose a host")
        await pilot.press(*"observed file")
        text = await settled(pilot, app, "▸ claude-code")
        assert "codex" not in text
        assert "Its model gets structured content, or else text; a long result goes to" in text
        await pilot.press(*" none", "enter")
        text = await settled(pilot, app, "No host has these words.")
        assert "Not observed, so they have no profile: Claude Desktop," in text
        await pilot.press("ctrl+u", *"claude")
        text = await settled(pilot, app, "Not observed, so they have no profile: Claude Desktop, claude.ai.")
        assert "▸ claude-code" in text
        await pilot.press("ctrl+u", *"gpt")
        text = await settled(pilot, app, "ChatGPT was not observed, so it has no profile.")
        assert "No host has these words." not in text
        await pilot.press("ctrl+u", "down", "up", *"codex", "down", "enter")
        await settled(pilot, app, "host: codex-known-model")
        await pilot.press("H")
        await settled(pilot, app, "host: spec")
        await pilot.press("H")
        await settled(pilot, app, "host: codex-known-model")


async def test_b_says_what_the_boundary_means_and_then_gives_the_room_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(footer, "NOTED_S", 2.0)
    app = app_of(script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "owner")
        before = screen_lines(app)[-1]
        await pilot.press("b")
        await settled(pilot, app, "boundary: closed")
        assert screen_lines(app)[-1].startswith(" closed: passes only declared, non-sensitive fields ")
        assert "? keys" in screen_lines(app)[-1]
        while screen_lines(app)[-1] != before:
            await pilot.pause(0.02)


async def test_both_sides_are_drawn_in_one_list() -> None:
    told = script()
    told.answers["mint"] = answering({"content": [], "structuredContent": {f"id{n}": n for n in range(200)}})
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("G")
        await settled(pilot, app, "id199  199")
        await pilot.press("g")
        await settled(pilot, app, "structuredContent")


async def test_repeat_makes_the_call_again_with_the_same_arguments() -> None:
    told = script()
    told.tools = [{**MINT, "annotations": {"idempotentHint": True}}]
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("r")
        await settled(pilot, app, "#2 done")
        assert told.calls == [("mint", {"owner": "ada"})] * 2


async def test_repeat_calls_the_open_item_only() -> None:
    plain: JsonObject = {"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    names = ("first", "second", "third")
    never = asyncio.Event()

    async def waiting(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        await never.wait()
        return Result(value={"content": []})

    told = Script(
        tools=[{"name": name, **plain} for name in names],
        resources=[{"uri": "demo://note", "name": "note"}],
        answers={name: answering({"content": []}) for name in names},
    )
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        for number, name in enumerate(names[:2], 1):
            await settled(pilot, app, f"▸ {name}")
            await pilot.press("enter")
            await settled(pilot, app, "Enter call")
            await pilot.press("enter")
            await settled(pilot, app, f"#{number} done")
            await pilot.press("escape", "j")
        await settled(pilot, app, "third has not been called yet")
        assert "r call" not in screen_lines(app)[-1]
        await pilot.press("r")
        await settled(pilot, app, "▌ third has not been called yet.")
        await pilot.press("j")
        await settled(pilot, app, "demo://note has not been read yet")
        await pilot.press("r")
        await settled(pilot, app, "▌ demo://note has not been read yet.")
        await pilot.press("k", "k")
        await settled(pilot, app, "#2 done")
        await pilot.press("k")
        await settled(pilot, app, "#1 done")
        assert "r call again" in await settled(pilot, app, "r call again")
        await pilot.press("r")
        await settled(pilot, app, "#3 done")
        # A call without a result is made again, too.
        told.answers["third"] = waiting
        await pilot.press("escape", "j", "j")
        await settled(pilot, app, "third has not been called yet")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "Esc cancel")
        await pilot.press("escape")
        await settled(pilot, app, "r call again")
        told.answers["third"] = answering({"content": []})
        await pilot.press("r")
        await until(pilot, app, lambda text: "done" in text and "▹ third" in text)
        assert [name for name, _ in told.calls] == ["first", "second", "first", "third", "third"]


@SIZES
async def test_enter_right_after_a_move_goes_to_the_result_as_it_does_later(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(asked: ItemAsked) -> ToolView:
        time.sleep(0.2)
        return tool_view(asked.entry, asked.record, asked.before)

    monkeypatch.setattr(selection, "_asked_item", slowly)
    plain: JsonObject = {"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    said = answering({"content": [{"type": "text", "text": "answer of first"}]})
    app = app_of(
        Script(tools=[{"name": name, **plain} for name in ("first", "second")], answers={"first": said})
    )
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "▸ first")
        await pilot.press("enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "escape", "down")
        await settled(pilot, app, "second has not been called yet")
        for key in ("up", "enter"):
            app.simulate_key(key)
        await until(pilot, app, lambda text: "answer of first" in text and "Esc tools" in text)
        assert app.screen.query_one(ResultPane).has_focus_within


@SIZES
async def test_a_key_that_has_no_effect_shows_why(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("r")
        await settled(pilot, app, "▌ mint has not been called yet.")
        # The empty result: no key of a result is silent there, and Enter goes to the form.
        app.screen.query_one(ResultPane).focus_result()
        assert "n next" not in await settled(pilot, app, "Enter form")
        await pilot.press("up")
        await settled(pilot, app, "▌ There is no result yet.")
        for key in ("down", "slash", "u", "m", "n", "space"):
            app.screen.notify(f"before {key}", markup=False)
            await settled(pilot, app, f"▌ before {key}")
            await pilot.press(key)
            await settled(pilot, app, f"before {key}\n▌ There is no result yet.")
        await pilot.press("enter")
        await settled(pilot, app, "Enter call")


async def test_an_answer_ends_with_the_next_key_that_shows_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SightlineApp, "NOTIFICATION_TIMEOUT", 60)
    monkeypatch.setattr(footer, "NOTED_S", 60)
    told = script()
    app = app_of(told)
    called = re.compile("▌ (mint|clock) has not been called yet")

    async def says_so(pilot: Pilot[None]) -> None:
        await until(pilot, app, lambda text: called.search(text) is not None)

    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        for key in ("j", "3", "P"):
            await pilot.press("r")
            await says_so(pilot)
            await pilot.press(key)
            await until(pilot, app, lambda text: called.search(text) is None)
        await pilot.press("escape", "1", "escape", "b")
        await settled(pilot, app, "closed: passes only")
        await pilot.press("t")
        await until(pilot, app, lambda text: "closed: passes only" not in text)
        await pilot.press("t", "g", "enter", "enter")
        await settled(pilot, app, "sends it anyway.")
        await pilot.press("escape")
        await until(pilot, app, lambda text: "sends it anyway." not in text)
        await pilot.press("1", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("g", "enter")
        await settled(pilot, app, "Both sides are equal here.")
        await pilot.press("n")
        await until(pilot, app, lambda text: "Both sides are equal here." not in text)
        app.screen.notify("an event", timeout=90, markup=False)
        await pilot.press("escape", "j", "r")
        await says_so(pilot)
        await pilot.press("j")
        await until(pilot, app, lambda text: called.search(text) is None)
        assert "an event" in screen_text(app)
        told.opened[0].enter(SessionState.FAILED, "gone")
        await pilot.press("r")
        await settled(pilot, app, "There is no connection (failed).")
        told.opened[0].enter(SessionState.READY)
        await until(pilot, app, lambda text: "There is no connection (failed)." not in text)


async def test_what_is_said_covers_neither_the_verdict_nor_the_value() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "┄ withheld")
        before = [line for line in screen_lines(app) if "#1 done" in line or "┄ withheld" in line]
        app.screen.notify("word " * 40, markup=False)
        await settled(pilot, app, "word word")
        lines = screen_lines(app)
        assert all(line in lines for line in before)
        assert "word" in lines[-1]
        assert sum("word" in line for line in lines) == 3


@SIZES
async def test_the_verdict_has_what_is_printed_to_stdout_beside_what_breaks_the_schema(
    size: tuple[int, int],
) -> None:
    told = script()
    strict: JsonObject = {
        **MINT,
        "outputSchema": {"type": "object", "required": [f"part-{n}" for n in range(9)]},
    }
    told.tools, told.answers["mint"] = [strict], answering(MINTED)
    app = app_of(told)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        told.opened[0].frame(Direction.RECEIVED, b"DEBUG got it")
        await settled(pilot, app, '≠ printed to stdout instead of stderr: "DEBUG got it"')
        text = await settled(pilot, app, "output breaks its schema")
        assert "server sent" in text
        assert "part-0" in text


async def test_at_80x24_a_definition_has_the_rows_of_form_and_result() -> None:
    app = app_of(script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "owner")
        for key, pane in (("2", "#definition-values"), ("4", "#findings")):
            await pilot.press(key)
            await settled(pilot, app, "▸2" if key == "2" else "▸4")
            assert app.screen.query_one(pane).size.height >= 12
            assert app.screen.query_one(pane).size.width >= 78
            await pilot.press("escape")
            await settled(pilot, app, "Tools 2")


async def test_at_80x24_the_form_has_most_rows_before_a_call_and_the_result_after_it() -> None:
    app = app_of(script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "owner")
        form, result = app.screen.query_one("#tool"), app.screen.query_one(ResultPane)
        assert form.size.height > 2 * result.size.height
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await settled(pilot, app, "▸ mint")
        assert isinstance(app.focused, CatalogueLines)
        assert result.values.size.height >= 5
        assert form.size.height < result.size.height
        # Also beside a form that is open again.
        await pilot.press("1")
        await settled(pilot, app, "Enter call")
        assert form.size.height > result.size.height
        result.focus_result()
        await until(pilot, app, lambda _: form.size.height == 1)
        assert result.values.size.height >= 8
        await pilot.press("escape", "escape")
        await settled(pilot, app, "▸ mint")
        # The row of the list has the whole name, so the legend below the list does not repeat it.
        legend = app.screen.query_one("#catalogue-legend")
        await pilot.press("enter", "t")
        await settled(pilot, app, "Esc back")
        for _ in range(100):
            await pilot.pause(0.02)
        assert "mint" not in str(legend.render())


async def test_the_filter_narrows_while_typing_and_escape_clears_it() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("slash", *"clo")
        text = await settled(pilot, app, "Tools 1 of 2")
        assert "greet" not in text
        await pilot.press("escape")
        assert "Tools 2 (1 malformed)" in await settled(pilot, app, "greet")


async def test_enter_after_a_filter_calls_the_tool_with_exactly_that_name() -> None:
    others: list[Json] = [{**CLOCK, "name": "clock_all"}, {**CLOCK, "name": "now", "description": "A clock."}]
    told = Script(tools=[*others, CLOCK], answers={"clock": answering(NOON)})
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "clock_all")
        await pilot.press("slash", *"clock", "enter", "enter")
        await settled(pilot, app, "No arguments")
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("clock", {})]


@pytest.mark.parametrize("keys", [("j", "ctrl+r"), ("j", "ctrl+s"), ("j", "1", "ctrl+r")])
async def test_a_call_typed_right_after_the_cursor_moved_calls_the_tool_under_the_cursor(
    monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    def slowly(asked: ItemAsked) -> ToolView:
        if isinstance(asked.entry, Tool) and asked.entry.name == "clock":
            time.sleep(0.3)
        return tool_view(asked.entry, asked.record, asked.before)

    monkeypatch.setattr(selection, "_asked_item", slowly)
    minting: JsonObject = {**MINT, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    told = Script(tools=[minting, CLOCK], answers={"mint": answering(MINTED), "clock": answering(NOON)})
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Makes a key.")
        for typed in keys:
            app.post_message(Key(typed, typed if len(typed) == 1 else None))
        await settled(pilot, app, "It is noon.")
        assert [name for name, _ in told.calls] == ["clock"]


async def test_keys_right_after_the_cursor_moved_repeat_and_show_the_tool_under_the_cursor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opening, opened, going = threading.Event(), threading.Event(), asyncio.Event()
    opened.set()

    def slowly(asked: ItemAsked) -> ToolView:
        if isinstance(asked.entry, Tool) and asked.entry.name == "clock":
            opening.set()
            time.sleep(0.1)
            opened.wait(20)
        return tool_view(asked.entry, asked.record, asked.before)

    async def minting(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        await going.wait()
        return Result(value=MINTED)

    monkeypatch.setattr(selection, "_asked_item", slowly)
    mint: JsonObject = {**MINT, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    told = Script(tools=[mint, CLOCK], answers={"mint": minting, "clock": answering(NOON)})
    app = app_of(told)

    def type_keys(*keys: str) -> None:
        for key in keys:
            app.post_message(Key(key, key if len(key) == 1 else None))

    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "Makes a key.")
        going.set()
        type_keys("ctrl+r")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "j", "ctrl+r")
        await settled(pilot, app, "#2 done")
        await pilot.press("escape", "k")
        await settled(pilot, app, "#1 done")
        type_keys("j", "r")
        await settled(pilot, app, "#3 done")
        assert [name for name, _ in told.calls] == ["mint", "clock", "clock"]

        # A call that ends while the next tool is being opened does not take its place.
        going.clear()
        await pilot.press("escape", "k")
        await settled(pilot, app, "#1 done")
        type_keys("r")
        await until(pilot, app, lambda text: "cancel" in text)
        opening.clear()
        opened.clear()
        await pilot.click(CatalogueLines, offset=(4, 2))
        assert await asyncio.to_thread(opening.wait, 20)
        going.set()
        await until(pilot, app, lambda text: "#4 mint  ok" in text)
        opened.set()
        assert "▸ clock" in await settled(pilot, app, "It is noon.")


async def test_escape_leaves_the_form_and_never_quits() -> None:
    app = app_of(script())
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", "x")
        await pilot.press(*["escape"] * 8)
        await settled(pilot, app, "owner")
        assert app.is_running
        assert app.return_code is None


@pytest.mark.parametrize(
    ("target", "who"), [(None, "the server"), (PageTarget(url="http://localhost:1/"), "the page")]
)
async def test_a_running_call_shows_its_progress_and_escape_cancels_it(
    target: Target | None, who: str
) -> None:
    told = script()
    begun = asyncio.Event()

    async def slow(_arguments: JsonObject, progress: Callable[[Progress], None]) -> Outcome:
        progress(Progress(progress=3, total=10, message="copying"))
        begun.set()
        await asyncio.Event().wait()
        return Result(value=None)

    told.answers["clock"] = slow
    app = app_of(told, target=target)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("down", "enter")
        await settled(pilot, app, "No arguments")
        await pilot.press("enter")
        await asyncio.wait_for(begun.wait(), 30)
        text = await settled(pilot, app, "3 of 10: copying")
        assert "calling clock" in text
        assert "Esc cancel" in text
        await pilot.press("escape")
        text = await settled(pilot, app, "cancelled after")
        assert f"{who} was notified" in " ".join(text.split())
        assert told.opened[0].cancelled == 1
        assert app.is_running


async def test_a_tool_shows_only_results_of_its_own_calls() -> None:
    told = script()
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        begun.set()
        await ended.wait()
        return Result(value=NOON)

    told.tools = [{**CLOCK, "name": name} for name in ("one", "two", "three")]
    told.answers = {"one": answering(NOON), "two": slow}
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "escape", "down", "enter")
        await settled(pilot, app, "two has not been called yet")
        await pilot.press("enter")
        await asyncio.wait_for(begun.wait(), 30)
        await settled(pilot, app, "calling two")
        app.screen.query_one(CatalogueLines).focus()
        await pilot.press("up")
        await settled(pilot, app, "It is noon.")
        await pilot.press("down", "down")
        await until(pilot, app, lambda text: "It is noon." not in text)
        await settled(pilot, app, "calling two")
        ended.set()
        text = await settled(pilot, app, "three has not been called yet")
        assert "It is noon." not in text
        await pilot.press("up")
        await settled(pilot, app, "#2 done")


async def test_the_reason_for_a_missing_result_is_kept_with_its_tool() -> None:
    told = script()
    begun = asyncio.Event()

    async def never(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        begun.set()
        await asyncio.Event().wait()
        return Result(value=None)

    told.tools = [{**CLOCK, "name": name} for name in ("one", "two")]
    told.answers = {"one": never}
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await asyncio.wait_for(begun.wait(), 30)
        await settled(pilot, app, "calling one")
        await pilot.press("escape")
        await settled(pilot, app, "cancelled after")
        await pilot.press("escape", "down")
        await settled(pilot, app, "two has not been called yet")
        await pilot.press("up")
        await settled(pilot, app, "cancelled after")


@SIZES
async def test_a_failed_connection_shows_the_reason_and_the_key_to_retry(size: tuple[int, int]) -> None:
    told = Script(
        failure=UnreachableError("the server ended with status 3", "Run its command by hand."),
        stderr=["Traceback", "ModuleNotFoundError: No module named 'server'"],
    )
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        text = await settled(pilot, app, "the server ended with status 3")
        assert "Run its command by hand." in text
        assert "ModuleNotFoundError" in text
        assert "R tries again" in text
        assert "failed" in text
        told.failure = None
        told.tools = [CLOCK]
        await pilot.press("R")
        text = await settled(pilot, app, "clock")
        assert "status 3" not in text
        assert told.opened[0].closed


async def test_the_result_stays_on_the_screen_after_the_server_dies() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 done")
        for line in (
            "Traceback (most recent call last):",
            '  File "/a/server.py", line 3',
            "KeyError: 'url'",
            "^^^",
        ):
            told.opened[0].frame(Direction.RECEIVED, line.encode(), Channel.STDERR)
        told.opened[0].enter(SessionState.FAILED, "the server was killed by signal 9", "Reconnect to go on.")
        text = await settled(pilot, app, "killed by signal 9")
        assert "#1 done" in text
        assert re.search(r"█ +server\.py:3: KeyError: 'url'", text), text
        await pilot.press("w")
        await settled(pilot, app, "then w records everything since the start")
        # The call is made again by a new connection.
        await pilot.press("r")
        text = await settled(pilot, app, "#2 done")
        assert "── reconnected ──" in text
        assert len(told.opened) == 2


async def test_a_call_that_waits_for_a_connection_is_not_replaced_by_that_of_another_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting: list[Callable[[], None]] = []

    def restart(_server: ServerParts, then: Callable[[], None]) -> None:
        waiting.append(then)

    monkeypatch.setattr(ServerParts, "restart", restart)
    plain: JsonObject = {"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    names = ("first", "second")
    told = Script(
        tools=[{"name": name, **plain} for name in names],
        answers={name: answering({"content": []}) for name in names},
    )
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        for number, name in enumerate(names, 1):
            await settled(pilot, app, f"▸ {name}")
            await pilot.press("enter")
            await settled(pilot, app, "Enter call")
            await pilot.press("enter")
            await settled(pilot, app, f"#{number} done")
            await pilot.press("escape", "j")
        await pilot.press("k")
        await settled(pilot, app, "#1 done")
        told.opened[0].enter(SessionState.FAILED, "gone")
        await settled(pilot, app, "R tries again")
        await pilot.press("r")
        await until(pilot, app, lambda _: len(waiting) == 1)
        told.opened[0].enter(SessionState.READY)
        await pilot.press("j")
        await settled(pilot, app, "#2 done")
        waiting[0]()
        await settled(pilot, app, "#2 done")
        assert [name for name, _ in told.calls] == ["first", "second"]
        await pilot.press("k")
        await settled(pilot, app, "#1 done")
        waiting[0]()
        await settled(pilot, app, "#3 done")
        assert [name for name, _ in told.calls] == ["first", "second", "first"]
        # Enter in the form of a call connects first, too.
        told.opened[0].enter(SessionState.FAILED, "gone")
        await settled(pilot, app, "R tries again")
        await pilot.press("1", "enter")
        await until(pilot, app, lambda _: len(waiting) == 2)
        told.opened[0].enter(SessionState.READY)
        await until(pilot, app, lambda text: "R tries again" not in text)
        waiting[1]()
        await settled(pilot, app, "#4 done")
        assert [name for name, _ in told.calls][3:] == ["first"]


async def test_keys_typed_before_the_first_listing_run_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    going = asyncio.Event()
    list_all = ScriptedSession.list_all

    async def slowly(self: ScriptedSession) -> Catalogue:
        await going.wait()
        return await list_all(self)

    monkeypatch.setattr(ScriptedSession, "list_all", slowly)
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        keys = "\n t timeline  ^p commands  q quit  ? keys"
        await settled(pilot, app, keys)
        for key in ("f", "colon", "w", "z", "R", "2"):
            app.clear_notifications()
            await pilot.press(key)
            await settled(pilot, app, "This key works once the server has listed its tools.")
            assert len(app.screen_stack) == 2, key
        await asyncio.sleep(0.5)
        await pilot.press("question_mark")
        await settled(pilot, app, "Keys that work now")
        await pilot.press("escape")
        await settled(pilot, app, keys)
        going.set()
        await settled(pilot, app, "▸ mint")
        await pilot.press("w")
        await settled(pilot, app, "Record this session")


async def test_a_filter_typed_before_the_first_listing_filters_it(monkeypatch: pytest.MonkeyPatch) -> None:
    going = asyncio.Event()
    list_all = ScriptedSession.list_all

    async def slowly(self: ScriptedSession) -> Catalogue:
        await going.wait()
        return await list_all(self)

    monkeypatch.setattr(ScriptedSession, "list_all", slowly)
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "\n t timeline  ^p commands  q quit  ? keys")
        await pilot.press("slash", *"mint")
        assert "No name, description" not in await settled(pilot, app, "Enter keep")
        going.set()
        assert "Tools 1 of 2" in await settled(pilot, app, "▹ mint")


async def test_keys_that_are_typed_across_the_first_listing_run_no_command_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    going = asyncio.Event()
    list_all = ScriptedSession.list_all

    async def slowly(self: ScriptedSession) -> Catalogue:
        await going.wait()
        return await list_all(self)

    monkeypatch.setattr(ScriptedSession, "list_all", slowly)
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "\n t timeline  ^p commands  q quit  ? keys")
        now_s = 100.0
        monkeypatch.setattr("textual.message._time", SimpleNamespace(get_time=lambda: now_s))
        await pilot.press(*"colour")
        going.set()
        await until(pilot, app, lambda text: "▸ mint" in text)
        # A word that is still being typed.
        await pilot.press("s", "enter", "enter", "q")
        await settled(
            pilot, app, "This key did nothing: it came right after keys typed before the tools were listed."
        )
        assert len(app.screen_stack) == 2
        assert told.calls == []
        now_s += 1
        await pilot.press("w")
        await settled(pilot, app, "Record this session")


async def test_the_cursor_stays_on_its_item_while_a_new_connection_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = script()
    app = app_of(told)
    going = asyncio.Event()
    list_all = ScriptedSession.list_all

    async def in_parts(self: ScriptedSession) -> Catalogue:
        self.catalogue = Catalogue(entries={Kind.TOOL: (Tool(name="mint", definition=MINT),)})
        self.tell(ListingAdvanced(catalogue=self.catalogue, complete=False))
        await going.wait()
        return await list_all(self)

    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("down")
        await settled(pilot, app, "clock has not been called yet")
        monkeypatch.setattr(ScriptedSession, "list_all", in_parts)
        await pilot.press("R")
        await until(pilot, app, lambda _: len(told.opened) == 2 and bool(told.opened[1].catalogue.entries))
        # A listing in parts is reported after a tenth of a second.
        await asyncio.sleep(0.3)
        assert "▸ clock" in await settled(pilot, app)
        going.set()
        await until(pilot, app, lambda _: len(told.opened[1].catalogue.tools) == 2)
        assert "▸ clock" in await settled(pilot, app, "▸ clock")


async def test_quitting_closes_the_session() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("q")
        await pilot.pause()
    assert told.opened[0].closed
    assert app.return_code == 0


async def test_quitting_during_a_call_takes_two_keys() -> None:
    never = asyncio.Event()

    async def waiting(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        await never.wait()
        return Result(value=NOON)

    told = Script(tools=[{**CLOCK, "name": "cl\x1bock"}], answers={"cl\x1bock": waiting})
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "has not been called yet")
        await pilot.press("ctrl+r")
        await until(pilot, app, lambda text: "Esc cancel" in text)
        # Another key takes the warning back.
        for keys in (("q",), ("t", "ctrl+q")):
            await pilot.press(*keys)
            await until(pilot, app, lambda text: "cl␛ock is still running: q or ctrl+q again quits" in text)
            app.clear_notifications()
        assert not told.opened[0].closed
        await pilot.press("q")
        await pilot.pause()
    assert told.opened[0].closed
    assert app.return_code == 0


async def test_a_frame_opened_from_the_timeline_has_its_secrets_masked() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 mint")
        # The last entry is about the trust of the session.
        await pilot.press("t", "G", "space", "G", "up", "enter")
        # The request comes first.
        assert "1 of 2" in await settled(pilot, app, "sent frame 1")
        await pilot.press("N")
        await settled(pilot, app, "This is the first frame of this entry.")
        await pilot.press("n")
        text = await settled(pilot, app, "received frame 2")
        await pilot.press("y")
        await settled(pilot, app, "Copied: frame 2, 1 sensitive value masked")
        assert '"structuredContent"' in app.clipboard
        assert KEY not in app.clipboard
        assert '"structuredContent"' in text
        assert KEY not in text
        assert "1 sensitive value masked" in text
        await pilot.press("J")
        text = await settled(pilot, app, '{"jsonrpc"')
        assert KEY not in text
        await pilot.press("N")
        await settled(pilot, app, "sent frame 1")
        await pilot.press("escape")
        await settled(pilot, app, "Server sent")


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_frame_is_masked_by_the_definition_that_its_tool_had_at_the_call(*, is_listed: bool) -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("enter", *"ada", "enter")
        await settled(pilot, app, "#1 mint")
        now = [{**tool, "outputSchema": {}} for tool in told.tools if isinstance(tool, dict)]
        told.tools = now if is_listed else [{"name": "other", "inputSchema": {"type": "object"}}]
        told.opened[0].change_lists()
        await settled(pilot, app)
        await pilot.press("t", "G", "space", "G", "up", "enter", "n")
        text = await settled(pilot, app, "received frame 2")
        assert KEY not in text
        assert "1 sensitive value masked" in text


async def test_every_part_can_be_zoomed_and_restored() -> None:
    app = app_of(script())
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "owner")
        await pilot.press("z")
        text = await settled(pilot, app)
        assert "Timeline" not in text
        await pilot.press("escape")
        assert "Timeline" in await settled(pilot, app)
        # A key that goes to another part shows it.
        await pilot.press("z", "t")
        text = await settled(pilot, app, "/ filter  Esc back")
        assert "Timeline" in text
        # A low screen has too few lines to share them; a taller one shows the tools too.
        assert "Tools" not in text
        await pilot.resize_terminal(80, 40)
        assert "Timeline" in await settled(pilot, app, "▹ mint")
        await pilot.resize_terminal(*SMALL)
        await until(pilot, app, lambda screen: "Tools" not in screen)
        for back in ("escape", "t", "z"):
            await pilot.press(back)
            assert "Timeline" in await settled(pilot, app, "Enter open")
            await pilot.press("t")
            assert "Tools" not in await settled(pilot, app, "Esc back")
        await pilot.press("1")
        assert "Timeline" in await settled(pilot, app, "Enter call")


async def test_a_low_terminal_shows_tools_and_values_and_the_timeline_by_key() -> None:
    app = app_of(script(), is_first=True)
    async with app.run_test(size=(60, 15)) as pilot:
        text = await settled(pilot, app, "▸ mint")
        assert "clock" in text
        assert "Timeline" not in text
        await pilot.press("enter")
        await settled(pilot, app, "Enter call")
        await pilot.press(*"me", "ctrl+r")
        text = await settled(pilot, app, "#1 done")
        assert '"key-one"' in text
        assert "┄ withheld" in text
        await pilot.press("t")
        text = await settled(pilot, app, "─Timeline")
        assert "mint" in text
        await pilot.press("escape")
        text = await settled(pilot, app, "n next")
        assert "Timeline" not in text


async def test_the_list_is_read_again_after_a_change_notification() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        told.tools = [*told.tools, {"name": "newcomer", "inputSchema": {"type": "object"}}]
        told.opened[0].change_lists()
        await settled(pilot, app, "newcomer")
        # The user is notified only if they have asked.
        assert "Listed again" not in screen_text(app)
        await pilot.press("L")
        await settled(pilot, app, "Listed again: 3 tools, nothing changed since the last listing.")
        told.tools = told.tools[:-1]
        await pilot.press("L")
        await settled(pilot, app, "Listed again: 2 tools, 1 change in the definitions.")


@pytest.mark.parametrize("key", ["escape", "q", "question_mark"])
async def test_help_opens_and_closes(key: str) -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("question_mark")
        await settled(pilot, app, "All keys")
        await pilot.press(key)
        assert "All keys" not in await settled(pilot, app, "mint")
        assert app.is_running


async def test_the_first_key_closes_the_hint_and_has_its_usual_effect() -> None:
    app = app_of(script(), is_first=True)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "▸ mint")
        await settled(pilot, app, "You then see what the server sent, what the model sees of it, and why.")
        assert "Esc goes back and never quits." in screen_text(app)
        await pilot.press("down")
        text = await settled(pilot, app, "▸ clock")
        assert "never quits" not in text


async def test_escape_in_the_filter_returns_to_the_item_on_which_it_was_opened() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "▸ mint")
        await pilot.press("down", "slash", *"min")
        await settled(pilot, app, "▹ mint")
        await settled(pilot, app, "Mint a key")
        await pilot.press("escape")
        assert "▸ clock" in await settled(pilot, app, "No arguments")
        # Without a match, too; and after Enter, which keeps the filter.
        await pilot.press("slash", *"mintzz", "enter")
        await settled(pilot, app, "these words. Esc clears the filter.")
        await pilot.press("escape")
        text = await settled(pilot, app, "▸ clock")
        assert "these words" not in text
        # Enter has chosen the match.
        await pilot.press("slash", *"mint", "enter", "escape")
        await settled(pilot, app, "Tools 2 ")
        assert "▸ mint" in await settled(pilot, app, "Mint a key")


async def test_the_filter_finds_the_badges_of_rows_by_their_long_and_short_words() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "sensitive")
        await pilot.press("slash")
        await settled(pilot, app, "filter: names, texts, badges")
        for words, found, other in (
            ("sensitive", "mint", "clock"),
            ("sens write", "mint", "clock"),
            ("read-only", "clock", "mint"),
        ):
            await pilot.press("ctrl+u", *words)
            text = await settled(pilot, app, f"▹ {found}")
            assert not re.search(rf"^. {other} ", text, re.MULTILINE), words
