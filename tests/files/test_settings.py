from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.files.settings import Settings, parse, settings
from inspector.protocol.targets import DemoTarget, HttpTarget, StdioTarget, Target

COMMAND = ("node", "my server.js", "--flag")
SERVER = StdioTarget(command=COMMAND)
PINNED = """
[[servers]]
command = "node 'my server.js' --flag"
redeem_origin = "https://vault.example"
"""


def entry(*lines: str) -> bytes:
    return "\n".join(("[[servers]]", 'command = "x"', *lines)).encode()


def origin(text: str, target: Target = SERVER) -> str | None:
    return parse(text.encode(), "config.toml").redeem_origin(target)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    path = tmp_path / "config.toml"
    path.write_text(f"allow_copy = true\n{PINNED}")
    path.chmod(0o600)
    return path


def test_by_default_no_origin_is_pinned_and_copying_is_off(file: Path) -> None:
    file.write_text("")
    assert settings() == Settings(allow_copy=False, pins=(), warning="")
    file.unlink()
    assert settings() == Settings(allow_copy=False, pins=(), warning="")


def test_calls_are_kept_unless_the_user_disables_it(file: Path) -> None:
    assert settings().history
    file.write_text("history = false")
    assert not settings().history


def test_the_configuration_of_the_user_is_read(file: Path) -> None:
    found = settings()
    assert (found.allow_copy, found.warning) == (True, "")
    assert found.redeem_origin(SERVER) == "https://vault.example"
    file.chmod(0o644)
    assert f"chmod 600 {file}" in settings().warning
    file.chmod(0o602)
    with pytest.raises(UsageError, match="can be written by others"):
        settings()


def test_a_configuration_in_the_working_folder_is_ignored(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = file.parent / "project"
    project.mkdir()
    file.rename(project / "config.toml")
    monkeypatch.chdir(project)
    assert settings().redeem_origin(SERVER) is None


@pytest.mark.parametrize(
    "written",
    [
        "\"node 'my server.js' --flag\"",
        '"node my\\\\ server.js   --flag"',
        '["node", "my server.js", "--flag"]',
    ],
)
def test_a_command_is_compared_by_its_words_in_any_quoting(written: str) -> None:
    text = f'[[servers]]\ncommand = {written}\nredeem_origin = "https://vault.example"'
    assert origin(text) == "https://vault.example"


@pytest.mark.parametrize(
    "target",
    [
        StdioTarget(command=("node", "my server.js")),
        StdioTarget(command=(*COMMAND, "--more")),
        StdioTarget(command=("node", "my", "server.js", "--flag")),
        StdioTarget(command=("/srv/node", *COMMAND[1:])),
        StdioTarget(command=COMMAND, environment={"NODE_OPTIONS": "--require ./other.js"}),
        StdioTarget(command=COMMAND, cwd="/srv"),
        HttpTarget(url="https://vault.example/mcp"),
        DemoTarget(),
    ],
)
def test_a_pin_applies_only_to_the_exact_command(target: Target) -> None:
    assert origin(PINNED) == "https://vault.example"
    assert origin(PINNED, target) is None


def test_a_pin_may_allow_variables_and_require_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'{PINNED}environment = ["TOKEN"]\ncwd = "{tmp_path}"'
    here = StdioTarget(command=COMMAND, environment={"TOKEN": "x"}, cwd=str(tmp_path))
    assert origin(text, here) == "https://vault.example"
    assert origin(text, StdioTarget(command=COMMAND, cwd=f"{tmp_path}/../{tmp_path.name}")) is not None
    assert origin(text, SERVER) is None
    monkeypatch.chdir(tmp_path)
    assert origin(text, SERVER) == "https://vault.example"
    elsewhere = PINNED.replace("vault", "other")
    assert origin(f"{elsewhere}{text}", SERVER) == "https://vault.example"
    monkeypatch.chdir("/")
    assert origin(f"{elsewhere}{text}", SERVER) == "https://other.example"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (SERVER, ""),
        (StdioTarget(command=("other",)), ""),
        (HttpTarget(url="https://vault.example/mcp"), ""),
        (
            StdioTarget(command=COMMAND, environment={"B": "", "A": ""}),
            "it does not apply with the variables A, B.",
        ),
        (StdioTarget(command=COMMAND, cwd="/srv"), "it does not apply in the folder /srv."),
    ],
)
def test_the_reason_is_given_if_a_pin_of_the_same_command_does_not_apply(target: Target, reason: str) -> None:
    said = parse(PINNED.encode(), "config.toml").why_unpinned(target)
    assert said.endswith(reason)
    assert bool(said) is bool(reason)
    named = parse(f'{PINNED}cwd = "/srv"'.encode(), "config.toml")
    assert named.why_unpinned(SERVER).endswith("it applies only in the folder /srv.")


@pytest.mark.parametrize(
    ("written", "pinned"),
    [
        ("https://vault.example/", "https://vault.example"),
        ("HTTPS://Vault.Example.:443", "https://vault.example"),
        ("https://vault.example:8443", "https://vault.example:8443"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://[::1]:9", "http://[::1]:9"),
    ],
)
def test_an_origin_is_normalised(written: str, pinned: str) -> None:
    assert origin(PINNED.replace("https://vault.example", written)) == pinned


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("https://vault.example/secrets", "more than scheme, host and port"),
        ("https://vault.example?a=1", "more than scheme, host and port"),
        ("https://vault.example?", "more than scheme, host and port"),
        ("https://vault.example//", "more than scheme, host and port"),
        ("https://me:pw@vault.example", "user info"),
        ("https://vault.example#a", "a fragment"),
        ("http://vault.example", "http is not encrypted"),
        ("ftp://vault.example", "neither http nor https"),
        ("vault.example", "has no scheme"),
        ("https:/vault.example", "no host after two slashes"),
        ("", "it is empty"),
    ],
)
def test_a_value_that_is_not_exactly_an_origin_is_refused(written: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        origin(PINNED.replace("https://vault.example", written))
    assert caught.value.message.startswith("config.toml, line 2: `redeem_origin`: ")
    assert "pw" not in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"allow_copy = true\nservers = = 3", "config.toml: not TOML: Invalid value (at line 2, column 11)"),
        (b"\xff", "config.toml: not TOML: 'utf-8' codec"),
        (b"allow_copy = 1", "Expected `bool`, got `int` - at `$.allow_copy`"),
        (b"alow_copy = true", "unknown field `alow_copy`"),
        (b"servers = 3", "Expected `array`, got `int` - at `$.servers`"),
        (b"# a\n\n" + entry(), "config.toml, line 3: Object missing required field `redeem_origin`"),
        (entry("redeem_orign = 'https://v.example'"), "line 1: Object contains unknown field `redeem_orign`"),
        (PINNED.encode() + entry("redeem_origin = 5"), "line 5: Expected `str`, got `int`"),
        (b"servers = [{command = 'x'}]", "config.toml, servers, number 1: Object missing"),
        (entry("redeem_origin = 'https://v.example'", "cwd = 'here'"), "`cwd`: here is relative"),
        (
            entry("redeem_origin = 'https://v.example'", "cwd = '~nobody-there/x'"),
            "`cwd`: Could not determine",
        ),
        (PINNED.replace("'my server.js'", "'my").encode(), "`command`: No closing quotation"),
        (PINNED.replace("node 'my server.js' --flag", "").encode(), "line 2: `command` is empty"),
        (
            PINNED.replace("\"node 'my server.js' --flag\"", "[]").encode(),
            "config.toml, line 2: `command` is empty",
        ),
        (2 * PINNED.encode(), "line 6: `command`: node 'my server.js' --flag has two entries"),
    ],
)
def test_a_broken_file_is_a_usage_error_with_its_place(raw: bytes, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(raw, "config.toml")
    assert message in caught.value.message
    assert caught.value.hint


def test_the_audit_settings_are_read_as_written() -> None:
    raw = b"""
[audit]
file = "/var/log/audit.jsonl"
[audit.handlers.syslog]
class = "logging.handlers.SysLogHandler"
[audit.formatters.short]
format = "%(message)s"
"""
    found = parse(raw, "config.toml").audit
    assert found.file == Path("/var/log/audit.jsonl")
    assert found.handlers == {"syslog": {"class": "logging.handlers.SysLogHandler"}}
    assert found.formatters == {"short": {"format": "%(message)s"}}
    nothing = parse(b"", "config.toml").audit
    assert (nothing.file, nothing.handlers, nothing.formatters) == (None, {}, {})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('file = "audit.jsonl"', "audit.jsonl is relative"),
        ("file = 5", "`audit`"),
        ('files = "/a"', "`audit`"),
        ('handlers = "x"', "`audit`"),
        ("handlers = { a = 5 }", "`audit`"),
    ],
)
def test_an_invalid_audit_setting_is_a_usage_error(line: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse(f"[audit]\n{line}\n".encode(), "config.toml")


def test_the_message_limit_is_a_whole_number_of_megabytes(file: Path) -> None:
    file.write_text("[limits]\nmessage_mb = 3\n")
    assert settings().max_message_bytes == 3 << 20
    assert parse(b"", "config.toml").max_message_bytes is None
    for wrong in ("0", "-1", "1.5", '"3"', "99999999"):
        with pytest.raises(UsageError, match="`limits`"):
            parse(f"[limits]\nmessage_mb = {wrong}".encode(), "config.toml")
