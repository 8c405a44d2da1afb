"""The history on disk: one file for each server in the user's data folder, mode 0600.

A file has a header line, then one line for each call.
"""

import fcntl
import os
import time
from collections.abc import Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from inspector.errors import UsageError
from inspector.files import paths, private
from inspector.history.past_call import PastCall
from inspector.json.exact import Json, JsonObject, JsonText, dump, inert, parse
from inspector.pins.files import identified
from inspector.pins.identity import Identity
from inspector.protocol.targets import Target

if TYPE_CHECKING:
    from collections.abc import Generator

FORMAT = "sightline-history"
VERSION = 1
MAX_CALLS = 10_000
MAX_BYTES = 8 * 1024 * 1024
_LEFT = 0.9
"""The share of `MAX_CALLS` and `MAX_BYTES` that stays when a file exceeds one of them.

Below 1, so that the next call does not exceed the limit again.
"""
_LONGEST_HEADER = 64 * 1024
_PATIENCE_S = 3.0
_PAUSE_S = 0.02
_KEPT_AS_IT_IS = "Nothing is added to it. Move the file away, or start with --no-history."


class Stored(Struct, frozen=True, kw_only=True):
    """The content of a history file."""

    calls: tuple[PastCall, ...] = ()
    """The calls, the oldest first."""
    unreadable: int = 0
    """The number of lines that contain no call. They stay in the file."""


class HistoryFile:
    """The calls of one server. The methods block: they wait for other processes, and read and write files."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self.path = paths.data() / "history" / f"{identity.key}.jsonl"
        self._lines = 0
        """The number of lines. It is approximate, because other processes add lines too."""

    def read(self) -> Stored:
        """Read all calls.

        Raises UsageError for a file that is not a history, or is of another version or server.
        """
        content = private.read(self.path, 2 * MAX_BYTES)
        if content is None or not content.raw:
            return Stored()
        header, *lines = content.raw.split(b"\n")
        self._check(header)
        calls: list[PastCall] = []
        unreadable = 0
        for line in lines:
            call = _call_in(line) if line else None
            if call is not None:
                calls.append(call)
            elif line:
                unreadable += 1
        self._lines = len(lines)
        return Stored(calls=tuple(calls[-MAX_CALLS:]), unreadable=unreadable)

    def append(self, call: PastCall) -> None:
        """Add a call. If there are too many calls, remove the oldest.

        Raises UsageError if the file is in use, is not a history of this server, or cannot be written. Then
        the call is not in the file, unless only the removal of old calls failed.
        """
        line = inert(dump(_json_of(call))) + b"\n"
        with self._locked() as descriptor:
            size = os.fstat(descriptor).st_size
            if size:
                self._check_header()
            before = b"" if size == 0 or self._ends_whole(size) else b"\n"
            _write(descriptor, size, (b"" if size else inert(dump(self._header)) + b"\n") + before + line)
            self._lines += 1
            if size + len(line) > MAX_BYTES or self._lines > MAX_CALLS:
                self._shorten()

    def forget(self) -> None:
        """Remove the file. Raises UsageError if it is not a history of this server."""
        with self._locked() as descriptor:
            if os.fstat(descriptor).st_size:
                self._check_header()
            self._lines = 0
            try:
                self.path.unlink(missing_ok=True)
            except OSError as error:
                raise UsageError(
                    f"cannot remove {self.path}: {error.strerror}", "Check the folder."
                ) from error

    @property
    def _header(self) -> JsonObject:
        server: JsonObject = {
            "kind": self._identity.kind,
            "name": self._identity.name,
            "folder": self._identity.folder,
        }
        return {"format": FORMAT, "version": VERSION, "server": server}

    def _check_header(self) -> None:
        try:
            with self.path.open("rb") as file:
                self._check(file.readline(_LONGEST_HEADER).rstrip(b"\n"))
        except OSError as error:
            raise UsageError(f"cannot read {self.path}: {error.strerror}", "Check the file.") from error

    def _check(self, header: bytes) -> None:
        parsed = parse(header)
        value: Json = parsed.value if isinstance(parsed, JsonText) else None
        found = value if isinstance(value, dict) else {}
        version = found.get("version")
        if found.get("format") != FORMAT or not isinstance(version, int) or isinstance(version, bool):
            reason = "is not a history of calls"
        elif version > VERSION:
            reason = f"has version {version}, which needs a newer Sightline"
        elif version != VERSION or found.get("server") != self._header["server"]:
            reason = "is the history of another server"
        else:
            return
        raise UsageError(f"{self.path} {reason}", _KEPT_AS_IT_IS)

    def _ends_whole(self, size: int) -> bool:
        """True if the last line is complete."""
        with self.path.open("rb") as file:
            file.seek(size - 1)
            return file.read(1) == b"\n"

    def _shorten(self) -> None:
        """Remove the oldest lines. Other processes that wait for the lock then find the new file."""
        content = private.read(self.path, 2 * MAX_BYTES)
        if content is None:
            return
        header, *lines = content.raw.rstrip(b"\n").split(b"\n")
        kept: list[bytes] = []
        room = int(MAX_BYTES * _LEFT) - len(header)
        for line in reversed(lines[-int(MAX_CALLS * _LEFT) :]):
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
        private.replace(self.path, b"".join(_ended((header, *reversed(kept)))))
        self._lines = len(kept)

    @contextmanager
    def _locked(self) -> "Generator[int]":
        """Lock the file against other processes and yield its descriptor. Raises UsageError after some seconds."""
        private.make_folder(self.path)
        until_s = time.monotonic() + _PATIENCE_S
        while True:
            descriptor = private.appending(self.path, _KEPT_AS_IT_IS)
            try:
                if _lock(descriptor) and self._is_same(descriptor):
                    yield descriptor
                    return
            finally:
                # Closing unlocks the file too.
                os.close(descriptor)
            if time.monotonic() > until_s:
                raise UsageError(f"{self.path} is in use by another process", "The history was not changed.")
            time.sleep(_PAUSE_S)

    def _is_same(self, descriptor: int) -> bool:
        """True if the open file `descriptor` is still the file at `path`."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except OSError:
            return False


def history_of(target: Target) -> HistoryFile | None:
    """The history of a target; None for a page without an address.

    Raises UsageError if the working folder of a command does not exist.
    """
    identity = identified(target)
    return HistoryFile(identity) if identity else None


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _write(descriptor: int, size: int, raw: bytes) -> None:
    """Append all bytes to a file of `size` bytes, or none. Raises UsageError if writing fails."""
    try:
        if os.write(descriptor, raw) < len(raw):
            raise OSError(None, "no space left")  # noqa: TRY301 - reported as any other failure
    except OSError as error:
        os.ftruncate(descriptor, size)
        raise UsageError(
            f"the history of calls cannot be written: {error.strerror}", "Free some space."
        ) from error


def _ended(lines: Iterable[bytes]) -> Iterable[bytes]:
    return (line + b"\n" for line in lines)


def _json_of(call: PastCall) -> JsonObject:
    return msgspec.to_builtins(call)


_DECODER = msgspec.json.Decoder(PastCall)


def _call_in(line: bytes) -> PastCall | None:
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    parsed = parse(line)
    try:
        # A name may contain a lone surrogate, which msgspec does not read.
        return msgspec.convert(parsed.value, PastCall) if isinstance(parsed, JsonText) else None
    except (msgspec.ValidationError, RecursionError):
        return None
