"""Themes: names for colours and their values. Each theme is a TOML file, by Sightline or by the user.

A file contains `name`, `dark`, `primary` and any others of `COLOURS`, and a table `variables`.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias, cast

from msgspec import Struct

from inspector.errors import UsageError
from inspector.files import paths, private

DEFAULT = "dark"
_MAX_BYTES = 1024

COLOURS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
    "success",
    "warning",
    "error",
)

Toml: TypeAlias = object

_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_VARIABLE = re.compile(r"[a-z][a-z0-9-]*")
_VARIABLE_VALUE = re.compile(r"[#$%\w .-]{1,80}", re.ASCII)


class ThemeFile(Struct, frozen=True, kw_only=True):
    """The content of a theme file."""

    name: str
    dark: bool
    colours: tuple[tuple[str, str], ...]
    """Pairs of a name in `COLOURS` and `#rrggbb`; `primary` is always included."""
    variables: tuple[tuple[str, str], ...] = ()
    path: Path


def themes() -> tuple[ThemeFile, ...]:
    """Every theme; a user's theme replaces a shipped one of the same name. Raises UsageError for an invalid file."""
    by_name = {
        theme.name: theme for folder in _folders() for theme in map(read, sorted(folder.glob("*.toml")))
    }
    return tuple(by_name.values())


def shipped() -> tuple[ThemeFile, ...]:
    """The themes that come with Sightline, without the user's."""
    return tuple(map(read, sorted(paths.packaged("themes").glob("*.toml"))))


def remembered() -> str:
    """The theme that the user chose last.

    Returns the default theme if no choice is stored, or if others can write the file.
    """
    try:
        content = private.read(_chosen(), _MAX_BYTES)
    except UsageError:
        return DEFAULT
    name = content.raw.decode("ascii", "replace").strip() if content else DEFAULT
    return name if name in {theme.name for theme in themes()} else DEFAULT


def remember(name: str) -> bool:
    """Store the choice of a theme for later runs. Returns False if the file cannot be written."""
    try:
        private.keep(_chosen(), f"{name}\n".encode())
    except UsageError:
        return False
    return True


def check(name: str, among: tuple[ThemeFile, ...]) -> None:
    """Raise UsageError for a name that no theme has."""
    names = [each.name for each in among]
    if name not in names:
        raise UsageError(f"no theme {name}", f"Known themes: {', '.join(names)}.")


def _chosen() -> Path:
    return paths.data() / "theme"


def _folders() -> Iterator[Path]:
    yield paths.packaged("themes")
    yield paths.configuration() / "themes"


def read(path: Path) -> ThemeFile:
    """Parse one file. Raises UsageError, which names the file, the key and the expected value."""
    try:
        content = cast("dict[str, Toml]", tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read", str(error.strerror or error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}", "Each line is `key = value`.") from error
    unknown = content.keys() - {"name", "dark", "variables", *COLOURS}
    if unknown:
        raise _wrong(path, min(unknown), f"one of name, dark, variables, {', '.join(COLOURS)}")
    dark = content.get("dark", True)
    if not isinstance(dark, bool):
        raise _wrong(path, "dark", "true or false")
    return ThemeFile(
        name=_text(path, "name", content.get("name"), _NAME, "lower-case letters, digits and hyphens"),
        dark=dark,
        colours=tuple(_colours(path, content)),
        variables=tuple(_variables(path, content.get("variables", {}))),
        path=path,
    )


def _colours(path: Path, content: dict[str, Toml]) -> Iterator[tuple[str, str]]:
    for key in COLOURS:
        if key in content or key == "primary":
            yield key, _text(path, key, content.get(key), _COLOUR, "a colour such as #3366cc")


def _variables(path: Path, table: Toml) -> Iterator[tuple[str, str]]:
    if not isinstance(table, dict):
        raise _wrong(path, "variables", "a table of names and values")
    for key, value in cast("dict[str, Toml]", table).items():
        where = f"variables.{key}"
        if not _VARIABLE.fullmatch(key):
            raise _wrong(path, where, "a name of lower-case letters, digits and hyphens")
        yield key, _text(path, where, value, _VARIABLE_VALUE, "a colour or a style, as text")


def _text(path: Path, key: str, value: Toml, form: re.Pattern[str], expected: str) -> str:
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _wrong(path, key, expected)
    return value


def _wrong(path: Path, key: str, expected: str) -> UsageError:
    return UsageError(f"{path}: `{key}`: expected {expected}", "Correct the file, or remove it.")
