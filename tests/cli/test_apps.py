"""MCP Apps on the command line, on a server of the official SDK."""

import sys

from tests.cli.sightline import ROOT, sightline

APPS = ("--", sys.executable, str(ROOT / "tests" / "peers" / "apps_server.py"), "stdio")


def test_a_call_names_the_parts_that_only_the_interface_gets() -> None:
    app = sightline("call", "weather", "--format", "json", *APPS).json["app"]
    assert app["uri"] == "ui://weather/panel"
    assert app["onlyApp"] == ["/structuredContent", "/_meta"]
    assert (
        "app: In a host with MCP Apps, the interface ui://weather/panel gets"
        in sightline("call", "weather", *APPS).out
    )
    assert "Only the interface can call the tool" in sightline("call", "refresh", *APPS).out


def test_an_interface_is_read_with_the_permissions_that_it_requests() -> None:
    out = sightline("read", "ui://weather/panel", *APPS).out
    for words in ("send requests to https://api.example", "It asks for camera.", "the origin panel.example"):
        assert words in out
    assert "Its MIME type is text/html;" in sightline("read", "ui://weather/plain", *APPS).out
