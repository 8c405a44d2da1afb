"""A server on the official Python SDK that asks during a call, which the stateless era does not have. Usage: eliciting_server.py"""

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("asking")


class Who(BaseModel):
    """The answer."""

    name: str


@server.tool()
async def ask(ctx: Context) -> str:
    """Ask the user for a name."""
    return str(await ctx.elicit("Who are you?", Who))


server.run()
