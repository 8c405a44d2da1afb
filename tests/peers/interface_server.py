"""A server on the official Python SDK with an interface that tries everything.

Usage: interface_server.py HTML DECLARED, where HTML is the file of the interface and DECLARED the origin that it declares.
"""

import sys
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

URI = "ui://weather/panel"
UI: dict[str, Any] = {"resourceUri": URI}
CSP: dict[str, Any] = {"connectDomains": [sys.argv[2], "https://*.example; script-src *"]}
server = MCPServer("interfaces", version="1")


class Weather(BaseModel):
    temperature: int
    key: Annotated[str, Field(json_schema_extra={"x-sensitive": True})]


@server.resource(
    URI, name="panel", mime_type="text/html;profile=mcp-app", meta={"ui": {"csp": CSP, "permissions": {}}}
)
def panel() -> str:
    return Path(sys.argv[1]).read_text()


@server.tool(meta={"ui": UI})
def weather(city: str = "Paris") -> Annotated[CallToolResult, Weather]:
    """The weather of a city."""
    return CallToolResult(
        content=[TextContent(type="text", text=f"{city}: sunny")],
        structured_content={"temperature": 22, "key": "hunter2-hunter2"},
        _meta={"source": "station"},
    )


@server.tool(meta={"ui": {**UI, "visibility": ["app"]}})
def refresh(times: int = 1) -> str:
    """Refreshes the panel."""
    return f"refreshed {times} times"


@server.tool(meta={"ui": {**UI, "visibility": ["model"]}})
def for_models() -> str:
    """For models alone."""
    return "called"


if __name__ == "__main__":
    server.run(transport="stdio")
