"""Processes that are ours from start to end, whatever happens to us."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


async def has_ended(process: asyncio.subprocess.Process, within_s: float) -> bool:
    """Whether it ends within that time."""
    # `wait` also waits for pipes that a grandchild may hold open; the exit code alone tells.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), within_s)
    return process.returncode is not None


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to every process of a group; none where the group is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def die_with_parent() -> None:
    """To be run in a child before its program: it ends with us, even where we are killed without warning."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
