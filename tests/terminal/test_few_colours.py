"""The main screen with 256 and 16 colours and without colours: signs and words say what colours say elsewhere."""

import re
from pathlib import Path
from typing import Any, cast

import pytest

from tests.terminal.running import interface, press

SIGNS = (
    "#1 done",
    "✓ output fits its schema",
    "▹ ✗ structuredContent.secret",
    "· _meta, resultType",
    "2 masked, u shows",
    "┄ withheld: marked sensitive ┄",
    "┄ metadata, not for models ┄",
    "+   _withheld",
    "sensitive · write",
    "▲10 destructive",
    "≠ broken_tool",
    "policy: allowed",
)
_COLOURS = re.compile(rb"\x1b\[([0-9;]*)m")
_TEXTS = re.compile(rb"\x1b\[([0-9;]*)m([^\x1b]+)")
_NAVY_OR_TEAL = {17, 18, 23, 30}
_FOREGROUNDS, _BACKGROUNDS = (*range(30, 38), *range(90, 98)), (*range(40, 48), *range(100, 108))


@pytest.mark.parametrize(
    "variables",
    [
        {"TEXTUAL_COLOR_SYSTEM": "standard"},
        {"TERM": "xterm-16color"},
        {"NO_COLOR": "1"},
        {"TEXTUAL_COLOR_SYSTEM": "256"},
    ],
    ids=["standard", "16color", "no-color", "256"],
)
def test_a_result_is_legible_with_few_colours(tmp_path: Path, variables: dict[str, str]) -> None:
    with interface(tmp_path, "demo", see="▲10 destructive", **cast("dict[str, Any]", variables)) as screen:
        press(screen, "down down", see="Create an API key")
        press(screen, "enter p enter", see="#1 done")
        for sign in SIGNS:
            screen.wait_for(sign)
        screen.settle()
        for found in _COLOURS.findall(screen.written):
            codes = [int(code or 0) for code in found.split(b";")]
            if "NO_COLOR" in variables:
                assert all(red == green == blue for red, green, blue in _rgb(codes)), codes
            elif variables.get("TEXTUAL_COLOR_SYSTEM") == "256":
                assert 2 not in codes[1:2], codes
                assert not _NAVY_OR_TEAL & {
                    after for code, _, after in zip(codes, codes[1:], codes[2:], strict=False) if code == 48
                }
            else:
                assert not {38, 48} & set(codes), codes
        texts = _TEXTS.findall(screen.written)
        assert not [text for found, text in texts if re.search(rb"\w", text) and _is_hidden(found)]


def _rgb(codes: list[int]) -> list[tuple[int, int, int]]:
    """The colours in full that a sequence sets."""
    starts = [at for at, code in enumerate(codes[:-4]) if code in {38, 48} and codes[at + 1] == 2]
    return [(codes[at + 2], codes[at + 3], codes[at + 4]) for at in starts]


def _is_hidden(sequence: bytes) -> bool:
    """Whether a sequence draws text in the colour of its ground."""
    codes = [int(code or 0) for code in sequence.split(b";")]
    if {38, 48} & set(codes):
        colours = _rgb(codes)
        return len(colours) == 2 and colours[0] == colours[1]
    front = [code for code in codes if code in _FOREGROUNDS]
    ground = [code for code in codes if code in _BACKGROUNDS]
    return bool(front and ground) and front[-1] + 10 == ground[-1]
