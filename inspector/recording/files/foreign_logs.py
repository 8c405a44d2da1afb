"""Logs of other tools made into recordings."""

from collections.abc import Iterator
from pathlib import Path

from inspector.errors import InspectorError, UsageError
from inspector.files import stamp
from inspector.protocol.exchanges import Exchanges
from inspector.recording.codec import MAX_LINE_BYTES
from inspector.recording.files import Recorder
from inspector.recording.format import Header, Lenses, RecordedTarget
from inspector.recording.importing import Unreadable, imported, is_foreign

_TOGETHER = 256
"""Frames that are held before they are written."""


def import_log(path: Path, made: Path, server: str | None) -> Unreadable | None:
    """Write a log's session to `made`, bounded like any other; where the log could not be read any further.

    `server`: the one to take, where the log has several. Raises UsageError, or InspectorError where it cannot be written.
    """
    try:
        lines = _lines(path)
        first = next(lines, b"")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    if not is_foreign(first):
        raise UsageError(
            f"{path} is of no shape that can be imported",
            'Lines are {"jsonrpc": …, "_meta": {"dir", "server", "ts"}} or {"ts", "dir", "msg"}.',
        )
    header = Header(
        created=stamp.now(),
        software=stamp.SOFTWARE,
        recorded=RecordedTarget(kind="import", name=server or path.name),
        lenses=Lenses(),
    )
    recorder = Recorder(made, header)
    broken: Unreadable | None = None
    exchanges = Exchanges()
    for frame in imported(_lines(path), server):
        if isinstance(frame, Unreadable):
            broken = frame
        else:
            recorder.frame(exchanges.take(frame))
            if frame.number % _TOGETHER == 0:
                recorder.settle()
    recorder.close()
    if recorder.failure:
        raise InspectorError(recorder.failure, "Make room, and import it again.")
    return broken


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            yield line
