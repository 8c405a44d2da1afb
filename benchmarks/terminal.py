"""A pseudo-terminal: how long until something stands on the screen."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence


def seconds_until(
    argv: Sequence[str], *shown: bytes, size: tuple[int, int] = (140, 45), limit_s: float = 30
) -> list[float]:
    """Start a program in a terminal; the seconds until each text has been written, in this order. Then it is ended."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    started = time.perf_counter()
    process = subprocess.Popen(
        argv, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    os.close(slave)
    found: list[float] = []
    written = b""
    try:
        while len(found) < len(shown):
            left_s = limit_s - (time.perf_counter() - started)
            if left_s <= 0 or not select.select([master], [], [], left_s)[0]:
                raise TimeoutError(f"{shown[len(found)]!r} was not shown within {limit_s} s")
            written += os.read(master, 1 << 16)
            while len(found) < len(shown) and shown[len(found)] in written:
                found.append(time.perf_counter() - started)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(master)
    return found
