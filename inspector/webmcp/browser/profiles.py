"""Profiles of browsers that we start: one folder each, the user's alone, removed when its owner is gone."""

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from inspector.errors import UnreachableError

_OWNER = "sightline-owner"
_PREFIX = "profile-"


def create() -> Path:
    """A new, empty profile that says whose it is. Raises UnreachableError."""
    folder = place()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise UnreachableError(f"cannot make {folder}: {error.strerror}", "Check TMPDIR.") from error
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not is_ours or stat.S_IMODE(status.st_mode) & 0o077:
        raise UnreachableError(f"{folder} can be reached by others", "Remove it, or set TMPDIR.")
    profile = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    (profile / _OWNER).write_text(_mark(os.getpid()), encoding="ascii")
    return profile


def remove(profile: Path) -> None:
    """Remove a profile, though its browser may still be writing its last, and the folder of its socket beside it."""
    _remove_socket(profile)
    for _ in range(20):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return


def _remove_socket(profile: Path) -> None:
    """A browser that is ended leaves the folder to which this link of its profile points."""
    with contextlib.suppress(OSError):
        folder = (profile / "SingletonSocket").readlink().parent
        is_its_own = folder.name.startswith("org.chromium.") and folder.stat().st_uid == os.geteuid()
        if is_its_own and folder.parent in {Path(tempfile.gettempdir()), Path("/tmp")}:  # noqa: S108 - where it makes it
            shutil.rmtree(folder, ignore_errors=True)


def sweep() -> None:
    """Remove what killed sessions of this user left behind."""
    with contextlib.suppress(OSError):
        for profile in place().iterdir():
            if profile.name.startswith(_PREFIX) and not _is_owned(profile):
                remove(profile)


def place() -> Path:
    """The folder of all profiles of this user."""
    return Path(tempfile.gettempdir()) / f"sightline-{os.geteuid()}"


def _is_owned(profile: Path) -> bool:
    """Whether the process that made it still runs. A folder that says nothing is another's that is being made."""
    try:
        written = (profile / _OWNER).read_text("ascii")
        pid = int(written.partition(" ")[0])
    except (OSError, ValueError):
        return True
    return written == _mark(pid)


def _mark(pid: int) -> str:
    """A process as no other one is: its number and when it started. Where the system does not tell, its number."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return f"{pid} {fields[19]}"
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return str(pid)
