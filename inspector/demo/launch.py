"""Runs the demo as a program on standard streams, over HTTP, or as a page.

It runs until its client leaves or a signal stops it.
"""

import asyncio
import os
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Coroutine, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from inspector.demo.http import HttpSite
from inspector.demo.jsonrpc import read
from inspector.demo.protocol import Peer
from inspector.demo.server import DemoOptions, DemoServer, environment_seed
from inspector.errors import UnreachableError
from inspector.json.exact import Json, dump

GRACE_S = 0.5
"""The time limit for running calls and pending answers after the client has closed its side."""

_CHUNK_BYTES = 65_536


async def serve_streams(options: DemoOptions, port: int = 0) -> None:
    """Serve one client until it closes its side, or until this task is cancelled.

    `port`: the port of the redemption endpoint on 127.0.0.1; 0 for any free one. Raises UnreachableError if
    it cannot listen.
    """
    server = DemoServer(options)
    async with HttpSite(server, port=port, secrets_only=True) as site:
        print(f"serving the demo workspace; secrets at {site.origin}/secrets/", file=sys.stderr, flush=True)  # noqa: T201 it is what stderr is for
        writer = _Writer()
        peer = Peer(server)
        running: set[asyncio.Task[None]] = set()
        try:
            async for line in _lines():
                task = asyncio.create_task(_take(peer, line, writer))
                running.add(task)
                task.add_done_callback(running.discard)
            if running:
                await asyncio.wait(running, timeout=GRACE_S)
        finally:
            for task in running:
                task.cancel()
            writer.close()


async def _take(peer: Peer, line: bytes, writer: "_Writer") -> None:
    answer = await peer.receive(read(line), writer.write)
    if answer is not None:
        writer.write(answer)


async def _lines() -> AsyncIterator[bytes]:
    # A thread instead of asyncio's pipes: these refuse regular files, and they would make a terminal
    # non-blocking that the client uses too.
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue()
    threading.Thread(target=_read_into, args=(loop, chunks), name="stdin", daemon=True).start()
    rest = bytearray()
    while chunk := await chunks.get():
        rest += chunk
        if b"\n" in chunk:
            *lines, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
            for line in lines:
                if line.strip():
                    yield line
    if rest.strip():
        yield bytes(rest)


def _read_into(loop: asyncio.AbstractEventLoop, chunks: asyncio.Queue[bytes]) -> None:
    # The loop may be closed while the thread waits for input.
    with suppress(RuntimeError):
        while True:
            try:
                chunk = os.read(0, _CHUNK_BYTES)
            except OSError:
                chunk = b""
            loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            if not chunk:
                return


class _Writer:
    """Writes messages to standard output in a thread, so that only the thread blocks if the client does not read."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)
        self._thread.start()

    def write(self, message: Json) -> None:
        self._waiting.put(dump(message) + b"\n")

    def close(self) -> None:
        self._waiting.put(b"")
        self._thread.join(GRACE_S)

    def _run(self) -> None:
        # If the client is gone, the end of standard input reports that.
        with suppress(OSError):
            while line := self._waiting.get():
                view = memoryview(line)
                while view:
                    view = view[os.write(1, view) :]


def serve_stdio(options: DemoOptions | None = None, port: int = 0) -> None:
    """Serve on standard streams until the end of input, SIGTERM or SIGINT.

    `port`: the port of the redemption endpoint. Raises UnreachableError if it cannot listen.
    """
    asyncio.run(_until_stopped(serve_streams(options or DemoOptions(seed=environment_seed()), port)))


def serve_http(port: int = 0, options: DemoOptions | None = None) -> None:
    """Serve on 127.0.0.1 until SIGTERM or SIGINT. Raises UnreachableError if it cannot listen."""
    site = HttpSite(DemoServer(options or DemoOptions(seed=environment_seed())), port=port)
    asyncio.run(_until_stopped(_serve(site)))


def serve_page(port: int = 0, options: DemoOptions | None = None) -> None:
    """Serve the page on 127.0.0.1 until SIGTERM or SIGINT. Raises UnreachableError if it cannot listen."""
    asyncio.run(_until_stopped(_serve(_page(port, options))))


@contextmanager
def page_beside(options: DemoOptions | None = None, port: int = 0) -> Generator[str]:
    """Serve the page in a thread while the block runs. Yields its URL.

    Raises UnreachableError if it cannot listen.
    """
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


def _page(port: int, options: DemoOptions | None) -> HttpSite:
    from inspector.demo.page.site import PageSite  # noqa: PLC0415 - only for the page

    return PageSite(DemoServer(options or DemoOptions(seed=environment_seed())), port=port)


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
        print(f"listening on {site.url}", file=sys.stderr, flush=True)  # noqa: T201 the parent process reads this
        await asyncio.Event().wait()


async def _until_stopped(work: Coroutine[None, None, None]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.create_task(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
