"""Recordings on disk: written line by line by a thread of their own, and read by an index of their lines."""

import os
import queue
import secrets
import stat
import threading
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from inspector.core.frames import Frame
from inspector.core.recording.decoding import MAX_LINE_BYTES, MAX_LINES, Broken, decoded, version_of
from inspector.core.recording.format import VERSION, End, Header, Lenses, Line, written
from inspector.core.recording.scribe import PageCall, Scribe
from inspector.core.recording.writing import pieces
from inspector.errors import UsageError
from inspector.store import private

if TYPE_CHECKING:
    from inspector.store.sealing import Sealer

_CHUNK_BYTES = 1 << 20
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
        self._write((header,))
        if self.failure:
            path.unlink(missing_ok=True)
            raise UsageError(self.failure, "Choose another place for --record.")
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def frame(self, frame: Frame) -> None:
        """A frame went over the wire."""
        self._work.put(lambda: self._take(frame))

    def call(self, made: PageCall) -> None:
        """A call of a page's tool has ended. Calls of MCP are in their frames."""
        self._work.put(lambda: self._scribe.call(made))

    def look(self, at_s: float, lenses: Lenses) -> None:
        """Other lenses are in force."""
        self._work.put(lambda: self._scribe.look(at_s, lenses))

    def note(self, at_s: float, kind: str, text: str) -> None:
        """Something that went over no wire: `policy` for a decision about a call."""
        self._work.put(lambda: self._scribe.note(at_s, kind, text))

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

    def _take(self, frame: Frame) -> Iterable[Line]:
        if self._sealer and not self.failure:
            self._sealer.frame(frame)
        return self._scribe.take(frame)

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
                size = sum(self._file.write(piece) for piece in pieces(written(line)))
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
    from inspector.store.sealing import Sealer  # noqa: PLC0415 - an extra that few install

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where a recording is not as it should be."""

    line: int
    """Counts from 1."""
    reason: str


@dataclass(slots=True)
class _Found:
    starts: "array[int]" = field(default_factory=lambda: array("Q", [0]))
    """Where each line begins, and where the last one ends."""
    broken: Break | None = None


class RecordingFile:
    """A recording by the index of its lines, 8 bytes each; a line is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        """Read the header and find the lines. Raises UsageError where it is no recording."""
        self.path = path
        try:
            # A pipe of that name would otherwise be waited for.
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no path"
            raise UsageError(f"cannot read {path}: {reason}", "Check the path.") from error
        try:
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                raise UsageError(f"{path} is no file", "Check the path.")  # noqa: TRY301 - what is open must be closed
            found = _lines(self._descriptor)
            self._starts = found.starts
            self.broken = found.broken
            """What was found wrong while looking for lines; None where nothing was. `lines` may find more."""
            self.header = self._first()
        except BaseException:
            os.close(self._descriptor)
            raise

    def __len__(self) -> int:
        """How many lines there are, the header included."""
        return len(self._starts) - 1

    def raw(self, index: int) -> bytes:
        """The bytes of a line, from 0, without its line feed. Raises IndexError."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        start, stop = self._starts[index], self._starts[index + 1]
        return os.pread(self._descriptor, stop - start, start).rstrip(b"\r\n")

    def line(self, index: int) -> Line | Broken:
        """A line, from 0; the header is the first. Raises IndexError."""
        return decoded(self.raw(index), self.header.version)

    def lines(self) -> Iterator[Line | Break]:
        """All lines behind the header, up to the first that is not as it should be: that one as a break, and no more."""
        ended = False
        for index in range(1, len(self)):
            line = self.line(index)
            reason = _fault(line, ended=ended)
            if reason:
                yield Break(line=index + 1, reason=reason)
                return
            ended = isinstance(line, End)
            if not isinstance(line, Broken):
                yield line
        if self.broken:
            yield self.broken
        elif not ended:
            yield Break(line=len(self) + 1, reason="it has no end: the session was cut off")

    def find(self, words: bytes, after: int) -> int | None:
        """The first line behind `after` whose bytes hold `words`; None where there is none. Not on the event loop."""
        if after + 1 >= len(self):
            return None
        position, end = self._starts[after + 1], self._starts[-1]
        while position < end:
            # What straddles two chunks is in the first.
            size = min(_CHUNK_BYTES + len(words) - 1, end - position)
            at = os.pread(self._descriptor, size, position).find(words)
            if at >= 0:
                return bisect_right(self._starts, position + at) - 1
            position += _CHUNK_BYTES
        return None

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def _first(self) -> Header:
        raw = self.raw(0) if len(self) else b""
        version = version_of(raw)
        if version is None:
            raise UsageError(f"{self.path} is no recording", "Recordings are made with --record FILE.")
        if version > VERSION:
            raise UsageError(
                f"{self.path} is a recording of version {version}; this Sightline knows up to {VERSION}",
                "Update Sightline.",
            )
        header = decoded(raw, version)
        if not isinstance(header, Header):
            reason = header.reason if isinstance(header, Broken) else "it is no header"
            raise UsageError(f"{self.path} line 1: {reason}", "Is this the whole file?")
        return header


def _fault(line: Line | Broken, *, ended: bool) -> str:
    if isinstance(line, Broken):
        return line.reason
    if isinstance(line, Header):
        return "another recording begins here"
    return "it goes on behind its end" if ended else ""


def _lines(descriptor: int) -> _Found:
    found = _Found()
    position = 0
    while chunk := os.pread(descriptor, _CHUNK_BYTES, position):
        at = chunk.find(b"\n")
        while at >= 0:
            found.starts.append(position + at + 1)
            at = chunk.find(b"\n", at + 1)
        position += len(chunk)
        number = len(found.starts)
        if number > MAX_LINES:
            del found.starts[MAX_LINES + 1 :]
            found.broken = Break(line=number, reason=f"there are more than {MAX_LINES:,} lines")
            return found
        if position - found.starts[-1] > MAX_LINE_BYTES:
            found.broken = Break(line=number, reason=f"it is longer than {MAX_LINE_BYTES:,} bytes")
            return found
    if position > found.starts[-1]:
        found.broken = Break(line=len(found.starts), reason="it is cut off")
    return found
