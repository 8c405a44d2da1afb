"""The configurations of MCP clients: places of the files, tables of servers, and placeholders.

Sources, read in November 2026:
- Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers
- Claude Code: https://code.claude.com/docs/en/mcp (`.mcp.json`, `~/.claude.json` with `projects`)
- VS Code: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration (`servers`, `inputs`, `envFile`, variables)
- Cursor: https://cursor.com/docs/mcp (`envFile`, `${userHome}`, `${pathSeparator}`)
- Windsurf: https://docs.windsurf.com/windsurf/cascade/mcp (`serverUrl`)
- Codex: https://developers.openai.com/codex/config-reference (`mcp_servers`, variables by name)
- Gemini CLI: https://geminicli.com/docs/tools/mcp-server and /docs/cli/configuration (`httpUrl`, `$NAME`)
- Zed: https://zed.dev/docs/ai/mcp (`context_servers`)
- LM Studio: https://lmstudio.ai/docs/app/mcp
- Cline: https://docs.cline.bot/mcp/mcp-overview (a `url` without `type` is HTTP+SSE)
- server.json: https://github.com/modelcontextprotocol/registry, docs/reference/server-json
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import TypeAlias, TypeGuard

from msgspec import Struct, field

from inspector.files.server_json import described_servers

Table: TypeAlias = tuple[str, ...]
"""The keys that lead from the root of a file to the object whose members are servers; `*` is any key."""

ANY = "*"


class Placeholders(Enum):
    """The placeholders, such as `${NAME}`, that one client fills in."""

    NONE = auto()
    INPUTS = auto()
    """`${input:ID}` only."""
    BRACED = auto()
    """`${NAME}` and its forms, such as `${NAME:-default}`."""
    BARE = auto()
    """`$NAME` as well as `${NAME}`."""


class Dialect(Struct, frozen=True, kw_only=True):
    """The configuration files of one client."""

    client: str
    tables: tuple[Table, ...] = (("mcpServers",),)
    project: tuple[str, ...] = ()
    """Paths of a project's files, relative to the project."""
    linux: tuple[str, ...] = ()
    """Paths of the user's files, from `~` or `/`."""
    macos: tuple[str, ...] = ()
    moved_by: tuple[str, str] | None = None
    """An environment variable that contains the folder of the user's file, and the file's name in the folder.

    If the file's name is empty, the variable contains the path of the file itself.
    """
    placeholders: Placeholders = Placeholders.BRACED
    is_sse: bool = False
    """True if a URL without a transport is HTTP+SSE."""
    renames: Mapping[str, str] = field(default_factory=dict[str, str])
    """The client's own keys of entries, each with the key that most clients use."""
    redirect_uri: str | None = None
    """The redirect URI that the client uses for the client id in an entry, unless the entry names another."""
    entries: Callable[[dict[str, object]], dict[str, object]] | None = None
    """Returns an object with `servers` and `inputs` for a file that has no table of servers; None for other clients."""


_CODE = ("~/.config/Code/User", "~/Library/Application Support/Code/User")
_CLINE = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

DIALECTS = (
    Dialect(
        client="Claude Desktop",
        linux=("~/.config/Claude/claude_desktop_config.json",),
        macos=("~/Library/Application Support/Claude/claude_desktop_config.json",),
    ),
    Dialect(
        client="Claude Code",
        # The last table wins: a project's server has precedence over the user's server of the same name.
        tables=(("mcpServers",), ("projects", ANY, "mcpServers")),
        project=(".mcp.json",),
        linux=("~/.claude.json",),
        macos=("~/.claude.json",),
        moved_by=("CLAUDE_CONFIG_DIR", ".claude.json"),
    ),
    Dialect(
        client="VS Code",
        tables=(("servers",), ("mcp", "servers")),
        project=(".vscode/mcp.json",),
        linux=(f"{_CODE[0]}/mcp.json", f"{_CODE[0]}/settings.json"),
        macos=(f"{_CODE[1]}/mcp.json", f"{_CODE[1]}/settings.json"),
        redirect_uri="http://127.0.0.1:33418/",
    ),
    Dialect(
        client="Cursor",
        project=(".cursor/mcp.json",),
        linux=("~/.cursor/mcp.json",),
        macos=("~/.cursor/mcp.json",),
    ),
    Dialect(
        client="Windsurf",
        linux=("~/.codeium/windsurf/mcp_config.json",),
        macos=("~/.codeium/windsurf/mcp_config.json",),
    ),
    Dialect(
        client="Codex",
        tables=(("mcp_servers",),),
        project=(".codex/config.toml",),
        linux=("~/.codex/config.toml",),
        macos=("~/.codex/config.toml",),
        moved_by=("CODEX_HOME", "config.toml"),
        placeholders=Placeholders.NONE,
        renames={
            "http_headers": "headers",
            "env_http_headers": "envHeaders",
            "env_vars": "envVars",
            "bearer_token_env_var": "bearerVariable",
        },
    ),
    Dialect(
        client="Gemini CLI",
        project=(".gemini/settings.json",),
        linux=("~/.gemini/settings.json", "/etc/gemini-cli/settings.json"),
        macos=("~/.gemini/settings.json", "/Library/Application Support/GeminiCli/settings.json"),
        redirect_uri="http://localhost:7777/oauth/callback",
        placeholders=Placeholders.BARE,
    ),
    Dialect(
        client="Zed",
        tables=(("context_servers",),),
        project=(".zed/settings.json",),
        linux=("~/.config/zed/settings.json",),
        macos=("~/.config/zed/settings.json",),
        placeholders=Placeholders.NONE,
    ),
    Dialect(
        client="LM Studio",
        linux=("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),
        macos=("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),
    ),
    Dialect(
        client="Cline",
        linux=(f"{_CODE[0]}/{_CLINE}", "~/.cline/data/settings/cline_mcp_settings.json"),
        macos=(f"{_CODE[1]}/{_CLINE}", "~/.cline/data/settings/cline_mcp_settings.json"),
        moved_by=("CLINE_MCP_SETTINGS_PATH", ""),
        is_sse=True,
    ),
    Dialect(
        client="server.json",
        tables=(),
        project=("server.json",),
        placeholders=Placeholders.INPUTS,
        entries=described_servers,
    ),
)
_ANY_FILE = Dialect(client="mcp.json", tables=(("mcpServers",), ("servers",)), project=("mcp.json",))
"""The dialect of a file that no client's dialect fits. It has the tables of servers that most clients use."""

TABLES = "mcpServers, servers (VS Code), context_servers (Zed), mcp_servers (Codex), or packages and remotes (server.json)"
"""The names of the tables of servers, for messages."""


class FoundTable(Struct, frozen=True, kw_only=True):
    """One object in a file whose members are servers, such as `mcpServers`."""

    entries: object
    beside: dict[str, object]
    """The object that contains the table; it may contain `inputs` too."""
    project: str = ""
    """The folder of the project that the file names for the table; empty if it names none."""


def dialect_of(path: Path, root: dict[str, object]) -> Dialect:
    """The dialect in which a file is written.

    If the file has the usual path of a client, and one of the client's tables, it is the client's dialect.
    Otherwise it is `_ANY_FILE` if the file has one of the tables of `_ANY_FILE`. Otherwise it is the first
    dialect of `DIALECTS` of which the file has a table, or `_ANY_FILE` if there is none.
    """
    written = path.absolute().as_posix()
    for dialect in DIALECTS:
        places = (*dialect.project, *dialect.linux, *dialect.macos)
        if any(written.endswith(f"/{place.removeprefix('~/')}") for place in places) and _has(dialect, root):
            return dialect
    if not _has(_ANY_FILE, root):
        for dialect in DIALECTS:
            if _has(dialect, root):
                return dialect
    return _ANY_FILE


def tables_in(dialect: Dialect, root: dict[str, object]) -> Iterator[FoundTable]:
    """The tables of servers in a file. A later table takes precedence over an earlier one."""
    if dialect.entries is not None:
        described = dialect.entries(root)
        if described:
            yield FoundTable(entries=described["servers"], beside=described)
    for table in dialect.tables:
        yield from _tables(table, root, "")


def _tables(keys: Table, held: dict[str, object], project: str) -> Iterator[FoundTable]:
    key, *more = keys
    if key == ANY:
        for name, inner in held.items():
            if is_object(inner):
                yield from _tables(tuple(more), inner, name)
    elif not more:
        if held.get(key) is not None:
            yield FoundTable(entries=held[key], beside=held, project=project)
    elif is_object(inner := held.get(key)):
        yield from _tables(tuple(more), inner, project)


def _has(dialect: Dialect, root: dict[str, object]) -> bool:
    return next(tables_in(dialect, root), None) is not None


def usual_places() -> Iterator[tuple[Dialect, Path]]:
    """The files where clients keep their servers: in the current folder, then in the user's home.

    The files may not exist.
    """
    for dialect in (_ANY_FILE, *DIALECTS):
        for name in dialect.project:
            yield dialect, Path(name)
    for dialect in DIALECTS:
        variable, name = dialect.moved_by or ("", "")
        if moved := os.environ.get(variable):
            yield dialect, Path(moved, name) if name else Path(moved)
        else:
            for place in dialect.macos if sys.platform == "darwin" else dialect.linux:
                yield dialect, _path_of(place)


def _path_of(place: str) -> Path:
    settings = os.environ.get("XDG_CONFIG_HOME", "")
    if sys.platform != "darwin" and settings.startswith("/") and place.startswith("~/.config/"):
        return Path(settings, place.removeprefix("~/.config/"))
    return Path.home() / place.removeprefix("~/")


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """True for an object of JSON or a table of TOML."""
    return isinstance(value, dict)
