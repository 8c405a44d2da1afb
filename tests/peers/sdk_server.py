"""A server on the official Python SDK whose list of tools grows: each call of `grow` adds a tool and announces it.

A call of `touch` announces that its resource has changed.

Usage: sdk_server.py stdio | sdk_server.py http PORT
"""

import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("growing", version="1")


@server.tool()
async def grow(ctx: Context) -> str:
    """Add a tool."""
    name = f"grown_{len(await server.list_tools())}"
    server.add_tool(lambda: name, name=name, description="Grown.")
    await ctx.notify_tools_changed()
    return name


@server.resource("note://a")
def note() -> str:
    """A note."""
    return "first"


@server.tool()
async def touch(ctx: Context) -> str:
    """Announce that the note has changed."""
    await ctx.notify_resource_updated("note://a")
    return "touched"


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
