"""Read configuration files of MCP clients: `mcpServers`, or `servers` as VS Code writes it.

The files are JSON with comments and trailing commas. Sources:
https://code.visualstudio.com/docs/copilot/reference/mcp-configuration (`servers`, `inputs`, `envFile`, variables),
https://docs.cursor.com/context/mcp (`envFile`, `${userHome}`, `${pathSeparator}`),
https://geminicli.com/docs/tools/mcp-server (`httpUrl`), https://docs.windsurf.com/windsurf/cascade/mcp (`serverUrl`).
"""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

import msgspec
import pyjson5

from inspector.errors import UsageError
from inspector.protocol.targets import HttpTarget, StdioTarget, parse_target

MAX_CONFIG_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 200
MAX_NAMES = 20
"""The most servers and keys that a message names."""

_IN_PROJECT = ("mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".gemini/settings.json")
_IN_HOME = (
    ".claude.json",
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    ".cursor/mcp.json",
    ".codeium/windsurf/mcp_config.json",
    ".gemini/settings.json",
)
"""Where clients keep their servers. Sources: as above; https://modelcontextprotocol.io/docs/develop/connect-local-servers
(Claude Desktop), https://docs.anthropic.com/en/docs/claude-code/mcp (`.mcp.json`, `~/.claude.json`)."""

_LOOKED_FOR = "Sightline looks for an object `mcpServers`, or `servers` as VS Code writes it."
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)
_BARE_VARIABLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
# NAME=value lines that Docker, VS Code, Node and python-dotenv read alike. Other lines are refused.
_ENV_LINE = re.compile(
    r"""(?:export[ \t]++)?(?P<name>[A-Za-z_][\w.-]*+)[ \t]*+=[ \t]*+"""
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*+)"|'(?P<single>[^']*+)'|(?P<plain>[^\s"'`#](?:[^"'`#]*?[^\s"'`#])?)?)"""
    r"""(?:(?<=[ \t])#.*|[ \t]++#.*)?""",
    re.ASCII,
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_ADDRESSES = ("url", "httpUrl", "serverUrl")
_TRANSPORTS = {"stdio": "stdio", "http": "http", "streamablehttp": "http", "sse": "sse"}
_OF_COMMANDS = frozenset({"command", "args", "env", "envFile", "cwd"})
_OF_CLIENTS = frozenset(
    {
        "$schema",
        "alwaysAllow",
        "autoApprove",
        "autoapprove",
        "description",
        "dev",
        "disabledTools",
        "excludeTools",
        "gallery",
        "icon",
        "includeTools",
        "name",
        "timeout",
        "title",
        "tools",
        "trust",
        "version",
    }
)
"""Keys about how a client uses a server, not about how to start or reach it."""


class _Entry(msgspec.Struct, rename="camel"):
    command: str | None = None
    args: list[str] = []
    env: dict[str, str | int] = {}
    env_file: str | None = None
    cwd: str | None = None
    url: str | None = None
    http_url: str | None = None
    server_url: str | None = None
    type: str | None = None
    transport: str | None = None
    headers: dict[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredServer:
    """A server from a configuration file."""

    target: StdioTarget | HttpTarget
    notes: tuple[str, ...] = ()
    """What the entry requests and Sightline does not support. Foreign text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    path: str
    entries: dict[str, object]
    inputs: tuple[dict[str, object], ...]

    @property
    def folder(self) -> Path:
        return Path(self.path).absolute().parent

    @property
    def project(self) -> Path:
        """The folder that holds `.vscode`, `.cursor` or the like; otherwise the file's own folder."""
        return self.folder.parent if self.folder.name.startswith(".") else self.folder


def read_target(
    path: str, name: str | None, environment: Collection[str] = (), headers: Collection[str] = ()
) -> ConfiguredServer:
    """The server called `name` in `path`; a file with one entry needs no name. Raises UsageError.

    `environment`, `headers`: names of variables and headers that the command line sets. The entry's values for them
    are ignored, so their placeholders need not be filled in.
    """
    file = _read(path)
    name = _chosen(file, name)
    reading = _Reading(
        file=file,
        where=f"{path}, server {name}",
        written=file.entries[name],
        given=frozenset(environment),
        given_headers=frozenset(header.casefold() for header in headers),
    )
    return reading.server()


def found() -> dict[Path, tuple[str, ...]]:
    """The configuration files in the usual places of clients, each with the names of its servers.

    Files that cannot be read are left out.
    """
    files: dict[Path, tuple[str, ...]] = {}
    for path in (*map(Path, _IN_PROJECT), *(Path.home() / name for name in _IN_HOME)):
        try:
            names = tuple(_read(str(path)).entries) if path.is_file() else ()
        except (UsageError, OSError):
            names = ()
        if names:
            files[path] = names
    return files


def _read(path: str) -> _File:
    root = _decoded(path, _text(path))
    tables = [root[key] for key in ("mcpServers", "servers") if root.get(key) is not None]
    if not tables:
        raise UsageError(
            f"{path} has neither mcpServers nor servers", f"{_LOOKED_FOR} It has: {_listed(root)}."
        )
    entries: dict[str, object] = {}
    for table in tables:
        if not _is_object(table):
            raise UsageError(f"{path}: mcpServers or servers is not an object", _LOOKED_FOR)
        entries |= table
    inputs = root.get("inputs")
    described = [one for one in inputs if _is_object(one)] if _is_list(inputs) else []
    return _File(path=path, entries=entries, inputs=tuple(described))


def _text(path: str) -> str:
    """The text of a UTF-8 file, with or without a byte order mark. Raises UsageError."""
    try:
        with Path(path).open("rb") as opened:
            raw = opened.read(MAX_CONFIG_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"cannot read {path}: {reason}", "Check the path.") from error
    if len(raw) > MAX_CONFIG_BYTES:
        raise UsageError(f"{path} is larger than {MAX_CONFIG_BYTES} bytes", "Is this the right file?")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})", "Save it as UTF-8.") from error


def _decoded(path: str, text: str) -> dict[str, object]:
    try:
        root: object = pyjson5.decode(text, maxdepth=MAX_DEPTH)
    except pyjson5.Json5NestingTooDeep as error:
        raise UsageError(f"{path}: nested too deep", "Is this the right file?") from error
    except pyjson5.Json5DecoderException as error:
        # The exception's other `args` hold the decoded content with its secrets; use the message only.
        raise UsageError(f"{path} is not JSON: {_reason(text, str(error.args[0]))}", _LOOKED_FOR) from None
    if not _is_object(root):
        raise UsageError(f"{path} holds no JSON object", _LOOKED_FOR)
    return root


def _reason(text: str, message: str) -> str:
    """The parser's message with line and column instead of offsets, and characters instead of code points."""

    def place(near: "re.Match[str]") -> str:
        offset = max(int(near[1]) - 1, 0)
        start = text.rfind("\n", 0, offset) + 1
        return f"near line {text.count(chr(10), 0, offset) + 1}, column {offset - start + 1}"

    message = re.sub(r"b'(\w+)'", r"\1", message)
    message = re.sub(r"U\+([0-9a-f]{4,6})", lambda match: f"`{chr(int(match[1], 16))}`", message)
    return re.sub(r"near (\d+)", place, message)


def _chosen(file: _File, name: str | None) -> str:
    if name is None and len(file.entries) != 1:
        raise UsageError(
            f"{file.path} has {len(file.entries)} servers",
            f"Name one with --server or {file.path}:NAME. {_has(file)}",
        )
    name = next(iter(file.entries)) if name is None else name
    if name not in file.entries:
        raise UsageError(f"{file.path} has no server {name}", _has(file))
    return name


def _has(file: _File) -> str:
    """The servers in a file; unreadable ones last, with the reason."""
    readable: list[str] = []
    unreadable: list[str] = []
    for name, written in file.entries.items():
        try:
            msgspec.convert(written, _Entry)
        except msgspec.ValidationError as error:
            unreadable.append(f"{name} ({error})")
        else:
            readable.append(name)
    lines = [f"It has: {_listed(readable)}."]
    if unreadable:
        lines.append(f"Unreadable: {_listed(unreadable)}.")
    return "\n".join(lines)


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join([*names][:MAX_NAMES]) + more if names else "none"


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _env_file(path: str) -> dict[str, str]:
    """The variables in a file of `NAME=value` lines with quotes, comments and `export`. Raises UsageError.

    Values may be secrets: error messages name the line without quoting it.
    """
    variables: dict[str, str] = {}
    for number, written in enumerate(re.split(r"\r\n?|\n", _text(path)), 1):
        line = written.strip()
        if not line or line.startswith("#"):
            continue
        match = _ENV_LINE.fullmatch(line)
        if not match:
            raise UsageError(
                f"{path}, line {number} is not NAME=value",
                "Put a value with # or quotes in it into quotes, on one line.",
            )
        double: str | None = match["double"]
        value: str = match["single"] or match["plain"] or ""
        if double is not None:
            value = _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[0]), double)
        variables[match["name"]] = value
    return variables


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """Converts one entry to a target."""

    file: _File
    where: str
    written: object
    given: frozenset[str]
    given_headers: frozenset[str]

    def server(self) -> ConfiguredServer:
        try:
            entry = msgspec.convert(self.written, _Entry)
        except msgspec.ValidationError as error:
            raise self._wrong(
                str(error),
                'An entry looks like {"command": "node", "args": ["server.js"]}, or {"url": "https://…"}.',
            ) from error
        addresses = {
            key: value
            for key, value in zip(_ADDRESSES, (entry.url, entry.http_url, entry.server_url), strict=True)
            if value is not None
        }
        match self._transport(entry):
            case None if entry.command and addresses:
                raise self._wrong(f"both command and {', '.join(addresses)}", '"type" says which it is.')
            case "http" | "sse" as transport:
                target = self._endpoint(entry, addresses, older_sse=transport == "sse")
            case None if addresses:
                target = self._endpoint(entry, addresses, older_sse=False)
            case _:
                target = self._command(entry)
        return ConfiguredServer(target=target, notes=tuple(self._notes(entry, target)))

    def _wrong(self, problem: str, hint: str) -> UsageError:
        return UsageError(f"{self.where}: {problem}", hint)

    def _transport(self, entry: _Entry) -> str | None:
        """`stdio`, `http` or `sse`; None where the entry names no transport."""
        known = set[str]()
        for written in (entry.type, entry.transport):
            if written is not None:
                plain = written.replace("-", "").replace("_", "").lower()
                if plain not in _TRANSPORTS:
                    raise self._wrong(
                        f"the transport {written} is not supported",
                        "stdio, http, streamable-http and sse are.",
                    )
                known.add(_TRANSPORTS[plain])
        if len(known) > 1:
            raise self._wrong("type and transport differ", "Leave one of them out.")
        return known.pop() if known else None

    def _command(self, entry: _Entry) -> StdioTarget:
        if not entry.command:
            raise self._wrong(
                "neither command nor url", f"An entry needs command, or one of {', '.join(_ADDRESSES)}."
            )
        environment: dict[str, str] = {}
        if entry.env_file is not None:
            path = self.file.folder / self._filled("envFile", entry.env_file)
            try:
                environment = _env_file(str(path))
            except UsageError as error:
                raise self._wrong(f"envFile: {error.message}", error.hint) from error
        environment |= {
            key: self._filled(f"the variable {key}", str(value), f"-e {key}=…")
            for key, value in entry.env.items()
            if key not in self.given
        }
        return StdioTarget(
            command=(
                self._filled("command", entry.command),
                *(self._filled("args", word) for word in entry.args),
            ),
            environment=environment,
            cwd=self._filled("cwd", entry.cwd) if entry.cwd else None,
        )

    def _endpoint(self, entry: _Entry, addresses: dict[str, str], *, older_sse: bool) -> HttpTarget:
        if len(addresses) != 1:
            problem = f"both {' and '.join(addresses)}" if addresses else "no url"
            raise self._wrong(problem, f"A server over HTTP needs one of {', '.join(_ADDRESSES)}.")
        [(key, written)] = addresses.items()
        url = self._filled(key, written)
        # The filled-in URL may hold a credential, so messages quote the URL as written.
        problem = self._wrong(f"{key} is no http(s) URL: {written}", "Write it as https://host/path.")
        if not url.startswith(("http://", "https://")):
            raise problem
        try:
            target = parse_target(f"sse+{url}" if older_sse else url)
        except UsageError:
            raise problem from None
        if not isinstance(target, HttpTarget):
            raise problem
        headers = tuple(
            (header, self._filled(f"the header {header}", value, f"--header '{header}: …'"))
            for header, value in entry.headers.items()
            if header.casefold() not in self.given_headers
        )
        return replace(target, headers=headers)

    def _notes(self, entry: _Entry, target: StdioTarget | HttpTarget) -> Iterator[str]:
        keys = self.written if _is_object(self.written) else {}
        if keys.get("disabled") is True or keys.get("enabled") is False:
            yield f"{self.where} is disabled in the file; Sightline uses it anyway"
        is_command = isinstance(target, StdioTarget)
        understood = {"type", "transport", "disabled", "enabled"} | _OF_CLIENTS
        understood |= _OF_COMMANDS if is_command else {"headers", *_ADDRESSES}
        unused = [key for key in keys if key not in understood]
        if unused:
            yield f"{self.where}: ignored, because Sightline does not support it: {_listed(unused)}"
        bare = [key for key, value in entry.env.items() if _BARE_VARIABLE.fullmatch(str(value))]
        if bare and is_command:
            yield f"{self.where}: passed unchanged, because only ${{NAME}} is filled in: {_listed(bare)}"

    def _filled(self, what: str, text: str, option: str = "") -> str:
        """`text` with its placeholders filled in. Raises UsageError for one without a value.

        `option`: the command line option that can set the value instead.
        """
        return _PLACEHOLDER.sub(lambda match: self._value(what, match[1], option), text)

    def _value(self, what: str, name: str, option: str) -> str:
        match name:
            case "workspaceFolder":
                return str(self.file.project)
            case "workspaceFolderBasename":
                return self.file.project.name
            case "userHome":
                return str(Path.home())
            case "pathSeparator" | "/":
                return os.sep
            case _ if name.startswith("input:"):
                return self._input(what, name.removeprefix("input:"), option)
            case _:
                variable = _VARIABLE.fullmatch(name)
        if not variable:
            raise self._wrong(
                f"cannot fill in ${{{name}}}",
                "Supported: ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:ID}, ${workspaceFolder}, ${userHome}, ${pathSeparator}.",
            )
        default: str | None = variable[2]
        value = os.environ.get(variable[1], default)
        if value is None:
            raise self._wrong(
                f"the variable {variable[1]} is not set", f"Set {variable[1]} in the environment."
            )
        return value

    def _input(self, what: str, name: str, option: str) -> str:
        """The environment variable in place of a value that clients prompt for."""
        variable = f"SIGHTLINE_INPUT_{re.sub('[^A-Za-z0-9]', '_', name).upper()}"
        value = os.environ.get(variable)
        if value is None:
            texts = [one.get("description") for one in self.file.inputs if one.get("id") == name]
            described = f", described as: {texts[0]}" if texts and isinstance(texts[0], str) else ""
            raise self._wrong(
                f"{what} needs the input {name}{described}",
                f"Set {variable} in the environment{f', or give {option}' if option else ''}.",
            )
        return value
