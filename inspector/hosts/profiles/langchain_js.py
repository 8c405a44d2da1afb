"""`langchain-js`: the ToolMessage of LangChain's MCP adapters in LangGraph's ToolNode."""

from inspector.hosts import javascript
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.hosts.typescript_client import Unread, ZodRefused, receive
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_DROPPED = frozenset({Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})
_DROPPED_TOO = frozenset({Part.STRUCTURED, Part.RESULT_META})


def _model(call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        failure = answer.failure
        message = f"McpError: MCP error {failure.code}: {failure.message}"
        return _failed(f"Error calling tool {call.tool}: {message}", notes)
    received = receive(answer.result)
    match received:
        case Unread():
            return notes.withhold(received.reason)
        case ZodRefused():
            notes.refused(in_words=True)
            return _failed(f"Error calling tool {call.tool}: {received.message}", notes)
        case Received():
            notes.dropped(answer.result, _DROPPED)
            if received.is_error:
                return _tool_error(received, answer, call, notes)
            return {"content": _content(received, answer, notes), "status": "success"}


def _failed(message: str, notes: Notes) -> Json:
    notes.change("", "the host adds its own text")
    return {"content": f"Error: {message}\n Please fix your mistakes.", "status": "error"}


def _tool_error(received: Received, answer: ReceivedAnswer, call: Call, notes: Notes) -> Json:
    notes.dropped(answer.result, _DROPPED_TOO)
    texts: list[str] = []
    for index, block in enumerate(received.blocks):
        is_text = block["type"] == "text"
        texts.append(str(block["text"]) if is_text else "")
        if not is_text:
            notes.change(child("/content", index), "only the text of a tool error is passed on")
    message = "\n".join(texts)
    return _failed(f"MCP tool '{call.tool}' on server '{call.server}' returned an error: {message}", notes)


def _content(received: Received, answer: ReceivedAnswer, notes: Notes) -> Json:
    blocks: list[JsonObject] = []
    for index, block in enumerate(received.blocks):
        pointer = child("/content", index)
        if block["type"] == "resource":
            notes.change(
                pointer, "the host keeps embedded resources as artifacts, which the model does not see"
            )
        else:
            blocks.append(_converted(block, pointer, notes))
    if len(blocks) != 1 or blocks[0]["type"] != "text":
        notes.dropped(answer.result, _DROPPED_TOO)
        return list[Json](blocks)
    structured, meta = received.structured, received.meta
    if structured is None and meta is None:
        return blocks[0]["text"]
    notes.change("/content", "the host combines text, structured content and metadata in one JSON text")
    javascript.note_structure_changes(answer.result, notes)
    joined: JsonObject = dict(blocks[0])
    if structured is not None:
        joined["structuredContent"] = structured
    if meta is not None:
        joined["meta"] = meta
    return javascript.stringify(joined)


def _converted(block: JsonObject, pointer: str, notes: Notes) -> JsonObject:
    match block["type"]:
        case "text":
            return {"type": "text", "text": block["text"]}
        case "image":
            url = f"data:{block['mimeType']};base64,{block['data']}"
            return {"type": "image_url", "image_url": {"url": url}}
        case "audio":
            media: JsonObject = {"type": "audio", "source_type": "base64", "data": block["data"]}
            return {**media, "mime_type": block["mimeType"]}
        case _:
            notes.change(pointer, "only the URI and the type of a link are passed on")
            link: JsonObject = {"type": "file", "source_type": "url", "url": block["uri"]}
            return {**link, "mime_type": block["mimeType"]} if "mimeType" in block else link


HOST = Host(
    name="langchain-js",
    title="LangChain MCP adapters (JS) in LangGraph's ToolNode",
    version="1.1.4",
    as_of="2026-11",
    model_gets="structured content and _meta only beside a single text",
    how="observed: by running the code of the adapter",
    source="npm @langchain/mcp-adapters 1.1.4 and @langchain/langgraph 1.0.0: ToolMessage content and status",
    notes="ToolNode turns errors of the adapters into a message.",
    model_view=judged(JAVASCRIPT, _model),
)
