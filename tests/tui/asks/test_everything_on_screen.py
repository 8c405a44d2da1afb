"""Every tool of server-everything, called by keys in one session of the interface: forms, a URL, sampling, roots and tasks included."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from inspector.files import themes
from inspector.json.exact import JsonObject, dump_text
from inspector.protocol.client import FULL, Announcement, Root
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.asks.dialog import AnswerScreen
from inspector.tui.connection.source import ServerSource
from tests.connect.real_servers import EVERYTHING
from tests.connect.test_everything import CALLS
from tests.tui.scripted import shows, until

FORM, URL, SAMPLE = (
    "asks you to fill in a form",
    "asks you to visit an address",
    "asks for an answer from a model",
)
NAMED, RHYMED = tuple("Ada"), ("a", "space", *"rhyme")
# What the server asks during a call, and what is typed before ^r sends it.
ANSWERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "trigger-elicitation-request": (FORM, NAMED),
    "trigger-elicitation-request-async": (FORM, NAMED),
    "trigger-url-elicitation": (URL, ()),
    "trigger-sampling-request": (SAMPLE, RHYMED),
    "trigger-sampling-request-async": (SAMPLE, RHYMED),
    "simulate-research-query": (FORM, ("right",)),
}


async def opened(pilot: Pilot[None], app: SightlineApp, tool: str, arguments: JsonObject) -> None:
    """Filter the catalogue down to a tool, and write its arguments."""
    await pilot.press("escape", "escape", "escape", "escape", "slash", *tool, "enter")
    await shows(pilot, app, f"▸ {tool}", "Enter open")
    await pilot.press("enter")
    await shows(pilot, app, "Esc leave")
    if arguments:
        await pilot.press("ctrl+j")
        await shows(pilot, app, "^j form")
        app.screen.query_one("#arguments", TextArea).text = dump_text(arguments)


def pending(session: Session) -> list[str]:
    """The titles of the timeline entries that have not ended."""
    return [entry.title for entry in session.timeline.entries if entry.state is EntryState.PENDING]


async def answered(pilot: Pilot[None], app: SightlineApp, tool: str) -> None:
    """Answer what the server asks during the call of a tool, once the dialog has moved on to its first field."""
    question, typed = ANSWERS[tool]
    await shows(pilot, app, question)
    while typed and (app.focused is None or app.focused.id == "answer-lines"):
        await pilot.pause(0.02)
    await pilot.press(*typed)
    await pilot.press("ctrl+r")


@pytest.mark.long
@pytest.mark.skipif(not Path(EVERYTHING.command[1]).exists(), reason="server-everything is not installed")
async def test_every_tool_of_server_everything_is_called_in_the_interface(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AnswerScreen, "unread_s", 0.0)
    options = Options(
        client=Announcement(profile=FULL), roots=(Root(uri="file:///work", name="work"),), timeout_s=30
    )
    sessions: list[Session] = []

    async def open_session(listener: Listener) -> Session:
        sessions.append(Session(EVERYTHING.target, options, listener))
        return sessions[-1]

    source = ServerSource(target=EVERYTHING.target, opener=open_session)
    app = SightlineApp([source], theme_files=themes.shipped())
    async with app.run_test(size=(220, 60), notifications=True) as pilot:
        await shows(pilot, app, "ready", "19 tools")
        (session,) = sessions
        assert {tool.name for tool in session.catalogue.tools} == set(CALLS)
        for number, (tool, (arguments, words)) in enumerate(CALLS.items(), 1):
            await opened(pilot, app, tool, arguments)
            await pilot.press("ctrl+r")
            if tool in ANSWERS:
                await answered(pilot, app, tool)
            await shows(pilot, app, f"#{number} done", words)
            # On the screen, logs and a new listing may push the row of the call out at once.
            await until(pilot, app, lambda _: not pending(session))
        assert [call.name for call in session.calls] == list(CALLS)

    entries = session.timeline.entries
    # Polls about a task are in the row of what the task was made of, whichever side made it.
    assert not [entry.title for entry in entries if entry.title.startswith("tasks/")]
    calls = [entry for entry in entries if entry.title.startswith("tools/call ")]
    assert [(entry.title, entry.state) for entry in calls] == [
        (f"tools/call {tool}", EntryState.DONE) for tool in CALLS
    ]
    asked = [entry for entry in entries if entry.kind is EntryKind.SERVER_REQUEST]
    assert {(entry.title, entry.detail) for entry in asked} == {
        ("roots/list", ""),
        ("elicitation/create", "accept"),
        ("sampling/createMessage", ""),
    }
    assert {entry.state for entry in asked} == {EntryState.DONE}
    assert len([entry for entry in asked if len(entry.frames) > 2]) == 2
