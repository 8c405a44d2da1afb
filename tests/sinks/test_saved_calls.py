"""The secrets of saved calls, in all output and files, if a server repeats them in other spellings."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from tests.cli.sightline import ROOT, Ran, sightline
from tests.sinks.searching import files_below, found_in
from tests.sinks.test_own_credentials import drawn

SERVER = """
import json, sys
sys.path.insert(0, {root!r})
from tests.sinks.echoing import repeated
schema = {{"type": "object", "properties": {{"said": {{"type": "integer"}}, "long": {{"type": "string"}}}}}}
tool = {{"inputSchema": {{"type": "object"}}, "outputSchema": schema, "annotations": {{"readOnlyHint": True}}}}
for line in sys.stdin:
    asked = json.loads(line)
    params = asked.get("params", {{}})
    secret = str(params.get("arguments", {{}}).get("query") or params.get("arguments", {{}}).get("api_key"))
    said = repeated(secret)
    answer = {{"error": {{"code": -32601, "message": "no"}}}}
    if asked["method"] == "initialize":
        answer = {{"result": {{"protocolVersion": "2025-11-25", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "s", "version": "1"}}}}}}
    elif asked["method"] == "tools/list":
        answer = {{"result": {{"tools": [{{"name": name, **tool}} for name in ("echo", "fails", "ends")]}}}}
    elif asked["method"] == "tools/call":
        print(said, file=sys.stderr, flush=True)
        log = {{"jsonrpc": "2.0", "method": "notifications/message", "params": {{"level": "error", "data": said}}}}
        print(json.dumps(log), flush=True)
        # The second is cut in the middle of the secret wherever a sentence cuts it.
        found = {{"said": said, "long": "x" * 190 + secret, secret: {{secret: [said]}}}}
        answer = {{"result": {{"content": [{{"type": "text", "text": said}}], "structuredContent": found}}}}
        if params["name"] == "ends":
            sys.exit(3)
        if params["name"] == "fails":
            answer = {{"error": {{"code": -32000, "message": said, "data": {{said: [said]}}}}}}
    if "id" in asked:
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], **answer}}), flush=True)
"""
EXPECT = """
fits_schema = true
contains = "nowhere"
withheld = "/long"
absent_for = "all hosts"
equals = { "/long" = "x", "/said" = "y", "/content/0/text" = "z", "/structuredContent" = 1 }
matches = { properties = { long = { type = "integer" }, said = { enum = ["a"] } }, additionalProperties = false }
at_most_tokens = 1
"""
CALLS = "".join(
    f'[calls.{tool}]\ntool = "{tool}"\nsecrets = {{ query = "SOURCE" }}\n[calls.{tool}.expect]\n{EXPECT}'
    for tool in ("echo", "fails", "ends", "echo_again")
).replace('tool = "echo_again"', 'tool = "echo"')


class Kept(KeyringBackend):
    """A keyring with one password."""

    priority = 9  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    value = ""

    def get_password(self, service: str, username: str) -> str | None:
        return self.value if (service, username) == ("my service", "me/x") else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise AssertionError((service, username, password))

    def delete_password(self, service: str, username: str) -> None:
        raise AssertionError((service, username))


@pytest.fixture(params=["env", "keyring"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """The source of a random secret, and the secret."""
    canary = drawn()
    before = keyring.get_keyring()
    if request.param == "env":
        monkeypatch.setenv("MY_QUERY", canary)
        yield "env:MY_QUERY", canary
    else:
        backend = Kept()
        backend.value = canary
        keyring.set_keyring(backend)
        yield "keyring:my service/me/x", canary
    keyring.set_keyring(before)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").write_text(SERVER.format(root=str(ROOT)))
    return ("--", sys.executable, "server.py")


def clean(ran: Ran, canary: str, *, covered: bool = True) -> Ran:
    """The run, after an assertion that its streams contain no form of the canary, but its mask."""
    said = ran.out + ran.err
    assert found_in(said.encode(), canary) == [], said
    # Text that a sentence cuts is masked before.
    assert canary[:8] not in said
    assert not covered or "•••" in said or "\\u2022" in said
    return ran


def test_no_command_prints_or_writes_the_secret_of_a_saved_call(
    source: tuple[str, str], command: tuple[str, ...], tmp_path: Path
) -> None:
    word, canary = source
    (tmp_path / "calls.toml").write_text(CALLS.replace("SOURCE", word))
    for format_ in ("text", "json", "junit"):
        ran = clean(
            sightline("run", "calls.toml", "--format", format_, "--audit", "a.jsonl", *command), canary
        )
        assert ran.code == 14
        # Each expectation of the first call is printed, and a call after the end of the server is made.
        assert all(f"{key}: " in ran.out for key in ("equals", "matches", "contains", "fits_schema"))
    for format_ in ("text", "json", "sarif", "junit"):
        record = ("--record", f"{format_}.jsonl", "--audit", "a.jsonl", "-o", f"o.{format_}")
        more = ("--sarif", f"{format_}.sarif", "--junit", f"{format_}.xml")
        checked = sightline("check", "--format", format_, *record, *more, *command)
        assert clean(checked, canary, covered=False).code == 14
        assert (
            "•••" in (tmp_path / f"o.{format_}").read_text()
            or "\\u2022" in (tmp_path / f"o.{format_}").read_text()
        )
    for language in ("python", "typescript", "pytest"):
        made = clean(sightline("codegen", "echo", "--as", language, *command), canary, covered=False)
        assert made.code == 0
        assert "echo" in made.out
    assert (
        clean(
            sightline("codegen", "echo", "--as", "curl", "http://127.0.0.1:9/mcp"), canary, covered=False
        ).code
        == 0
    )
    for format_ in ("text", "json", "junit"):
        clean(sightline("verify", "text.jsonl", "--format", format_, *command), canary, covered=False)
    audited = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert {line["event"] for line in audited} == {"decided", "answered"}
    files = files_below(tmp_path)
    assert {"text.jsonl", "a.jsonl", "o.json", "sarif.xml"} <= {Path(name).name for name in files}
    assert [name for name, content in files.items() if found_in(content, canary)] == []


@pytest.mark.parametrize("format_", ["text", "json"])
@pytest.mark.parametrize("tool", ["echo", "fails", "ends"])
def test_saving_a_call_prints_and_writes_no_secret(
    tool: str, format_: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    canary = drawn()
    files = ("--record", "made.jsonl", "--audit", "a.jsonl")
    ran = sightline(
        "call", tool, "--arg", f"api_key={canary}", "--save", "c", "--format", format_, *files, *command
    )
    clean(ran, canary)
    assert "env:API_KEY" in (tmp_path / "calls.toml").read_text()
    found = files_below(tmp_path)
    assert [name for name, content in found.items() if found_in(content, canary)] == []


def test_a_secret_that_cannot_be_saved_is_not_sent(command: tuple[str, ...], tmp_path: Path) -> None:
    ran = sightline("call", "echo", "--args", '{"api_key": ["hunter2-planted"]}', "--save", "c", *command)
    assert ran.code == 2
    assert "the argument api_key may hold a secret" in ran.err
    assert "calling" not in ran.err
    assert not (tmp_path / "calls.toml").exists()
