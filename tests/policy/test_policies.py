"""Policy files: both languages, and the places in error messages."""

from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.json.exact import dump
from inspector.policy.built_in import DEFAULT_POLICY, DEFAULT_RULES
from inspector.policy.files.policies import MAX_BYTES, parse_policy, read_policy
from inspector.policy.rules import Effect

TOML = """
[[rules]]
name = "no mail from an untrusted session"
effect = "block"
reason = "what was read may speak in your name"

[rules.conditions]
and = [
  { fact = "session.untrusted", equals = true },
  { fact = 'tool._meta."mcp.dev/effect"', in = ["external", "delete"] },
]

[[rules]]
name = "large sums"
effect = "confirm"
conditions = { fact = "arguments.amount", at_least = 1000.5 }
"""

JSON = """{
  "extends": "default",
  "rules": [
    {
      "name": "a",
      "effect": "warn",
      "conditions": { "fact": "session.untrusted", "equals": true }
    },

    { "name": "b", "effect": "warn",
      "conditions": { "and": [ { "fact": "session.untrusted", "equals": true } ] } }
  ]
}
"""


def wrong(text: str, name: str = "p.toml") -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_policy(text.encode(), name)
    assert caught.value.exit_code == 2
    return caught.value


def test_toml_and_json_are_read() -> None:
    assert [rule.effect for rule in parse_policy(TOML.encode(), "p.toml").rules] == [
        Effect.BLOCK,
        Effect.CONFIRM,
    ]
    extended = parse_policy(JSON.encode(), "p.JSON")
    assert extended.rules[: len(DEFAULT_POLICY.rules)] == DEFAULT_POLICY.rules
    assert [rule.name for rule in extended.rules[-2:]] == ["a", "b"]
    assert parse_policy(dump(DEFAULT_RULES), "p.json") == DEFAULT_POLICY


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('effect = "confirm"', 'effect = "ask"', "p.toml, line 13: `effect` of large sums is none of allow"),
        (
            "session.untrusted",
            "session.untrustd",
            "p.toml, line 2, conditions/and/0: the fact session.untrustd",
        ),
        (
            "at_least = 1000.5",
            "at_least = nan",
            "p.toml, line 13, conditions: `at_least` of arguments.amount takes a finite number",
        ),
        ("at_least = 1000.5", "at_least = 2026-11-21", "p.toml: 2026-11-21 is a date"),
        ("at_least = 1000.5", f"at_least = {'9' * 5000}", "p.toml: not TOML"),
        ('name = "large sums"', 'name = "large', "(at line 14, column 14)"),
    ],
)
def test_an_error_in_toml_has_place_and_reason(before: str, after: str, message: str) -> None:
    assert message in wrong(TOML.replace(before, after)).message


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"name": "b", "effect": "warn"', '"name": "b", "effect": "x"', "p.json, line 10: `effect` of b"),
        ('"name": "b"', '"name": "a"', "p.json, line 10: the name a is taken"),
        ('"and": [ {', '"and": [ 7, {', "p.json, line 10, conditions/and/0: a condition is not an object"),
        ('"name": "a",', '"name": "a", "name": "c",', "p.json, line 4: the key name is there twice"),
        ('"extends": "default",', '"extends": "strict",', "p.json, line 1: /extends: `extends` can only"),
        ('"extends": "default",', "", "p.json, line 1: the policy has no key `x`"),
        ('"extends": "default",', '"extends": "default"', "line 3 column 3"),
        ('"equals": true }\n', '"equals": NaN }\n', "p.json, line 4, conditions: `equals`"),
    ],
)
def test_an_error_in_json_has_place_and_reason(before: str, after: str, message: str) -> None:
    text = JSON.replace(before, after, 1)
    text = text.replace('"rules"', '"x": 1, "rules"') if "key `x`" in message else text
    assert message in wrong(text, "p.json").message


@pytest.mark.parametrize("name", ["p.json", "p.toml"])
@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, '{"rules":' * 2000, "\ufeff{}", "\x00"])
def test_a_file_that_is_not_a_policy_is_a_usage_error(name: str, text: str) -> None:
    assert wrong(text, name).message.startswith(name)


@pytest.mark.parametrize(
    "raw",
    [b"\xef\xbb\xbf" + JSON.encode(), JSON.replace("warn", "warn\ud800").encode("utf-8", "surrogatepass")],
)
def test_invalid_json_is_refused(raw: bytes) -> None:
    with pytest.raises(UsageError, match="not JSON: "):
        parse_policy(raw, "p.json")


def test_rules_written_inline_are_named_by_their_number() -> None:
    text = 'rules = [{ name = "a", effect = "x", conditions = { fact = "tool.name", equals = "a" } }]'
    assert "p.toml, rule number 1: `effect` of a" in wrong(text).message
    long = '{"rules": [{"name": "a", "effect": "x", "conditions": ' + "9" * 5000 + "}]}"
    assert "p.json, rule number 1: `effect` of a" in wrong(long, "p.json").message


def test_a_policy_file_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(TOML)
    assert len(read_policy(str(path)).rules) == 2
    with pytest.raises(UsageError, match="cannot read"):
        read_policy(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="cannot read"):
        read_policy(str(tmp_path))
    with pytest.raises(UsageError, match="cannot read"):
        read_policy("\0")
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(UsageError, match="is larger than"):
        read_policy(str(path))
