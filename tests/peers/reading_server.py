"""A server on the official Python SDK with resources, templates, prompts and completions, as a third party would write it.

Usage: reading_server.py stdio | reading_server.py http PORT
"""

import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.types import (
    Annotations,
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceLink,
    ResourceTemplateReference,
)

server = MCPServer("reading", version="1", instructions="Read the notes before you answer.")
BOOKS = {"fiction": ["Dune", "Emma"], "science": ["Cosmos", "Origin"]}


@server.resource("note://today", name="today", mime_type="text/plain", description="The note of today.")
def today() -> str:
    return "Buy milk."


@server.resource("note://private", name="private", annotations=Annotations(audience=["user"]))
def private() -> str:
    return "For the user alone: 4711-SECRET"


@server.resource("note://picture", name="picture", mime_type="image/png")
def picture() -> bytes:
    return b"\x89PNG"


@server.resource("shelf://{genre}/{title}", name="book", description="One book of the shelf.")
async def book(genre: str, title: str, ctx: Context) -> str:
    await ctx.info(f"somebody reads {title}")  # pyright: ignore[reportDeprecated]
    return f"{title} is {genre}."


@server.prompt(description="Asks about one book.")
async def discuss(genre: str, title: str, tone: str = "calm") -> str:
    return f"Let us discuss {title}, which is {genre}, in a {tone} tone."


@server.prompt(description="Needs nothing.")
def hello() -> str:
    return "Say hello."


@server.tool()
def find(title: str) -> ResourceLink:
    """Find a book."""
    genre = next((genre for genre, titles in BOOKS.items() if title in titles), "fiction")
    return ResourceLink(type="resource_link", uri=f"shelf://{genre}/{title}", name=title)


@server.tool()
async def write(text: str, ctx: Context) -> str:
    """Add a prompt and a resource, and say so."""
    server.add_prompt(_prompt_of(text))
    await ctx.notify_prompts_changed()
    await ctx.notify_resources_changed()
    return "written"


def _prompt_of(text: str) -> Prompt:
    def written() -> str:
        return text

    return Prompt.from_function(written, name=f"written_{len(text)}")


@server.completion()
async def complete(
    _ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion | None:
    filled = (context.arguments or {}) if context else {}
    known = BOOKS.get(filled.get("genre", ""), []) if argument.name == "title" else [*BOOKS]
    return Completion(values=[each for each in known if each.lower().startswith(argument.value.lower())])


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
