"""Pictures in content blocks, drawn with half-block characters, so that a cell shows two pixels.

For sounds and for pictures that cannot be drawn, the type and the size are shown.
"""

import warnings
from base64 import b64decode
from binascii import Error as Base64Error
from io import BytesIO
from itertools import groupby
from typing import cast

from msgspec import Struct

from inspector.boundary.mask import MASK
from inspector.json.exact import Json, JsonObject
from inspector.safe_text import safe_line
from inspector.tui.text import size
from inspector.tui.values.labels import MIME_KEYS
from inspector.tui.values.wrap import PieceKind, Span, Wrapped

MOST_BYTES = 20_000_000
"""The maximum size of an encoded picture that is decoded, in bytes."""
MOST_PIXELS = 25_000_000
"""The maximum size of a decoded picture, in pixels. A small file can expand to gigabytes of pixels."""
MOST_PICTURES = 40
"""The maximum number of pictures of one value that are decoded."""
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
"""The formats that are decoded.

Pillow reads many more, each with a parser of its own, but no MCP client shows those.
"""
_SIDE = 120
"""The maximum length of the longer side of a kept picture, in pixels."""
_COLUMNS = 60
_HALF = "▀"
_BEHIND = (128, 128, 128)
"""The background colour of transparent pixels."""


class Picture(Struct, frozen=True, kw_only=True):
    """A picture, scaled down; or the reason why it is not drawn."""

    caption: str
    """The type and the size in bytes. For a picture, also its size in pixels or why it is not drawn.

    Safe to show.
    """
    columns: int = 0
    lines: int = 0
    pixels: bytes = b""
    """Red, green and blue of each pixel, line by line: three bytes per pixel."""

    def colour(self, x: int, y: int) -> str:
        at = 3 * (y * self.columns + x)
        return f"#{self.pixels[at : at + 3].hex()}"


def payload_of(block: object) -> str | None:
    """The key under which a content block or resource has its picture or sound; None for any other value."""
    if not isinstance(block, dict):
        return None
    block = cast("JsonObject", block)
    if not mime_of(block).startswith(("image/", "audio/")):
        return None
    return next((key for key in ("data", "blob") if _is_payload(block.get(key))), None)


def mime_of(block: JsonObject) -> str:
    """The MIME type of a content block, or of the `source` that some hosts make of it; empty if there is none."""
    found = (block.get(key) for key in MIME_KEYS)
    return next((mime for mime in found if isinstance(mime, str)), "")


def _is_payload(value: Json) -> bool:
    return isinstance(value, str) and bool(value) and MASK not in value


def picture_of(mime: str, payload: str) -> Picture:
    """Decode a picture, within limits. Takes up to a second. Never raises: the caption names the failure."""
    about = safe_line(mime[:60])
    if len(payload) > MOST_BYTES * 4 // 3:
        return _none(about, f"{size(len(payload) * 3 // 4)}, more than {size(MOST_BYTES)}")
    try:
        raw = b64decode(payload, validate=True)
    except (Base64Error, ValueError):
        return _none(about, "its data is not base64")
    about = f"{about}  {size(len(raw))}"
    if not mime.startswith("image/"):
        return Picture(caption=f"{about}; J shows the data")
    try:
        return _decoded(about, raw)
    except MemoryError:
        return _none(about, "too large")
    except Exception as error:  # noqa: BLE001 - decoders raise any error on a broken file
        return _none(about, _FAULTS.get(type(error).__name__, "the data is damaged"))


_FAULTS = {
    "UnidentifiedImageError": "not a PNG, JPEG, GIF or WebP",
    "DecompressionBombWarning": f"more than {MOST_PIXELS:,} pixels",
    "DecompressionBombError": f"more than {MOST_PIXELS:,} pixels",
}


def _none(about: str, why: str) -> Picture:
    return Picture(caption=f"{about}  not drawn: {why}; J shows the data")


def _decoded(about: str, raw: bytes) -> Picture:
    from PIL import Image  # noqa: PLC0415 - few results have pictures

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    # Pillow only warns of a picture of up to twice that size, and writes to stderr, which is the screen.
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    with Image.open(BytesIO(_without_extras(raw)), formats=_FORMATS) as image:
        width, height = image.size
        about = f"{about}  {width:,} by {height:,} pixels"
        image.draft("RGB", (_SIDE, _SIDE))
        image.thumbnail((_SIDE, _SIDE))
        opaque = Image.new("RGBA", image.size, (*_BEHIND, 255))
        opaque.alpha_composite(image.convert("RGBA"))
        columns, lines = opaque.size
        return Picture(caption=about, columns=columns, lines=lines, pixels=opaque.convert("RGB").tobytes())


_PNG = b"\x89PNG\r\n\x1a\n"
_DRAWN_CHUNKS = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})


def _without_extras(raw: bytes) -> bytes:
    """A PNG without the chunks that are not needed to draw it. Pillow refuses the whole picture if one of them is damaged.

    Other formats are returned unchanged. Layout: https://www.w3.org/TR/png-3/#5Chunk-layout
    """
    if not raw.startswith(_PNG):
        return raw
    kept, at = [_PNG], len(_PNG)
    while at + 8 <= len(raw):
        end = at + 12 + int.from_bytes(raw[at : at + 4], "big")
        if raw[at + 4 : at + 8] in _DRAWN_CHUNKS:
            kept.append(raw[at:end])
        at = end
    return b"".join(kept)


class DrawnPicture:
    """The rows of a picture: its label and caption, and the picture below, in `width` cells."""

    def __init__(self, label: str, separator: str, picture: Picture, indent: int, width: int) -> None:
        self._blanks: Span = (" " * (indent + 2), PieceKind.PUNCTUATION)
        self._head = Wrapped(label, separator, picture.caption, PieceKind.SCALAR, "", indent, width)
        self._picture = picture
        self._columns = max(min(picture.columns, _COLUMNS, width - indent - 2), 0)
        lines = picture.lines * self._columns // picture.columns if picture.columns else 0
        self._pixel_lines = max(lines, 1) if self._columns else 0
        self.count = self._head.count + (self._pixel_lines + 1) // 2

    def row_of(self, offset: int) -> int:
        """Return 0: no row shows a character of the encoded data."""
        del offset
        return 0

    def row(self, number: int) -> list[Span]:
        if number < self._head.count:
            return self._head.row(number)
        above = 2 * (number - self._head.count)
        styles = (
            f"{self._colour(x, above)} on {self._colour(x, min(above + 1, self._pixel_lines - 1))}"
            for x in range(self._columns)
        )
        cells: list[Span] = [(_HALF * len(list(same)), style) for style, same in groupby(styles)]
        return [self._blanks, *cells]

    def _colour(self, x: int, y: int) -> str:
        picture = self._picture
        return picture.colour(
            x * picture.columns // self._columns,
            min(y * picture.lines // self._pixel_lines, picture.lines - 1),
        )
