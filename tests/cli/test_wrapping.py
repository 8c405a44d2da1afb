"""Lines are wrapped as by a walk over their characters; on a terminal at words."""

import fcntl
import json
import os
import pty
import random
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from inspector.cli.output import at_words, cells, wrapped
from tests.cli.sightline import ROOT
from tests.peers.terminal import terminal

ALPHABETS = ("ab ", "ab \u0301", "a\u6f22 ", "\u6f22\u5b57", "x", " ")


def walked(text: str, width: int) -> list[str]:
    """The result of `wrapped`, computed character by character."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        taken, stop = 0, start
        while stop < len(text):
            taken += cells(text[stop])
            if taken > width and stop > start:
                break
            stop += 1
        if stop < len(text):
            blank = text.rfind(" ", start, stop)
            if blank - start > width // 2 and cells(text[blank + 1]):
                stop = blank + 1
        pieces.append(text[start:stop])
        start = stop
    return pieces or [""]


def test_wrapping_agrees_with_a_walk_over_all_characters() -> None:
    chosen = random.Random(7)  # noqa: S311 - the same lines each time
    for _ in range(20_000):
        length = chosen.randrange(40)
        text = "".join(chosen.choice(chosen.choice(ALPHABETS)) for _ in range(length))
        width = chosen.randrange(1, 12)
        assert wrapped(text, width) == walked(text, width), (text, width)


def test_rows_break_at_words_and_keep_every_character() -> None:
    chosen = random.Random(7)  # noqa: S311 - the same lines each time
    for _ in range(20_000):
        length = chosen.randrange(60)
        text = "".join(chosen.choice(chosen.choice(ALPHABETS)) for _ in range(length))
        width = chosen.randrange(4, 24)
        rows = at_words(text, width)
        leading = len(text) - len(text.lstrip(" "))
        indent = " " * min(leading + 2, width // 2)
        assert all(row.startswith(indent) for row in rows[1:])
        assert " ".join([rows[0], *(row.removeprefix(indent) for row in rows[1:])]) == text
        assert [word for row in rows for word in row.split()] == text.split(), (text, width)
        # Only a word that is longer than a row is.
        assert all(cells(row.rstrip()) <= width or len(row.split()) == 1 for row in rows), (text, width)
        assert rows[0].startswith(text[: len(text) - len(text.lstrip(" "))])
    assert at_words("  ! one two three", 10) == ["  ! one", "    two", "    three"]


LONG = (
    ("--help",),
    ("call", "--help"),
    ("list", "demo", "-q"),
    ("context", "demo"),
    ("hosts",),
    ("review", "demo", "-q"),
    ("call", "generate_api_key", "demo", "--arg", "name=a", "--yes", "-q"),
)


@pytest.mark.parametrize("argv", LONG, ids=" ".join)
def test_a_terminal_gets_no_word_in_two_parts_and_a_pipe_the_lines_as_they_are(argv: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "inspector", *argv]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(command, stdout=theirs, stdin=theirs, env=environment, cwd=ROOT) as process:
        os.close(theirs)
        shown = _read(ours).decode().replace("\r\n", "\n")
    os.close(ours)
    assert process.returncode in {0, 5, 11}
    rows = shown.splitlines()
    assert max(map(cells, rows)) > 60
    assert [row for row in rows if cells(row) > 80 and len(row.split()) > 1] == []
    if argv[0] == "list":
        # The columns leave no room for the last one, which is whole below them.
        assert "    Create an API key for the current user. The key is shown once." in rows
    if argv == ("hosts",):
        assert not any(row.endswith("…") for row in rows)
    piped = subprocess.run(
        command, check=False, capture_output=True, env={**environment, "COLUMNS": "80"}, cwd=ROOT, text=True
    )
    if argv[-1] == "-q" and argv[0] == "review":
        assert any(len(line) > 80 for line in piped.stdout.splitlines())
        assert piped.stdout.split() == shown.split()


def test_a_command_to_copy_stays_in_one_line(tmp_path: Path) -> None:
    home = tmp_path / "a folder with a long name and blanks in it"
    home.mkdir()
    path = home / ".claude.json"
    path.write_text(json.dumps({"mcpServers": {"notes": {"command": "node", "args": ["server.js"] * 12}}}))
    with terminal(
        (sys.executable, "-m", "inspector", "discover"), columns=80, HOME=str(home), NO_COLOR="1"
    ) as screen:
        assert screen.wait_for_end() == 0
    rows = screen.plain().splitlines()
    assert f"    sightline {shlex.quote(f'{path}:notes')}" in rows
    assert f"  notes: node {' '.join(['server.js'] * 12)}" in rows


def _read(ours: int) -> bytes:
    """The bytes that arrive on a file descriptor until its other end is closed."""
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            return written
        if not piece:
            return written
        written += piece
