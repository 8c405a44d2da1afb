"""`gemini-cli`: the function response parts that Gemini CLI sends."""

import json
import re

from inspector.hosts import javascript
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.python_text import as_dict
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.hosts.typescript_client import Unread, ZodRefused, receive
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_LONG, _HEAD, _TAIL = 40_000, 8_000, 32_000
_CLOSING = "</untrusted_context>"
_DROPPED = frozenset({Part.STRUCTURED, Part.RESULT_META, Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


def _model(call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        failure = answer.failure
        return _failed(
            {"message": f"MCP error {failure.code}: {failure.message}", "isError": True}, call, notes
        )
    received = receive(_completed(answer.result, notes))
    match received:
        case Unread():
            return notes.withhold(received.reason)
        case ZodRefused():
            notes.refused(in_words=True)
            return _failed({"message": received.message, "isError": True}, call, notes)
        case Received():
            if received.is_error:
                javascript.note_structure_changes(answer.result, notes)
                # The error quotes every member of the result, so only unknown members of its blocks are noted.
                notes.dropped({"content": answer.result.get("content")}, frozenset({Part.UNKNOWN}))
                return _reported(received.value, call, notes)
            notes.dropped(answer.result, _DROPPED)
            return _responded(_parts(received, call, notes), call, notes)


def _completed(result: JsonObject, notes: Notes) -> JsonObject:
    """The result, with structured content parsed from its first text if it has none."""
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    if result.get("structuredContent") or not isinstance(first, dict) or first.get("type") != "text":
        return result
    text = first.get("text")
    if not isinstance(text, str):
        return result
    try:
        read: Json = json.loads(text, object_pairs_hook=as_dict, parse_int=float, parse_constant=_no_json)
    except ValueError:
        return result
    except RecursionError:
        notes.beyond("/content/0/text", "a JSON text of this depth; it is kept as text here")
        return result
    notes.change("/content/0/text", "the host also uses a JSON text as structured content")
    return {**result, "structuredContent": read}


def _no_json(constant: str) -> float:
    raise ValueError(constant)


def _failed(error: Json, call: Call, notes: Notes) -> Json:
    return _reported({"error": error}, call, notes)


def _reported(response: JsonObject, call: Call, notes: Notes) -> Json:
    """The function response for a failed call. Its error text quotes the call and the whole answer."""
    notes.change(
        "",
        "the host quotes the call and the whole answer in its error; the call's arguments are not shown here",
    )
    asked = javascript.stringify({"name": call.tool, "args": {}})
    answered = javascript.stringify([{"functionResponse": {"name": call.tool, "response": response}}])
    text = f"MCP tool '{call.tool}' reported tool error for function call: {asked} with response: {answered}"
    return [{"functionResponse": {"name": _function(call, notes), "response": {"error": text}}}]


def _parts(received: Received, call: Call, notes: Notes) -> list[JsonObject]:
    parts: list[JsonObject] = []
    for index, block in enumerate(received.blocks):
        pointer = child("/content", index)
        match block["type"]:
            case "text":
                parts.append({"text": _wrapped(str(block["text"]), pointer, notes)})
            case "resource_link":
                notes.change(pointer, "the host writes a link as text")
                parts.append(
                    {"text": f"Resource Link: {block.get('title') or block['name']} at {block['uri']}"}
                )
            case "resource":
                parts.extend(_resource(block, pointer, call, notes))
            case kind:
                mime_type = str(block["mimeType"])
                text = f"[Tool '{call.tool}' provided the following {kind} data with mime-type: {mime_type}]"
                parts.extend(_media(text, mime_type, block["data"], pointer, notes))
    return parts


def _resource(block: JsonObject, pointer: str, call: Call, notes: Notes) -> list[JsonObject]:
    resource = block["resource"]
    if not isinstance(resource, dict):
        return []
    if resource.get("text"):
        return [{"text": _wrapped(str(resource["text"]), pointer, notes)}]
    if resource.get("blob"):
        mime_type = str(resource.get("mimeType") or "application/octet-stream")
        text = f"[Tool '{call.tool}' provided the following embedded resource with mime-type: {mime_type}]"
        return _media(text, mime_type, resource["blob"], pointer, notes)
    notes.beyond(pointer, "an empty resource; it is omitted here")
    return []


def _media(text: str, mime_type: str, data: Json, pointer: str, notes: Notes) -> list[JsonObject]:
    notes.change(pointer, "the host adds a description before it")
    return [{"text": text}, {"inlineData": {"data": data, "mimeType": mime_type}}]


def _wrapped(text: str, pointer: str, notes: Notes) -> str:
    notes.change(pointer, "the host marks the text as untrusted")
    if _CLOSING in text:
        notes.change(pointer, "the host escapes its own closing tag in the text")
    return f"<untrusted_context>\n{text.replace(_CLOSING, '&lt;/untrusted_context&gt;')}\n{_CLOSING}"


def _responded(parts: list[JsonObject], call: Call, notes: Notes) -> Json:
    name = _function(call, notes)
    texts = [str(part["text"]) for part in parts if "text" in part]
    if len(parts) == len(texts) == 1 and javascript.length(texts[0]) > _LONG:
        return [{"functionResponse": {"name": name, "response": {"output": _cut(texts[0], notes)}}}]
    inline = [part["inlineData"] for part in parts if "inlineData" in part]
    stripped: dict[str, None] = {}
    attached: list[Json] = []
    for part in inline:
        mime_type = str(part["mimeType"]) if isinstance(part, dict) else ""
        if mime_type.startswith(("audio/", "video/")):
            stripped[mime_type] = None
        else:
            attached.append({"inlineData": part})
    if stripped:
        notes.change("/content", "the host strips audio and video")
        kinds = ", ".join(stripped)
        texts.insert(
            0, f"[SYSTEM: Binary content ({kinds}) stripped from response due to protocol limitations.]"
        )
    response: Json = {"output": "\n".join(texts)} if texts else {}
    return [{"functionResponse": {"name": name, "response": response}}, *attached]


def _cut(text: str, notes: Notes) -> str:
    notes.beyond("", "the text around the two ends that remain; only the ends were measured")
    front, back, gone = javascript.head_and_tail(text, _HEAD, _TAIL)
    return (
        f"Output too large. Showing first {javascript.grouped(_HEAD)} and last {javascript.grouped(_TAIL)} characters. "
        f"For full output see: <PATH>\n{front}\n\n... [{javascript.grouped(gone)} characters omitted] ...\n\n{back}"
    )


def _function(call: Call, notes: Notes) -> str:
    name = f"mcp_{call.server}_{call.tool}"
    if _NOT_A_NAME.search(name) or len(name) > _MAX_NAME:
        notes.beyond("", "a tool name that the host has to change")
    return _NOT_A_NAME.sub("_", name)


_NOT_A_NAME = re.compile(r"[^a-zA-Z0-9_.-]")
_MAX_NAME = 63

HOST = Host(
    name="gemini-cli",
    title="Gemini CLI",
    version="0.61.0",
    as_of="2026-11",
    model_gets="no structured content except that of errors; a long text is cut",
    how="observed: by running the binary against a mock of the provider's API",
    source="npm @google/gemini-cli 0.61.0, bundled binary: the last user content of the next request",
    notes="Model gemini-2.5-pro. A single text of more than 40,000 characters is cut; several parts and errors are not.",
    model_view=judged(JAVASCRIPT, _model),
)
