"""Links to resources in results. Source: MCP 2025-11-25 and 2026-07-28, Tools, "Resource Links"."""

from inspector.json.exact import Json
from inspector.json.members import text_at, value_at
from inspector.json.pointer import join, resolve, split


def link_at(result: Json, pointer: str) -> str | None:
    """The URI of the link at a place, or around it; None where there is none."""
    tokens = split(pointer)
    for length in range(len(tokens), 0, -1):
        try:
            uri = _link(resolve(result, join(tokens[:length])))
        except LookupError:
            continue
        if uri is not None:
            return uri
    return None


def first_link(result: Json) -> str | None:
    """The URI of the first link among the content blocks of a result."""
    content, messages = value_at(result, "content"), value_at(result, "messages")
    blocks = content if isinstance(content, list) else []
    if isinstance(messages, list):
        blocks = [*blocks, *(value_at(message, "content") for message in messages)]
    return next((uri for uri in map(_link, blocks) if uri is not None), None)


def _link(block: Json) -> str | None:
    return text_at(block, "uri") if value_at(block, "type") == "resource_link" else None
