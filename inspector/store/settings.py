"""The user's own settings: `config.toml` in the configuration folder, and nowhere else.

No file of a project and no server has a say in them. Keys: `allow_copy`, and for each `[[servers]]` the keys
`command`, `redeem_origin`, `cwd` and `environment`.
"""

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from inspector.core.secrets.host import is_on_this_machine
from inspector.core.secrets.origin import UNENCRYPTED, origin_of
from inspector.core.secrets.refused import Refused
from inspector.core.targets import StdioTarget, Target
from inspector.errors import UsageError
from inspector.store import paths, private

MAX_BYTES = 1024 * 1024

_ENTRY = re.compile(r"^[ \t]*\[\[[ \t]*servers[ \t]*\]\]", re.MULTILINE)

Shape = TypeVar("Shape")


class _Server(msgspec.Struct, forbid_unknown_fields=True):
    command: str | list[str]
    redeem_origin: str
    cwd: str | None = None
    environment: list[str] = []


class _File(msgspec.Struct, forbid_unknown_fields=True):
    allow_copy: bool = False
    servers: list[dict[str, object]] = []


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
class Settings:
    """What the user's own file says; the defaults where there is none."""

    allow_copy: bool = False
    """Whether revealed values may be copied; terminals and multiplexers see what is."""
    pins: tuple[Pin, ...] = ()
    """Those for one folder first."""
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
    return Settings(
        allow_copy=file.allow_copy,
        pins=tuple(sorted(pins, key=lambda pin: pin.cwd is None)),
        warning=warning,
    )


def _pins(servers: list[dict[str, object]], text: str, where: str) -> Iterator[Pin]:
    lines = [text.count("\n", 0, found.end()) + 1 for found in _ENTRY.finditer(text)]
    places = [f"line {line}" for line in lines]
    if len(places) != len(servers):
        places = [f"servers, number {number}" for number, _ in enumerate(servers, 1)]
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
        cwd=None if server.cwd is None else _folder(server.cwd, where),
        environment=frozenset(server.environment),
    )


def _folder(written: str, where: str) -> Path:
    try:
        folder = Path(written).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{where}: `cwd`: {error}", "Write the folder's full path.") from error
    if not folder.is_absolute():
        raise UsageError(f"{where}: `cwd`: {written} is relative", "Write the folder's full path.")
    return folder.resolve()


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
