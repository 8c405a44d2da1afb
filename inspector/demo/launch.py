"""Running the demo as a program: until its client leaves, or somebody asks it to stop."""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress

from inspector.demo import stdio
from inspector.demo.http import HttpSite
from inspector.demo.options import Options, environment_seed
from inspector.demo.server import DemoServer


def serve_stdio(options: Options | None = None, port: int = 0) -> None:
    """Serve on standard input and output. Returns at the end of input, on SIGTERM and on SIGINT.

    `port`: of the redemption endpoint. Raises UnreachableError where it cannot listen.
    """
    asyncio.run(_until_stopped(stdio.serve(options or Options(seed=environment_seed()), port)))


def serve_http(port: int = 0, options: Options | None = None) -> None:
    """Serve on 127.0.0.1. Returns on SIGTERM and on SIGINT. Raises UnreachableError where it cannot listen."""
    asyncio.run(_until_stopped(_serve_http(port, options or Options(seed=environment_seed()))))


async def _serve_http(port: int, options: Options) -> None:
    async with HttpSite(DemoServer(options), port=port) as site:
        print(f"listening on {site.url}", file=sys.stderr, flush=True)  # noqa: T201 whoever started it reads this
        await asyncio.Event().wait()


async def _until_stopped(work: Coroutine[None, None, None]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.create_task(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
