"""The first line of a recording: enough to know that it is one, before anything is shown."""

import os
import stat
from pathlib import Path

from inspector.errors import UsageError
from inspector.recording.codec import Broken, decoded, version_of
from inspector.recording.format import VERSION, Header

_MAX_BYTES = 1 << 20


def header_at(path: Path) -> Header:
    """The header of a recording. Raises UsageError where the file is none, or cannot be read."""
    raw = _first_line(path)
    version = version_of(raw)
    if version is None:
        raise UsageError(
            f"{path} is no recording", "Recordings are made with --record FILE, or with w in the interface."
        )
    if version > VERSION:
        raise UsageError(
            f"{path} is a recording of version {version}; this Sightline knows up to {VERSION}",
            "Update Sightline.",
        )
    header = decoded(raw, version)
    if not isinstance(header, Header):
        reason = header.reason if isinstance(header, Broken) else "it is no header"
        raise UsageError(f"{path} line 1: {reason}", "Is this the whole file?")
    return header


def begins_as_recording(path: Path) -> bool:
    """Whether a file's first line is that of a recording."""
    try:
        return version_of(_first_line(path)) is not None
    except UsageError:
        return False


def _first_line(path: Path) -> bytes:
    try:
        # A pipe of that name would otherwise be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no path"
        raise UsageError(f"cannot read {path}: {reason}", "Check the path.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is no file", "Check the path.")
    with os.fdopen(descriptor, "rb") as file:
        return file.readline(_MAX_BYTES).rstrip(b"\r\n")
