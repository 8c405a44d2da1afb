"""The servers that clients are configured with: listed, and reviewed and pinned after one confirmation."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.sightline import Ran, sightline
from tests.peers.terminal import terminal

SECRET = "hunter2-planted"
# Writes a mark when it is started, and lists one tool.
SERVER = """
import json, os, sys
open(os.environ["MARK"], "a").write(sys.argv[1] + os.environ.get("KEY", "") + "\\n")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and asked["method"] in ("initialize", "tools/list"):
        tools = [{"name": sys.argv[1], "description": "Adds.", "inputSchema": {"type": "object"}}]
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
        answer = {"result": result if asked["method"] == "initialize" else {"tools": tools}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
"""


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which each start is noted, for the servers of three files in a home of the test."""
    (tmp_path / "server.py").write_text(SERVER)
    mark = tmp_path / "started"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def entry(name: str, **more: object) -> dict[str, object]:
        environment = {"MARK": str(mark)} | ({"KEY": more.pop("key")} if "key" in more else {})
        return {
            "command": sys.executable,
            "args": [str(tmp_path / "server.py"), name],
            "env": environment,
            **more,
        }

    def put(name: str, content: object) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))

    put(
        ".cursor/mcp.json",
        {
            "mcpServers": {
                "one": entry("one"),
                "bad": {"command": 5},
                "off": entry("off", disabled=True),
                "gone": {"command": "/no/such"},
                "\x1b[31mred": {"url": f"https://u:{SECRET}@127.0.0.1:1/mcp", "headers": {"A": SECRET}},
            }
        },
    )
    put(".lmstudio/mcp.json", {"mcpServers": {"again": entry("one")}})
    put(
        ".config/Code/User/mcp.json",
        {
            "inputs": [{"id": "key", "type": "promptString", "password": True, "description": "The key"}],
            "servers": {"asks": entry("asks", key="${input:key}")},
        },
    )
    put(".codex/config.toml", f'[mcp_servers.{SECRET}\ncommand = "x"')
    return mark


def started(mark: Path) -> list[str]:
    return mark.read_text().split() if mark.exists() else []


def test_discover_lists_all_servers_and_starts_none(mark: Path) -> None:
    text, found = sightline("discover"), sightline("discover", "--format", "json")
    assert (text.code, found.code) == (0, 0)
    for ran in (text, found):
        assert SECRET not in ran.out + ran.err
        assert "\x1b" not in ran.out
    servers = {each["name"]: each for each in found.json["servers"]}
    assert servers.keys() == {"one", "bad", "off", "gone", "\x1b[31mred", "again", "asks", None}
    assert servers["asks"]["client"] == "VS Code"
    assert servers["asks"]["env"] == {"MARK": "•••", "KEY": "${input:key}"}
    assert servers["\x1b[31mred"]["url"] == "https://127.0.0.1:1/mcp"
    assert "Expected" in servers["bad"]["problem"]
    assert servers["off"]["disabled"]
    assert "is not TOML" in servers[None]["problem"]
    assert f"one: MARK=••• {sys.executable} {mark.parent}/server.py one" in text.out
    assert f"    sightline {mark.parent}/.cursor/mcp.json:one\n" in text.out
    assert "  off (disabled): MARK" in text.out
    assert "  ! bad: Expected" in text.out
    assert started(mark) == []


@pytest.mark.parametrize("command", ["review", "pin"])
def test_no_server_is_started_before_the_user_agrees_to_the_list(command: str, mark: Path) -> None:
    ran = sightline(command, "--installed")
    assert ran.code == 10
    assert f"MARK=••• {sys.executable} {mark.parent}/server.py one" in ran.err
    assert "nothing was started" in ran.err
    assert SECRET not in ran.out + ran.err
    assert "\x1b" not in ran.out + ran.err
    assert started(mark) == []
    for more in (("demo",), ("-e", "A=B"), ("--record", "x.jsonl"), ("--config", "mcp.json")):
        assert sightline(command, "--installed", "--yes", *more).code == 2
    assert started(mark) == []


def test_all_servers_are_reviewed_once_even_if_one_fails(mark: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_INPUT_KEY", SECRET)
    ran = sightline("review", "--installed", "--yes", "--format", "json")
    assert ran.code == 4
    assert started(mark) == ["asks" + SECRET, "one"]
    assert SECRET not in ran.out + ran.err
    report = ran.json
    assert [(each["target"].rpartition(" ")[2], each["tools"]) for each in report["servers"]] == [
        ("asks", 1),
        ("one", 1),
    ]
    missing = {each["what"].rpartition("/")[2]: each["why"] for each in report["notChecked"]}
    assert "No such file" in missing["mcp.json:gone"]
    assert missing["mcp.json:off"] == "it is disabled in its file"
    assert {"mcp.json:bad", "config.toml", "mcp.json:\x1b[31mred"} <= missing.keys()


def test_all_servers_are_pinned_and_checked_and_the_worst_exit_code_wins(mark: Path) -> None:
    def checked(*more: str) -> Ran:
        return sightline("pin", "--installed", "--yes", "--format", "json", *more)

    # The server that needs a key cannot get it here.
    assert checked().code == 4
    assert [each["tools"] for each in checked().json["servers"]] == [["one"]]
    server = mark.parent / "server.py"
    server.write_text(server.read_text().replace('"Adds."', '"Adds and sends."'))
    ran = checked("--check")
    assert ran.code == 12
    assert [each["server"] for each in ran.json["servers"]] == [f"{sys.executable} {server} one"]
    left_out = {each["server"].rpartition("/")[2] for each in ran.json["left_out"]}
    assert {"mcp.json:asks", "mcp.json:gone", "mcp.json:bad", "mcp.json:off"} <= left_out


def test_in_a_terminal_the_list_is_confirmed_and_a_key_is_typed_hidden(mark: Path) -> None:
    argv = [sys.executable, "-m", "inspector", "review", "--installed"]
    with terminal(argv) as screen:
        screen.wait_for("Start them? [y/N]")
        assert started(mark) == []
        screen.press_until("y\r", until="The key (key of")
        assert started(mark) == []
        screen.press_until(f"{SECRET}\r", until="Not checked:")
        assert screen.wait_for_end() == 4
        assert SECRET not in screen.plain()
    assert "asks" + SECRET in started(mark)
    kept = [path for path in mark.parent.rglob("*") if path.is_file() and path != mark]
    assert not [path for path in kept if ("asks" + SECRET).encode() in path.read_bytes()]
    with terminal(argv) as screen:
        screen.wait_for("Start them? [y/N]")
        mark.unlink()
        screen.press("n\r")
        assert screen.wait_for_end() == 10
    assert started(mark) == []
