"""The last filter before the terminal: a text that was not made safe earlier is made safe when it is drawn."""

import pytest
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.widgets import Static

from inspector.tui.runtime.guard import ControlGuard
from tests.terminal.payloads import PAYLOADS, fuzzed
from tests.terminal.stream import assert_text
from tests.tui.scripted import SMALL, Script, app_of, screen_lines, settled

BLACK = Color(0, 0, 0)
C0 = tuple(map(chr, range(0x20)))
C1 = tuple(map(chr, range(0x7F, 0xA0)))
HIDDEN = (
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200e",
    "\u061c",
    "\ufeff",
    "\xad",
    "\u2028",
    "\U000e0041",
    "\ud800",
)


def guarded(guard: ControlGuard, *texts: str) -> list[Segment]:
    return guard.apply([Segment(text) for text in texts], BLACK)


def text_of(segments: list[Segment]) -> str:
    return "".join(segment.text for segment in segments)


def cells(segments: list[Segment]) -> int:
    return sum(segment.cell_length for segment in segments)


def test_each_control_or_invisible_character_becomes_one_symbol(subtests: pytest.Subtests) -> None:
    for character in (*C0, *C1, *HIDDEN):
        with subtests.test(f"U+{ord(character):04X}"):
            guard = ControlGuard()
            drawn = guarded(guard, "before", f"a{character}b", "after    ")
            symbol = chr(0x2400 + ord(character)) if ord(character) < 0x20 else "�"
            assert text_of(drawn).rstrip() == f"beforea{symbol}bafter"
            assert_text(text_of(drawn))
            assert guard.caught == 1


def test_a_line_keeps_its_width_for_any_content() -> None:
    for text in (*PAYLOADS.values(), *fuzzed(seed=2, number=300)):
        line = [Segment("│"), Segment(text), Segment("日"), Segment("│")]
        drawn = ControlGuard().apply(line, BLACK)
        assert cells(drawn) == cells(line), repr(text)
        assert not set(text_of(drawn)).intersection((*C0, *C1, *HIDDEN)), repr(text)


def test_harmless_text_stays_unchanged() -> None:
    guard = ControlGuard()
    line = [Segment("plain ✗ ┄ 日本 e\u0301 ␛ ⟨U+202E⟩", Style(bold=True))]
    assert guard.apply(line, BLACK) is line
    assert guard.caught == 0


def test_a_link_in_a_style_is_removed_and_the_rest_of_the_style_kept() -> None:
    guard = ControlGuard()
    (drawn,) = guard.apply([Segment("word", Style(bold=True, link="https://canary.test\x1b\\"))], BLACK)
    assert drawn.style is not None
    assert drawn.style.link is None
    assert drawn.style.bold
    assert guard.caught == 1


def test_control_segments_do_not_bypass_the_guard() -> None:
    (drawn,) = ControlGuard().apply([Segment("\x1b]0;CANARY\x07x", None, [(ControlType.BELL,)])], BLACK)
    assert_text(drawn.text)


async def test_unsafe_text_of_a_widget_is_made_safe_and_counted() -> None:
    app = app_of(Script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app)
        assert app.guard.caught == 0
        careless = Static(Content("\x1b]52;c;x\x1b\\ \x9b31m \u202ered \ud800 end"), markup=False)
        careless.styles.border = ("solid", "red")
        await app.screen.mount(careless)
        await settled(pilot, app, "␛]52;c;x␛\\ �31m �red � e")
        assert {cell_len(line) for line in screen_lines(app)} == {SMALL[0]}
        assert app.guard.caught >= 5
        assert app.is_running
