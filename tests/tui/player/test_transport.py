import pytest

from inspector.boundary.mask import MASK
from inspector.json.exact import Json
from inspector.recording.markers import with_ids
from inspector.tui.player.transport import (
    EndWanted,
    FrameWanted,
    Play,
    TimeWanted,
    TransportBar,
    TransportView,
    Wanted,
    bar_line,
    broken_line,
    clock,
    keys_line,
    wanted,
)

ID = "[withheld x-sensitive 0123456789abcdef]"
OTHER = "[withheld argument fedcba9876543210]"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("1200", FrameWanted(1200)),
        (" # 1,200 ", FrameWanted(1200)),
        ("12.5s", TimeWanted(12.5)),
        ("3 s", TimeWanted(3)),
        ("1:02", TimeWanted(62)),
        ("1:02.5", TimeWanted(62.5)),
        ("1:00:01", TimeWanted(3601)),
        ("First", EndWanted.FIRST),
        ("end", EndWanted.LAST),
        ("", None),
        ("-1", None),
        ("soon", None),
        ("1e9s", None),
        ("1:2:3:4", None),
        ("٣", None),
        ("9" * 30, None),
    ],
)
def test_the_target_of_a_jump_is_parsed(words: str, meant: Wanted | None) -> None:
    assert wanted(words) == meant


@pytest.mark.parametrize(
    ("at_s", "shown"),
    [(0, "0:00.0"), (12.44, "0:12.4"), (59.96, "1:00.0"), (3600, "1:00:00"), (-1, "0:00.0"), (1e300, None)],
)
def test_times_are_written_as_in_media_players(at_s: float, shown: str | None) -> None:
    assert shown is None or clock(at_s) == shown
    assert len(clock(at_s)) < 30


@pytest.mark.parametrize("width", [20, 80, 140, 300])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_bar_fits_and_drops_the_track_before_the_words(width: int, share: float) -> None:
    view = TransportView(
        frame=1_000_000,
        frames=1_000_000,
        at_s=3600,
        end_s=7200,
        call=3,
        calls=12,
        share=share,
        busy="finding 3%",
    )
    line = bar_line(view, width).plain
    assert line.startswith(" ‖ paused")
    assert len(line) <= max(width, 34)
    assert ("frame 1,000,000 of 1,000,000" in line) is (width >= 80)
    assert ("●" in line) is (width >= 140)


def test_the_bar_describes_the_kind_of_playing() -> None:
    assert "playing, pauses cut" in bar_line(TransportView(play=Play.COMPRESSED), 80).plain
    assert "playing, real time" in bar_line(TransportView(play=Play.REAL), 80).plain
    assert "‖ paused (real time)" in bar_line(TransportView(speed=Play.REAL), 80).plain


def test_the_keys_of_the_bar_fit_80_cells_and_all_of_them_140() -> None:
    assert len(keys_line(TransportBar.KEYS, 80).plain.rstrip()) <= 80
    for words in ("step", "call", "ends", "play", "jump", "find"):
        assert words in keys_line(TransportBar.KEYS, 80).plain
    assert "x export" in keys_line(TransportBar.KEYS, 140).plain


def test_the_reason_for_a_broken_line_is_shown_as_foreign_text() -> None:
    line = broken_line("a\x1b[31mb[bold]" * 50, 80)
    assert "\x1b" not in line.plain
    assert "[bold]" in line.plain
    assert line.cell_length <= 80 + 10


@pytest.mark.parametrize(
    ("masked", "recorded", "shown"),
    [
        (MASK, ID, ID),
        ({"key": MASK, "id": 1}, {"key": ID, "id": 1}, {"key": ID, "id": 1}),
        ([MASK], ["a secret that was not withheld"], [MASK]),
        ([MASK], [f"it is {ID} and {ID}, or {OTHER}"], [f"{MASK} {ID} {OTHER}"]),
        ([MASK], [{"deep": [ID]}], [f"{MASK} {ID}"]),
        ([MASK], [f"{ID} and more"], [f"{MASK} {ID}"]),
        ([MASK], ["[withheld two words 0123456789abcdef]"], [MASK]),
    ],
)
def test_only_the_ids_of_masked_values_are_shown(masked: Json, recorded: Json, shown: Json) -> None:
    assert with_ids(masked, recorded) == shown


def test_masks_within_a_text_get_the_ids_of_the_recorded_text_if_there_is_one_for_each() -> None:
    one, two = (f"[withheld x-sensitive {digit * 16}]" for digit in "12")
    masked = f'{{"a":"{MASK}","b":"{MASK}"}}'
    recorded = f'{{"a":"{one}","b":"{two}"}}'
    assert with_ids([masked], [recorded]) == [recorded]
    for other in (f'{{"a":"{one}","b":"kept"}}', "kept", 5):
        assert with_ids([masked], [other]) == [masked]
