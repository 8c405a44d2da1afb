"""MCP over the standard streams of a child process."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable

from inspector.connect import processes
from inspector.connect.dispatch import Dispatcher
from inspector.connect.tap import LARGE_BYTES, MAX_MESSAGE_BYTES, Tap
from inspector.errors import UnreachableError
from inspector.json.exact import JsonObject, dump
from inspector.protocol.frames import Channel, Direction, printed_line
from inspector.protocol.outcome import Failure, FailureKind
from inspector.protocol.targets import StdioTarget

CHUNK_BYTES = 1 << 18
MAX_STDERR_LINE_BYTES = 1 << 16
_LONGEST_WORD = 1 << 12
PATIENCE_S = 1.0
"""Time limit for a server to end after its input is closed, and after SIGTERM."""


class StdioProcess:
    """A server process, and the frames on its pipes."""

    def __init__(
        self,
        target: StdioTarget,
        tap: Tap,
        dispatcher: Dispatcher,
        *,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """A line of more than `max_message_bytes` ends the connection.

        `patience_s`: the time that the server has to end after its input is closed, before SIGTERM.
        """
        self._target = target
        self._tap = tap
        self._dispatcher = dispatcher
        self._max_message_bytes = max_message_bytes
        self._patience_s = patience_s
        self._process: processes.Program | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._writing = asyncio.Lock()
        self._stderr = processes.ErrorLines(tap.mask)
        self.printed: str | None = None
        """A description of the first line on stdout that is not a message; None if there is none."""
        self._closing = False

    async def start(self) -> None:
        """Start the command in its own process group. Raises UnreachableError."""
        try:
            self._process = await processes.start(
                self._target.command,
                environment=processes.environment() | self._target.environment,
                cwd=self._target.cwd,
                pipes=("stdin", "stdout", "stderr"),
            )
        except (OSError, ValueError) as error:
            raise self._cannot_start(error) from error
        self._tap.note(f"started process {self._process.pid}: {self._target}")
        if self._process.stdout and self._process.stderr:
            self._readers = [
                asyncio.ensure_future(self._read(self._process.stdout)),
                asyncio.ensure_future(self._read_stderr(self._process.stderr)),
            ]

    async def send(self, message: JsonObject, headers: dict[str, str]) -> None:
        """Write one line. Raises OSError if the server is gone."""
        _ = headers
        if self._process is None or self._process.stdin is None or self._dispatcher.lost:
            raise BrokenPipeError("the server's input is closed")
        raw = dump(message)
        try:
            async with self._writing:
                await self._tap.take(Direction.SENT, Channel.STDIO, raw)
                self._process.stdin.write(raw + b"\n")
                await self._process.stdin.drain()
        except OSError as error:
            # A server that exits closes its input first; its exit status is known once its output has ended.
            await asyncio.wait(self._readers[:1], timeout=0 if self._closing else 3 * PATIENCE_S)
            raise BrokenPipeError(self.describe("the server closed its input")) from error

    async def close(self) -> None:
        """Close the server's input, wait, then end the server and its descendants."""
        self._closing = True
        process = self._process
        if process is None:
            return
        try:
            if process.stdin:
                process.stdin.close()
            await process.has_ended(self._patience_s)
        finally:
            for daemon in await process.end(PATIENCE_S):
                self._tap.note(str(daemon))
            for reader in self._readers:
                reader.cancel()
            await asyncio.gather(*self._readers, return_exceptions=True)
            self._process = None

    async def _read(self, stream: asyncio.StreamReader) -> None:
        if not await _each_line(stream, self._max_message_bytes, self._received):
            self._refuse_long_line()
        elif not self._closing:
            await self._report_end()

    async def _received(self, line: bytes) -> None:
        if line.strip():
            matched = await self._tap.take(Direction.RECEIVED, Channel.STDIO, line)
            self.printed = self.printed or printed_line(matched.frame, self._tap.mask)
            self._dispatcher.take(matched)

    async def _read_stderr(self, stream: asyncio.StreamReader) -> None:
        async def keep(line: bytes) -> None:
            self._stderr.add(line)
            await self._tap.take(Direction.RECEIVED, Channel.STDERR, line)

        await _each_line(stream, MAX_STDERR_LINE_BYTES, keep, split_long=True)

    def _refuse_long_line(self) -> None:
        """End the connection after a line over the limit.

        The rest of the line is not read, so the server blocks until it is ended.
        """
        limit = f"{self._max_message_bytes / (1 << 20):g} MB"
        how = (
            f"the server sent a line of more than {limit}, the limit for one message\n"
            "`message_mb` in the table [limits] of your config.toml sets another limit"
        )
        self._tap.note(how)
        # Not CONNECTION_LOST, because the server would then be started again.
        self._dispatcher.fail_all(Failure(kind=FailureKind.PROTOCOL, detail=self.describe(how)))

    async def _report_end(self) -> None:
        """Report the exit status and the last lines of stderr, after the output has ended."""
        process = self._process
        if process is None:
            return
        ended = await process.has_ended(PATIENCE_S)
        if ended:
            # The last lines of stderr are the most helpful ones, and may arrive after the end of stdout.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._readers[1]), PATIENCE_S)
        how = how_it_ended(process.returncode) if ended else "the server closed its output"
        self._tap.note(how)
        self._dispatcher.fail_all(Failure(kind=FailureKind.CONNECTION_LOST, detail=self.describe(how)))

    def describe(self, what: str) -> str:
        """`what`, followed by the command, the first stray line on stdout, and lines of stderr. Untrusted text."""
        printed = [self.printed] if self.printed else []
        quoted = self._tap.mask_lines([*printed, *self._stderr.quoted()])
        return "\n".join([what, f"command: {self._target}", *quoted])

    def _cannot_start(self, error: Exception) -> UnreachableError:
        program = self._target.command[0]
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, FileNotFoundError) and error.filename == self._target.cwd:
            return UnreachableError(
                f"cannot start {self._target}\nno such folder: {self._target.cwd}", "Check --cwd."
            )
        hint = f"Is {program} installed, and on PATH or given with its full path?"
        return UnreachableError(f"cannot start the server: {reason}\ncommand: {self._target}", hint)


def how_it_ended(code: int | None) -> str:
    """The exit status in words. `code`: negative for a signal; None for a running server."""
    if code is None:
        return "the server is still running"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"the server was ended by {signal.Signals(-code).name}"
    return f"the server exited with code {code}"


async def _each_line(
    stream: asyncio.StreamReader,
    limit_bytes: int,
    take: Callable[[bytes], Awaitable[None]],
    *,
    split_long: bool = False,
) -> bool:
    """Pass every line to `take`, including a last one without a line feed.

    A line longer than the limit is not passed, and False is returned; with `split_long`, it is passed in parts.
    """
    parts: list[bytes] = []
    size = 0
    while chunk := await stream.read(CHUNK_BYTES):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            if size + len(line) > limit_bytes and not split_long:
                return False
            await take(await _joined([*parts, line], size))
            parts, size = [], 0
        if rest:
            parts.append(rest)
            size += len(rest)
        if size > limit_bytes:
            if not split_long:
                return False
            # No word is split: it may be a credential, which is recognized only as a whole.
            line = await _joined(parts, size)
            end = line.rfind(b" ", -_LONGEST_WORD) + 1 or size
            await take(line[:end])
            parts, size = ([line[end:]], size - end) if end < size else ([], 0)
    if parts:
        await take(await _joined(parts, size))
    return True


async def _joined(parts: list[bytes], size: int) -> bytes:
    """Join the parts; in a thread if they are large, because allocating the memory takes time."""
    return await asyncio.to_thread(b"".join, parts) if size > LARGE_BYTES else b"".join(parts)
