"""The MCP server of a test, for tests with and without an event loop."""

from types import TracebackType
from typing import Self

from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.testing.covered import plain, secret_texts
from inspector.testing.engine import Engine
from inspector.testing.result import ToolResult
from inspector.testing.reviewing import McpReview, review_of


class ToolInfo:
    """A tool as the server lists it."""

    __slots__ = ("_tool",)

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    @property
    def name(self) -> str:
        return self._tool.name

    @property
    def description(self) -> str:
        """The description; empty if there is none."""
        return self._tool.description or ""

    @property
    def input_schema(self) -> Json:
        return self._tool.input_schema

    @property
    def output_schema(self) -> Json:
        """The output schema; None if the tool declares none."""
        return self._tool.output_schema

    @property
    def definition(self) -> JsonObject:
        """The definition as the server sent it."""
        return self._tool.definition

    def __repr__(self) -> str:
        return f"<tool {self.name!r}>"


class McpServer:
    """A server in a test: the value of the fixture `mcp_server`, and of `connect`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return f"<McpServer {self._engine!r}>"

    def __enter__(self) -> Self:
        __tracebackhide__ = True
        try:
            self._engine.start().done()
        except BaseException:
            self._engine.join()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        try:
            self._engine.close().done()
        finally:
            self._engine.join()

    def call(self, tool: str, /, **arguments: object) -> ToolResult:
        """Call a tool. Returns a result even if the tool fails. Raises McpServerError without an answer."""
        __tracebackhide__ = True
        asked, secrets = self._engine.call(tool, _json(arguments)), secret_texts(arguments)
        # pytest may show the locals of this frame.
        del arguments
        return ToolResult(asked.done(), self._engine.level, secrets | self._engine.secrets)

    def tools(self) -> list[ToolInfo]:
        """The tools that the server lists now. Raises McpServerError."""
        __tracebackhide__ = True
        return [ToolInfo(tool) for tool in self._engine.listed().done().tools]

    def review(self) -> McpReview:
        """The findings of `sightline review` in the definitions. Calls no tool. Raises McpServerError."""
        __tracebackhide__ = True
        return self._engine.on_session(review_of).done()

    @property
    def asynchronous(self) -> "AsyncMcpServer":
        """The same server with asynchronous methods, for tests with an event loop."""
        return AsyncMcpServer(self._engine)


class AsyncMcpServer:
    """A server in a test on asyncio or trio: the value of the fixture `async_mcp_server`, and of `connect_async`.

    The session has an event loop of its own, so a server may outlive the loop of a test, and any loop can use
    it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return f"<AsyncMcpServer {self._engine!r}>"

    async def __aenter__(self) -> Self:
        __tracebackhide__ = True
        try:
            await self._engine.start().awaited()
        except BaseException:
            self._engine.join()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        try:
            await self._engine.close().awaited()
        finally:
            self._engine.join()

    async def call(self, tool: str, /, **arguments: object) -> ToolResult:
        """Call a tool. Cancelling the task cancels the call. Raises McpServerError if there is no answer."""
        __tracebackhide__ = True
        asked, secrets = self._engine.call(tool, _json(arguments)), secret_texts(arguments)
        del arguments
        return ToolResult(await asked.awaited(), self._engine.level, secrets | self._engine.secrets)

    async def tools(self) -> list[ToolInfo]:
        """The tools that the server lists now. Raises McpServerError."""
        __tracebackhide__ = True
        return [ToolInfo(tool) for tool in (await self._engine.listed().awaited()).tools]

    async def review(self) -> McpReview:
        """The findings of `sightline review` in the definitions. Calls no tool. Raises McpServerError."""
        __tracebackhide__ = True
        return await self._engine.on_session(review_of).awaited()


def _json(arguments: dict[str, object]) -> JsonObject:
    __tracebackhide__ = True
    return {name: plain(value) for name, value in arguments.items()}
