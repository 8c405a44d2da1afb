"""Recording and exporting the session."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from inspector.boundary.level import Level
from inspector.errors import InspectorError, UsageError
from inspector.files import paths, private
from inspector.protocol.targets import PageTarget, Target
from inspector.protocol.timeline import EntryKind
from inspector.recording.exports import Kind, exported
from inspector.recording.files import GoodLines, RecordingFile
from inspector.recording.files.beginning import header_now, recorder_of
from inspector.recording.format import Header, Lenses, Line, Note
from inspector.recording.scribe import Scribe, bounded_lines
from inspector.recording.target import named, secret_values
from inspector.session.call_record import page_call_of
from inspector.session.events import Listener, State
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.tui.connection.connection import Opener
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.text import size

if TYPE_CHECKING:
    from inspector.recording.files import Recorder

_FILE = "A new file. What is withheld from models, sensitive arguments and redeemed secrets are not in it."
_SEAL = "age1… of whoever may read what is withheld (needs the extra `seal`)"

_DOCUMENT = (
    "A new file: *.html for one page that runs nothing, *.md for Markdown. Withheld values are not in it."
)


class SessionRecorder:
    """One recorder for all connections of this interface: the command line's, or the user's."""

    def __init__(
        self, screen: Screen[None], opener: Opener, target: Target, changed: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._opener = opener
        self._target = target
        self._changed = changed
        self._session: Session | None = None
        self._recorder: Recorder | None = None
        self._is_own = False
        """Whether the recorder was started here."""
        self._since_s: float | None = None
        self._lenses: tuple[Level, str] | None = None

    async def opened(self, listener: Listener) -> Session:
        """A session that goes on with the recording that is running."""
        session = self._session = await self._opener(listener)
        if self._recorder is None and not self._is_own:
            self._recorder = session.recorder
        session.recorder = self._recorder
        # Another connection has a clock of its own.
        self._since_s = None
        return session

    @property
    def sign(self) -> str:
        """What the header says while a recording runs; empty while none does."""
        recorder = self._recorder
        if recorder is None or recorder.failure or self._session is None or not self._session.is_recorded:
            return ""
        return "recording" if self._since_s is None else f"recording since {self._since_s:.1f} s"

    def follow(self, level: Level, host: str) -> None:
        """The lenses in force; where they changed, the recording says so."""
        before, self._lenses = self._lenses, (level, host)
        recorder, session = self._recorder, self._session
        if recorder is not None and session is not None and before not in {None, self._lenses}:
            recorder.look(session.now_s, self._in_force(session, level, host))

    def toggle(self, session: Session | None, level: Level, host: str) -> None:
        """Start, or stop."""
        if self._recorder is not None:
            self._screen.run_worker(self._stop(), group="recording")
        elif session is None or session.state is not State.READY:
            self._screen.notify("There is no session to record yet.", severity="warning", markup=False)
        else:

            async def start(answers: tuple[str, ...]) -> str:
                return await self._start(answers[0], answers[1], level, host)

            fields = (
                AskField(label="File", value=self._name(".jsonl")),
                AskField(label="Seal to", placeholder=_SEAL),
            )
            self._ask("Record this session", _FILE, fields, start)

    def export(self, session: Session | None, level: Level, host: str) -> None:
        """Ask for a file, and write the session to it."""
        if session is None:
            self._screen.notify("There is no session to export yet.", severity="warning", markup=False)
            return

        async def write(answers: tuple[str, ...]) -> str:
            return await self._export(session, answers[0], level, host)

        self._ask(
            "Export this session", _DOCUMENT, (AskField(label="File", value=self._name(".html")),), write
        )

    async def close(self) -> None:
        """Write what is left of a recording that was started here."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None and self._is_own:
            await asyncio.to_thread(recorder.close)

    async def _start(self, path: str, seal_to: str, level: Level, host: str) -> str:
        session = self._session
        if session is None or session.state is not State.READY:
            return "The session has ended."
        if not path:
            return "Write the name of a file."
        lenses = self._in_force(session, level, host)
        try:
            recorder = await asyncio.to_thread(_recorder, self._target, path, seal_to, lenses, self._failed)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        # It may have been reached anew meanwhile.
        session = self._session or session
        self._recorder, self._is_own, self._since_s = recorder, True, session.now_s
        _join(recorder, session)
        session.recorder = recorder
        self._changed()
        self._screen.notify(f"Recording to {path}. w stops it.", markup=False)
        return ""

    async def _stop(self) -> None:
        recorder, self._recorder = self._recorder, None
        self._is_own = True
        if self._session is not None:
            self._session.recorder = None
        self._changed()
        if recorder is not None:
            await asyncio.to_thread(recorder.close)
            words = recorder.failure or f"Recorded to {recorder.path}."
            self._screen.notify(words, severity="error" if recorder.failure else "information", markup=False)

    def _failed(self, reason: str) -> None:
        # In the recorder's thread.
        self._screen.app.call_from_thread(self._tell_failure, reason)  # pyright: ignore[reportUnknownMemberType]

    def _tell_failure(self, reason: str) -> None:
        self._screen.notify(reason, severity="error", timeout=15, markup=False)
        self._changed()

    async def _export(self, session: Session, path: str, level: Level, host: str) -> str:

        if not path:
            return "Write the name of a file."
        lenses = self._in_force(session, level, host)
        try:
            written = await asyncio.to_thread(export, session, path, lenses)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        self._screen.notify(f"Exported to {path} ({size(written)}).", markup=False)
        return ""

    def _in_force(self, session: Session, level: Level, host: str) -> "Lenses":

        return Lenses(level=level, host=host, policy=session.options.policy)

    def _name(self, suffix: str) -> str:
        now = datetime.now(UTC).astimezone()
        return f"sightline-{now:%Y%m%d-%H%M%S}{suffix}"

    def _ask(
        self,
        title: str,
        explanation: str,
        fields: tuple[AskField, ...],
        accept: Callable[[tuple[str, ...]], Awaitable[str]],
    ) -> None:
        self._screen.app.push_screen(AskScreen(title, explanation, fields, accept))  # pyright: ignore[reportUnknownMemberType]


def _recorder(
    target: Target, path: str, seal_to: str, lenses: "Lenses", on_failure: Callable[[str], None]
) -> "Recorder":
    """A recorder, its file made. Raises UsageError."""
    return recorder_of(paths.written(path), target, lenses, seal_to=seal_to or None, on_failure=on_failure)


def _join(recorder: "Recorder", session: Session) -> None:
    """What the session was up to here, for the recorder to learn from."""
    is_page = isinstance(session.target, PageTarget)
    calls = [page_call_of(record) for record in session.calls] if is_page else []
    recorder.join(list(session.timeline.matched), calls, now_s=session.now_s)
    if is_page:
        recorder.listed(session.now_s, session.catalogue.tools)


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
