"""A server on the official Python SDK whose list of tools grows: each call of `grow` adds a tool and announces it.

A call of `touch` announces that its resource has changed; one of `ask_model` asks for an answer that may use tools.

Usage: sdk_server.py stdio | sdk_server.py http PORT
"""

import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    Tool,
)

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


ASKED = SamplingMessage(role="user", content=TextContent(type="text", text="What is the weather?"))
OFFERED = Tool(name="weather", input_schema={"type": "object"})


@server.tool()
async def ask_model(ctx: Context) -> str | InputRequiredResult:
    """Ask for sampling with a tool, as the era of the session has it."""
    if not (ctx.protocol_version or "").startswith("2026"):
        answer = await ctx.session.create_message(  # pyright: ignore[reportDeprecated]
            messages=[ASKED], max_tokens=9, tools=[OFFERED]
        )
        return answer.model_dump_json()
    if ctx.input_responses:
        return str(ctx.input_responses)
    params = CreateMessageRequestParams(messages=[ASKED], max_tokens=9, tools=[OFFERED])
    return InputRequiredResult(input_requests={"q": CreateMessageRequest(params=params)})


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
