"""Recordings written line by line, by a thread of their own."""

import os
import queue
import secrets
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from inspector.errors import UsageError
from inspector.files import private
from inspector.json.chunks import pieces
from inspector.json.exact import inert
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import Matched
from inspector.recording.files.clock import Clock
from inspector.recording.format import Header, Lenses, Line, written
from inspector.recording.page_calls import PageCall
from inspector.recording.scribe import Scribe

if TYPE_CHECKING:
    from inspector.recording.files.sealing import Sealer

RECORDING = "recording"
"""The kind of a note about the recording itself."""
_JOINED = "recording starts here; earlier calls are not included"
_Work: TypeAlias = Callable[[], Iterable[Line]]


class Recorder:
    """One session, written as it goes. Its methods return at once; the work is done in a thread."""

    def __init__(
        self,
        path: Path,
        header: Header,
        *,
        secret_values: Iterable[str] = (),
        target: tuple[str, str] = ("", ""),
        seal_to: str | None = None,
        on_failure: Callable[[str], None] | None = None,
    ) -> None:
        """A new file, with its header. Raises UsageError.

        `secret_values`: of headers, environment and queries. `target`: as the user wrote it, and as it may be named.
        `seal_to`: an age recipient, for whom the raw frames are kept beside it.
        `on_failure`: told once, in the recorder's thread, why nothing more is written.
        """
        self.path = path
        self.failure = ""
        """Why the recording stopped; empty while it runs."""
        self._sealer = _sealer(path, seal_to) if seal_to is not None else None
        try:
            self._file = private.create(path)
        except UsageError:
            if self._sealer:
                self._sealer.discard()
            raise
        self._good = 0
        self._on_failure = on_failure
        self._scribe = Scribe(secrets.token_bytes(32), header.lenses, secrets=secret_values, target=target)
        self._work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._clock = Clock()
        self._write((header,))
        if self.failure:
            path.unlink(missing_ok=True)
            raise UsageError(self.failure, "Choose another place for --record.")
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def connect(self, going_on_s: float | None = None) -> None:
        """A connection begins: before its first frame. Times and numbers of all that follows are its own.

        `going_on_s`: now, on the clock of the connection before, where clock and numbers go on.
        """
        number = self._clock.connect(goes_on=going_on_s is not None)
        if number > 1:
            at_s = self._clock.file_s(going_on_s or 0)
            self._work.put(lambda: self._scribe.connect(at_s, number))

    def begin_at(self, now_s: float) -> None:
        """Begin with the kept frames of a connection: give them to `frame`, oldest first. `now_s`: on its clock."""
        self._clock.join((), (), now_s)

    def join(self, frames: Sequence[Matched], calls: Iterable[PageCall] = (), *, now_s: float) -> None:
        """Begin in the middle of a session. Of what was before, the listings alone are written; the rest is learnt from.

        `frames`, `calls`: those so far. `now_s`: on the clock of the connection.
        """
        before, made = tuple(frames), tuple(calls)
        self._clock.join(before, made, now_s)
        self._work.put(lambda: self._scribe.learn(before, made))
        self._work.put(lambda: self._scribe.note(now_s, RECORDING, _JOINED))

    def frame(self, matched: Matched) -> None:
        """A frame went over the wire."""
        placed = replace(matched, frame=self._clock.placed(matched.frame))
        self._work.put(lambda: self._take(placed))

    def call(self, made: PageCall) -> None:
        """A call of a page's tool has ended. Calls of MCP are in their frames."""
        placed = self._clock.placed_call(made)
        self._work.put(lambda: self._scribe.call(placed))

    def listed(self, at_s: float, tools: Iterable[Tool]) -> None:
        """A page lists these tools, and no others. Those of a server are in its frames."""
        file_s, found = self._clock.file_s(at_s), tuple(tools)
        self._work.put(lambda: self._scribe.listed(file_s, found))

    def look(self, at_s: float, lenses: Lenses) -> None:
        """Other lenses are in force."""
        file_s = self._clock.file_s(at_s)
        self._work.put(lambda: self._scribe.look(file_s, lenses))

    def note(self, at_s: float, kind: str, text: str) -> None:
        """Something that went over no wire: `policy` for a decision about a call. Quotes no argument and no result."""
        file_s = self._clock.file_s(at_s)
        self._work.put(lambda: self._scribe.note(file_s, kind, text))

    def settle(self) -> None:
        """Wait until all of this is written: for whoever has frames faster than they can be. Not on the event loop."""
        done = threading.Event()

        def tell() -> Iterable[Line]:
            done.set()
            return ()

        self._work.put(tell)
        done.wait()

    def close(self) -> None:
        """Write what is left and wait for it: not on the event loop. Whether all went well, `failure` says."""
        if self._thread.is_alive():
            self._work.put(self._scribe.finish)
            self._work.put(None)
            self._thread.join()

    def _take(self, matched: Matched) -> Iterable[Line]:
        if self._sealer and not self.failure:
            self._sealer.frame(matched.frame)
        return self._scribe.take(matched)

    def _run(self) -> None:
        with self._file, self._sealer or nullcontext():
            while (work := self._work.get()) is not None:
                try:
                    lines = work()
                    self._write(() if self.failure else lines)
                except OSError as error:
                    self._fail(error.strerror or type(error).__name__)
                except Exception as fault:  # noqa: BLE001 - a recording must not go on with a frame that was left out
                    self._fail(f"a frame could not be judged ({type(fault).__name__})")

    def _write(self, lines: Iterable[Line]) -> None:
        for line in lines:
            try:
                size = sum(self._file.write(inert(piece)) for piece in pieces(written(line)))
                self._file.write(b"\n")
                self._file.flush()
                self._good += size + 1
            except OSError as error:
                self._fail(error.strerror or type(error).__name__)
                return

    def _fail(self, reason: str) -> None:
        """Stop, with nothing but whole lines in the file."""
        self.failure = f"recording to {self.path} stopped: {reason}; it holds all up to there"
        _cut(self._file, self._good)
        if self._on_failure:
            self._on_failure(self.failure)


def _sealer(path: Path, recipient: str) -> "Sealer":
    from inspector.recording.files.sealing import Sealer  # noqa: PLC0415 - an extra that few install

    return Sealer(path, recipient)


def _cut(file: BinaryIO, size: int) -> None:
    descriptor = os.dup(file.fileno())
    try:
        # What is buffered must not follow.
        with suppress(OSError):
            file.close()
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)
