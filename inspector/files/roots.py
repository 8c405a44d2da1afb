"""Roots: folders that Sightline names to servers that ask for them."""

from pathlib import Path

from inspector.errors import UsageError
from inspector.files.paths import full
from inspector.protocol.client import Root


def root_of(folder: str | Path) -> Root:
    """The root for a folder: its URI and name, as servers get them.

    Raises UsageError if the folder does not exist.
    """
    path = full(str(folder))
    if not path.is_dir():
        raise UsageError(f"--root {folder}: not a folder", "Name a folder that exists.")
    return Root(uri=path.as_uri(), name=path.name or str(path))


def working_folder() -> tuple[Root, ...]:
    """The root for the folder in which Sightline runs; none if the folder was removed."""
    try:
        return (root_of(Path.cwd()),)
    except FileNotFoundError:
        return ()
