"""Sightline on the hostile server, in a pseudo-terminal."""

import sys
from collections.abc import Sequence

from tests.peers.terminal import ROOT, Terminal, terminal

SIGHTLINE = (sys.executable, "-m", "inspector")
SERVER = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, str(ROOT / "tests" / "terminal" / "server.py"))
END_S = 20.0


def ended(argv: Sequence[str]) -> tuple[bytes, int]:
    """Run a command in a terminal to its end; all that it wrote, to stdout and to stderr, and its exit code."""
    with terminal((*SIGHTLINE, *argv)) as screen:
        return wait(screen), screen.process.returncode


def wait(screen: Terminal) -> bytes:
    """Read until the program has ended; all that it wrote."""
    while screen.read(END_S):
        pass
    screen.process.wait(END_S)
    return screen.written
