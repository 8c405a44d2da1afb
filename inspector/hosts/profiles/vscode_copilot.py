"""`vscode-copilot`: the result parts that VS Code creates for Copilot.

The profile follows the source code of VS Code; it was not compared with a running program.
"""

import base64

from inspector.hosts import javascript
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_LINK_TYPE = "application/vnd.code.resource-link"
_IMAGE_TYPES = frozenset({"image/jpeg", "image/jpg", "image/png", "image/gif", "image/webp"})
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.BLOCK_META})


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    notes.beyond("", "this host was never run; shown as in its source code")
    if answer.failure:
        return notes.withhold("the call throws, and the source does not show what the model gets")
    content = answer.result.get("content")
    if not isinstance(content, list):
        return notes.withhold("content that is not a list")
    notes.dropped(answer.result, _DROPPED)
    structured = answer.result.get("structuredContent")
    parts: list[Json] = []
    for index, block in enumerate(content):
        part = _part(block, child("/content", index), notes, has_structure=_is_true(structured))
        if part is not None:
            parts.append(part)
    if _is_true(structured):
        javascript.note_structure_changes(answer.result, notes)
        parts.append({"kind": "text", "value": javascript.stringify(structured), "audience": ["assistant"]})
    return {"content": parts}


def _is_true(value: Json) -> bool:
    return value is not None and value not in (False, 0, "")


def _part(block: Json, pointer: str, notes: Notes, *, has_structure: bool) -> JsonObject | None:
    """The part that a block becomes; None if the host skips the block."""
    if not isinstance(block, dict):
        notes.change(pointer, "the host skips unknown blocks")
        return None
    audience = _audience(block)
    if audience is not None and "assistant" not in audience:
        notes.change(pointer, "a block whose audience excludes the model is omitted")
        return None
    part = _made(block, pointer, notes, has_structure=has_structure)
    return {**part, "audience": list[Json](audience)} if part is not None and audience is not None else part


def _audience(block: JsonObject) -> list[str] | None:
    annotations = block.get("annotations")
    audience = annotations.get("audience") if isinstance(annotations, dict) else None
    if not isinstance(audience, list):
        return None
    return [role for role in audience if isinstance(role, str) and role in {"user", "assistant"}]


def _made(block: JsonObject, pointer: str, notes: Notes, *, has_structure: bool) -> JsonObject | None:
    match block.get("type"), block.get("resource"):
        case "text", _:
            if not has_structure:
                return {"kind": "text", "value": block.get("text")}
            notes.change(pointer, "structured content replaces text")
        case "image" | "audio", _:
            return _data(block.get("data"), block.get("mimeType") or "image/png", pointer, notes)
        case "resource_link", _ if _is_image(block):
            notes.change(pointer, "the host loads the linked image; it is not shown here")
        case "resource_link", _:
            return _link(block, pointer, notes)
        case "resource", dict(resource):
            if _is_image(resource) and "blob" in resource:
                return _data(resource["blob"], resource["mimeType"], pointer, notes)
            return _link(resource, pointer, notes)
        case _:
            notes.change(pointer, "the host skips unknown blocks")
    return None


def _is_image(value: JsonObject) -> bool:
    mime_type = value.get("mimeType")
    return isinstance(mime_type, str) and mime_type in _IMAGE_TYPES


def _data(data: Json, mime_type: Json, pointer: str, notes: Notes) -> JsonObject | None:
    notes.change(pointer, "the host scales images down; they are shown as sent")
    try:
        raw = base64.b64decode(data if isinstance(data, str) else "")
    except ValueError:
        notes.change(pointer, "data that is not base64; it is omitted here")
        return None
    encoded = base64.b64encode(raw).decode()
    return {"kind": "data", "value": {"mimeType": mime_type, "data": {"$bytes": encoded}}}


def _link(value: JsonObject, pointer: str, notes: Notes) -> JsonObject:
    notes.change(pointer, "the host passes on a link under its own URI")
    link: JsonObject = {"uri": "<ID>"}
    if "mimeType" in value:
        link["underlyingMimeType"] = value["mimeType"]
    return {"kind": "data", "value": {"mimeType": _LINK_TYPE, "data": javascript.stringify(link)}}


HOST = Host(
    name="vscode-copilot",
    title="VS Code, Copilot Chat",
    version="source of 2026-08",
    as_of="2026-08",
    model_gets="structured content, or else text; no error flag; honours the audience",
    how="source only, not run",
    source="github.com/microsoft/vscode, contrib/mcp/common/mcpLanguageModelToolContribution.ts",
    notes="Copilot's further processing of these parts is not known.",
    model_view=judged(JAVASCRIPT, _model),
)
