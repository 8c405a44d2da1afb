"""A private answer to a form is in no output and in no file of the command line."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.here import here
from tests.cli.sightline import ROOT

CANARY = "canary-7f3a91-private"
SERVER = (sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "asking_server.py"), "legacy")


@pytest.mark.parametrize("saved", [(), ("--save", "kept")])
def test_a_private_answer_reaches_the_server_and_no_sink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = json.dumps({"name": "Ada", "api_key": CANARY})
    files = ("--record", "a.jsonl", "--audit", "audit.jsonl", *saved)
    ran = here("call", "kept", "--answer", answer, *files, "--", *SERVER)
    assert ran.code == 0, ran.err
    assert '"true"' in ran.out
    said = [ran.out, ran.err]
    for format_ in ("sarif", "junit", "html"):
        reviewed = here("review", "--format", format_, "a.jsonl")
        said += [reviewed.out, reviewed.err]
    served = ("--", sys.executable, "-m", "inspector", "serve", "a.jsonl")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    again = here("call", "kept", "-e", f"PYTHONPATH={ROOT}", *served)
    assert '"true"' in again.out, again.err
    said += [again.out, again.err]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"a.jsonl", "audit.jsonl", *(["calls.toml"] if saved else [])}
    assert "Ada" in (tmp_path / "a.jsonl").read_text()
    assert CANARY not in "".join(said)
    assert [path.name for path in written if CANARY.encode() in path.read_bytes()] == []
