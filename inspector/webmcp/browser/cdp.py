"""Speaks the Chrome DevTools Protocol over a WebSocket, in flat mode.

Each message becomes a frame, except for the events that `Cdp.hide` keeps out, and for quiet requests
(`is_quiet` in `Cdp.send`) and their replies.

Source: https://chromedevtools.github.io/devtools-protocol/. Results and parameters are not validated.
"""

import asyncio
from collections.abc import Awaitable, Callable

from msgspec import Struct

from inspector.connect.tap import LARGE_BYTES, Tap
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump, parse
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.webmcp.browser.socket import Socket

REPLY_TIMEOUT_S = 30.0
SHARE_S = 0.004
"""The maximum time in which messages are processed before other tasks run."""


class CdpError(Exception):
    """The browser answered with an error."""

    def __init__(self, method: str, error: Json) -> None:
        self.error = error
        message = error.get("message") if isinstance(error, dict) else None
        super().__init__(f"{method}: {message if isinstance(message, str) else 'the browser refused'}")

    @property
    def is_unknown_method(self) -> bool:
        return isinstance(self.error, dict) and self.error.get("code") == -32601


class CdpLostError(ConnectionError):
    """The connection to the browser is lost."""


class CdpEvent(Struct, frozen=True, kw_only=True):
    """An event of the browser."""

    method: str
    params: JsonObject
    session: str
    """The id of the DevTools session of the event; empty for an event of the browser itself."""
    frame: Frame


class Cdp:
    """One connection to a browser. Requests may run concurrently."""

    def __init__(
        self,
        tap: Tap,
        on_event: Callable[[CdpEvent], Awaitable[None]],
        on_lost: Callable[[str], None],
        *,
        most_bytes: int | None = None,
        most_bytes_in_all: int | None = None,
    ) -> None:
        """`on_event`: awaited for each event; nothing is read meanwhile.

        `on_lost`: called once with the reason, but not after `close`. `most_bytes`: the limit for one message
        from the browser; None for the default limit. `most_bytes_in_all`: the limit for all messages
        together. If a limit is exceeded, the connection is lost.
        """
        self._tap = tap
        self._most_bytes = most_bytes
        self._most_bytes_in_all = most_bytes_in_all
        self._on_event = on_event
        self._on_lost = on_lost
        self._socket: Socket | None = None
        self._reader: asyncio.Task[None] | None = None
        self._next_id = 0
        self._pending: dict[int, asyncio.Future[Json]] = {}
        self._quiet: set[int] = set()
        """Ids of requests whose replies do not become frames.

        An id stays until its reply arrives, however late.
        """
        self._is_closing = False
        self._hidden: tuple[str, ...] = ()
        self._on_hidden: Callable[[str, JsonObject, str], None] = _ignore

    def hide(self, prefixes: tuple[str, ...], on_event: Callable[[str, JsonObject, str], None]) -> None:
        """Keep events whose methods start with `prefixes` out of frames, because they hold private data.

        `on_event`: called with the method, parameters and session of each of these events.
        """
        self._hidden, self._on_hidden = prefixes, on_event

    async def open(self, url: str, timeout_s: float) -> None:
        self._socket = await Socket.open(
            url, timeout_s, most_bytes=self._most_bytes, most_bytes_in_all=self._most_bytes_in_all
        )
        self._reader = asyncio.ensure_future(self._read(self._socket))

    async def send(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        session: str = "",
        timeout_s: float = REPLY_TIMEOUT_S,
        is_quiet: bool = False,
        is_large: bool = False,
        on_sent: Callable[[Frame], None] | None = None,
    ) -> JsonObject:
        """Send a request and wait for its result. Raises CdpError, TimeoutError, CdpLostError.

        `is_quiet`: keep request and reply out of frames, because they may hold a secret. `is_large`:
        serialize the request in a thread, because it may be large. `on_sent`: called with the frame of a
        request that is not quiet.
        """
        self._next_id += 1
        number = self._next_id
        message: JsonObject = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        raw = await asyncio.to_thread(dump, message) if is_large else dump(message)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            if is_quiet:
                self._quiet.add(number)
            else:
                sent = await self._tap.take(Direction.SENT, Channel.CDP, raw)
                if on_sent is not None:
                    on_sent(sent.frame)
            await self._write(raw)
            async with asyncio.timeout(timeout_s):
                reply = await answer
        finally:
            self._pending.pop(number, None)
        if not isinstance(reply, dict) or "error" in reply:
            raise CdpError(method, reply.get("error") if isinstance(reply, dict) else None)
        result = reply.get("result")
        return result if isinstance(result, dict) else {}

    async def close(self) -> None:
        self._is_closing = True
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        self._fail("Sightline closed the connection")

    async def _write(self, raw: bytes) -> None:
        if self._socket is None:
            raise CdpLostError("not connected to the browser")
        try:
            await self._socket.send(raw)
        except ConnectionError as error:
            raise CdpLostError(str(error)) from error

    async def _read(self, socket: Socket) -> None:
        why = "the browser's messages could not be read"
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            while True:
                await self._take(await socket.receive())
                # Messages that have already arrived are processed without switching tasks.
                if clock() - started > SHARE_S:
                    await asyncio.sleep(0)
                    started = clock()
        except ConnectionError as error:
            why = str(error)
        finally:
            if not self._is_closing:
                self._fail(why)
                self._on_lost(why)

    async def _take(self, raw: bytes) -> None:
        if self._quiet and await self._is_quiet_reply(raw):
            return
        if any(prefix.encode() in raw for prefix in self._hidden) and await self._is_hidden_event(raw):
            return
        frame = (await self._tap.take(Direction.RECEIVED, Channel.CDP, raw)).frame
        match frame.body:
            case JsonText(value={"id": int(number), **reply}):
                self._settle(number, reply)
            case JsonText(value={"method": str(method), **rest}):
                params, session = rest.get("params"), rest.get("sessionId")
                await self._on_event(
                    CdpEvent(
                        method=method,
                        params=params if isinstance(params, dict) else {},
                        session=session if isinstance(session, str) else "",
                        frame=frame,
                    )
                )
            case _:
                # Nothing waits for an invalid message; the timeline shows it.
                pass

    async def _is_quiet_reply(self, raw: bytes) -> bool:
        """If `raw` is the reply to a quiet request, end the wait for it. Returns whether it is one."""
        body = await asyncio.to_thread(parse, raw) if len(raw) > LARGE_BYTES else parse(raw)
        if isinstance(body, Malformed) or not isinstance(body.value, dict):
            return False
        number = body.value.get("id")
        if not isinstance(number, int) or number not in self._quiet:
            return False
        self._quiet.discard(number)
        self._settle(number, body.value)
        return True

    async def _is_hidden_event(self, raw: bytes) -> bool:
        """If `raw` is a hidden event, pass it to the callback. Returns whether it is one."""
        body = await asyncio.to_thread(parse, raw) if len(raw) > LARGE_BYTES else parse(raw)
        match body:
            case JsonText(value={"method": str(method), **rest}) if method.startswith(self._hidden):
                params, session = rest.get("params"), rest.get("sessionId")
                self._on_hidden(
                    method,
                    params if isinstance(params, dict) else {},
                    session if isinstance(session, str) else "",
                )
                return True
            case _:
                return False

    def _settle(self, number: int, reply: JsonObject) -> None:
        answer = self._pending.get(number)
        if answer is not None and not answer.done():
            answer.set_result(reply)

    def _fail(self, why: str) -> None:
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(CdpLostError(why))


def _ignore(method: str, params: JsonObject, session: str) -> None:
    del method, params, session
