"""The tap: turns the bytes of the wire into frames before anything interprets them."""

import asyncio
import time
from collections.abc import Callable, Sequence

from inspector.json.exact import parse
from inspector.protocol.exchanges import Exchanges, Matched
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.outcome import Failure

LARGE_BYTES = 128 * 1024
"""The maximum size of a body that is parsed on the event loop. Larger ones are parsed in a thread."""

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""The default limit for one message. A longer one ends a stdio connection, or fails its HTTP request."""

JSON_CHANNELS = frozenset({Channel.STDIO, Channel.HTTP, Channel.SSE, Channel.CDP})


class Tap:
    """Makes a numbered, timed and parsed frame of each unit of the wire, and matches answers with requests.

    `sink` is called with each frame, in order, and with one event for each message in the frame.
    """

    def __init__(
        self,
        sink: Callable[[Matched], None],
        mask: Callable[[str], str] = str,
        mask_lines: Callable[[Sequence[str]], Sequence[str]] = tuple,
    ) -> None:
        """`mask`: masks the user's credentials in notes and failures, which may quote the server.

        `mask_lines`: masks secrets other than credentials in lines of the server that a failure quotes.
        """
        self._sink = sink
        self.mask = mask
        self.mask_lines = mask_lines
        self._exchanges = Exchanges()
        self._started_s = time.monotonic()
        self._count = 0

    def now_s(self) -> float:
        """Seconds since the connection was requested."""
        return time.monotonic() - self._started_s

    async def take(
        self,
        direction: Direction,
        channel: Channel,
        raw: bytes,
        *,
        head: str = "",
        is_json: bool = True,
        response_to: str | None = None,
    ) -> Matched:
        """Record a line, a body or an event as a frame.

        `is_json`: False for bodies that are not declared as JSON.
        """
        at_s = self.now_s()
        body = None
        if is_json and channel in JSON_CHANNELS:
            body = await asyncio.to_thread(parse, raw) if len(raw) > LARGE_BYTES else parse(raw)
        return self._emit(
            Frame(
                number=self._next(),
                at_s=at_s,
                direction=direction,
                channel=channel,
                raw=raw,
                head=head,
                response_to=response_to,
                body=body,
            )
        )

    def note(
        self,
        text: str,
        *,
        ends: str | None = None,
        asked_by: Direction = Direction.SENT,
        failure: Failure | None = None,
    ) -> None:
        """Record an event for which nothing was sent.

        `ends`: the `request_key` of the request that gets no answer because of this event. `asked_by`:
        `RECEIVED` if the server sent that request. `failure`: the outcome of that request.
        """
        self._emit(
            Frame(
                number=self._next(),
                at_s=self.now_s(),
                direction=asked_by.opposite,
                channel=Channel.NOTE,
                raw=self.mask(text).encode("utf-8", "replace"),
                ends=ends,
                failure=failure.kind.value if failure else "",
                http_status=failure.http_status if failure else None,
            )
        )

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _emit(self, frame: Frame) -> Matched:
        matched = self._exchanges.take(frame)
        self._sink(matched)
        return matched
