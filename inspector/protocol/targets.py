"""Targets: what the user wants to look at, as written on the command line."""

import re
import shlex
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import urlsplit, urlunsplit

from inspector.errors import UsageError


class Era(StrEnum):
    """Which protocol era to speak: handshake revisions up to 2025-11-25, or stateless from 2026-07-28 on."""

    AUTO = "auto"
    LEGACY = "legacy"
    MODERN = "modern"


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioTarget:
    """A command that speaks MCP over its standard input and output."""

    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None

    def __str__(self) -> str:
        """The command as in a shell, its secret words covered."""
        from inspector.protocol.command_words import shown_line  # noqa: PLC0415 - its rules load late

        return shown_line(self.command)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTarget:
    """An MCP endpoint over Streamable HTTP, or over the older HTTP+SSE transport."""

    url: str
    older_sse: bool = False
    headers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return _without_credentials(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTarget:
    """A page that offers tools by WebMCP, in a Chromium of ours or in one that runs already."""

    url: str
    """Empty for the only page of a browser that runs already."""
    cdp: str | None = None
    """The debugging address of a browser that runs already; None to start one."""
    is_headed: bool = False
    chromium: str | None = None
    """The browser to start; None for the first known name on PATH."""
    polyfill: bool = False
    """Whether to give the page our own API though the browser has one."""

    def __str__(self) -> str:
        return f"web+{_without_credentials(self.url)}" if self.url else "the page"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTarget:
    """The built-in server."""

    def __str__(self) -> str:
        return "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredTarget:
    """An entry of a configuration file, not yet read."""

    path: str
    name: str | None

    def __str__(self) -> str:
        return f"{self.path}:{self.name}" if self.name else self.path


Target: TypeAlias = StdioTarget | HttpTarget | PageTarget | DemoTarget
WrittenTarget: TypeAlias = Target | ConfiguredTarget

_INTERPRETERS = {"py": "python", "js": "node", "mjs": "node"}
_ADDRESS = re.compile(r"[A-Za-z0-9.-]+:[0-9]{1,5}(?:/.*)?")
# TOML is none, but the reader says best which files are.
_CONFIGURATIONS = (".json", ".jsonc", ".toml")


def parse_target(word: str) -> WrittenTarget:
    """One target as written. Raises UsageError, with the forms that there are."""
    if word == "demo":
        return DemoTarget()
    if word.startswith("stdio:"):
        return stdio_target(shlex.split(word.removeprefix("stdio:")))
    if word.startswith(("http://", "https://")):
        return HttpTarget(url=_checked_url(word))
    if word.startswith(("sse+http://", "sse+https://")):
        return HttpTarget(url=_checked_url(word.removeprefix("sse+")), older_sse=True)
    if word.startswith(("web+http://", "web+https://")):
        return PageTarget(url=_checked_url(word.removeprefix("web+")))
    path, colon, name = word.rpartition(":")
    if colon and path.endswith(_CONFIGURATIONS):
        return ConfiguredTarget(path=path, name=name)
    if word.endswith(_CONFIGURATIONS):
        return ConfiguredTarget(path=word, name=None)
    if word.endswith(".jsonl"):
        raise UsageError(
            f"{word} is a recording, and no server", f"sightline {word} opens it; see also sightline replay."
        )
    raise UsageError(
        f"not a target: {word}",
        _meant(word)
        + "A target is an http(s) URL, sse+http(s)://…, web+http(s)://… for a page, mcp.json:NAME, stdio:'COMMAND', demo, or -- COMMAND at the end.",
    )


def _meant(word: str) -> str:
    """The target that a URL without a scheme, or a program's file, is nearly one of."""
    interpreter = _INTERPRETERS.get(word.rpartition(".")[2])
    if interpreter:
        return f"Did you mean -- {interpreter} {shlex.quote(word)}?\n"
    return f"Did you mean http://{word}?\n" if _ADDRESS.fullmatch(word) else ""


def stdio_target(command: list[str] | tuple[str, ...]) -> StdioTarget:
    """A command line as a target. Raises UsageError where it is empty."""
    if not command or not command[0]:
        raise UsageError("no command", "Write the server's command behind --, as in: -- node server.js")
    return StdioTarget(command=tuple(command))


def _without_credentials(url: str) -> str:
    """A URL to be shown: queries and user names carry credentials, and neither is needed to tell targets apart."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"not a URL: {url}", str(error)) from error
    if not parts.hostname:
        raise UsageError(f"not a URL: {url}", "It names no host.")
    return url
