import json
import shlex
import sys
from pathlib import Path

from tests.sinks.driving import NOTHING, SERVER, Run, running, started


def test_two_runs_share_a_history_without_secrets(tmp_path: Path) -> None:
    with running(tmp_path) as run:
        run.press("enter")
        run.press("enter", until="#1 done")
        run.press("escape")
        run.press("j", until="token")
        run.press("enter", until="Esc leave")
        run.press(*run.endpoint.planted["typed"])
        run.press("enter", until="#2 ")
        run.press("5", until="2 calls, 2 of this run")
        run.press("S", until="may be secret")
        run.press("enter", until="Saved as ")
        run.press(" ", "j", "enter", until="arguments, outcomes and results")
        run.press("escape", "escape")
        run.watch()
        run.press("escape", "q")
        assert run.end() == 0
        assert run.leaks() == NOTHING
        (file,) = (run.root / "data" / "history").iterdir()
        header, *calls = [json.loads(line) for line in file.read_text().splitlines()]
        assert (header["format"], len(calls)) == ("sightline-history", 2)
        assert calls[1]["left_out"] == [{"name": "token", "why": "secret"}]
        assert file.stat().st_mode & 0o777 == 0o600
        saved = (run.root / "work" / "calls.toml").read_text()
        assert "env:TOKEN" in saved

        command = [sys.executable, "-S", "-E", str(SERVER), str(run.outside / "planted.json")]
        assert shlex.join(command) in saved
        words = [sys.executable, "-m", "inspector", "--", *command]
        with started(run.root, words, command, run.endpoint.origin, size=(80, 24)) as screen:
            again = Run(screen=screen, root=run.root, outside=run.outside, endpoint=run.endpoint)
            screen.wait_for("3 tools")
            screen.wait_for("No arguments")
            screen.settle()
            again.press("5", until="2 calls, 0 of this run")
            again.press("r", until="to be typed again")
            again.press("escape", until="2 calls, 0 of this run")
            again.press("j", "r", until="#1 done")
            again.press("escape", until="3 calls, 1 of this run")
            again.press("D", until="Forget 3 calls")
            again.press("y", until="No calls yet.")
            again.watch()
            again.press("escape", "q")
            assert again.end() == 0
            assert again.leaks() == NOTHING
        assert list((run.root / "data" / "history").iterdir()) == []
