"""Where files are: what is shipped with the package, and what belongs to the user."""

import os
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def packaged(name: str) -> Path:
    """A folder of packaged data (`themes`, `recordings`).

    Inside the package in a wheel, beside it in an editable install.
    """
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def configuration() -> Path:
    """The user's configuration folder, which need not exist. SIGHTLINE_CONFIG_DIR wins over the platform's."""
    chosen = os.environ.get("SIGHTLINE_CONFIG_DIR")
    return Path(chosen).expanduser() if chosen else _platform_configuration()


def own_settings() -> Path:
    """The user's own settings file, which need not exist."""
    return configuration() / "config.toml"


@cache
def _platform_configuration() -> Path:
    # Deferred: most commands never look for a configuration.
    from platformdirs import user_config_path  # noqa: PLC0415

    return user_config_path("sightline", appauthor=False)
