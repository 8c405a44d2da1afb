import pytest

from inspector.errors import UsageError
from inspector.protocol.targets import (
    ConfiguredTarget,
    DemoTarget,
    HttpTarget,
    StdioTarget,
    WrittenTarget,
    parse_target,
)


@pytest.mark.parametrize(
    ("word", "target"),
    [
        ("demo", DemoTarget()),
        ("stdio:node 'my server.js' --flag", StdioTarget(command=("node", "my server.js", "--flag"))),
        ("https://h.test/mcp?x=1", HttpTarget(url="https://h.test/mcp?x=1")),
        ("sse+http://h.test:8/sse", HttpTarget(url="http://h.test:8/sse", older_sse=True)),
        ("mcp.json:files", ConfiguredTarget(path="mcp.json", name="files")),
        ("/etc/mcp.json", ConfiguredTarget(path="/etc/mcp.json", name=None)),
        ("mcp.jsonc:files", ConfiguredTarget(path="mcp.jsonc", name="files")),
        ("config.toml:files", ConfiguredTarget(path="config.toml", name="files")),
    ],
)
def test_a_target_is_parsed_from_the_command_line(word: str, target: WrittenTarget) -> None:
    assert parse_target(word) == target


@pytest.mark.parametrize(
    "word", ["", "ftp://x", "node", "stdio:", "stdio:'node", "https://", "http://h:port/", "http://[::1/"]
)
def test_an_invalid_target_is_a_usage_error_with_a_hint(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_target(word)
    assert caught.value.hint


def test_a_target_is_shown_without_user_or_query() -> None:
    assert str(HttpTarget(url="https://me:pw@h.test:8/mcp?token=t#f")) == "https://h.test:8/mcp"
    assert str(StdioTarget(command=("a b", "c"))) == "'a b' c"
