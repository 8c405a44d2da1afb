"""Saved calls on the demo server: each expectation is tested once when it is met, and once when it is not."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from inspector.saved.stable import first_words, shape_of
from tests.cli.sightline import sightline

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

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
# An expectation that is not met, and its message.
NOT_MET = {
    'equals = { "/name" = "other" }': 'equals: /name is "production", expected "other"',
    'equals = { "/secret" = "guess" }': 'equals: /secret is "•',
    'equals = { "/none" = 1 }': "equals: /none is missing",
    'contains = ["production", "nowhere"]': 'contains: no value contains "nowhere"',
    'matches = { properties = { name = { const = "z" } } }': "matches: /name must be",
    'matches = { properties = { secret = { const = "z" } } }': "matches: /secret does not match",
    "matches = false": "matches: (the whole result)",
    'withheld = "/name"': "withheld: /name reaches the model at the boundary declared",
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


def test_calls_that_meet_their_expectations_pass_repeatedly(folder: Path) -> None:
    path = calls(folder, MET)
    for _ in range(2):
        ran = sightline("run", path, "demo", "--format", "json")
        assert ran.code == 0, ran.out
        assert [(each["name"], each["ok"]) for each in ran.json["calls"]] == [("key", True), ("fails", True)]
    one = sightline("run", path, "fails", "demo")
    assert "✓ fails" in one.out
    assert "✓ key" not in one.out
    assert sightline("run", path, "none", "demo").code == 2
    assert sightline("run", path).code == 2


def test_without_a_file_the_calls_of_the_working_folder_are_made(folder: Path) -> None:
    for words, said in (((), "no file of saved calls is given"), (("key", "demo"), "key is not a file")):
        ran = sightline("run", *words)
        assert ran.code == 2
        assert f"{said}, and there is no calls.toml here" in ran.err
        assert "sightline run FILE" in ran.err
        assert "--save NAME" in ran.err
    assert "cannot read other.toml" in sightline("run", "other.toml", "demo").err
    calls(folder, MET)
    for words, names in ((("demo",), ["key", "fails"]), (("key", "demo"), ["key"])):
        ran = sightline("run", *words, "--format", "json")
        assert ran.code == 0, ran.err
        assert ran.json["file"] == "calls.toml"
        assert [each["name"] for each in ran.json["calls"]] == names
    assert "using the saved calls of calls.toml" in sightline("run", "key", "demo").err
    (folder / "named").write_text(MET)
    assert sightline("run", "named", "key", "demo", "--format", "json").json["file"] == "named"
    assert "calls.toml has no call nope" in sightline("run", "nope", "demo").err


def test_each_failed_expectation_is_reported_without_withheld_values(folder: Path) -> None:
    text = "".join(
        f'[calls.c{number}]\ntool = "generate_api_key"\narguments = {{ name = "production" }}\n'
        f"[calls.c{number}.expect]\n{line}\n"
        for number, line in enumerate(NOT_MET)
    )
    path = calls(folder, text)
    ran = sightline("run", path, "demo", "--format", "json")
    assert ran.code == 14
    found = [each["failures"] for each in ran.json["calls"]]
    for said, wanted in zip(found, NOT_MET.values(), strict=True):
        assert [wanted in sentence for sentence in said] == [True], said
    assert "plr_" not in ran.out
    xml = ET.fromstring(sightline("run", path, "demo", "--format", "junit", "-q").out)  # noqa: S314 - our own
    assert [suite.get("failures") for suite in xml] == [str(len(NOT_MET))]
    texts = sightline("run", path, "demo").out
    assert all(wanted in texts for wanted in NOT_MET.values())


def test_a_copy_of_a_withheld_value_in_a_model_view_is_found(folder: Path) -> None:
    text = '[calls.a]\ntool = "generate_api_key"\narguments = { name = "x" }\n[calls.a.expect]\nabsent_for = "all hosts"\n'
    path = calls(folder, text)
    assert sightline("run", path, "demo").code == 0
    ran = sightline("run", path, "demo", "--boundary", "open", "--format", "json")
    assert ran.code == 14
    leaking = {sentence.split("'")[0] for sentence in ran.json["calls"][0]["failures"]}
    assert {"absent_for: spec", "absent_for: claude-code"} <= leaking


def test_a_saved_call_includes_its_server_and_expectations(folder: Path) -> None:
    assert sightline("call", "generate_api_key", "--arg", "name=it", "demo", "--save", "key", "-q").code == 0
    assert (folder / "calls.toml").read_text() == (
        '[calls.key]\nserver = "demo"\ntool = "generate_api_key"\narguments = { name = "it" }\n'
        '[calls.key.expect]\nfits_schema = true\nwithheld = ["/secret"]\n'
    )
    ran = sightline("run", "calls.toml")
    assert ran.code == 0, ran.out
    again = sightline("call", "generate_api_key", "--arg", "name=it", "demo", "--save", "key")
    assert again.code == 2
    assert "has a call key already" in again.err


IN_TEXT: dict[str, object] = {"n": 1, "at": "12:30", "rows": [{"id": 5, "v": None}, {"id": 6.5, "w": [True]}]}
# Results of a tool, the expectation that `call --save` derives, and results that do not meet it.
SAVED: tuple[tuple[dict[str, object], str, list[dict[str, object]]], ...] = (
    (
        {"content": [{"type": "text", "text": json.dumps(IN_TEXT)}]},
        (
            'matches = { "/content/0/text" = { type = "object", required = ["n", "at", "rows"], properties = { n = { type = '
            '"number" }, at = { type = "string" }, rows = { type = "array", items = { type = "object", required = ["id"], '
            'properties = { id = { type = "number" } } } } } } }'
        ),
        [
            {"content": [{"type": "text", "text": json.dumps({**IN_TEXT, "n": "1"})}]},
            {"content": [{"type": "text", "text": json.dumps({"n": 1, "at": ""})}]},
            {"content": [{"type": "text", "text": "Traceback (most recent call last)"}]},
            {"content": []},
        ],
    ),
    (
        {"content": [], "structuredContent": {"rows": {"2026-11-23": 1}, "ok": True}},
        (
            'matches = { type = "object", required = ["rows", "ok"], properties = { rows = { type = "object" }, ok = { type '
            '= "boolean" } } }'
        ),
        [{"content": [], "structuredContent": {"rows": {}}}],
    ),
    (
        {"content": [{"type": "text", "text": "\n# Weather in Chicago: rainy, 12 degrees"}]},
        'contains = ["Weather in Chicago:"]',
        [{"content": [{"type": "text", "text": "no such city"}]}],
    ),
    (
        {"content": [{"type": "text", "text": "Mon Nov 23 21:00:00 UTC 2026"}]},
        'matches = { properties = { content = { items = { properties = { type = { enum = ["text"] } } }, minItems = 1 } } }',
        [{"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}, {"content": []}],
    ),
    ({"content": []}, 'equals = { "/content" = [] }', [{"content": [{"type": "text", "text": "x"}]}]),
)


@pytest.mark.parametrize(("result", "expected", "wrong"), SAVED)
def test_a_call_without_an_output_schema_is_saved_with_useful_expectations(
    result: dict[str, object], expected: str, wrong: list[dict[str, object]], folder: Path
) -> None:
    (folder / "server.py").write_text(ECHO)
    command = ("--", sys.executable, "server.py")
    (folder / "result.json").write_text(json.dumps(result))
    assert sightline("call", "echo", "--save", "c", "-q", *command, cwd=folder).code == 0
    assert (folder / "calls.toml").read_text().endswith(f"[calls.c.expect]\n{expected}\n")
    for each, code in ((result, 0), *((each, 14) for each in wrong)):
        (folder / "result.json").write_text(json.dumps(each))
        ran = sightline("run", "calls.toml", cwd=folder)
        assert ran.code == code, (each, ran.out)


def test_pointers_can_enter_json_in_a_text(folder: Path) -> None:
    (folder / "server.py").write_text(ECHO)
    expected = {
        'equals = { "/n" = 1, "/content/0/text/rows/1/id" = 6.5, "/content/0/type" = "text" }': "",
        'equals = { "/rows" = [{ id = 5, v = 0 }] }': "equals: /rows is [{",
        'equals = { "/n" = 2 }': "equals: /n is 1, expected 2",
        'equals = { "/content/0/text/m" = 2 }': "equals: /content/0/text/m is missing",
        "equals = { '/content/0/text' = '{\"n\": 1}' }": 'equals: /content/0/text is "{',
        'matches = { "/rows/0" = { required = ["id"] }, "/content/0/text" = { required = ["n"] } }': "",
        'matches = { "/rows/0" = { required = ["m"] } }': "matches: /rows/0/m is missing",
        'matches = { "/m" = true }': "matches: /m is missing",
        'matches = { properties = { content = { type = "array" } } }': "",
        "contains = '12:30'": "",
        'withheld = "/n"': "withheld: /n is missing",
    }
    text = "".join(
        f'[calls.c{number}]\ntool = "echo"\n[calls.c{number}.expect]\n{line}\n'
        for number, line in enumerate(expected)
    )
    path = calls(folder, text)
    for more in ({}, {"structuredContent": {"n": 3}}):
        answer = {"content": [{"type": "text", "text": json.dumps(IN_TEXT)}], **more}
        (folder / "result.json").write_text(json.dumps(answer))
        ran = sightline("run", path, "--format", "json", "--", sys.executable, "server.py", cwd=folder)
        found = ["".join(each["failures"]) for each in ran.json["calls"]]
        if not more:
            assert [
                said.startswith(wanted) and bool(said) == bool(wanted)
                for said, wanted in zip(found, expected.values(), strict=True)
            ] == [True] * len(found), found
        else:
            # The structured content is compared, if there is any.
            assert found[0] == "equals: /n is 3, expected 1"
            assert found[5].startswith("matches: /rows/0 is missing")


def test_a_saved_expectation_contains_no_key_or_word_that_may_be_secret() -> None:
    tables: tuple[JsonObject, ...] = (
        {"ghp_16C7e42F292c6912E7710c838347Ae178B4a": 1},
        {"user 4711": 1},
        {str(number): number for number in range(9)},
        {f"k{chr(97 + number // 26)}{chr(97 + number % 26)}": 1 for number in range(50)},
    )
    for value in tables:
        assert shape_of(value, lambda _: True) == {"type": "object"}
    hidden = shape_of(
        {"a": {"b": "x"}, "c": "••••••••", "d": 1}, lambda pointer: not pointer.startswith("/a")
    )
    assert hidden == {"type": "object", "required": ["c", "d"], "properties": {"d": {"type": "number"}}}
    for text, words in (
        ("Echo: hunter2", "Echo:"),
        ("The password is •••••••• now", ""),
        ("Your key ghp_16C7e42F292c6912E7710c838347Ae178B4a", ""),
        ("a\u202eb cde", ""),
        ("12 34", ""),
        ("It is Monday", ""),
        ("one two three four five six", "one two three four"),
        ("tok_ab12-cd", ""),
    ):
        assert first_words(text) == words, text


ECHO = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "tools/call":
        given = json.dumps(asked["params"].get("arguments"))
        answer = {"content": [{"type": "text", "text": given}]}
        if os.path.exists("result.json"):
            answer = json.load(open("result.json"))
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


def test_a_secret_is_sent_but_written_to_no_file_or_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_call_that_cannot_be_made_fails_without_stopping_the_others(folder: Path) -> None:
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
    assert "without your agreement" in ran.out
    assert "--yes" in ran.out
