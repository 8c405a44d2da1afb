from pathlib import Path

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.color import Color

from inspector.errors import UsageError
from inspector.files import paths, themes
from inspector.protocol.targets import DemoTarget
from inspector.tui.app import theme_of
from inspector.tui.runtime import few_colours
from tests.tui.scripted import LARGE, app_of, screen_strips, settled
from tests.tui.secretive import secretive

GOOD = 'name = "mine"\nprimary = "#123456"\n'


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "themes").mkdir()
    return tmp_path / "themes"


def test_five_themes_are_shipped() -> None:
    names = [theme.name for theme in themes.shipped()]
    assert names == ["catppuccin-mocha", "dark", "high-contrast", "light", "nord"]
    assert paths.packaged("themes").is_dir()


def test_a_user_theme_is_added_or_replaces_one_with_its_name(own_folder: Path) -> None:
    (own_folder / "mine.toml").write_text(GOOD)
    (own_folder / "other.toml").write_text('name = "dark"\nprimary = "#abcdef"\n')
    found = {theme.name: theme for theme in themes.themes()}
    assert set(found) == {*(theme.name for theme in themes.shipped()), "mine"}
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
def test_a_broken_theme_is_an_error_with_file_key_and_expected_value(
    own_folder: Path, text: str, key: str, expected: str
) -> None:
    (own_folder / "mine.toml").write_text(text)
    with pytest.raises(UsageError) as raised:
        themes.themes()
    assert str(own_folder / "mine.toml") in raised.value.message
    assert f"`{key}`" in raised.value.message
    assert expected in raised.value.message


@pytest.mark.parametrize("raw", [b"name = ", b"\xff\xfe"])
def test_a_theme_file_that_is_not_toml_is_an_error(own_folder: Path, raw: bytes) -> None:
    (own_folder / "mine.toml").write_bytes(raw)
    with pytest.raises(UsageError, match="not TOML"):
        themes.themes()


def test_a_theme_file_that_cannot_be_read_is_an_error(own_folder: Path) -> None:
    (own_folder / "mine.toml").mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        themes.themes()


def test_the_platform_folder_is_used_if_none_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIGHTLINE_CONFIG_DIR")
    assert "sightline" in str(paths.configuration())


def test_an_unknown_theme_is_an_error_before_the_interface_starts() -> None:
    from inspector.launch import Launch  # noqa: PLC0415
    from inspector.tui.app import run  # noqa: PLC0415

    with pytest.raises(UsageError, match="no theme purple"):
        run(Launch(target=DemoTarget(), theme="purple"))


async def test_the_palette_offers_every_theme_and_keeps_the_choice_for_later_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "data"))
    assert themes.remembered() == themes.DEFAULT
    app = app_of(secretive()[0])
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mint")
        await pilot.press("ctrl+p", *"theme ")
        text = await settled(pilot, app, "Theme nord")
        assert not [theme.name for theme in themes.shipped() if f"Theme {theme.name}" not in text]
        assert "in force" in text
        await pilot.press("enter")
        await settled(pilot, app, "mint")
        assert app.theme == themes.DEFAULT
        await pilot.press("ctrl+p", *"nord")
        await settled(pilot, app)
        await pilot.press("enter")
        await settled(pilot, app, "Theme nord, kept for later runs.")
        assert app.theme == "nord"
    assert themes.remembered() == "nord"
    # A theme that was removed since, or a file that is no name.
    (tmp_path / "data" / "theme").write_bytes(b"\xff")
    assert themes.remembered() == themes.DEFAULT


def luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(left: Color, right: Color) -> float:
    """The contrast of two colours. Source: WCAG 2.2, 1.4.3: text needs 4.5, and 7 for high contrast."""
    darker, lighter = sorted((luminance(left), luminance(right)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("file", themes.shipped(), ids=lambda file: file.name)
def test_without_colour_what_is_severe_is_not_fainter_than_what_is_less_severe(
    file: themes.ThemeFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_of(secretive()[0])
    theme = app.available_themes[file.name]
    shown = {**theme.to_color_system().generate(), **theme.variables}
    background = Color.parse(shown["background"])
    high, medium = (contrast(Color.parse(shown[name]), background) for name in ("text-error", "text-warning"))
    assert high >= medium


BEHIND = ("background", "surface", "panel", "block-cursor-background", "block-cursor-blurred-background")
DECORATION = frozenset("▌▎▍▁▂▃▄▅▆▇█▔▕─━│┃┄┊┌┐└┘├┤┬┴┼╭╮╰╯")
"""Lines, borders and scrollbars, which are not text."""


@pytest.mark.parametrize("file", themes.shipped(), ids=lambda file: file.name)
def test_each_text_colour_is_readable_on_each_background(file: themes.ThemeFile) -> None:
    shown = {**theme_of(file).to_color_system().generate(), **dict(file.variables)}
    foreground = Color.parse(shown["foreground"])
    for behind in BEHIND:
        background = Color.parse(shown[behind])
        least = 7 if file.name == "high-contrast" else 4.5
        assert contrast(foreground, background) >= least, behind
        assert contrast(background.blend(foreground, 0.7), background) >= 4.5, behind
        for ink in ("error", "warning", "accent", "success", "primary"):
            text = shown[f"text-{ink}"]
            drawn = background.get_contrast_text() if text.startswith("auto") else Color.parse(text)
            assert contrast(drawn, background) >= 4.5, (ink, behind)


@pytest.mark.parametrize("name", [file.name for file in themes.shipped()])
async def test_every_sign_on_the_screen_is_readable(name: str) -> None:
    app = app_of(secretive()[0])
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mint")
        app.theme = name
        await pilot.pause()
        for keys in (
            # With the placeholders of fields and of the filter.
            ("enter",),
            ("escape", "slash"),
            ("escape",),
            ("enter", "ctrl+r"),
            ("escape", "2"),
            ("3",),
            ("4",),
            ("c",),
            ("escape", "s"),
            ("escape", "f"),
        ):
            await pilot.press(*keys)
            await settled(pilot, app)
            for row in screen_strips(app):
                for text, style, _ in row:
                    signs = set(text) - DECORATION - {" "}
                    if signs and style and style.color and style.bgcolor:
                        ink, behind = (Color.from_rich_color(each) for each in (style.color, style.bgcolor))
                        assert contrast(ink, behind) >= 4.5, (text, style, keys)


def drawn(ink: str, behind: str, number: int) -> tuple[Color, Color]:
    """A text colour and its ground as a terminal with this number of colours draws them."""
    style = Style(color=ink, bgcolor=behind)
    found = few_colours.converted(style, (0, 0, 0), number, is_text=True)
    assert found.color
    assert found.bgcolor
    # Rich must convert them no further.
    assert {found.color.type, found.bgcolor.type} <= {ColorType.EIGHT_BIT, ColorType.STANDARD}
    return Color(*found.color.get_truecolor()), Color(*found.bgcolor.get_truecolor())


@pytest.mark.parametrize("number", [256, 16])
@pytest.mark.parametrize("file", themes.shipped(), ids=lambda file: file.name)
def test_with_few_colours_greys_stay_grey_signs_keep_their_hue_and_texts_are_readable(
    file: themes.ThemeFile, number: int
) -> None:
    shown = {**theme_of(file).to_color_system().generate(), **dict(file.variables)}
    for name in BEHIND:
        for ink in (
            "foreground",
            "text-error",
            "text-warning",
            "text-accent",
            "text-success",
            "text-primary",
        ):
            front, ground = drawn(shown[ink], shown[name], number)
            # Rich has other values for the 16 colours than xterm.
            assert number == 16 or contrast(front, ground) >= 4.5, (ink, name)
    for name in ("background", "surface", "panel"):
        _, ground = drawn(shown["foreground"], shown[name], number)
        assert ground.r == ground.g == ground.b, name
    front, _ = drawn(shown["text-error"], shown["surface"], number)
    assert front.r > 1.15 * front.g, front
    assert front.r >= front.b, front
    cursor = shown["block-cursor-background"]
    assert (
        number == 16
        or drawn(shown["foreground"], cursor, 256)[1] != drawn("#ffffff", shown["surface"], 256)[1]
    )
