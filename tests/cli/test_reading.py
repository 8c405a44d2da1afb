"""`sightline read`, `prompt` and `request` on third-party servers, and on the demo."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.cli.inputs import RESERVED_META
from inspector.json.members import object_at
from tests.cli.sightline import ROOT, Ran, sightline
from tests.connect.real_servers import EVERYTHING
from tests.peers.sharing import shared

READING = ("--", sys.executable, str(ROOT / "tests" / "peers" / "reading_server.py"), "stdio")


@pytest.fixture(scope="module")
def reading() -> Iterator[str]:
    """The address of a server that is shared by all tests which change nothing in it."""
    with shared(Path(READING[2])) as address:
        yield address


def as_json(*words: str, code: int = 0) -> dict[str, object]:
    ran = sightline(*words, "--format", "json")
    assert ran.code == code, ran.err
    return ran.json


def test_a_resource_is_read_as_text_and_as_blob(reading: str) -> None:
    read = as_json("read", "note://today", reading)
    assert read["resource"] == "note://today"
    # A name that only one resource has is as good.
    assert as_json("read", "today", reading)["resource"] == "note://today"
    assert read["model"] == {
        "contents": [{"mimeType": "text/plain", "text": "Buy milk.", "uri": "note://today"}]
    }
    picture = as_json("read", "note://picture", reading)
    assert '"blob": "iVBORw=="' in json.dumps(picture["model"])


def test_a_resource_for_the_user_only_does_not_reach_the_model(reading: str) -> None:
    read = as_json("read", "note://private", reading)
    assert "4711" in json.dumps(read["raw"])
    assert "4711" not in json.dumps(read["model"])
    both = sightline("read", "note://private", reading).out
    assert "✗ /contents/0  [audience]" in both
    assert "4711" not in sightline("read", "note://private", "--view", "model", reading).out


@pytest.mark.parametrize("word", ["book", "shelf://{genre}/{title}"])
def test_a_template_is_expanded_by_its_name_or_uri(reading: str, word: str) -> None:
    read = as_json("read", word, "--arg", "genre=fiction", "--arg", "title=The Trial", reading)
    assert read["resource"] == "shelf://fiction/The%20Trial"
    assert "The Trial is fiction." in json.dumps(read["model"])


def test_a_prompt_is_fetched_with_its_arguments(reading: str) -> None:
    got = as_json(
        "prompt", "discuss", "--arg", "genre=fiction", "--arg", "title=1984", "--host", "claude-code", reading
    )
    assert got["prompt"] == "discuss"
    assert "1984, which is fiction, in a calm tone" in json.dumps(got["model"])
    shown = sightline("prompt", "hello", "--host", "claude-code", reading).out
    assert "not observed for this host; shown as the specification describes it" in shown


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("read", "todai"), 5, "no resource or template todai, and it is not a URI"),
        (("read", "note://today", "--arg", "a=b"), 2, "no variables"),
        (("read", "book", "--arg", "genre=a"), 2, "/title: is missing"),
        (("prompt", "discus"), 5, "Did you mean discuss?"),
        (("prompt", "discuss"), 2, "/genre: is missing"),
        (("prompt", "hello", "--arg", "x=1"), 2, "/x"),
        (("prompt", "hello", "--meta", "progressToken=1"), 2, "Sightline sets this member"),
        (("prompt", "hello", "--meta", "a"), 2, "not KEY=JSON"),
        (("prompt", "hello", "--meta", "a=b"), 2, "--meta a"),
        (("call", "prompts/get hello"), 2, "is not a tool"),
        (("request", "initialize"), 2, "sent by Sightline itself"),
    ],
)
def test_a_wrong_name_or_argument_is_a_clear_error(
    reading: str, words: tuple[str, ...], code: int, said: str
) -> None:
    ran = sightline(*words, reading)
    assert (ran.code, said in ran.err) == (code, True), ran.err


def test_a_failed_reading_has_the_exit_code_of_a_failed_call(reading: str) -> None:
    read = as_json("read", "note://none", reading, code=5)
    assert "error" in json.dumps(read["raw"])
    hint = "the server does not list note://tody. Did you mean note://today"
    assert hint in sightline("read", "note://tody", reading).err
    assert "does not list" not in sightline("read", "note://today", reading).err


def test_meta_is_sent_together_with_the_members_that_sightline_sets(reading: str, tmp_path: Path) -> None:
    for words in (("call", "find", "--arg", "title=Dune"), ("read", "note://today"), ("prompt", "hello")):
        path = tmp_path / f"{words[0]}.jsonl"
        assert sightline(*words, "--meta", 'example.com/a={"b":1}', "--record", str(path), reading).code == 0
        bodies = [json.loads(line).get("body", {}) for line in path.read_text().splitlines()]
        metas = [object_at(object_at(body, "params"), "_meta") for body in bodies if "id" in body]
        assert {"b": 1} in [meta.get("example.com/a") for meta in metas]
        assert {key for meta in metas for key in meta} <= {"example.com/a", *RESERVED_META}


def test_any_request_is_sent_and_its_answer_printed_raw(reading: str) -> None:
    params = '{"ref":{"type":"ref/prompt","name":"discuss"},"argument":{"name":"genre","value":"f"}}'
    ran = sightline("request", "completion/complete", "--params", params, reading)
    assert ran.json["completion"]["values"] == ["fiction"]
    unknown = sightline("request", "nope/nope", reading)
    assert (unknown.code, unknown.json["error"]["code"]) == (5, -32601)


def test_the_policy_decides_on_a_raw_tool_call(tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    rule = {"name": "no", "effect": "block", "conditions": {"fact": "tool.name", "equals": "find"}}
    policy.write_text(json.dumps({"rules": [rule]}))

    def sent(tool: str) -> Ran:
        params = json.dumps({"name": tool, "arguments": {"title": "Dune", "text": "a"}})
        return sightline("request", "tools/call", "--params", params, "--policy", str(policy), *READING)

    assert sent("find").code == 10
    assert sent("find").out == ""
    assert sent("write").code == 0


@pytest.mark.parametrize(
    ("method", "params", "handle"),
    [
        ("resources/read", {"uri": "note://today"}, "resources/read note://today"),
        ("prompts/get", {"name": "hello", "arguments": {}}, "prompts/get hello"),
    ],
)
def test_the_policy_decides_on_raw_readings_and_the_audit_log_has_them(
    reading: str, method: str, params: dict[str, object], handle: str, tmp_path: Path
) -> None:
    policy, audit = tmp_path / "policy.json", tmp_path / "audit.jsonl"
    request = ("request", method, "--params", json.dumps(params), "--audit", str(audit))
    for name, code in ((handle, 10), ("another", 0)):
        rule = {"name": "no", "effect": "block", "conditions": {"fact": "tool.name", "equals": name}}
        policy.write_text(json.dumps({"rules": [rule]}))
        ran = sightline(*request, "--policy", str(policy), reading)
        assert (ran.code, bool(ran.out)) == (code, code == 0), ran.err
        assert method in audit.read_text()
        audit.unlink()


def test_the_policy_decides_on_readings_by_their_handle(reading: str, tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    rule = {
        "name": "no",
        "effect": "block",
        "conditions": {"fact": "tool.name", "equals": "resources/read note://today"},
    }
    policy.write_text(json.dumps({"rules": [rule]}))
    assert sightline("read", "note://today", "--policy", str(policy), reading).code == 10
    assert sightline("read", "note://picture", "--policy", str(policy), reading).code == 0


@pytest.mark.skipif(not Path(EVERYTHING.command[1]).exists(), reason="server-everything is not installed")
def test_server_everything_is_read_and_prompted() -> None:
    target = ("--", *EVERYTHING.command)
    read = sightline("read", "Dynamic Text Resource", "--arg", "resourceId=3", *target)
    assert "demo://resource/dynamic/text/3" in read.out, read.err
    prompt = sightline(
        "prompt", "resource-prompt", "--arg", "resourceType=Text", "--arg", "resourceId=1", *target
    )
    assert "demo://resource/dynamic/text/1" in prompt.out, prompt.err


def test_the_list_shows_the_declarations_of_resources_and_templates(reading: str) -> None:
    listed = sightline("list", reading).out.splitlines()
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in listed if "://" in line}
    assert rows["note://private"] == "text/plain, audience user"
    assert rows["note://picture"] == "image/png"
    assert rows["shelf://{genre}/{title}"].startswith("text/plain One book")


HALTING = """
import json, sys
pages = [{"resources": [{"uri": "a://1", "name": "a"}], "nextCursor": "2"}]
for line in sys.stdin:
    asked = json.loads(line)
    code = -32601 if asked["method"] == "server/discover" else -32000
    answer = {"error": {"code": code, "message": "no more pages"}}
    if asked["method"] == "initialize":
        offers = {"tools": {}, "resources": {}, "prompts": {}}
        answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": offers, "serverInfo": {"name": "s", "version": "1"}}}
    elif asked["method"] == "tools/list":
        answer = {"result": {"tools": []}}
    elif asked["method"] == "resources/list" and pages:
        answer = {"result": pages.pop()}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


def test_what_was_not_listed_or_not_read_is_counted_with_the_reason(reading: str, tmp_path: Path) -> None:
    why = (
        "a review reads no resource and gets no prompt, even with --call: "
        "sightline read and sightline prompt show them"
    )
    path, recording = tmp_path / "halting.py", tmp_path / "session.jsonl"
    path.write_text(HALTING)
    halting = ("--", sys.executable, "-S", "-E", str(path))
    for server, what in (
        ((reading,), "contents of 3 resources, 1 template, 2 prompts"),
        (halting, "contents of 1 resource"),
    ):
        checked = sightline("check", "--fail-on", "critical", *server)
        assert f"{what}: {why}" in " ".join(checked.out.split()), checked.err
        for words in ("check", "--format", "json"), ("review", "--format", "json"):
            shape = sightline(*words, *server).json
            not_checked = shape.get("review", shape)["notChecked"]
            assert {"what": what, "why": why} in not_checked
    listed = sightline("list", "--record", str(recording), *halting).out
    reasons = [
        f'{name}/list {how}: the server answered with an error: {{"code":-32000,"message":"no more pages"}}'
        for name, how in (
            ("resources", "ended early"),
            ("resources/templates", "failed"),
            ("prompts", "failed"),
        )
    ]
    malformed = [line.split(maxsplit=1)[-1] for line in listed.partition("MALFORMED\n")[2].splitlines()]
    assert malformed == reasons
    shape = sightline("list", "--format", "json", *halting).json
    assert [each["reason"] for each in shape["malformed"]] == reasons
    findings = sightline("review", "--format", "json", *halting).json["findings"]
    assert {each["message"] for each in findings if each["id"] == "SL-PRO001"} == {
        f"A list cannot be used in full: {reason}." for reason in reasons
    }
    assert [each["name"] for each in shape["resources"]] == ["a://1"]
    recorded = sightline("review", "--format", "json", str(recording)).json["notChecked"]
    assert {
        "what": "contents of 1 resource",
        "why": "the recording does not contain their contents",
    } in recorded
