"""Recordings made for tests, and the interface on them."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from textual.pilot import Pilot

from inspector.boundary.options import Level
from inspector.files import themes
from inspector.json.exact import JsonObject
from inspector.recording.files.reading import header_at
from inspector.recording.target import OpenedRecording
from inspector.session.events import Listener, SessionState
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.tui.app import SightlineApp
from inspector.tui.connection.source import ServerSource
from inspector.tui.player.screen import PlayerScreen
from tests.recording.sessions import TOOL, Wire, recorded_to
from tests.tui.scripted import patience, settled

CANARY = "CANARY-4711-abcdef"
OTHER_TOOL: JsonObject = {"name": "clock", "inputSchema": {"type": "object"}}
END = "reading"


def minted(key: str) -> JsonObject:
    return {"content": [], "structuredContent": {"id": "one", "key": key}}


def session() -> Wire:
    """Two tools; the first is called three times, twice with equal secrets; and other messages. 13 frames."""
    wire = Wire()
    wire.note("started process 1")
    wire.listed(TOOL, OTHER_TOOL)
    wire.called("get_key", {"pin": "943102", "q": "first"}, 1)
    wire.answered(minted(CANARY), 1)
    wire.called("clock", {}, 2)
    wire.answered({"content": [{"type": "text", "text": "It is noon."}]}, 2)
    wire.called("get_key", {"q": "second"}, 3)
    wire.answered(minted(CANARY), 3)
    wire.called("get_key", {"q": "third"}, 4)
    wire.answered(minted("CANARY-other-secret"), 4)
    wire.logged("the very last words")
    wire.stderr("and a line of stderr")
    return wire


def recording(folder: Path) -> Path:
    return recorded_to(folder / "session.jsonl", session().frames)


def opened(path: Path, identity: Path | None = None) -> OpenedRecording:
    return OpenedRecording(
        path=str(path), header=header_at(path), identity=str(identity) if identity is not None else None
    )


def player_of(path: Path, *, level: Level = Level.DECLARED, identity: Path | None = None) -> SightlineApp:
    """The interface on a recording."""
    found = opened(path, identity)

    async def open_session(listener: Listener) -> Session:
        return RecordedSession(found, listener)

    return SightlineApp(
        [ServerSource(target=found.target, opener=open_session)],
        level=level,
        theme_files=themes.shipped(),
        recording=found,
    )


async def read(pilot: Pilot[None], app: SightlineApp, shows: str = "") -> str:
    """The screen once the whole file was read and nothing is playing."""
    for _ in patience():
        screen = app.screen_stack[-1]
        known = screen.recorded if isinstance(screen, PlayerScreen) else None
        if known is not None and known.state is SessionState.READY and known.played.is_indexed:
            break
        await pilot.pause()
        await asyncio.sleep(0.005)
    return await settled(pilot, app, shows)


def session_of(app: SightlineApp) -> RecordedSession:
    screens = [screen for screen in app.screen_stack if isinstance(screen, PlayerScreen)]
    assert screens
    found = screens[0].recorded
    assert found is not None
    return found


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def put(path: Path, lines: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(lines))
    return path
