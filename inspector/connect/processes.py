"""Starts programs, and ends each together with every process that it started, daemons included."""

import asyncio
import contextlib
import ctypes
import os
import re
import resource
import secrets
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from inspector.credentials.cutting import masked_start

INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG")
"""The variables that a program inherits from Sightline, besides those of `-e` or the configuration."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)

POLL_S = 0.02
DAEMON_PATIENCE_S = 0.5
"""The number of seconds after SIGTERM in which a process that left its group must end."""
_KILLED_S = 5.0
"""The longest wait for the exit of a killed program. It exits at once, except on a busy machine."""
_ROUNDS = 50
"""The maximum number of times to look for processes that appear while others are ended."""
_HIGHEST_MARK = 1 << 62
"""The highest mark (see `_new_mark`), in microseconds. A resource limit this high has no effect."""
_MARK_LINE = re.compile(r"^Max realtime timeout +(\d+) ", re.MULTILINE)


class LeftBehind(Struct, frozen=True, kw_only=True):
    """A process that left the group of its program, and that Sightline ended or could not end."""

    pid: int
    name: str
    """The process name. Untrusted text."""
    has_ended: bool

    def __str__(self) -> str:
        done = "ended" if self.has_ended else "could not end"
        return f"{done} process {self.pid} ({self.name}), which the server had left running"


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """The pipes of a process, and an event for its exit.

    asyncio's own wait for the exit also waits for the pipes, which a grandchild may hold open.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=1 << 16, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()

    async def exits(self) -> None:
        """Wait for the exit of a process that was killed, at most `_KILLED_S`. Raise a cancellation only then."""
        loop = asyncio.get_running_loop()
        ends_s = loop.time() + _KILLED_S
        cancelled: asyncio.CancelledError | None = None
        while not self.exited.is_set() and loop.time() < ends_s:
            try:
                await asyncio.sleep(POLL_S)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled


class Program:
    """A process in its own session, with its pipes and its descendants."""

    def __init__(self, transport: asyncio.SubprocessTransport, protocol: _Protocol, mark: int) -> None:
        self._transport = transport
        self._protocol = protocol
        self._mark = mark
        self._process = asyncio.subprocess.Process(transport, protocol, asyncio.get_running_loop())

    @property
    def pid(self) -> int:
        """The process id, which is also the process group."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def stdin(self) -> asyncio.StreamWriter | None:
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader | None:
        return self._process.stdout

    @property
    def stderr(self) -> asyncio.StreamReader | None:
        return self._process.stderr

    async def has_ended(self, within_s: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._protocol.exited.wait(), within_s)
        return self.returncode is not None

    async def end(self, patience_s: float) -> tuple[LeftBehind, ...]:
        """End the program, its group and its daemons: SIGTERM, then SIGKILL after `patience_s`. Close its pipes.

        If cancelled, it sends SIGKILL at once. Returns the daemons. Without /proc none is found, and processes
        that left the group keep running.
        """
        try:
            if self.returncode is None:
                _signal_group(self.pid, signal.SIGTERM)
                await self.has_ended(patience_s)
            # Children may outlive the program; they are in its group or carry its mark.
            _signal_group(self.pid, signal.SIGKILL)
            await self._protocol.exits()
            return await self._end_daemons()
        except BaseException:
            _signal_group(self.pid, signal.SIGKILL)
            _kill_marked(self._mark)
            await self._protocol.exits()
            raise
        finally:
            # Another process may hold the pipes open, so they are closed without waiting for their end.
            self._transport.close()
            await asyncio.sleep(0)

    async def _end_daemons(self) -> tuple[LeftBehind, ...]:
        """End the processes that have this program's mark (see `_new_mark`), also those that start meanwhile."""
        names: dict[int, str] = {}
        grace_ends_s = asyncio.get_running_loop().time() + DAEMON_PATIENCE_S
        number = signal.SIGTERM
        for _ in range(_ROUNDS):
            alive = await asyncio.to_thread(marked, self._mark)
            if not alive:
                break
            for pid in alive:
                if number is signal.SIGKILL or pid not in names:
                    names.setdefault(pid, _name_of(pid))
                    _signal(pid, number)
            if asyncio.get_running_loop().time() >= grace_ends_s:
                number = signal.SIGKILL
            await asyncio.sleep(POLL_S)
        else:
            alive = await asyncio.to_thread(marked, self._mark)
        return tuple(
            LeftBehind(pid=pid, name=name, has_ended=pid not in alive) for pid, name in names.items()
        )


def environment(*more: str) -> dict[str, str]:
    """The environment of a program: Sightline's own variables whose names are in `INHERITED` or `more`."""
    return {name: os.environ[name] for name in (*INHERITED, *more) if name in os.environ}


async def start(
    command: Sequence[str], *, environment: dict[str, str], cwd: str | Path | None, pipes: Sequence[str]
) -> Program:
    """Start a command in its own session. Raises OSError, or ValueError for an argument that cannot be passed.

    If cancelled, it leaves no process behind.

    `pipes`: which of `stdin`, `stdout` and `stderr` are pipes; the others are /dev/null.
    """
    loop = asyncio.get_running_loop()
    mark = _new_mark()
    protocol = _Protocol(loop)
    stdin, stdout, stderr = (
        asyncio.subprocess.PIPE if name in pipes else asyncio.subprocess.DEVNULL
        for name in ("stdin", "stdout", "stderr")
    )
    making = asyncio.ensure_future(
        loop.subprocess_exec(
            lambda: protocol,
            *command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=environment,
            cwd=cwd,
            start_new_session=True,
            preexec_fn=_before_program(mark),
        )
    )
    try:
        # If asyncio were cancelled here, it would wait for the pipes to close, which children may hold open.
        transport, _ = await asyncio.shield(making)
    except asyncio.CancelledError:
        making.add_done_callback(_close)
        _kill_marked(mark)
        try:
            await protocol.exits()
        finally:
            making.cancel()
        raise
    return Program(transport, protocol, mark)


def _close(made: asyncio.Future[tuple[asyncio.SubprocessTransport, _Protocol]]) -> None:
    if not made.cancelled() and made.exception() is None:
        made.result()[0].close()


def marked(mark: int) -> tuple[int, ...]:
    """The ids of the processes with a mark (see `_new_mark`). Processes that have ended are left out.

    Empty if there is no /proc.
    """
    pids: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = _MARK_LINE.search((entry / "limits").read_text("ascii", "replace"))
            if line and int(line[1]) == mark:
                state = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
                if state not in {"Z", "X"}:
                    pids.append(int(entry.name))
    return tuple(pids)


def _new_mark() -> int:
    """Draw a number that marks one program and its descendants.

    The mark is a limit on real-time computing that is so high that it has no effect. It is 0 if the system
    sets too low a limit, and on systems other than Linux. Processes inherit the mark through double forks,
    new sessions and an emptied environment, and can only lower it. An environment variable is not used,
    because it would change the environment that the server is promised.
    """
    if sys.platform != "linux":
        return 0
    _, hard = resource.getrlimit(resource.RLIMIT_RTTIME)
    highest = _HIGHEST_MARK if hard == resource.RLIM_INFINITY else min(hard, _HIGHEST_MARK)
    return highest - 1 - secrets.randbits(48) if highest > 1 << 50 else 0


def _before_program(mark: int) -> Callable[[], None]:
    """Return the function that the child runs before exec.

    It sets the mark, and has the child killed when Sightline ends, even if Sightline is killed.
    """

    def prepare() -> None:
        if sys.platform == "linux":
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if mark:
                resource.setrlimit(resource.RLIMIT_RTTIME, (mark, mark))

    return prepare


def _kill_marked(mark: int) -> None:
    """Kill the processes with a mark, also those that start meanwhile, without giving way to other tasks."""
    for _ in range(_ROUNDS):
        alive = marked(mark)
        if not alive:
            return
        for pid in alive:
            _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "unknown"


class ErrorLines:
    """The first and the last stderr lines of a program.

    The last lines alone are not enough, because a usage text may follow the cause.
    """

    FIRST = LAST = 20
    LONGEST = 400
    """The maximum number of characters kept of one line. The timeline has the whole line."""

    def __init__(self, mask: Callable[[str], str] = str) -> None:
        """`mask`: masks the user's credentials."""
        self._mask = mask
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=self.LAST)
        self._count = 0

    def add(self, line: bytes) -> None:
        self._count += 1
        text = masked_start(line.decode("utf-8", "replace").rstrip("\r"), self._mask, self.LONGEST)
        if len(self._first) < self.FIRST:
            self._first.append(text)
        else:
            self._last.append(text)

    def quoted(self) -> list[str]:
        """A heading, and the first and last lines, indented. Empty if the program wrote nothing to stderr."""
        if not self._count:
            return []
        left_out = self._count - len(self._first) - len(self._last)
        if not left_out:
            return ["its stderr:", *(f"  {line}" for line in (*self._first, *self._last))]
        return [
            f"its stderr, the first {self.FIRST} and the last {self.LAST} lines:",
            *(f"  {line}" for line in self._first),
            f"  … {left_out} line{'' if left_out == 1 else 's'} left out …",
            *(f"  {line}" for line in self._last),
        ]
