"""Tests of MCP servers: connect to one, call its tools, and assert what a model may see. See docs/testing.md.

The names in `__all__` are stable: they change with a major version only. Importing this package loads none
of its modules; the module of a name is loaded when the name is used.
"""

from collections.abc import Mapping
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.testing.covered import SecretText
    from inspector.testing.errors import McpServerError
    from inspector.testing.result import ModelView, ToolResult
    from inspector.testing.reviewing import McpReview, ReviewFinding
    from inspector.testing.servers import AsyncMcpServer, McpServer, ToolInfo
    from inspector.testing.snapshots import McpSnapshots

__all__ = [
    "AsyncMcpServer",
    "Cassette",
    "McpReview",
    "McpServer",
    "McpServerError",
    "McpSnapshots",
    "ModelView",
    "ReviewFinding",
    "SecretText",
    "ToolInfo",
    "ToolResult",
    "cassette",
    "connect",
    "connect_async",
]

_HOMES = {
    "AsyncMcpServer": "servers",
    "McpReview": "reviewing",
    "McpServer": "servers",
    "McpServerError": "errors",
    "McpSnapshots": "snapshots",
    "ModelView": "result",
    "ReviewFinding": "reviewing",
    "SecretText": "covered",
    "ToolInfo": "servers",
    "ToolResult": "result",
}


class Cassette:
    """A recording, used as a target that answers in place of a server."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"<Cassette {self.path}>"


def connect(
    target: object,
    *,
    boundary: str = "declared",
    environment: Mapping[str, str] | None = None,
    cwd: "str | PathLike[str] | None" = None,
    timeout_s: float = 60.0,
    record: "str | PathLike[str] | None" = None,
) -> "McpServer":
    """A server for a `with` statement: the server runs while the block runs.

    `target`: a text as on Sightline's command line (`"-- python server.py"`, a URL, `"mcp.json:NAME"`,
    `"demo"`), the words of a command, a server object of the Python SDK or of FastMCP, or a `cassette`.
    `python` as the first word of a command is the Python that runs the test. `boundary`: `open`, `declared`
    or `closed`. `environment`, `cwd`: the environment variables and the working folder of a command.
    `timeout_s`: the time limit for each answer, in seconds. `record`: a file to record the session in, without
    withheld values; an existing file is replaced. Raises ValueError for invalid arguments. Entering the block
    raises McpServerError if the server cannot be reached.
    """
    from inspector.testing.servers import McpServer  # noqa: PLC0415 - importing this package must load nothing else

    return McpServer(_engine(target, boundary, environment, cwd, timeout_s, record))


def connect_async(
    target: object,
    *,
    boundary: str = "declared",
    environment: Mapping[str, str] | None = None,
    cwd: "str | PathLike[str] | None" = None,
    timeout_s: float = 60.0,
    record: "str | PathLike[str] | None" = None,
) -> "AsyncMcpServer":
    """A server for an `async with` statement, on asyncio and trio. Takes the arguments of `connect`."""
    from inspector.testing.servers import AsyncMcpServer  # noqa: PLC0415 - as above

    return AsyncMcpServer(_engine(target, boundary, environment, cwd, timeout_s, record))


def cassette(path: "str | PathLike[str]") -> Cassette:
    """A target that answers from a recording, without a server, process or network."""
    return Cassette(fspath(path))


def _engine(
    target: object,
    boundary: str,
    environment: Mapping[str, str] | None,
    cwd: "str | PathLike[str] | None",
    timeout_s: float,
    record: "str | PathLike[str] | None",
) -> "Engine":
    from inspector.testing.engine import Engine  # noqa: PLC0415 - as above

    return Engine(
        target,
        boundary=boundary,
        environment=dict(environment or {}),
        cwd=None if cwd is None else fspath(cwd),
        timeout_s=timeout_s,
        record=None if record is None else fspath(record),
    )


if TYPE_CHECKING:
    from inspector.testing.engine import Engine


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{home}"), name)
