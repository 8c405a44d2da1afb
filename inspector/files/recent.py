"""The targets that the user opened, the latest first, in one file in the user's data folder.

The file contains no credential: a target that contains a secret is not stored.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from inspector.errors import UsageError
from inspector.files import paths, private

MAX_TARGETS = 8
_MAX_BYTES = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentTarget:
    """A target that the user opened, as arguments of the command line."""

    words: tuple[str, ...]
    """The arguments that name the target: a single one, or `--` and a command with its arguments."""
    folder: str
    """The working folder, against which relative paths in `words` are resolved."""


def recent_targets() -> tuple[RecentTarget, ...]:
    """The targets opened last; empty if the file cannot be read or trusted."""
    try:
        content = private.read(_path(), _MAX_BYTES)
        return msgspec.json.decode(content.raw, type=tuple[RecentTarget, ...]) if content else ()
    except (UsageError, msgspec.DecodeError, UnicodeDecodeError):
        return ()


def remember_target(words: tuple[str, ...]) -> None:
    """Put a target at the head of the list. If the file cannot be written, nothing happens."""
    latest = RecentTarget(words=words, folder=str(Path.cwd()))
    targets = (latest, *(each for each in recent_targets() if each != latest))[:MAX_TARGETS]
    try:
        private.keep(_path(), json.dumps([asdict(each) for each in targets], indent=1).encode() + b"\n")
    except UsageError:
        return


def _path() -> Path:
    return paths.data() / "recent.json"
