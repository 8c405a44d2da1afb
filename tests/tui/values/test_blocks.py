"""Content blocks are paired by their content: a host or the boundary drops some, rewrites some and adds some."""

import re

import pytest

from inspector.boundary.mask import MASK
from inspector.boundary.notice import START, UNKNOWN_CONTENT, reference_text
from inspector.json.exact import Json, JsonObject
from inspector.tui.values.alignment import GAP
from inspector.tui.values.blocks import paired_blocks
from inspector.tui.values.outline import Outline
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import row_text

NOTICE: JsonObject = {"type": "text", "text": f'{START}{{"contentBlocks":"1"}}'}
UNJUDGED: JsonObject = {"type": "text", "text": UNKNOWN_CONTENT}
REFERENCE: JsonObject = {"type": "secret_reference", "id": MASK, "label": "Share link"}
IMAGE: JsonObject = {"type": "image", "data": "iVBORw0KGgo", "mimeType": "image/png"}
USER_ONLY: JsonObject = {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}}


def text(words: str, kind: str = "text") -> JsonObject:
    return {"type": kind, "text": words}


@pytest.mark.parametrize(
    ("left", "right", "pairs"),
    [
        # One block is withheld, and its place is taken by the replacement of the next, then by a notice.
        (
            [
                text(MASK + " (81 characters)"),
                {"type": "secret_reference", "id": MASK, "label": "Share link"},
            ],
            [text('[secret reference "Share link"; only the user can reveal it]'), NOTICE],
            [(0, GAP), (1, 0), (GAP, 1)],
        ),
        # In a recording the withheld block is one text.
        (
            [f"{MASK} [withheld echo 8c2bafeddb97a14f]", REFERENCE],
            [text(reference_text("Share link")), NOTICE],
            [(0, GAP), (1, 0), (GAP, 1)],
        ),
        # A text that is not masked has words of the replacement of a secret reference.
        (
            [
                text("Created a share link for /handbook.md. It can be opened once, within 300 seconds."),
                {
                    **REFERENCE,
                    "id": "VZBRpIFIQ8TMjsSZ9L7ruEO6",
                    "label": "Share link for /handbook.md",
                    "redeemUrl": "http://127.0.0.1:37455/secrets/VZBRpIFIQ8TMjsSZ9L7ruEO6",
                },
            ],
            [text(reference_text("Share link for /handbook.md"), "input_text"), NOTICE],
            [(0, GAP), (1, 0), (GAP, 1)],
        ),
        # Two references differ by their labels, if they are known.
        (
            [REFERENCE, {**REFERENCE, "label": "API key"}],
            [text(reference_text("API key"))],
            [(0, GAP), (1, 0)],
        ),
        ([REFERENCE], [text(reference_text(None))], [(0, 0)]),
        # The host adds a block before all others, and the boundary drops one and does not know another.
        (
            [text("Three people"), IMAGE, USER_ONLY, {"type": "hologram", "x": 1}],
            [
                text("Wall time: 1", "input_text"),
                text("Three people", "input_text"),
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo"},
                UNJUDGED,
                NOTICE,
            ],
            [(GAP, 0), (0, 1), (1, 2), (2, GAP), (3, 3), (GAP, 4)],
        ),
        # The host merges two blocks: the first has the row, and the other one is missing.
        ([text("one two"), text("three four")], [text("one two\nthree four")], [(0, 0), (1, GAP)]),
        ([text("a"), text("b")], [text("b")], [(0, GAP), (1, 0)]),
        # A text without its masked value is the same text.
        (
            [text(f'{{"name": "prod", "key": "{MASK} (4 characters)"}}')],
            [text('{"name": "prod", "_withheld": 1}'), NOTICE],
            [(0, 0), (GAP, 1)],
        ),
        # At `closed`, no part of a block is left.
        ([text("a"), IMAGE], [UNJUDGED, UNJUDGED, NOTICE], [(0, 0), (1, 1), (GAP, 2)]),
        # Two calls: another text in the same place.
        ([text("12:00"), IMAGE], [text("13:05"), IMAGE], [(0, 0), (1, 1)]),
        # Nothing suggests that they are the same.
        ([text("12:00")], [text("noon"), text("night")], [(0, GAP), (GAP, 0), (GAP, 1)]),
        ([text("x"), NOTICE], [NOTICE], [(0, GAP), (1, 0)]),
    ],
)
def test_blocks_with_the_same_content_share_a_row(
    left: list[Json], right: list[Json], pairs: list[tuple[int, int]]
) -> None:
    assert paired_blocks(left, right) == pairs


@pytest.mark.parametrize("other", [[], [1], [{"type": 1}], [IMAGE] * 3_000])
def test_other_lists_are_not_paired(other: list[Json]) -> None:
    assert paired_blocks([IMAGE], other) is None


def test_a_dropped_block_has_a_row_without_the_other_side() -> None:
    left: Json = {"content": [text("gone"), text("the rest of it")]}
    right: Json = {"content": [text("the rest of it"), NOTICE]}
    outline = Outline(left, right)
    rows = [
        (outline.label(node), outline.difference(node).value)
        for node in range(len(outline))
        if outline.is_drawn(node) and outline.label(node).startswith("content[")
    ]
    assert rows == [("content[0] text", "✗"), ("content[1] text", " "), ("content[1] text", "+")]


def test_each_side_shows_its_own_index_of_a_block() -> None:
    left: Json = {"content": [text("gone"), *([text("a ten")] * 9), text("the rest of it")]}
    right: Json = {"content": [*([text("a ten")] * 9), text("the rest of it"), NOTICE]}
    outline = Outline(left, right)
    rows = OutlineRows(outline, (38, 38))
    shown = [
        [row_text(outline.side_row(at.node, side, 38, at.number)) for at in map(rows.at, range(len(rows)))]
        for side in (0, 1)
    ]
    assert shown[0][-4] == 'content[10] text  "the rest of it"'
    assert shown[1][-4] == 'content[9] text  "the rest of it"'
    indexes = [re.findall(r"^content\[(\d+)\]", "\n".join(lines), re.MULTILINE) for lines in shown]
    assert indexes == [[str(index) for index in range(11)]] * 2
