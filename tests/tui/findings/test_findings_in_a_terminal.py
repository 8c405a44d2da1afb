"""The review in a real terminal, of a server that is hostile in every place."""

import json
import stat
from pathlib import Path

from tests.peers.terminal import terminal
from tests.tui.main.test_in_a_terminal import HOSTILE, assert_clean


def test_the_review_of_a_hostile_server_is_safe_and_escape_never_quits(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    data, config = str(tmp_path / "data"), str(tmp_path / "config")
    with terminal(HOSTILE, NO_COLOR="1", SIGHTLINE_DATA_DIR=data, SIGHTLINE_CONFIG_DIR=config) as screen:
        screen.wait_for("Tools 27")
        screen.wait_for("▲1")
        screen.press("f")
        screen.wait_for("Findings of")
        screen.settle()
        for key in ("j", "j", "G", "k", "g"):
            screen.press(key)
            screen.settle(0.2)
        screen.press("a")
        screen.wait_for("Accept SL-")
        screen.press("for the test", "enter")
        screen.wait_for("1 accepted")
        screen.press("x")
        screen.wait_for("Write the review")
        screen.press("\x15")
        screen.settle(0.2)
        screen.press(str(report), "enter")
        screen.wait_for("Written to")
        screen.press_until("g", "enter", until="over stdio")
        screen.settle()
        for _ in range(4):
            screen.press("escape")
            screen.settle(0.3)
        assert screen.process.poll() is None
        screen.press("q")
        assert screen.wait_for_end() == 0
        assert_clean(screen)
    assert "CANARY" in report.read_text(encoding="utf-8")
    (kept,) = (tmp_path / "data" / "accepted").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    (finding,) = json.loads(kept.read_bytes())["findings"]
    assert finding["accepted"] == "for the test"
