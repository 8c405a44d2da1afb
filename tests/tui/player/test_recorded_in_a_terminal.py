"""The real program in a terminal: a session recorded with w and opened; canaries searched for in every sink."""

import sys
from pathlib import Path

from tests.peers.terminal import terminal
from tests.sinks.driving import NOTHING, running
from tests.sinks.searching import found_in
from tests.sinks.test_sinks import mint_and_reveal
from tests.tui.main.test_in_a_terminal import SIGHTLINE, assert_clean
from tests.tui.recorded import recording


def test_a_recording_can_be_explored_by_keyboard(tmp_path: Path) -> None:
    path = recording(tmp_path)
    with terminal((*SIGHTLINE, str(path)), columns=80, lines=24) as screen:
        screen.wait_for("frame 13 of 13")
        screen.press("<")
        screen.wait_for("frame 1 of 13")
        screen.press("}")
        screen.wait_for("#1 done")
        screen.press("#")
        screen.wait_for("A frame by its number")
        screen.press("1", "2", "enter")
        screen.wait_for("frame 12 of 13")
        screen.press("r")
        screen.wait_for("makes no call")
        screen.press("escape", "escape")
        screen.settle()
        assert screen.process.poll() is None
        screen.press("q")
        # A full output buffer would keep it from ending.
        screen.settle()
        assert screen.wait_for_end() == 0
        screen.settle()
        assert "CANARY-4711" not in screen.plain()
        assert_clean(screen)


def test_the_files_of_w_and_x_contain_no_secret_of_the_session(tmp_path: Path) -> None:
    with running(tmp_path) as run:
        work = run.root / "work"
        mint_and_reveal(run)
        run.press("escape", until="#1 done")
        run.press("escape")
        run.press("w", until="Enter record")
        run.press("enter", until="w stops it")
        run.press("r", until="#2 done")
        run.press("escape")
        run.press("w", until="Recorded to")
        run.press("x", until="Enter export")
        run.press("enter", until="Exported to")
        run.watch()
        run.press("q")
        assert run.end() == 0
        found = {path.suffix: path for path in work.iterdir()}
        assert found.keys() == {".jsonl", ".html"}
        assert "tools/call" in found[".jsonl"].read_text()
        assert run.leaks() == NOTHING
        for path in found.values():
            for canary in run.endpoint.planted.values():
                if canary != run.endpoint.planted["origin"]:
                    assert found_in(path.read_bytes(), canary) == []
        look_into(found[".jsonl"])


def look_into(path: Path) -> None:
    with terminal((sys.executable, "-m", "inspector", str(path)), columns=220, lines=60) as screen:
        screen.wait_for("a recording")
        screen.wait_for("[withheld")
        screen.press("q")
        # A full output buffer would keep it from ending.
        screen.settle()
        assert screen.wait_for_end() == 0
