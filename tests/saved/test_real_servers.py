"""Saved and recorded calls on the demo and on a third-party server: equal when repeated, and a changed leaf is named by its pointer."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.json.exact import parse
from inspector.json.pointer import resolve
from tests.cli.sightline import sightline
from tests.connect.real_servers import DEMO, EVERYTHING, RealServer

CALLS: dict[str, dict[str, dict[str, Any]]] = {
    "demo": {
        "list_inbox": {},
        "search_web": {"query": "release"},
        "team_photo": {},
        "generate_api_key": {"name": "it"},
    },
    "server-everything": {
        "get-structured-content": {"location": "Chicago"},
        "echo": {"message": "said"},
        "get-sum": {"a": 2, "b": 3},
        "get-tiny-image": {},
    },
}
CHANGED = {
    "demo": ("list_inbox", "/structuredContent/mails/0/subject"),
    "server-everything": ("get-structured-content", "/structuredContent/humidity"),
}
MOVES = (
    *("--ignore", "generate_api_key:/structuredContent/created"),
    *("--ignore", "generate_api_key:/structuredContent/id"),
    *("--ignore", "team_photo:/content/6/text"),
)
"""The values that differ in each call of the demo: a time, an id, and a password that only its user is shown."""
SERVERS = [DEMO, *([EVERYTHING] if Path(EVERYTHING.command[1]).exists() else [])]


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)
def test_repeated_calls_are_equal_and_a_changed_leaf_is_named(
    server: RealServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for tool, arguments in CALLS[server.name].items():
        words = ("--args", json.dumps(arguments), "--save", tool, "-q", "--", *server.command)
        assert sightline("call", tool, *words).code == 0
    for _ in range(2):
        ran = sightline("run", "calls.toml", "--format", "json")
        assert ran.code == 0, ran.out
        assert [each["name"] for each in ran.json["calls"]] == list(CALLS[server.name])
    checked = sightline("check", "--fail-on", "critical", "--record", "made.jsonl", "--", *server.command)
    assert checked.code == 0, checked.out
    for _ in range(2):
        verified = sightline("verify", "made.jsonl", *MOVES, "--format", "json", "--", *server.command)
        assert (verified.code, len(verified.json["calls"])) == (0, len(CALLS[server.name])), verified.out

    tool, pointer = CHANGED[server.name]
    value = change(tmp_path / "made.jsonl", pointer)
    changed = sightline("verify", "made.jsonl", *MOVES, "--format", "json", "--", *server.command)
    assert changed.code == 12
    assert {
        call["tool"]: [each["pointer"] for each in call["differences"]]
        for call in changed.json["calls"]
        if call["differences"]
    } == {tool: [pointer]}
    expected = json.dumps(f"{value}!")
    Path("one.toml").write_text(
        f'[calls.a]\ntool = "{tool}"\n[calls.a.arguments]\n'
        + "".join(f"{key} = {json.dumps(each)}\n" for key, each in CALLS[server.name][tool].items())
        + f'[calls.a.expect]\nequals = {{ "{pointer}" = {expected} }}\n'
    )
    failed = sightline("run", "one.toml", "--format", "json", "--", *server.command)
    assert failed.code == 14
    assert failed.json["calls"][0]["failures"] == [
        f"equals: {pointer} is {json.dumps(value)}, expected {expected}"
    ]


def change(recording: Path, pointer: str) -> Any:
    """Change one leaf of the recorded result that contains it; return its old value."""
    lines = recording.read_text().splitlines()
    for number, line in enumerate(lines):
        read: Any = parse(line).value
        result = read.get("body", {}).get("result") if "frame" in read else None
        try:
            value = resolve(result, pointer)
        except (LookupError, ValueError):
            continue
        *above, last = pointer.split("/")
        holder: Any = resolve(result, "/".join(above))
        holder[last] = f"{value} changed" if isinstance(value, str) else 0
        lines[number] = json.dumps(read)
        recording.write_text("\n".join(lines) + "\n")
        return value
    raise AssertionError(f"no result has {pointer}")
