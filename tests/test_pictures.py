"""Every state that the documentation has a picture of can be reached with the keys of its script."""

from pathlib import Path

import pytest

from tests.pictures import FOLDER, PICTURES, Picture, take

PAGES = "".join(
    path.read_text("utf-8") for path in (*FOLDER.parent.glob("*.md"), FOLDER.parents[1] / "README.md")
)


DISTINCT = {picture.steps: picture for picture in PICTURES}.values()


@pytest.mark.parametrize("picture", DISTINCT, ids=lambda picture: picture.name)
async def test_a_picture_can_be_taken(picture: Picture) -> None:
    svg = await take(picture)
    assert svg.startswith("<svg")
    # It loads no external resource.
    assert not [part for part in ("@font-face", "url(http", "href=") if part in svg]


def test_every_picture_is_taken_by_the_script_and_is_in_the_documentation() -> None:
    assert {path.stem for path in Path(FOLDER).glob("*.svg")} == {picture.name for picture in PICTURES}
    assert not [picture.name for picture in PICTURES if f"pictures/{picture.name}.svg" not in PAGES]
