"""Targets, which the user names on the command line: parses them, and prints them without secrets."""

import re
import shlex
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from msgspec import Struct, field

from inspector.errors import UsageError
from inspector.protocol.authorization import ClientIdentity


class Era(StrEnum):
    """The era of MCP: with a handshake (`LEGACY`, up to 2025-11-25) or stateless (`MODERN`, from 2026-07-28).

    `AUTO`: Sightline finds out the era of the server. A page, which has no era, has this value too.
    """

    AUTO = "auto"
    LEGACY = "legacy"
    MODERN = "modern"


class StdioTarget(Struct, frozen=True, kw_only=True):
    """A command that speaks MCP over its standard input and output."""

    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None

    def __str__(self) -> str:
        """The command line as in a shell, with its secret words masked."""
        return shown_line(self.command)


class HttpTarget(Struct, frozen=True, kw_only=True):
    """An MCP endpoint over Streamable HTTP, or over the older HTTP+SSE transport."""

    url: str
    older_sse: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    is_declared: bool = False
    """True if a configuration names the transport. Then no other transport is tried."""
    client: ClientIdentity | None = None
    """The identity of Sightline towards the authorization server, as far as a configuration gives it."""

    def __str__(self) -> str:
        return _without_credentials(self.url)


class PageTarget(Struct, frozen=True, kw_only=True):
    """A page that offers tools by WebMCP, in a Chromium that Sightline starts or in a running one."""

    url: str
    """The address of the page; empty for the only page of a running browser."""
    cdp: str | None = None
    """The debugging address of a running browser; None to start one."""
    is_headed: bool = False
    chromium: str | None = None
    """The browser to start; None for the first known name on `PATH`."""
    polyfill: bool = False
    """True to install Sightline's own WebMCP API in the page even if the browser has one."""

    def __str__(self) -> str:
        return f"web+{_without_credentials(self.url)}" if self.url else "the page"


class DemoTarget(Struct, frozen=True, kw_only=True):
    """The built-in demo server."""

    def __str__(self) -> str:
        return "demo"


class ConfiguredTarget(Struct, frozen=True, kw_only=True):
    """An entry of a configuration file that has not been read yet."""

    path: str
    name: str | None

    def __str__(self) -> str:
        return f"{self.path}:{self.name}" if self.name else self.path


Target: TypeAlias = StdioTarget | HttpTarget | PageTarget | DemoTarget
WrittenTarget: TypeAlias = Target | ConfiguredTarget

_INTERPRETERS = {"py": "python", "js": "node", "mjs": "node"}
_ADDRESS = re.compile(r"[A-Za-z0-9.-]+:[0-9]{1,5}(?:/.*)?")
# A TOML file cannot be read. The error that it causes lists the supported files.
CONFIGURATIONS = (".json", ".jsonc", ".toml")
"""The extensions of configuration files."""


def parse_target(word: str) -> WrittenTarget:
    """Parse one target as written. Raises UsageError, which lists the possible forms."""
    if word == "demo":
        return DemoTarget()
    if word.startswith("stdio:"):
        return stdio_target(split_command(word.removeprefix("stdio:")))
    if word.startswith(("http://", "https://")):
        return HttpTarget(url=_checked_url(word))
    if word.startswith(("sse+http://", "sse+https://")):
        return HttpTarget(url=_checked_url(word.removeprefix("sse+")), older_sse=True)
    if word.startswith(("web+http://", "web+https://")):
        return PageTarget(url=_checked_url(word.removeprefix("web+")))
    path, colon, name = word.rpartition(":")
    if colon and path.endswith(CONFIGURATIONS):
        return ConfiguredTarget(path=path, name=name)
    if word.endswith(CONFIGURATIONS):
        return ConfiguredTarget(path=word, name=None)
    if word.endswith(".jsonl"):
        raise UsageError(
            f"{word} is a recording, not a server", f"sightline {word} opens it; see also sightline replay."
        )
    raise UsageError(
        f"not a target: {word}",
        _meant(word)
        + "A target is an http(s) URL, sse+http(s)://…, web+http(s)://… for a page, mcp.json:NAME or all of mcp.json, stdio:'COMMAND', demo, or -- COMMAND at the end; a recording (session.jsonl) opens in the interface.",
    )


def _meant(word: str) -> str:
    """A hint for a URL without a scheme, or for a program's source file; empty if neither applies."""
    interpreter = _INTERPRETERS.get(word.rpartition(".")[2])
    if interpreter:
        return f"Did you mean -- {interpreter} {shlex.quote(word)}?\n"
    return f"Did you mean http://{word}?\n" if _ADDRESS.fullmatch(word) else ""


def split_command(line: str) -> list[str]:
    """The words of a command line, as a shell splits it. Raises UsageError."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(
            f"the command {line}: {str(error).lower()}", "Write it as in a shell, as in: -- node server.js"
        ) from error


def stdio_target(command: list[str] | tuple[str, ...]) -> StdioTarget:
    """A command line as a target. Raises UsageError if it is empty."""
    if not command or not command[0]:
        raise UsageError("no command", "Write the server's command after --, as in: -- node server.js")
    return StdioTarget(command=tuple(command))


def _without_credentials(url: str) -> str:
    """The URL without query, fragment and user information, which may carry credentials."""
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


_LAUNCHERS = re.compile(r"(?:python|node|npx|uvx|uv|bunx?|deno|pipx|pnpm|yarn|ruby|java|perl)[0-9.]*")
_OF_LAUNCHERS = frozenset({"run", "exec", "dlx", "tool", "x"})


def short_name(target: Target) -> str:
    """A short name for a server among several: the host of its URL, or its program. Contains no secret."""
    match target:
        case DemoTarget():
            return "demo"
        case HttpTarget(url=url) | PageTarget(url=url):
            return urlsplit(url).hostname or "page"
        case StdioTarget(command=command):
            words = [word.rstrip("/").rpartition("/")[2] for word in shown_command(command)]
            if not _LAUNCHERS.fullmatch(words[0]):
                return words[0]
            named = (word for word in words[1:] if not word.startswith("-") and word not in _OF_LAUNCHERS)
            return next(named, words[0])


COVERED = "•••"
SECRET_NAME = re.compile(r"key|token|secret|pass|pwd|auth|cred|bearer|session|cookie", re.IGNORECASE)
"""Words that make a value secret if they occur in the name of its option, variable, header or query parameter."""


def shown_command(command: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, with the secret ones masked."""
    secrets = tuple(dict.fromkeys(value for value in secret_words(command) if value))
    return tuple(_covered(word, secrets) for word in command)


def shown_line(command: tuple[str, ...]) -> str:
    """The command as a line for a shell, with its secret words masked."""
    return shlex.join(shown_command(command))


def secret_words(command: tuple[str, ...]) -> Iterator[str]:
    """The secrets in a command: values of options that are named like secrets, credentials, parts of URLs."""
    from inspector.credentials.find import sightings  # noqa: PLC0415 - its rules load late

    is_next = False
    for word in command[1:]:
        option, equals, value = word.partition("=")
        if is_next and not word.startswith("-"):
            yield word
        elif equals and SECRET_NAME.search(option):
            yield value
        elif sightings(word):
            yield word
        is_next = word.startswith("-") and not equals and SECRET_NAME.search(word) is not None
        if "://" in word:
            yield from secrets_of_url(word)


def secrets_of_url(url: str) -> Iterator[str]:
    """The parts of a URL that may be secret: its query, each value in it, and the user information."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    yield parts.query
    yield from (value for _, value in parse_qsl(parts.query))
    user, at, _ = parts.netloc.rpartition("@")
    if at:
        # The user name before a password is not a secret, and may be an ordinary word.
        yield from (unquote(word) for word in (user, user.partition(":")[2]))


def _covered(word: str, secrets: tuple[str, ...]) -> str:
    if word in secrets:
        return COVERED
    option, equals, value = word.partition("=")
    if equals and value in secrets:
        return f"{option}={COVERED}"
    if "://" in word:
        for secret in sorted(secrets, key=len, reverse=True):
            word = word.replace(secret, COVERED)
    return word
