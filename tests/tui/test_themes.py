from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.files import paths, themes
from inspector.protocol.targets import DemoTarget
from tests.tui.scripted import Script, app_of

GOOD = 'name = "mine"\nprimary = "#123456"\n'


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "themes").mkdir()
    return tmp_path / "themes"


def test_three_themes_are_shipped() -> None:
    assert [theme.name for theme in themes.shipped()] == ["dark", "high-contrast", "light"]
    assert paths.packaged("themes").is_dir()


def test_a_theme_of_the_user_is_added_and_one_of_a_known_name_replaces_it(own_folder: Path) -> None:
    (own_folder / "mine.toml").write_text(GOOD)
    (own_folder / "other.toml").write_text('name = "dark"\nprimary = "#abcdef"\n')
    found = {theme.name: theme for theme in themes.themes()}
    assert set(found) == {"dark", "high-contrast", "light", "mine"}
    assert dict(found["dark"].colours)["primary"] == "#abcdef"


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ('primary = "#123456"', "name", "letters"),
        ('name = "mine"', "primary", "a colour"),
        (GOOD + 'error = "blue-ish"', "error", "a colour"),
        (GOOD + "dark = 1", "dark", "true or false"),
        (GOOD + 'colour = "#123456"', "colour", "one of name"),
        (GOOD + "variables = 3", "variables", "a table"),
        (GOOD + '[variables]\n"x y" = "#123456"', "variables.x y", "a name"),
        (GOOD + "[variables]\nx = 3", "variables.x", "as text"),
        (GOOD + '[variables]\nx = "red; } * { display: none"', "variables.x", "as text"),
    ],
)
def test_a_broken_theme_is_told_with_file_key_and_what_is_expected(
    own_folder: Path, text: str, key: str, expected: str
) -> None:
    (own_folder / "mine.toml").write_text(text)
    with pytest.raises(UsageError) as raised:
        themes.themes()
    assert str(own_folder / "mine.toml") in raised.value.message
    assert f"`{key}`" in raised.value.message
    assert expected in raised.value.message


@pytest.mark.parametrize("raw", [b"name = ", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_told(own_folder: Path, raw: bytes) -> None:
    (own_folder / "mine.toml").write_bytes(raw)
    with pytest.raises(UsageError, match="not TOML"):
        themes.themes()


def test_a_file_that_cannot_be_read_is_told(own_folder: Path) -> None:
    (own_folder / "mine.toml").mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        themes.themes()


def test_the_platform_has_a_folder_where_none_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIGHTLINE_CONFIG_DIR")
    assert "sightline" in str(paths.configuration())


@pytest.mark.parametrize("name", ["dark", "high-contrast", "light"])
async def test_every_shipped_theme_can_be_shown(name: str) -> None:
    app = app_of(Script(), target=DemoTarget())
    async with app.run_test(size=(80, 24)) as pilot:
        app.theme = name
        await pilot.pause()
        assert app.current_theme.name == name


def test_an_unknown_theme_is_told_before_the_screen_is_taken() -> None:
    from inspector.launch import Launch  # noqa: PLC0415
    from inspector.tui.app import run  # noqa: PLC0415

    with pytest.raises(UsageError, match="no theme purple"):
        run(Launch(target=DemoTarget(), theme="purple"))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(left: str, right: str) -> float:
    """The contrast of two colours. Source: WCAG 2.2, 1.4.3: text needs 4.5, and 7 where contrast is promised."""
    darker, lighter = sorted((luminance(left), luminance(right)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", themes.shipped(), ids=lambda theme: theme.name)
def test_text_can_be_read_also_under_the_cursor(theme: themes.ThemeFile) -> None:
    colours, variables = dict(theme.colours), dict(theme.variables)
    least = 7 if theme.name == "high-contrast" else 4.5
    for name in ("background", "surface", "panel"):
        assert contrast(colours["foreground"], colours[name]) >= least, name
    for ink in ("foreground", "success", "warning", "error", "accent", "primary"):
        assert contrast(colours[ink], colours["surface"]) >= least, ink
        cursor = contrast(colours[ink], variables["block-cursor-background"])
        assert cursor >= (least if ink == "foreground" else 3), ink
