"""`semantic-kernel`: the tool message of Semantic Kernel, a Python repr of its content."""

import re

from inspector.hosts.facts import PYDANTIC
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.pydantic_check import rewritten
from inspector.hosts.python_client import PydanticRefused, model_repr, receive_first
from inspector.hosts.python_text import represented
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_DROPPED = frozenset({Part.STRUCTURED, Part.ERROR_FLAG, Part.RESULT_META})
_CLASSES = {
    "image": ("ImageContent", "image"),
    "audio": ("AudioContent", "audio"),
    "resource": ("BinaryContent", "binary"),
}
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")


def _model(call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        notes.change("/error", "the host adds its own text")
        return _failed(call, answer.failure.message)
    received = receive_first(answer.result)
    match received:
        case PydanticRefused():
            notes.refused(in_words=False)
            return _failed(call, _refusal(call))
        case Received():
            return _success(received, answer, call, notes)


def _refusal(call: Call) -> str:
    return f"Failed to call tool '{call.tool}'."


def _failed(call: Call, why: str) -> Json:
    function = f"{call.server}-{_NOT_A_NAME.sub('-', call.tool)}"
    return {"role": "tool", "content": f"An error occurred while invoking the function {function}: {why}"}


def _success(received: Received, answer: ReceivedAnswer, call: Call, notes: Notes) -> Json:
    converted: list[str] = []
    for index, block in enumerate(received.blocks):
        pointer = child("/content", index)
        text = _converted(block, pointer, notes)
        if text is None:
            notes.change(pointer, "the host fails at this block, so the model gets nothing of the result")
            return _failed(call, _refusal(call))
        notes.change(pointer, "the host writes a Python repr of the block with all its members")
        converted.append(text)
    notes.dropped(answer.result, _DROPPED)
    return {"role": "tool", "content": f"[{', '.join(converted)}]"}


def _converted(block: JsonObject, pointer: str, notes: Notes) -> str | None:
    """The repr of a block; None if the host fails."""
    match block["type"], block.get("resource"):
        case "text", _:
            return _text(block, block["text"], {})
        case "image" | "audio", _:
            return _binary(block, block["data"], block["mimeType"], {}, pointer, notes)
        case "resource", dict(resource):
            if not rewritten(str(resource["uri"])).certain:
                notes.beyond(pointer, "the host's form of this URI; it is shown as sent")
            annotations = _annotations(block)
            if annotations:
                notes.beyond(pointer, "annotations of a resource; shown as in the public source")
            if "text" in resource:
                return _text(block, resource["text"], annotations)
            return _binary(block, resource["blob"], "text/plain", annotations, pointer, notes)
        case _:
            return None


def _annotations(block: JsonObject) -> JsonObject:
    annotations = block.get("annotations")
    if not isinstance(annotations, dict):
        return {}
    return {"audience": annotations.get("audience"), "priority": annotations.get("priority"), **annotations}


def _start(name: str, block: JsonObject, metadata: JsonObject, kind: str) -> str:
    inner = f"inner_content={model_repr(block)}, ai_model_id=None"
    return f"{name}({inner}, metadata={represented(metadata)}, content_type='{kind}'"


def _text(block: JsonObject, text: Json, metadata: JsonObject) -> str:
    return f"{_start('TextContent', block, metadata, 'text')}, text={represented(text)}, encoding=None)"


def _binary(
    block: JsonObject, data: Json, mime_type: Json, metadata: JsonObject, pointer: str, notes: Notes
) -> str | None:
    if not data or not mime_type:
        notes.beyond(pointer, "missing bytes, or bytes without a type; the host is assumed to fail")
        return None
    beside = "".join(f";{key}={_str(value)}" for key, value in metadata.items())
    name, kind = _CLASSES[str(block["type"])]
    uri = represented(f"data:{mime_type}{beside};,{data}")
    return f"{_start(name, block, metadata, kind)}, uri=None, data_uri={uri})"


def _str(value: Json) -> str:
    return value if isinstance(value, str) else represented(value)


HOST = Host(
    name="semantic-kernel",
    title="Semantic Kernel (Python), as sent",
    version="1.45.0",
    as_of="2026-11",
    model_gets="no structured content, no error flag; _meta of content",
    how="observed: by running the code of the adapter",
    source="PyPI semantic-kernel 1.45.0, connectors/mcp.py and contents: to_dict() of the tool message",
    notes="Client library mcp 1. The model gets a repr of each content object, with its annotations and metadata.",
    model_view=judged(PYDANTIC, _model),
)
