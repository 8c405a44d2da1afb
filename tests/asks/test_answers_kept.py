"""What recordings and reports keep of the user's answers."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.here import here
from tests.cli.sightline import ROOT

KEY = "canary-7f3a91"
SERVER = (sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "asking_server.py"))


@pytest.mark.parametrize(("era", "tool"), [("legacy", "secret"), ("legacy", "as task"), ("modern", "secret")])
def test_a_recording_has_the_answer_without_what_is_private_in_it(
    tmp_path: Path, era: str, tool: str
) -> None:
    path = tmp_path / "session.jsonl"
    content = json.dumps({"name": "Ada", "api_key": KEY})
    ran = here("call", tool, "--answer", content, "--record", str(path), "--", *SERVER, era)
    assert ran.code == 0
    assert KEY in ran.out
    assert KEY not in ran.err
    kept = path.read_text()
    assert KEY not in kept
    # The answer, and what the server repeats of it.
    assert kept.count("Ada") >= 1
    assert '"client":"full"' in kept
    assert here("replay", "--check", str(path)).code == 0
    for command in ("replay", "review"):
        assert KEY not in here(command, str(path)).out
    found = here("review", str(path), "--format", "json").json
    assert any(each["id"] == "SL-SEN009" for each in found["findings"])
