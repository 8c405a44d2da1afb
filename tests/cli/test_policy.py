"""`sightline policy` as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.cli.sightline import sightline
from tests.policy.deciding import EXAMPLES


@pytest.fixture
def examples(tmp_path: Path) -> str:
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(EXAMPLES))
    return str(path)


@pytest.fixture
def untrusted(tmp_path: Path) -> str:
    path = tmp_path / "result.json"
    annotations = {"openWorldHint": True, "maliciousActivityHint": True}
    path.write_text(json.dumps({"content": [], "_meta": {"annotations": annotations}}))
    return str(path)


def test_check_lists_the_rules_of_a_policy(examples: str) -> None:
    ran = sightline("policy", "check", examples)
    assert ran.code == 0
    assert "block-open-world-to-external  block    before the call" in ran.out
    assert "escalate-malicious            confirm  after the answer" in ran.out
    assert sightline("policy", "check", examples, "--format", "json").json["rules"][1] == {
        "name": "escalate-malicious",
        "effect": "confirm",
        "reason": "",
        "after": True,
        "facts": ["response.annotations.maliciousActivityHint"],
    }


def test_a_broken_policy_ends_a_command_before_it_connects(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(EXAMPLES, indent=1).replace("escalate", "escalat"))
    for words in (("check", str(path)), ("explain", "t", "--policy", str(path), "--", "no-such-command")):
        ran = sightline("policy", *words)
        assert ran.code == 2
        assert f"{path}, line " in ran.err
        assert "`effect` of escalat-malicious is not one of" in ran.err


def test_explain_shows_decision_and_reasons_without_a_call(examples: str, untrusted: str) -> None:
    plain = sightline("policy", "explain", "send_mail", "--policy", examples, "demo")
    assert plain.code == 0
    assert plain.out.splitlines() == [
        "before the call: confirm",
        '  confirm-irreversible-actions: tool.annotations.inputMetadata.outcomes is "irreversible"',
    ]
    words = ("--policy", examples, "--seen", untrusted, "--answer", untrusted, "--format", "json")
    found = sightline("policy", "explain", "send_mail", *words, "demo").json
    assert (found["tool"], found["before"]["verdict"], found["after"]["verdict"]) == (
        "send_mail",
        "block",
        "confirm",
    )
    assert found["before"]["matches"][0]["rule"] == "block-open-world-to-external"
    assert found["after"]["matches"][0]["rule"] == "escalate-malicious"


def test_explain_uses_the_built_in_policy_and_the_given_arguments(tmp_path: Path) -> None:
    assert "claims-irreversible" in sightline("policy", "explain", "send_mail", "demo").out
    assert sightline("policy", "explain", "search_web", "demo").out.splitlines() == [
        "before the call: allow",
        "  no rule matched",
    ]
    path = tmp_path / "p.toml"
    path.write_text(
        '[[rules]]\nname = "n"\neffect = "block"\nconditions = { fact = "arguments.limit", at_least = 5 }\n'
    )
    for words, verdict in ((("--arg", "limit=5"), "block"), (("--args", '{"limit":4}'), "allow")):
        ran = sightline("policy", "explain", "list_inbox", *words, "--policy", str(path), "demo")
        assert ran.out.startswith(f"before the call: {verdict}")


def test_explain_of_an_unlisted_tool_exits_5() -> None:
    ran = sightline("policy", "explain", "no_such_tool", "demo")
    assert (ran.code, ran.out) == (5, "")


MISTYPED = """
[[rules]]
name = "no wipe"
effect = "block"
conditions = { fact = "tool.annotations.destructivHint", equals = true }
"""


def test_a_mistyped_fact_is_named_by_check_and_wherever_the_policy_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(MISTYPED)
    for words in (("policy", "check", str(path)), ("list", "demo", "--policy", str(path))):
        ran = sightline(*words)
        assert ran.code == 0
        assert f"warning: {path}: rule no wipe: no known vocabulary has tool.annotations.destruct" in ran.err
        assert "Did you mean destructiveHint?" in ran.err
    (warning,) = sightline("policy", "check", str(path), "--format", "json").json["warnings"]
    assert warning.endswith("Did you mean destructiveHint?")


def test_check_says_which_built_in_questions_a_policy_replaces(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(MISTYPED)
    ran = sightline("policy", "check", str(path))
    assert "replaces the built-in one, without its rules claims-destructive, " in ran.out
    assert "does not ask about destructive calls unless" in ran.out
    path.write_text(f'extends = "default"\n{MISTYPED}')
    assert "replaces" not in sightline("policy", "check", str(path)).out
