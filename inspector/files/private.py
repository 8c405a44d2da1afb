"""Writes files with mode 0600, and reads files only if no other user can write them."""

import os
import secrets
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from inspector.errors import UsageError

MODE = 0o600

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

_written: dict[str, tuple[int, int | None]] = {}
"""The inode, and the time of the last change in ns, of each file that `write_new` wrote in this process.

The keys are real paths. The time is None while the file is being written.
"""


class Content(Struct, frozen=True, kw_only=True):
    """The content of a private file, with a warning if its permissions are too wide."""

    raw: bytes
    warning: str
    """A warning that others can read the file, with the remedy; empty if they cannot."""


def read(path: Path, max_bytes: int) -> Content | None:
    """Read a file that only its owner can write. Returns None if there is no file.

    Raises UsageError if others can write the file, or if it is too large or cannot be read.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {_reason(error)}", "Check the file, or remove it.") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is not a regular file", "Check the path, or remove it.")
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
    """Open a new file of mode 0600, whatever the umask. Follows no link.

    Raises UsageError, also if there is a file of that name.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, MODE)
    except FileExistsError as error:
        raise UsageError(f"{path} exists already", "Choose another name, or remove the file.") from error
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    file = os.fdopen(descriptor, "wb")
    try:
        # This also revokes permissions that the folder's access list adds.
        os.fchmod(descriptor, MODE)
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != MODE:
            raise PermissionError(None, "its file system lets others read it")
    except OSError as error:
        file.close()
        path.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error
    return file


def write_new(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a new file, opened with `create`. Returns its size in bytes.

    If writing fails, the file is removed. Raises UsageError.
    """
    written = 0
    file = create(path)
    name, inode = os.path.realpath(path), os.fstat(file.fileno()).st_ino
    _written[name] = inode, None
    try:
        with file:
            for piece in pieces:
                written += file.write(piece)
            file.flush()
            _written[name] = inode, os.fstat(file.fileno()).st_mtime_ns
    except BaseException as error:
        path.unlink(missing_ok=True)
        del _written[name]
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from error
        raise
    return written


def is_unchanged(path: str) -> bool:
    """True if this process wrote the file with `write_new`, and the file has not changed since.

    Also true while `write_new` still writes the file. `path`: the real path of the file.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - for a watch, which has many paths
    except OSError:
        return False
    inode, changed_ns = _written.get(path, (-1, None))
    return inode == status.st_ino and changed_ns in {None, status.st_mtime_ns}


def appending(path: Path, hint: str) -> int:
    """Open a file to append to, and create it with mode 0600 if needed. Returns its descriptor.

    Follows no link. Raises UsageError with `hint` if the file cannot be written, is not the user's own regular
    file, or is accessible to others.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, MODE)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write {path}: {_reason(error)}", hint) from error
    status = os.fstat(descriptor)
    problem = ""
    if not stat.S_ISREG(status.st_mode):
        problem = "is not a file"
    elif status.st_uid != os.geteuid():
        problem = "belongs to another user"
    elif status.st_mode & _OTHERS:
        problem = "is accessible to other users; run chmod 600 on it"
    if problem:
        os.close(descriptor)
        raise UsageError(f"{path} {problem}", hint)
    return descriptor


def keep(path: Path, raw: bytes) -> None:
    """Write a file in the user's data folder with `replace`. Creates the folder if needed. Raises UsageError."""
    make_folder(path)
    replace(path, raw)


def make_folder(path: Path) -> None:
    """Create the folder of a file in the user's data folder, if needed. Raises UsageError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make {path.parent}: {error.strerror}", "SIGHTLINE_DATA_DIR names another folder."
        ) from error


def replace(path: Path, raw: bytes) -> None:
    """Write a file of mode 0600 atomically. If that fails, an existing file is unchanged.

    Raises UsageError, also if the path is something other than a regular file.
    """
    try:
        is_another = path.is_symlink() or (path.exists() and not path.is_file())
    except OSError as error:
        raise _cannot_write(path, error) from error
    if is_another:
        raise UsageError(f"{path} is not a regular file", "Choose another name, or remove the file.")
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
        raise UsageError(f"{path} belongs to another user", f"Run: {_command(f'chown {os.geteuid()}', path)}")
    # In a sticky folder others cannot replace a file that they do not own.
    is_sticky_folder = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    if status.st_mode & _WRITABLE_BY_OTHERS and not is_sticky_folder:
        raise UsageError(f"{path} can be written by others", f"Run: {_command(f'chmod {mode}', path)}")


def _command(program: str, path: Path) -> str:
    return f"{program} {shlex.quote(str(path))}"


def _cannot_write(path: Path, error: OSError | ValueError) -> UsageError:
    return UsageError(f"cannot write {path}: {_reason(error)}", "Check the folder and its free space.")


def _reason(error: OSError | ValueError) -> str:
    """The reason of an error, without the file name.

    The message of a ValueError is not used, because it may quote a name that has a zero byte or cannot be encoded.
    """
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else "not a path"
