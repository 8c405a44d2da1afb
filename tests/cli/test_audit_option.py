import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.sightline import sightline


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path))
    return tmp_path / "config.toml"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_call_is_logged_and_one_without_agreement_as_declined(tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    assert sightline("call", "clean_clock", "demo", "--audit", str(audit)).code == 0
    assert (
        sightline(
            "call", "delete_project", "demo", "--arg", "id=1", "--no-validate", "--audit", str(audit)
        ).code
        == 10
    )
    found = lines(audit)
    assert [(line["event"], line["tool"]) for line in found] == [
        ("decided", "clean_clock"),
        ("answered", "clean_clock"),
        ("decided", "delete_project"),
        ("declined", "delete_project"),
    ]
    assert "arguments" not in found[0]
    assert found[2]["arguments"] == {"id": "1"}
    assert (found[3]["by"], found[3]["reason"]) == ("sightline", "the question could not be asked")


def test_the_user_configuration_can_ask_for_a_log(config: Path, tmp_path: Path) -> None:
    audit = tmp_path / "own.jsonl"
    config.write_text(f'[audit]\nfile = "{audit}"\n')
    config.chmod(0o600)
    assert sightline("call", "clean_clock", "demo").code == 0
    assert len(lines(audit)) == 2


def test_a_log_that_cannot_be_opened_is_an_error_before_the_server_starts(
    config: Path, tmp_path: Path
) -> None:
    nowhere = sightline("call", "clean_clock", "demo", "--audit", str(tmp_path / "missing" / "audit"))
    assert nowhere.code == 2
    assert "connecting" not in nowhere.err
    config.write_text('[audit.handlers.mine]\nclass = "logging.NoSuchHandler"\n')
    config.chmod(0o600)
    wrong = sightline("call", "clean_clock", "demo")
    assert wrong.code == 2
    assert "NoSuchHandler" in wrong.err


def test_the_calls_of_a_review_are_logged(tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    assert sightline("review", "demo", "--audit", str(audit)).code == 0
    assert lines(audit) == []
    assert sightline("review", "demo", "--call", "--yes-call", "clean_clock", "--audit", str(audit)).code == 0
    found = [(line["event"], line["tool"]) for line in lines(audit)]
    assert ("decided", "clean_clock") in found
    assert len([event for event, _ in found if event == "decided"]) == len(found) / 2


def test_the_call_of_the_demo_without_a_terminal_is_decided_and_logged(tmp_path: Path) -> None:
    audit, policy = tmp_path / "audit.jsonl", tmp_path / "policy.json"
    assert sightline("demo", "--audit", str(audit)).code == 0
    assert [line["event"] for line in lines(audit)] == ["decided", "answered"]
    blocking = {"name": "none", "effect": "block", "conditions": {"fact": "tool.name", "exists": True}}
    policy.write_text(json.dumps({"rules": [blocking]}))
    assert sightline("demo", "--audit", str(audit), "--policy", str(policy)).code == 10
    assert [line["event"] for line in lines(audit)[2:]] == ["decided", "declined"]


def test_saved_and_recorded_calls_are_logged_without_secret_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_NAME", "hunter2-planted")
    audit, recording, calls = (tmp_path / name for name in ("audit.jsonl", "r.jsonl", "calls.toml"))
    calls.write_text('[calls.key]\ntool = "generate_api_key"\nsecrets = { name = "env:MY_NAME" }\n')
    assert sightline("run", str(calls), "demo", "--audit", str(audit)).code == 0
    found = lines(audit)
    assert [(line["event"], line["tool"]) for line in found] == [
        ("decided", "generate_api_key"),
        ("answered", "generate_api_key"),
    ]
    assert set(found[0]["arguments"]["name"]) == {"$withheld", "id"}
    assert "hunter2" not in audit.read_text()
    assert sightline("call", "clean_clock", "demo", "--record", str(recording)).code == 0
    sightline("verify", str(recording), "demo", "--audit", str(audit))
    assert [(line["event"], line["tool"]) for line in lines(audit)[2:]] == [
        ("decided", "clean_clock"),
        ("answered", "clean_clock"),
    ]


def test_a_call_that_the_user_agreed_to_is_logged_with_the_rule_and_the_option(tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    words = ("--arg", "id=1", "--no-validate", "--audit", str(audit))
    sightline("call", "delete_project", "demo", *words, "--yes")
    sightline("call", "delete_project", "demo", *words)
    agreed, _, refused, _ = lines(audit)
    assert agreed["agreed"] == "--yes"
    assert "claims-destructive" in agreed["rules"]
    assert agreed["effect"] == "delete"
    assert "agreed" not in refused
