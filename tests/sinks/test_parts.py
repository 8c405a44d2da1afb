"""A value that was withheld from one call, if the server writes it elsewhere in parts, or after the call."""

import json
import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.files import themes
from inspector.pins.known_secrets import KnownSecrets
from inspector.protocol.targets import StdioTarget
from inspector.recording.known import KnownValues
from inspector.secrets.own_credentials import OwnCredentials
from inspector.session.events import Listener
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.testing import McpServerError, connect
from inspector.tui.app import SightlineApp
from inspector.tui.asks.dialog import AnswerScreen
from inspector.tui.connection.source import ServerSource
from tests.cli.sightline import ROOT, sightline
from tests.sinks.searching import files_below
from tests.sinks.test_own_credentials import drawn
from tests.tui.scripted import LARGE, screen_text, settled, until

CALLS = """
[calls.a_get]
tool = "get"
[calls.b_tells]
tool = "tells"
[calls.b_tells.expect]
fits_schema = true
contains = "nowhere"
equals = { "/text" = "x" }
matches = { "/number" = { enum = [1] } }
[calls.c_ends]
tool = "ends"
"""


def values() -> dict[str, str]:
    """A key of several lines, a text that is longer than what is searched for, and a short code."""
    key = "\n".join(drawn() + drawn() for _ in range(4))
    words = " ".join(drawn() for _ in range(14))
    return {
        "pem": f"-----BEGIN KEY-----\n{key}\n-----END KEY-----",
        "long": words,
        "code": f"C-{drawn()[:12]}",
    }


def parts_of(found: Mapping[str, str]) -> list[str]:
    """The parts of which none may be found: each line, each word and each half of a word."""
    words = [word for value in found.values() for word in value.split() if "-----" not in word]
    return [
        half for word in words if len(word) > 8 for half in (word[: len(word) // 2], word[len(word) // 2 :])
    ]


def recorded_in(folder: Path) -> str:
    (recording,) = folder.glob("*.jsonl")
    return recording.read_text()


def left_in(text: str, parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part.casefold() in text.casefold()]


def _of_recording(found: list[str]) -> Callable[[str], str]:
    known = KnownValues()
    known.learn(list(found))
    return known.masked_text


def _of_screen(found: list[str]) -> Callable[[str], str]:
    return KnownSecrets().with_texts(1, found).masked_text


def _of_rows(found: list[str]) -> Callable[[str], str]:
    return KnownSecrets().with_texts(1, found).short


def _of_user(found: list[str]) -> Callable[[str], str]:
    return OwnCredentials(found).mask


@pytest.mark.parametrize("masking", [_of_recording, _of_screen, _of_rows, _of_user])
def test_no_part_of_a_value_is_left_in_a_text(masking: Callable[[list[str]], Callable[[str], str]]) -> None:
    secret = values()
    mask, parts = masking(list(secret.values())), parts_of(secret)
    key, words = secret["pem"], secret["long"]
    for text in (
        key,
        f"the key:\n{key}\nand that was it",
        key.replace("\n", "\r\n"),
        key.replace("\n", "\n    "),
        key.replace("\n", "\n> "),
        f"{words}",
        f"it is {words}, it is {words}",
        words.upper(),
        words.replace(" ", "\n"),
        words.replace(" ", "\n  "),
        f"{key}\n{words}\n{secret['code']}",
        *key.split("\n"),
    ):
        assert left_in(mask(text), parts) == [], text
    assert mask("all is well\nreally") == "all is well\nreally"


@pytest.fixture
def secret() -> dict[str, str]:
    return values()


@pytest.fixture
def server(secret: dict[str, str], tmp_path: Path) -> tuple[str, ...]:
    """The command of the server. The values are not in it, because a command's secrets are masked anyway."""
    path = tmp_path / "values" / "values.json"
    path.parent.mkdir()
    path.write_text(json.dumps(secret))
    return (sys.executable, str(ROOT / "tests" / "sinks" / "parting.py"), str(path))


def test_no_command_writes_a_part_of_a_value_that_was_withheld(
    secret: dict[str, str], server: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, parts = tmp_path / "here", parts_of(secret)
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(here / "data"))
    (here / "calls.toml").write_text(CALLS)
    reports = ("--sarif", "c.sarif", "--junit", "c.xml")
    lines = [
        ("call", "get", "--record", "call.jsonl"),
        *(("review", "--call", "--format", name) for name in ("text", "json", "sarif", "junit", "html")),
        ("check", "--call", "--calls", "calls.toml", *reports),
        ("check", "--call", "--calls", "calls.toml", "--format", "json"),
        *(("run", "calls.toml", "--format", name) for name in ("text", "json", "junit")),
    ]
    for line in lines:
        ran = sightline(*line, "--", *server)
        assert "internal error" not in ran.err
        assert left_in(ran.out + ran.err, parts) == [], (line, ran.out, ran.err)
    written = files_below(here)
    assert {Path(name).name for name in written} >= {"call.jsonl", "c.sarif", "c.xml"}
    for name, raw in written.items():
        assert left_in(raw.decode(), parts) == [], name


def test_no_exception_and_no_assertion_of_a_test_quotes_a_value_that_was_withheld(
    secret: dict[str, str], server: tuple[str, ...]
) -> None:
    with connect(list(server)) as connected:
        connected.call("get")
        told = connected.call("tells")
        shown = f"{told!r} {told.text!r} {told.structured!r} {told.raw!r}"
        assert "number" in shown
        assert left_in(shown, parts_of(secret)) == []
        with pytest.raises(McpServerError, match="exited with code 3") as failed:
            connected.call("ends")
    assert left_in(str(failed.value), parts_of(secret)) == []


@asynccontextmanager
async def interface(server: tuple[str, ...]) -> AsyncGenerator[tuple[SightlineApp, Pilot[None]]]:
    target = StdioTarget(command=server)

    async def open_session(listener: Listener) -> Session:
        return Session(target, Options(is_quick_to_end=True), listener)

    app = SightlineApp([ServerSource(target=target, opener=open_session)], theme_files=themes.shipped())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "▸ get")
        yield app, pilot


async def test_no_part_of_a_value_that_was_withheld_is_on_the_screen_or_in_the_recording(
    secret: dict[str, str], server: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = parts_of(secret)
    seen: list[str] = []
    async with interface(server) as (app, pilot):
        await pilot.press("w")
        await settled(pilot, app, "Record this session")
        await pilot.press("enter")
        await settled(pilot, app, "● recording")
        for number, moves in enumerate(("", "j", "j"), 1):
            await pilot.press("escape", *moves)
            await pilot.press("ctrl+r")
            seen.append(await until(pilot, app, lambda text, number=number: f"#{number} " in text))
            seen.append(await settled(pilot, app))
        seen.append(await settled(pilot, app, "R tries again"))
        await pilot.press("t", "t")
        await settled(pilot, app)
        for _ in range(12):
            await pilot.press("enter")
            seen.append(await settled(pilot, app))
            await pilot.press("up")
        seen.append(screen_text(app))
        await pilot.press("escape", "escape", "R")
        seen.append(await settled(pilot, app, "ready  "))
        await pilot.press("q")
    for text in seen:
        assert left_in(text, parts) == [], text
    assert any("exited with code 3" in text for text in seen)
    assert left_in(recorded_in(tmp_path), parts) == []


async def test_no_question_and_no_suggestion_shows_a_part_of_a_value_that_was_withheld(
    secret: dict[str, str], server: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AnswerScreen, "unread_s", 0.0)
    seen: list[str] = []
    async with interface(server) as (app, pilot):
        await pilot.press("ctrl+r")
        await settled(pilot, app, "#1 done")
        for name, words in (("form", "each"), ("sampling", "maxTokens"), ("url", "https://a.example/")):
            await pilot.press("escape", "slash", *name, "enter")
            await settled(pilot, app, f"▸ {name}")
            await pilot.press("ctrl+r")
            await settled(pilot, app, "The server asks")
            seen.append(await settled(pilot, app, words))
            await pilot.press("ctrl+d")
            await until(pilot, app, lambda text: "The server asks" not in text)
        await pilot.press("escape", "slash", *"offering", "enter")
        await settled(pilot, app, "▸ offering")
        await pilot.press("enter", "C")
        seen.append(await settled(pilot, app, "edar"))
    for text in seen:
        assert left_in(text, parts_of(secret)) == [], text
        assert secret["code"] not in text
