"""The calls of a review as one session, and the review of its recording."""

import sys
from pathlib import Path
from typing import Any

from inspector.errors import ExitCode
from tests.cli.sightline import ROOT, sightline
from tests.peers.repeating_server import SECRET

SERVER = ("--", sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "repeating_server.py"))


def found(report: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    return [(each["id"], each["name"], each["pointer"]) for each in report["findings"]]


def test_a_session_and_its_recording_have_the_same_findings(tmp_path: Path) -> None:
    path = str(tmp_path / "session.jsonl")
    live = sightline("review", "--call", "--format", "json", "--record", path, *SERVER).json
    recorded = sightline("review", "--format", "json", path).json
    assert found(live) == found(recorded)
    assert ("SL-OUT004", "get_failure", "/content/0/text") in found(live)
    assert ("SL-PRO002", None, "/stray_output") in found(live)


def test_a_line_on_stdout_that_repeats_a_withheld_value_is_named_and_masked() -> None:
    report = sightline("review", "--call", "--format", "json", *SERVER).json
    finding = next(each for each in report["findings"] if each["id"] == "SL-PRO002")
    assert "It is printed to stdout during the call of get_noise." in finding["message"]
    assert "It repeats a value that was withheld from a result." in finding["message"]
    assert finding["evidence"] == '"debug print of •••••••• here"'
    assert SECRET not in str(report)


def test_places_in_several_calls_of_a_tool_name_the_call() -> None:
    text = sightline("review", "--call", *SERVER).out
    places = [line.strip() for line in text.splitlines() if line.strip().startswith("call get_secret")]
    assert "call get_secret (calls 1, 2), at content[0]" in places
    assert "call get_failure, at content[0].text" in text
    assert "4 calls of 3 tools, 1 of them with arguments that the input schema forbids\n" in text
    report = sightline("review", "--call", "--format", "json", *SERVER).json
    repeats = [each for each in report["findings"] if each["id"] == "SL-OUT004"]
    calls = {(each["name"], each.get("call"), tuple(each.get("calls", ()))) for each in repeats}
    assert calls == {("get_secret", 2, (1, 2)), ("get_failure", None, ())}
    marks = [each["fingerprint"] for each in repeats]
    assert len(marks) == len(set(marks))


def test_a_review_with_a_refused_call_says_why_it_does_not_pass(tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    server = (*SERVER, str(changed))
    assert sightline("pin", "--yes", *server).code == 0
    assert "The review passes" in sightline("review", "--call", *server).err
    changed.touch()
    ran = sightline("review", "--call", *server)
    assert ran.code == ExitCode.STOPPED
    assert "A call was not made, so the review is incomplete and exits 10: get_secret: " in ran.err
    assert "the definition of get_secret changed since it was pinned" in ran.err
    assert "calling get_secret" not in ran.err
    assert "calling get_failure" in ran.err
    assert "passes" not in ran.err
    assert "--fail-on high exits 11" in ran.err
    assert sightline("review", "--call", "--fail-on", "high", *server).code == ExitCode.FINDINGS
