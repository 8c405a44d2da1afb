"""Exporting: a session as one document, bounded as a recording is. Importing this loads the core."""

import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from inspector.errors import UsageError
from inspector.files import paths, private
from inspector.protocol.targets import PageTarget
from inspector.protocol.timeline import EntryKind
from inspector.recording.exports import Kind, exported
from inspector.recording.files import GoodLines, RecordingFile
from inspector.recording.files.writing import header_now
from inspector.recording.format import Header, Lenses, Line, Note
from inspector.recording.scribe import Scribe, bounded_lines
from inspector.recording.target import named, secret_values
from inspector.session.call_record import page_call_of
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession

_KINDS: dict[str, Kind] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def export(session: Session, name: str, lenses: Lenses) -> int:
    """Write a document to a new file, by the name's suffix; its bytes. In a thread. Raises UsageError."""
    path = paths.written(name)
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(
            f"{path.name} ends in neither .html nor .md", "Write one of the two behind the name."
        )
    if isinstance(session, RecordedSession):
        file = RecordingFile(Path(session.opened.path))
        try:
            return _write(path, exported(kind, file.header, GoodLines(file)))
        finally:
            file.close()
    header, lines = _of_live(session, lenses)
    return _write(path, exported(kind, header, lines))


def _of_live(session: Session, lenses: Lenses) -> tuple[Header, Iterable[Line]]:
    target = session.target
    calls = [page_call_of(record) for record in session.calls] if isinstance(target, PageTarget) else []
    # The key of a document is its own: ids in two of them tell nothing of each other.
    scribe = Scribe(
        secrets.token_bytes(32),
        lenses,
        secrets=secret_values(target),
        target=(str(target), named(target)[1]),
    )
    notes = [
        Note(at_s=entry.at_s, kind=entry.kind.value, text=f"{entry.title}: {entry.detail}")
        for entry in list(session.timeline.entries)
        if entry.kind is EntryKind.DECISION
    ]
    return header_now(target, lenses), bounded_lines(scribe, list(session.timeline.matched), calls, notes)


def _write(path: Path, lines: Iterator[str]) -> int:
    return private.write_new(path, (line.encode("utf-8", "replace") + b"\n" for line in lines))
