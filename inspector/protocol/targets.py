"""Targets: what the user connects to, as written on the command line and as it may be shown."""

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
    """Which protocol era to speak: handshake revisions up to 2025-11-25, or stateless from 2026-07-28 on."""

    AUTO = "auto"
    LEGACY = "legacy"
    MODERN = "modern"


class StdioTarget(Struct, frozen=True, kw_only=True):
    """A command that speaks MCP over its standard input and output."""

    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None

    def __str__(self) -> str:
        """The command as in a shell, its secret words covered."""
        return shown_line(self.command)


class HttpTarget(Struct, frozen=True, kw_only=True):
    """An MCP endpoint over Streamable HTTP, or over the older HTTP+SSE transport."""

    url: str
    older_sse: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    is_declared: bool = False
    """Whether a configuration names the transport: then no other is tried."""
    client: ClientIdentity | None = None
    """What Sightline is to its authorization server, as far as a configuration says so."""

    def __str__(self) -> str:
        return _without_credentials(self.url)


class PageTarget(Struct, frozen=True, kw_only=True):
    """A page that offers tools by WebMCP, in a Chromium that Sightline starts or in one that runs already."""

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


class DemoTarget(Struct, frozen=True, kw_only=True):
    """The built-in server."""

    def __str__(self) -> str:
        return "demo"


class ConfiguredTarget(Struct, frozen=True, kw_only=True):
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
CONFIGURATIONS = (".json", ".jsonc", ".toml")
"""How the names of configuration files end."""


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
    if colon and path.endswith(CONFIGURATIONS):
        return ConfiguredTarget(path=path, name=name)
    if word.endswith(CONFIGURATIONS):
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
    """A hint for a URL without a scheme, or for a program's file."""
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


_LAUNCHERS = re.compile(r"(?:python|node|npx|uvx|uv|bunx?|deno|pipx|pnpm|yarn|ruby|java|perl)[0-9.]*")
_OF_LAUNCHERS = frozenset({"run", "exec", "dlx", "tool", "x"})


def short_name(target: Target) -> str:
    """A name for a server in a list of several: its host, or its program. Holds no secret."""
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
"""What the name of an option, a variable, a header or a parameter of a query holds where its value is a secret."""


def shown_command(command: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, its secret ones covered."""
    secrets = tuple(dict.fromkeys(value for value in secret_words(command) if value))
    return tuple(_covered(word, secrets) for word in command)


def shown_line(command: tuple[str, ...]) -> str:
    """The same as in a shell. What is covered is not quoted."""
    return shlex.join(shown_command(command))


def secret_words(command: tuple[str, ...]) -> Iterator[str]:
    """What is secret of a command line: values of options that say so, what looks like a credential, and parts of URLs."""
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
    """The parts of a URL that may be secret: its query, the values in the query, and the user information."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    yield parts.query
    yield from (value for _, value in parse_qsl(parts.query))
    user, at, _ = parts.netloc.rpartition("@")
    if at:
        # The name alone is none, and may be a word of the language.
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
