"""The history on the screen: calls of this run and of earlier ones, made again, edited, compared, saved, forgotten."""

import asyncio
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.boundary.judgement import Judgement
from inspector.history.files import HistoryFile, history_of
from inspector.history.past_call import Ended, PastCall
from inspector.json.exact import Json, JsonObject
from inspector.pins.known_secrets import KnownSecrets
from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.protocol.targets import DemoTarget
from inspector.session.call_record import CallRecord
from inspector.tui.app import SightlineApp
from inspector.tui.history import screen as history_screen
from inspector.tui.history.comparing import PairAsked, pair
from inspector.tui.history.keeper import HistoryCall, HistoryKeeper
from inspector.tui.history.screen import HistoryScreen
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.values.outline import ABSENT
from inspector.tui.widgets.tab_line import TabLine
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_text, settled, until

if TYPE_CHECKING:
    from textual.screen import Screen

MINT: JsonObject = {
    "name": "mint",
    "inputSchema": {
        "type": "object",
        "properties": {"owner": {"type": "string"}, "pin": {"type": "string", "x-sensitive": True}},
        "required": ["owner"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "key": {"type": "string", "x-sensitive": True}},
        "required": ["n"],
    },
    "annotations": {"readOnlyHint": True},
}
WIPE: JsonObject = {
    "name": "wipe",
    "inputSchema": {"type": "object", "properties": {"all": {"type": "boolean"}}},
    "annotations": {"destructiveHint": True},
}
CANARY = "CANARY-b7Qd93xLw0"


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def script(*numbers: Json) -> Script:
    given = [*numbers]

    async def minted(_arguments: JsonObject, _progress: object) -> Result:
        return Result(value={"content": [], "structuredContent": {"n": given.pop(0), "key": CANARY}})

    wiped = answering({"isError": True, "content": [{"type": "text", "text": "CANARY said the server"}]})
    return Script(tools=[MINT, WIPE], answers={"mint": minted, "wipe": wiped})


def file() -> HistoryFile:
    found = history_of(DemoTarget())
    assert found is not None
    return found


def past(number: int = 1) -> PastCall:
    return PastCall(
        at=f"2025-11-22T13:00:{number % 60:02}.000Z", tool="mint", arguments='{"owner":"eve"}', ended=Ended.OK
    )


async def fill_in(pilot: Pilot[None], app: SightlineApp, *keys: str) -> None:
    """Open the form under the cursor, and type."""
    await pilot.press("enter")
    await settled(pilot, app, "Esc leave")
    await pilot.press(*keys)


async def test_calls_are_listed_made_again_and_edited() -> None:
    told = script(1, 2, "seven")
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await pilot.press("5")
        await settled(pilot, app, "No calls yet.")
        await pilot.press("escape")
        await fill_in(pilot, app, *"ada", "tab", *"1234", "enter")
        await settled(pilot, app, "5 History 1")
        await pilot.press("5")
        text = await settled(pilot, app, "not kept: pin (secret), but used from memory when you call again")
        assert 'mint  owner="ada", pin=•••' in text
        assert "ok  1 withheld at declared" in text
        assert "1234" not in text
        # Enter only shows the result. Esc goes back to the history.
        assert "Enter result" in text
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await settled(pilot, app, "1 call, 1 of this run")
        assert len(told.calls) == 1
        # Repeated with its secret, from memory.
        await pilot.press("r")
        await settled(pilot, app, "5 History 2")
        assert told.calls == [("mint", {"owner": "ada", "pin": "1234"})] * 2
        assert 'mint(owner="ada", pin=•••)' in await settled(pilot, app, "#2 done")
        await pilot.press("escape")
        await settled(pilot, app, "2 calls, 2 of this run")
        # Edited: the secret has to be typed again.
        await pilot.press("g", "e")
        await settled(pilot, app, "Not in the history, to be typed again: pin (secret).")
        owner, pin = app.screen.query("FieldLine Input").results(Input)
        assert (owner.value, pin.value) == ("ada", "")
        assert owner.has_focus
        await pilot.press("end", "m", "tab", *"99", "enter")
        await settled(pilot, app, "5 History 3")
        assert told.calls[2] == ("mint", {"owner": "adam", "pin": "99"})
        await pilot.press("5")
        assert "≠ output breaks its schema" in await settled(pilot, app, "#3 of this run")
        await pilot.press("slash", *"breaks", "enter")
        await settled(pilot, app, "3 calls, 3 of this run, 1 shown")
        await pilot.press("escape")
        await settled(pilot, app, "3 calls, 3 of this run")


async def test_the_keys_of_the_tabs_leave_the_history() -> None:
    app = app_of(script(1))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "owner*")
        for key, tab in (("2", "definition"), ("3", "claims"), ("4", "findings"), ("1", "call")):
            await pilot.press("5")
            await settled(pilot, app, "No calls yet.")
            await pilot.press(key)
            await settled(pilot, app, "5 History")
            assert app.screen.query_one(ToolPane).tab == tab
        # In the filter they are text, as in a field of the form.
        await pilot.press("escape", "5")
        await settled(pilot, app, "No calls yet.")
        await pilot.press("slash", *"1234")
        await until(pilot, app, lambda _: app.screen.query_one("#history-filter", Input).value == "1234")


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_escape_in_the_history_goes_to_where_it_was_opened_also_after_edit_first(
    size: tuple[int, int],
) -> None:
    file().append(past())
    app = app_of(script(1), is_history_kept=True)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await pilot.press("j")
        await settled(pilot, app, "wipe has not been called yet")
        await pilot.press("5")
        await settled(pilot, app, "1 call, 0 of this run")
        await pilot.press("e")
        await settled(pilot, app, "mint has not been called yet")
        await until(pilot, app, lambda _: app.screen.query_one("FieldLine Input", Input).value == "eve")
        await pilot.press("escape")
        await settled(pilot, app, "1 call, 0 of this run")
        await pilot.press("escape")
        await settled(pilot, app, "wipe has not been called yet")
        # The focus is in the list of tools, where `5` is a key.
        await pilot.press("5")
        await settled(pilot, app, "1 call, 0 of this run")


async def test_a_call_of_an_earlier_run_is_repeated_under_the_policy() -> None:
    app = app_of(script(1), is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await fill_in(pilot, app, *"ada", "tab", *CANARY, "enter")
        await settled(pilot, app, "5 History 1")
        await pilot.press("escape", "j")
        await settled(pilot, app, "wipe has not been called yet")
        await fill_in(pilot, app, "right", "ctrl+r")
        await settled(pilot, app, "y call")
        await pilot.press("y")
        # The tab counts the calls of the shown tool.
        await settled(pilot, app, "#2 tool error")
        await settled(pilot, app, "5 History 1")
        await pilot.press("5")
        await settled(pilot, app, "2 calls, 2 of this run")
    assert "CANARY" not in file().path.read_text()

    told = script(2)
    app = app_of(told, is_history_kept=True)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await settled(pilot, app, "5 History")
        await pilot.press("5")
        text = await settled(pilot, app, "2 calls, 0 of this run")
        assert "tool error" in text
        await pilot.press("r")
        await settled(pilot, app, "y call")
        await pilot.press("escape")
        await settled(pilot, app, "nothing was sent")
        assert told.calls == []
        await pilot.press("escape", "5")
        await settled(pilot, app, "2 calls, 0 of this run")
        await pilot.press("j")
        await settled(pilot, app, "not kept: pin (secret), to be typed again")
        await pilot.press("r")
        await settled(pilot, app, "Not in the history, to be typed again: pin (secret).")
        assert app.screen.query_one("FieldLine Input", Input).value == "ada"
        assert told.calls == []
        # A tool that the server no longer lists stays in the history.
        told.tools = [WIPE]
        told.opened[-1].change_lists()
        await pilot.press("escape")
        await settled(pilot, app, "2 calls, 0 of this run")
        assert "call again" not in screen_text(app)
        await pilot.press("r")
        await settled(pilot, app, "mint is not listed now: it cannot be called.")


async def test_a_call_whose_arguments_no_longer_fit_is_not_made_but_edited() -> None:
    file().append(past())
    told = script(1)
    narrow: JsonObject = {"type": "object", "properties": {"owner": {"enum": ["ada"]}}}
    told.tools = [{**MINT, "inputSchema": narrow}, WIPE]
    app = app_of(told, is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "5 History")
        await pilot.press("5")
        await settled(pilot, app, "1 call, 0 of this run")
        await pilot.press("r")
        text = await settled(pilot, app, "Not called: the arguments no longer fit: ")
        assert "They are in the form." in text
        assert told.calls == []


async def test_two_calls_are_compared_by_their_known_values() -> None:
    file().append(past())
    app = app_of(script(1, 2, 2), is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        # A call of an earlier run is not counted.
        assert "5 History 1" not in await settled(pilot, app, "owner*")
        await fill_in(pilot, app, *"ada", "enter")
        for number in (1, 2):
            await settled(pilot, app, f"5 History {number}")
            await pilot.press("r")
        await settled(pilot, app, "5 History 3")
        await pilot.press("equals_sign")
        assert "no difference" in await settled(pilot, app, "arguments, outcomes and results")
        await pilot.press("escape", "5")
        await settled(pilot, app, "4 calls, 3 of this run")
        # The call before the first one is of an earlier run.
        await pilot.press("j", "j", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("equals_sign")
        await settled(pilot, app, "arguments and outcomes; results are kept in memory only")
        await pilot.press("escape", "5")
        await settled(pilot, app, "4 calls, 3 of this run")
        await pilot.press("k", "k", "c")
        await settled(pilot, app, "Mark one call with Space")
        await pilot.press("space", "j", "space")
        text = await settled(pilot, app, "arguments, outcomes and results")
        assert "no difference" in text
        assert "next difference" not in text
        assert CANARY not in text
        assert "masked: only the lengths are compared" in text
        await pilot.press("escape", "j", "c")
        text = await settled(pilot, app, "1 value differs")
        assert "▸~     n    1" in text
        await pilot.press("n", "m")
        await settled(pilot, app, "m: other side, both")
        await pilot.press("escape", "j", "enter")
        text = await settled(pilot, app, "arguments and outcomes; results are kept in memory only")
        assert '"eve"' in text
        assert "structuredContent" not in text
        await pilot.press("escape", "escape")
        await settled(pilot, app, "Enter edit first")


async def test_a_call_is_saved_under_a_name_without_its_secrets(tmp_path: Path) -> None:
    file().append(replace(past(), fits=True))
    app = app_of(script(1), is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await fill_in(pilot, app, *"ada", "tab", *CANARY, "enter")
        await settled(pilot, app, "5 History 1")
        await pilot.press("5")
        await settled(pilot, app, "S save")
        await pilot.press("S")
        text = await settled(pilot, app, "pin may be secret: its value is not written.")
        assert str(tmp_path)[:20] in text
        assert "env:PIN" in text
        await pilot.press("enter")
        await settled(pilot, app, "Saved as mint in calls.toml.")
        await pilot.press("j", "S")
        await settled(pilot, app, "mint-2")
        await pilot.press(*"mint", "enter")
        await settled(pilot, app, "calls.toml has a call mint already")
        await pilot.press("ctrl+u", *"older", "enter")
        await settled(pilot, app, "Saved as older in calls.toml.")
    written = (tmp_path / "calls.toml").read_text()
    assert "CANARY" not in written
    calls = tomllib.loads(written)["calls"]
    assert calls == {
        "mint": {
            "server": "demo",
            "tool": "mint",
            "arguments": {"owner": "ada"},
            "secrets": {"pin": "env:PIN"},
            "expect": {"fits_schema": True, "withheld": ["/key"]},
        },
        "older": {
            "server": "demo",
            "tool": "mint",
            "arguments": {"owner": "eve"},
            "expect": {"fits_schema": True},
        },
    }


async def test_a_cancelled_call_is_listed_without_a_result() -> None:
    told = script()

    async def waiting(_arguments: JsonObject, _progress: object) -> Result:
        await asyncio.Event().wait()
        raise AssertionError

    told.answers["mint"] = waiting
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await fill_in(pilot, app, *"ada", "enter")
        await settled(pilot, app, "calling mint")
        await pilot.press("escape")
        await settled(pilot, app, "5 History 1")
        # The tab opens it too.
        await pilot.click(TabLine, offset=(54, 0))
        text = await settled(pilot, app, "1 call, 1 of this run")
        assert "cancelled" in text
        assert 'owner="ada"' in text


async def test_the_history_is_deleted_after_a_question() -> None:
    file().append(past())
    app = app_of(script(1), is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await pilot.press("5")
        await settled(pilot, app, "1 call, 0 of this run")
        await pilot.press("y", "D")
        await settled(pilot, app, "Forget 1 call of this target and remove")
        await pilot.press("escape")
        assert "Forget 1 call" not in await settled(pilot, app, "forget all")
        assert file().path.exists()
        await pilot.press("D", "y")
        await settled(pilot, app, "No calls yet.")
        assert not file().path.exists()
        await pilot.press("escape")
        await settled(pilot, app, "owner*")


async def test_a_history_of_another_version_is_reported_and_left_unchanged() -> None:
    file().append(past())
    content = b'{"format": "sightline-history", "version": 7}\n{"new": true}\n'
    file().path.write_bytes(content)
    app = app_of(script(1), is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await fill_in(pilot, app, *"ada", "enter")
        await settled(pilot, app, "5 History 1")
        await pilot.press("5")
        text = await settled(pilot, app, "1 call, 1 of this run")
        words = " ".join(text.split())
        assert "has version 7, which needs a newer Sightline. Nothing is added to it." in words
    assert file().path.read_bytes() == content


async def test_no_file_is_written_if_the_history_is_disabled() -> None:
    app = app_of(script(1))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "owner*")
        await fill_in(pilot, app, *"ada", "enter")
        await settled(pilot, app, "5 History 1")
        await pilot.press("5")
        await settled(pilot, app, "Calls are not kept beyond this run.")
    assert not file().path.parent.exists()


async def test_ten_thousand_calls_are_listed_and_only_visible_ones_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(3):
        file().append(past(number))
    with file().path.open("rb") as opened:
        header, line, *_ = opened.readlines()
    file().path.write_bytes(header + line * 9_999 + line.replace(b"eve", b"adam"))
    drawn = 0
    row_of = history_screen.row_of

    def counted(*given: object, **named: object) -> object:
        nonlocal drawn
        drawn += 1
        return row_of(*given, **named)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(history_screen, "row_of", counted)
    app = app_of(script(), is_history_kept=True)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "5 History")
        await pilot.press("5")
        await settled(pilot, app, "10,000 calls, 0 of this run")
        await pilot.press("G", "g", "slash", *"adam")
        await settled(pilot, app, "10,000 calls, 0 of this run, 1 shown")
        assert isinstance(app.screen, HistoryScreen)
        assert 0 < drawn < 2_000
        assert 'owner="adam"' in screen_text(app)


def test_a_call_without_an_answer_has_no_result_in_a_comparison() -> None:
    failure = Failure(kind=FailureKind.CONNECTION_LOST, detail="the server exited with code 3")
    outcomes = (failure, Result(value={"content": []}))
    records = [
        CallRecord(
            number=1, name="mint", arguments={}, judgement=Judgement(outcome, None),
            at_s=0, duration_s=0.1, size_bytes=0,
        )
        for outcome in outcomes
    ]  # fmt: skip
    left, right = (HistoryCall(past=past(), record=record) for record in records)
    outline = pair(PairAsked(left=left, right=right, known=lambda _: KnownSecrets())).outline
    node = outline.node_at("/result")
    assert node is not None
    assert outline.value(node, 0) is ABSENT


async def test_a_call_has_the_time_of_its_frame_however_long_its_answer_was_considered() -> None:
    app = app_of(Script(tools=[], answers={}))
    async with app.run_test(size=LARGE) as pilot:
        keeper = HistoryKeeper(cast("Screen[None]", app.screen), DemoTarget(), lambda: None, is_kept=False)
        record = CallRecord(
            number=1, name="mint", arguments={}, judgement=Judgement(Result(value={"content": []}), None),
            at_s=0, duration_s=0.1, sent_at_s=1_764_214_119.25, size_bytes=0,
        )  # fmt: skip
        keeper.finished(record)
        await until(pilot, app, lambda _: bool(keeper.calls))
        assert keeper.calls[0].past.at == "2025-11-27T03:28:39.250Z"
