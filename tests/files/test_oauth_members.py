"""The OAuth members of configuration entries, as each client's documentation writes them."""

from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.files.config import installed, read_target
from inspector.protocol.authorization import ClientIdentity
from inspector.protocol.targets import HttpTarget
from inspector.recording.target import secret_values
from inspector.secrets.own_credentials import credentials_of

SECRET = "hunter2-planted"
IGNORED = "keys ignored, because Sightline does not support them: "

# The file, its text, the client of each entry, and parts of what is said of it; nothing else is said.
FILES: dict[str, tuple[str, str, dict[str, ClientIdentity | None], dict[str, tuple[str, ...]]]] = {
    "Claude Code": (
        ".mcp.json",
        """{"mcpServers": {
            "whole": {"type": "http", "url": "https://h.test/mcp", "oauth": {"clientId": "${ID:-it}", "callbackPort": 8080, "scopes": "read  write"}},
            "port": {"type": "http", "url": "https://h.test/mcp", "oauth": {"callbackPort": 8080}},
            "elsewhere": {"type": "sse", "url": "https://h.test/sse", "oauth": {"clientId": "it", "mode": "byo",
                "authServerMetadataUrl": "https://auth.test/.well-known/openid-configuration"}},
            "both": {"type": "http", "url": "https://h.test/mcp", "headers": {"authorization": "Bearer t"}, "oauth": {"clientId": "it"}},
            "command": {"command": "x", "oauth": {"clientId": "it"}},
            "none": {"type": "http", "url": "https://h.test/mcp", "oauth": {}}}}""",
        {
            "whole": ClientIdentity(
                client_id="it", redirect_uri="http://localhost:8080/callback", scope="read write"
            ),
            "port": ClientIdentity(redirect_uri="http://localhost:8080/callback"),
            "elsewhere": ClientIdentity(client_id="it"),
            "both": ClientIdentity(client_id="it"),
            "none": None,
        },
        {
            "elsewhere": (
                "oauth.authServerMetadataUrl is not used: Sightline asks the server",
                f"{IGNORED}oauth.mode",
            ),
            "both": ("oauth is not used: the entry has an Authorization header",),
            "command": (f"{IGNORED}oauth",),
        },
    ),
    "VS Code": (
        ".vscode/mcp.json",
        """{"inputs": [{"type": "promptString", "id": "client", "description": "The client"}],
            "servers": { // registered by hand
              "far": {"type": "http", "url": "https://h.test/mcp", "oauth": {"clientId": "${input:client}",}},
            }}""",
        {"far": ClientIdentity(client_id="<client>", redirect_uri="http://127.0.0.1:33418/")},
        {},
    ),
    "Cursor": (
        ".cursor/mcp.json",
        """{"mcpServers": {
            "far": {"url": "https://h.test/mcp", "auth": {"CLIENT_ID": "${env:ID}", "CLIENT_SECRET": "${env:SECRET}", "scopes": ["read", "write"]}},
            "public": {"url": "https://h.test/mcp", "auth": {"CLIENT_ID": "it", "scopes": []}},
            "word": {"url": "https://h.test/mcp", "auth": "oauth"},
            "local": {"command": "x", "auth": {"CLIENT_ID": "it"}}}}""",
        {
            "far": ClientIdentity(client_id="from the variable", client_secret=SECRET, scope="read write"),
            "public": ClientIdentity(client_id="it"),
            "word": None,
        },
        {"word": (f"{IGNORED}auth",), "local": (f"{IGNORED}auth",)},
    ),
    "Codex": (
        ".codex/config.toml",
        """mcp_oauth_callback_port = 5555
[mcp_servers.far]
url = "https://h.test/mcp"
scopes = ["read", "${ID}"]
oauth_resource = "https://h.test/"
[mcp_servers.far.oauth]
client_id = "${ID}" # as written
callback_port = 33418
callback_url = "http://127.0.0.1:33418/callback"
[mcp_servers.scopes]
url = "https://h.test/mcp"
scopes = ["read"]
[mcp_servers.local]
command = "x"
scopes = ["read"]
""",
        {
            "far": ClientIdentity(client_id="${ID}", scope="read ${ID}"),
            "scopes": ClientIdentity(scope="read"),
        },
        {
            "far": (
                "oauth.callback_port is not used: Codex adds an id",
                "oauth.callback_url is not used: Codex adds an id",
                "oauth_resource is not used: Sightline names the server itself",
            ),
            "local": (f"{IGNORED}scopes",),
        },
    ),
    "Gemini CLI": (
        ".gemini/settings.json",
        """{"mcpServers": {
            "whole": {"httpUrl": "https://h.test/mcp", "oauth": {"enabled": true, "clientId": "$ID", "clientSecret": "$SECRET",
                "scopes": ["read"], "authorizationUrl": "https://auth.test/authorize", "tokenUrl": "https://auth.test/token",
                "redirectUri": "http://localhost:3000/oauth/callback"}},
            "usual": {"httpUrl": "https://h.test/mcp", "oauth": {"clientId": "it"}},
            "hosted": {"httpUrl": "https://h.test/mcp", "oauth": {"clientId": "it", "redirectUri": "https://me.test/callback"}},
            "off": {"url": "https://h.test/sse", "oauth": {"enabled": false, "tokenParamName": "t", "audiences": ["a"]}}}}""",
        {
            "whole": ClientIdentity(
                client_id="from the variable",
                client_secret=SECRET,
                scope="read",
                authorization_url="https://auth.test/authorize",
                token_url="https://auth.test/token",
                redirect_uri="http://localhost:3000/oauth/callback",
            ),
            "usual": ClientIdentity(client_id="it", redirect_uri="http://localhost:7777/oauth/callback"),
            "hosted": ClientIdentity(client_id="it"),
            "off": ClientIdentity(),
        },
        {
            "hosted": ("oauth.redirectUri is not used: Sightline can only listen on 127.0.0.1",),
            "off": (
                "oauth.tokenParamName is not used: Sightline sends tokens in the Authorization header",
                "oauth.audiences is not used: Sightline names the server itself",
                "oauth.enabled is not used: the value is false, but Sightline authorizes whenever",
            ),
        },
    ),
    "Zed": (
        ".zed/settings.json",
        """{"context_servers": {
            "far": {"url": "https://h.test/mcp", "oauth": {"client_id": "$ID", "client_secret": "${SECRET}"}}, // kept as written
            }}""",
        {"far": ClientIdentity(client_id="$ID", client_secret="${SECRET}")},
        {},
    ),
}


def put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.fixture(autouse=True)
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SECRET", SECRET)


@pytest.mark.parametrize("client", FILES)
def test_each_client_says_it_in_its_own_words(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, text, clients, notes = FILES[client]
    path = put(tmp_path, name, text)
    if client != "Claude Code":
        # There, the default counts.
        monkeypatch.setenv("ID", "from the variable")
    for entry in clients.keys() | notes.keys():
        read = read_target(path, entry, ask=lambda wanted: f"<{wanted.id}>")
        if entry in clients:
            assert isinstance(read.target, HttpTarget)
            assert read.target.client == clients[entry], entry
        expected = notes.get(entry, ())
        assert len(read.notes) == len(expected), read.notes
        assert [part for part in expected if part not in "\n".join(read.notes)] == [], read.notes
    assert [each.problem for each in installed() if each.problem] == []


def test_a_secret_of_an_entry_is_a_secret_of_its_target_from_the_start(tmp_path: Path) -> None:
    path = put(tmp_path, *FILES["Gemini CLI"][:2])
    found = {each.name: each for each in installed()}["whole"]
    assert SECRET not in found.shown + repr(found.covered())
    target = read_target(path, "whole").target
    assert SECRET in secret_values(target)
    assert SECRET in credentials_of(target)
    assert SECRET not in repr(target) + str(target)


@pytest.mark.parametrize(
    ("oauth", "says"),
    [
        ('{"clientId": 5}', "Expected `str | null`, got `int` - at `$.oauth.clientId`"),
        (
            f'{{"clientSecret": ["{SECRET}"]}}',
            "Expected `str | null`, got `array` - at `$.oauth.clientSecret`",
        ),
        ('{"callbackPort": 70000}', "$.oauth.callbackPort"),
        ('{"callbackPort": "8080"}', "$.oauth.callbackPort"),
        ('{"scopes": [1]}', "$.oauth.scopes"),
        (r'{"scopes": ["a\"b"]}', "oauth.scopes is not a list of scopes"),
        (f'{{"tokenUrl": "{SECRET}"}}', "oauth.tokenUrl is not an http(s) URL"),
        ('{"clientSecret": "${NOT_SET}"}', "the variable NOT_SET is not set"),
    ],
)
def test_a_member_that_cannot_be_read_is_named_and_not_quoted(oauth: str, says: str, tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "mcp.json",
        f'{{"mcpServers": {{"a": {{"url": "https://h.test/", "oauth": {oauth}}}, "b": {{"url": "https://h.test/"}}}}}}',
    )
    with pytest.raises(UsageError) as caught:
        read_target(path, "a")
    assert says in caught.value.message
    assert SECRET not in caught.value.message + caught.value.hint
    assert read_target(path, "b").notes == ()


def test_placeholders_of_members_that_the_command_line_sets_are_left_alone(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "mcp.json",
        '{"mcpServers": {"a": {"url": "https://h.test/", "oauth": {"clientId": "it", "clientSecret": "${NOT_SET}",'
        ' "redirectUri": "https://me.test/"}}}}',
    )
    read = read_target(path, "a", client=("client_secret", "redirect_uri"))
    assert isinstance(read.target, HttpTarget)
    assert read.target.client == ClientIdentity(client_id="it")
    assert read.notes == ()
