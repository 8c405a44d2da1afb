"""Third-party servers, as `make test` installs them in .venv/peers."""

import sys
from dataclasses import dataclass
from pathlib import Path

from inspector.json.exact import JsonObject
from inspector.protocol.targets import Era, StdioTarget

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv" / "peers"


@dataclass(frozen=True, slots=True, kw_only=True)
class RealServer:
    """A server, a call that works, and a text in its result."""

    name: str
    command: tuple[str, ...]
    tools: int
    era: Era
    tool: str
    arguments: JsonObject
    said: str

    @property
    def target(self) -> StdioTarget:
        """The server as a target."""
        return StdioTarget(command=self.command)


TIME = RealServer(
    name="mcp-server-time",
    command=(str(PEERS / "python" / "bin" / "mcp-server-time"),),
    tools=2,
    era=Era.MODERN,
    tool="get_current_time",
    arguments={"timezone": "Europe/Berlin"},
    said="Europe/Berlin",
)
GIT = RealServer(
    name="mcp-server-git",
    command=(str(PEERS / "python" / "bin" / "mcp-server-git"),),
    tools=12,
    era=Era.MODERN,
    tool="git_log",
    arguments={"repo_path": str(ROOT), "max_count": 1},
    said="Commit",
)
EVERYTHING = RealServer(
    name="server-everything",
    command=(
        "node",
        str(PEERS / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
        "stdio",
    ),
    tools=19,
    era=Era.LEGACY,
    tool="get-structured-content",
    arguments={"location": "Chicago"},
    said="temperature",
)
DEMO = RealServer(
    name="demo",
    command=(sys.executable, "-m", "inspector.demo", "stdio"),
    tools=20,
    era=Era.MODERN,
    tool="clean_clock",
    arguments={},
    said="UTC",
)
REAL_SERVERS = [TIME, GIT, DEMO, *([EVERYTHING] if Path(EVERYTHING.command[1]).exists() else [])]
