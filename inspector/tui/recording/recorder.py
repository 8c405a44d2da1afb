"""Records the session to a file, and exports it as a document."""

import asyncio
import secrets
import shlex
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from heapq import merge
from operator import itemgetter
from pathlib import Path
from time import monotonic

from textual.screen import Screen

from inspector.boundary.options import Level
from inspector.errors import InspectorError, UsageError
from inspector.files import paths, private
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Channel
from inspector.protocol.targets import PageTarget, Target
from inspector.recording.exports import Kind, exported
from inspector.recording.files import GoodLines, Recorder, RecordingFile
from inspector.recording.files.writing import header_now, recorder_of
from inspector.recording.format import Header, Lenses, Line, Note
from inspector.recording.scribe import Past, Scribe, bounded_lines
from inspector.recording.target import named, secret_values
from inspector.session.call_record import page_call_of
from inspector.session.events import Listener, SessionState
from inspector.session.live import Session
from inspector.session.recorded import RecordedSession
from inspector.tui.connection.source import Opener
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.text import shortened, size

_STAYS = "Values that look like credentials but are not declared sensitive stay in it."
_FILE = f"Writes a new file, without withheld values, sensitive arguments and fetched secrets. {_STAYS}"
_PAGE = f"Writes a new file without withheld values: *.html for one page without scripts, *.md for Markdown. {_STAYS}"
_RECORDING, _DOCUMENT = ".jsonl", ".html"
_FROM_START, _FROM_NOW = "all since the start", "from now on"
_NO_NAME = "Write the name of a file."


class SessionRecorder:
    """Records all connections to a server in one recording, which an option or the user has started."""

    def __init__(
        self,
        screen: Screen[None],
        opener: Opener,
        target: Target,
        changed: Callable[[], None],
        name: str = "",
    ) -> None:
        """`changed`: called when a recording starts or stops.

        `name`: the name of the server if there are several.
        """
        self._screen = screen
        self._opener = opener
        self._target = target
        self._changed = changed
        self._about = f"the session with {shortened(name, 40)}" if name else "this session"
        self._session: Session | None = None
        self._opened: list[tuple[Session, float]] = []
        """Every session, with the time at which it was opened, by `time.monotonic`."""
        self._recorder: Recorder | None = None
        self._is_own = False
        """True if the user has started or stopped a recording in the interface."""
        self._since_s: float | None = None
        self._lenses: tuple[Level, str] | None = None

    async def opened(self, listener: Listener) -> Session:
        """Open a session. A recording that is running continues with this session."""
        before, session = self._session, await self._opener(listener)
        self._session = session
        if before is not None:
            # What was concealed stays concealed, such as a secret that was fetched before a reconnect.
            session.conceal(list(before.own.values))
        self._opened.append((session, monotonic()))
        if self._recorder is None and not self._is_own:
            self._recorder = session.recorder
        session.recorder = self._recorder
        # A new connection has its own clock.
        self._since_s = None
        return session

    @property
    def sign(self) -> str:
        """The words that the header shows while a recording runs; empty otherwise.

        A recording also runs while there is no connection, because the next connection continues it.
        """
        if self._recorder is None or self._recorder.failure:
            return ""
        return "recording" if self._since_s is None else f"recording since {self._since_s:.1f} s"

    @property
    def begun_s(self) -> float | None:
        """The time, on the clock of the session, since which the running recording has all calls.

        None if no recording runs.
        """
        return (self._since_s or 0.0) if self.sign else None

    def follow(self, level: Level, host: str) -> None:
        """Record a change of the boundary level or host."""
        before, self._lenses = self._lenses, (level, host)
        recorder, session = self._recorder, self._session
        if recorder is not None and session is not None and before not in {None, self._lenses}:
            recorder.look(session.now_s, _in_force(session, level, host))

    def toggle(self, session: Session | None, level: Level, host: str) -> None:
        """Ask for a file and start recording; stop if a recording runs."""
        if self._recorder is not None:
            self._screen.run_worker(self._stop, group="recording")
        elif session is None or session.state is not SessionState.READY:
            words = (
                "The server is gone. R connects again; then w records everything since the start."
                if self._opened and session is not None and session.timeline.entries
                else "There is no session to record yet."
            )
            self._screen.notify(words, severity="warning", markup=False)
        else:

            async def start(answers: tuple[str, ...]) -> str:
                name, start, seal_to = answers
                path = paths.suffixed(name, _RECORDING)
                return await self._start(path, seal_to, level, host, has_past=start == _FROM_START)

            fields = (
                AskField(label="File", value=_proposed(_RECORDING)),
                AskField(label="Record", value=_FROM_START, choices=(_FROM_START, _FROM_NOW)),
                AskField(
                    label="Encrypt withheld values for (age public key, optional)",
                    placeholder="age1…, after pip install 'mcp-sightline[seal]'",
                ),
            )
            self._ask(f"Record {self._about}", _FILE, fields, start, verb="record")

    def export(self, session: Session | None, level: Level, host: str) -> None:
        """Ask for a file, and write a document of the session to it."""
        if session is None:
            self._screen.notify("There is no session to export yet.", severity="warning", markup=False)
            return

        async def write(answers: tuple[str, ...]) -> str:
            return await self._export(session, paths.suffixed(answers[0], _DOCUMENT), level, host)

        fields = (AskField(label="File", value=_proposed(_DOCUMENT)),)
        self._ask(f"Export {self._about}", _PAGE, fields, write, verb="export")

    async def close(self) -> str:
        """Write the rest of a running recording. Returns a sentence that names its file; "" if there is none."""
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return ""
        await asyncio.to_thread(recorder.close)
        return _ended(recorder)

    async def _start(self, path: str, seal_to: str, level: Level, host: str, *, has_past: bool) -> str:
        session = self._session
        if session is None or session.state is not SessionState.READY:
            return "The session has ended."
        if not path:
            return _NO_NAME
        lenses = _in_force(session, level, host)
        first = self._past(session)[0][0] if has_past else session
        client = first.options.client.profile.name
        try:
            recorder = await asyncio.to_thread(
                lambda: recorder_of(
                    paths.written(path),
                    self._target,
                    lenses,
                    client=client,
                    seal_to=seal_to or None,
                    on_failure=self._failed,
                )
            )
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        # The user may have reconnected in the meantime.
        session = self._session or session
        self._recorder, self._is_own = recorder, True
        self._since_s = None if has_past else session.now_s
        recorder.conceal(session.own.values)
        if has_past:
            self._give_all(recorder, session)
        else:
            self._join(recorder, session)
        session.recorder = recorder
        self._changed()
        words = "" if has_past else " Recording starts here; earlier calls are not included."
        self._screen.notify(f"Recording to {_in_words(recorder.path)}. w stops it.{words}", markup=False)
        return ""

    def _past(self, session: Session) -> list[tuple[Session, float]]:
        """Every session up to this one that has timeline entries, each with the time at which it was opened.

        This session is included in any case.
        """
        return [(each, at_s) for each, at_s in self._opened if each.timeline.entries or each is session]

    def _give_all(self, recorder: Recorder, session: Session) -> None:
        """Write what is kept of every session so far to the recorder, each as a connection of its own."""
        opened = self._past(session)
        first_s = opened[0][1]
        past = [_past_of(each) for each, _ in opened]
        recorder.begin_at(opened[-1][1] - first_s + session.now_s, past)
        for number, ((each, at_s), known) in enumerate(zip(opened, past, strict=True)):
            if number:
                recorder.connect(since_s=at_s - first_s, client=each.options.client.profile.name)
            _give_past(recorder, each, known)

    def _join(self, recorder: Recorder, session: Session) -> None:
        """Start recording in the middle of a session.

        The recorder takes only secrets and definitions from the earlier frames.
        """
        recorder.join([_past_of(each) for each, _ in self._past(session)], now_s=session.now_s)
        if isinstance(session.target, PageTarget):
            recorder.listed(session.now_s, session.catalogue.tools)

    async def _stop(self) -> None:
        recorder, self._recorder = self._recorder, None
        self._is_own = True
        if self._session is not None:
            self._session.recorder = None
        self._changed()
        if recorder is not None:
            await asyncio.to_thread(recorder.close)
            severity = "error" if recorder.failure else "information"
            self._screen.notify(_ended(recorder), severity=severity, markup=False)

    def _failed(self, reason: str) -> None:
        # Runs in the recorder's thread.
        self._screen.app.call_from_thread(self._report_failure, reason)  # pyright: ignore[reportUnknownMemberType]

    def _report_failure(self, reason: str) -> None:
        self._screen.notify(reason, severity="error", timeout=15, markup=False)
        self._changed()

    async def _export(self, session: Session, path: str, level: Level, host: str) -> str:
        if not path:
            return _NO_NAME
        lenses = _in_force(session, level, host)
        try:
            written = await asyncio.to_thread(export, session, path, lenses)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        self._screen.notify(f"Exported to {_in_words(paths.written(path))} ({size(written)}).", markup=False)
        return ""

    def _ask(
        self,
        title: str,
        explanation: str,
        fields: tuple[AskField, ...],
        accept: Callable[[tuple[str, ...]], Awaitable[str]],
        *,
        verb: str,
    ) -> None:
        explanation = f"{explanation} A name without a folder is a file in {shortened(str(Path.cwd()), 200)}."
        self._screen.app.push_screen(AskScreen(title, explanation, fields, accept, verb=verb))  # pyright: ignore[reportUnknownMemberType]


def _in_force(session: Session, level: Level, host: str) -> Lenses:
    return Lenses(level=level, host=host, policy=session.options.policy)


def _ended(recorder: Recorder) -> str:
    path = recorder.path.absolute()
    shown = path.name if path.parent == Path.cwd() else str(path)
    return (
        recorder.failure
        or f"Recorded to {_in_words(path)}. To play it: sightline {shlex.quote(shortened(shown, 400))}"
    )


def _in_words(path: Path) -> str:
    """The name of a file and its folder. The name comes first, so that a long folder does not cut it in two."""
    return f"{shortened(path.name, 200)}, in {shortened(str(path.absolute().parent), 400)}"


def _proposed(suffix: str) -> str:
    now = datetime.now(UTC).astimezone()
    return f"sightline-{now:%Y%m%d-%H%M%S}{suffix}"


def _past_of(session: Session) -> Past:
    is_page = isinstance(session.target, PageTarget)
    calls = map(page_call_of, session.calls) if is_page else ()
    return Past(frames=tuple(session.timeline.matched), calls=tuple(calls))


def _give_past(recorder: Recorder, session: Session, past: Past) -> None:
    """Write the kept frames, calls and notes of a session to the recorder, in the order of their times.

    Only the calls of a page are written, because frames contain the calls of a server.
    """
    calls = ((made.at_s + made.duration_s, partial(recorder.call, made)) for made in past.calls)
    notes = (
        (note.at_s, partial(recorder.note, note.at_s, note.kind, str(note.text)))
        for note in _notes_of(session)
    )
    frames = ((matched.frame.at_s, partial(_give_frame, recorder, matched)) for matched in past.frames)
    for _, give in merge(frames, calls, notes, key=itemgetter(0)):
        give()
    if isinstance(session.target, PageTarget):
        recorder.listed(session.now_s, session.catalogue.tools)


def _notes_of(session: Session) -> list[Note]:
    """The timeline entries that no frame carries, in the form in which a recorder writes them."""
    return [
        Note(
            at_s=entry.at_s,
            kind=entry.noted,
            text=f"{entry.title}: {entry.detail}" if entry.detail else entry.title,
        )
        for entry in list(session.timeline.entries)
        if entry.noted
    ]


def _give_frame(recorder: Recorder, matched: Matched) -> None:
    frame = matched.frame
    if frame.channel is Channel.NOTE and frame.raw.startswith(b"connecting again: "):
        # The connection was made again here, but clock and frame numbers continued.
        recorder.connect(frame.at_s)
    recorder.frame(matched)


_KINDS: dict[str, Kind] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def export(session: Session, name: str, lenses: Lenses) -> int:
    """Write a document to a new file. The suffix of `name` chooses the format.

    Returns the number of bytes. Raises UsageError. Blocks: call it in a thread.
    """
    path = paths.written(name)
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(f"{path.name} ends in neither .html nor .md", "Add .html or .md to the name.")
    if isinstance(session, RecordedSession):
        file = RecordingFile(Path(session.opened.path))
        try:
            return _write(path, exported(kind, file.header, GoodLines(file)))
        finally:
            file.close()
    header, lines = _of_live(session, lenses)
    return _write(path, exported(kind, header, lines))


def _of_live(session: Session, lenses: Lenses) -> tuple[Header, Iterable[Line]]:
    target, past = session.target, _past_of(session)
    # Each document has a key of its own, so ids in two documents cannot be compared.
    scribe = Scribe(
        secrets.token_bytes(32),
        lenses,
        secrets=(*secret_values(target), *session.own.values),
        target=(str(target), named(target)[1]),
    )
    header = header_now(target, lenses, client=session.options.client.profile.name)
    return header, bounded_lines(scribe, past.frames, past.calls, _notes_of(session))


def _write(path: Path, lines: Iterator[str]) -> int:
    return private.write_new(path, (line.encode("utf-8", "replace") + b"\n" for line in lines))
