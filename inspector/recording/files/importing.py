"""Imports logs of other tools as recordings.

Two shapes of JSON Lines are supported: `{"jsonrpc": …, "_meta": {"dir", "server", "ts"}}`, and `{"ts", "dir",
"msg"}`.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from inspector.errors import InspectorError, UsageError
from inspector.files import stamp
from inspector.json.exact import Json, JsonText, dump, parse
from inspector.json.members import object_at, text_at
from inspector.protocol.exchanges import Exchanges
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.recording.codec import MAX_LINE_BYTES
from inspector.recording.files import Recorder
from inspector.recording.format import Header, Lenses, RecordedTarget

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
"""A larger timestamp is in milliseconds, a smaller one in seconds."""
_MAX_TIME = 1e15
"""The bound of a timestamp, positive or negative. In milliseconds, it is in the year 33658."""


class UnreadableLine(Struct, frozen=True, kw_only=True):
    """A line in neither of the two formats. The lines after this one are not read."""

    line: int
    """The number of the line, counted from 1."""
    reason: str


def is_foreign(raw: bytes) -> bool:
    """True if the first line of a file has one of the two shapes that can be imported."""
    return isinstance(_taken(raw), _Entry)


def imported(lines: Iterable[bytes], server: str | None = None) -> Iterator[Frame | UnreadableLine]:
    """The frames of a log, with times relative to its first line.

    `server`: the server whose frames are imported; None if the log has only one. The frames contain secrets:
    pass them to a `Scribe` only.
    """
    start: float | None = None
    number = 0
    seen: str | None = server
    for place, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        entry = _taken(raw)
        if isinstance(entry, str):
            yield UnreadableLine(line=place, reason=entry)
            return
        if server is not None and entry.server != server:
            continue
        if seen is not None and entry.server != seen:
            yield UnreadableLine(
                line=place,
                reason="it is from another server than the lines before it: name one with --server",
            )
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


class _Entry(Struct, frozen=True, kw_only=True):
    at_s: float
    direction: Direction
    server: str
    message: Json


def _taken(raw: bytes) -> _Entry | str:
    """The parsed line, or the reason why it cannot be parsed."""
    if len(raw) > MAX_LINE_BYTES:
        return f"it is longer than {MAX_LINE_BYTES:,} bytes"
    parsed = parse(raw)
    value = parsed.value if isinstance(parsed, JsonText) else None
    if not isinstance(value, dict):
        return "it is not a JSON object"
    if "jsonrpc" in value:
        about = object_at(value, "_meta")
        message: Json = {key: member for key, member in value.items() if key != "_meta"}
    elif "msg" in value:
        about = value
        message = value["msg"]
        if isinstance(message, str):
            inner = parse(message)
            message = inner.value if isinstance(inner, JsonText) else message
    else:
        return "its format is unknown"
    direction = _direction(text_at(about, "dir") or "")
    at_s = _seconds(about.get("ts"))
    if direction is None:
        return "`dir` is not a direction"
    if at_s is None:
        return "`ts` is not a time"
    server = text_at(about, "server") or ""
    return _Entry(at_s=at_s, direction=direction, server=server, message=message)


def _direction(word: str) -> Direction | None:
    word = word.strip().lower()
    if word in _SENT:
        return Direction.SENT
    return Direction.RECEIVED if word in _RECEIVED else None


def _seconds(value: Json) -> float | None:
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_MAX_TIME < value < _MAX_TIME:
        return None
    return value / 1000 if value > _MILLISECONDS_FROM else float(value)


_TOGETHER = 256
"""The number of frames queued before the import waits for them to be written."""


def import_log(path: Path, made: Path, server: str | None) -> UnreadableLine | None:
    """Write the session of a log to `made`, without sensitive values, like any other recording.

    Returns the line at which the log became unreadable; None if there is none. `server`: the server to
    import, if the log has several. Raises UsageError; InspectorError if `made` cannot be written.
    """
    try:
        lines = _lines(path)
        first = next(lines, b"")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    if not is_foreign(first):
        raise UsageError(
            f"{path} is not a log that Sightline can import",
            'Lines are {"jsonrpc": …, "_meta": {"dir", "server", "ts"}} or {"ts", "dir", "msg"}.',
        )
    header = Header(
        created=stamp.now(),
        software=stamp.SOFTWARE,
        recorded=RecordedTarget(kind="import", name=server or path.name),
        lenses=Lenses(),
    )
    recorder = Recorder(made, header)
    broken: UnreadableLine | None = None
    exchanges = Exchanges()
    try:
        for frame in imported(_lines(path), server):
            if isinstance(frame, UnreadableLine):
                broken = frame
            else:
                recorder.frame(exchanges.take(frame))
                if frame.number % _TOGETHER == 0:
                    recorder.settle()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    finally:
        recorder.close()
    if recorder.failure:
        raise InspectorError(recorder.failure, "Free some space, and import it again.")
    return broken


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            yield line
