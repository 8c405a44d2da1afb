"""A real pseudo-terminal with a program in it: keys are typed, bytes are read, and a screen is kept."""

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.driven import drives

ROOT = Path(__file__).parents[2]
_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[PX^_\]].*?(?:\x1b\\|\x07)|[ -/]*[0-~])", re.DOTALL)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[PX^_\]](?:(?!\x1b\\|\x07).)*|[ -/]*)\Z", re.DOTALL)
"""A sequence whose end has not been read yet."""


class Terminal:
    """The output of a program in a terminal so far, and its keyboard."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int) -> None:
        self.process = process
        self._master = master
        self._output = bytearray()
        self._written = b""

    @property
    def written(self) -> bytes:
        """The whole output so far."""
        # Megabytes arrive in thousands of chunks: only what is read of them is copied.
        if len(self._written) != len(self._output):
            self._written = bytes(self._output)
        return self._written

    def press(self, *keys: str) -> None:
        """Type keys, sent as a terminal sends them."""
        for key in keys:
            os.write(self._master, _KEYS.get(key, key).encode())

    def press_until(self, *keys: str, until: str) -> None:
        """Type, and wait until `until` has been drawn since then; if it is empty, do not wait."""
        since = len(self._output)
        self.press(*keys)
        if until:
            self.wait_for(until, since=since)

    def close(self) -> None:
        """Close the terminal, once. No signal is sent: the program's session does not depend on this terminal."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def read(self, within_s: float) -> bool:
        """Read the available output; False if nothing arrived in time, or the program has ended."""
        if not select.select([self._master], [], [], within_s)[0]:
            return False
        with contextlib.suppress(OSError):
            chunk = os.read(self._master, 1 << 16)
            self._output += chunk
            return bool(chunk)
        return False

    def wait_for(self, text: str, *, since: int = 0, limit_s: float = 60) -> int:
        """Wait until `text` has been drawn after byte `since`; return where the output then ends."""
        until = time.monotonic() + limit_s
        drawn = self.drawn(since)
        while text not in drawn.text():
            assert time.monotonic() < until, (
                f"{text!r} was not drawn; the end of what was:\n{self.end(since)}"
            )
            if not self.read(0.2) and self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}:\n{self.end(since)}")
        return len(self._output)

    def drawn(self, since: int) -> "Drawn":
        """The text drawn after byte `since`, as far as it has been read whenever it is asked for."""
        return Drawn(self._output, since)

    def settle(self, quiet_s: float = 0.4, limit_s: float = 10) -> None:
        """Read until no output has arrived for a while."""
        until = time.monotonic() + limit_s
        while time.monotonic() < until and self.read(quiet_s):
            pass

    def wait_for_end(self, limit_s: float = 60) -> int:
        """Read all output until the program has ended; its exit code."""
        until = time.monotonic() + limit_s
        while self.process.poll() is None or self.read(0):
            assert time.monotonic() < until, f"it did not end; the end of what it wrote:\n{self.end()}"
            self.read(0.2)
        return self.process.returncode

    def plain(self, since: int = 0) -> str:
        """The drawn text, without the sequences that position and colour it."""
        return plain(bytes(self._output[since:]))

    def end(self, since: int = 0) -> str:
        """The end of the drawn text, for a message; the redraws of a blinking cursor take up little of it."""
        return " ".join(self.plain(since).split())[-5000:]

    def sequences(self) -> list[bytes]:
        """Every escape sequence that was written."""
        return _SEQUENCE.findall(self.written)


class Drawn:
    """The text that was drawn after a byte of the output, without sequences; each chunk is searched for them once."""

    def __init__(self, output: bytearray, since: int) -> None:
        self._output = output
        self._at = since
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""

    def text(self) -> str:
        """The text so far, without a sequence at its end that is not finished yet."""
        new = bytes(self._output[self._at :])
        unfinished = _UNFINISHED.search(new)
        end = unfinished.start() if unfinished else len(new)
        self._text += self._decoder.decode(_SEQUENCE.sub(b"", new[:end]))
        self._at += end
        return self._text


def plain(written: bytes) -> str:
    """The text of an output, without the sequences that position and colour it."""
    return _SEQUENCE.sub(b"", written).decode("utf-8", "replace")


# Escape as newer terminals send it: on a slow machine, a bare one and the key after it are read as one key with Alt.
_KEYS = {"enter": "\r", "escape": "\x1b[27u", "tab": "\t", "down": "\x1b[B", "up": "\x1b[A", "ctrl+p": "\x10"}


@contextmanager
def terminal(
    argv: Sequence[str], *, columns: int = 140, lines: int = 45, **environment: str
) -> Generator[Terminal]:
    """A program in a terminal of that size, ended afterwards with all its child processes."""
    drives()
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    # The test runner may have set these variables; they would override the terminal's own size.
    inherited = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        argv,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        env={**inherited, "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment},
        start_new_session=True,
    )
    os.close(slave)
    screen = Terminal(process, master)
    try:
        yield screen
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        screen.close()
