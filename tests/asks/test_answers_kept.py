"""The part of the user's answers that recordings and reports keep."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT, sightline
from tests.sinks.searching import files_below, found_in

KEY = "canary-7f3a91"
PEERS = ROOT / "tests" / "peers"


@pytest.mark.parametrize(
    ("server", "era", "tool"),
    [
        ("asking", "legacy", "secret"),
        ("asking", "legacy", "as task"),
        ("asking", "modern", "secret"),
        ("tasking", "legacy", "asks"),
        ("tasking", "modern", "asks"),
    ],
)
def test_no_file_holds_a_private_value_of_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str, era: str, tool: str
) -> None:
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    path, audit = tmp_path / "session.jsonl", tmp_path / "audit.jsonl"
    content = json.dumps({"name": "Ada", "api_key": KEY})
    command = (sys.executable, "-S", "-E", str(PEERS / f"{server}_server.py"), era)
    kept_in = ("--record", str(path), "--audit", str(audit))
    ran = sightline("call", tool, "--answer", content, *kept_in, "--", *command)
    assert ran.code == 0
    assert KEY in ran.out
    assert KEY not in ran.err
    kept = path.read_text()
    assert KEY not in kept
    # The answer, and the server's repetition of it.
    assert kept.count("Ada") >= 1
    assert '"client":"full"' in kept
    assert sightline("replay", "--check", str(path)).code == 0
    printed = [
        sightline(*words, str(path)).out
        for words in (
            ("replay",),
            ("replay", "--format", "json"),
            ("replay", "--export", "html"),
            ("replay", "--export", "markdown"),
            ("review",),
            ("review", "--format", "json"),
        )
    ]
    assert all(printed)
    files = files_below(tmp_path)
    assert {str(path), str(audit)} <= files.keys()
    for raw in (*files.values(), *(text.encode() for text in printed)):
        assert found_in(raw, KEY) == []
    found = sightline("review", str(path), "--format", "json").json
    assert any(each["id"] == "SL-SEN009" for each in found["findings"])
