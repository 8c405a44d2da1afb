"""`--policy` and `--yes` mean the same in all commands that decide on a call: list, call, replay, review."""

import json
from pathlib import Path

import pytest

from tests.cli.sightline import Ran, sightline

TOOL = "clean_clock"
RULE = {
    "rules": [
        {
            "name": "about the clock",
            "effect": "EFFECT",
            "reason": "for the test",
            "conditions": {"fact": "tool.name", "equals": TOOL},
        }
    ]
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recording") / "clock.jsonl"
    ran = sightline("call", TOOL, "demo", "--record", str(path))
    assert ran.code == 0, ran.err
    return path


def policy(folder: Path, effect: str) -> str:
    path = folder / f"{effect}.json"
    path.write_text(json.dumps(RULE).replace("EFFECT", effect))
    return str(path)


def ran(command: str, recording: Path, *options: str) -> Ran:
    words = {
        "list": ("list", "demo"),
        "call": ("call", TOOL, "demo"),
        "replay": ("replay", str(recording)),
        "review": ("review", "demo", "--call", "-o", str(recording.with_suffix(".txt"))),
    }
    return sightline(*words[command], *options)


COMMANDS = ("list", "call", "replay", "review")
CODES = {
    # A listing makes no call, so there is none to stop: it only reports decisions.
    ("confirm", False): (0, 10, 10, 10),
    ("confirm", True): (0, 0, 0, 0),
    ("block", True): (0, 10, 10, 10),
    ("ask", True): (2, 2, 2, 2),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("effect", "yes"), list(CODES))
def test_exit_codes_and_yes_mean_the_same_in_all_commands(
    command: str, effect: str, *, yes: bool, recording: Path, tmp_path: Path
) -> None:
    done = ran(command, recording, "--policy", policy(tmp_path, effect), *(("--yes",) if yes else ()))
    assert done.code == CODES[effect, yes][COMMANDS.index(command)], done.err + done.out
    if effect == "ask":
        assert "ask.json, line 1: `effect` of about the clock is none of allow, confirm, block" in done.err
        assert done.out == ""
    elif command != "review":
        assert "about the clock (for the test)" in done.out + done.err
    elif done.code == 10:
        told = recording.with_suffix(".txt").read_text()
        assert f"results of {TOOL}" in told
        assert "about the clock" in told


def test_a_broken_policy_stops_the_interface_before_the_server_starts(tmp_path: Path) -> None:
    started = tmp_path / "started"
    for words in (("demo",), ("open", "--", "touch", str(started)), ("--", "touch", str(started))):
        head = words[: words.index("--")] if "--" in words else words
        tail = words[len(head) :]
        done = sightline(*head, "--policy", policy(tmp_path, "ask"), *tail)
        assert done.code == 2
        assert "`effect` of about the clock" in done.err
    assert not started.exists()


def test_both_formats_name_the_rule_and_its_facts(tmp_path: Path) -> None:
    asks = policy(tmp_path, "confirm")
    text = sightline("call", TOOL, "demo", "--policy", asks, "--yes").out
    assert "policy: asks first, agreed with --yes" in text
    assert '  about the clock (for the test): tool.name is "clean_clock"' in text
    found = sightline("call", TOOL, "demo", "--policy", asks, "--yes", "--format", "json").json
    assert found["decision"]["verdict"] == "confirm"
    assert found["decision"]["agreement"] == "agreed with --yes"
    assert found["decision"]["matches"] == [
        {
            "rule": "about the clock",
            "effect": "confirm",
            "reason": "for the test",
            "facts": [{"fact": "tool.name", "state": "present", "shown": '"clean_clock"'}],
        }
    ]
    assert found["answer"]["verdict"] == "allow"
    failed = sightline("call", TOOL, "demo", "--policy", asks, "--format", "json")
    assert json.loads(failed.err)["error"]["code"] == "not_confirmed"
    failed = sightline("call", TOOL, "demo", "--policy", policy(tmp_path, "block"), "--format", "json")
    assert json.loads(failed.err)["error"]["code"] == "blocked"


def test_listings_and_replays_have_decisions_as_json(tmp_path: Path, recording: Path) -> None:
    blocks = policy(tmp_path, "block")
    listed = ran("list", recording, "--policy", blocks, "--format", "json").json
    verdicts = {tool["name"]: tool["decision"]["verdict"] for tool in listed["tools"]}
    assert verdicts[TOOL] == "block"
    assert set(verdicts.values()) == {"allow", "block"}
    replayed = ran("replay", recording, "--policy", blocks, "--format", "json").json["recordings"][0]
    assert [(one["tool"], one["stopped"]) for one in replayed["decisions"]] == [(TOOL, True)]
    assert "decisions" not in ran("replay", recording, "--format", "json").json["recordings"][0]


@pytest.mark.parametrize(
    ("effect", "yes", "code", "seen"),
    [
        ("withhold", False, 0, False),
        ("warn", False, 0, True),
        ("confirm", False, 10, False),
        ("confirm", True, 0, True),
        ("block", True, 10, False),
    ],
)
def test_rules_about_an_answer_decide_what_a_model_sees_of_it(
    effect: str, code: int, tmp_path: Path, *, yes: bool, seen: bool
) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        f'[[rules]]\nname = "r"\neffect = "{effect}"\nconditions = {{ fact = "response.isError", exists = true }}\n'
    )
    words = ("call", TOOL, "demo", "--policy", str(path), "--boundary", "open", "--format", "json")
    done = sightline(*words, *(("--yes",) if yes else ()))
    assert done.code == code, done.err
    assert ("structuredContent" in done.json["model"]) is seen
    assert "structuredContent" in done.json["raw"]
    if code:
        assert "a model gets nothing of the answer" in json.loads(done.err)["error"]["message"]


def test_decisions_are_recorded_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    rules = tmp_path / "p.json"
    rules.write_text(
        json.dumps(
            {
                "rules": [
                    {
                        "name": "salaries",
                        "effect": "confirm",
                        "conditions": {
                            "or": [
                                {"fact": "arguments.salary", "exists": True},
                                {"fact": "arguments.note", "contains": "hunter2"},
                            ]
                        },
                    }
                ]
            }
        )
    )
    words = ("call", "update_salary", "demo", "--record", str(path), "--policy", str(rules), "--no-validate")
    secret = ("--args", '{"employee": "e-1", "salary": 98765432, "note": "hunter2-secret"}')
    assert sightline(*words, *secret).code == 10
    text = path.read_text()
    notes = [json.loads(line) for line in text.splitlines() if '"note":' in line]
    assert any(note.get("note") == "policy" and "salaries" in str(note["text"]) for note in notes)
    assert "hunter2" not in text
    assert "98765432" not in text
