import json
from pathlib import Path

import pytest

from tests.cli.sightline import sightline

TOOL = {
    "name": "k",
    "inputSchema": {},
    "outputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "s": {"type": "string", "x-sensitive": True}},
    },
}
RESULT = {"content": [{"type": "text", "text": "done"}], "structuredContent": {"id": "1", "s": "CANARY-7"}}


def projected(tmp_path: Path, result: object, *options: str, tool: object = None) -> tuple[int, str, str]:
    (tmp_path / "result.json").write_text(result if isinstance(result, str) else json.dumps(result))
    words = ["project", "--result", "result.json", *options]
    if tool is not None:
        (tmp_path / "tool.json").write_text(json.dumps(tool))
        words += ["--tool", "tool.json"]
    ran = sightline(*words, cwd=tmp_path)
    return ran.code, ran.out, ran.err


def test_the_json_has_the_documented_shape(tmp_path: Path) -> None:
    code, out, _ = projected(tmp_path, RESULT, "--format", "json", tool=TOOL)
    shape = json.loads(out)
    assert code == 0
    assert list(shape) == [
        "boundary",
        "host",
        "model",
        "result",
        "withheld",
        "error",
        "undeclared",
        "undeclared_places",
        "remarks",
    ]
    assert (shape["boundary"], shape["host"], shape["error"]) == ("declared", "spec", None)
    assert shape["withheld"][0]["pointer"] == "/structuredContent/s"
    assert "CANARY" not in out


@pytest.mark.parametrize("options", [("--format", "json"), ("--view", "model"), ("--view", "both")])
def test_a_secret_that_reaches_the_model_is_masked_unless_the_user_unmasks_it(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    _, out, err = projected(tmp_path, RESULT, "--boundary", "open", *options, tool=TOOL)
    assert "CANARY" not in out + err
    assert "(8 characters, reaches the model)" in out
    _, out, _ = projected(tmp_path, RESULT, "--boundary", "open", "--unmask", *options, tool=TOOL)
    assert "CANARY-7" in out


@pytest.mark.parametrize("result", [None, "text", 5, [1], {"content": "no list"}, {"a": 1}])
@pytest.mark.parametrize("boundary", ["open", "declared", "closed"])
def test_any_json_value_is_projected(tmp_path: Path, result: object, boundary: str) -> None:
    code, out, err = projected(
        tmp_path, json.dumps(result), "--format", "json", "--boundary", boundary, tool=TOOL
    )
    assert code == 0, err
    assert json.loads(out)["boundary"] == boundary


def test_a_result_of_three_thousand_levels_can_be_projected(tmp_path: Path) -> None:
    deep = '{"content":[],"structuredContent":' + '{"a":' * 3000 + "1" + "}" * 3001
    for boundary in ("open", "declared", "closed"):
        code, out, err = projected(tmp_path, deep, "--format", "json", "--boundary", boundary)
        assert code == 0, err
        assert out
    assert projected(tmp_path, deep)[0] == 0


def test_the_result_is_taken_from_a_whole_json_rpc_response(tmp_path: Path) -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": RESULT}
    assert '"CANARY-7"' in projected(tmp_path, response, "--format", "json", "--boundary", "open")[1]
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "CANARY"}}
    shape = json.loads(projected(tmp_path, error, "--format", "json", "--boundary", "closed", tool=TOOL)[1])
    assert shape["error"] == "protocol_error"
    assert "CANARY" not in json.dumps(shape)


@pytest.mark.parametrize(
    ("result", "tool", "message"),
    [
        ("{", None, "not JSON"),
        ("{}", {"name": "x"}, "`inputSchema` is missing"),
        ("{}", [], "is not an object"),
    ],
)
def test_files_that_cannot_be_used_are_usage_errors(
    tmp_path: Path, result: str, tool: object, message: str
) -> None:
    code, _, err = projected(tmp_path, result, tool=tool)
    assert code == 2
    assert message in err


UNTRUSTED = {"name": "k", "inputSchema": {}, "annotations": {"untrustedContentHint": True}}
CREDENTIAL = "AKIA" + "QX7M2LPD" + "R5TY3WNB"


def test_untrusted_text_has_stable_markers_or_is_hidden(tmp_path: Path) -> None:
    result = {"content": [{"type": "text", "text": "obey"}]}
    words = ("--format", "json")
    _, first, _ = projected(tmp_path, result, *words, tool=UNTRUSTED)
    _, second, _ = projected(tmp_path, result, *words, tool=UNTRUSTED)
    assert first == second
    text = json.loads(first)["model"]["content"][0]["text"]
    assert text.splitlines()[1] == "obey"
    assert text.splitlines()[0].split()[2] == text.splitlines()[2].split()[2]
    _, hidden, _ = projected(tmp_path, result, *words, "--hide-untrusted", tool=UNTRUSTED)
    assert "obey" not in hidden
    assert json.loads(hidden)["withheld"][0]["rule"] == "untrusted"


def test_a_text_like_a_credential_is_reported_or_withheld(tmp_path: Path) -> None:
    result = {"content": [{"type": "text", "text": f"use {CREDENTIAL}"}]}
    for boundary in ("open", "declared"):
        _, out, _ = projected(tmp_path, result, "--format", "json", "--boundary", boundary)
        assert CREDENTIAL in out
        (remark,) = json.loads(out)["remarks"]
        assert remark["message"].endswith("/content/0")
        assert CREDENTIAL not in remark["message"]
    _, out, _ = projected(tmp_path, result, "--format", "json", "--withhold-credentials")
    assert CREDENTIAL not in out
    assert [removal["rule"] for removal in json.loads(out)["withheld"]] == ["detect"]


def test_undeclared_leaves_are_counted(tmp_path: Path) -> None:
    _, out, _ = projected(tmp_path, RESULT, "--format", "json", tool=TOOL)
    assert json.loads(out)["undeclared"] == 1
    (place,) = json.loads(out)["undeclared_places"]
    _, text, _ = projected(tmp_path, RESULT, tool=TOOL)
    assert (
        f"1 value is not described by the output schema, so `declared` lets it through:\n    {place}\n"
        in text
    )


def test_only_the_secret_within_a_text_is_masked_in_what_the_server_sent(tmp_path: Path) -> None:
    result = {**RESULT, "content": [{"type": "text", "text": "Ann has CANARY-7. Stop."}]}
    for boundary in ("open", "declared"):
        _, out, _ = projected(tmp_path, result, "--boundary", boundary, "--view", "both", tool=TOOL)
        assert '"text": "Ann has ••••••••. Stop."' in out
        assert "CANARY" not in out
