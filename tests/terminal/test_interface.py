"""The interface on a server that is hostile in every place, by the bytes that it writes to its terminal."""

import shlex
from pathlib import Path

from inspector.core.foreign import safe_line
from tests.peers.terminal import Terminal, terminal
from tests.terminal.payloads import PAYLOADS, marked
from tests.terminal.running import SERVER, SIGHTLINE, wait
from tests.terminal.stream import assert_interface, assert_text, clipboard

INTERFACE = (*SIGHTLINE, *SERVER)
CTRL_J, CTRL_S, PAGE_DOWN = "\x0a", "\x13", "\x1b[6~"
ENDING = b"\x1b[?1049l"
"""Back from the interface's screen."""


def press(screen: Terminal, *steps: str, see: str = "") -> None:
    """Press keys, each step after all that the one before has drawn, until the last has drawn `see`."""
    for number, step in enumerate(steps, 1):
        start = len(screen.written)
        screen.press(*step.split(" "))
        if see and number == len(steps):
            screen.wait_for(see, since=start)
        # A key that comes at once would be read as one with Alt.
        screen.settle(0.4 if step.endswith("escape") else 0.12)


def open_tool(screen: Terminal, name: str) -> None:
    """Find a tool by its name, and put the focus into its form."""
    press(screen, "escape")
    press(screen, "/", "\x15 " + " ".join(name), "enter", "enter")


def walk_tool(screen: Terminal) -> None:
    press(screen, "2", see="What the model is given")
    press(screen, "n n enter", "escape", "3", "j j j enter", "escape")
    press(screen, "4", see="the text holds")
    press(screen, "1 enter tab x tab right right tab z", CTRL_J, CTRL_J)


def walk_result(screen: Terminal) -> None:
    start = len(screen.written)
    # The first press asks for a confirmation, and the form may still be checking what was typed.
    for _ in range(5):
        if "withheld" not in screen.plain(start):
            press(screen, CTRL_S)
            screen.settle(0.5)
    screen.wait_for("withheld", since=start)
    press(screen, "n enter", "n b", "b", "h", "z")
    press(screen, "c", see="Hosts compared")
    press(screen, "j j G", "escape", "d", "n escape", "y")


def walk_timeline(screen: Terminal) -> None:
    press(screen, "escape", f"t g {PAGE_DOWN}", "G")
    for _ in range(2):
        press(screen, "k k enter", see="frame ")
        press(screen, "x", "n escape")
    press(screen, "t")


def walk_catalogue(screen: Terminal) -> None:
    press(screen, "escape", "escape", "g")
    for _ in range(len(PAYLOADS) // 30 + 3):
        press(screen, PAGE_DOWN, see="▸ ")
    shown = screen.plain()
    for name in PAYLOADS:
        assert safe_line(marked(name))[:16] in shown, name


def test_no_text_of_a_server_acts_wherever_the_interface_shows_it(tmp_path: Path) -> None:
    with terminal(INTERFACE, HOME=str(tmp_path), TMPDIR=str(tmp_path)) as screen:
        screen.wait_for("▸ everything")
        walk_tool(screen)
        walk_result(screen)
        walk_timeline(screen)
        walk_catalogue(screen)
        press(screen, "?", see="Everywhere")
        press(screen, "G", "escape", "ctrl+p")
        press(screen, "p 0 7", "escape", "q")
        written = wait(screen)
        assert screen.process.returncode == 0
    copied = tuple(clipboard(written))
    assert_interface(written, copied=copied)
    (command,) = copied
    assert_text(command)
    assert shlex.split(command)[:3] == ["sightline", "call", "everything"]
    shown = written.decode()
    for symbol in (
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
    ):
        assert symbol in shown, symbol
    assert list(tmp_path.rglob("*")) == []
    assert written.endswith(ENDING + written.rpartition(ENDING)[2])


def test_failures_and_what_is_pasted_do_not_act_either() -> None:
    with terminal(INTERFACE, columns=80, lines=24) as screen:
        screen.wait_for("▸ everything")
        open_tool(screen, "fails")
        press(screen, CTRL_S, see="tool error")
        press(screen, "n enter", "escape")
        open_tool(screen, "refuses")
        press(screen, CTRL_S, see="JSON-RPC error")
        press(screen, "n enter", "escape")
        open_tool(screen, "plain")
        start = len(screen.written)
        press(screen, "\x1b[200~CAN\u202eARY\x9b777m\x1b[201~", see="holds 2 invisible or control characters")
        assert "CAN�ARY�777m" in screen.plain(start)
        press(screen, CTRL_S, see="done")
        open_tool(screen, "dies")
        press(screen, CTRL_S, see="the server exited with code 3")
        press(screen, "t", "q")
        assert_interface(wait(screen))


def test_the_last_words_of_a_server_that_cannot_be_reached_do_not_act() -> None:
    with terminal((*INTERFACE, "dies")) as screen:
        screen.wait_for("last lines of its stderr")
        press(screen, "t", "q")
        assert_interface(wait(screen))
