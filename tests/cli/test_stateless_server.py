"""Commands against a server of the stateless era that leaves calls unfinished."""

import sys
from pathlib import Path

from tests.cli.sightline import ROOT, sightline

SERVER = ("--", sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "stateless_server.py"))
REASONS = {
    "ask": "the server asks for input before it answers",
    "odd": "its `resultType` is not one that Sightline knows",
}


def test_an_unfinished_call_exits_5_and_gives_the_model_nothing(tmp_path: Path) -> None:
    for tool, reason in REASONS.items():
        path = str(tmp_path / f"{tool}.jsonl")
        ran = sightline("call", tool, "--format", "json", "--boundary", "open", "--record", path, *SERVER)
        assert ran.code == 5
        assert f"the call is unfinished: {reason}" in ran.err
        assert ran.json["model"] is None
        assert ran.json["unfinished"]["reason"] == reason
        shown = sightline("replay", path)
        assert f"{tool} (unfinished: {reason[:20]}" in shown.out
        assert sightline("replay", "--check", path).code == 0
        reviewed = sightline("review", path)
        assert f"results of {tool}: the call is unfinished: {reason}" in reviewed.out


def test_the_input_that_the_server_asks_for_is_named() -> None:
    ran = sightline("call", "ask", *SERVER)
    assert ran.code == 5
    assert "who: elicitation/create: Who ␛[31mare you? (fields: name, age); folders: roots/list" in ran.err
    assert "words: sampling/createMessage: declined: no --sampling-reply was given" in ran.err


def test_a_task_that_the_server_forgets_ends_the_call_with_its_error(tmp_path: Path) -> None:
    for tool in ("later", "created"):
        path = str(tmp_path / f"{tool}.jsonl")
        ran = sightline("call", tool, "--format", "json", "--boundary", "open", "--record", path, *SERVER)
        assert ran.code == 5
        assert (
            ran.json["model"] == ran.json["raw"] == {"error": {"code": -32601, "message": "Method not found"}}
        )
        assert "working" not in ran.out
        assert sightline("replay", "--check", path).code == 0


def test_a_tool_that_can_only_be_called_as_a_task_is_called() -> None:
    for tool in ("required_task", "optional_task"):
        ran = sightline("call", tool, "--format", "json", *SERVER)
        assert (ran.code, ran.json["model"]["content"][0]["text"]) == (0, f"{tool} done")


def test_a_list_without_its_capability_may_be_missing() -> None:
    assert "SL-PRO001" not in sightline("review", *SERVER).out
    assert sightline("list", "--format", "json", *SERVER).json["malformed"] == []


def test_list_shows_everything_as_sent_and_names_missing_capabilities() -> None:
    listed = sightline("list", "--format", "json", *SERVER).json
    server = listed["server"]
    assert (server["title"], server["ttlMs"], server["cacheScope"]) == ("The stateless one", 1000, "private")
    assert server["icons"] == [{"src": "data:image/png;base64,AA=="}]
    assert server["raw"]["resultType"] == "complete"
    assert listed["resources"] == [
        {"name": "note://1", "definition": {"uri": "note://1", "name": "one", "x-odd": [1]}}
    ]
    assert listed["prompts"][0]["definition"] == {"name": "greet", "description": "Greets."}
    assert listed["pages"]["tools/list"] == [
        {"resultType": "complete", "ttlMs": 5000, "cacheScope": "public", "x-page": 1}
    ]
    note = "Sightline announces elicitation, roots, sampling (--as full); servers may show other clients other tools."
    assert listed["client"]["profile"] == "full"
    assert set(listed["client"]["capabilities"]) == {"elicitation", "extensions", "roots", "sampling"}
    assert listed["client"]["note"] == note
    assert sightline("list", *SERVER).out.count(note) == 1
    told = "definitions for other clients: the definitions were listed only under the client profile full"
    assert told in sightline("review", *SERVER).out
    nothing = sightline("list", "--format", "json", "--as", "none", *SERVER).json["client"]
    assert nothing["capabilities"] == {}
    assert "announces no sampling, elicitation or roots" in nothing["note"]
