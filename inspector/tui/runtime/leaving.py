"""Ends the program without waiting long for threads that are still working."""

import asyncio
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

_NAME = "sightline-making"
_GRACE_S = 1.0


async def run_and_leave(interface: Callable[[], Awaitable[object]]) -> None:
    """Run the terminal interface to its end. Does not wait for threads that are still working then."""
    loop = asyncio.get_running_loop()
    threads = ThreadPoolExecutor(thread_name_prefix=_NAME)
    loop.set_default_executor(threads)
    try:
        await interface()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        # asyncio would wait for the threads of the current executor, however long that takes.
        loop.set_default_executor(ThreadPoolExecutor(max_workers=1))


def wait_a_moment() -> None:
    """Wait up to a second for threads that end soon, for example after writing a line."""
    until_s = time.monotonic() + _GRACE_S
    for thread in _at_work():
        thread.join(max(0.0, until_s - time.monotonic()))


def end_at_once(code: int) -> None:
    """End the process if threads are still working, because Python would wait for them. Otherwise, return.

    Call it after everything that must be closed is closed.
    """
    if _at_work():
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def end_with_the_terminal() -> None:
    """Start a thread that ends the program when its terminal is gone.

    The system sends SIGHUP only to the session of that terminal. In another session, the program would run
    on, without a terminal to quit it from or to write to.
    """
    if hasattr(select, "poll"):
        threading.Thread(target=_watch_terminal, name="sightline-terminal", daemon=True).start()


def _watch_terminal() -> None:
    watch = select.poll()
    watch.register(sys.__stdin__ or 0, 0)
    if any(event & select.POLLHUP for _, event in watch.poll()):
        os.kill(os.getpid(), signal.SIGHUP)
        # SIGHUP may be ignored, as under nohup.
        os._exit(128 + signal.SIGHUP)


def _at_work() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith(_NAME)]
