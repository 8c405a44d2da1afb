"""Saved calls on the demo server: each expectation is met once, and not met once."""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.here import here
from tests.cli.sightline import sightline

SECRET = "hunter2-planted"
MET = """
[calls.key]
tool = "generate_api_key"
arguments = { name = "production" }
[calls.key.expect]
fits_schema = true
withheld = ["/secret", "/structuredContent/secret"]
absent_for = ["claude-code", "spec"]
equals = { "/name" = "production", "/content/0/type" = "text" }
contains = "production"
matches = { required = ["secret"], properties = { name = { type = "string" } } }
at_most_tokens = 1000
at_most_ms = 10000
[calls.fails]
tool = "generate_api_key"
[calls.fails.expect]
error = "tool_error"
"""
# An expectation that is not met, and what is said of it.
NOT_MET = {
    'equals = { "/name" = "other" }': 'equals: /name is "production", expected "other"',
    'equals = { "/secret" = "guess" }': 'equals: /secret is "•',
    'equals = { "/none" = 1 }': "equals: /none is missing",
    'contains = ["production", "nowhere"]': 'contains: no value contains "nowhere"',
    'matches = { properties = { name = { const = "z" } } }': "matches: /name must be",
    'matches = { properties = { secret = { const = "z" } } }': "matches: /secret does not match",
    "matches = false": "matches: (the whole)",
    'withheld = "/name"': "withheld: /name reaches the model at declared",
    'withheld = "/none"': "withheld: /none is missing",
    "at_most_tokens = 3": "at_most_tokens: about ",
    "at_most_ms = 0.0001": "expected at most 0.0001 ms",
    'error = "not_found"': "error: none, expected not_found",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def calls(folder: Path, text: str) -> str:
    path = folder / "calls.toml"
    path.write_text(text)
    return str(path)


def test_calls_that_meet_what_they_expect_pass_twice_in_a_row(folder: Path) -> None:
    path = calls(folder, MET)
    for _ in range(2):
        ran = here("run", path, "demo", "--format", "json")
        assert ran.code == 0, ran.out
        assert [(each["name"], each["ok"]) for each in ran.json["calls"]] == [("key", True), ("fails", True)]
    one = here("run", path, "fails", "demo")
    assert "✓ fails" in one.out
    assert "✓ key" not in one.out
    assert here("run", path, "none", "demo").code == 2
    assert here("run", path).code == 2


def test_each_expectation_that_is_not_met_is_said_and_no_withheld_value_is_quoted(folder: Path) -> None:
    text = "".join(
        f'[calls.c{number}]\ntool = "generate_api_key"\narguments = {{ name = "production" }}\n'
        f"[calls.c{number}.expect]\n{line}\n"
        for number, line in enumerate(NOT_MET)
    )
    path = calls(folder, text)
    ran = here("run", path, "demo", "--format", "json")
    assert ran.code == 14
    found = [each["failures"] for each in ran.json["calls"]]
    for said, wanted in zip(found, NOT_MET.values(), strict=True):
        assert [wanted in sentence for sentence in said] == [True], said
    assert "plr_" not in ran.out
    xml = ET.fromstring(here("run", path, "demo", "--format", "junit", "-q").out)  # noqa: S314 - our own
    assert [suite.get("failures") for suite in xml] == [str(len(NOT_MET))]
    texts = here("run", path, "demo").out
    assert all(wanted in texts for wanted in NOT_MET.values())


def test_a_copy_of_a_withheld_value_in_a_model_view_is_found(folder: Path) -> None:
    text = '[calls.a]\ntool = "generate_api_key"\narguments = { name = "x" }\n[calls.a.expect]\nabsent_for = "all hosts"\n'
    path = calls(folder, text)
    assert here("run", path, "demo").code == 0
    ran = here("run", path, "demo", "--boundary", "open", "--format", "json")
    assert ran.code == 14
    leaking = {sentence.split("'")[0] for sentence in ran.json["calls"][0]["failures"]}
    assert {"absent_for: spec", "absent_for: claude-code"} <= leaking


def test_a_call_is_saved_with_what_it_meets_and_runs_from_its_own_server(folder: Path) -> None:
    assert here("call", "generate_api_key", "--arg", "name=it", "demo", "--save", "key", "-q").code == 0
    assert (folder / "calls.toml").read_text() == (
        '[calls.key]\nserver = "demo"\ntool = "generate_api_key"\narguments = { name = "it" }\n'
        '[calls.key.expect]\nfits_schema = true\nwithheld = ["/secret"]\n'
    )
    ran = here("run", "calls.toml")
    assert ran.code == 0, ran.out
    again = here("call", "generate_api_key", "--arg", "name=it", "demo", "--save", "key")
    assert again.code == 2
    assert "has a call key already" in again.err


ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "tools/call":
        answer = {"content": [{"type": "text", "text": json.dumps(asked["params"]["arguments"])}]}
    elif asked["method"] == "initialize":
        answer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer = {"tools": [{"name": n, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for n in ("echo", "dies")]}
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    else:
        continue
    if asked.get("params", {}).get("name") == "dies":
        sys.exit(3)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def test_a_secret_is_sent_and_in_no_file_and_no_output(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "server.py").write_text(ECHO)
    monkeypatch.setenv("MY_KEY", SECRET)
    command = ("--", sys.executable, "server.py")
    saved = sightline(
        "call",
        "echo",
        "--arg",
        f"api_key={SECRET}",
        "--save",
        "e",
        "-q",
        "--view",
        "model",
        *command,
        cwd=folder,
    )
    assert saved.code == 0, saved.err
    text = (folder / "calls.toml").read_text()
    assert 'secrets = { api_key = "env:MY_KEY" }' in text
    assert SECRET not in text
    with (folder / "calls.toml").open("a") as file:
        file.write("contains = ['nowhere']\nequals = { '/content/0/text' = 'x' }\n")
    for format_ in ("text", "json", "junit"):
        ran = sightline("run", "calls.toml", "--format", format_, cwd=folder)
        assert ran.code == 14
        assert "•••" in ran.out
        assert SECRET not in ran.out + ran.err
    monkeypatch.delenv("MY_KEY")
    ran = sightline("run", "calls.toml", cwd=folder)
    assert ran.code == 2
    assert "the secret api_key has no value" in ran.err


def test_a_call_that_cannot_be_made_fails_and_the_others_are_made(folder: Path) -> None:
    (folder / "server.py").write_text(ECHO)
    path = calls(
        folder,
        "".join(
            f'[calls.{n}]\ntool = "{tool}"\n'
            for n, tool in (("a", "none"), ("b", "echo"), ("c", "dies"), ("d", "echo"))
        ),
    )
    ran = sightline("run", path, "--format", "json", "--", sys.executable, "server.py", cwd=folder)
    assert ran.code == 14, ran.err
    failed = {each["name"]: each["failures"] for each in ran.json["calls"]}
    assert failed["a"] == ["the server lists no tool none"]
    assert failed["b"] == []
    assert "connection_lost" in failed["c"][0]
    assert sightline("run", path, "--", "/no/such", cwd=folder).code == 4
    delete = calls(folder, '[calls.x]\ntool = "delete_project"\narguments = { project = "p" }\n')
    ran = sightline("run", delete, "demo", cwd=folder)
    assert ran.code == 14
    assert "not agreed to" in ran.out
    assert "--yes" in ran.out
