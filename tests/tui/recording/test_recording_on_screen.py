"""Key w records a live session from then on, key x exports one; withheld values are in neither."""

import asyncio
import errno
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.errors import UnreachableError
from inspector.json.exact import Json, JsonObject, dump
from inspector.policy.gate.agreement import Terms
from inspector.protocol.frames import Channel, Direction
from inspector.recording.checking import checked
from inspector.recording.files import Break, RecordingFile, writing
from inspector.recording.format import Connected, End, Line, Note, RecordedFrame
from inspector.session.events import SessionState
from inspector.tui.app import SightlineApp
from tests.policy.gate.played import rule, rules
from tests.tui.scripted import (
    LARGE,
    PATIENCE_S,
    SMALL,
    Script,
    ScriptedSession,
    answering,
    app_of,
    screen_text,
    settled,
)

KEY = "sk-planted-4711-secret"
MINT: JsonObject = {
    "name": "mint",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}},
    "annotations": {"readOnlyHint": True},
}


def minted(key: str) -> Json:
    return {"content": [{"type": "text", "text": f"The key is {key}."}], "structuredContent": {"key": key}}


def script() -> Script:
    return Script(tools=[MINT], answers={"mint": answering(minted(KEY))})


def listed(session: ScriptedSession) -> None:
    """Put a listing on the wire: the scripted session lists without frames, and a recording learns only from frames."""
    session.exchange("tools/list", {}, {"tools": [MINT]})


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def lines_of(path: Path) -> list[Line | Break]:
    file = RecordingFile(path)
    found = list(file.lines())
    file.close()
    return found


async def begun(
    pilot: Pilot[None], app: SightlineApp, path: Path, *, key: str = "w", has_past: bool = False
) -> None:
    await pilot.press(key)
    text = await settled(pilot, app, "Enter record" if key == "w" else "Enter export")
    assert text.count("all since the start") == (key == "w")
    app.screen.query(Input).first().value = str(path)
    if key == "w" and not has_past:
        await pilot.press("tab", "right")
        await settled(pilot, app, "< from now on >")
    await pilot.press("enter")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_a_key_starts_and_stops_recording_and_the_header_shows_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "session.jsonl"
    told = script()
    app = app_of(told)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        listed(told.opened[0])
        await begun(pilot, app, path)
        text = await settled(pilot, app, "● recording since 0.0 s")
        assert "stops it" in text
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "b")
        await settled(pilot, app, "boundary: closed")
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
        assert "●" not in screen_text(app)
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    assert KEY not in text
    assert '"boundary":"closed"' in text
    lines = lines_of(path)
    assert isinstance(lines[-1], End)
    frames = [line for line in lines if isinstance(line, RecordedFrame)]
    assert any(b"x-sensitive" in dump(frame.content) for frame in frames)
    results = list(checked(line for line in lines if not isinstance(line, Break)))
    assert [(call.tool, call.mismatches) for call in results] == [("mint", ())]


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_a_recording_can_hold_everything_since_the_start(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "session.jsonl"
    played = script()
    app = app_of(played)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        listed(played.opened[0])
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await begun(pilot, app, path, has_past=True)
        assert "earlier calls are not included" not in await settled(pilot, app, "● recording ")
        await pilot.press("r")
        await settled(pilot, app, "#2 done")
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
    assert KEY not in path.read_text()
    lines = lines_of(path)
    frames = [line for line in lines if isinstance(line, RecordedFrame)]
    assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
    results = list(checked(line for line in lines if not isinstance(line, Break)))
    assert [(call.tool, call.mismatches) for call in results] == [("mint", ()), ("mint", ())]
    assert sum("allow mint" in str(line.text) for line in lines if isinstance(line, Note)) == 2


@pytest.mark.parametrize("has_past", [True, False], ids=["since the start", "from now on"])
async def test_a_late_recording_withholds_what_was_declared_after_it_was_said(
    tmp_path: Path, *, has_past: bool
) -> None:
    path, document = tmp_path / "session.jsonl", tmp_path / "session.md"
    played = script()
    app = app_of(played)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        listed(played.opened[0])
        played.opened[0].frame(Direction.RECEIVED, f"debug {KEY}".encode(), Channel.STDERR)
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await begun(pilot, app, document, key="x")
        await settled(pilot, app, "Exported to")
        await pilot.press("R")
        while len(played.opened) < 2:
            await pilot.pause()
        await settled(pilot, app, "demo  ready")
        listed(played.opened[1])
        await begun(pilot, app, path, has_past=has_past)
        await settled(pilot, app, "● recording ")
        played.opened[1].frame(Direction.RECEIVED, f"later {KEY}".encode(), Channel.STDERR)
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
    assert KEY not in path.read_text()
    assert KEY not in document.read_text()
    frames = [line for line in lines_of(path) if isinstance(line, RecordedFrame)]
    assert sum(line.channel is Channel.STDERR for line in frames) == 1 + has_past


async def test_a_recording_since_the_start_includes_calls_before_a_reconnection(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    played = script()
    app = app_of(played)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        listed(played.opened[0])
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("R")
        while len(played.opened) < 2:
            await pilot.pause()
        await settled(pilot, app, "demo  ready")
        listed(played.opened[1])
        await pilot.press("r")
        await settled(pilot, app, "#2 done")
        await pilot.press("escape")
        await begun(pilot, app, path, has_past=True)
        await settled(pilot, app, "● recording ")
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
    assert KEY not in path.read_text()
    lines = lines_of(path)
    assert [line.number for line in lines if isinstance(line, Connected)] == [2]
    frames = [line for line in lines if isinstance(line, RecordedFrame)]
    assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
    results = list(checked(line for line in lines if not isinstance(line, Break)))
    assert [(call.tool, call.mismatches) for call in results] == [("mint", ()), ("mint", ())]


async def test_earlier_calls_are_not_recorded_but_their_secrets_stay_withheld(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        session = told.opened[0]
        listed(session)
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await begun(pilot, app, path)
        await settled(pilot, app, "● recording since")
        session.frame(
            Direction.RECEIVED,
            dump({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": f"said {KEY}"}}),
        )
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
    text = path.read_text()
    assert KEY not in text
    assert "notifications/message" in text
    assert "tools/call" not in text
    assert "tools/list" in text
    assert any(
        isinstance(line, Note) and "recording starts here; earlier calls are not included" in str(line.text)
        for line in lines_of(path)
    )


async def test_a_name_without_a_suffix_gets_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "q").mkdir()
    monkeypatch.chdir(tmp_path / "q")
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await begun(pilot, app, Path("q"))
        assert "w stops it" in await settled(pilot, app, "Recording to q.jsonl, in /")
        await pilot.press("w")
        await settled(pilot, app, "Recorded to q.jsonl, in /")
        await begun(pilot, app, Path("q"), key="x")
        await settled(pilot, app, "Exported to q.html, in /")
        # A folder is no file, whatever its name.
        await begun(pilot, app, tmp_path / "q", key="x")
        await settled(pilot, app, "ends in neither .html nor .md")
    assert names_in(tmp_path / "q") == ["q.html", "q.jsonl"]
    assert names_in(tmp_path) == ["q"]


async def test_an_existing_file_is_not_overwritten_and_the_dialog_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("mine")
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await begun(pilot, app, path)
        await settled(pilot, app, "exists already")
        app.screen.query(Input).first().value = str(tmp_path / "nowhere" / "a.jsonl")
        await pilot.press("enter")
        await settled(pilot, app, "cannot write")
        for name in ("~nobody-of-that-name/a.jsonl", "a\0b.jsonl"):
            app.screen.query(Input).first().value = name
            await settled(pilot, app, "Enter record")
            await pilot.press("enter")
            await settled(pilot, app, "~nobody-of-that-name:" if name[0] == "~" else "not a path")
        app.screen.query(Input).first().value = ""
        await pilot.press("enter")
        await settled(pilot, app, "Write the name of a file.")
        app.screen.query(Input).first().value = str(tmp_path / "sealed.jsonl")
        app.screen.query(Input).last().value = "nobody"
        await pilot.press("enter")
        await settled(pilot, app, "not an age recipient")
        await pilot.press("escape")
        assert "●" not in await settled(pilot, app, "mint")
    assert path.read_text() == "mine"
    assert names_in(tmp_path) == ["session.jsonl"]


async def test_a_recording_continues_after_a_reconnection_and_ends_on_quit(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await begun(pilot, app, path)
        await settled(pilot, app, "● recording since")
        await pilot.press("R")
        await settled(pilot, app, "ready  ● recording")
        assert len(told.opened) == 2
        recorder = told.opened[1].recorder
        assert recorder is not None
        # A separate session would report this when it connects.
        recorder.connect()
        listed(told.opened[1])
        await pilot.press("q")
        async with asyncio.timeout(PATIENCE_S):
            while app.return_code is None:
                await asyncio.sleep(0.02)
    told_where = f"Recorded to session.jsonl, in {tmp_path}. To play it: sightline {shlex.quote(str(path))}"
    assert app.last_words == [told_where]
    lines = lines_of(path)
    assert any(isinstance(line, Connected) for line in lines)
    assert isinstance(lines[-1], End)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_the_header_shows_a_recording_after_the_connection_has_failed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await begun(pilot, app, tmp_path / "session.jsonl")
        await settled(pilot, app, "ready  ● recording")
        told.opened[0].enter(SessionState.FAILED, "the server was killed by signal 9", "Reconnect to go on.")
        await settled(pilot, app, "failed  ● recording")
        await pilot.press("w")
        await settled(pilot, app, "Recorded to")
        assert "●" not in screen_text(app)


@pytest.mark.parametrize("suffix", [".html", ".md"])
async def test_a_live_session_is_exported_without_withheld_values(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"session{suffix}"
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        listed(told.opened[0])
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await begun(pilot, app, tmp_path / "session.txt", key="x")
        await settled(pilot, app, "ends in neither .html nor .md")
        app.screen.query(Input).first().value = f"~nobody-of-that-name/a{suffix}"
        await pilot.press("enter")
        await settled(pilot, app, "~nobody-of-that-name:")
        app.screen.query(Input).first().value = str(path)
        await pilot.press("enter")
        await settled(pilot, app, "Exported to")
        await begun(pilot, app, path, key="x")
        await settled(pilot, app, "exists already")
        await pilot.press("escape")
    text = path.read_text()
    assert KEY not in text
    assert "[withheld x-sensitive" in text
    assert "mint" in text
    assert "<script" not in text
    assert path.stat().st_mode & 0o777 == 0o600


async def test_an_exported_document_contains_the_decisions(tmp_path: Path) -> None:
    path = tmp_path / "session.md"
    told = script()
    app = app_of(told, terms=Terms(policy=rules(rule("withhold", "tool.name", equals="mint"))))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        listed(told.opened[0])
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape")
        await begun(pilot, app, path, key="x")
        await settled(pilot, app, "Exported to")
    text = path.read_text()
    assert "` allow mint: no rule matched `" in text
    assert "` answer of mint: withheld: withhold-1: " in text
    assert text.index("allow mint") < text.index("answer of mint")


async def test_nothing_is_recorded_without_a_connection(tmp_path: Path) -> None:
    told = script()
    told.failure = UnreachableError("gone", "")
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "gone")
        await pilot.press("w")
        await settled(pilot, app, "There is no session to record yet.")
    assert names_in(tmp_path) == []


async def test_a_recording_that_stops_by_itself_is_reported_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Json) -> Iterator[bytes]:
        raise OSError(errno.ENOSPC, "No space left on device")

    # A long path may break the line anywhere.
    monkeypatch.chdir(tmp_path)
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await begun(pilot, app, Path("session.jsonl"))
        await settled(pilot, app, "● recording since")
        monkeypatch.setattr(writing, "pieces", full)
        listed(told.opened[0])
        await settled(pilot, app, "session.jsonl stopped: No space left")
        assert "●" not in screen_text(app)
