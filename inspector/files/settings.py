"""The user's own settings: `config.toml` in the configuration folder, and nowhere else.

No file of a project and no server has a say in them. Keys: `allow_copy`, `audit` with `file`, `handlers` and `formatters`, `limits`
with `message_mb`, for each `[[servers]]` the keys `command`, `redeem_origin`, `cwd` and `environment`, and for each `[[ignore]]` the
keys `rule`, `reason` and `tool`.
"""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

import msgspec

from inspector.errors import UsageError
from inspector.files import paths, private
from inspector.protocol.targets import StdioTarget, Target
from inspector.urls.host import Refused, is_on_this_machine
from inspector.urls.origin import UNENCRYPTED, origin_of

MAX_BYTES = 1024 * 1024

_ENTRIES = {
    name: re.compile(rf"^[ \t]*\[\[[ \t]*{name}[ \t]*\]\]", re.MULTILINE) for name in ("servers", "ignore")
}

Shape = TypeVar("Shape")


class _Server(msgspec.Struct, forbid_unknown_fields=True):
    command: str | list[str]
    redeem_origin: str
    cwd: str | None = None
    environment: list[str] = []


class _Audit(msgspec.Struct, forbid_unknown_fields=True):
    file: str | None = None
    handlers: dict[str, dict[str, object]] = {}
    formatters: dict[str, dict[str, object]] = {}


class _Limits(msgspec.Struct, forbid_unknown_fields=True):
    message_mb: Annotated[int, msgspec.Meta(ge=1, le=65_536)] | None = None


class _Ignore(msgspec.Struct, forbid_unknown_fields=True):
    rule: str
    reason: str
    tool: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    allow_copy: bool = False
    audit: dict[str, object] = {}
    limits: dict[str, object] = {}
    servers: list[dict[str, object]] = []
    ignore: list[dict[str, object]] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Where the secrets of one command may be redeemed."""

    command: tuple[str, ...]
    origin: str
    """In its one spelling."""
    cwd: Path | None = None
    """The one folder in which the command counts; None for whichever folder Sightline runs in."""
    environment: frozenset[str] = frozenset()
    """The variables that the command may be given. Any other could make another program of it."""

    def obstacle(self, target: StdioTarget) -> str:
        """What keeps it from counting for a target with this command; empty where nothing does."""
        if other := sorted(target.environment.keys() - self.environment):
            return f"not with the variables {', '.join(other)}"
        if self.cwd is None:
            return "" if target.cwd is None else f"not in the folder {target.cwd}"
        return "" if Path(target.cwd or "").resolve() == self.cwd else f"only in the folder {self.cwd}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """Where calls are logged, beside what the command line says."""

    file: Path | None = None
    handlers: Mapping[str, object] = field(default_factory=dict[str, object])
    """As `logging.config` describes handlers, by name."""
    formatters: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Findings that the user accepts."""

    rule: str
    """The id of a rule; whether there is one is for whoever reviews."""
    reason: str
    tool: str | None
    """None for all."""
    place: str
    """Where it stands, for errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user's own file says; the defaults where there is none."""

    allow_copy: bool = False
    """Whether revealed values may be copied; terminals and multiplexers see what is."""
    audit: AuditSettings = field(default_factory=AuditSettings)
    pins: tuple[Pin, ...] = ()
    """Those for one folder first."""
    ignored: tuple[Ignored, ...] = ()
    max_message_bytes: int | None = None
    """Of one message of a server; None for the usual limit."""
    warning: str = ""
    """What the user should know of the file, and what to do; empty where there is nothing."""

    def redeem_origin(self, target: Target) -> str | None:
        """The origin that the user pinned for a command; None for every other kind of target."""
        found = (pin.origin for pin, obstacle in self._pinned(target) if not obstacle)
        return next(found, None)

    def why_unpinned(self, target: Target) -> str:
        """What keeps a pin of the same command from counting, in one sentence; empty where one counts, or none is."""
        obstacles = [obstacle for _, obstacle in self._pinned(target)]
        if not obstacles or "" in obstacles:
            return ""
        return f"redeem_origin of {target} is not used: it is pinned, but {obstacles[0]}."

    def _pinned(self, target: Target) -> list[tuple[Pin, str]]:
        """The pins of a target's command, each with what keeps it from counting."""
        if not isinstance(target, StdioTarget):
            return []
        return [(pin, pin.obstacle(target)) for pin in self.pins if pin.command == target.command]


def settings() -> Settings:
    """The user's settings. Raises UsageError where the file is wrong, or others could have written it."""
    path = paths.own_settings()
    content = private.read(path, MAX_BYTES)
    return parse(content.raw, str(path), warning=content.warning) if content else Settings()


def parse(raw: bytes, where: str, *, warning: str = "") -> Settings:
    """The settings that a file holds. Raises UsageError that names the line and what is expected.

    `where`: the file, as it is called in errors.
    """
    try:
        text = raw.decode()
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{where}: not TOML: {error}", "Each line is `key = value`.") from error
    file = _shaped(content, _File, where)
    pins = tuple(_pins(file.servers, text, where))
    limits = _shaped(file.limits, _Limits, f"{where}, `limits`")
    return Settings(
        allow_copy=file.allow_copy,
        audit=_audit(file.audit, where),
        pins=tuple(sorted(pins, key=lambda pin: pin.cwd is None)),
        ignored=tuple(_ignored(file.ignore, text, where)),
        max_message_bytes=limits.message_mb << 20 if limits.message_mb else None,
        warning=warning,
    )


def _audit(content: dict[str, object], where: str) -> AuditSettings:
    found = _shaped(content, _Audit, f"{where}, `audit`")
    path = None if found.file is None else _absolute(found.file, f"{where}: `audit`: `file`")
    return AuditSettings(file=path, handlers=found.handlers, formatters=found.formatters)


def _pins(servers: list[dict[str, object]], text: str, where: str) -> Iterator[Pin]:
    places = _places(text, "servers", len(servers))
    seen: set[tuple[tuple[str, ...], Path | None]] = set()
    for server, place in zip(servers, places, strict=True):
        pin = _pin(_shaped(server, _Server, f"{where}, {place}"), f"{where}, {place}")
        if (pin.command, pin.cwd) in seen:
            raise UsageError(
                f"{where}, {place}: `command`: {shlex.join(pin.command)} is there twice",
                "Remove one, or give them different folders with `cwd`.",
            )
        seen.add((pin.command, pin.cwd))
        yield pin


def _ignored(entries: list[dict[str, object]], text: str, where: str) -> Iterator[Ignored]:
    for entry, place in zip(entries, _places(text, "ignore", len(entries)), strict=True):
        found = _shaped(entry, _Ignore, f"{where}, {place}")
        if not found.reason.strip():
            raise UsageError(f"{where}, {place}: `reason` is empty", "Say why the finding is accepted.")
        yield Ignored(rule=found.rule, reason=found.reason, tool=found.tool, place=f"{where}, {place}")


def _places(text: str, name: str, count: int) -> list[str]:
    """Where each `[[name]]` stands; by its number where that cannot be told."""
    lines = [text.count("\n", 0, found.end()) + 1 for found in _ENTRIES[name].finditer(text)]
    if len(lines) != count:
        return [f"{name}, number {number}" for number in range(1, count + 1)]
    return [f"line {line}" for line in lines]


def _pin(server: _Server, where: str) -> Pin:
    try:
        words = shlex.split(server.command) if isinstance(server.command, str) else server.command
    except ValueError as error:
        raise UsageError(f"{where}: `command`: {error}", "Write it as in a shell, or as a list.") from error
    if not words or not words[0]:
        raise UsageError(f"{where}: `command` is empty", "Write what stands behind -- when you run it.")
    return Pin(
        command=tuple(words),
        origin=_origin(server.redeem_origin, where),
        cwd=None if server.cwd is None else _absolute(server.cwd, f"{where}: `cwd`").resolve(),
        environment=frozenset(server.environment),
    )


def _absolute(written: str, where: str) -> Path:
    try:
        path = Path(written).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{where}: {error}", "Write the full path.") from error
    if not path.is_absolute():
        raise UsageError(f"{where}: {written} is relative", "Write the full path.")
    return path


def _origin(written: str, where: str) -> str:
    found = origin_of(written)
    if not isinstance(found, Refused):
        if urlsplit(written).path not in {"", "/"} or "?" in written:
            found = Refused(reason="it holds more than scheme, host and port")
        elif found.scheme == "http" and not is_on_this_machine(found.host):
            found = UNENCRYPTED
    if isinstance(found, Refused):
        raise UsageError(
            f"{where}: `redeem_origin`: {found.reason}", 'Write it as in redeem_origin = "https://host:8443".'
        )
    return str(found)


def _shaped(content: dict[str, object], shape: type[Shape], where: str) -> Shape:
    try:
        return msgspec.convert(content, type=shape)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}", "docs/configuration.md lists the keys.") from error
