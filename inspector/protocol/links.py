"""Links to resources in results, and to the files of a skill.

Source: MCP 2025-11-25 and 2026-07-28, Tools, "Resource Links"; SEP-2640.
"""

from inspector.json.exact import Json
from inspector.json.members import text_at, value_at
from inspector.json.pointer import join, resolve, split


def link_at(result: Json, pointer: str) -> str | None:
    """The URI of the link that is, or contains, the value at a pointer; None if there is none."""
    tokens = split(pointer)
    for length in range(len(tokens), 0, -1):
        try:
            uri = _link(resolve(result, join(tokens[:length])))
        except LookupError:
            continue
        if uri is not None:
            return uri
    return None


def skill_file_at(entry: Json, pointer: str) -> str | None:
    """The URI of the skill file to which a pointer into the skill's entry belongs; None if it belongs to no file."""
    tokens = split(pointer)
    if tokens[:1] != ("resources",) or len(tokens) < 2:
        return None
    try:
        return text_at(resolve(entry, join(tokens[:2])), "uri")
    except LookupError:
        return None


def first_link(result: Json) -> str | None:
    """The URI of the first link among the content blocks of a result; None if there is none."""
    content, messages = value_at(result, "content"), value_at(result, "messages")
    blocks = content if isinstance(content, list) else []
    if isinstance(messages, list):
        blocks = [*blocks, *(value_at(message, "content") for message in messages)]
    return next((uri for uri in map(_link, blocks) if uri is not None), None)


def _link(block: Json) -> str | None:
    return text_at(block, "uri") if value_at(block, "type") == "resource_link" else None
