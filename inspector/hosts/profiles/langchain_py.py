"""`langchain-py`: the ToolMessage of LangChain's MCP adapters."""

from inspector.hosts.facts import PYDANTIC
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.pydantic_check import rewritten
from inspector.hosts.python_client import PydanticRefused, receive_first
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_DROPPED = frozenset({Part.STRUCTURED, Part.RESULT_META, Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})
_RAISES = "the host raises an error, so the model gets nothing from the call"


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        notes.change("", _RAISES)
        return {"$raises": f"McpError: {answer.failure.message}"}
    received = receive_first(answer.result)
    match received:
        case PydanticRefused():
            return _raised(f"ValidationError: {received.text}", notes)
        case Received():
            return _message(received, answer, notes)


def _raised(message: str, notes: Notes) -> Json:
    notes.refused_with(_RAISES)
    return {"$raises": message}


def _message(received: Received, answer: ReceivedAnswer, notes: Notes) -> Json:
    content: list[Json] = []
    for index, block in enumerate(received.blocks):
        if block["type"] == "audio":
            message = "AudioContent conversion to LangChain content blocks is not yet supported"
            error = f"NotImplementedError: {message}. Received audio with mime type: {block['mimeType']}"
            return _raised(error, notes)
        converted = _converted(block, child("/content", index), notes)
        if isinstance(converted, str):
            return _raised(converted, notes)
        content.append(converted)
    notes.dropped(answer.result, _DROPPED)
    if received.is_error and not content:
        notes.beyond("/content", "an error without content; shown as in the public source")
        content.append(_block("text", text="MCP tool returned an error with empty content."))
    artifact: Json = None
    if received.structured is not None and not received.is_error:
        artifact = {"structured_content": received.structured}
    status = "error" if received.is_error else "success"
    return {"content": content, "status": status, "$not_sent": {"artifact": artifact}}


def _converted(block: JsonObject, pointer: str, notes: Notes) -> JsonObject | str:
    """A block in LangChain's form, or the text of the error that it causes."""
    match block["type"], block.get("resource"):
        case "text", _:
            return {"type": "text", "text": block["text"], "id": _ID}
        case "image", _:
            return _binary("image", block["data"], block["mimeType"], pointer, notes)
        case "resource", dict(resource):
            if "text" in resource:
                return {"type": "text", "text": resource["text"], "id": _ID}
            return _binary(_kind(resource), resource["blob"], resource.get("mimeType"), pointer, notes)
        case _:
            return _link(block, pointer, notes)


def _kind(value: JsonObject) -> str:
    mime_type = value.get("mimeType")
    return "image" if isinstance(mime_type, str) and mime_type.startswith("image/") else "file"


def _binary(kind: str, data: Json, mime_type: Json, pointer: str, notes: Notes) -> JsonObject | str:
    if not data or (kind == "file" and not mime_type):
        notes.beyond(pointer, "missing bytes, or bytes without a type; shown as in the public source")
        lacking = "mime_type is required when using base64 data" if data else _NO_SOURCE
        return f"ValueError: {lacking}"
    block: JsonObject = {"type": kind, "id": _ID, "base64": data}
    return {**block, "mime_type": mime_type} if mime_type or kind == "image" else block


def _link(block: JsonObject, pointer: str, notes: Notes) -> JsonObject:
    notes.change(pointer, "only the URI and the type of a link are passed on")
    uri = rewritten(str(block["uri"]))
    if not uri.certain:
        notes.beyond(child(pointer, "uri"), "the host's form of this URI; it is shown as sent")
    link = _block(_kind(block), url=uri.text)
    return {**link, "mime_type": block["mimeType"]} if block.get("mimeType") else link


def _block(kind: str, **members: str) -> JsonObject:
    return {"type": kind, "id": _ID, **members}


_ID = "lc_<ID>"
_NO_SOURCE = "Must provide one of: url, base64, or file_id"

HOST = Host(
    name="langchain-py",
    title="LangChain MCP adapters (Python)",
    version="0.3.2",
    as_of="2026-11",
    model_gets="no structured content",
    how="observed: by running the code of the adapter",
    source="PyPI langchain-mcp-adapters 0.3.2, tools.py, with langchain-core 1.7.2: ToolMessage content and status",
    notes="Client library mcp 1.30.0. `$not_sent` holds what the host does not send.",
    model_view=judged(PYDANTIC, _model),
)
