"""Runs one session on the event loop of its own thread, for tests with and without an event loop.

Exceptions of the session never reach a test: their frames hold arguments and results, and pytest shows the
locals of frames. Each one becomes an `Unavailable`, which is raised as a new error in a frame without such
locals.
"""

import asyncio
import os
import shlex
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.options import Level
from inspector.cli.options import WAIT_S, ConnectionOptions
from inspector.cli.start import target_of
from inspector.connect.in_process import Answering, InProcess, is_server
from inspector.errors import InspectorError, UsageError
from inspector.json.exact import Json, JsonObject, JsonText, Malformed
from inspector.pins.withheld import WithheldValues
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.outcome import Failure
from inspector.protocol.targets import SECRET_NAME, StdioTarget, Target
from inspector.recording.target import secret_values
from inspector.session.call_record import CallRecord
from inspector.session.events import Event, ListChanged
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.testing import Cassette
from inspector.testing.covered import LEAST, SecretText, without_credentials
from inspector.testing.errors import McpServerError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from inspector.connect.connection import TransportOf
    from inspector.recording.files import Recorder

Value = TypeVar("Value")

_PYTHONS = frozenset({"python", "python3"})


class Unavailable(Struct, frozen=True, kw_only=True):
    """The reason why an operation failed, in texts without secrets or control characters."""

    reason: str


class Pending(Generic[Value]):
    """An operation that runs on the session's thread."""

    def __init__(self, future: "Future[Value | Unavailable]") -> None:
        self._future = future

    def done(self) -> Value:
        """Wait for the operation and return what it returned. Raises McpServerError if it failed."""
        __tracebackhide__ = True
        try:
            found = self._future.result()
        except BaseException:
            self._future.cancel()
            raise
        return _checked(found)

    async def awaited(self) -> Value:
        """Wait for the operation on any event loop, as `done` does."""
        __tracebackhide__ = True
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            from anyio import to_thread  # noqa: PLC0415 - only trio needs it

            try:
                found = await to_thread.run_sync(self._future.result, abandon_on_cancel=True)
            except BaseException:
                self._future.cancel()
                raise
        else:
            found = await asyncio.wrap_future(self._future)
        return _checked(found)


def _checked(found: "Value | Unavailable") -> Value:
    __tracebackhide__ = True
    if isinstance(found, Unavailable):
        raise McpServerError(found.reason)
    return found


class Engine:
    """Runs the session of a test with one target, in a thread of its own."""

    def __init__(
        self,
        target: object,
        *,
        boundary: str = "declared",
        environment: dict[str, str],
        cwd: str | None,
        timeout_s: float,
        record: str | None,
    ) -> None:
        """Raises ValueError for an invalid target or boundary level."""
        if boundary not in set(Level):
            raise ValueError(f"no boundary {boundary}; known boundaries: {', '.join(Level)}")
        self.level = Level(boundary)
        self.options = Options(timeout_s=timeout_s, connect_timeout_s=min(timeout_s, 30.0), wait_s=WAIT_S)
        self._remarks: list[str] = []
        """Sentences about the calls for which a cassette has no answer."""
        self._close_file: Callable[[], None] = lambda: None
        try:
            self.target, transport = self._resolved(target, environment, cwd)
        except InspectorError as error:
            raise ValueError(_said(error)) from None
        self.options = replace(self.options, transport=transport)
        self.secrets = _own_secrets(self.target)
        """The texts that a server may repeat: the user's credentials, and what was withheld from earlier results."""
        self._last: CallRecord | None = None
        self._record = None if record is None else Path(record)
        self._session: Session | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_stale = False
        """True if the server has announced a change of its lists since they were last listed."""

    def __repr__(self) -> str:
        return f"<{without_credentials(str(self.target))}>"

    def start(self) -> "Pending[None]":
        """Start the thread, connect, and list the tools."""
        if self._thread is not None:
            raise RuntimeError("this server is already started")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._run, args=(self._loop,), name=f"mcp {self!r}", daemon=True
        )
        self._thread.start()
        return self._submit(self._start())

    def close(self) -> "Pending[None]":
        """End the server. `join` waits for the thread."""
        return self._submit(self._close())

    def join(self) -> None:
        """End the thread and wait for it. Call it after `close`."""
        if self._thread is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._thread = None

    def call(self, tool: str, arguments: JsonObject) -> "Pending[CallRecord]":
        return self._submit(self._call(tool, arguments))

    def listed(self) -> "Pending[Catalogue]":
        return self._submit(self._listed())

    def on_session(self, work: Callable[[Session], Value]) -> "Pending[Value]":
        """Run `work` with the session, in the session's thread.

        If the server's lists have changed, list again first.
        """

        async def done() -> Value:
            await self._listed()
            return work(self._connected())

        return self._submit(done())

    def _submit(self, work: Coroutine[Any, Any, Value]) -> "Pending[Value]":
        if self._loop is None or self._thread is None:
            work.close()
            raise RuntimeError("this server is not started: use it in a with statement")
        return Pending(asyncio.run_coroutine_threadsafe(self._quietly(work), self._loop))

    async def _quietly(self, work: Coroutine[Any, Any, Value]) -> "Value | Unavailable":
        try:
            return await work
        except InspectorError as error:
            said = _said(error)
            return Unavailable(reason=self._session.masked(said) if self._session is not None else said)
        except Exception as error:  # noqa: BLE001 - its frames must not get into a test's report
            return Unavailable(reason=f"Sightline failed: {type(error).__name__}")

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    async def _start(self) -> None:
        if self._record is not None:
            self.options = replace(self.options, recorder=self._recorder(self._record))
        session = Session(self.target, self.options, self._heard)
        try:
            await session.connect()
            await session.list_all()
        except BaseException as error:
            if isinstance(error, InspectorError) and self.options.transport is not None:
                # The hint is about commands, but this server is an object or a cassette.
                error.hint = ""
            await session.close()
            self._drop_recording()
            raise
        self._session = session

    async def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        self._close_file()
        recorder = self.options.recorder
        if recorder is not None and self._record is not None:
            await asyncio.to_thread(recorder.close)
            if recorder.failure:
                self._drop_recording()
                raise UsageError(recorder.failure)
            recorder.path.replace(self._record)

    async def _call(self, tool: str, arguments: JsonObject) -> CallRecord:
        await self._listed()
        self._remarks.clear()
        self._learn_from_last()
        record = await self._connected().call(tool, arguments)
        if self._remarks:
            raise UsageError("; ".join(self._remarks), "Record the cassette again: pytest --mcp-record")
        outcome = record.outcome
        if isinstance(outcome, Failure):
            raise UsageError(f"{tool}: {outcome.detail}")
        self._last = record
        return record

    def _learn_from_last(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            withheld = WithheldValues()
            withheld.learn(last.tool, last.outcome, last.judgement.secrets(last.policy))
            self.secrets |= {SecretText(text) for text in withheld.texts - self.secrets}

    async def _listed(self) -> Catalogue:
        session = self._connected()
        if self._is_stale:
            self._is_stale = False
            await session.list_all()
        return session.catalogue

    def _connected(self) -> Session:
        if self._session is None:
            raise UsageError("the server has ended")
        return self._session

    def _heard(self, event: Event) -> None:
        self._is_stale = self._is_stale or isinstance(event, ListChanged)

    def _recorder(self, path: Path) -> "Recorder":
        from inspector.recording.files.writing import recorder_of  # noqa: PLC0415 - few tests record
        from inspector.recording.format import Lenses  # noqa: PLC0415 - as above

        path.parent.mkdir(parents=True, exist_ok=True)
        # The older recording stays until the new one is complete.
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.unlink(missing_ok=True)
        lenses = Lenses(level=self.level)
        return recorder_of(new, self.target, lenses, client=self.options.client.profile.name)

    def _drop_recording(self) -> None:
        recorder = self.options.recorder
        if recorder is not None:
            recorder.close()
            recorder.path.unlink(missing_ok=True)

    def _resolved(
        self, target: object, environment: dict[str, str], cwd: str | None
    ) -> "tuple[Target, TransportOf | None]":
        """The target to connect to, and the transport to use for it; None for the target's usual transport.

        Raises UsageError.
        """
        if isinstance(target, Cassette):
            return self._of_recording(Path(target.path))
        words = _words(target)
        if words is None and is_server(target):
            name = str(getattr(target, "name", "") or "server")
            # The server is a task of this process; the name is used in messages only.
            return StdioTarget(command=(name,)), lambda tap, dispatcher: InProcess(target, tap, dispatcher)
        if words is None and not isinstance(target, str):
            raise UsageError(
                f"not a target: {type(target).__name__}",
                "Give a text, the words of a command, a server object, or a cassette.",
            )
        options = ConnectionOptions(environment=tuple("=".join(pair) for pair in environment.items()))
        found = target_of(cast("str", target) if words is None else None, options, words)
        if isinstance(found, StdioTarget):
            program, *rest = found.command
            program = sys.executable if program in _PYTHONS else program
            found = replace(found, command=(program, *rest), cwd=found.cwd or cwd)
        return found, None

    def _of_recording(self, path: Path) -> "tuple[Target, TransportOf]":
        from inspector.recording.answering import Answers  # noqa: PLC0415 - few tests play a cassette
        from inspector.recording.codec import Broken  # noqa: PLC0415 - as above
        from inspector.recording.files import Break, RecordingFile  # noqa: PLC0415 - as above
        from inspector.recording.target import OpenedRecording  # noqa: PLC0415 - as above

        if not path.exists():
            raise UsageError(f"no cassette {path}", "pytest --mcp-record records it from the server.")
        file = RecordingFile(path)
        self._close_file = file.close
        broken = [line for line in file.lines() if isinstance(line, Break)]
        if broken:
            file.close()
            raise UsageError(f"{path} line {broken[0].line}: {broken[0].reason}", "Record it again.")

        def load(place: int) -> "Line":
            line = file.line(place)
            if isinstance(line, Broken):
                raise UsageError(f"{path} has changed since it was opened", "Start again.")
            return line

        lines = ((place, line) for place, line in enumerate(file.lines(), 1) if not isinstance(line, Break))
        answers = Answers(lines, load, exact=True)

        def answer(message: JsonText | Malformed) -> Json:
            reply = answers.answer(message)
            self._remarks += reply.remarks
            return reply.message

        target = OpenedRecording(path=str(path), header=file.header).target
        return target, lambda tap, dispatcher: Answering(answer, tap, dispatcher)


if TYPE_CHECKING:
    from inspector.recording.format import Line


def _words(target: object) -> tuple[str, ...] | None:
    """The words of a command; None for any other target. Raises UsageError."""
    if isinstance(target, (list, tuple)):
        words = cast("list[object]", target)
        if not words or not all(isinstance(word, (str, os.PathLike)) for word in words):
            raise UsageError("not a command", 'Give its words: ["node", "server.js"].')
        return tuple(os.fspath(cast("str", word)) for word in words)
    if not isinstance(target, str) or not target.startswith("-- "):
        return None
    try:
        return tuple(shlex.split(target.removeprefix("-- ")))
    except ValueError as error:
        raise UsageError(
            f"the target {target}: {error}", "Write it as in a shell: -- node server.js"
        ) from None


def _own_secrets(target: Target) -> frozenset[SecretText]:
    """The secrets in a target, among them environment variables whose names suggest a secret."""
    if isinstance(target, StdioTarget):
        secret = {name: value for name, value in target.environment.items() if SECRET_NAME.search(name)}
        target = replace(target, environment=secret)
    return frozenset(SecretText(value) for value in secret_values(target) if len(value) >= LEAST)


def _said(error: InspectorError) -> str:
    return without_credentials(f"{error.message}\n{error.hint}" if error.hint else error.message)
