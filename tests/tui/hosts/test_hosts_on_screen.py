import re
import threading

import pytest

from inspector.boundary.options import Level
from inspector.hosts.registry import hosts
from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import Failure, FailureKind
from inspector.session.call_record import CallRecord
from inspector.tui.hosts import screen
from inspector.tui.hosts.view import HostsView, Turn
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_text, settled, until

KEY = "sk_live_0123456789abcdef"
MINT: JsonObject = {
    "name": "mint",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "key": {"type": "string", "x-sensitive": True}},
    },
}
MINTED: Json = {
    "content": [{"type": "text", "text": "A key was made."}],
    "structuredContent": {"id": "one", "key": KEY},
}
CLOCK: JsonObject = {"name": "clock", "inputSchema": {"type": "object"}}
NOON: Json = {"content": [{"type": "text", "text": "It is noon."}]}

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def script() -> Script:
    return Script(tools=[MINT, CLOCK], answers={"mint": answering(MINTED), "clock": answering(NOON)})


@SIZES
async def test_every_host_has_a_row_and_the_hosts_that_would_leak_are_marked(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "c")
        text = await settled(pilot, app, "Compare hosts  #1 mint")
        assert "hosts would leak one" in " ".join(text.split())
        assert "boundary declared" in text
        assert "? after the evidence: the host was not observed with such a result." in " ".join(text.split())
        assert "Not observed, so they have no profile: Claude Desktop," in text
        assert "its changes" in text
        assert "▸ spec (in force)" in text
        assert "! leaks 1" in text
        assert "! structuredContent.key" in text
        assert KEY not in text
        seen = {line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.split()}
        for _ in range(len(hosts())):
            await pilot.press("down")
            lines = (await settled(pilot, app)).splitlines()
            seen |= {line.split()[1] for line in lines if line.startswith("▸ ")}
        assert {host.name for host in hosts()} <= seen | {"spec"}


async def test_a_call_without_an_answer_has_no_result_to_compare() -> None:
    async def lose(_arguments: JsonObject, _progress: object) -> Failure:
        return Failure(kind=FailureKind.CONNECTION_LOST, detail="the server exited with code 3")

    app = app_of(Script(tools=[CLOCK], answers={"clock": lose}))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        text = await settled(pilot, app, "#1 no answer: connection lost")
        assert "c compare hosts" not in text
        for key in ("c", "d"):
            app.clear_notifications()
            await pilot.press(key)
            await settled(pilot, app, "There is no result to compare: the call got no answer.")
            assert "#1 no answer: connection lost" in screen_text(app)


async def test_a_text_only_host_does_not_leak_structured_content() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("c")
        lines = (await settled(pilot, app, "Compare hosts")).splitlines()
        word = {line[2:].split()[0]: line for line in lines if "observed " in line and "leak" in line}
        assert "no leak" in word["openai-agents-py"]
        assert "! leaks 1" in word["claude-code"]


@SIZES
async def test_enter_selects_the_host_at_the_compared_boundary(size: tuple[int, int]) -> None:
    app = app_of(script())
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "c")
        await settled(pilot, app, "▸ spec (in force)")
        await pilot.press("b")
        await settled(pilot, app, "boundary closed")
        await pilot.press("down", "enter")
        text = await settled(pilot, app, "boundary: closed  host: claude-code")
        assert "Model sees (claude-code, clo" in text


@pytest.mark.parametrize("key", ["escape", "c"])
async def test_leaving_the_comparison_changes_nothing(key: str) -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("c")
        await settled(pilot, app, "▸ spec (in force)")
        await pilot.press("b", "down", key)
        await settled(pilot, app, "boundary: declared  host: spec")
        assert app.is_running


async def test_without_a_result_there_is_nothing_to_compare() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("c")
        await settled(pilot, app, "There is no result yet.")


async def test_no_host_is_called_safe_if_nothing_is_declared() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("down", "enter")
        await settled(pilot, app, "No arguments")
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "c")
        text = await settled(pilot, app, "Nothing in this result is declared sensitive")
        assert "undeclared" in text
        assert "no leak  " not in text


async def test_a_long_comparison_shows_progress_and_stops_when_it_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    going = threading.Event()
    waited_for: list[Turn] = []

    def slow(record: CallRecord, level: Level, *, turn: Turn, **_more: object) -> HostsView:
        waited_for.append(turn)
        going.wait(60)
        going.set()
        return HostsView(record=record, level=level, raw_bytes=1, withheld=0, rows=())

    monkeypatch.setattr(screen, "hosts_view", slow)
    monkeypatch.setattr(screen, "PATIENCE_S", 0.02)
    app = app_of(script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "c")
        for waiting in (f" through {len(hosts())} hosts … ", f", host 7 of {len(hosts())} … "):
            text = await until(pilot, app, lambda text, waiting=waiting: waiting in text)
            assert not going.is_set()
            assert re.search(rf"Comparing #1 mint{waiting}\d+ s", text)
            assert waited_for[0](7)
        await pilot.press("escape")
        await until(pilot, app, lambda _: not waited_for[0](8))
        going.set()
        await settled(pilot, app, "#1 done")


async def test_a_failed_comparison_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_asked: object, **_more: object) -> HostsView:
        raise RuntimeError(KEY)

    monkeypatch.setattr(screen, "hosts_view", failing)
    app = app_of(script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "c")
        text = await settled(pilot, app, "The hosts could not be compared (RuntimeError)")
        assert KEY not in text
        await pilot.press("enter", "escape")
        await settled(pilot, app, "#1 done")
        assert app.is_running
