"""Pins on disk: one file of mode 0600 per server in the user's data folder, named after the server's identity."""

import dataclasses
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.files import paths, private, stamp
from inspector.json.exact import Json, JsonObject, Malformed, dump, inert, parse
from inspector.pins.identity import Identity, identity_of
from inspector.pins.pins import (
    Pinned,
    PinState,
    ServerDefinitions,
    definitions_of,
    edited,
    first_seen,
    pin_state,
)
from inspector.protocol.catalogue import Catalogue, Tool, item_of
from inspector.protocol.targets import StdioTarget, Target

MAX_BYTES = 64 * 1024 * 1024

_NAME = re.compile(r"[0-9a-f]{64}\.json")
_REPIN = "Remove the file, and pin the server again."


class UnreadablePins(Struct, frozen=True, kw_only=True):
    """A pin file that cannot be read."""

    path: Path
    reason: str


def folder() -> Path:
    """The folder of the pins. It may not exist."""
    return paths.data() / "pins"


def identified(target: Target) -> Identity | None:
    """The identity of a target for a run in the current folder; None for a page without an address.

    The identity of a command includes a folder if the user or a configuration names one, or if a word of the
    command is the relative path of a file in the current folder. Raises UsageError if the folder is not a
    path.
    """
    if isinstance(target, StdioTarget) and (target.cwd or _names_relative_file(target.command)):
        target = replace(target, cwd=str(paths.full(target.cwd or ".")))
    return identity_of(target)


def _names_relative_file(command: tuple[str, ...]) -> bool:
    program, *words = command
    # A program without a slash is looked up in PATH.
    named = [program] if "/" in program else []
    named += [part for word in words for part in (word, word.partition("=")[2])]
    # Path.is_file raises for a word that is too long for a name.
    return any(not Path(each).is_absolute() and os.path.isfile(each) for each in named if each)  # noqa: PTH113


def reported_as(target: Target) -> str:
    """The name of a target in a report. It leaves out the current folder, because that differs by machine."""
    identity = identified(target)
    if identity is None:
        return str(target)
    return identity.name if identity.folder == str(Path.cwd()) else str(identity)


def folder_of(target: Target) -> str:
    """The name of the folder in which a command runs, without its parent folders; empty for other targets."""
    return Path(target.cwd or ".").resolve().name if isinstance(target, StdioTarget) else ""


def known_as(target: Target) -> Identity:
    """The identity of a target. Raises UsageError for a page without an address."""
    identity = identified(target)
    if identity is None:
        raise UsageError(
            "a page without an address cannot be pinned", "Give its address as well as --cdp: web+https://…"
        )
    return identity


def read_pin(identity: Identity) -> Pinned | None:
    """The pin of a server; None if there is none.

    The files in the current folder decide whether the identity of a command includes the folder. Earlier
    versions stored no folder. So if there is no pin for `identity`, the pin of the same command without a
    folder is read or, if `identity` has no folder, its pin with the current folder. That pin may be of
    another server, but ignoring it could hide a change.

    Raises UsageError if the file is invalid, or others can write it.
    """
    for each in _known(identity):
        path = _path(each)
        content = private.read(path, MAX_BYTES)
        if content is None:
            continue
        pin = _decoded(content.raw)
        if isinstance(pin, Malformed):
            raise UsageError(f"{path} cannot be read: {pin.reason}", _REPIN)
        if pin.identity != each:
            raise UsageError(f"{path} is the pin of another server", _REPIN)
        return pin
    return None


def read_pin_at(path: Path) -> Pinned | None:
    """The pin in a file that the user names, whichever server it is for; None if there is no file.

    Raises UsageError.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Check the file.") from error
    pin = _decoded(raw) if len(raw) <= MAX_BYTES else Malformed(pointer="", reason="it is too large")
    if isinstance(pin, Malformed):
        raise UsageError(f"{path} cannot be read: {pin.reason}", "Make it with sightline pin --file FILE.")
    return pin


def write_pin(identity: Identity, definitions: ServerDefinitions, path: Path | None = None) -> Pinned:
    """Pin definitions, replacing an earlier pin.

    `path`: the file to write in place of the default file. Raises UsageError.
    """
    pinned = Pinned(identity=identity, at=stamp.now(), software=stamp.SOFTWARE, definitions=definitions)
    raw = inert(dump(pin_json(pinned)))
    if len(raw) > MAX_BYTES:
        raise UsageError(
            f"the definitions have {len(raw):,} bytes; a pin may have at most {MAX_BYTES:,}",
            "Nothing was pinned.",
        )
    private.keep(path or _path(identity), raw)
    return pinned


def remove_pin(identity: Identity) -> Identity | None:
    """Remove the pin that `read_pin` reads. Returns the identity in it; None if there is none. Raises UsageError."""
    for each in _known(identity):
        path = _path(each)
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UsageError(f"cannot remove {path}: {error.strerror}", "Check the folder.") from error
        return each
    return None


def all_pins() -> Iterator[Pinned | UnreadablePins]:
    """Every pin, ordered by file name. Raises UsageError if the folder cannot be read."""
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
            yield UnreadablePins(path=path, reason=error.message)
            continue
        pin = _decoded(content.raw) if content else Malformed(pointer="", reason="it is gone")
        if isinstance(pin, Malformed):
            yield UnreadablePins(path=path, reason=pin.reason)
        elif pin.identity.key != path.stem:
            yield UnreadablePins(path=path, reason="it is the pin of another server")
        else:
            yield pin


class Watch:
    """Compares a server's listings with its pin, and with the session's first listing.

    While the user edits a server (`--watch`), the first listing after each save replaces the session's first
    listing, except for tools that had already changed without a save. A save never changes the pin that
    listings are compared with.

    The methods read files and compare definitions: call them in a thread, and only in one thread at a time.
    `is_outdated` is fast.
    """

    def __init__(self, target: Target, pinned: Pinned | None = None) -> None:
        """`pinned`: the pin to compare with, in place of the target's own."""
        self._target = target
        self._given = pinned
        self._first: ServerDefinitions | None = None
        self._last: ServerDefinitions | None = None
        """The definitions in the last listing; None before the first."""
        self._file: tuple[int, int] | None = None
        """The inode and time of the pin's file when it was last read or written; None without a file."""
        self.state = PinState()
        """The state after the last listing."""

    def listed(self, catalogue: Catalogue, instructions: str | None, *, is_edited: bool = False) -> PinState:
        """Compare a complete listing with the pin and with the session's first listing.

        An unreadable pin is a reason to confirm calls, not an error.

        `is_edited`: whether this is the first listing after the user saved a file of the server and Sightline
        started the server again. If so, the changes in the listing were made by the user.
        """
        now = definitions_of(catalogue, instructions)
        pinned, fault = self._pinned()
        if is_edited and self._first is not None and self._last is not None:
            self._first = edited(self._first, self._last, now)
        self.state = dataclasses.replace(pin_state(now, pinned=pinned, first=self._first), fault=fault)
        self._first = first_seen(self._first, now)
        self._last = now
        return self.state

    def pin(self, catalogue: Catalogue, instructions: str | None) -> PinState:
        """Pin a complete listing, replacing an earlier pin. Raises UsageError."""
        now = definitions_of(catalogue, instructions)
        pinned = write_pin(known_as(self._target), now)
        self._file = self._file_now()
        self._first = self._last = now
        self.state = PinState(pinned=pinned)
        return self.state

    def unpin(self, catalogue: Catalogue, instructions: str | None) -> PinState:
        remove_pin(known_as(self._target))
        return self.listed(catalogue, instructions)

    @property
    def is_outdated(self) -> bool:
        """True if another program has pinned or unpinned the server since the last listing."""
        return self._given is None and self._file != self._file_now()

    def _file_now(self) -> tuple[int, int] | None:
        """The inode and time (ns) of the pin's file, which change with every new pin; None without a file."""
        with suppress(UsageError):
            for each in _known(known_as(self._target)):
                with suppress(OSError):
                    found = _path(each).stat()
                    return found.st_ino, found.st_mtime_ns
        return None

    def _pinned(self) -> tuple[Pinned | None, str]:
        # This comes before the file is read, so that a change in the meantime is noticed.
        self._file = self._file_now()
        if self._given is not None:
            return self._given, ""
        try:
            identity = known_as(self._target)
        except UsageError:
            return None, ""
        try:
            return read_pin(identity), ""
        except UsageError as error:
            return None, error.message


def _decoded(raw: bytes) -> Pinned | Malformed:
    content = parse(raw)
    return content if isinstance(content, Malformed) else pin_in(content.value)


def _known(identity: Identity) -> Iterator[Identity]:
    """The identities under which a server's pin may be stored, in order of precedence. Raises UsageError."""
    yield identity
    if identity.kind == "stdio":
        yield replace(identity, folder="" if identity.folder else str(paths.full(".")))


def _path(identity: Identity) -> Path:
    return folder() / f"{identity.key}.json"


FORMAT = "sightline-pin"
VERSION = 1


def pin_json(pinned: Pinned) -> JsonObject:
    """The JSON of a pin: `format`, `version`, `server`, `pinned`, `software`, `instructions`, `tools` and `items`."""
    identity, definitions = pinned.identity, pinned.definitions
    return {
        "format": FORMAT,
        "version": VERSION,
        "server": {"kind": identity.kind, "name": identity.name, "folder": identity.folder},
        "pinned": pinned.at,
        "software": pinned.software,
        "instructions": definitions.instructions,
        "tools": [{"name": tool.name, "definition": tool.definition} for tool in definitions.tools],
        **({} if definitions.items is None else {"items": _items_json(definitions.items)}),
    }


def pin_in(value: Json) -> Pinned | Malformed:
    """The pin in the content of a file, or a Malformed with the reason why it is not one. Never raises."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return Malformed(pointer="", reason="it is not a pin")
    version = value.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        return Malformed(pointer="/version", reason="its version is not a positive number")
    if version > VERSION:
        return Malformed(pointer="/version", reason=f"its version {version} needs a newer Sightline")
    at, software, instructions = value.get("pinned"), value.get("software"), value.get("instructions")
    if not isinstance(at, str) or not isinstance(software, str):
        return Malformed(pointer="", reason="`pinned` or `software` is not text")
    if instructions is not None and not isinstance(instructions, str):
        return Malformed(pointer="/instructions", reason="`instructions` is not text")
    identity, tools = _stored_identity(value.get("server")), _stored_tools(value.get("tools"))
    if isinstance(identity, Malformed):
        return identity
    if isinstance(tools, Malformed):
        return tools
    # Pins of earlier versions hold only tools.
    items = _stored_tools(value["items"], "/items") if "items" in value else None
    if isinstance(items, Malformed):
        return items
    return Pinned(
        identity=identity,
        at=at,
        software=software,
        definitions=ServerDefinitions(
            tools=tools,
            instructions=instructions,
            items=None if items is None else tuple(map(_as_item, items)),
        ),
    )


def _stored_identity(value: Json) -> Identity | Malformed:
    stored = value if isinstance(value, dict) else {}
    kind, name, folder = stored.get("kind"), stored.get("name"), stored.get("folder")
    if not (isinstance(kind, str) and isinstance(name, str) and isinstance(folder, str)):
        return Malformed(pointer="/server", reason="`server` is not an identity")
    return Identity(kind=kind, name=name, folder=folder)


def _items_json(items: tuple[Tool, ...]) -> list[Json]:
    return [{"name": item.name, "definition": item.definition} for item in items]


def _as_item(stored: Tool) -> Tool:
    """The stored item as a tool that is called by its handle."""
    item = item_of(stored.name)
    return replace(item, definition=stored.definition).as_tool if item else stored


def _stored_tools(value: Json, at: str = "/tools") -> tuple[Tool, ...] | Malformed:
    if not isinstance(value, list):
        return Malformed(pointer=at, reason=f"`{at[1:]}` is not a list")
    tools: dict[str, Tool] = {}
    for index, item in enumerate(value):
        stored = item if isinstance(item, dict) else {}
        name, definition = stored.get("name"), stored.get("definition")
        if not isinstance(name, str) or not isinstance(definition, dict):
            return Malformed(pointer=f"{at}/{index}", reason="a tool has no name or no definition")
        if name in tools:
            return Malformed(pointer=f"{at}/{index}/name", reason="two tools have the same name")
        tools[name] = Tool(name=name, definition=definition)
    return tuple(tools.values())
