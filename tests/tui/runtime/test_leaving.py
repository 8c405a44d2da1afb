"""Threads that are still running when the interface is left."""

import subprocess
import sys

_BEGIN = """
import asyncio, sys, threading, time
from inspector.tui.runtime.leaving import end_at_once, run_and_leave, wait_a_moment
begun, never = threading.Event(), threading.Event()
def work(done):
    begun.set()
    done()
async def interface(done):
    working = asyncio.ensure_future(asyncio.to_thread(work, done))
    while not begun.is_set():
        await asyncio.sleep(0.001)
def leave(done):
    asyncio.run(run_and_leave(lambda: interface(done)))
    print("left", flush=True)
    wait_a_moment()
"""


def run(code: str, limit_s: float = 20) -> tuple[int, list[str]]:
    """The exit code, and the output. Raises TimeoutExpired if it does not end."""
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + code], capture_output=True, text=True, timeout=limit_s, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout.split()


def test_a_thread_that_never_ends_does_not_keep_the_program_running() -> None:
    # Not flushed: an immediate end must not lose written output.
    assert run("leave(never.wait)\nprint('closed')\nend_at_once(7)\nprint('not reached')\n") == (
        7,
        ["left", "closed"],
    )


def test_a_thread_that_ends_soon_is_awaited() -> None:
    code = "leave(lambda: (time.sleep(0.2), print('written', flush=True)))\nend_at_once(7)\nprint('after')\n"
    status, lines = run(code)
    # On a busy machine, the thread may end first.
    assert (status, sorted(lines[:2]), lines[2:]) == (0, ["left", "written"], ["after"])
