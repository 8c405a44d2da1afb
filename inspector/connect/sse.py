"""Split server-sent events out of a byte stream.

Source: WHATWG HTML, section 9.2.6 (interpreting an event stream).
"""

import re

from msgspec import Struct

_LINE_END = re.compile(rb"\r\n|\n|\r")


class ServerSentEvent(Struct, frozen=True, kw_only=True):
    """One event: its bytes and its fields."""

    raw: bytes
    """The bytes of the event, up to and including the blank line."""
    event: str
    """The type; `message` if the event names none."""
    data: bytes
    id: str | None
    retry: str | None = None
    """Milliseconds to wait before reconnecting, as sent."""


class EventSplitter:
    """Splits chunks into whole events."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._tail = b""
        self.size = 0
        """The number of bytes since the last whole event."""

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        # The end of an event may straddle two chunks; only the last three bytes can matter.
        window = self._tail + chunk
        if b"\n\n" not in window and b"\r\r" not in window and b"\n\r" not in window:
            self._parts.append(chunk)
            self._tail = window[-3:]
            self.size += len(chunk)
            return []
        buffer = b"".join((*self._parts, chunk))
        events: list[ServerSentEvent] = []
        start = 0
        for end in _ends(buffer):
            events.append(_event(buffer[start:end]))
            start = end
        self._parts = [buffer[start:]]
        self._tail = buffer[start:][-3:]
        self.size = len(buffer) - start
        return events

    def rest(self, most_bytes: int | None = None) -> bytes:
        """The bytes after the last whole event, at most `most_bytes` of them; None for all."""
        return start_of(self._parts, most_bytes)


def start_of(parts: list[bytes], most_bytes: int | None) -> bytes:
    """The first `most_bytes` of the joined parts, without copying the rest."""
    if most_bytes is None:
        return b"".join(parts)
    size = count = 0
    while count < len(parts) and size < most_bytes:
        size += len(parts[count])
        count += 1
    return b"".join(parts[:count])[:most_bytes]


# A carriage return at the end of a chunk ends the line: a line feed that follows in the next chunk
# begins the next event with an empty line, which has no effect.
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")


def _ends(buffer: bytes) -> list[int]:
    return [match.end() for match in _BLANK_LINE.finditer(buffer)]


def _event(raw: bytes) -> ServerSentEvent:
    kind, identity, retry = "message", None, None
    data: list[bytes] = []
    for line in _LINE_END.split(raw.removeprefix(b"\xef\xbb\xbf")):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match field:
            case b"data":
                data.append(value)
            case b"event":
                kind = value.decode("utf-8", "replace") or "message"
            case b"id":
                identity = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit():
                retry = value.decode()
            case _:
                pass
    return ServerSentEvent(raw=raw, event=kind, data=b"\n".join(data), id=identity, retry=retry)
