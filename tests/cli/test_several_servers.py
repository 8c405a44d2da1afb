"""Several targets on one command line, and invalid combinations."""

import json
from pathlib import Path

import pytest

from inspector.cli import start
from inspector.cli.main import run
from inspector.files.recent import recent_targets
from inspector.launch import Launch
from inspector.protocol.targets import parse_target, short_name, stdio_target

ENTRIES = {
    "git": {"command": "mcp-server-git", "env": {"KEPT": "1"}},
    "far": {"url": "https://far.example/mcp"},
    "off": {"command": "never", "disabled": True},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": ENTRIES}))
    bad = {"command": ["no", "text"]}
    (tmp_path / "half.json").write_text(
        json.dumps({"mcpServers": {"bad": bad, "good": {"command": "good"}, "empty": {}}})
    )
    (tmp_path / "broken.json").write_text(json.dumps({"mcpServers": {"bad": bad, "empty": {}}}))
    (tmp_path / "one.json").write_text(json.dumps({"mcpServers": {"only": {"command": "only"}}}))
    (tmp_path / "session.jsonl").write_text(
        (Path(__file__).parents[2] / "recordings" / "faults.jsonl").read_text()
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(start, "has_terminal", lambda: True)
    return tmp_path


def launched(*words: str) -> tuple[int, tuple[Launch, ...]]:
    found: list[Launch] = []

    def interface(launch: Launch) -> int:
        found.extend((launch, *launch.further))
        return 0

    return run(list(words), interface), tuple(found)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("demo", "mcp.json:git"), {"demo": "demo", "git": "mcp-server-git"}),
        (("mcp.json",), {"git": "mcp-server-git", "far": "https://far.example/mcp"}),
        (("open", "mcp.json:off", "demo"), {"off": "never", "demo": "demo"}),
        (
            ("--config", "mcp.json", "--server", "far", "--server", "git"),
            {"far": "https://far.example/mcp", "git": "mcp-server-git"},
        ),
        (("demo", "--config", "mcp.json", "--server", "git"), {"demo": "demo", "git": "mcp-server-git"}),
        (("demo", "--", "node", "a.js", "--flag"), {"demo": "demo", "a.js": "node a.js --flag"}),
        (("one.json", "http://127.0.0.1:1/mcp"), {"only": "only", "127.0.0.1": "http://127.0.0.1:1/mcp"}),
        (("one.json",), {"": "only"}),
        (("open", "demo"), {"": "demo"}),
    ],
)
def test_each_target_of_a_command_line_is_a_server(words: tuple[str, ...], named: dict[str, str]) -> None:
    code, launches = launched(*words)
    assert code == 0
    assert {each.name: str(each.target) for each in launches} == named
    assert all(each.options.wait_s is None and each.options.roots for each in launches)


@pytest.mark.usefixtures("folder")
def test_general_authorization_options_apply_to_all_servers() -> None:
    urls = ("http://127.0.0.1:1/a", "http://127.0.0.1:1/b")
    code, launches = launched(*urls, "--stored-auth-only", "--no-browser", "--cacert", "ca.pem")
    assert code == 0
    assert [each.options.authorizing.is_stored_only for each in launches] == [True, True]
    assert [each.options.certificates.cacert for each in launches] == ["ca.pem", "ca.pem"]
    code, launches = launched("demo", *urls, "--client-metadata-url", "https://me.example/client.json")
    assert code == 0
    assert [each.options.authorizing.client.metadata_url for each in launches[1:]] == [
        "https://me.example/client.json"
    ] * 2


def test_each_entry_has_its_own_client(folder: Path) -> None:
    entries = {
        name: {"url": f"https://{name}.example/mcp", "oauth": {"clientId": name, "callbackPort": port}}
        for name, port in (("one", 8081), ("two", 8082))
    }
    (folder / "mcp.json").write_text(
        json.dumps({"mcpServers": {**entries, "bare": {"url": "https://bare.example/"}}})
    )
    code, launches = launched("mcp.json", "--stored-auth-only")
    clients = [each.options.authorizing.client for each in launches]
    assert code == 0
    assert [(each.client_id, each.redirect_uri) for each in clients] == [
        ("one", "http://localhost:8081/callback"),
        ("two", "http://localhost:8082/callback"),
        (None, None),
    ]
    code, launches = launched("mcp.json:one", "--client-id", "given", "--scope", "read")
    client = launches[0].options.authorizing.client
    assert (code, client.client_id, client.scope) == (0, "given", "read")
    assert client.redirect_uri == "http://localhost:8081/callback"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("demo", "mcp.json", "--record", "a.jsonl"), "these options only work with one server: --record"),
        (("demo", "mcp.json:git", "-e", "A=b"), "these options only work with one server: -e"),
        (
            ("demo", "mcp.json", "--header", "A: b", "--cwd", "/"),
            "these options only work with one server: --header, --cwd",
        ),
        (
            ("mcp.json", "--insecure"),
            "these options only work with one server: --insecure\n  Open the server alone",
        ),
        (
            ("demo", "http://127.0.0.1:1/", "--client-id", "a"),
            "these options only work with one server: --client-id",
        ),
        (("demo", "stdio:x", "--cacert", "ca.pem"), "only work with HTTP targets"),
        (
            ("demo", "http://127.0.0.1:1/", "--headed"),
            "these options only work with one server: options of web pages",
        ),
        (("demo", "session.jsonl"), "A recording is opened alone"),
        (("--watch", "mcp.json", "demo"), "--watch takes one target"),
        (("--watch", "mcp.json"), "has 3 servers"),
        (("demo", "nothing"), "not a target: nothing"),
        (("demo", "mcp.json:missing"), "has no server missing"),
        (("demo", "half.json:bad"), "half.json, server bad: "),
        (("broken.json",), "broken.json, server bad: "),
        (("list", "demo", "http://127.0.0.1:1/"), "too many words"),
        (("list", "--config", "mcp.json", "--server", "git", "--server", "far"), "two servers: git and far"),
    ],
)
def test_an_invalid_combination_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert launched(*words) == (2, ())
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_an_unreadable_entry_of_a_file_does_not_affect_the_others() -> None:
    code, launches = launched("half.json")
    assert code == 0
    assert [(each.name, str(each.target)) for each in launches] == [
        ("bad", "half.json:bad"),
        ("good", "good"),
        ("empty", "half.json:empty"),
    ]
    reasons = [each.unreadable.message if each.unreadable else "" for each in launches]
    assert [reason.partition(": ")[0] for reason in reasons] == [
        "half.json, server bad",
        "",
        "half.json, server empty",
    ]
    assert all(each.as_saved is None for each in launches if each.unreadable)


@pytest.mark.usefixtures("folder")
def test_several_targets_are_remembered_unless_one_has_a_credential() -> None:
    launched("demo", "mcp.json:git", "--", "node", "a.js")
    launched("demo", "--", "node", "a.js", "--token", "s3cret")
    assert [each.words for each in recent_targets()] == [("demo", "mcp.json:git", "--", "node", "a.js")]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (parse_target("demo"), "demo"),
        (parse_target("https://user:pass@mcp.example:8443/a?key=b"), "mcp.example"),
        (parse_target("web+https://page.example/"), "page.example"),
        (stdio_target(("/opt/bin/mcp-server-git",)), "mcp-server-git"),
        (stdio_target(("npx", "-y", "@modelcontextprotocol/server-everything")), "server-everything"),
        (stdio_target(("python3.11", "-m", "notes.server")), "notes.server"),
        (stdio_target(("uv", "run", "server.py")), "server.py"),
        (stdio_target(("python",)), "python"),
    ],
)
def test_short_names_are_derived_from_targets(target: object, name: str) -> None:
    assert short_name(target) == name  # pyright: ignore[reportArgumentType]
