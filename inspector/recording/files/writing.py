"""Writes a recording line by line, in a thread of its own."""

import os
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from msgspec import structs
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.files import private, stamp
from inspector.json.chunks import pieces
from inspector.json.exact import inert
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Frame
from inspector.protocol.targets import PageTarget, Target
from inspector.recording.codec import written
from inspector.recording.format import Header, Lenses, Line, PageCall
from inspector.recording.scribe import Past, Scribe
from inspector.recording.target import header_of, named, secret_values

if TYPE_CHECKING:
    from inspector.recording.files.sealing import Sealer


class Clock:
    """The times and frame numbers of a recording, over all its connections.

    Only the thread that adds frames may use it.
    """

    def __init__(self) -> None:
        self._started_s = time.monotonic()
        self._since_s = 0.0
        """The time at which the current connection began."""
        self._before = 0
        """The last frame number of the earlier connections."""
        self._last = 0
        self._connections = 0
        self._calls_before = 0
        self._calls = 0

    def connect(self, *, goes_on: bool = False, since_s: float | None = None) -> int:
        """Begin a connection and return its number.

        `goes_on`: whether the clock and numbers of the previous connection continue. `since_s`: the time at
        which the new connection began, on the clock of the first connection; None for now.
        """
        self._connections += 1
        if self._connections == 1:
            self._started_s = time.monotonic()
        elif not goes_on:
            self._since_s = time.monotonic() - self._started_s if since_s is None else since_s
            self._before = self._last
            self._calls_before = self._calls
        return self._connections

    def join(self, joined: Past, now_s: float) -> None:
        """Begin a recording in the middle of the first connection."""
        self._calls = joined.calls[-1].number if joined.calls else 0
        self._connections = 1
        self._started_s = time.monotonic() - now_s
        self._last = joined.frames[-1].frame.number if joined.frames else 0

    def file_s(self, at_s: float) -> float:
        """Convert a time of the current connection to the clock of the file."""
        return self._since_s + at_s

    def placed(self, frame: Frame) -> Frame:
        self._last = max(self._last, self._before + frame.number)
        if not self._before and not self._since_s:
            return frame
        return replace(frame, number=self._before + frame.number, at_s=self.file_s(frame.at_s))

    def placed_call(self, made: PageCall) -> PageCall:
        self._calls = self._calls_before + made.number
        return replace(made, number=self._calls, at_s=self.file_s(made.at_s))


RECORDING = "recording"
"""The kind of a note about the recording itself."""
_JOINED = "recording starts here; earlier calls are not included"
_Work: TypeAlias = Callable[[], Iterable[Line]]


class Recorder:
    """Records one session while it runs. Its methods do not block unless stated: a thread does the work."""

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
        """Create the file and write its header. Raises UsageError.

        `secret_values`: the values of headers, environment variables and queries. `target`: as in `Scribe`.
        `seal_to`: an age recipient, for whom the raw frames are stored next to the recording. `on_failure`:
        called once, in the recorder's thread, with the reason why recording stopped.
        """
        self.path = path
        self.failure = ""
        """The reason why the recording stopped; empty while it runs."""
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
        self._client = header.client
        self._write((header,))
        if self.failure:
            path.unlink(missing_ok=True)
            if self._sealer:
                self._sealer.discard()
            raise UsageError(self.failure, "Choose another file for --record.")
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def connect(
        self, going_on_s: float | None = None, *, since_s: float | None = None, client: str = ""
    ) -> None:
        """Begin a connection. Call it before the connection's first frame.

        `going_on_s`: the time on the previous connection's clock, if the clock and the numbers continue; None
        if they start again. `since_s`: the start of the connection on the clock of the first connection, if
        its stored frames follow; None if it begins now. `client`: the name of the client profile; empty if it
        has not changed, or for a page.
        """
        number = self._clock.connect(goes_on=going_on_s is not None, since_s=since_s)
        changed = client if self._client and client != self._client else ""
        self._client = changed or self._client
        if number > 1:
            at_s = self._clock.file_s(going_on_s or 0)
            self._work.put(lambda: self._scribe.connect(at_s, number, changed))

    def begin_at(self, now_s: float, past: Sequence[Past]) -> None:
        """Prepare to record what has happened so far.

        The caller then passes the connections, frames and calls of `past`, oldest first.

        `now_s`: the present time on the clock of the first connection.
        """
        self._clock.join(Past(), now_s)
        self._work.put(lambda: self._scribe.foresee(past))

    def join(self, past: Sequence[Past], *, now_s: float) -> None:
        """Begin the recording in the middle of the last connection of `past`.

        Of that connection's earlier frames, only those that later frames need are written: the handshake, the
        listings and the open requests. All other frames only show which values to withhold. `now_s`: the
        present time on the clock of the connection.
        """
        joined = past[-1]
        self._clock.join(joined, now_s)
        self._work.put(lambda: self._scribe.foresee(past))
        self._work.put(lambda: self._scribe.learn(joined.frames))
        self._work.put(lambda: self._scribe.note(now_s, RECORDING, _JOINED))

    def frame(self, matched: Matched) -> None:
        placed = replace(matched, frame=self._clock.placed(matched.frame))
        self._work.put(lambda: self._take(placed))

    def call(self, made: PageCall) -> None:
        """Record a finished call of a page's tool. Calls over MCP are contained in their frames."""
        placed = self._clock.placed_call(made)
        self._work.put(lambda: self._scribe.call(placed))

    def listed(self, at_s: float, tools: Iterable[Tool]) -> None:
        """Record the complete list of a page's tools. A server's tools are contained in its frames."""
        file_s, every = self._clock.file_s(at_s), tuple(tools)
        self._work.put(lambda: self._scribe.listed(file_s, every))

    def look(self, at_s: float, lenses: Lenses) -> None:
        file_s = self._clock.file_s(at_s)
        self._work.put(lambda: self._scribe.look(file_s, lenses))

    def note(self, at_s: float, kind: str, text: str) -> None:
        """Record an event that is not a protocol message. `kind`: `policy` for a decision about a call.

        The text must quote no argument and no result.
        """
        file_s = self._clock.file_s(at_s)
        self._work.put(lambda: self._scribe.note(file_s, kind, text))

    def conceal(self, values: Iterable[str]) -> None:
        """Withhold these values from all later lines, wherever a server repeats them."""
        secret = tuple(values)
        self._work.put(lambda: self._scribe.conceal(secret))

    def settle(self) -> None:
        """Wait until everything so far is written. Blocks: call it in a thread.

        Callers need it if they add lines faster than the thread can write them.
        """
        done = threading.Event()

        def tell() -> Iterable[Line]:
            done.set()
            return ()

        self._work.put(tell)
        done.wait()

    def close(self) -> None:
        """Write all lines that are still waiting, and wait until they are written.

        Blocks: call it in a thread. Afterwards `failure` is empty if all was written.
        """
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
                    self._fail(
                        f"a frame could not be checked for values to withhold ({type(fault).__name__})"
                    )

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
        """Stop, and truncate the file after its last complete line."""
        self.failure = (
            f"recording to {self.path} stopped: {reason}; the file contains everything up to that moment"
        )
        _cut(self._file, self._good)
        if self._on_failure:
            self._on_failure(self.failure)


def _sealer(path: Path, recipient: str) -> "Sealer":
    from inspector.recording.files.sealing import Sealer  # noqa: PLC0415 - an extra that few install

    return Sealer(path, recipient)


def _cut(file: BinaryIO, size: int) -> None:
    descriptor = os.dup(file.fileno())
    try:
        # Buffered bytes must not be written after the cut.
        with suppress(OSError):
            file.close()
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)


def header_now(target: Target, lenses: Lenses, *, client: str = "") -> Header:
    """The header of a recording of `target` that is made now.

    `client`: the name of a client profile; ignored for a page.
    """
    header = header_of(target, lenses, created=stamp.now("milliseconds"), software=stamp.SOFTWARE)
    return structs.replace(header, client="" if isinstance(target, PageTarget) else client)


def recorder_of(
    path: Path,
    target: Target,
    lenses: Lenses,
    *,
    client: str = "",
    seal_to: str | None = None,
    on_failure: Callable[[str], None] | None = None,
) -> Recorder:
    """Create the file of a recording of `target`, and its recorder. The other parameters are as in `Recorder`.

    Raises UsageError.
    """
    return Recorder(
        path,
        header_now(target, lenses, client=client),
        secret_values=secret_values(target),
        target=(str(target), named(target)[1]),
        seal_to=seal_to,
        on_failure=on_failure,
    )
