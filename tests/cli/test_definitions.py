import json
import unicodedata
from pathlib import Path

import pytest

from tests.cli.sightline import hostile_server, sightline

TOOL = {
    "name": "k",
    "description": "Keys",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "properties": {"pin": {"x-sensitive": True}}},
    "outputSchema": {
        "required": ["id", "s"],
        "properties": {"id": {"type": "string"}, "s": {"type": "string", "x-sensitive": True}},
    },
}


def projected(tmp_path: Path, *options: str, tool: object = TOOL) -> tuple[int, str, str]:
    (tmp_path / "tool.json").write_text(json.dumps(tool))
    ran = sightline("project", "--tool", "tool.json", *options, cwd=tmp_path)
    return ran.code, ran.out, ran.err


def test_project_without_a_result_prints_the_definition_that_the_model_gets(tmp_path: Path) -> None:
    code, out, err = projected(tmp_path, "--format", "json")
    assert code == 0, err
    shape = json.loads(out)
    assert list(shape) == [
        "boundary",
        "host",
        "observed",
        "model",
        "differences",
        "notes",
        "rawBytes",
        "modelBytes",
        "aboutTokens",
    ]
    assert list(shape["model"]) == ["name", "description", "inputSchema", "outputSchema"]
    assert "s" not in shape["model"]["outputSchema"]["properties"]
    assert shape["model"]["inputSchema"] == TOOL["inputSchema"]
    assert {"pointer": "/annotations", "step": "host"}.items() <= shape["differences"][-1].items()
    assert shape["differences"][1]["vocabulary"] == "webmcp-110"
    assert shape["aboutTokens"] == -(-shape["modelBytes"] // 4)


def test_the_text_names_every_difference_with_its_reason(tmp_path: Path) -> None:
    code, out, err = projected(tmp_path, "--host", "codex", "--boundary", "closed")
    assert code == 0, err
    assert "k (boundary: closed, host: codex, not observed)" in out
    assert "✗ /outputSchema/properties/s  [x-sensitive]" in out
    assert "≈ /outputSchema/required  [loosened]" in out
    assert "~ /annotations  [host]" in out
    assert "tokens (bytes / 4)" in out


def test_at_open_the_schema_passes_as_it_was_sent(tmp_path: Path) -> None:
    out = projected(tmp_path, "--boundary", "open", "--format", "json")[1]
    assert json.loads(out)["model"]["outputSchema"] == TOOL["outputSchema"]


def test_project_without_a_result_or_a_tool_is_a_usage_error() -> None:
    ran = sightline("project")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing to project" in ran.err


@pytest.mark.parametrize("tool", ["{", "[]", '{"name":"x"}'])
def test_an_invalid_definition_is_a_usage_error(tmp_path: Path, tool: str) -> None:
    (tmp_path / "tool.json").write_text(tool)
    ran = sightline("project", "--tool", "tool.json", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")


def test_list_shows_the_definition_that_a_model_gets_of_each_tool() -> None:
    ran = sightline("list", "demo", "--definitions", "--format", "json", "-q")
    assert ran.code == 0, ran.err
    given = {tool["name"]: tool["given"] for tool in ran.json["tools"]}
    assert all(shape["boundary"] == "declared" and shape["host"] == "spec" for shape in given.values())
    for tool in ran.json["tools"]:
        assert tool["given"]["model"]["name"] == tool["name"]
        assert '"x-sensitive": true' not in json.dumps(tool["given"]["model"].get("outputSchema"))
    text = sightline("list", "demo", "--definitions", "-q").out
    for name in given:
        assert f"\n{name} (boundary: declared, host: spec)" in text


def test_list_shows_the_model_definition_only_with_its_option() -> None:
    ran = sightline("list", "demo", "--format", "json", "-q")
    assert all("given" not in tool for tool in ran.json["tools"])


def test_an_unknown_host_is_a_usage_error_before_the_server_starts() -> None:
    ran = sightline("list", "--definitions", "--host", "nobody", "--", "/nowhere/at/all")
    assert ran.code == 2
    assert "no host nobody" in ran.err


@pytest.mark.parametrize("format_", ["text", "json"])
def test_no_control_or_invisible_character_is_printed(format_: str) -> None:
    ran = sightline("list", "--definitions", "--boundary", "open", "--format", format_, *hostile_server())
    assert ran.code == 0, ran.err
    for character in ran.out + ran.err:
        assert character == "\n" or not unicodedata.category(character).startswith("C"), hex(ord(character))
