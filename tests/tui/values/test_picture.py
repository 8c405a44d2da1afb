"""Pictures: how they are drawn, and that broken and hostile ones are not decoded."""

import io
import zlib
from base64 import b64encode
from struct import pack

import pytest
from PIL import Image

from inspector.json.exact import Json, JsonObject
from inspector.tui.values import picture
from inspector.tui.values.outline import Outline, OutlineStyle
from inspector.tui.values.picture import picture_of
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import Span, row_text
from tests.tui.scripted import LARGE, Script, answering, app_of, settled


def encoded(image: Image.Image, kind: str = "PNG") -> str:
    raw = io.BytesIO()
    image.save(raw, kind)
    return b64encode(raw.getvalue()).decode()


def two_colours() -> Image.Image:
    """Red above, blue below."""
    image = Image.new("RGB", (8, 4), "#ff0000")
    image.paste("#0000ff", (0, 2, 8, 4))
    return image


def block(data: str, mime: str = "image/png") -> JsonObject:
    return {"content": [{"type": "image", "data": data, "mimeType": mime}]}


def rows_of(value: Json, width: int = 60) -> list[list[Span]]:
    outline = Outline(value)
    rows = OutlineRows(outline, (width, 0))
    return [
        outline.side_row(rows.at(index).node, 0, width, rows.at(index).number) for index in range(len(rows))
    ]


def test_a_picture_is_drawn_in_half_blocks_under_its_type_and_size() -> None:
    data = encoded(two_colours())
    rows = rows_of(block(data))
    texts = [row_text(row).strip() for row in rows]
    assert texts[2].startswith("data      image/png  ")
    assert texts[2].endswith(" B  8 by 4 pixels")
    assert texts[3:5] == ["▀" * 8] * 2
    assert [row[-1][1] for row in rows[3:5]] == ["#ff0000 on #ff0000", "#0000ff on #0000ff"]
    assert data not in "".join(texts)


@pytest.mark.parametrize("width", [24, 30, 80, 200])
def test_a_picture_and_its_caption_fit_any_width(width: int) -> None:
    image = Image.new("RGB", (400, 300), "#102030")
    rows = rows_of(block(encoded(image)), width)
    assert max(len(row_text(row)) for row in rows) <= width
    assert any("▀" in row_text(row) for row in rows)
    texts = (row_text(row).strip().removeprefix("↪ ") for row in rows)
    assert "400by300pixels" in "".join(texts).replace(" ", "")


def test_the_data_of_a_picture_is_shown_completely_as_json() -> None:
    data = encoded(two_colours())
    outline = Outline(block(data), style=OutlineStyle.JSON)
    assert any(outline.value(node, 0) == data for node in range(len(outline)))
    assert not any("▀" in row_text(outline.side_row(node, 0, 500, 0)) for node in range(len(outline)))


def bomb() -> str:
    """A small PNG that declares 30,000 by 30,000 pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))

    head = pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    raw = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )
    return b64encode(raw).decode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("no base64!", "its data is not base64"),
        (b64encode(b"not a picture").decode(), "not a PNG, JPEG, GIF or WebP"),
        (encoded(two_colours(), "TIFF"), "not a PNG, JPEG, GIF or WebP"),
        (encoded(two_colours())[:80], "the data is damaged"),
        (bomb(), "more than 25,000,000 pixels"),
        ("A" * 40_000_000, "30.0 MB, more than 20.0 MB"),
    ],
    ids=["base64", "text", "format", "cut", "bomb", "long"],
)
def test_a_picture_that_cannot_be_drawn_shows_the_reason(data: str, why: str) -> None:
    found = picture_of("image/png\x1b[2J", data)
    assert found.columns == 0
    assert why in found.caption
    assert "\x1b" not in found.caption


def test_audio_is_shown_by_its_type_and_size() -> None:
    rows = rows_of(block("QUJD" * 100, "audio/wav"))
    assert row_text(rows[2]).strip() == "data      audio/wav  300 B; J shows the data"


def test_only_the_first_pictures_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.tui.values.outline.MOST_PICTURES", 2)
    data = encoded(two_colours())
    one: JsonObject = {"type": "image", "data": data, "mimeType": "image/png"}
    texts = [row_text(row) for row in rows_of({"content": [one, one, one]})]
    assert sum("8 by 4 pixels" in text for text in texts) == 2
    assert picture.MOST_PICTURES == 40


async def test_a_picture_is_drawn_on_the_screen() -> None:
    tool: JsonObject = {"name": "look", "inputSchema": {"type": "object"}}
    app = app_of(Script(tools=[tool], answers={"look": answering(block(encoded(two_colours())))}))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "▀" * 8)
        await pilot.press("z")
        text = await settled(pilot, app, "▀" * 8)
        assert "Timeline" not in text


def test_a_damaged_chunk_that_is_not_needed_does_not_hide_a_picture() -> None:
    raw = io.BytesIO()
    two_colours().save(raw, "PNG")
    header, rest = raw.getvalue()[:33], raw.getvalue()[33:]
    profile = b"name\0\0" + zlib.compress(b"profile")
    damaged = header + pack(">I", len(profile)) + b"iCCP" + profile + b"\0\0\0\0" + rest
    assert picture_of("image/png", b64encode(damaged).decode()).caption.endswith("8 by 4 pixels")
    assert "not drawn" in picture_of("image/png", b64encode(raw.getvalue()[:40]).decode()).caption


def test_a_picture_in_the_source_of_a_host_is_drawn_too() -> None:
    source: Json = {"type": "base64", "media_type": "image/png", "data": encoded(two_colours())}
    texts = [row_text(row).strip() for row in rows_of({"type": "image", "source": source})]
    assert any(text.endswith("8 by 4 pixels") for text in texts)
