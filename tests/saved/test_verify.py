"""Recorded calls made again: equal when repeated, and a change of one leaf is named by its pointer."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from inspector.errors import UsageError
from inspector.saved.verifying import differences, ignored_of, proposed
from tests.cli.sightline import Ran, sightline

if TYPE_CHECKING:
    from inspector.json.exact import Json

SECRET = "hunter2-planted"
SERVER = """
import itertools, json, os, sys
state = json.load(open("state.json"))
count = itertools.count(int.from_bytes(os.urandom(4)))
schema = {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}, "name": {"type": "string"}}}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        answer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list":
        read = {"inputSchema": {"type": "object", "properties": {"password": {"type": "string", "x-sensitive": True}}}, "annotations": {"readOnlyHint": True}}
        tools = [{"name": "get", **read, "outputSchema": schema}, {"name": "delete", "inputSchema": {}, "annotations": {"destructiveHint": True}}]
        answer = {"tools": tools[:state.get("tools", 2)]}
        if state.get("unmarked"):
            del tools[0]["outputSchema"]
    elif asked["method"] == "tools/call":
        found = {"name": state["name"], "key": state["key"], "rows": [{"id": next(count), "v": v} for v in state["rows"]]}
        text = state.get("text") and dict(state["text"])
        if text and text["at"] == "count":
            text["at"] = next(count)
        answer = {"content": [{"type": "text", "text": json.dumps(text) if text else "done"}], "structuredContent": found}
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""
STATE: dict[str, object] = {"name": "it", "key": SECRET, "rows": [1, 2]}
UNTRUSTED = """
[[rules]]
name = "no calls in an untrusted session"
effect = "block"
conditions = { fact = "session.untrusted", equals = true }
"""
COMMAND = ("--", sys.executable, "server.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER)
    state(tmp_path)
    for tool, name in (("get", "get.jsonl"), ("delete", "delete.jsonl")):
        made = sightline("call", tool, "--record", name, "--yes", "-q", *COMMAND, cwd=tmp_path)
        assert made.code == 0, made.err
    return tmp_path


def state(folder: Path, **changed: object) -> None:
    (folder / "state.json").write_text(json.dumps(STATE | changed))


def verified(folder: Path, *words: str) -> Ran:
    ran = sightline("verify", "get.jsonl", *words, *COMMAND, cwd=folder)
    assert SECRET not in ran.out + ran.err
    return ran


def pointers(ran: Ran) -> list[str]:
    return [each["pointer"] for call in ran.json["calls"] for each in call["differences"]]


def test_changing_ids_are_proposed_as_ignored_places(folder: Path) -> None:
    assert sorted(pointers(verified(folder, "--format", "json"))) == [
        "/structuredContent/rows/0/id",
        "/structuredContent/rows/1/id",
    ]
    lines = verified(folder, "--propose", "-q").out
    assert lines == "get:/structuredContent/rows/*/id\n"
    (folder / "ignore").write_text(lines)
    for _ in range(2):
        ran = verified(folder, "--ignore", "@ignore")
        assert ran.code == 0, ran.out
        assert "1 made again, 0 with differences, 0 not made" in ran.out


def test_a_change_of_one_leaf_is_named_by_its_pointer(folder: Path) -> None:
    ignore = ("--ignore", "/structuredContent/rows/*/id", "--format", "json")
    state(folder, key="another secret of mine")
    assert verified(folder, *ignore).code == 0
    state(folder, name="other")
    ran = verified(folder, *ignore)
    assert ran.code == 12
    assert pointers(ran) == ["/structuredContent/name"]
    assert ran.json["calls"][0]["differences"][0]["what"] == 'is "other"; it was "it"'
    state(folder, rows=[1, 2, 3])
    assert pointers(verified(folder, *ignore)) == ["/structuredContent/rows/2"]
    ran = verified(folder, "--ignore", "/structuredContent/rows/*/id")
    assert "✗ frame" in ran.out
    assert "/structuredContent/rows/2 is new" in ran.out
    assert "--propose makes each call twice" in ran.err
    xml = ET.fromstring(verified(folder, "--format", "junit").out)  # noqa: S314 - our own
    assert [suite.get("failures") for suite in xml] == ["1"]
    # A value that was withheld then, and no longer is, is a difference, even if it is the same.
    state(folder, unmarked=True)
    ran = verified(folder, *ignore)
    assert ran.code == 12
    assert "/structuredContent/key" in pointers(ran)
    assert "was withheld" in ran.out


@pytest.mark.parametrize(
    ("era", "other", "words"),
    [
        ("legacy", "modern", "recorded with 2025-11-25, verified with 2026-07-28"),
        ("modern", "legacy", "recorded with 2026-07-28, verified with 2025-11-25"),
    ],
)
def test_calls_are_made_again_with_the_recorded_protocol(
    era: str, other: str, words: str, tmp_path: Path
) -> None:
    call = ("call", "echo_arguments", "--arg", "text=a", "--arg", "count=1", "--no-validate", "-q")
    made = sightline(*call, "--era", era, "--record", "r.jsonl", "demo", cwd=tmp_path)
    assert made.code == 0, made.err
    again = sightline("verify", "r.jsonl", "demo", cwd=tmp_path)
    assert (again.code, "recorded with" in again.err) == (0, False), again.out
    given = sightline("verify", "r.jsonl", "--era", other, "demo", cwd=tmp_path)
    assert given.code == 12
    assert given.err.count(words) == 1


def test_the_calls_of_each_era_of_a_recording_are_made_again_in_that_era(tmp_path: Path) -> None:
    call = ("call", "echo_arguments", "--arg", "text=a", "--arg", "count=1", "--no-validate", "-q")
    for name, era in (("a", "legacy"), ("b", "modern")):
        assert sightline(*call, "--era", era, "--record", f"{name}.jsonl", "demo", cwd=tmp_path).code == 0
    first, second = (
        (tmp_path / f"{name}.jsonl").read_text().splitlines(keepends=True) for name in ("a", "b")
    )
    (tmp_path / "both.jsonl").write_text("".join([*first[:-1], *second[1:]]))
    again = sightline("verify", "both.jsonl", "demo", cwd=tmp_path)
    assert again.code == 0, again.out
    assert "2 made again, 0 with differences" in again.out
    assert "recorded with" not in again.err
    given = sightline("verify", "both.jsonl", "--era", "modern", "demo", cwd=tmp_path)
    assert "recorded with 2025-11-25, verified with 2026-07-28" in given.err
    assert given.err.count("connecting to") == 1


def test_what_the_calls_of_one_era_bring_into_the_session_holds_for_those_of_the_next(tmp_path: Path) -> None:
    both: list[str] = []
    for era, words in (("legacy", ("list_inbox",)), ("modern", ("clean_clock",))):
        made = sightline("call", *words, "--era", era, "--record", f"{era}.jsonl", "-q", "demo", cwd=tmp_path)
        assert made.code == 0, made.err
        lines = (tmp_path / f"{era}.jsonl").read_text().splitlines(keepends=True)
        both += lines[:-1] if not both else lines[1:]
    (tmp_path / "both.jsonl").write_text("".join(both))
    (tmp_path / "policy.toml").write_text(UNTRUSTED)
    ran = sightline("verify", "both.jsonl", "--policy", "policy.toml", "demo", cwd=tmp_path)
    assert ran.code == 10, ran.out
    assert "clean_clock, not made again" in ran.out


def test_a_recording_that_begins_after_the_handshake_is_verified_with_one(tmp_path: Path) -> None:
    call = ("call", "echo_arguments", "--arg", "text=a", "--arg", "count=1", "--no-validate", "-q")
    assert sightline(*call, "--era", "legacy", "--record", "r.jsonl", "demo", cwd=tmp_path).code == 0
    path = tmp_path / "r.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"initialize"' not in line))
    assert sightline("verify", "r.jsonl", "demo", cwd=tmp_path).code == 0
    given = sightline("verify", "r.jsonl", "--era", "modern", "demo", cwd=tmp_path)
    assert "recorded with a handshake, verified with 2026-07-28" in given.err


def test_a_call_that_may_not_be_made_again_is_reported_as_a_failure(folder: Path) -> None:
    ran = sightline("verify", "delete.jsonl", "--format", "json", *COMMAND, cwd=folder)
    assert ran.code == 10
    assert "without your agreement" in ran.json["calls"][0]["unsent"]
    state(folder, tools=1)
    ran = sightline("verify", "delete.jsonl", "--yes", *COMMAND, cwd=folder)
    assert ran.code == 10
    assert "- frame" in ran.out
    assert "the server lists no tool delete" in ran.out
    for words in (
        ("none.jsonl",),
        ("state.json",),
        ("get.jsonl", "--ignore", "x"),
        ("get.jsonl", "--ignore", ""),
    ):
        assert sightline("verify", *words, *COMMAND, cwd=folder).code == 2


def test_a_change_in_a_json_text_is_named_by_its_leaf_and_proposed(folder: Path) -> None:
    text = {"at": 1, "rows": [{"id": 1, "v": 1}], "key": "k"}
    state(folder, unmarked=True, text=text)
    assert sightline("call", "get", "--record", "text.jsonl", "-q", *COMMAND, cwd=folder).code == 0
    ignore = ("--ignore", "/structuredContent/rows", "--ignore", "/content/*/text/rows/*/id")
    state(folder, unmarked=True, text=text | {"rows": [{"id": 2, "v": 1}]})
    ran = sightline("verify", "text.jsonl", *ignore, *COMMAND, cwd=folder)
    assert ran.code == 0, ran.out
    state(folder, unmarked=True, text=text | {"at": 2})
    ran = sightline("verify", "text.jsonl", *ignore, *COMMAND, cwd=folder)
    assert ran.code == 12
    assert "    /content/0/text/at is 2; it was 1\n" in ran.out
    state(folder, unmarked=True, text=text | {"at": "count"})
    proposal = sightline("verify", "text.jsonl", "--propose", "-q", *COMMAND, cwd=folder).out.splitlines()
    assert set(proposal) == {"get:/structuredContent/rows/*/id", "get:/content/*/text/at"}


def test_an_ignored_place_includes_everything_below_it() -> None:
    for word, tool, pointer, covers in (
        ("/a", "t", "/a", True),
        ("/a", "t", "/a/b/0", True),
        ("/a/*/c", "t", "/a/7/c", True),
        ("/a/*/c", "t", "/a/7/d", False),
        ("/a/*", "t", "/a", False),
        ("t:/a", "t", "/a", True),
        ("t:/a", "u", "/a", False),
        ("a:b:/x", "a:b", "/x", True),
    ):
        assert ignored_of(word).covers(tool, pointer) is covers, word
        assert str(ignored_of(word)) == word
    with pytest.raises(UsageError):
        ignored_of("a")


def test_no_withheld_value_is_quoted() -> None:
    before: Json = {"a": "x", "gone": 1}
    now: Json = {"a": {"b": SECRET}, "new": SECRET}
    masked: Json = {"a": "•••", "new": "•••"}
    found = list(differences("t", before, now, masked=masked, removed=["/a", "/new"], ignored=()))
    assert {each.pointer for each in found} == {"/a", "/gone", "/new"}
    assert SECRET not in str(found)
    assert not list(proposed("t", before, now, removed=[""]))
    # A withheld text is not opened: its keys are withheld too.
    one: Json = {"content": [{"text": '{"a": 1}'}]}
    other: Json = {"content": [{"text": f'{{"{SECRET}": 1}}'}]}
    hidden: Json = {"content": [{"text": "•••"}]}
    for pointer in ("/content/0/text", "/content/0", ""):
        (found,) = differences("t", one, other, masked=hidden, removed=[pointer], ignored=())
        assert SECRET not in str(found)
        assert found.pointer == "/content/0/text"
        assert not list(proposed("t", one, other, removed=[pointer]))


@pytest.mark.parametrize(
    ("recorded", "now", "differs"),
    [
        ("see h://a?[withheld query 0123456789abcdef]", "see h://a?q=1", []),
        ("h://a?[withheld query 0123456789abcdef] and b", "h://a?q=1 and b", []),
        ("h://a?[withheld query 0123456789abcdef] and b", "h://a?q=1 and c", ["/a"]),
        ("h://a?[withheld query 0123456789abcdef]", "h://b?q=1", ["/a"]),
        ("a [withheld query 0123456789abcdef] b [withheld query 0123456789abcdef] c", "a 1 b 2 c", []),
        ("a [withheld query 0123456789abcdef] b [withheld query 0123456789abcdef] c", "a 1 2 c", ["/a"]),
        ("ab[withheld query 0123456789abcdef]b", "ab", ["/a"]),
        ("[withheld echo 0123456789abcdef]?[withheld query 0123456789abcdef]", "x?y", ["/a"]),
    ],
)
def test_texts_with_withheld_url_queries_are_compared_without_them(
    recorded: str, now: str, differs: list[str]
) -> None:
    found = differences("t", {"a": recorded}, {"a": now}, masked={"a": now}, removed=[], ignored=())
    assert [each.pointer for each in found] == differs


def test_a_recorded_call_without_an_answer_is_reported_as_not_made(folder: Path) -> None:
    recording = folder / "get.jsonl"
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    (asked,) = [line for line in lines if '"tools/call"' in json.dumps(line) and line.get("frame")]
    again = json.dumps({**asked, "frame": 90}).replace('"name": "get"', '"name": "dies"')
    end = next(index for index, line in enumerate(lines) if "end" in line)
    written = [*map(json.dumps, lines[:end]), again, *map(json.dumps, lines[end:])]
    recording.write_text("\n".join(written) + "\n")
    ran = verified(folder, "--ignore", "/structuredContent/rows")
    assert "frame 90, dies, not made again: the recording has no answer to it" in ran.out
    assert "1 made again" in ran.out
    assert "1 not made" in ran.out
    assert (
        "call: dies, without an answer in the recording: the recording ends before an answer"
        in sightline("replay", str(recording)).out
    )
