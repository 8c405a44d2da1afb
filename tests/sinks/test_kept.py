import json
import sys
from pathlib import Path

from tests.sinks.driving import NOTHING, running
from tests.sinks.searching import files_below


def test_neither_the_audit_log_nor_a_pin_contains_a_secret(tmp_path: Path) -> None:
    audit = tmp_path / "root" / "work" / "audit.jsonl"
    with running(tmp_path, program=(sys.executable, "-m", "inspector", "--audit", str(audit))) as run:
        run.press("enter")
        run.press("enter", until="#1 done")
        run.press("s", until="API key")
        run.reveal()
        run.peek("redeemed", "m")
        run.press("escape", until="#1 done")
        run.press("escape")
        run.press("j", until="token")
        run.press("enter")
        run.press(*run.endpoint.planted["typed"])
        run.press("enter", until="#2 ")
        run.press("escape")
        run.press("P", until="Not pinned.")
        run.press("p", until="Pin the 3 listed definitions")
        run.press("y", until="As pinned")
        run.watch()
        run.press("q")
        assert run.end() == 0
        lines = [json.loads(line) for line in audit.read_text().splitlines()]
        call, secret = ["decided", "answered"], ["secret requested", "secret answered"]
        assert [line["event"] for line in lines] == [*call, *secret, *call]
        (typed,) = (line["arguments"]["token"] for line in lines if line.get("arguments"))
        assert set(typed) == {"$withheld", "id"}
        pins = [
            name
            for name in files_below(tmp_path / "root" / "data")
            if name.endswith(".json") and not name.endswith("recent.json")
        ]
        assert len(pins) == 1
        assert run.leaks() == NOTHING
