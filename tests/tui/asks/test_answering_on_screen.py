"""The dialog in which the user answers the requests of a real server."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from inspector.files import themes
from inspector.protocol.frames import Direction
from inspector.protocol.targets import Era, StdioTarget
from inspector.protocol.timeline import EntryState
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.tui.app import SightlineApp
from inspector.tui.asks import dialog
from inspector.tui.asks.dialog import AnswerScreen
from inspector.tui.connection.source import ServerSource
from inspector.tui.keys.footer import KeyLine
from inspector.tui.timeline.frame import FrameAsked, FramesWanted, asked_frame
from inspector.tui.widgets.choice import ChoiceInput
from tests.tui.scripted import LARGE, SMALL, settled, until

SERVER = Path(__file__).parents[2] / "peers" / "asking_server.py"
KEY = "canary-7f3a91"
Screen = tuple[SightlineApp, Pilot[None], Session]


@asynccontextmanager
async def asking(
    tool: str, monkeypatch: pytest.MonkeyPatch, era: Era = Era.LEGACY, size: tuple[int, int] = LARGE
) -> AsyncGenerator[Screen]:
    """The interface, after the call of `tool` has made the server ask."""
    monkeypatch.setattr(AnswerScreen, "unread_s", 0.0)
    target = StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), era.value))
    opened: list[Session] = []

    async def open_session(listener: Listener) -> Session:
        opened.append(Session(target, Options(era=era), listener))
        return opened[-1]

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot, app, "thousand" if size is LARGE else "tools")
        await pilot.press("slash", *("space" if key == " " else key for key in tool), "enter")
        await settled(pilot, app, f"{tool} ")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "The server asks")
        yield app, pilot, opened[-1]


async def focused_on_a_field(pilot: Pilot[None], app: SightlineApp) -> None:
    """Wait until a question has been shown long enough to be read: then typed keys go into its first field."""
    async with asyncio.timeout(20):
        while not isinstance(app.focused, (Input, TextArea, ChoiceInput)):
            await pilot.pause(0.02)


def wire(session: Session, direction: Direction) -> bytes:
    return b"\n".join(frame.raw for frame in session.timeline.frames if frame.direction is direction)


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_a_credential_entered_into_a_form_is_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    async with asking("secret", monkeypatch, era) as (app, pilot, session):
        text = await settled(pilot, app, "api_key")
        assert "The form asks for a credential (api_key), which the protocol forbids." in text
        await focused_on_a_field(pilot, app)
        await pilot.press(*"Ada", "tab", *KEY)
        assert KEY not in await settled(pilot, app, "Ada")
        await pilot.press("ctrl+r")
        text = await settled(pilot, app, "#1 done")
        assert "of it waiting for you" in text
        # The server repeats what was entered as a secret.
        text = await until(
            pilot, app, lambda text: "what was withheld, fetched or entered before reaches the model" in text
        )
        assert KEY not in text
        assert session.calls[0].waited_s > 0.05
        assert KEY.encode() in wire(session, Direction.SENT)
        masked = [text for text in sent_as_shown(session) if "Ada" in text]
        assert len(masked) == 1
        assert KEY not in "".join(masked)


def sent_as_shown(session: Session) -> Iterator[str]:
    """The text of each sent frame in the frames view."""
    for entry in session.timeline.entries:
        frames = session.timeline.frames_of(entry)
        wanted = FramesWanted(entry=entry, frames=frames, catalogue=session.catalogue)
        for place, matched in enumerate(frames):
            if matched.frame.direction is Direction.SENT:
                yield "\n".join(asked_frame(FrameAsked(wanted=wanted, place=place, chunk=200)).text)


async def test_keys_typed_for_something_else_do_not_go_into_the_form_of_a_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dialog, "UNREAD_S", 0.2)
    # As if a key was pressed at each moment.
    monkeypatch.setattr(dialog, "time", lambda: 0.0)
    async with asking("form", monkeypatch) as (app, pilot, _):
        await pilot.press("x")
        await asyncio.sleep(0.5)
        assert not isinstance(app.focused, Input)


async def test_an_invalid_form_is_not_sent_and_declining_sends_no_content(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with asking("form", monkeypatch) as (app, pilot, session):
        await settled(pilot, app, "age  default")
        await focused_on_a_field(pilot, app)
        await pilot.press("tab", "x", "ctrl+r")
        text = await settled(pilot, app, "The schema of the request does not allow this answer")
        assert "expected an integer" in text
        assert "^r send  ^d decline  Esc dismiss  ^x cancel the call  ^n decline later ones too" in text
        assert b'"action"' not in wire(session, Direction.SENT)
        await pilot.press("backspace", "5")
        await until(pilot, app, lambda text: "expected an integer" not in text)
        await pilot.press("ctrl+d")
        await settled(pilot, app, "#1 done")
        assert b'"result":{"action":"decline"}' in wire(session, Direction.SENT).replace(b" ", b"")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_what_is_wrong_in_a_long_form_is_focused_and_in_sight(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with asking("long form", monkeypatch, size=size) as (app, pilot, _):
        # A long option is wrapped.
        text = await settled(pilot, app, "number0")
        assert "last word: end >" in " ".join(text.replace("│", " ").split())
        await focused_on_a_field(pilot, app)
        await pilot.press("shift+tab", "shift+tab", "x", "tab", "tab")
        assert isinstance(app.focused, ChoiceInput)
        keys = "Space next, letters jump  ^r send  ^d decline  Esc dismiss"
        assert keys in await settled(pilot, app)
        await pilot.press("enter")
        await settled(pilot, app, "Enter goes to the next field; ^r sends.")
        await pilot.press("shift+tab", "shift+tab", "shift+tab", "enter")
        await settled(pilot, app, "This is the last field; ^r sends.")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "The schema of the request does not allow this answer")
        text = await settled(pilot, app, "expected an integer")
        assert "number11" in text
        assert isinstance(app.focused, Input)
        assert app.focused.value == "x"
        await pilot.press("escape")
        await settled(pilot, app, "Your answer is not sent yet. ^r sends it, Esc again dismisses it.")
        await pilot.press("escape")
        await settled(pilot, app, "#1 done")


async def test_a_sampling_request_is_answered_by_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    async with asking("sample", monkeypatch) as (app, pilot, session):
        text = await settled(pilot, app, "user: Rhyme!")
        assert not app.screen_stack[-2].query_one(KeyLine).offers
        assert "No model is called" in text
        assert "maxTokens: 9" in text
        await pilot.press("ctrl+r")
        await settled(pilot, app, "Write an answer first, or decline.")
        await focused_on_a_field(pilot, app)
        await pilot.press(*"rhymed", "ctrl+r")
        await settled(pilot, app, "#1 done")
        assert b"rhymed" in wire(session, Direction.SENT)


@pytest.mark.parametrize(
    ("tool", "words", "opens"),
    [
        ("lookalike", "Its host has letters that may look like others: it is xn--gthub-n4a.com.", 1),
        ("user", "Sightline does not open it: it contains user info before the host.", 0),
        ("visit first", "Origin: https://auth.example", 1),
    ],
)
async def test_a_url_is_opened_only_by_its_key(
    monkeypatch: pytest.MonkeyPatch, tool: str, words: str, opens: int
) -> None:
    opened: list[str] = []

    def open_url(_app: SightlineApp, url: str) -> None:
        opened.append(url)

    monkeypatch.setattr(SightlineApp, "open_url", open_url)
    async with asking(tool, monkeypatch) as (app, pilot, _):
        await settled(pilot, app, words)
        await pilot.press("enter")
        await settled(pilot, app, words)
        assert opened == []
        await pilot.press("ctrl+o")
        if opens:
            await settled(pilot, app, "#1 ")
            assert len(opened) == opens
            return
        await pilot.press("ctrl+r")
        await settled(pilot, app, words)
        await pilot.press("escape")
        await settled(pilot, app, "#1 done")
        assert opened == []


async def test_on_24_rows_all_that_is_said_of_an_address_is_seen_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with asking("lookalike", monkeypatch, size=SMALL) as (app, pilot, _):
        text = " ".join((await settled(pilot, app, "Sign in")).split())
        for words in (
            "https://g\u0131thub.com/login",
            "Its host ends in xn--gthub-n4a.com (letter by letter: x n - - g t h u b",
            "Its host has letters that may look like others",
            "Origin: https://xn--gthub-n4a.com",
            "^o open",
        ):
            assert words in text
        await pilot.press("ctrl+d")


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("recalled", "Withdrawn by the server: too␛[2J late"),
        ("unwaited", "Withdrawn: the call has ended"),
        ("dies", "Withdrawn: the server exited with code 0"),
    ],
)
async def test_a_withdrawn_question_stays_until_it_is_closed_and_gets_no_answer(
    monkeypatch: pytest.MonkeyPatch, tool: str, words: str
) -> None:
    async with asking(tool, monkeypatch, size=SMALL) as (app, pilot, session):
        await focused_on_a_field(pilot, app)
        await pilot.press(*"Ada")
        await session.ping()
        text = await settled(pilot, app, words)
        assert "Nothing is sent. Esc or Enter closes this." in text
        assert "send" not in text.splitlines()[-3]
        await pilot.press("ctrl+r", "ctrl+d", "ctrl+n", "ctrl+x")
        assert isinstance(app.screen, AnswerScreen)
        await pilot.press("enter" if tool == "recalled" else "escape")
        assert not isinstance(app.screen, AnswerScreen)
        if tool == "recalled":
            await session.ping()
            await settled(pilot, app, "replies  0")
        assert b'"action"' not in wire(session, Direction.SENT)
        (entry,) = (entry for entry in session.timeline.entries if entry.title == "elicitation/create")
        assert entry.state is EntryState.FAILED
        assert entry.duration_s is not None


async def test_control_characters_are_visible_and_a_question_does_not_keep_a_session_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with asking("controls", monkeypatch) as (app, pilot, session):
        text = await settled(pilot, app, "Who ␛[31mare you?␇ ⟨U+202E⟩evil")
        assert "\x1b" not in text
        # Leaving the session with an open question does not hang.
        async with asyncio.timeout(30):
            await session.close()
        await settled(pilot, app)


@pytest.mark.parametrize(("key", "asked"), [("ctrl+n", 200), ("ctrl+x", 1)])
async def test_one_key_declines_the_rest_of_a_flood_or_cancels_its_call(
    monkeypatch: pytest.MonkeyPatch, key: str, asked: int
) -> None:
    async with asking("endless", monkeypatch) as (app, pilot, session):
        assert "endless: The server asks" in await settled(pilot, app, "The server asks")
        await focused_on_a_field(pilot, app)
        await pilot.press(key)
        await settled(pilot, app, "#1 done" if key == "ctrl+n" else "cancelled after")
        assert wire(session, Direction.RECEIVED).count(b"elicitation/create") >= asked
        declined = 50 if key == "ctrl+n" else 1
        async with asyncio.timeout(20):
            while wire(session, Direction.SENT).count(b'"decline"') < declined:
                await pilot.pause(0.02)
        assert not isinstance(app.screen, AnswerScreen)


async def test_the_title_shows_the_number_of_waiting_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    async with asking("thousand", monkeypatch) as (app, pilot, session):
        await settled(pilot, app, "1 of 8 waiting")
        await focused_on_a_field(pilot, app)
        await pilot.press("ctrl+d")
        await settled(pilot, app, "1 of 7 waiting")
        await pilot.press("ctrl+n")
        await settled(pilot, app, "#1 done")
        assert wire(session, Direction.SENT).count(b'"decline"') == 8
