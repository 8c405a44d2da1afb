"""Where files are: what is shipped with the package, and what belongs to the user."""

import os
from functools import cache
from pathlib import Path

from inspector.errors import UsageError

_WHOLE = "Write the full path."
_PACKAGE = Path(__file__).parent.parent


def packaged(name: str) -> Path:
    """A folder of packaged data (`themes`, `recordings`).

    Inside the package in a wheel, beside it in an editable install.
    """
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def written(name: str) -> Path:
    """A path as the user writes it, with `~` for a home. Raises UsageError where there is no such home."""
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{name.partition('/')[0]}: nobody of that name has a home here", _WHOLE) from error


def full(name: str) -> Path:
    """The same from the root on, without links. Raises UsageError."""
    try:
        return written(name).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{name} is no path", _WHOLE) from error


def configuration() -> Path:
    """The user's configuration folder, which need not exist. SIGHTLINE_CONFIG_DIR wins over the platform's. Raises UsageError."""
    chosen = os.environ.get("SIGHTLINE_CONFIG_DIR")
    return written(chosen) if chosen else _platform_configuration()


def data() -> Path:
    """The folder for what Sightline keeps, which need not exist. SIGHTLINE_DATA_DIR wins over the platform's. Raises UsageError."""
    chosen = os.environ.get("SIGHTLINE_DATA_DIR")
    return written(chosen) if chosen else _platform_data()


def own_settings() -> Path:
    """The user's own settings file, which need not exist."""
    return configuration() / "config.toml"


@cache
def _platform_configuration() -> Path:
    # Deferred: most commands never look for a configuration.
    from platformdirs import user_config_path  # noqa: PLC0415

    return user_config_path("sightline", appauthor=False)


@cache
def _platform_data() -> Path:
    from platformdirs import user_data_path  # noqa: PLC0415 - as above

    return user_data_path("sightline", appauthor=False)
