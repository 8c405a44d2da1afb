"""Running the demo as a program: until its client leaves, or somebody asks it to stop."""

import asyncio
import signal
import sys
import threading
from collections.abc import Coroutine, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from inspector.demo import stdio
from inspector.demo.http import HttpSite
from inspector.demo.options import Options, environment_seed
from inspector.demo.server import DemoServer
from inspector.errors import UnreachableError


def serve_stdio(options: Options | None = None, port: int = 0) -> None:
    """Serve on standard input and output. Returns at the end of input, on SIGTERM and on SIGINT.

    `port`: of the redemption endpoint. Raises UnreachableError where it cannot listen.
    """
    asyncio.run(_until_stopped(stdio.serve(options or Options(seed=environment_seed()), port)))


def serve_http(port: int = 0, options: Options | None = None) -> None:
    """Serve on 127.0.0.1. Returns on SIGTERM and on SIGINT. Raises UnreachableError where it cannot listen."""
    site = HttpSite(DemoServer(options or Options(seed=environment_seed())), port=port)
    asyncio.run(_until_stopped(_serve(site)))


def serve_page(port: int = 0, options: Options | None = None) -> None:
    """Serve the page on 127.0.0.1. Returns on SIGTERM and on SIGINT. Raises UnreachableError where it cannot listen."""
    asyncio.run(_until_stopped(_serve(_page(port, options))))


@contextmanager
def page_beside(options: Options | None = None, port: int = 0) -> Generator[str]:
    """The URL of the page, which a thread serves while the block runs. Raises UnreachableError where it cannot listen."""
    ready: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    site = _page(port, options)
    thread = threading.Thread(
        target=lambda: asyncio.run(_serve_beside(site, ready)), name="demo page", daemon=True
    )
    thread.start()
    url, loop, leave = ready.result()
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(leave.set)
        thread.join()


def _page(port: int, options: Options | None) -> HttpSite:
    from inspector.demo.page.site import PageSite  # noqa: PLC0415 - only for the page

    return PageSite(DemoServer(options or Options(seed=environment_seed())), port=port)


async def _serve_beside(
    site: HttpSite, ready: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]]
) -> None:
    leave = asyncio.Event()
    try:
        async with site:
            ready.set_result((site.url, asyncio.get_running_loop(), leave))
            await leave.wait()
    except UnreachableError as error:
        ready.set_exception(error)


async def _serve(site: HttpSite) -> None:
    async with site:
        print(f"listening on {site.url}", file=sys.stderr, flush=True)  # noqa: T201 whoever started it reads this
        await asyncio.Event().wait()


async def _until_stopped(work: Coroutine[None, None, None]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.create_task(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
