import json
import unicodedata
from pathlib import Path

import pytest

from inspector.hosts.registry import host, hosts
from inspector.json.exact import JsonObject
from tests.cli.sightline import Ran, sightline

TOOL = {
    "name": "k",
    "inputSchema": {},
    "outputSchema": {"properties": {"id": {"type": "string"}, "s": {"type": "string", "x-sensitive": True}}},
}
RESULT = {"content": [{"type": "text", "text": "done"}], "structuredContent": {"id": "1", "s": "CANARY-7f3a"}}


def compared(tmp_path: Path, result: object, *options: str, tool: object = TOOL, columns: int = 160) -> Ran:
    (tmp_path / "result.json").write_text(result if isinstance(result, str) else json.dumps(result))
    words = ["hosts", "--compare", "--result", "result.json", *options]
    if tool is not None:
        (tmp_path / "tool.json").write_text(json.dumps(tool))
        words += ["--tool", "tool.json"]
    return sightline(*words, cwd=tmp_path, columns=columns)


def test_the_json_has_the_documented_shape_with_every_model_context(tmp_path: Path) -> None:
    ran = compared(tmp_path, RESULT, "--format", "json")
    assert ran.code == 0, ran.err
    shape = ran.json
    assert list(shape) == ["boundary", "rawBytes", "withheld", "sensitive", "hosts"]
    assert [row["host"] for row in shape["hosts"]] == [host.name for host in hosts()]
    spec, codex = shape["hosts"][0], next(row for row in shape["hosts"] if row["host"] == "codex")
    assert list(spec) == [
        "host",
        "title",
        "version",
        "asOf",
        "how",
        "observed",
        "refused",
        "bytes",
        "changes",
        "model",
        "open",
    ]
    assert spec["model"]["structuredContent"]["id"] == "1"
    assert spec["open"] == {
        "observed": True,
        "refused": None,
        "leak": "yes",
        "leaked": ["/structuredContent/s"],
        "places": [["/structuredContent/s"]],
        "unknown_count": 0,
    }
    assert [change["pointer"] for change in codex["changes"]] == ["/content"]
    assert "CANARY" not in ran.out


def test_the_table_shows_for_each_host_whether_a_value_would_leak(tmp_path: Path) -> None:
    ran = compared(tmp_path, RESULT, columns=90)
    assert ran.code == 0, ran.err
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert "yes: 1 value" in rows["codex"]
    assert " no " in rows["strands"]
    assert "not observed" in rows["vscode-copilot"]
    assert rows["claude-code"].endswith("1 change: structured content replaces text")
    assert "…" not in ran.out
    assert "of 18 hosts would leak withheld values to their models" in ran.out
    assert "CANARY" not in ran.out


def test_the_comparison_counts_as_project_does_and_warns_as_it_does(tmp_path: Path) -> None:
    text = "key ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    result = {"content": [{"type": "text", "text": text}], "_meta": {"fastmcp": {"wrap_result": True}}}
    out = compared(tmp_path, result, tool=None).out
    shown = sightline("project", "--result", "result.json", cwd=tmp_path, columns=160).out
    for words in (
        "nothing withheld; protocol metadata left out",
        "! it looks like a credential: GitHub token, at /content/0",
    ):
        assert words in out
        assert words in shown
    assert "not known" not in out


def test_hosts_that_refuse_the_result_as_a_whole_are_named(tmp_path: Path) -> None:
    secret = {"type": "secret_reference", "id": "a", "label": "b", "redeemUrl": "c"}
    ran = compared(tmp_path, {"content": [secret]}, "--host", "claude-code", tool=None)
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert "refuses it" in rows["claude-code"]
    assert "refuses it" not in rows["spec"]
    words = "the host's client library refuses the result; the model gets the reason instead"
    assert f"without protection, {words}" in ran.out
    ran = compared(tmp_path, {"content": [secret]}, "--boundary", "open", "--format", "json", tool=None)
    found = {row["host"]: (row["refused"], row["open"]["refused"]) for row in ran.json["hosts"]}
    assert found["claude-code"] == (words, words)
    assert found["spec"] == (None, None)


def test_the_reason_for_not_known_is_named(tmp_path: Path) -> None:
    out = compared(tmp_path, {"content": [], "structuredContent": {"s": True}}).out
    assert "for 18 it is not known: 1 withheld value is too common to search for." in out


def test_one_host_is_shown_in_full_below_the_table(tmp_path: Path) -> None:
    out = compared(tmp_path, RESULT, "--host", "codex", "--boundary", "open").out
    assert "MODEL SEES (boundary: open, host: codex)" in out
    assert "(11 characters, reaches the model)" in out.split("MODEL SEES")[1]
    assert "CANARY" not in out
    unmasked = compared(tmp_path, RESULT, "--host", "codex", "--boundary", "open", "--unmask").out
    assert "CANARY-7f3a" in unmasked.split("MODEL SEES")[1]
    assert "CANARY" not in compared(tmp_path, RESULT, "--boundary", "open", "--format", "json").out
    assert "! /structuredContent/s" in out


@pytest.mark.parametrize(
    ("tool", "cell", "sentence"),
    [
        (
            {"name": "t", "inputSchema": {"type": "object"}},
            "nothing declared",
            "Nothing is declared sensitive",
        ),
        # The definition may declare what the result does not.
        (None, "unknown: no --tool", "Its tool may: add --tool FILE"),
    ],
    ids=["tool", "no tool"],
)
def test_the_output_says_that_nothing_is_declared_sensitive_or_that_this_is_unknown(
    tmp_path: Path, tool: JsonObject | None, cell: str, sentence: str
) -> None:
    out = compared(tmp_path, {"content": []}, tool=tool).out
    assert sentence in " ".join(out.split())
    rows = {line.split()[0]: line for line in out.splitlines() if line.split()[:1]}
    found = [rows[host.name] for host in hosts()]
    # No host can be said not to leak.
    assert all(cell in row or "refuses it" in row for row in found), out
    assert sum("specification" in row for row in found) == 1


def test_the_server_name_is_passed_to_the_hosts_that_use_it(tmp_path: Path) -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no"}}
    ran = compared(tmp_path, error, "--server-name", "mailbox", "--format", "json")
    codex = next(row for row in ran.json["hosts"] if row["host"] == "codex")
    assert "`mailbox/k`" in json.dumps(codex["model"])


def test_no_control_or_invisible_character_is_printed(tmp_path: Path) -> None:
    evil = "\x1b]52;c;x\x07\u202e\u200b"
    result = {"content": [{"type": "text", "text": evil}], evil: evil, "structuredContent": {evil: evil}}
    for options in ((), ("--host", "spec"), ("--format", "json")):
        ran = compared(tmp_path, result, "--boundary", "open", *options)
        assert ran.code == 0, ran.err
        for character in ran.out + ran.err:
            assert character == "\n" or not unicodedata.category(character).startswith("C"), hex(
                ord(character)
            )


def test_a_result_of_three_thousand_levels_is_compared(tmp_path: Path) -> None:
    deep = '{"content":[],"structuredContent":' + '{"a":' * 3000 + "1" + "}" * 3001
    for options in ((), ("--format", "json"), ("--host", "claude-code")):
        ran = compared(tmp_path, deep, *options)
        assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--compare",), "needs a result"),
        (("--result", "x.json"), "only work with --compare"),
        (("--host", "spec"), "only work with --compare"),
        (("--compare", "--result", "nowhere.json"), "cannot read nowhere.json"),
        (("--compare", "--result", "-", "--tool", "-"), "both read stdin"),
        (("--compare", "--result", "-", "--host", "nobody"), "no host nobody"),
        (("--compare", "--result", "-", "--unmask"), "only works with --boundary open"),
    ],
)
def test_a_comparison_that_is_impossible_is_a_usage_error(
    words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    ran = sightline("hosts", *words, cwd=tmp_path, stdin="{}")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_without_compare_the_profiles_are_listed() -> None:
    assert [row["name"] for row in sightline("hosts", "--format", "json").json["hosts"]] == [
        host.name for host in hosts()
    ]


def test_one_host_is_described_in_full(tmp_path: Path) -> None:
    ran = sightline("hosts", "claude-code", cwd=tmp_path, columns=1_000)
    profile = host("claude-code")
    assert profile is not None
    facts = (profile.title, profile.version, profile.how, profile.source, profile.model_gets, profile.notes)
    assert [fact for fact in facts if fact not in ran.out] == []
    shape = sightline("hosts", "codex", "--format", "json", cwd=tmp_path).json
    assert [one["name"] for one in shape["hosts"]] == ["codex"]
    refused = sightline("hosts", "claude-cod", cwd=tmp_path)
    assert (refused.code, "Did you mean claude-code?" in refused.err) == (2, True)


def test_what_call_and_list_print_can_be_compared(tmp_path: Path) -> None:
    listed = sightline("list", "--json", "demo")
    (tmp_path / "list.json").write_text(listed.out)
    words = ("call", "generate_api_key", "--arg", "name=x", "--yes", "--json", "demo")
    (tmp_path / "masked.json").write_text(sightline(*words).out)
    (tmp_path / "clear.json").write_text(sightline(*words, "--unmask").out)
    (tmp_path / "model.json").write_text(sightline(*words, "--view", "model").out)

    def tried(result: str, tool: str) -> Ran:
        return sightline("hosts", "--compare", "--result", result, "--tool", tool, cwd=tmp_path, columns=160)

    compared = tried("clear.json", "list.json#generate_api_key")
    assert compared.code == 0, compared.err
    assert "yes: 1 value" in compared.out
    for result, tool, reason in (
        ("masked.json", "list.json#generate_api_key", "values are masked in this output"),
        ("model.json", "list.json#generate_api_key", "without the result (`raw`)"),
        ("clear.json", "list.json", "--tool: list.json lists 20 tools"),
        ("clear.json", "list.json#nothing", "lists no tool nothing"),
        ("clear.json", "clear.json#x", "clear.json is not a listing of tools"),
    ):
        refused = tried(result, tool)
        assert (refused.code, refused.out) == (2, ""), reason
        assert reason in refused.err
