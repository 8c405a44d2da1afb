"""Commands against a server of the stateless era that leaves calls unfinished."""

import sys
from pathlib import Path

from tests.cli.here import here
from tests.cli.sightline import ROOT

SERVER = ("--", sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "stateless_server.py"))
REASONS = {
    "ask": "the server asks for input before it answers",
    "later": "the server made a task of it, and the result comes later",
    "created": "the server made a task of it, and the result comes later",
    "odd": "its `resultType` is not one that Sightline knows",
}


def test_an_unfinished_call_exits_5_and_gives_the_model_nothing_live_and_replayed(tmp_path: Path) -> None:
    for tool, reason in REASONS.items():
        path = str(tmp_path / f"{tool}.jsonl")
        ran = here("call", tool, "--format", "json", "--boundary", "open", "--record", path, *SERVER)
        assert ran.code == 5
        assert f"the call is unfinished: {reason}" in ran.err
        assert ran.json["model"] is None
        assert ran.json["unfinished"]["reason"] == reason
        shown = here("replay", path)
        assert f"{tool} (unfinished: {reason})" in shown.out
        assert here("replay", "--check", path).code == 0
        reviewed = here("review", path)
        assert f"results of {tool}: the call is unfinished: {reason}" in reviewed.out


def test_what_the_server_asks_for_is_named() -> None:
    ran = here("call", "ask", *SERVER)
    assert ran.code == 5
    assert "who: elicitation/create: Who ␛[31mare you? (fields: name, age); folders: roots/list" in ran.err
