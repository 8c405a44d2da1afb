"""Draws the colours of a theme with the 256 or 16 colours that a terminal has.

This module replaces the conversion of Rich. Rich converts each colour alone, by the shares of red, green and
blue in the colour: dark greys become navy, and two colours can become the same. This module converts a grey
only to a grey. It converts the colour of a text together with the colour behind the text, so that the text
stays readable.
"""

import colorsys
import math
import re
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color, Lab, rgb_to_lab
from textual.filter import LineFilter

Rgb = tuple[int, int, int]

READABLE = 4.5
"""The least contrast of text. Source: WCAG 2.2, 1.4.3."""

_STEPS = (0, 95, 135, 175, 215, 255)
_CUBE: dict[int, Rgb] = {
    16 + 36 * red + 6 * green + blue: (_STEPS[red], _STEPS[green], _STEPS[blue])
    for red in range(6)
    for green in range(6)
    for blue in range(6)
}
_GREYS: dict[int, Rgb] = {
    16: (0, 0, 0),
    **{232 + step: (8 + 10 * step, 8 + 10 * step, 8 + 10 * step) for step in range(24)},
    231: (255, 255, 255),
}
_XTERM = _CUBE | _GREYS
# The values of xterm. Other terminals have others, but none makes a bright colour dark.
_STANDARD: dict[int, Rgb] = {
    0: (0, 0, 0),
    1: (205, 0, 0),
    2: (0, 205, 0),
    3: (205, 205, 0),
    4: (0, 0, 238),
    5: (205, 0, 205),
    6: (0, 205, 205),
    7: (229, 229, 229),
    9: (255, 0, 0),
    10: (0, 255, 0),
    11: (255, 255, 0),
    12: (92, 92, 255),
    13: (255, 0, 255),
    14: (0, 255, 255),
    15: (255, 255, 255),
}
_STANDARD_GREYS = {index: _STANDARD[index] for index in (0, 7, 15)}
_BORDERS: dict[int, Rgb] = {8: (127, 127, 127)}
_HUES = {1: 355, 9: 355, 3: 50, 11: 50, 2: 120, 10: 120, 6: 185, 14: 185, 4: 230, 12: 230, 5: 300, 13: 300}
"""The hue, in degrees, for which each of the 16 colours is used."""
_SAME_HUE = 35
_GREY, _DARK_GREY, _TINT = 24, 60, 30
"""The maximum difference between the red, green and blue of a colour that counts as grey.

`_DARK_GREY` is for dark backgrounds among 256 colours, `_TINT` for 16 colours, `_GREY` for the rest.
"""
_PALE = 0.175
"""With 16 colours: text up to this saturation is drawn in grey, because all other colours are too strong."""
_VIVID = 1.4
"""With 256 colours: the factor by which text is made more colourful, because a pale red would look pink."""
_DRAWN = re.compile(r"[\s─-▟]*")
"""Lines and blocks, whose colours need no contrast: borders, scrollbars and pictures."""


class FewColours(LineFilter):
    """Converts the colours of each line to the colours that the terminal has, and keeps texts readable."""

    def __init__(self, number: int) -> None:
        """`number`: how many colours the terminal has, 256 or 16."""
        super().__init__()
        self._number = number

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with colours that the terminal has.

        `background`: the colour behind segments without a background of their own.
        """
        return [
            Segment(text, converted(style, background.rgb, self._number, is_text=not _DRAWN.fullmatch(text)))
            if style is not None and control is None
            else Segment(text, style, control)
            for text, style, control in segments
        ]


@lru_cache(4096)
def converted(style: Style, background: Rgb, number: int, *, is_text: bool) -> Style:
    """`style` with each colour replaced by one of the `number` colours of the terminal.

    For text (`is_text`), the contrast with `background` is kept.
    """
    behind = _rgb(style.bgcolor) or background
    front = _rgb(style.color)
    ground = _ground(behind, number)
    ink = None if front is None else _ink(front, _rgb_of(ground, number), number, is_text=is_text)
    return style + Style(
        color=None if ink is None else RichColor.from_ansi(ink),
        bgcolor=None if _rgb(style.bgcolor) is None else RichColor.from_ansi(ground),
    )


def _rgb(colour: RichColor | None) -> Rgb | None:
    triplet = colour.triplet if colour is not None else None
    return None if triplet is None else (triplet.red, triplet.green, triplet.blue)


def _rgb_of(index: int, number: int) -> Rgb:
    return (_STANDARD if number == 16 else _XTERM)[index]


def _ground(colour: Rgb, number: int) -> int:
    """The index of the colour to draw behind text."""
    is_light, spread = luminance(colour) > 0.18, max(colour) - min(colour)
    if number != 16:
        is_grey = spread <= (_GREY if is_light else _DARK_GREY)
        return _nearest(_lab(colour), _GREYS if is_grey else _XTERM)
    if spread <= _TINT:
        return 15 if is_light else 0
    # The focused widget has a tinted background: blue behind light text, cyan behind dark text.
    return 6 if is_light else 4


def _ink(colour: Rgb, behind: Rgb, number: int, *, is_text: bool) -> int:
    """The index of the nearest colour for text, lines or blocks; for text, of the nearest readable colour."""
    wanted, greys = _lab(colour), _STANDARD_GREYS if number == 16 else _GREYS
    if number == 16:
        hue, saturation, _ = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
        near = {index for index, each in _HUES.items() if _turn(360 * hue, each) <= _SAME_HUE}
        is_grey = saturation <= _PALE or max(colour) - min(colour) <= _TINT
        among = greys if is_grey else {index: _STANDARD[index] for index in near}
    elif max(colour) - min(colour) <= _GREY:
        among = greys
    else:
        among = _CUBE
        wanted = wanted._replace(a=wanted.a * _VIVID, b=wanted.b * _VIVID)
    if not is_text:
        among = among | (_BORDERS if number == 16 else {})
    else:
        among = {index: each for index, each in among.items() if contrast(each, behind) >= READABLE}
    return _nearest(wanted, among or _legible(greys, behind))


def _turn(one: float, other: float) -> float:
    """The angle between two hues, in degrees."""
    return abs((one - other + 180) % 360 - 180)


def _legible(greys: dict[int, Rgb], behind: Rgb) -> dict[int, Rgb]:
    best = max(greys, key=lambda index: contrast(greys[index], behind))
    return {best: greys[best]}


def _nearest(wanted: Lab, among: dict[int, Rgb]) -> int:
    return min(among, key=lambda index: _distance(wanted, _lab(among[index])))


def _distance(wanted: Lab, found: Lab) -> float:
    """How different two colours look. Another hue or a paler colour counts more than another lightness."""
    vivid, other = math.hypot(wanted.a, wanted.b), math.hypot(found.a, found.b)
    hue = (wanted.a - found.a) ** 2 + (wanted.b - found.b) ** 2 - (vivid - other) ** 2
    return (wanted.L - found.L) ** 2 + 2 * hue + (2 if vivid > other else 0.5) * (vivid - other) ** 2


@lru_cache(4096)
def _lab(colour: Rgb) -> Lab:
    return rgb_to_lab(Color(*colour))


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def luminance(colour: Rgb) -> float:
    """How bright a colour looks, from 0 to 1. Source: WCAG 2.2."""
    red, green, blue = map(_linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast of two colours, from 1 to 21. Source: WCAG 2.2."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
