"""The tap: bytes become frames here, before anyone interprets them."""

import asyncio
import time
from collections.abc import Callable

from inspector.core.frames import Channel, Direction, Frame
from inspector.core.json_text import JsonText, Malformed, parse

LARGE_BYTES = 128 * 1024
"""Larger bodies are parsed in a thread, so that the event loop stays free."""

JSON_CHANNELS = frozenset({Channel.STDIO, Channel.HTTP, Channel.SSE, Channel.CDP})


class Tap:
    """Numbers, times and parses frames, each once, and hands them to `sink` in their order."""

    def __init__(self, sink: Callable[[Frame], None], cover: Callable[[str], str] = str) -> None:
        """`cover`: covers the user's credentials in what is said of the connection, which may quote the server."""
        self._sink = sink
        self.cover = cover
        self._started_s = time.monotonic()
        self._count = 0

    def now_s(self) -> float:
        """Seconds since the connection was asked for."""
        return time.monotonic() - self._started_s

    async def take(
        self, direction: Direction, channel: Channel, raw: bytes, *, head: str = "", is_json: bool = True
    ) -> Frame:
        """One unit of the wire as a frame. `is_json` is False for bodies that do not claim to be JSON."""
        at_s = self.now_s()
        body = None
        if is_json and channel in JSON_CHANNELS:
            body = await asyncio.to_thread(parse, raw) if len(raw) > LARGE_BYTES else parse(raw)
        return self._emit(at_s, direction, channel, raw, head=head, body=body)

    def note(self, text: str, *, ends: str | None = None) -> None:
        """Something that happened here and went over no wire. `ends`: the request it leaves without answer."""
        raw = self.cover(text).encode("utf-8", "replace")
        self._emit(self.now_s(), Direction.RECEIVED, Channel.NOTE, raw, ends=ends)

    def _emit(
        self,
        at_s: float,
        direction: Direction,
        channel: Channel,
        raw: bytes,
        *,
        head: str = "",
        ends: str | None = None,
        body: JsonText | Malformed | None = None,
    ) -> Frame:
        self._count += 1
        frame = Frame(
            number=self._count,
            at_s=at_s,
            direction=direction,
            channel=channel,
            raw=raw,
            head=head,
            ends=ends,
            body=body,
        )
        self._sink(frame)
        return frame
