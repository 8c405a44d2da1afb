import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.files.config import read_target
from inspector.protocol.targets import HttpTarget, StdioTarget
from tests.cli.sightline import sightline

SECRET = "hunter2-planted"

TWO = """{"mcpServers": {
  "files": {"command": "${RUNNER:-npx}", "args": ["-y", "files"], "env": {"ROOT": "${env:ROOT_DIR}"}, "cwd": "/srv"},
  "far": {"url": "https://h.test/mcp", "headers": {"Authorization": "Bearer ${ROOT_DIR}"}}},
 "servers": {"old": {"type": "sse", "url": "http://h.test/sse"}}, "inputs": []}"""

# One file per client as its documentation writes it: comments, commas, keys, variables.
CLIENTS: dict[str, tuple[str, StdioTarget | HttpTarget]] = {
    "Claude Desktop": (
        '{"mcpServers": {"it": {"command": "npx", "args": ["-y", "fs", "/a//b"], "env": {"PORT": 8080}}}}',
        StdioTarget(command=("npx", "-y", "fs", "/a//b"), environment={"PORT": "8080"}),
    ),
    "Claude Code": (
        """{"numStartups": 3, "projects": {}, "mcpServers": {"it": {"type": "http", "url": "https://h.test/mcp",
        "headers": {"Authorization": "Bearer ${TOKEN:-none}"}}}}""",
        HttpTarget(url="https://h.test/mcp", headers=(("Authorization", "Bearer none"),), is_declared=True),
    ),
    "VS Code": (
        """{
  // asked for once
  "inputs": [{"type": "promptString", "id": "key", "description": "Key", "password": true}],
  "servers": {
    /* "old": {}, */
    "it": {"type": "stdio", "command": "node", "args": ["${workspaceFolder}/s.js", "http://x//y"],},
  },
}""",
        StdioTarget(command=("node", "{project}/s.js", "http://x//y")),
    ),
    "Cursor": (
        '{"mcpServers": {"it": {"type": "stdio", "command": "${userHome}${pathSeparator}s", "envFile": ".env"}}}',
        StdioTarget(command=("{home}/s",), environment={"MARK": "from the file"}),
    ),
    "Cline": (
        '{"mcpServers": {"it": {"type": "streamableHttp", "url": "http://h.test/mcp", "disabled": false}}}',
        HttpTarget(url="http://h.test/mcp", is_declared=True),
    ),
    "Roo Code": (
        '{"mcpServers": {"it": {"type": "streamable-http", "url": "http://h.test/mcp", "alwaysAllow": []}}}',
        HttpTarget(url="http://h.test/mcp", is_declared=True),
    ),
    "Gemini CLI": (
        '{"mcpServers": {"it": {"httpUrl": "http://h.test/mcp", "timeout": 5000, "trust": false}}}',
        HttpTarget(url="http://h.test/mcp", is_declared=True),
    ),
    "Windsurf": (
        '\ufeff{"mcpServers": {"it": {"serverUrl": "https://h.test/${workspaceFolderBasename}"}}}',
        HttpTarget(url="https://h.test/project"),
    ),
    "SDK examples": (
        '{"mcpServers": {"it": {"transport": "sse", "url": "http://h.test/sse"}}}',
        HttpTarget(url="http://h.test/sse", older_sse=True),
    ),
}


def written(tmp_path: Path, text: str, folder: str = ".") -> str:
    path = tmp_path / "project" / folder / "mcp.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def failure(path: str, name: str | None = None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_target(path, name)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("folder", [".", ".vscode"])
def test_the_file_of_each_client_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setenv("HOME", "/home/it")
    monkeypatch.delenv("TOKEN", raising=False)
    found = dict[str, StdioTarget | HttpTarget]()
    for client, (text, _) in CLIENTS.items():
        path = written(tmp_path, text, folder)
        Path(path).with_name(".env").write_text("MARK=from the file\n")
        server = read_target(path, "it")
        assert read_target(path, None) == server
        assert server.notes == (), client
        found[client] = server.target

    def placed(target: StdioTarget | HttpTarget) -> StdioTarget | HttpTarget:
        if isinstance(target, HttpTarget):
            return target
        words = {"{project}": str(tmp_path / "project"), "{home}": "/home/it"}
        command = target.command
        for word, value in words.items():
            command = tuple(part.replace(word, value) for part in command)
        return replace(target, command=command)

    assert found == {client: placed(target) for client, (_, target) in CLIENTS.items()}


def test_each_entry_of_a_file_is_read_as_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOT_DIR", "/data")
    monkeypatch.delenv("RUNNER", raising=False)
    path = written(tmp_path, TWO)
    assert {name: read_target(path, name).target for name in ("files", "far", "old")} == {
        "files": StdioTarget(command=("npx", "-y", "files"), environment={"ROOT": "/data"}, cwd="/srv"),
        "far": HttpTarget(url="https://h.test/mcp", headers=(("Authorization", "Bearer /data"),)),
        "old": HttpTarget(url="http://h.test/sse", older_sse=True),
    }


def test_a_bad_entry_is_named_with_its_reason_and_the_others_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, '{"mcpServers": {"bad": {"command": 5}, "worse": [], "good": {"command": "x"}}}')
    assert read_target(path, "good").target == StdioTarget(command=("x",))
    assert "server bad: Expected `str | null`, got `int` - at `$.command`" in failure(path, "bad").message
    unnamed = failure(path)
    assert "has 3 servers" in unnamed.message
    assert "It has: good.\nUnreadable: bad (Expected" in unnamed.hint
    assert "worse (Expected" in unnamed.hint
    assert (
        "server bad: Expected" in failure(written(tmp_path, '{"servers": {"bad": {"command": 5}}}')).message
    )


FAILURES = [
    (TWO, None, "has 3 servers", "It has: files, far, old."),
    (TWO, "none", "has no server none", "It has: files, far, old."),
    ("{}", None, "has no servers", "It has: none."),
    ('{"contexts": {}, "projects": {}}', "a", "has no servers", "mcpServers, servers (VS Code)"),
    ('{"contexts": {}, "projects": {}}', "a", "has no servers", "It has: contexts, projects."),
    ('[mcp_servers.a]\ncommand = "x"', "a", "is not JSON: Expected", "mcpServers, servers"),
    ("[]", None, "holds no JSON object", "mcpServers"),
    ('{"mcpServers": []}', None, "the table of servers is not an object", "mcpServers"),
    ("{", None, "is not JSON: Unclosed object", "mcpServers"),
    ('{"servers": {\n  "a" 5}}', None, "Expected colon near line 2, column 7, found `5`", "mcpServers"),
    ('{"servers": {"a": {}}}', "a", "server a: neither command nor url", "httpUrl, serverUrl"),
    ('{"servers": {"a": {"command": "x", "url": "http://h"}}}', "a", "both command and url", '"type"'),
    ('{"servers": {"a": {"url": "http://h", "httpUrl": "http://h"}}}', "a", "both url and httpUrl", "one of"),
    ('{"servers": {"a": {"type": "http", "command": "x"}}}', "a", "no url", "one of url"),
    (
        '{"servers": {"a": {"type": "ws", "url": "ws://h"}}}',
        "a",
        "transport ws is not supported",
        "stdio, http",
    ),
    ('{"servers": {"a": {"type": "sse", "transport": "http", "url": "http://h"}}}', "a", "differ", "Leave"),
    ('{"servers": {"a": {"command": "${NO_SUCH_NAME}"}}}', "a", "NO_SUCH_NAME is not set", "Set NO_SUCH"),
    ('{"servers": {"a": {"command": "${command:x}"}}}', "a", "cannot fill in ${command:x}", "${workspaceF"),
    ('{"servers": {"a": {"url": "ftp://x"}}}', "a", "url is not an http(s) URL: ftp://x", "https://"),
    ('{"servers": {"a": {"url": "demo"}}}', "a", "url is not an http(s) URL: demo", "https://"),
    (
        '{"servers": {"a": {"url": "http://h:port/"}}}',
        "a",
        "url is not an http(s) URL: http://h:port/",
        "https://",
    ),
    (
        '{"servers": {"a": {"command": "x", "envFile": "none"}}}',
        "a",
        "server a: envFile: cannot read",
        "path",
    ),
]


def test_a_file_that_cannot_be_used_is_a_usage_error(tmp_path: Path) -> None:
    for text, name, message, hint in FAILURES:
        error = failure(written(tmp_path, text), name)
        assert message in error.message, text
        assert hint in error.hint, text


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    assert "No such file" in failure(str(tmp_path / "none.json")).message


def test_a_hostile_file_is_refused_in_bounded_time(tmp_path: Path) -> None:
    deep = "[" * 1_000_000
    assert "too deep" in failure(written(tmp_path, '{"mcpServers": {"a": {"y": ' + deep)).message
    assert "is larger than" in failure("/dev/zero").message
    (tmp_path / "raw.json").write_bytes(b'{"servers": "\xff"}')
    assert "is not UTF-8 (byte 13)" in failure(str(tmp_path / "raw.json")).message
    many = json.dumps({"mcpServers": {f"server{number}": {} for number in range(100_000)}})
    assert len(failure(written(tmp_path, many)).hint) < 1_000
    comments = '{"servers": {' + "//\n" * 1_000_000 + '"a": {"command": "x"' + "/**/" * 100_000 + "}}}"
    assert read_target(written(tmp_path, comments), "a").target == StdioTarget(command=("x",))
    # Each would take minutes if the search in a line started again at each of its characters.
    for line in ("A=" + " " * 2_000_000 + "'", "A=x" + " " * 2_000_000 + "'", 'A="' + "\\" * 2_000_001):
        (tmp_path / "project" / ".env").write_text(line)
        path = written(tmp_path, '{"servers": {"a": {"command": "x", "envFile": ".env"}}}')
        assert "line 1 is not NAME=value" in failure(path).message


ENV_LINES = {
    "A=1": "1",
    "export A=1": "1",
    "  A = two words  ": "two words",
    "A=": "",
    "A= # a comment": "",
    "A=x # a comment": "x",
    'A="x # y" # a comment': "x # y",
    "A='it is \\n $B'": "it is \\n $B",
    r'A="a\nb\t\"c\" \\ \d $B"': 'a\nb\t"c" \\ \\d $B',
    "A=b=c==": "b=c==",
    "A=x\u2028y": "x\u2028y",
    "A=1\r\nB=2": "1",
    "# A=0\n\nA=1": "1",
}
NO_ENV_LINES = (
    SECRET,
    f"A={SECRET}#x",
    f'A="{SECRET}',
    f'A=x{SECRET}" # y "',
    f"A='{SECRET}\n'",
    f"1A={SECRET}",
    f"A: {SECRET}",
)


def test_env_overrides_the_variables_of_an_env_file(tmp_path: Path) -> None:
    path = written(tmp_path, '{"servers": {"a": {"command": "x", "env": {"B": "own"}, "envFile": ".env"}}}')
    file = Path(path).with_name(".env")

    def variables(text: str) -> dict[str, str]:
        file.write_text(text, newline="")
        target = read_target(path, "a").target
        assert isinstance(target, StdioTarget)
        return target.environment

    assert {line: variables(line) for line in ENV_LINES} == {
        line: {"A": value, "B": "own"} for line, value in ENV_LINES.items()
    }


def test_an_ambiguous_line_of_an_env_file_is_refused_without_its_value(tmp_path: Path) -> None:
    path = written(tmp_path, '{"servers": {"a": {"command": "x", "envFile": ".env"}}}')
    for line in NO_ENV_LINES:
        Path(path).with_name(".env").write_text(f"# one\n{line}")
        error = failure(path)
        assert "line 2 is not NAME=value" in error.message, line
        assert SECRET not in error.message + error.hint
        ran = sightline("list", path)
        assert ran.code == 2
        assert SECRET not in ran.out + ran.err


def test_a_secret_from_an_input_is_in_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", f"{SECRET}:x")
    for url in ("${PLANTED}", "http://h:${PLANTED}/", "http://[${PLANTED}"):
        error = failure(written(tmp_path, json.dumps({"servers": {"a": {"url": url}}})))
        assert url in error.message
        assert SECRET not in error.message + error.hint
    broken = failure(written(tmp_path, '{"servers": {"a": {"env": {"K": "' + SECRET + '"} "x"}}}'))
    assert "is not JSON" in broken.message
    assert SECRET not in broken.message + broken.hint


ASKING = """{"inputs": [{"id": "api-key", "description": "Key of the search API", "password": true}],
 "servers": {
  "command": {"command": "x", "env": {"KEY": "${input:api-key}"}},
  "words": {"command": "x", "args": ["--key=${input:api-key}"]},
  "far": {"url": "http://h/", "headers": {"X-Key": "${input:api-key}"}}}}"""


def test_an_input_is_described_and_taken_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SIGHTLINE_INPUT_API_KEY", raising=False)
    path = written(tmp_path, ASKING)
    hints = dict[str, str]()
    for name in ("command", "words", "far"):
        error = failure(path, name)
        assert "needs the input api-key, described as: Key of the search API" in error.message
        hints[name] = error.hint
    start = "Set SIGHTLINE_INPUT_API_KEY in the environment"
    assert hints == {
        "command": f"{start}, or give -e KEY=….",
        "words": f"{start}.",
        "far": f"{start}, or give --header 'X-Key: …'.",
    }
    assert read_target(path, "command", environment=["KEY"]).target == StdioTarget(command=("x",))
    assert read_target(path, "far", headers=["x-key"]).target == HttpTarget(url="http://h/")
    monkeypatch.setenv("SIGHTLINE_INPUT_API_KEY", "k")
    assert read_target(path, "command").target == StdioTarget(command=("x",), environment={"KEY": "k"})
    assert read_target(path, "words").target == StdioTarget(command=("x", "--key=k"))
    assert read_target(path, "far").target == HttpTarget(url="http://h/", headers=(("X-Key", "k"),))


def test_settings_of_an_entry_that_are_not_applied_are_noted(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """{"servers": {
  "off": {"command": "x", "disabled": true},
  "also": {"command": "x", "enabled": false},
  "sealed": {"command": "x", "sandboxEnabled": true, "oauth": {}, "description": "fine"},
  "gemini": {"command": "x", "env": {"KEY": "$KEY", "PRICE": "$5"}},
  "both": {"type": "http", "url": "http://h/", "envFile": ".env"}}}""",
    )
    notes = {
        name: " ".join(read_target(path, name).notes) for name in ("off", "also", "sealed", "gemini", "both")
    }
    assert "server off is disabled in the file" in notes["off"]
    assert "server also is disabled in the file" in notes["also"]
    assert notes["sealed"].endswith(": sandboxEnabled, oauth")
    assert notes["gemini"].endswith(": KEY")
    assert notes["both"].endswith(": envFile")


def test_the_command_line_prints_the_notes_and_overrides_the_file(tmp_path: Path) -> None:
    entry = {
        "command": "sh",
        "args": ["-c", 'printf "%s %s" "$KEY" "$MARK" >&2; exit 3'],
        "env": {"KEY": "${input:key}"},
        "envFile": ".env",
        "disabled": True,
        "\x1b[31mred": 1,
    }
    path = written(tmp_path, json.dumps({"servers": {"a": entry}}))
    Path(path).with_name(".env").write_text("MARK=marked")
    ran = sightline("list", path, "-e", "KEY=given")
    assert ran.code == 4
    assert "given marked" in ran.err
    assert "server a is disabled in the file" in ran.err
    assert "red" in ran.err
    assert "\x1b" not in ran.err
