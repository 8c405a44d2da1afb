"""Pins on disk: one file a server in the user's data folder, mode 0600, named by what the server is known by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from inspector.errors import UsageError
from inspector.files import paths, private, stamp
from inspector.json.exact import Malformed, dump, inert, parse
from inspector.pins import format as pin_file
from inspector.pins.pins import Definitions, Pinned, PinState, first_seen, pin_state
from inspector.pins.server import Identity, identity_of
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.targets import StdioTarget, Target

MAX_BYTES = 64 * 1024 * 1024

_NAME = re.compile(r"[0-9a-f]{64}\.json")
_REPIN = "Remove the file, and pin the server again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file among the pins that is none."""

    path: Path
    reason: str


def folder() -> Path:
    """Where the pins are; it need not exist."""
    return paths.data() / "pins"


def identified(target: Target) -> Identity | None:
    """What a target is known by, its folder in full; None where it has no address. Raises UsageError where there is no such folder."""
    if isinstance(target, StdioTarget) and target.cwd:
        target = replace(target, cwd=str(paths.full(target.cwd)))
    return identity_of(target)


def known_as(target: Target) -> Identity:
    """What a target's pin is kept under. Raises UsageError where it has no address."""
    identity = identified(target)
    if identity is None:
        raise UsageError("a page without an address cannot be pinned", "Name it: web+https://… beside --cdp.")
    return identity


def read_pin(identity: Identity) -> Pinned | None:
    """The pin of a server; None where there is none. Raises UsageError where the file is none, or others could have written it."""
    path = _path(identity)
    content = private.read(path, MAX_BYTES)
    if content is None:
        return None
    found = _decoded(content.raw)
    if isinstance(found, Malformed):
        raise UsageError(f"{path} cannot be read: {found.reason}", _REPIN)
    if found.identity != identity:
        raise UsageError(f"{path} is the pin of another server", _REPIN)
    return found


def write_pin(identity: Identity, definitions: Definitions) -> Pinned:
    """Take definitions for good from now on, in place of those before. Raises UsageError."""
    pinned = Pinned(identity=identity, at=stamp.now(), software=stamp.SOFTWARE, definitions=definitions)
    raw = inert(dump(pin_file.written(pinned)))
    if len(raw) > MAX_BYTES:
        raise UsageError(
            f"the definitions are {len(raw):,} bytes; a pin holds {MAX_BYTES:,}", "Nothing was pinned."
        )
    private.keep(_path(identity), raw)
    return pinned


def remove_pin(identity: Identity) -> bool:
    """Let go of a pin; whether there was one. Raises UsageError."""
    path = _path(identity)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UsageError(f"cannot remove {path}: {error.strerror}", "Check the folder.") from error
    return True


def all_pins() -> Iterator[Pinned | Unreadable]:
    """Every pin, by the names of the files. Raises UsageError where the folder cannot be read."""
    try:
        names = sorted(path.name for path in folder().iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"cannot read {folder()}: {error.strerror}", "Check the folder.") from error
    for name in names:
        if not _NAME.fullmatch(name):
            continue
        path = folder() / name
        try:
            content = private.read(path, MAX_BYTES)
        except UsageError as error:
            yield Unreadable(path=path, reason=error.message)
            continue
        found = _decoded(content.raw) if content else Malformed(pointer="", reason="it is gone")
        if isinstance(found, Malformed):
            yield Unreadable(path=path, reason=found.reason)
        elif found.identity.key != path.stem:
            yield Unreadable(path=path, reason="it is the pin of another server")
        else:
            yield found


class Watch:
    """One server's definitions from its connection to its end: against its pin, and against those listed first.

    Its methods read files and compare: not on the event loop, and not by two threads at once.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._first: Definitions | None = None
        self.state = PinState()
        """As of the last listing."""

    def listed(self, catalogue: Catalogue, instructions: str | None) -> PinState:
        """A listing is complete. A pin that cannot be read is a reason to ask, no error."""
        now = Definitions(tools=catalogue.tools, instructions=instructions)
        pinned, fault = self._pinned()
        self.state = replace(pin_state(now, pinned=pinned, first=self._first), fault=fault)
        self._first = first_seen(self._first, now)
        return self.state

    def pin(self, catalogue: Catalogue, instructions: str | None) -> PinState:
        """Take a complete listing for good, whatever was listed or pinned before. Raises UsageError."""
        now = Definitions(tools=catalogue.tools, instructions=instructions)
        pinned = write_pin(known_as(self._target), now)
        self._first = now
        self.state = PinState(pinned=pinned)
        return self.state

    def unpin(self, catalogue: Catalogue, instructions: str | None) -> PinState:
        """Let go of the pin. Raises UsageError."""
        remove_pin(known_as(self._target))
        return self.listed(catalogue, instructions)

    def _pinned(self) -> tuple[Pinned | None, str]:
        """The pin, and why it cannot be read."""
        try:
            identity = known_as(self._target)
        except UsageError:
            return None, ""
        try:
            return read_pin(identity), ""
        except UsageError as error:
            return None, error.message


def _decoded(raw: bytes) -> Pinned | Malformed:
    found = parse(raw)
    return found if isinstance(found, Malformed) else pin_file.read(found.value)


def _path(identity: Identity) -> Path:
    return folder() / f"{identity.key}.json"
