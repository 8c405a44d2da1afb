"""Paths of packaged data and of the user's configuration and data."""

import os
from functools import cache
from pathlib import Path

from inspector.errors import UsageError

_WHOLE = "Write the full path."
_PACKAGE = Path(__file__).parent.parent


def packaged(name: str) -> Path:
    """The path of a folder of packaged data, `themes` or `recordings`.

    In a wheel the folder is inside the package, and in an editable install next to it.
    """
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def written(name: str) -> Path:
    """The path that the user has written, with `~` or `~USER` expanded.

    Raises UsageError if that user's home is not known.
    """
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{name.partition('/')[0]}: there is no user of that name", _WHOLE) from error


def suffixed(name: str, suffix: str) -> str:
    """The name of a file to write, with `suffix` added if it has no suffix and is no folder. Never raises."""
    is_whole = not name or Path(name).suffix or os.path.isdir(os.path.expanduser(name))  # noqa: PTH111, PTH112 - no error
    return name if is_whole else f"{name}{suffix}"


def full(name: str) -> Path:
    """The absolute path of `name`, with `~` expanded and links resolved. Raises UsageError."""
    try:
        return written(name).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{name} is not a path", _WHOLE) from error


def configuration() -> Path:
    """The user's configuration folder, which may not exist. SIGHTLINE_CONFIG_DIR overrides it. Raises UsageError."""
    chosen = os.environ.get("SIGHTLINE_CONFIG_DIR")
    return written(chosen) if chosen else _platform_configuration()


def data() -> Path:
    """The folder for data that Sightline keeps, which may not exist. SIGHTLINE_DATA_DIR overrides it. Raises UsageError."""
    chosen = os.environ.get("SIGHTLINE_DATA_DIR")
    return written(chosen) if chosen else _platform_data()


def own_settings() -> Path:
    """The user's settings file, which may not exist."""
    return configuration() / "config.toml"


@cache
def _platform_configuration() -> Path:
    # Imported late: most commands need no configuration.
    from platformdirs import user_config_path  # noqa: PLC0415

    return user_config_path("sightline", appauthor=False)


@cache
def _platform_data() -> Path:
    from platformdirs import user_data_path  # noqa: PLC0415 - as above

    return user_data_path("sightline", appauthor=False)
