"""Reads configuration files of MCP clients, each in its dialect (`dialects.py`).

A file is JSON with comments and trailing commas, or TOML.
"""

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeGuard

import msgspec
import pyjson5
from msgspec import Struct
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.files.dialects import (
    DIALECTS,
    TABLES,
    Dialect,
    FoundTable,
    Placeholders,
    dialect_of,
    is_object,
    tables_in,
    usual_places,
)
from inspector.files.oauth_members import (
    OAUTH_KEYS,
    OAuthMembers,
    client_of,
    filled_members,
    in_one_spelling,
    unused_members,
    without_effect,
)
from inspector.protocol.authorization import ClientIdentity
from inspector.protocol.targets import COVERED, HttpTarget, StdioTarget, parse_target

MAX_CONFIG_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 200
MAX_NAMES = 20
"""The maximum number of servers or keys that a message names."""

_LOOKED_FOR = f"Sightline looks for {TABLES}."
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
_ANY_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)
_BARE_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_NAMED = re.compile(r"(?:[A-Za-z]{1,10} )?\$\{(?:env:|input:)?[A-Za-z_][\w.-]*\}")
"""Matches a value that is only a placeholder, or only one word, such as `Bearer`, and a placeholder."""
# Matches the NAME=value lines that Docker, VS Code, Node and python-dotenv read alike. Other lines are refused.
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
_OF_COMMANDS = frozenset({"command", "args", "env", "envFile", "envVars", "cwd"})
_OF_ADDRESSES = (
    frozenset({"url", "httpUrl", "serverUrl", "headers", "envHeaders", "bearerVariable"}) | OAUTH_KEYS
)
_OF_CLIENTS = frozenset(
    {
        "$schema",
        "alwaysAllow",
        "autoApprove",
        "autoapprove",
        "default_tools_approval_mode",
        "description",
        "dev",
        "disabledTools",
        "disabled_tools",
        "enabled_tools",
        "excludeTools",
        "gallery",
        "icon",
        "includeTools",
        "name",
        "required",
        "source",
        "startup_timeout_ms",
        "startup_timeout_sec",
        "supports_parallel_tool_calls",
        "timeout",
        "title",
        "tool_timeout_sec",
        "tools",
        "trust",
        "version",
    }
)
"""Keys that describe how a client uses a server, not how to start or reach the server."""


class _Entry(msgspec.Struct, rename="camel"):
    command: str | None = None
    args: list[str] = []
    env: dict[str, str | int] = {}
    env_vars: list[str] = []
    env_file: str | None = None
    cwd: str | None = None
    url: str | None = None
    http_url: str | None = None
    server_url: str | None = None
    type: str | None = None
    transport: str | None = None
    headers: dict[str, str] = {}
    env_headers: dict[str, str] = {}
    bearer_variable: str | None = None
    oauth: OAuthMembers | None = None


class ConfiguredServer(Struct, frozen=True, kw_only=True):
    """A server from a configuration file."""

    target: StdioTarget | HttpTarget
    notes: tuple[str, ...] = ()
    """Notes about parts of the entry that Sightline does not support, ignores or passes unchanged.

    Untrusted text.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """An input of a configuration file, which is a value that MCP clients ask the user for.

    Its texts are untrusted.
    """

    file: str
    id: str
    description: str = ""
    is_password: bool = True
    """True if the input is hidden while the user types. Also true if the file does not describe the input."""
    options: tuple[str, ...] = ()
    default: str | None = None


Ask: TypeAlias = Callable[[Input], str | None]
"""Asks the user for an input; returns None if there is no user to ask."""


def _ask_no_user(_: Input) -> None:
    return None


class FoundServer(Struct, frozen=True, kw_only=True):
    """An entry of a configuration file, before a target is made from it. Its texts are untrusted."""

    client: str
    path: Path
    name: str
    problem: str = ""
    """The reason why the entry, or the whole file, cannot be read; empty if it can."""
    is_disabled: bool = False
    reading: "_Reading | None" = None
    """Converts the entry to a target; None if the whole file cannot be read."""

    @property
    def word(self) -> str:
        """The target on Sightline's command line: `FILE:NAME`, or the file if the entry has no name."""
        return f"{self.path}:{self.name}" if self.name else str(self.path)

    @property
    def shown(self) -> str:
        """The command or URL in one line, with secrets masked and placeholders as in the file.

        Raises UsageError.
        """
        target = self.covered()
        if isinstance(target, StdioTarget):
            folder = f" (in {target.cwd})" if target.cwd else ""
            variables = "".join(f"{name}={value} " for name, value in target.environment.items())
            return f"{variables}{target}{folder}"
        headers = ", ".join(f"{name}: {value}" for name, value in target.headers)
        return f"{'sse+' if target.older_sse else ''}{target}{f' ({headers})' if headers else ''}"

    def server(self, ask: Ask = _ask_no_user) -> ConfiguredServer:
        """The server's target, from the content already read. Raises UsageError."""
        if self.reading is None:
            raise UsageError(self.problem)
        return replace(self.reading, ask=ask).server()

    def covered(self) -> StdioTarget | HttpTarget:
        """The target with placeholders as written, and other values of variables and headers masked.

        Raises UsageError.
        """
        if self.reading is None:
            raise UsageError(self.problem)
        return self.reading.covered()


class _Written(Struct, frozen=True, kw_only=True):
    """One entry as written in the file."""

    value: object
    inputs: tuple[dict[str, object], ...] = ()
    project: str = ""
    """The folder of the project that the file names for the entry; empty if it names none."""
    is_elsewhere: bool = False
    """True if the entry is for a project other than the current folder."""


class _File(Struct, frozen=True, kw_only=True):
    path: str
    dialect: Dialect
    entries: dict[str, _Written]

    @property
    def folder(self) -> Path:
        return Path(self.path).absolute().parent

    @property
    def project(self) -> Path:
        """The folder that contains `.vscode`, `.cursor` or the like; otherwise the file's own folder."""
        return self.folder.parent if self.folder.name.startswith(".") else self.folder


def read_target(
    path: str,
    name: str | None,
    environment: Collection[str] = (),
    headers: Collection[str] = (),
    ask: Ask = _ask_no_user,
    client: Collection[str] = (),
) -> ConfiguredServer:
    """The server called `name` in `path`. `name` may be None if the file has one entry. Raises UsageError.

    `environment`, `headers` and `client` are the names of variables, of headers and of fields of ClientIdentity that
    the command line sets. The entry's values for them are ignored, so their placeholders need no values.
    """
    file = _read(path)
    reading = _reading(file, _chosen(file, name))
    reading = replace(
        reading,
        given=frozenset(environment),
        given_headers=frozenset(header.casefold() for header in headers),
        given_client=frozenset(client),
        ask=ask,
    )
    return reading.server()


def server_names(path: str) -> tuple[str, ...]:
    """The names of the servers in `path`, in file order. Raises UsageError.

    Servers that are disabled, or that are for another project, are left out.
    """
    entries = _read(path).entries
    return tuple(
        name
        for name, written in entries.items()
        if not written.is_elsewhere and not _is_disabled(written.value)
    )


def disabled_names(path: str) -> tuple[str, ...]:
    """The names of the servers in `path` that are disabled there, in file order. Raises UsageError."""
    entries = _read(path).entries
    return tuple(
        name for name, written in entries.items() if not written.is_elsewhere and _is_disabled(written.value)
    )


def installed() -> Iterator[FoundServer]:
    """The servers in the configuration files of MCP clients, those of the current folder first.

    No server is started. A file that cannot be read yields one server without a name.
    """
    for dialect, path in usual_places():
        try:
            # The file may be a client's general settings file, which need not have servers.
            file = _read(str(path), may_be_empty=True) if path.is_file() else _NO_FILE
        except (UsageError, OSError) as error:
            problem = error.message if isinstance(error, UsageError) else f"cannot read {path}"
            yield FoundServer(client=dialect.client, path=path, name="", problem=problem)
            continue
        for name, written in file.entries.items():
            reading = _reading(file, name)
            yield FoundServer(
                client=dialect.client,
                path=path,
                name=name,
                problem=_problem(reading),
                is_disabled=_is_disabled(written.value),
                reading=reading,
            )


def _problem(reading: "_Reading") -> str:
    try:
        reading.covered()
    except UsageError as error:
        return error.message.removeprefix(f"{reading.where}: ")
    return ""


def _is_disabled(value: object) -> bool:
    return is_object(value) and (value.get("disabled") is True or value.get("enabled") is False)


_NO_FILE = _File(path="", dialect=DIALECTS[0], entries={})


def _reading(file: _File, name: str) -> "_Reading":
    return _Reading(file=file, where=f"{file.path}, server {name}", written=file.entries[name])


def _read(path: str, *, may_be_empty: bool = False) -> _File:
    text = _text(path)
    root = _toml(path, text) if path.endswith(".toml") else _decoded(path, text)
    dialect = dialect_of(Path(path), root)
    tables = list(tables_in(dialect, root))
    if not tables and not may_be_empty:
        raise UsageError(f"{path} has no servers", f"{_LOOKED_FOR} It has: {_listed(root)}.")
    entries: dict[str, _Written] = {}
    for table in tables:
        if not is_object(table.entries):
            raise UsageError(f"{path}: the table of servers is not an object", _LOOKED_FOR)
        entries |= _entries(table, table.entries)
    return _File(path=path, dialect=dialect, entries=entries)


def _entries(table: FoundTable, held: dict[str, object]) -> Iterator[tuple[str, _Written]]:
    inputs = table.beside.get("inputs")
    described = tuple(one for one in inputs if is_object(one)) if _is_list(inputs) else ()
    is_elsewhere = bool(table.project) and Path(table.project) != Path.cwd()
    for name, value in held.items():
        known = f"{name}@{table.project}" if is_elsewhere else name
        yield (
            known,
            _Written(value=value, inputs=described, project=table.project, is_elsewhere=is_elsewhere),
        )


def _toml(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}", _LOOKED_FOR) from None
    except RecursionError:
        raise UsageError(f"{path}: nested too deep", "Is this the right file?") from None


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
    if not is_object(root):
        raise UsageError(f"{path} holds no JSON object", _LOOKED_FOR)
    return root


def _reason(text: str, message: str) -> str:
    """The parser's message, with line and column in place of offsets, and characters in place of `U+…`."""

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
    """A hint with the names of the servers in a file. Unreadable servers come last, each with the reason."""
    readable: list[str] = []
    unreadable: list[str] = []
    for name in file.entries:
        problem = _problem(_reading(file, name))
        if problem:
            unreadable.append(f"{name} ({problem})")
        else:
            readable.append(name)
    lines = [f"It has: {_listed(readable)}."]
    if unreadable:
        lines.append(f"Unreadable: {_listed(unreadable)}.")
    return "\n".join(lines)


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join([*names][:MAX_NAMES]) + more if names else "none"


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _env_file(path: str) -> dict[str, str]:
    """The variables in a file of `NAME=value` lines with quotes, comments and `export`. Raises UsageError.

    Values may be secrets, so error messages name the line without quoting it.
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


class _Reading(Struct, frozen=True, kw_only=True):
    """Converts one entry to a target."""

    file: _File
    where: str
    written: _Written
    given: frozenset[str] = frozenset()
    given_headers: frozenset[str] = frozenset()
    given_client: frozenset[str] = frozenset()
    ask: Ask = _ask_no_user
    is_covered: bool = False

    def server(self) -> ConfiguredServer:
        entry = self._entry()
        addresses = {
            key: value
            for key, value in zip(_ADDRESSES, (entry.url, entry.http_url, entry.server_url), strict=True)
            if value is not None
        }
        match self._transport(entry):
            case None if entry.command and addresses:
                raise self._wrong(f"both command and {', '.join(addresses)}", 'Leave one out, or set "type".')
            case "http" | "sse" as transport:
                target = self._endpoint(entry, addresses, older_sse=transport == "sse")
                target = replace(target, is_declared=transport == "http")
            case None if addresses:
                target = self._endpoint(entry, addresses, older_sse=self.file.dialect.is_sse)
                target = replace(target, is_declared=entry.http_url is not None)
            case _:
                target = self._command(entry)
        return ConfiguredServer(target=target, notes=tuple(self._notes(entry, target)))

    def covered(self) -> StdioTarget | HttpTarget:
        """The target with placeholders as written, and other values of variables and headers masked.

        Reads no other file. Raises UsageError.
        """
        return replace(self, is_covered=True).server().target

    def _entry(self) -> _Entry:
        try:
            return msgspec.convert(self._renamed(), _Entry)
        except msgspec.ValidationError as error:
            raise self._wrong(
                str(error),
                'An entry looks like {"command": "node", "args": ["server.js"]}, or {"url": "https://…"}.',
            ) from error

    def _renamed(self) -> object:
        """The entry, with the client's own keys renamed to those that most clients use."""
        written, renames = self.written.value, self.file.dialect.renames
        if not is_object(written):
            return written
        if "unreadable" in written and self.file.dialect.entries:
            raise self._wrong(str(written["unreadable"]), "Write your own entry for it.")
        entry = {renames.get(key, key): value for key, value in written.items()}
        # Older versions of Zed write a command as an object.
        if is_object(command := entry.get("command")):
            entry |= {"command": command.get("path")} | {
                key: command[key] for key in ("args", "env") if command.get(key) is not None
            }
        return in_one_spelling(entry)

    def _wrong(self, problem: str, hint: str) -> UsageError:
        return UsageError(f"{self.where}: {problem}", hint)

    def _transport(self, entry: _Entry) -> str | None:
        """`stdio`, `http` or `sse`; None if the entry names no transport."""
        known = set[str]()
        for written in (entry.type, entry.transport):
            if written is not None:
                plain = written.replace("-", "").replace("_", "").lower()
                if plain not in _TRANSPORTS:
                    raise self._wrong(
                        f"the transport {written} is not supported",
                        "Supported: stdio, http, streamable-http and sse.",
                    )
                known.add(_TRANSPORTS[plain])
        if len(known) > 1:
            raise self._wrong("`type` and `transport` differ", "Leave one of them out.")
        return known.pop() if known else None

    def _command(self, entry: _Entry) -> StdioTarget:
        if not entry.command:
            raise self._wrong(
                "neither command nor url",
                f"An entry needs command, or one of {', '.join(_ADDRESSES)}.",
            )
        environment: dict[str, str] = {}
        if entry.env_file is not None and not self.is_covered:
            path = self.file.folder / self._filled("envFile", entry.env_file)
            try:
                environment = _env_file(str(path))
            except UsageError as error:
                raise self._wrong(f"envFile: {error.message}", error.hint) from error
        environment |= {name: os.environ[name] for name in entry.env_vars if name in os.environ}
        environment |= {
            key: self._filled(f"the variable {key}", str(value), f"-e {key}=…", is_private=True)
            for key, value in entry.env.items()
            if key not in self.given
        }
        if self.is_covered:
            environment |= dict.fromkeys(entry.env_vars, COVERED)
        elsewhere = self.written.project if self.written.is_elsewhere else None
        return StdioTarget(
            command=(
                self._filled("command", entry.command),
                *(self._filled("args", word) for word in entry.args),
            ),
            environment=environment,
            cwd=self._filled("cwd", entry.cwd) if entry.cwd else elsewhere,
        )

    def _endpoint(self, entry: _Entry, addresses: dict[str, str], *, older_sse: bool) -> HttpTarget:
        if len(addresses) != 1:
            problem = f"both {' and '.join(addresses)}" if addresses else "no url"
            raise self._wrong(problem, f"A server over HTTP needs one of {', '.join(_ADDRESSES)}.")
        [(key, written)] = addresses.items()
        url = self._filled(key, written)
        if self.is_covered and url.startswith("${"):
            # Only the filled-in address shows whether it is a URL.
            return HttpTarget(url=url, older_sse=older_sse)
        # The filled-in URL may hold a credential, so messages quote the URL as written.
        quoted = "" if self.is_covered else f": {written}"
        problem = self._wrong(f"{key} is not an http(s) URL{quoted}", "Write it as https://host/path.")
        if not url.startswith(("http://", "https://")):
            raise problem
        try:
            target = parse_target(f"sse+{url}" if older_sse else url)
        except UsageError:
            raise problem from None
        if not isinstance(target, HttpTarget):
            raise problem
        client = None if entry.oauth is None or self.is_covered else self._client(entry.oauth)
        return replace(target, headers=tuple(self._headers(entry)), client=client)

    def _client(self, said: OAuthMembers) -> ClientIdentity:
        values = filled_members(said, self._filled, self.given_client)
        try:
            return client_of(said, values, self.file.dialect.redirect_uri)
        except UsageError as error:
            raise self._wrong(error.message, error.hint) from error

    def _headers(self, entry: _Entry) -> Iterator[tuple[str, str]]:
        """The headers of an entry, without those that the command line sets.

        If a header is given both as text and from an environment variable, the variable wins.
        """
        variables = dict(entry.env_headers)
        if entry.bearer_variable is not None:
            variables["Authorization"] = entry.bearer_variable
        replaced = {name.casefold() for name in variables} | self.given_headers
        for name, value in entry.headers.items():
            if name.casefold() not in replaced:
                what = f"the header {name}"
                yield name, self._filled(what, value, f"--header '{name}: …'", is_private=True)
        for name, variable in variables.items():
            if name.casefold() not in self.given_headers:
                value = COVERED if self.is_covered else self._of_environment(variable, None)
                is_bearer = variable == entry.bearer_variable and name == "Authorization"
                yield name, f"Bearer {value}" if is_bearer else value

    def _notes(self, entry: _Entry, target: StdioTarget | HttpTarget) -> Iterator[str]:
        written, renames = self.written.value, self.file.dialect.renames
        keys = written if is_object(written) else dict[str, object]()
        if _is_disabled(keys):
            yield f"{self.where} is disabled in the file; Sightline uses it anyway"
        is_command = isinstance(target, StdioTarget)
        understood = {"type", "transport", "disabled", "enabled"} | _OF_CLIENTS
        understood |= _OF_COMMANDS if is_command else _OF_ADDRESSES
        unused = [key for key in keys if renames.get(key, key) not in understood]
        if isinstance(target, HttpTarget):
            about = dict(unused_members(keys))
            if entry.oauth and target.client:
                about |= without_effect(entry.oauth, target, self.given_client)
            unused += [key for key, why in about.items() if not why]
            yield from (f"{self.where}: {key} is not used: {why}" for key, why in about.items() if why)
        if unused:
            yield f"{self.where}: keys ignored, because Sightline does not support them: {_listed(unused)}"
        bare = [key for key, value in entry.env.items() if self._is_left_bare(str(value))]
        if bare and is_command:
            yield f"{self.where}: variables passed unchanged, because only ${{NAME}} is filled in: {_listed(bare)}"

    def _is_left_bare(self, value: str) -> bool:
        match = _BARE_VARIABLE.fullmatch(value)
        if match is None or self.file.dialect.placeholders is Placeholders.NONE:
            return False
        return self.file.dialect.placeholders is not Placeholders.BARE or match[1] not in os.environ

    def _filled(self, what: str, text: str, option: str = "", *, is_private: bool = False) -> str:
        """`text` with its placeholders filled in. Raises UsageError for a placeholder without a value.

        If `self.is_covered` is true, no placeholder is filled in. If `is_private` is also true, the text is
        masked, unless it is only a placeholder, or one word and a placeholder. `what`: the name of the value
        in errors. `option`: the command line option that can set the value instead.
        """
        if self.is_covered:
            is_name = _NAMED.fullmatch(text) is not None
            return COVERED if is_private and not is_name else text
        kind = self.file.dialect.placeholders
        if kind is Placeholders.NONE:
            return text
        is_bare = kind is Placeholders.BARE

        def filled(match: "re.Match[str]") -> str:
            if is_bare and match[2]:
                return os.environ.get(match[2], match[0])
            return self._value(what, match[0], match[1], option)

        return (_ANY_PLACEHOLDER if is_bare else _PLACEHOLDER).sub(filled, text)

    def _value(self, what: str, written: str, name: str, option: str) -> str:
        if name.startswith("input:"):
            return self._input(what, name.removeprefix("input:"), option)
        if self.file.dialect.placeholders is Placeholders.INPUTS:
            return written
        project = Path(self.written.project) if self.written.project else self.file.project
        match name:
            case "workspaceFolder":
                return str(project)
            case "workspaceFolderBasename":
                return project.name
            case "userHome":
                return str(Path.home())
            case "pathSeparator" | "/":
                return os.sep
            case _:
                variable = _VARIABLE.fullmatch(name)
        if not variable:
            raise self._wrong(
                f"cannot fill in ${{{name}}}",
                "Supported: ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:ID}, ${workspaceFolder}, ${userHome}, ${pathSeparator}.",
            )
        return self._of_environment(variable[1], variable[2])

    def _of_environment(self, variable: str, default: str | None) -> str:
        value = os.environ.get(variable, default)
        if value is None:
            raise self._wrong(f"the variable {variable} is not set", f"Set {variable} in the environment.")
        return value

    def _input(self, what: str, name: str, option: str) -> str:
        """The value of the input `name`, from `SIGHTLINE_INPUT_NAME` or from the user. Raises UsageError."""
        variable = f"SIGHTLINE_INPUT_{re.sub('[^A-Za-z0-9]', '_', name).upper()}"
        described = self._described(name)
        value = os.environ.get(variable)
        if value is None and described is not None:
            value = self.ask(described)
        if value is None:
            text = f", described as: {described.description}" if described and described.description else ""
            text = text if described else ", which the client gets from a command"
            raise self._wrong(
                f"{what} needs the input {name}{text}",
                f"Set {variable} in the environment{f', or give {option}' if option else ''}.",
            )
        return value

    def _described(self, name: str) -> Input | None:
        """An input as the file describes it; None if the client gets its value from a command."""
        found = next((one for one in self.written.inputs if one.get("id") == name), dict[str, object]())
        if found.get("type") == "command":
            return None
        options, default, text = found.get("options"), found.get("default"), found.get("description")
        return Input(
            file=self.file.path,
            id=name,
            description=text if isinstance(text, str) else "",
            is_password=found.get("password") is True if found else True,
            options=tuple(map(_option, options)) if _is_list(options) else (),
            default=default if isinstance(default, str) else None,
        )


def _option(option: object) -> str:
    """The text of a `pickString` option: the option itself, or its `value`."""
    return str(option.get("value", "")) if is_object(option) else str(option)
