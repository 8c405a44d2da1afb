"""A WebSocket that is read in its own thread, so that messages of 50 MB do not block the event loop."""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidURI
from websockets.sync.client import ClientConnection, connect

from inspector.errors import UnreachableError

MAX_MESSAGE_BYTES = 128 << 20
"""The maximum size of a message. A larger one ends the connection; a result of 100 MB fits."""
MAX_WAITING = 256
"""The maximum number of messages that wait for the event loop; at that number, reading pauses."""
TOO_LARGE = 1009
"""The RFC 6455 code for a message that is too large."""


class Socket:
    """One connection. Only the event loop that opened the connection may call `receive` and `send`."""

    def __init__(self, most_bytes: int, most_bytes_in_all: int | None) -> None:
        self._most_bytes = most_bytes
        self._most_bytes_in_all = most_bytes_in_all
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[ClientConnection] = self._loop.create_future()
        self._messages: deque[bytes] = deque()
        self._room = threading.Semaphore(MAX_WAITING)
        self._arrived = asyncio.Event()
        self._is_woken = False
        """True if the event loop has been woken and has not handled the messages yet."""
        self._sending = asyncio.Lock()
        self._ended = ""
        self._is_unwanted = threading.Event()
        self._connection: ClientConnection | None = None
        self._thread: threading.Thread | None = None

    @classmethod
    async def open(
        cls,
        url: str,
        timeout_s: float,
        *,
        most_bytes: int | None = None,
        most_bytes_in_all: int | None = None,
    ) -> "Socket":
        """Open a connection. Raises UnreachableError.

        `most_bytes`: the limit for one message; None for the default limit. `most_bytes_in_all`: the limit
        for all messages together. If a limit is exceeded, the connection ends.
        """
        socket = cls(MAX_MESSAGE_BYTES if most_bytes is None else most_bytes, most_bytes_in_all)
        socket._thread = threading.Thread(
            target=socket._run, args=(url, timeout_s), name="socket", daemon=True
        )
        socket._thread.start()
        try:
            socket._connection = await socket._opened
        except (OSError, TimeoutError, ValueError, InvalidHandshake, InvalidMessage, InvalidURI) as error:
            raise UnreachableError(
                f"the browser's debugging port does not answer: {error}", "Check --cdp, or leave it out."
            ) from error
        except asyncio.CancelledError:
            socket._is_unwanted.set()
            raise
        return socket

    async def receive(self) -> bytes:
        """Wait for the next message and return it.

        Raises ConnectionError with the reason if the connection has ended.
        """
        while not self._messages:
            if self._ended:
                raise ConnectionError(self._ended)
            self._arrived.clear()
            await self._arrived.wait()
        self._room.release()
        return self._messages.popleft()

    async def send(self, raw: bytes) -> None:
        if self._connection is None:
            raise ConnectionError("not connected to the browser")
        try:
            async with self._sending:
                await asyncio.to_thread(self._connection.send, raw, text=True)
        except ConnectionClosed as error:
            raise ConnectionError("the browser closed the connection") from error

    async def close(self) -> None:
        self._room.release(MAX_WAITING)
        if self._connection is not None and self._thread is not None:
            await asyncio.to_thread(self._connection.close)
            await asyncio.to_thread(self._thread.join)

    def _run(self, url: str, timeout_s: float) -> None:
        try:
            # No proxy: the browser runs on this machine.
            with connect(
                url,
                max_size=self._most_bytes,
                compression=None,
                open_timeout=timeout_s,
                close_timeout=1,
                ping_interval=None,
                proxy=None,
            ) as connection:
                if not self._is_unwanted.is_set():
                    self._in_loop(partial(_settle, self._opened, connection))
                    self._in_loop(partial(self._end, self._read(connection)))
        except Exception as error:  # noqa: BLE001 - a thread that ends without an outcome would be waited for without end
            self._in_loop(partial(_settle, self._opened, error))

    def _read(self, connection: ClientConnection) -> str:
        """Queue messages until the connection ends. Returns the reason why it ended."""
        received = 0
        try:
            while True:
                raw = connection.recv(decode=False)
                received += len(raw)
                if self._most_bytes_in_all is not None and received > self._most_bytes_in_all:
                    return f"the browser sent more than {self._most_bytes_in_all >> 20} MiB"
                self._room.acquire()
                self._messages.append(raw)
                # Wake the event loop once for several messages, because each wake-up takes the interpreter lock.
                if not self._is_woken:
                    self._is_woken = True
                    self._in_loop(self._look)
        except ConnectionClosed as error:
            if error.sent is not None and error.sent.code == TOO_LARGE:
                return f"the browser sent a message of more than {self._most_bytes >> 20} MiB"
        return "the browser closed the connection"

    def _look(self) -> None:
        # Reset first, so that later messages wake the loop again.
        self._is_woken = False
        self._arrived.set()

    def _end(self, why: str) -> None:
        self._ended = why
        self._arrived.set()

    def _in_loop(self, work: Callable[[], None]) -> None:
        # The event loop may have ended.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(work)


def _settle(opened: "asyncio.Future[ClientConnection]", outcome: ClientConnection | Exception) -> None:
    if opened.done():
        return
    if isinstance(outcome, Exception):
        opened.set_exception(outcome)
    else:
        opened.set_result(outcome)
