"""A server on the Python SDK."""

import os
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from plain import KEY
from pydantic import BaseModel, Field

mcp = MCPServer("polar", version="1")


class Made(BaseModel):
    """A new key."""

    id: str
    name: str
    secret: Annotated[str, Field(json_schema_extra={"x-sensitive": True})]


@mcp.tool()
def make_key(name: str) -> Made:
    """Make a key, and mark it."""
    return Made(id="key-1", name=name, secret=KEY)


@mcp.tool()
def process() -> int:
    """The process of this server."""
    return os.getpid()


if __name__ == "__main__":
    mcp.run("stdio")
