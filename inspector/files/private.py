"""Files that are the user's alone: written with mode 0600, and read where nobody else can have written them."""

import os
import secrets
import shlex
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from inspector.errors import UsageError

MODE = 0o600

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What such a file holds."""

    raw: bytes
    warning: str
    """That others can read it, and what to do; empty where they cannot."""


def read(path: Path, max_bytes: int) -> Content | None:
    """A file that only its owner can have written; None where there is none.

    Raises UsageError where others could have written it, where it is too large, or cannot be read.
    """
    try:
        # A pipe of that name would otherwise be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {_reason(error)}", "Check the file, or remove it.") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is no file", "Check the path, or remove it.")
    with os.fdopen(descriptor, "rb") as file:
        _trust(path, status, "600")
        for folder in {path.absolute().parent, path.resolve().parent}:
            _trust(folder, folder.stat(), "go-w")
        raw = file.read(max_bytes + 1)
    if len(raw) > max_bytes:
        raise UsageError(f"{path} is larger than {max_bytes:,} bytes", "Is this the right file?")
    warning = f"{path} can be read by others. Run: {_command('chmod 600', path)}"
    return Content(raw=raw, warning=warning if status.st_mode & _READABLE_BY_OTHERS else "")


def create(path: Path) -> BinaryIO:
    """A new file of mode 0600 whatever the umask, open for writing. It takes the place of nothing and follows no link.

    Raises UsageError.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, MODE)
    except FileExistsError as error:
        raise UsageError(f"{path} exists already", "Choose another name, or remove it.") from error
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    file = os.fdopen(descriptor, "wb")
    try:
        # Takes back what the access list of a folder gives to others, too.
        os.fchmod(descriptor, MODE)
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != MODE:
            raise PermissionError(None, "its file system lets others read it")
    except OSError as error:
        file.close()
        path.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error
    return file


def write_new(path: Path, pieces: Iterable[bytes]) -> int:
    """A new file as `create` makes it, with all of this in it, or none; its bytes. Raises UsageError."""
    written = 0
    file = create(path)
    try:
        with file:
            for piece in pieces:
                written += file.write(piece)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from error
        raise
    return written


def keep(path: Path, raw: bytes) -> None:
    """`replace`, in the user's data folder, which is made where there is none. Raises UsageError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make {path.parent}: {error.strerror}", "SIGHTLINE_DATA_DIR names another folder."
        ) from error
    replace(path, raw)


def replace(path: Path, raw: bytes) -> None:
    """Write a file of mode 0600, whole or not at all; an older one of that name is there until then.

    Raises UsageError, also where something other than a file has that name.
    """
    try:
        is_another = path.is_symlink() or (path.exists() and not path.is_file())
    except OSError as error:
        raise _cannot_write(path, error) from error
    if is_another:
        raise UsageError(f"{path} is no file of its own", "Choose another name, or remove it.")
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    file = create(part)
    try:
        with file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error


def _trust(path: Path, status: os.stat_result, mode: str) -> None:
    if status.st_uid not in {0, os.geteuid()}:
        raise UsageError(
            f"{path} belongs to somebody else", f"Run: {_command(f'chown {os.geteuid()}', path)}"
        )
    # In a sticky folder others cannot touch a file that is not theirs.
    is_sticky_folder = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    if status.st_mode & _WRITABLE_BY_OTHERS and not is_sticky_folder:
        raise UsageError(f"{path} can be written by others", f"Run: {_command(f'chmod {mode}', path)}")


def _command(program: str, path: Path) -> str:
    return f"{program} {shlex.quote(str(path))}"


def _cannot_write(path: Path, error: OSError | ValueError) -> UsageError:
    return UsageError(f"cannot write {path}: {_reason(error)}", "Check the folder, and what is left on it.")


def _reason(error: OSError | ValueError) -> str:
    """Of a name with a zero in it, or one that the file system cannot spell, Python says so in words of its own."""
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else "no path"
