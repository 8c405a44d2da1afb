from pathlib import Path

import pytest

from inspector.core.targets import HttpTarget, StdioTarget
from inspector.errors import UsageError
from inspector.store.config import read_target

TWO = """{"mcpServers": {
  "files": {"command": "${RUNNER:-npx}", "args": ["-y", "files"], "env": {"ROOT": "${env:ROOT_DIR}"}, "cwd": "/srv", "x": 1},
  "far": {"url": "https://h.test/mcp", "headers": {"Authorization": "Bearer ${ROOT_DIR}"}}},
 "servers": {"old": {"type": "sse", "url": "http://h.test/sse"}}, "inputs": []}"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ROOT_DIR", "/data")
    monkeypatch.delenv("RUNNER", raising=False)
    path = tmp_path / "mcp.json"
    path.write_text(TWO)
    return str(path)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("files", StdioTarget(command=("npx", "-y", "files"), environment={"ROOT": "/data"}, cwd="/srv")),
        ("far", HttpTarget(url="https://h.test/mcp", headers=(("Authorization", "Bearer /data"),))),
        ("old", HttpTarget(url="http://h.test/sse", older_sse=True)),
    ],
)
def test_an_entry_is_a_target(config: str, name: str, target: StdioTarget | HttpTarget) -> None:
    assert read_target(config, name) == target


def test_the_only_entry_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text('{"servers": {"a": {"command": "x"}}}')
    assert read_target(str(path), None) == StdioTarget(command=("x",))


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (TWO, None, "has 3 servers"),
        (TWO, "none", "has no server none"),
        ("{}", None, "has 0 servers"),
        ("{", None, "Input data was truncated"),
        ('{"servers": {"a": {"command": 5}}}', "a", "Expected `str | null`, got `int`"),
        ('{"servers": {"a": {}}}', "a", "server a: neither command nor url"),
        ('{"servers": {"a": {"command": "${NO_SUCH_VARIABLE}"}}}', "a", "NO_SUCH_VARIABLE is not set"),
        ('{"servers": {"a": {"command": "${input:key}"}}}', "a", "cannot fill in ${input:key}"),
        ('{"servers": {"a": {"url": "ftp://x"}}}', "a", "not a target"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_usage_error(
    tmp_path: Path, text: str, name: str | None, message: str
) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_target(str(path), name)
    assert message in caught.value.message
    assert caught.value.hint


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_target(str(tmp_path / "none.json"), None)


def test_a_file_without_end_or_bottom_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"a": {"command": "x", "y": ' + "[" * 100_000 + "]" * 100_000 + "}}}")
    with pytest.raises(UsageError, match="too deep"):
        read_target(str(path), None)
    with pytest.raises(UsageError, match="is larger than"):
        read_target("/dev/zero", None)
