"""Finds out whether an HTTP server is running, by a connection on which nothing is sent."""

import asyncio
import contextlib

from inspector.urls.origin import Origin

_TRY_S = 2.0
"""Time limit for one attempt to connect."""
_FIRST_S, _LONGEST_S = 0.05, 2.0
"""The first and the longest wait between two attempts, in seconds. The wait doubles after each attempt."""
RETURN_S = 600.0
"""The maximum number of seconds to wait until a server accepts connections again."""


async def until_gone(origin: Origin) -> float | None:
    """Wait until the server closes an idle connection, as it does with all connections when it ends.

    Returns the seconds that the connection was open; None if there was no connection.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_TRY_S):
            reader, writer = await asyncio.open_connection(origin.host.strip("[]"), origin.port)
    except (OSError, TimeoutError):
        return None
    began_s = loop.time()
    try:
        with contextlib.suppress(OSError):
            while await reader.read(1 << 10):
                pass
    finally:
        writer.close()
    return loop.time() - began_s


async def is_there(origin: Origin) -> bool:
    """True if the server accepts a connection."""
    try:
        async with asyncio.timeout(_TRY_S):
            _, writer = await asyncio.open_connection(origin.host.strip("[]"), origin.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def until_back(origin: Origin) -> bool:
    """Wait until the server accepts connections. Returns False if it does not within `RETURN_S`."""
    loop = asyncio.get_running_loop()
    ends_s, wait_s = loop.time() + RETURN_S, _FIRST_S
    while not await is_there(origin):
        if loop.time() > ends_s:
            return False
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, _LONGEST_S)
    return True
