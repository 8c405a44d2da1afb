"""Transports without a process or a socket: to a server object in this process, or to a function that answers messages.

The server object is reached over the memory streams of the Python SDK.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from inspector.connect.dispatch import Dispatcher
from inspector.connect.tap import Tap
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump, parse
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Failure, FailureKind

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.shared.memory import MessageStream

PATIENCE_S = 2.0
"""Time limit for a server to end after its input is closed."""

Answerer = Callable[[JsonText | Malformed], Json]
"""Called with a message; returns the answer, or None if it needs none."""


def is_server(value: object) -> bool:
    """True if a value is a server object that `InProcess` can run."""
    return _lowlevel(value) is not None


def _lowlevel(value: object) -> "Server[Any] | None":
    """The SDK's low-level server inside a `Server`, an `MCPServer` or a `FastMCP`; None for any other value."""
    from mcp.server.lowlevel import Server  # noqa: PLC0415 - the SDK loads late

    # The SDK's own tests and FastMCP use these private names; there are no public ones.
    candidates = (value, getattr(value, "_lowlevel_server", None), getattr(value, "_mcp_server", None))
    return next((cast("Server[Any]", each) for each in candidates if isinstance(each, Server)), None)


class InProcess:
    """A server object, run as a task of this event loop. Its frames are the lines that it would write to stdout."""

    def __init__(self, server: object, tap: Tap, dispatcher: Dispatcher) -> None:
        self._server = server
        self._tap = tap
        self._dispatcher = dispatcher
        self._running: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._streams: MessageStream | None = None
        self._ready = asyncio.Event()

    async def start(self) -> None:
        """Start the server. Raises UsageError for an object that is not a server of the Python SDK."""
        server = _lowlevel(self._server)
        if server is None:
            raise UsageError(
                f"not a server of the Python SDK: {type(self._server).__name__}",
                "Give an MCPServer, a low-level Server, or a FastMCP.",
            )
        self._tap.note("started the server in this process")
        self._running = asyncio.ensure_future(self._run(server))
        await self._ready.wait()

    async def send(self, message: JsonObject, headers: dict[str, str]) -> None:
        """Send one message. Raises OSError if the server has ended."""
        _ = headers
        import anyio  # noqa: PLC0415 - loaded with the SDK
        from mcp.shared.message import SessionMessage  # noqa: PLC0415 - as above
        from mcp.types import jsonrpc_message_adapter  # noqa: PLC0415 - as above

        if self._streams is None or self._dispatcher.lost:
            raise BrokenPipeError("the server has ended")
        raw = dump(message)
        await self._tap.take(Direction.SENT, Channel.STDIO, raw)
        try:
            sent = SessionMessage(jsonrpc_message_adapter.validate_json(raw, by_name=False))
        except ValueError as error:
            sent = error
        try:
            await self._streams[1].send(sent)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise BrokenPipeError("the server has ended") from error

    async def close(self) -> None:
        """Close the server's input, wait for its lifespan to end, then cancel it."""
        if self._running is None:
            return
        if self._streams is not None:
            await self._streams[1].aclose()
        await asyncio.wait([self._running], timeout=PATIENCE_S)
        for task in (self._running, self._reading):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        self._running = None

    async def _run(self, server: "Server[Any]") -> None:
        from mcp.shared.memory import create_client_server_memory_streams  # noqa: PLC0415 - the SDK loads late

        how = "the server ended"
        try:
            async with create_client_server_memory_streams() as (mine, its):
                self._streams = mine
                self._reading = asyncio.ensure_future(self._read(mine))
                self._ready.set()
                await server.run(*its, server.create_initialization_options())
        except Exception as error:  # noqa: BLE001 - whatever a server raises ends the connection, not the tests
            how = f"the server ended: {_described(error)}"
        finally:
            self._streams = None
            self._ready.set()
        self._tap.note(how)
        self._dispatcher.fail_all(Failure(kind=FailureKind.CONNECTION_LOST, detail=how))

    async def _read(self, streams: "MessageStream") -> None:
        import anyio  # noqa: PLC0415 - loaded with the SDK

        with contextlib.suppress(anyio.ClosedResourceError):
            async for received in streams[0]:
                if not isinstance(received, Exception):
                    # This is the line that the SDK would write to stdout.
                    line = received.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._dispatcher.take(
                        await self._tap.take(Direction.RECEIVED, Channel.STDIO, line.encode())
                    )


def _described(error: BaseException) -> str:
    """The type and text of an error, or of the first one in a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return f"{type(error).__name__}: {error}"  # pyright: ignore[reportUnknownArgumentType]


class Answering:
    """A transport to a function that answers in place of a server, such as one that reads a recording."""

    def __init__(self, answer: Answerer, tap: Tap, dispatcher: Dispatcher) -> None:
        self._answer = answer
        self._tap = tap
        self._dispatcher = dispatcher

    async def start(self) -> None:
        """Note in the timeline that answers come from a recording. There is nothing to start."""
        self._tap.note("answers come from a recording")

    async def send(self, message: JsonObject, headers: dict[str, str]) -> None:
        _ = headers
        raw = dump(message)
        await self._tap.take(Direction.SENT, Channel.STDIO, raw)
        answer = self._answer(parse(raw))
        if answer is not None:
            self._dispatcher.take(await self._tap.take(Direction.RECEIVED, Channel.STDIO, dump(answer)))

    async def close(self) -> None:
        """Do nothing, because nothing was started."""
