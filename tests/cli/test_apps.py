"""MCP Apps on the command line, on a server of the official SDK."""

from collections.abc import Iterator

import pytest

from tests.cli.sightline import ROOT, sightline
from tests.peers.sharing import shared


@pytest.fixture(scope="module")
def apps() -> Iterator[str]:
    """The address of the server."""
    with shared(ROOT / "tests" / "peers" / "apps_server.py") as address:
        yield address


def test_a_call_names_the_parts_that_only_the_interface_gets(apps: str) -> None:
    app = sightline("call", "weather", "--format", "json", apps).json["app"]
    assert app["uri"] == "ui://weather/panel"
    assert app["onlyApp"] == ["/structuredContent", "/_meta"]
    assert (
        "app: In a host with MCP Apps, the interface ui://weather/panel gets"
        in sightline("call", "weather", apps).out
    )
    assert "Only the interface can call the tool" in sightline("call", "refresh", apps).out


def test_an_interface_is_read_with_the_permissions_that_it_requests(apps: str) -> None:
    out = sightline("read", "ui://weather/panel", apps).out
    for words in ("send requests to https://api.example", "It asks for camera.", "the origin panel.example"):
        assert words in out
    assert "Its MIME type is text/html;" in sightline("read", "ui://weather/plain", apps).out
