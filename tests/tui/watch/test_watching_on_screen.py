import asyncio
import sys
import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.tui.app import SightlineApp
from tests.peers.terminal import terminal
from tests.tui.scripted import SMALL, screen_text
from tests.tui.watched import Edited, ended, runs, shows, watched

SECRET = "CANARY-7f3a-91be-44d0"


async def test_a_save_restarts_the_server_and_repeats_the_last_call(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done")

        edited.save(result=f'{{"value": 2, "token": "{SECRET}"}}', secrets=("token",), other="Another.")
        # The called tool has a different schema: it is the author's own, so no confirmation is needed.
        await shows(app, "read called again", "~ other /description changed", "#2 done")
        screen = await shows(
            app,
            "result of read",
            "/structuredContent/value changed 1 → 2",
            "+ /structuredContent/token added",
        )
        screen = await shows(app, "now leaks /structuredContent/token in", "hosts without protection")
        assert SECRET not in screen

        await pilot.press("W")
        screen = await shows(app, "What the save changed", "was 1", "now 2", "claude-code", absent="W shows")
        assert "are as before" not in screen
        assert SECRET not in screen
        await pilot.press("escape")

        edited.save(result=f'{{"value": 3, "token": "{SECRET}"}}', secrets=("token",), other="Another.")
        await shows(
            app, "#3 done", "read called again", "/structuredContent/value changed", absent="now leaks"
        )

        # Until the next save, a call by hand is compared with the last result before the save.
        await pilot.press("r")
        await shows(
            app,
            "#4 done",
            "read called again. W",
            "/structuredContent/value changed 2 → 3",
            absent="called again in",
        )

        await pilot.press("escape", "escape")
        folded = "saved: read called again  ~ /structuredContent/value changed 2 → 3  W shows more."
        await shows(app, folded, absent="result of read")

        for code, reason in (
            ("def x(:", "server.py:5: SyntaxError: invalid syntax"),
            ("raise ValueError('no key')", "server.py:5: ValueError: no key"),
            ("import sys; sys.exit('gave up')", "gave up"),
        ):
            edited.save(code=code)
            screen = await shows(app, f"does not run: {reason}")
            assert "#4 done" in screen
            assert "Another." in screen or "other" in screen
        edited.save(result=f'{{"value": 4, "token": "{SECRET}"}}', secrets=("token",), other="Another.")
        await shows(app, "#5 done", "read called again")


async def test_a_server_that_ends_later_is_not_said_to_end_by_a_save(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        says = "sys.stderr.write('ValueError: of another call\\n') or {}"
        edited.save(result=says)
        await shows(app, "server.py saved", "was started again")
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done", "of another call")
        edited.save(result="os._exit(7)")
        await shows(app, "the server exited with code 7 during the call of read", "R or the next save starts")
        await pilot.press("R")
        await shows(app, "Watching")
        await pilot.press("r")
        screen = await shows(app, "the server exited with code 7 during the call of read")
        assert "does not run" not in screen
        assert "saved" not in screen.partition("Tools")[0].replace("next save", "")


async def test_what_the_server_writes_during_a_call_is_not_a_save(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    edited.save(result='json.loads("{}" if open("state.json", "w").write("1") else "")')
    async with watched(edited, notifications=True) as (pilot, app):
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done", "state.json changed during a call", "R restarts the server")
        # The author may save the same file, or a program even during a call.
        await asyncio.sleep(0.6)
        (edited.folder / "state.json").write_text("2")
        await shows(app, "state.json saved", "read called again", "#2 done")
        assert len(edited.started) == 2
        edited.save(result='json.loads("{}" if time.sleep(60) else "")', code="import time")
        await shows(app, "calling read", "server.py saved")
        edited.save(result='{"value": 3}')
        await shows(app, "server.py saved", "read called again", "#4 done")
        assert len(edited.started) == 4


async def test_what_the_server_writes_at_its_start_is_not_a_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A notification may be gone before the screen is read.
    notified: list[str] = []

    def notify(_: SightlineApp, words: str, **_options: object) -> None:
        notified.append(words)

    monkeypatch.setattr(SightlineApp, "notify", notify)
    edited = Edited(tmp_path)
    writes = 'open("state.json", "w").write(str(time.time()))'
    edited.save(code=f"import time\n{writes}")
    async with watched(edited) as (_, app):
        for number in (2, 3):
            edited.save(result=f'{{"value": {number}}}', code=f"import time\n{writes}")
            async with asyncio.timeout(30):
                while len(edited.started) < number:
                    await asyncio.sleep(0.05)
            await shows(app, "server.py saved", "the server was started again")
            # Longer than a restart waits for further saves.
            await asyncio.sleep(1.5)
            assert len(edited.started) == number
    (words,) = notified
    assert words.startswith("state.json changed during a call or a start of the server")


async def test_a_call_during_which_the_server_ended_is_repeated_by_a_key_only(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    edited.save(result="os._exit(7)")
    async with watched(edited) as (pilot, app):
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "the server exited with code 7 during the call of read")
        edited.save()
        await shows(app, "r in read repeats it, now and on each save: it ended the server.")
        assert edited.calls == ["read"]
        await pilot.press("r")
        await shows(app, "#2 done")
        edited.save(result='{"value": 2}')
        await shows(app, "read called again", "#3 done")
        assert edited.calls == ["read"] * 3


async def test_a_call_asked_for_while_the_server_cannot_start_is_not_made_later(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pilot.press("j", "enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done")
        edited.save(code="raise SystemExit(3)")
        await shows(app, "the server exited with code 3", "  failed  ")
        starts = len(edited.started)
        await pilot.press("r")
        async with asyncio.timeout(30):
            while len(edited.started) == starts:
                await asyncio.sleep(0.05)
        await shows(app, "  failed  ")
        # The header is drawn before the failure is taken in.
        await asyncio.sleep(0.3)
        edited.save()
        await shows(app, "r in write repeats it, now and on each save: it may write.")
        # Longer than a listing and a call take.
        await asyncio.sleep(0.5)
        assert edited.calls == ["write"]


async def test_a_save_is_not_the_cause_of_what_another_client_profile_changes(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done")
        counts = '{"value": len(open(%r).readlines())}' % f"{edited.pids}.calls"
        edited.save(result=counts)
        await shows(app, "read called again", "result of read", "#2 done")
        await pilot.press("ctrl+a")
        await shows(app, "Connect as")
        await pilot.press("tab", "space", "enter")
        await shows(app, "server.py saved", "--as none", absent="result of read")
        await pilot.press("r")
        await shows(app, "#3 done", absent="result of read")


@pytest.mark.parametrize("is_in_history", [False, True])
async def test_a_call_that_may_change_data_is_repeated_after_one_key(
    tmp_path: Path, *, is_in_history: bool
) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pilot.press("j", "enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done")
        edited.save(result='{"value": 2}')
        await shows(
            app,
            "r in write repeats it, now and on each save: it may write.",
            "from before the save",
        )
        await pilot.press("W")
        await shows(app, "The definitions did not change", "the result on the screen is from before the save")
        await pilot.press("escape")
        await shows(app, "#1 done")
        if is_in_history:
            await pilot.press("5")
            await shows(app, "History", "r call again")
        await pilot.press("r")
        await shows(app, "#2 done", absent="from before the save")
        edited.save(result='{"value": 3}')
        await shows(app, "#3 done", "write called again")


async def test_an_edit_of_the_author_is_no_reason_to_ask(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pilot.press("j", "enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done")
        edited.save(writes="Writes more.")
        # The form stays folded, so that the result keeps its room.
        await shows(app, "~ write /description changed", "r in write repeats it", "1 edit  r call again")
        await pilot.press("r")
        await shows(app, "#2 done")
        edited.save(writes="Writes even more.")
        await shows(app, "#3 done", "write called again")


async def test_a_call_whose_arguments_no_longer_fit_is_not_repeated_and_not_lost(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    edited.save(takes=("query",))
    async with watched(edited, notifications=True) as (pilot, app):
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press(*"cats", "enter")
        await shows(app, "#1 done")
        edited.save(takes=("words",))
        await shows(
            app, "1 in read edits it: the arguments no longer fit: words is missing.", "from before the save"
        )
        await pilot.press("r")
        await shows(app, "Not called: the arguments no longer fit: words is missing.")
        assert edited.calls == ["read"]

        # The form has no field for what was sent. What the user sends anyway, a save repeats as it is.
        await pilot.press("1")
        await shows(app, '"query": "cats"', "/words: is missing", absent="W shows more")
        await pilot.press("ctrl+s")
        await shows(app, "#2 done", absent="from before the save")
        edited.save(takes=("words",), result='{"value": 2}')
        await shows(app, "#3 done", "read called again")
        # Another change that it does not fit either is no reason to stop.
        edited.save(takes=("words", "more"), result='{"value": 3}')
        await shows(app, "#4 done", "read called again")


async def test_the_screen_of_changes_shows_the_stderr_of_a_server_that_does_not_start(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        edited.save(code="def x(:")
        await shows(app, "SyntaxError: invalid syntax")
        await pilot.press("W")
        screen = await shows(app, "What the save changed", "The end of stderr", "R on the main screen")
        assert screen.count("def x(:") == 1


async def test_a_question_that_is_not_answered_never_becomes_a_call(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pinned(pilot, app)
        edited.save(writes="Writes more.")
        await shows(app, "~ write /description changed")
        await pilot.press("j", "enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "Call write?", "since it was pinned")
        edited.save(writes="Writes even more.")
        await shows(app, "This question is over", absent="y call")
        await pilot.press("y", "y", "escape")
        await shows(app, "it may write", absent="This question is over")

        await pilot.press("r")
        await shows(app, "Call write?", "y call")
        edited.save(result='{"value": 2}', writes="Writes even more.")
        await shows(app, "This question is over", absent="y call")
        await pilot.press("escape")
        await shows(app, "it may write", absent="This question is over")
        # Only `y` makes the call. From then on, saves repeat it while the definition is the same.
        await pilot.press("r")
        await shows(app, "Call write?", "y call")
        await pilot.press("y")
        await shows(app, "#1 done")
        edited.save(result='{"value": 3}', writes="Writes even more.")
        await shows(app, "#2 done", "write called again")
        assert edited.calls == ["write", "write"]


async def test_a_save_is_reported_while_another_screen_covers_the_strip(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited, notifications=True) as (pilot, app):
        await pilot.press("5")
        await shows(app, "No calls yet")
        edited.save(other="Another.")
        await shows(app, "No calls yet", "server.py saved: the server was started again", absent="W shows")
        edited.save(code="raise ValueError('no key')")
        await shows(
            app, "No calls yet", "server.py saved: the server does not run: server.py:5: ValueError: no key"
        )


async def test_a_question_about_a_reading_tool_is_no_call_either_when_its_reason_is_gone(
    tmp_path: Path,
) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pinned(pilot, app)
        edited.save(secrets=("token",))
        await shows(app, "+ read /outputSchema/properties/token added")
        await pilot.press("enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "Call read?", "since it was pinned")
        # The pinned definition is back: the policy would not ask any more.
        edited.save()
        await shows(app, "This question is over", absent="y call")
        await pilot.press("escape")
        await shows(
            app,
            "r in read asks first, then calls it. Not repeated: you were asked about it",
            absent="This question is over",
        )
        assert edited.calls == []
        await pilot.press("r")
        await shows(app, "#1 done")


async def test_a_destructive_tool_is_not_called_again_and_the_reason_is_in_words(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    edited.save(hints={"idempotentHint": True, "destructiveHint": True})
    async with watched(edited) as (pilot, app):
        await pilot.press("j", "enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "Call write?")
        await pilot.press("y")
        await shows(app, "#1 done")
        edited.save(result='{"value": 2}', hints={"idempotentHint": True, "destructiveHint": True})
        reason = "r in write asks first, then calls it. Not repeated: the server marks this tool destructive (destructiveHint)"
        await shows(app, reason, absent="tool.")
        assert edited.calls == ["write"]


async def test_a_tool_that_a_save_changed_is_named_and_marked_on_a_small_screen(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    async with watched(edited) as (pilot, app):
        await pilot.resize_terminal(*SMALL)
        await pilot.press("j", "enter")
        await shows(app, "Enter call")
        await pilot.press("enter")
        await shows(app, "#1 done")
        edited.save(other="Another.")
        await shows(app, "r in write repeats it, now and on each save: it may write.")
        await shows(app, "~ other", "W shows more.")
        await pilot.press("escape", "escape")
        await shows(app, "saved")
        assert "~" in catalogue_row(app, "other")
        assert "~" not in catalogue_row(app, "read")
        edited.save(other="Another.", result='{"value": 2}')
        await shows(app, "may write", absent="/description")
        assert "~" not in catalogue_row(app, "other")


def catalogue_row(app: SightlineApp, name: str) -> str:
    """The row of a tool in the catalogue."""
    return next(line for line in screen_text(app).splitlines() if name in line.split()[:2])


async def pinned(pilot: Pilot[None], app: SightlineApp) -> None:
    """Pin what is listed, and go back."""
    await pilot.press("P")
    await shows(app, "Not pinned.")
    await pilot.press("p")
    await shows(app, "Pin the 3 listed definitions")
    await pilot.press("y")
    await shows(app, "As pinned 20")
    await pilot.press("escape")
    await shows(app, "Watching", absent="As pinned 20")


def test_fifty_saves_in_five_seconds_end_in_the_last_state(tmp_path: Path) -> None:
    edited = Edited(tmp_path)
    module = edited.folder / "answering.py"
    # Always of the same size: Python would reuse the bytecode of a save in the same second.
    module.write_text('VALUE = "v-100"\n')
    edited.save(code="from answering import VALUE", result='{"value": VALUE}')
    command = (sys.executable, "-m", "inspector", "--watch", "--cwd", str(edited.folder))
    with terminal((*command, "--", sys.executable, "-S", str(edited.file))) as screen:
        screen.wait_for("3 tools")
        screen.press_until("enter", until="Enter call")
        screen.press_until("enter", until="v-100")
        for number in range(101, 151):
            module.write_text(f'VALUE = "v-{number}"\n')
            screen.read(0)
            time.sleep(0.1)
        screen.wait_for("v-150")
        # The last saves may be seen as two: then the server that answered is started once more.
        until = time.monotonic() + 60
        while not runs(edited.started[-1]):
            assert time.monotonic() < until
            screen.read(0.1)
        *before, last = edited.started
        ended(before)
        assert runs(last)
        assert len(before) < 20
        screen.press("q")
        assert screen.wait_for_end() == 0
    ended([last])
