"""Configuration files of other MCP clients: `mcpServers` as most write it, `servers` as VS Code does."""

import os
import re
from pathlib import Path

import msgspec

from inspector.core.targets import HttpTarget, StdioTarget, parse_target
from inspector.errors import UsageError

MAX_CONFIG_BYTES = 4 * 1024 * 1024
_PLACEHOLDER = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_OTHER_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")


class _Entry(msgspec.Struct):
    command: str | None = None
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str | None = None
    type: str | None = None
    headers: dict[str, str] = {}


class _File(msgspec.Struct):
    mcp_servers: dict[str, _Entry] = msgspec.field(name="mcpServers", default_factory=dict[str, _Entry])
    servers: dict[str, _Entry] = msgspec.field(default_factory=dict[str, _Entry])


def read_target(path: str, name: str | None) -> StdioTarget | HttpTarget:
    """The target that `path` calls `name`; with one entry the name may be left out. Raises UsageError."""
    try:
        with Path(path).open("rb") as opened:
            raw = opened.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "Check --config, or the path in FILE:NAME."
        ) from error
    if len(raw) > MAX_CONFIG_BYTES:
        raise UsageError(f"{path} is larger than {MAX_CONFIG_BYTES} bytes", "Is this the right file?")
    try:
        file = msgspec.json.decode(raw, type=_File)
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{path}: {error}", 'It should look like {"mcpServers": {"NAME": {"command": …}}}.'
        ) from error
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deep", "Is this the right file?") from error
    entries = file.mcp_servers | file.servers
    return _target(path, *_chosen(path, entries, name))


def _chosen(path: str, entries: dict[str, _Entry], name: str | None) -> tuple[str, _Entry]:
    known = ", ".join(entries) or "none"
    if name is None:
        if len(entries) == 1:
            return next(iter(entries.items()))
        raise UsageError(
            f"{path} has {len(entries)} servers", f"Name one with --server or {path}:NAME. It has: {known}."
        )
    if name not in entries:
        raise UsageError(f"{path} has no server {name}", f"It has: {known}.")
    return name, entries[name]


def _target(path: str, name: str, entry: _Entry) -> StdioTarget | HttpTarget:
    where = f"{path}, server {name}"
    if entry.url is not None:
        url = _expanded(entry.url, where)
        target = parse_target(f"sse+{url}" if entry.type == "sse" else url)
        if isinstance(target, HttpTarget):
            headers = tuple((key, _expanded(value, where)) for key, value in entry.headers.items())
            return HttpTarget(url=target.url, older_sse=target.older_sse, headers=headers)
    if not entry.command:
        raise UsageError(f"{where}: neither command nor url", "An entry needs one of the two.")
    return StdioTarget(
        command=(_expanded(entry.command, where), *(_expanded(word, where) for word in entry.args)),
        environment={key: _expanded(value, where) for key, value in entry.env.items()},
        cwd=_expanded(entry.cwd, where) if entry.cwd else None,
    )


def _expanded(text: str, where: str) -> str:
    """`text` with `${NAME}`, `${NAME:-default}` and `${env:NAME}` filled in from the environment."""

    def value(found: "re.Match[str]") -> str:
        default: str | None = found[2]
        known = os.environ.get(found[1], default)
        if known is None:
            raise UsageError(
                f"{where}: the variable {found[1]} is not set", f"Set {found[1]} in the environment."
            )
        return known

    filled = _PLACEHOLDER.sub(value, text)
    left = _OTHER_PLACEHOLDER.search(filled)
    if left:
        raise UsageError(
            f"{where}: cannot fill in {left[0]}", "Only ${NAME}, ${NAME:-default} and ${env:NAME} are known."
        )
    return filled
