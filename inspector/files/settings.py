"""The user's settings: `config.toml` in the configuration folder.

No project file and no server can change them. Keys: `allow_copy`, `history`, `audit` (`file`, `handlers`,
`formatters`), `limits` (`message_mb`), `client` (`as`, `roots`, `log_level`), each `[[servers]]` (`command`,
`redeem_origin`, `cwd`, `environment`) and each `[[ignore]]` (`rule`, `reason`, `tool`).
"""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from inspector.errors import UsageError
from inspector.files import paths, private
from inspector.protocol.client import LOG_LEVELS, NO_LOGS
from inspector.protocol.targets import StdioTarget, Target
from inspector.urls.host import RefusedUrl, is_on_this_machine
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


class _Client(msgspec.Struct, forbid_unknown_fields=True):
    profile: Literal["full", "none"] | None = msgspec.field(default=None, name="as")
    roots: list[str] = []
    log_level: str | None = None


class _Ignore(msgspec.Struct, forbid_unknown_fields=True):
    rule: str
    reason: str
    tool: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    allow_copy: bool = False
    history: bool = True
    audit: dict[str, object] = {}
    limits: dict[str, object] = {}
    client: dict[str, object] = {}
    servers: list[dict[str, object]] = []
    ignore: list[dict[str, object]] = []


class RedemptionOrigin(Struct, frozen=True, kw_only=True):
    """A setting that limits the redemption for one server command to an origin.

    Secret references from that server may be redeemed at no other origin.
    """

    command: tuple[str, ...]
    origin: str
    cwd: Path | None = None
    """The only working folder of the server in which the setting applies.

    None if it applies in the folder in which Sightline runs.
    """
    environment: frozenset[str] = frozenset()
    """The names of the variables that a target may set.

    The setting does not apply to a target with another variable, which could change which program runs.
    """

    def obstacle(self, target: StdioTarget) -> str:
        """The reason why the setting does not apply to `target`; empty if it applies.

        `target`: a target with the command of the setting.
        """
        if other := sorted(target.environment.keys() - self.environment):
            return f"it does not apply with the variables {', '.join(other)}"
        if self.cwd is None:
            return "" if target.cwd is None else f"it does not apply in the folder {target.cwd}"
        return (
            ""
            if Path(target.cwd or "").resolve() == self.cwd
            else f"it applies only in the folder {self.cwd}"
        )


class AuditSettings(Struct, frozen=True, kw_only=True):
    """The audit logs that the settings define, in addition to the log that a command line option names."""

    file: Path | None = None
    handlers: Mapping[str, object] = field(default_factory=dict[str, object])
    """Handlers by name, as `logging.config` describes them."""
    formatters: Mapping[str, object] = field(default_factory=dict[str, object])


class IgnoredFindings(Struct, frozen=True, kw_only=True):
    """An `[[ignore]]` entry of the settings: findings that do not fail a review."""

    rule: str
    """The id of a rule. The review checks that the rule exists."""
    reason: str
    tool: str | None
    """The tool that the entry is about; None for all tools."""
    place: str
    """The file and the line of the entry, for errors."""


class Settings(Struct, frozen=True, kw_only=True):
    """The user's settings, with their defaults."""

    allow_copy: bool = False
    """True if revealed values may be copied. Terminals and multiplexers can read the clipboard."""
    history: bool = True
    """True if the interface stores calls for later runs."""
    audit: AuditSettings = field(default_factory=AuditSettings)
    pins: tuple[RedemptionOrigin, ...] = ()
    """The redemption origins of server commands. Those with a folder come first."""
    ignored: tuple[IgnoredFindings, ...] = ()
    max_message_bytes: int | None = None
    """The maximum size of one message of a server; None for the default."""
    client: str | None = None
    """The name of a client profile; None for the default."""
    roots: tuple[Path, ...] = ()
    """The folders that Sightline names to servers as MCP roots."""
    log_level: str | None = None
    """The least severe level of the logs that servers are asked for, or `off`; None for the default."""
    warning: str = ""
    """A warning about the file, with the remedy; empty for none."""

    def redeem_origin(self, target: Target) -> str | None:
        """The redemption origin that the user has set for the command of a target.

        None if no setting applies.
        """
        origins = (pin.origin for pin, obstacle in self._pinned(target) if not obstacle)
        return next(origins, None)

    def why_unpinned(self, target: Target) -> str:
        """The reason why no redemption origin that the user has set applies to the target, in a sentence.

        Empty if one applies, or if the user has set none.
        """
        obstacles = [obstacle for _, obstacle in self._pinned(target)]
        if not obstacles or "" in obstacles:
            return ""
        return f"redeem_origin of {target} is not used: {obstacles[0]}."

    def _pinned(self, target: Target) -> list[tuple[RedemptionOrigin, str]]:
        """The settings for the command of a target, each with the reason why it does not apply.

        The reason is empty if the setting applies.
        """
        if not isinstance(target, StdioTarget):
            return []
        return [(pin, pin.obstacle(target)) for pin in self.pins if pin.command == target.command]


def settings() -> Settings:
    """Read the user's settings. Raises UsageError if the file is invalid, or others can write it."""
    path = paths.own_settings()
    content = private.read(path, MAX_BYTES)
    return parse(content.raw, str(path), warning=content.warning) if content else Settings()


def parse(raw: bytes, where: str, *, warning: str = "") -> Settings:
    """Parse a settings file. Raises UsageError, which names the line and the expected value.

    `where`: the file's name in errors.
    """
    try:
        text = raw.decode()
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{where}: not TOML: {error}", "Each line is `key = value`.") from error
    file = _shaped(content, _File, where)
    pins = tuple(_pins(file.servers, text, where))
    limits = _shaped(file.limits, _Limits, f"{where}, `limits`")
    client = _shaped(file.client, _Client, f"{where}, `client`")
    levels = (*LOG_LEVELS, NO_LOGS)
    if client.log_level not in (None, *levels):
        raise UsageError(f"{where}: `client`: `log_level` is not a level", f"Levels: {', '.join(levels)}.")
    return Settings(
        client=client.profile,
        roots=tuple(_absolute(root, f"{where}: `client`: `roots`") for root in client.roots),
        log_level=client.log_level,
        allow_copy=file.allow_copy,
        history=file.history,
        audit=_audit(file.audit, where),
        pins=tuple(sorted(pins, key=lambda pin: pin.cwd is None)),
        ignored=tuple(_ignored(file.ignore, text, where)),
        max_message_bytes=limits.message_mb << 20 if limits.message_mb else None,
        warning=warning,
    )


def _audit(content: dict[str, object], where: str) -> AuditSettings:
    audit = _shaped(content, _Audit, f"{where}, `audit`")
    path = None if audit.file is None else _absolute(audit.file, f"{where}: `audit`: `file`")
    return AuditSettings(file=path, handlers=audit.handlers, formatters=audit.formatters)


def _pins(servers: list[dict[str, object]], text: str, where: str) -> Iterator[RedemptionOrigin]:
    places = _places(text, "servers", len(servers))
    seen: set[tuple[tuple[str, ...], Path | None]] = set()
    for server, place in zip(servers, places, strict=True):
        pin = _pin(_shaped(server, _Server, f"{where}, {place}"), f"{where}, {place}")
        if (pin.command, pin.cwd) in seen:
            raise UsageError(
                f"{where}, {place}: `command`: {shlex.join(pin.command)} has two entries",
                "Remove one, or give them different folders with `cwd`.",
            )
        seen.add((pin.command, pin.cwd))
        yield pin


def _ignored(entries: list[dict[str, object]], text: str, where: str) -> Iterator[IgnoredFindings]:
    for entry, place in zip(entries, _places(text, "ignore", len(entries)), strict=True):
        ignored = _shaped(entry, _Ignore, f"{where}, {place}")
        if not ignored.reason.strip():
            raise UsageError(f"{where}, {place}: `reason` is empty", "Say why the finding is accepted.")
        yield IgnoredFindings(
            rule=ignored.rule, reason=ignored.reason, tool=ignored.tool, place=f"{where}, {place}"
        )


def _places(text: str, name: str, count: int) -> list[str]:
    """The place of each of the `count` entries `[[name]]` of the file `text`, in words such as `line 3`.

    If a search of `text` does not find exactly `count` lines `[[name]]`, every place is the number of the
    entry instead, as in `servers, number 1`.
    """
    lines = [text.count("\n", 0, match.end()) + 1 for match in _ENTRIES[name].finditer(text)]
    if len(lines) != count:
        return [f"{name}, number {number}" for number in range(1, count + 1)]
    return [f"line {line}" for line in lines]


def _pin(server: _Server, where: str) -> RedemptionOrigin:
    try:
        words = shlex.split(server.command) if isinstance(server.command, str) else server.command
    except ValueError as error:
        raise UsageError(f"{where}: `command`: {error}", "Write it as in a shell, or as a list.") from error
    if not words or not words[0]:
        raise UsageError(
            f"{where}: `command` is empty",
            "Write the command in the same way as after -- on the command line.",
        )
    return RedemptionOrigin(
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
    origin = origin_of(written)
    if not isinstance(origin, RefusedUrl):
        if urlsplit(written).path not in {"", "/"} or "?" in written:
            origin = RefusedUrl(reason="it holds more than scheme, host and port")
        elif origin.scheme == "http" and not is_on_this_machine(origin.host):
            origin = UNENCRYPTED
    if isinstance(origin, RefusedUrl):
        raise UsageError(
            f"{where}: `redeem_origin`: {origin.reason}",
            'Write it as in redeem_origin = "https://host:8443".',
        )
    return str(origin)


def _shaped(content: dict[str, object], shape: type[Shape], where: str) -> Shape:
    try:
        return msgspec.convert(content, type=shape)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}", "docs/configuration.md lists the keys.") from error
