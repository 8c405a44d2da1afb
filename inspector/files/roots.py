"""Folders that are announced to servers."""

from pathlib import Path

from inspector.errors import UsageError
from inspector.files.paths import full
from inspector.protocol.client import Root


def root_of(folder: str | Path) -> Root:
    """A folder in the form that is announced to servers. Raises UsageError if it does not exist."""
    path = full(str(folder))
    if not path.is_dir():
        raise UsageError(f"--root {folder}: not a folder", "Name a folder that exists.")
    return Root(uri=path.as_uri(), name=path.name or str(path))
