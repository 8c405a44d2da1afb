"""One process of a server of the SDK for many tests, over HTTP: such a server takes a second of processor time to start."""

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.peers.ports import free_port


@contextmanager
def shared(server: Path) -> Generator[str]:
    """The server in this file, started with `http PORT`; its address once it accepts connections."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(server), "http", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 30
        while not _accepts(port):
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
