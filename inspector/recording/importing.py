"""Sessions as other tools log them, read as frames: to be bounded on the way in like any other.

Two shapes of JSON Lines are in use: `{"jsonrpc": …, "_meta": {"dir", "server", "ts"}}`, and `{"ts", "dir", "msg"}`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite

from inspector.json.exact import Json, JsonObject, JsonText, dump, parse
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.recording.codec import MAX_LINE_BYTES

_SENT = frozenset(
    {
        "c2s",
        "client_to_server",
        "client->server",
        "client",
        "out",
        "outgoing",
        "send",
        "sent",
        "tx",
        ">",
        "->",
        "→",
    }
)
_RECEIVED = frozenset(
    {
        "s2c",
        "server_to_client",
        "server->client",
        "server",
        "in",
        "incoming",
        "recv",
        "received",
        "rx",
        "<",
        "<-",
        "←",
    }
)
_MILLISECONDS_FROM = 1e11
"""A time since 1970 that is larger is in milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A line that is of neither shape; nothing behind it is read."""

    line: int
    """Counts from 1."""
    reason: str


def is_foreign(raw: bytes) -> bool:
    """Whether a first line is of one of the two shapes."""
    return isinstance(_taken(raw), _Entry)


def imported(lines: Iterable[bytes], server: str | None = None) -> Iterator[Frame | Unreadable]:
    """Frames of a log, times from its first line on. `server`: the only one of which they are; None where all are of one.

    The frames are raw: for a `Scribe`, and for nobody else.
    """
    start: float | None = None
    number = 0
    seen: str | None = server
    for place, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        entry = _taken(raw)
        if isinstance(entry, str):
            yield Unreadable(line=place, reason=entry)
            return
        if server is not None and entry.server != server:
            continue
        if seen is not None and entry.server != seen:
            yield Unreadable(line=place, reason="it is of another server than those before: choose one")
            return
        seen = entry.server
        start = entry.at_s if start is None else start
        number += 1
        message = dump(entry.message)
        yield Frame(
            number=number,
            at_s=max(entry.at_s - start, 0.0),
            direction=entry.direction,
            channel=Channel.STDIO,
            raw=message,
            body=parse(message),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    at_s: float
    direction: Direction
    server: str
    message: Json


def _taken(raw: bytes) -> _Entry | str:
    """A line, or why it is none."""
    if len(raw) > MAX_LINE_BYTES:
        return f"it is longer than {MAX_LINE_BYTES:,} bytes"
    parsed = parse(raw)
    value = parsed.value if isinstance(parsed, JsonText) else None
    if not isinstance(value, dict):
        return "it is no JSON object"
    if "jsonrpc" in value:
        meta = value.get("_meta")
        about: JsonObject = meta if isinstance(meta, dict) else {}
        message: Json = {key: member for key, member in value.items() if key != "_meta"}
    elif "msg" in value:
        about = value
        message = value["msg"]
        if isinstance(message, str):
            inner = parse(message)
            message = inner.value if isinstance(inner, JsonText) else message
    else:
        return "it is of no shape that is known"
    direction = _direction(about.get("dir"))
    at_s = _seconds(about.get("ts"))
    if direction is None:
        return "`dir` is no direction"
    if at_s is None:
        return "`ts` is no time"
    server = about.get("server")
    return _Entry(
        at_s=at_s, direction=direction, server=server if isinstance(server, str) else "", message=message
    )


def _direction(word: Json) -> Direction | None:
    told = word.strip().lower() if isinstance(word, str) else ""
    if told in _SENT:
        return Direction.SENT
    return Direction.RECEIVED if told in _RECEIVED else None


def _seconds(value: Json) -> float | None:
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        return None
    return value / 1000 if value > _MILLISECONDS_FROM else float(value)
