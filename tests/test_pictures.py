"""Every state that the documentation has a picture of can be reached by the keys of its script."""

from pathlib import Path

import pytest

from tests.pictures import FOLDER, PICTURES, Picture, take

PAGES = "".join(
    path.read_text("utf-8") for path in (*FOLDER.parent.glob("*.md"), FOLDER.parents[1] / "README.md")
)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
async def test_a_picture_can_be_taken_and_is_in_the_documentation(picture: Picture) -> None:
    svg = await take(picture)
    assert svg.startswith("<svg")
    # It loads nothing from elsewhere.
    assert not [part for part in ("@font-face", "url(http", "href=") if part in svg]
    assert f"pictures/{picture.name}.svg" in PAGES


def test_every_picture_is_taken_by_the_script() -> None:
    assert {path.stem for path in Path(FOLDER).glob("*.svg")} == {picture.name for picture in PICTURES}
