"""Sightline on the hostile server, in a pseudo-terminal."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from inspector.tui.policy.dialog import UNREAD_S
from tests.peers.terminal import ROOT, Terminal, terminal

SIGHTLINE = (sys.executable, "-m", "inspector")
SERVER = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, str(ROOT / "tests" / "terminal" / "server.py"))
CTRL_F, CTRL_J, CTRL_N, CTRL_S, PAGE_DOWN, RIGHT = "\x06", "\x0a", "\x0e", "\x13", "\x1b[6~", "\x1b[C"


def ended(argv: Sequence[str]) -> tuple[bytes, int]:
    """Run a command in a terminal to its end; return its stdout, its stderr, and its exit code."""
    # Without colours, every control in the output is a fault.
    with terminal((*SIGHTLINE, *argv), NO_COLOR="1") as screen:
        return wait(screen), screen.process.returncode


def wait(screen: Terminal) -> bytes:
    """Read until the program has ended; return all its output."""
    screen.wait_for_end()
    return screen.written


@contextmanager
def interface(
    home: Path,
    *target: str,
    see: str = "▸ everything",
    columns: int = 140,
    lines: int = 45,
    **environment: str,
) -> Generator[Terminal]:
    """The interface on a target, by default the hostile server, with folders of its own; once it shows `see`."""
    folders = {"HOME": home, "SIGHTLINE_DATA_DIR": home / "data", "SIGHTLINE_CONFIG_DIR": home / "config"}
    named = {name: str(folder) for name, folder in folders.items()}
    with terminal(
        (*SIGHTLINE, *(target or SERVER)),
        columns=columns,
        lines=lines,
        TMPDIR=str(home),
        **named,
        **environment,
    ) as screen:
        screen.wait_for(see)
        yield screen


def press(screen: Terminal, *steps: str, see: str = "") -> None:
    """Press keys, each step after the output of the previous one is complete, until the last has drawn `see`.

    The keys of a step are separated by spaces; a word that is not the name of a key is typed.
    """
    for number, step in enumerate(steps, 1):
        start = len(screen.written)
        screen.press(*step.split(" "))
        if see and number == len(steps):
            screen.wait_for(see, since=start)
        # Going back redraws, and the screen behind may load something.
        screen.settle(0.4 if step.endswith("escape") else 0.12)


def agree(screen: Terminal, *, see: str) -> None:
    """Answer yes to the question, once it has been shown long enough to be read; wait until that has drawn `see`."""
    screen.settle(2 * UNREAD_S, limit_s=2 * UNREAD_S)
    press(screen, "y", see=see)


def left(screen: Terminal) -> bytes:
    """Quit with `q`; return all output, after an assertion that it ended normally."""
    press(screen, "q")
    written = wait(screen)
    assert screen.process.returncode == 0
    return written
