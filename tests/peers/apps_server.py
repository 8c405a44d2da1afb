"""A server on the official Python SDK with an MCP App: a tool, a tool for the interface alone, and the interface.

Usage: apps_server.py stdio | apps_server.py http PORT
"""

import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent

URI = "ui://weather/panel"
MIME = "text/html;profile=mcp-app"
CSP: dict[str, Any] = {"connectDomains": ["https://api.example"], "resourceDomains": []}
server = MCPServer("apps", version="1")


@server.resource(
    URI,
    name="panel",
    mime_type=MIME,
    meta={"ui": {"csp": CSP, "permissions": {"camera": {}}, "domain": "panel.example"}},
)
def panel() -> str:
    return "<!doctype html><title>Weather</title>"


@server.resource("ui://weather/plain", name="plain", mime_type="text/html")
def plain() -> str:
    return "<!doctype html><title>Plain</title>"


@server.tool(meta={"ui": {"resourceUri": URI}})
def weather(city: str = "Paris") -> CallToolResult:
    """The weather of a city."""
    return CallToolResult(
        content=[TextContent(type="text", text=f"{city}: sunny")],
        structured_content={"temperature": 22},
        _meta={"source": "station"},
    )


@server.tool(meta={"ui": {"resourceUri": URI, "visibility": ["app"]}})
def refresh() -> str:
    """Refreshes the panel."""
    return "done"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run(transport="stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
