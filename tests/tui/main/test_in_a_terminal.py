import re
import signal
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from tests.peers.terminal import ROOT, Terminal, terminal

SIGHTLINE = (sys.executable, "-m", "inspector")
HOSTILE = (
    *SIGHTLINE, "-e", f"PYTHONPATH={ROOT}", "--", sys.executable, str(ROOT / "tests" / "peers" / "hostile_server.py"),
)  # fmt: skip
OWN_SEQUENCES = re.compile(
    rb"\x1b(?:"
    rb"\[[<>=?]?[0-9;:]*[$ ]?[A-HJKSTfhlmnpqrtu]"  # CSI: position, erase, modes, colours, queries
    rb"|\]22;(?:default|pointer|text)\x07"  # the shape of the mouse pointer
    rb"|[78=>c]"
    rb")"
)


def assert_clean(screen: Terminal) -> None:
    """Assert that no byte that could be from the server is a control, and that all sequences are the interface's own."""
    for sequence in screen.sequences():
        assert b"777" not in sequence, sequence
        assert b"Q0FOQVJZ" not in sequence, sequence
        assert b"CANARY" not in sequence, sequence
        assert OWN_SEQUENCES.fullmatch(sequence), sequence
    for character in screen.plain():
        assert character in "\r\n\t" or not unicodedata.category(character).startswith("C"), hex(
            ord(character)
        )


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (140, 45)])
def test_no_text_of_a_hostile_server_acts_in_the_terminal(columns: int, lines: int) -> None:
    with terminal(HOSTILE, columns=columns, lines=lines) as screen:
        screen.wait_for("Tools 27")
        screen.press("2")
        screen.settle()
        screen.press("3")
        screen.settle()
        screen.press("4")
        screen.settle()
        for _ in range(30):
            screen.press("j")
        screen.settle()
        screen.press("g", "1")
        screen.settle()
        screen.press("escape", "t")
        screen.settle()
        screen.press("G", "enter")
        screen.settle()
        screen.press("escape", "escape", "escape", "b", "b", "?")
        screen.settle()
        screen.press("escape", "ctrl+p")
        screen.settle()
        screen.press("escape", "q")
        screen.settle(limit_s=5)
        assert "␛]52;c;Q0FOQVJZ" in screen.plain()
        assert_clean(screen)


def test_a_real_call_shows_both_views_and_no_secret() -> None:
    with terminal((*SIGHTLINE, "demo")) as screen:
        # What was typed for the shell does not act.
        screen.press("q", "?")
        screen.wait_for("▸ echo_arguments")
        screen.press("j")
        screen.wait_for("▸ clean_clock")
        screen.press("j")
        screen.wait_for("▸ generate_api_key")
        screen.press_until("enter", until="Esc leave")
        screen.settle()
        # Esc and a key arrive in one piece over a slow line: the field gets neither.
        screen.press_until("\x1bT", until="Esc back")
        screen.press_until("escape", until="Enter open")
        screen.press_until("enter", until="Esc leave")
        screen.settle()
        screen.press("p", "r", "o", "d", "enter")
        screen.wait_for('name="prod"')
        screen.wait_for("x-sensitive")
        screen.settle()
        assert "••••••••" in screen.plain()
        assert "DEMO-SECRET" not in screen.plain()
        assert_clean(screen)


def server_of(screen: Terminal) -> str:
    """The id of the process of the demo server."""
    own = Path("/proc", str(screen.process.pid), "task")
    (server,) = [child for task in own.iterdir() for child in (task / "children").read_text().split()]
    return server


def test_the_interface_leaves_no_server_behind() -> None:
    with terminal((*SIGHTLINE, "demo")) as screen:
        screen.wait_for("generate_api_key")
        server = server_of(screen)
        screen.press("escape", "escape")
        screen.press_until("?", until="Esc back")
        screen.settle(1)
        # As older terminals send it.
        screen.press_until("\x1b", until="generate_api_key")
        screen.settle(1)
        assert screen.process.poll() is None
        screen.press("q")
        assert screen.wait_for_end() == 0
        with pytest.raises(FileNotFoundError):
            Path("/proc", server, "stat").read_text()


def test_the_interface_ends_with_its_terminal_and_leaves_no_server_behind() -> None:
    with terminal((*SIGHTLINE, "demo")) as screen:
        screen.wait_for("generate_api_key")
        server = server_of(screen)
        screen.close()
        assert screen.process.wait(10) == -signal.SIGHUP
        until = time.monotonic() + 10
        while Path("/proc", server).exists():
            assert time.monotonic() < until
            time.sleep(0.02)
