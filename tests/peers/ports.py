"""Ports for servers that a test starts later, or again."""

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """A port that the system gives to no other process meanwhile: it is none of those that it chooses itself."""
    for port in random.sample(range(20_000, 30_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no port is free")


def free_redirect_uri() -> str:
    """A redirect URI with such a port, for a client that is registered before it starts."""
    return f"http://127.0.0.1:{free_port()}/callback"
