"""`unknown-content`: replaces content blocks of unknown types with a fixed text.

Source: MCP 2025-11-25 and 2026-07-28, Tools, "Tool Result".
"""

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import Draft, Reason, withhold_blocks
from inspector.boundary.notice import UNKNOWN_CONTENT
from inspector.boundary.walking import DUPLICATE_KEY, is_plain
from inspector.json.exact import DuplicateKeys, Json, JsonObject

TEXT_MEMBERS = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
    "resource": (),
}
"""The content types, with their required text members."""


def apply(draft: Draft) -> Draft:
    """Replace each content block of a type that the protocol does not define with a fixed text."""
    return withhold_blocks(draft, lambda block: _reason(block.value), UNKNOWN_CONTENT)


def _reason(block: Json) -> Reason | None:
    if isinstance(block, DuplicateKeys):
        return Reason(rule=Rule.INTERNAL, detail=DUPLICATE_KEY)
    if not isinstance(block, dict):
        return Reason(rule=Rule.UNKNOWN_CONTENT, detail="it is not a content block")
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in TEXT_MEMBERS:
        return Reason(rule=Rule.UNKNOWN_CONTENT, detail="the protocol does not define this content type")
    if not all(isinstance(block.get(key), str) for key in TEXT_MEMBERS[kind]) or not _is_whole(kind, block):
        return Reason(rule=Rule.UNKNOWN_CONTENT, detail="it lacks a required member of its content type")
    if not is_plain(block):
        return Reason(rule=Rule.INTERNAL, detail=f"{DUPLICATE_KEY}, or it contains a secret reference")
    return None


def _is_whole(kind: str, block: JsonObject) -> bool:
    if kind != "resource":
        return True
    resource = block.get("resource")
    return isinstance(resource, dict) and any(isinstance(resource.get(key), str) for key in ("text", "blob"))
