from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject
from inspector.tui.main.saving import block_at, proposed_name, save
from tests.tui.scripted import Script, answering, app_of, settled

PIXEL = "aGVsbG8="
BLOCK: JsonObject = {"type": "image", "mimeType": "image/png", "data": PIXEL}
RESULT: Json = {"content": [{"type": "text", "text": "see"}, BLOCK]}


def test_a_block_is_found_only_at_its_data_and_at_itself() -> None:
    assert block_at(RESULT, "/content/1/data") is BLOCK
    assert block_at(RESULT, "/content/1") is BLOCK
    assert block_at(RESULT, "/content/0/text") is None
    withheld: Json = {
        "content": [{**BLOCK, "data": "\u2022\u2022\u2022\u2022\u2022\u2022\u2022\u2022 (8 characters)"}]
    }
    assert block_at(withheld, "/content/0") is None


@pytest.mark.parametrize(
    ("mime", "name", "proposed"),
    [
        ("image/png", "team_photo", "team_photo-3.png"),
        ("image/png", "../../etc/passwd", "passwd-3.png"),
        ("image/../../x", "\x1b]0;a\u202e", "0-a-3.bin"),
        ("audio/none", "...", "result-3.bin"),
    ],
)
def test_a_proposed_name_is_safe(mime: str, name: str, proposed: str) -> None:
    assert proposed_name({**BLOCK, "mimeType": mime}, name, 3) == proposed


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    assert save(BLOCK, str(path)) == 5
    assert path.read_bytes() == b"hello"
    with pytest.raises(UsageError):
        save(BLOCK, str(path))


async def test_a_picture_is_saved_with_a_key(tmp_path: Path) -> None:
    path = tmp_path / "kept.png"
    tool: JsonObject = {"name": "photo", "inputSchema": {"type": "object"}}
    app = app_of(Script(tools=[tool], answers={"photo": answering({"content": [BLOCK]})}))
    async with app.run_test(size=(59, 20), notifications=True) as pilot:
        assert "declared  spec" in await settled(pilot, app, " needs 60x15  scripted  ready")
        await pilot.resize_terminal(140, 45)
        await settled(pilot, app, "boundary: declared")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("j", "S")
        await settled(pilot, app, "photo-1.png")
        await pilot.press(*str(path.with_suffix("")), "enter")
        await settled(pilot, app, "Saved to")
    assert path.read_bytes() == b"hello"
