"""The interface on a server that is hostile in every place, judged by the bytes that it writes to its terminal."""

import json
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest

from inspector.json.exact import inert
from inspector.safe_text import safe_line
from tests.peers.terminal import Terminal
from tests.terminal.payloads import PAYLOADS, marked
from tests.terminal.recording import hostile
from tests.terminal.running import (
    CTRL_F,
    CTRL_J,
    CTRL_N,
    CTRL_S,
    PAGE_DOWN,
    RIGHT,
    SERVER,
    agree,
    interface,
    left,
    press,
    wait,
)
from tests.terminal.stream import assert_interface, assert_text, clipboard

ENDING = b"\x1b[?1049l"
"""The sequence with which a program leaves the alternate screen of the terminal."""
PASTED = "\x1b[200~CAN\u202eARY\x9b777m\x1b[201~"
SYMBOLS = (
    "␛]52;",
    "␇",
    "␀",
    "␡",
    "⟨U+009B⟩",
    "⟨U+202E⟩",
    "⟨U+200B⟩",
    "⟨U+E0068⟩",
    "⟨U+D83D⟩",
    "[@click=",
)


def assert_symbols(screen: Terminal, symbols: Iterable[str] = SYMBOLS) -> None:
    """Assert that control characters were there, and were drawn as symbols."""
    shown = screen.plain()
    for symbol in symbols:
        assert symbol in shown, symbol


def open_tool(screen: Terminal, name: str) -> None:
    """Find a tool by its name, and put the focus into its form."""
    press(screen, "escape", "/", see="Enter keep")
    press(screen, name, see=" of 494")
    press(screen, "enter", see=f"▸ {name}")
    press(screen, "enter", see="Esc leave")


def walk_tool(screen: Terminal) -> None:
    press(screen, "2", see="Model gets")
    press(screen, "n n enter", see="declared by")
    press(screen, "escape", "3", see="▸3 Claims")
    press(screen, "j j j enter", "escape")
    press(screen, "4", see="confidence: ")
    press(screen, "G k g enter", see="▸2 Definition")
    press(screen, "1", see="Esc leave")
    press(screen, "tab", "x", "tab", f"{RIGHT} {RIGHT}", "tab", "z", CTRL_J, see="^j form")
    press(screen, CTRL_J, see="^j JSON")


def call(screen: Terminal) -> None:
    """Call the tool with the content of its form, after looking at the question."""
    press(screen, CTRL_S, see="y call  Esc")
    press(screen, "j j G tab j j", "g")
    press(screen, "n", see="you did not agree; nothing was sent")
    press(screen, CTRL_S, see="y call  Esc")
    agree(screen, see="#1 done")


def walk_result(screen: Terminal) -> None:
    press(screen, "n enter", "escape", "n b", see="boundary: closed")
    press(screen, "b", see="boundary: open")
    press(screen, "h", "codex", "enter", see="host: codex")
    press(screen, "z", "z")
    press(screen, "c", see="Compare hosts")
    press(screen, "j j G", "b", "escape", "d", "n", "h", "escape", "escape")
    press(screen, "s", see="what to do")
    press(screen, "j j", "v", "escape", "escape")
    press(screen, "y", see="Copied")


def walk_timeline(screen: Terminal) -> None:
    press(screen, "escape", "t", f"g {PAGE_DOWN}", "G", "k", "enter", see="Esc back")
    press(screen, "escape")
    for _ in range(2):
        press(screen, "k enter", see="frame ")
        press(screen, "x", "n", "escape")
    press(screen, "t")


def walk_catalogue(screen: Terminal) -> None:
    since = len(screen.written)
    press(screen, "escape", "escape", "g")
    for name in PAYLOADS:
        # A long name is cut in its middle.
        wanted = safe_line(marked(name))[:8]
        if wanted not in screen.plain(since):
            press(screen, PAGE_DOWN, see=wanted)
            # A page that is not completely drawn is not turned.
            screen.settle(0.5)


@pytest.mark.long
def test_no_server_text_acts_in_forms_results_or_the_timeline(tmp_path: Path) -> None:
    with interface(tmp_path) as screen:
        walk_tool(screen)
        call(screen)
        walk_result(screen)
        walk_timeline(screen)
        walk_catalogue(screen)
        press(screen, "?", see="All keys")
        press(screen, "G", "escape", "ctrl+p", see="Search for commands")
        press(screen, "p 0 7", "escape")
        written = left(screen)
    copied = tuple(clipboard(written))
    assert_interface(written, copied=copied)
    (command,) = copied
    assert_text(command)
    assert shlex.split(command)[:3] == ["sightline", "call", "everything"]
    assert_symbols(screen)
    kept = {path.suffix: path for path in tmp_path.rglob("*") if path.is_file()}
    recent, history = kept.pop(".json"), kept.pop(".jsonl")
    assert (recent.name, b"CANARY" in recent.read_bytes()) == ("recent.json", False)
    # The names of tools and arguments are the server's: they are escaped, so they act in no terminal that shows the file.
    assert inert(history.read_bytes()) == history.read_bytes()
    assert not ({*range(0x20), 0x7F} - {0x0A}) & set(history.read_bytes())
    assert not any(path.read_bytes() for path in kept.values())
    assert written.endswith(ENDING + written.rpartition(ENDING)[2])


def review(screen: Terminal, report: Path) -> None:
    """Look at all findings, accept one with a hostile reason, write them to a file, go to a place."""
    press(screen, "f", see="Findings of")
    press(screen, "G", "g", f"{PAGE_DOWN} {PAGE_DOWN}", "/", see="Enter keep")
    press(screen, "fuzz", see=" shown")
    press(screen, "enter", see="a accept")
    press(screen, "g", "a", see="Accept SL-")
    press(screen, f"because {PASTED}", "enter", see="1 accepted")
    press(screen, "x", see="Write the review")
    press(screen, str(report), "enter", see="Written to")
    press(screen, "enter", see="model gets")
    press(screen, "f", see="Findings of")
    press(screen, "escape", "escape", see="Server sent")


def pin(screen: Terminal) -> None:
    """Pin the definitions."""
    press(screen, "P", see="Not pinned.")
    press(screen, "p", see="Pin the")
    press(screen, "y", see="As pinned")
    press(screen, "escape")


def trust(screen: Terminal) -> None:
    """Show the trust of the session, and begin a new one."""
    press(screen, "T", see="Labels from answers")
    press(screen, "p p p", "tab", "j j G", CTRL_N, see="Begin a new agent session?")
    agree(screen, see="Agent session 2")
    press(screen, "escape", "escape")


@pytest.mark.long
def test_no_server_text_acts_in_the_review_the_trust_view_or_a_written_file(
    tmp_path: Path,
) -> None:
    record, document, report = (tmp_path / name for name in ("made.jsonl", "made.html", "report.md"))
    with interface(tmp_path, columns=100, lines=30, NO_COLOR="1") as screen:
        press(screen, "w", see="Record this session")
        press(screen, str(record), "enter", see="Recording to")
        pin(screen)
        press(screen, CTRL_S, see="y call  Esc")
        agree(screen, see="#1 done")
        review(screen, report)
        trust(screen)
        press(screen, "x", see="Export this session")
        press(screen, str(document), "enter", see="Exported to")
        press(screen, "w", see="Recorded to")
        assert_interface(left(screen))
        assert_symbols(screen, ("␛]52;", "␇", "⟨U+009B⟩", "[@click="))
    (accepted,) = (tmp_path / "data" / "accepted").iterdir()
    assert "CANARY" in json.loads(accepted.read_bytes())["findings"][0]["name"]
    kept = [path for path in (tmp_path / "data").rglob("*.json") if path.name != "recent.json"]
    assert len(kept) == 2
    assert all("CANARY" in path.read_text() for path in (record, document, report))


def test_no_text_of_a_recording_acts_in_the_terminal(tmp_path: Path) -> None:
    with interface(tmp_path, str(hostile(tmp_path)), see="the lines before it are shown") as screen:
        press(screen, "{", see="frame 183 of 900")
        press(screen, "[ [", see="frame 181 of 900")
        press(screen, "}", see="frame 183 of 900")
        press(screen, "#", see="A frame by its number")
        press(screen, "20", "enter", see="frame 20 of 900")
        press(screen, CTRL_F, see="Find")
        press(screen, "CANARY", "enter", see="frame 21 of 900")
        press(screen, "2", see="Model gets")
        press(screen, "4", see="confidence: ")
        press(screen, "f", see="Findings of")
        press(screen, "G", "escape", "T", see="Labels from answers")
        press(screen, "escape", ">", see="frame 900 of 900")
        press(screen, "escape", "t", "G", "k k", "enter", see="This entry has no frames")
        press(screen, "g")
        # The first lines of the recording are read from its file.
        screen.settle(0.8)
        press(screen, "enter", see="text/JSON")
        press(screen, "J", "escape", "escape", "escape")
        assert_interface(left(screen))
        assert_symbols(screen)


def test_failures_and_pasted_text_do_not_act_in_the_terminal(tmp_path: Path) -> None:
    with interface(tmp_path, columns=80, lines=24) as screen:
        open_tool(screen, "fails")
        press(screen, CTRL_S, see="tool error")
        press(screen, "n enter", "escape")
        open_tool(screen, "refuses")
        press(screen, CTRL_S, see="JSON-RPC error")
        press(screen, "n enter", "escape")
        open_tool(screen, "plain")
        start = len(screen.written)
        press(screen, PASTED, see="contains 2 invisible or control characters")
        assert "CAN�ARY�777m" in screen.plain(start)
        press(screen, CTRL_S, see="done")
        open_tool(screen, "dies")
        press(screen, CTRL_S, see="the server exited with code 3")
        press(screen, "t")
        assert_interface(left(screen))


def test_the_stderr_of_a_server_that_cannot_be_started_does_not_act(tmp_path: Path) -> None:
    with interface(tmp_path, *SERVER, "dies", see="its stderr:") as screen:
        press(screen, "t", "q")
        assert_interface(wait(screen))
