"""MCP over the standard streams of a process that is ours from start to end."""

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import Awaitable, Callable

from inspector.core.frames import Channel, Direction
from inspector.core.json_text import JsonObject, dump
from inspector.core.outcome import Failure, FailureKind
from inspector.core.targets import StdioTarget
from inspector.errors import UnreachableError
from inspector.wire.dispatch import Dispatcher
from inspector.wire.processes import die_with_parent, has_ended, signal_group
from inspector.wire.tap import LARGE_BYTES, Tap

INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG")
"""All that a server sees of our environment, beside what `-e` or the configuration names."""

STDERR_LINES_KEPT = 20
CHUNK_BYTES = 1 << 18
MAX_LINE_BYTES = 1 << 30
MAX_STDERR_LINE_BYTES = 1 << 16
PATIENCE_S = 1.0
"""How long a server may take to end after its input closed, and again after SIGTERM."""


class StdioProcess:
    """A server process, its pipes, and the frames on them."""

    def __init__(self, target: StdioTarget, tap: Tap, dispatcher: Dispatcher) -> None:
        self._target = target
        self._tap = tap
        self._dispatcher = dispatcher
        self._process: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._writing = asyncio.Lock()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES_KEPT)
        self._closing = False

    async def start(self) -> None:
        """Start the command in a process group of its own. Raises UnreachableError."""
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._target.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment | self._target.environment,
                cwd=self._target.cwd,
                start_new_session=True,
                # The only way to take a server along when this process is killed without warning.
                preexec_fn=die_with_parent,
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
        """Write one line. Raises OSError where the server is gone."""
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
            # A server that ends closes its input first; how it ended is known when its output has ended too.
            await asyncio.wait(self._readers[:1], timeout=0 if self._closing else 3 * PATIENCE_S)
            raise BrokenPipeError(self.describe("the server closed its input")) from error

    async def close(self) -> None:
        """Close its input, wait, then end it and everything it started."""
        self._closing = True
        process = self._process
        if process is None:
            return
        try:
            if process.stdin:
                process.stdin.close()
            if not await has_ended(process, PATIENCE_S):
                signal_group(process.pid, signal.SIGTERM)
                await has_ended(process, PATIENCE_S)
        finally:
            # Its children may outlive it; they are in its group.
            signal_group(process.pid, signal.SIGKILL)
            await has_ended(process, PATIENCE_S)
            for reader in self._readers:
                reader.cancel()
            await asyncio.gather(*self._readers, return_exceptions=True)
            self._process = None

    async def _read(self, stream: asyncio.StreamReader) -> None:
        problem = ""
        try:
            await _each_line(stream, MAX_LINE_BYTES, self._received)
        except ValueError as error:
            problem = str(error)
        if not self._closing:
            await self._report_end(problem)

    async def _received(self, line: bytes) -> None:
        if line.strip():
            self._dispatcher.take(await self._tap.take(Direction.RECEIVED, Channel.STDIO, line))

    async def _read_stderr(self, stream: asyncio.StreamReader) -> None:
        async def keep(line: bytes) -> None:
            self._stderr.append(line.decode("utf-8", "replace").rstrip("\r"))
            await self._tap.take(Direction.RECEIVED, Channel.STDERR, line)

        await _each_line(stream, MAX_STDERR_LINE_BYTES, keep, split_long=True)

    async def _report_end(self, problem: str) -> None:
        """Its output has ended: say how it died, with the last that it wrote."""
        process = self._process
        if process is None:
            return
        ended = await has_ended(process, PATIENCE_S)
        if ended:
            # What it wrote last explains most; that pipe may be read later than the other.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._readers[1]), PATIENCE_S)
        how = problem or (how_it_ended(process.returncode) if ended else "the server closed its output")
        self._tap.note(how)
        self._dispatcher.fail_all(Failure(kind=FailureKind.CONNECTION_LOST, detail=self.describe(how)))

    def describe(self, what: str) -> str:
        """`what`, with the command and the end of its stderr."""
        lines = [what, f"command: {self._target}"]
        if self._stderr:
            lines.append("last lines of its stderr:")
            lines.extend(f"  {line}" for line in self._stderr)
        return "\n".join(lines)

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
    """An exit status in words."""
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
) -> None:
    """Hand every line to `take`, the last one without a line feed too. Raises ValueError beyond the limit."""
    parts: list[bytes] = []
    size = 0
    while chunk := await stream.read(CHUNK_BYTES):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            await take(await _joined([*parts, line], size))
            parts, size = [], 0
        if rest:
            parts.append(rest)
            size += len(rest)
        if size > limit_bytes:
            if not split_long:
                raise ValueError(f"the server sent a line of more than {limit_bytes} bytes")
            await take(await _joined(parts, size))
            parts, size = [], 0
    if parts:
        await take(await _joined(parts, size))


async def _joined(parts: list[bytes], size: int) -> bytes:
    """The parts as one; `size` bytes of them are joined in a thread where they are many, for the memory has to be made first."""
    return await asyncio.to_thread(b"".join, parts) if size > LARGE_BYTES else b"".join(parts)
