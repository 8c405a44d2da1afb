"""Each client's configuration as its documentation describes it: its place, keys, placeholders and typical mistakes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.files import dialects
from inspector.files.config import FoundServer, Input, installed, read_target
from inspector.protocol.authorization import ClientIdentity
from inspector.protocol.targets import HttpTarget, StdioTarget

SECRET = "hunter2-planted"
Target = StdioTarget | HttpTarget

CODE = ".config/Code/User"
CLINE = f"{CODE}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

# The file under HOME, its text, the targets of its readable entries, the problems of the others.
USERS: dict[str, tuple[str, str, dict[str, Target], dict[str, str]]] = {
    "Claude Desktop": (
        ".config/Claude/claude_desktop_config.json",
        """{"globalShortcut": "", "mcpServers": {
            "files": {"command": "npx", "args": ["-y", "fs", "/home/it/Desktop"], "env": {"KEY": "k"}},
            "broken": {"args": ["x"]}}}""",
        {"files": StdioTarget(command=("npx", "-y", "fs", "/home/it/Desktop"), environment={"KEY": "k"})},
        {"broken": "neither command nor url"},
    ),
    "Claude Code": (
        ".claude.json",
        """{"numStartups": 3, "mcpServers": {
            "both": {"type": "stdio", "command": "users"},
            "far": {"type": "http", "url": "${BASE:-https://h.test}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            "old": {"type": "sse", "url": "https://h.test/sse"},
            "broken": {"type": "http"}},
          "projects": {"{here}": {"mcpServers": {"both": {"command": "locals", "env": {}}}},
                       "/srv/other": {"mcpServers": {"both": {"command": "others", "args": ["${workspaceFolder}"]}}},
                       "/srv/none": {"allowedTools": []}}}""",
        {
            "both": StdioTarget(command=("locals",)),
            "both@/srv/other": StdioTarget(command=("others", "/srv/other"), cwd="/srv/other"),
            "far": HttpTarget(
                url="https://h.test/mcp", headers=(("Authorization", "Bearer t"),), is_declared=True
            ),
            "old": HttpTarget(url="https://h.test/sse", older_sse=True),
        },
        {"broken": "no url"},
    ),
    "VS Code": (
        f"{CODE}/mcp.json",
        """{
            // the user's own
            "inputs": [{"type": "promptString", "id": "key", "description": "The key", "password": true},
                       {"type": "pickString", "id": "zone", "options": ["eu", {"label": "US", "value": "us"}]},
                       {"type": "command", "id": "made", "command": "extension.make"}],
            "servers": {
              "asks": {"type": "stdio", "command": "x", "env": {"KEY": "${input:key}", "ZONE": "${input:zone}"},},
              "far": {"type": "http", "url": "https://h.test/mcp", "headers": {"X-Key": "${input:key}"}},
              "made": {"command": "x", "args": ["${input:made}"]},
              "broken": {"type": "stdio", "command": ["x"]} /* a list is none */
            }}""",
        {
            "asks": StdioTarget(command=("x",), environment={"KEY": "<key>", "ZONE": "<zone>"}),
            "far": HttpTarget(url="https://h.test/mcp", headers=(("X-Key", "<key>"),), is_declared=True),
        },
        {
            "made": "needs the input made, which the client gets from a command",
            "broken": "Expected `str | null`, got `array` - at `$.command`",
        },
    ),
    "VS Code's older settings": (
        f"{CODE}/settings.json",
        """{"editor.tabSize": 2, // of the editor
            "mcp": {"inputs": [], /* none */ "servers": {
            "older": {"command": "x"},
            "far": {"type": "http", "url": "https://h.test/mcp"},
            "broken": {"type": "stdio", "args": ["x"]},}}}""",
        {
            "older": StdioTarget(command=("x",)),
            "far": HttpTarget(url="https://h.test/mcp", is_declared=True),
        },
        {"broken": "neither command nor url"},
    ),
    "Cursor": (
        ".cursor/mcp.json",
        """{"mcpServers": {
            "local": {"command": "${userHome}/s", "args": ["${env:TOKEN}"], "envFile": ".env"},
            "far": {"url": "https://h.test/mcp", "headers": {"A": "${env:TOKEN}"}, "auth": {"CLIENT_ID": "i"}},
            "broken": {"url": 5}}}""",
        {
            "local": StdioTarget(command=("{home}/s", "t"), environment={"MARK": "m"}),
            "far": HttpTarget(
                url="https://h.test/mcp", headers=(("A", "t"),), client=ClientIdentity(client_id="i")
            ),
        },
        {"broken": "Expected `str | null`, got `int`"},
    ),
    "Windsurf": (
        ".codeium/windsurf/mcp_config.json",
        """{"mcpServers": {
            "far": {"serverUrl": "https://h.test/${env:TOKEN}", "headers": {"A": "B"}, "disabledTools": ["x"]},
            "local": {"command": "npx", "args": ["-y", "s"]},
            "unset": {"command": "x", "env": {"A": "${env:NO_SUCH_NAME}"}},
            "broken": {"command": "x", "args": "y"}}}""",
        {
            "far": HttpTarget(url="https://h.test/t", headers=(("A", "B"),)),
            "local": StdioTarget(command=("npx", "-y", "s")),
        },
        {"unset": "the variable NO_SUCH_NAME is not set", "broken": "Expected `array`, got `str`"},
    ),
    "Codex": (
        ".codex/config.toml",
        """model = "m"  # a comment
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs", "${TOKEN}"]
env_vars = ["TOKEN", "NO_SUCH_NAME"]
cwd = "/srv"
startup_timeout_sec = 20
[mcp_servers.docs.env]
MODE = "fast"
[mcp_servers.far]
url = "https://h.test/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { X-Region = "eu", authorization = "replaced" }
env_http_headers = { X-Key = "TOKEN" }
enabled = true
[mcp_servers.unset]
url = "https://h.test/mcp"
bearer_token_env_var = "NO_SUCH_NAME"
[mcp_servers.broken]
command = 5
""",
        {
            "docs": StdioTarget(
                command=("npx", "-y", "docs", "${TOKEN}"),
                environment={"TOKEN": "t", "MODE": "fast"},
                cwd="/srv",
            ),
            "far": HttpTarget(
                url="https://h.test/mcp",
                headers=(("X-Region", "eu"), ("X-Key", "t"), ("Authorization", "Bearer t")),
            ),
        },
        {"unset": "the variable NO_SUCH_NAME is not set", "broken": "Expected `str | null`, got `int`"},
    ),
    "Gemini CLI": (
        ".gemini/settings.json",
        """{"mcp": {"allowed": ["a"]}, /* the servers */ "mcpServers": { // two
            "local": {"command": "x", "args": ["$TOKEN", "${TOKEN}", "$5"], "env": {"A": "$TOKEN"}, "cwd": "./s", "timeout": 1, "trust": false},
            "far": {"httpUrl": "https://h.test/mcp", "headers": {"A": "Bearer $TOKEN"}, "includeTools": ["t"]},
            "broken": {"httpUrl": "ftp://h.test/mcp"}}}""",
        {
            "local": StdioTarget(command=("x", "t", "t", "$5"), environment={"A": "t"}, cwd="./s"),
            "far": HttpTarget(url="https://h.test/mcp", headers=(("A", "Bearer t"),), is_declared=True),
        },
        {"broken": "not an http(s) URL"},
    ),
    "Zed": (
        ".config/zed/settings.json",
        """{ // Zed settings
            "theme": "One", "context_servers": {
            "new": {"source": "custom", "enabled": true, "command": "x", "args": ["${TOKEN}"], "env": {"A": "$TOKEN"}},
            "older": {"command": {"path": "y", "args": ["a"], "env": {"B": "1"}}, "settings": {}},
            "far": {"url": "https://h.test/mcp", "headers": {"A": "B"}},
            "extension": {"source": "extension", "settings": {}},
            }}""",
        {
            "new": StdioTarget(command=("x", "${TOKEN}"), environment={"A": "$TOKEN"}),
            "older": StdioTarget(command=("y", "a"), environment={"B": "1"}),
            "far": HttpTarget(url="https://h.test/mcp", headers=(("A", "B"),)),
        },
        {"extension": "neither command nor url"},
    ),
    "LM Studio": (
        ".lmstudio/mcp.json",
        """{"mcpServers": {"far": {"url": "https://h.test/mcp", "headers": {"Authorization": "Bearer x"}},
            "local": {"command": "x"}, "both": {"command": "x", "url": "http://h.test/"}}}""",
        {
            "far": HttpTarget(url="https://h.test/mcp", headers=(("Authorization", "Bearer x"),)),
            "local": StdioTarget(command=("x",)),
        },
        {"both": "both command and url"},
    ),
    "Cline": (
        CLINE,
        """{"mcpServers": {
            "local": {"command": "node", "args": ["s.js"], "env": {"K": "v"}, "alwaysAllow": ["t"], "disabled": true},
            "new": {"type": "streamableHttp", "url": "https://h.test/mcp", "autoApprove": []},
            "untyped": {"url": "https://h.test/sse"},
            "broken": ["node", "s.js"]}}""",
        {
            "local": StdioTarget(command=("node", "s.js"), environment={"K": "v"}),
            "new": HttpTarget(url="https://h.test/mcp", is_declared=True),
            "untyped": HttpTarget(url="https://h.test/sse", older_sse=True),
        },
        {"broken": "Expected `object`, got `array`"},
    ),
}

SERVER_JSON = """{"name": "io.github.it/weather", "version": "1.0.0", "packages": [
 {"registryType": "npm", "identifier": "@it/weather", "version": "1.2.3", "transport": {"type": "stdio"},
  "packageArguments": [{"type": "positional", "value": "serve"}, {"type": "named", "name": "--port", "default": 5},
    {"type": "named", "name": "--optional", "valueHint": "x"},
    {"type": "named", "name": "--dir", "value": "{root}/data", "variables": {"root": {"isRequired": true, "description": "Where"}}}],
  "environmentVariables": [{"name": "API_KEY", "isRequired": true, "isSecret": true, "description": "The key"},
    {"name": "UNITS", "default": "metric"}, {"name": "MAYBE"}, {"name": "LITERAL", "value": "${TOKEN}"}]},
 {"registry_type": "pypi", "identifier": "weather", "version": "1.2.3", "runtime_hint": "uvx",
  "environment_variables": [{"name": "K", "default": "v"}]},
 {"registryType": "oci", "identifier": "docker.io/it/weather:1.2.3", "environmentVariables": [{"name": "K", "value": "v"}],
  "runtimeArguments": [{"type": "named", "name": "--network", "value": "host"}]},
 {"registryType": "npm", "identifier": "@it/other", "transport": {"type": "streamable-http", "url": "http://localhost/mcp"}},
 {"registryType": "mcpb", "identifier": "https://h.test/w.mcpb"}, {"registryType": "npm", "version": "1.0.0"}],
 "remotes": [{"type": "streamable-http", "url": "https://{tenant}.h.test/mcp", "variables": {"tenant": {"default": "eu"}},
   "headers": [{"name": "X-Key", "isRequired": true, "isSecret": true}, {"name": "X-Maybe"}]},
  {"transport_type": "sse", "url": "https://h.test/sse"}]}"""

DESCRIBED: dict[str, Target] = {
    "npm": StdioTarget(
        command=("npx", "-y", "@it/weather@1.2.3", "serve", "--port", "5", "--dir", "<root>/data"),
        environment={"API_KEY": "<API_KEY>", "UNITS": "metric", "LITERAL": "${TOKEN}"},
    ),
    "pypi": StdioTarget(command=("uvx", "weather@1.2.3"), environment={"K": "v"}),
    "oci": StdioTarget(
        command=(
            *("docker", "run", "-i", "--rm", "--network", "host", "-e", "K"),
            "docker.io/it/weather:1.2.3",
        ),
        environment={"K": "v"},
    ),
    "streamable-http": HttpTarget(
        url="https://eu.h.test/mcp", headers=(("X-Key", "<X-Key>"),), is_declared=True
    ),
    "sse": HttpTarget(url="https://h.test/sse", older_sse=True),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any configuration, and an empty current folder."""
    found = tmp_path / "home"
    found.mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setenv("TOKEN", "t")
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("XDG_CONFIG_HOME", "NO_SUCH_NAME", "BASE", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return found


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def answer(wanted: Input) -> str | None:
    return f"<{wanted.id}>"


def reason(attempt: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as caught:
        attempt()
    return caught.value.message


@pytest.mark.parametrize("client", USERS)
def test_the_file_of_each_client_is_read_despite_broken_entries(client: str, home: Path) -> None:
    name, text, targets, problems = USERS[client]
    path = put(home, name, text.replace("{here}", str(Path.cwd())))
    put(path.parent, ".env", "MARK=m\n")
    read = {name: read_target(str(path), name, ask=answer).target for name in targets}
    written = str(read).replace(str(home), "{home}")
    assert written == str(targets)
    for broken, problem in problems.items():
        assert problem in reason(lambda broken=broken: read_target(str(path), broken, ask=answer))
    found = {each.name: each for each in installed()}
    assert found.keys() == targets.keys() | problems.keys()
    assert all(client.startswith(each.client) and each.path == path for each in found.values())
    assert {name: each.server(answer).target for name, each in found.items() if name in targets} == read
    # The list looks up nothing, so a problem that only appears at the start is not in it yet.
    assert {each.name for each in found.values() if each.problem} == {
        broken
        for broken, problem in problems.items()
        if "is not set" not in problem and "needs" not in problem
    }


def test_a_server_json_gives_a_command_per_package_and_a_url_per_remote(home: Path) -> None:
    path = put(Path.cwd(), "server.json", SERVER_JSON)
    assert home
    assert {name: read_target(str(path), name, ask=answer).target for name in DESCRIBED} == DESCRIBED
    assert "start it, and give its URL" in reason(lambda: read_target(str(path), "npm-2"))
    assert "cannot run a package of mcpb" in reason(lambda: read_target(str(path), "mcpb"))
    assert "cannot run a package of npm" in reason(lambda: read_target(str(path), "npm-3"))
    asked = list[Input]()
    read_target(str(path), "npm", ask=lambda wanted: asked.append(wanted) or "x")
    assert [(each.id, each.is_password, each.description) for each in asked] == [
        ("API_KEY", True, "The key"),
        ("root", False, "Where"),
    ]
    assert {each.name for each in installed()} == {*DESCRIBED, "npm-2", "npm-3", "mcpb"}


def test_an_input_is_requested_as_the_file_describes_it(home: Path) -> None:
    _, text, _, _ = USERS["VS Code"]
    path = put(home, "mcp.json", text.replace('"x"}', '"x", "env": {"A": "${input:unknown}"}}'))
    asked = dict[str, Input]()

    def ask(wanted: Input) -> str:
        asked[wanted.id] = wanted
        return SECRET

    read_target(str(path), "asks", ask=ask)
    assert asked["key"] == Input(file=str(path), id="key", description="The key", is_password=True)
    assert asked["zone"] == Input(file=str(path), id="zone", is_password=False, options=("eu", "us"))
    assert "needs the input key, described as: The key" in reason(lambda: read_target(str(path), "asks"))
    other = put(home, "other.json", '{"servers": {"a": {"command": "x", "args": ["${input:unknown}"]}}}')
    read_target(str(other), "a", ask=ask)
    assert asked["unknown"].is_password


def test_the_list_masks_values_and_shows_names(home: Path) -> None:
    put(
        home,
        ".cursor/mcp.json",
        '{"mcpServers": {"a": {"command": "${RUN:-npx}", "args": ["--token", "%s", "${input:key}"], "env": {"K": "%s",'
        ' "N": "${env:TOKEN}", "D": "${X:-%s}"}}, "b": {"url": "https://h.test/", "headers": {"A": "Bearer ${TOKEN}",'
        ' "C": "%s"}}, "c": {"url": "ftp://u:%s@h"}}}' % ((SECRET,) * 5),
    )
    found = {each.name: each for each in installed()}
    covered = found["a"].covered()
    assert isinstance(covered, StdioTarget)
    assert covered.environment == {"K": "•••", "N": "${env:TOKEN}", "D": "•••"}
    assert str(covered) == "'${RUN:-npx}' --token '•••' '${input:key}'"
    far = found["b"].covered()
    assert isinstance(far, HttpTarget)
    assert far.headers == (("A", "Bearer ${TOKEN}"), ("C", "•••"))
    assert found["c"].problem == "url is not an http(s) URL"


def test_a_file_that_cannot_be_read_is_listed_with_its_reason(home: Path) -> None:
    put(home, ".cursor/mcp.json", f'{{"mcpServers": {{"{SECRET}"')
    put(home, ".codex/config.toml", "[mcp_servers.a\ncommand = 1")
    put(home, ".gemini/settings.json", '{"mcpServers": []}')
    put(home, ".lmstudio/mcp.json", '{"mcpServers": {"good": {"command": "x"}}}')
    put(home, ".config/zed/settings.json", '{"theme": "One"}')
    found = {each.client: each for each in installed()}
    assert "is not JSON" in found["Cursor"].problem
    assert SECRET not in found["Cursor"].problem
    assert "is not TOML" in found["Codex"].problem
    assert "the table of servers is not an object" in found["Gemini CLI"].problem
    assert found["LM Studio"].name == "good"
    assert "Zed" not in found
    assert all(reason(each.server) and reason(each.covered) for each in found.values() if not each.name)
    deep = put(home, "deep.toml", "a = " + "[" * 100_000)
    assert "nested too deep" in reason(lambda: read_target(str(deep), None))


def test_the_searched_places_depend_on_the_system_and_environment_variables(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def places() -> set[str]:
        return {str(path).replace(str(home), "~") for _, path in dialects.usual_places()}

    linux = {
        "~/.config/Claude/claude_desktop_config.json",
        "~/.config/zed/settings.json",
        f"~/{CODE}/mcp.json",
    }
    assert linux | {"~/.codex/config.toml", ".mcp.json", "server.json"} <= places()
    monkeypatch.setenv("XDG_CONFIG_HOME", "/x")
    monkeypatch.setenv("CODEX_HOME", "/c")
    monkeypatch.setenv("CLINE_MCP_SETTINGS_PATH", "/cline.json")
    assert {"/x/zed/settings.json", "/c/config.toml", "/cline.json"} <= places()
    assert not linux & places()
    monkeypatch.setattr("sys.platform", "darwin")
    assert "~/Library/Application Support/Code/User/mcp.json" in places()
    assert "~/.config/zed/settings.json" in places()


def test_files_of_the_project_are_listed_first(home: Path) -> None:
    text = '{"mcpServers": {"a": {"command": "x"}}}'
    for name in (".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"):
        put(Path.cwd(), name, text)
    put(Path.cwd(), ".codex/config.toml", '[mcp_servers.a]\ncommand = "x"')
    put(Path.cwd(), ".zed/settings.json", '{"context_servers": {"a": {"command": "x"}}}')
    put(Path.cwd(), ".vscode/mcp.json", '{"servers": {"a": {"command": "x"}}}')
    put(home, ".claude.json", text)

    def shown(found: FoundServer) -> tuple[str, str]:
        return found.client, found.word.replace(str(home), "~")

    assert [shown(each) for each in installed()] == [
        ("Claude Code", ".mcp.json:a"),
        ("VS Code", ".vscode/mcp.json:a"),
        ("Cursor", ".cursor/mcp.json:a"),
        ("Codex", ".codex/config.toml:a"),
        ("Gemini CLI", ".gemini/settings.json:a"),
        ("Zed", ".zed/settings.json:a"),
        ("Claude Code", "~/.claude.json:a"),
    ]
