"""`strands`: the content block that Strands Agents sends to Bedrock."""

import base64

from inspector.hosts.facts import PYDANTIC
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.python_client import PydanticRefused, receive
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_FORMATS = {
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/png": "png",
    "image/gif": "gif",
    "image/webp": "webp",
}
_TEXTUAL = frozenset(
    {
        "application/json",
        "application/xml",
        "application/javascript",
        "application/yaml",
        "application/x-yaml",
    }
)
_DROPPED = frozenset({Part.STRUCTURED, Part.RESULT_META, Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        notes.change("/error", "the host adds its own text")
        return _failed(answer.failure.message)
    received = receive(answer.result)
    match received:
        case PydanticRefused():
            notes.refused(in_words=True, exact=received.exact)
            return _failed(received.text)
        case Received():
            return _success(received, answer, notes)


def _success(received: Received, answer: ReceivedAnswer, notes: Notes) -> Json:
    content: list[Json] = []
    for index, block in enumerate(received.blocks):
        try:
            converted = _converted(block, child("/content", index), notes)
        except (KeyError, ValueError) as error:
            notes.beyond(
                child("/content", index), "an image that the host cannot decode; the call is assumed to fail"
            )
            return _failed(str(error))
        if converted is not None:
            content.append(converted)
    notes.dropped(answer.result, _DROPPED)
    if not content:
        notes.change("/content", "the host writes an empty text if nothing remains")
        content.append({"text": ""})
    return _result(content, "error" if received.is_error else "success")


def _failed(why: str) -> Json:
    return _result([{"text": f"Tool execution failed: {why}"}], "error")


def _result(content: list[Json], status: str) -> Json:
    return {"toolResult": {"content": content, "toolUseId": "1", "status": status}}


def _converted(block: JsonObject, pointer: str, notes: Notes) -> Json:
    match block["type"], block.get("resource"):
        case "text", _:
            return {"text": block["text"]}
        case "image", _:
            return _image(_FORMATS[str(block["mimeType"])], base64.b64decode(str(block["data"])))
        case "resource", dict(resource):
            if "text" in resource:
                return {"text": resource["text"]}
            converted = _blob(resource, pointer, notes)
            if converted is not None:
                return converted
        case _:
            pass
    notes.change(pointer, "the host drops everything except text and images")
    return None


def _blob(resource: JsonObject, pointer: str, notes: Notes) -> Json:
    """The text or image in a binary resource; None for other data."""
    mime_type = resource.get("mimeType")
    if not isinstance(mime_type, str):
        return None
    is_text = mime_type.startswith("text/") or mime_type in _TEXTUAL or mime_type.endswith(("+json", "+xml"))
    if not is_text and mime_type not in _FORMATS:
        return None
    notes.beyond(pointer, "a binary resource with text or an image; shown as in the public source")
    try:
        raw = base64.b64decode(str(resource["blob"]))
    except ValueError:
        return None
    return {"text": raw.decode("utf-8", errors="replace")} if is_text else _image(_FORMATS[mime_type], raw)


def _image(kind: str, raw: bytes) -> Json:
    source: Json = {"bytes": {"$bytes": base64.b64encode(raw).decode()}}
    return {"image": {"format": kind, "source": source}}


HOST = Host(
    name="strands",
    title="Strands Agents (Python), as sent to Bedrock",
    version="1.62.0",
    as_of="2026-11",
    model_gets="no structured content, links or audio",
    how="observed: by running the code of the adapter",
    source="PyPI strands-agents 1.62.0, strands/models/bedrock.py: the content block of the Converse request",
    notes="Client library mcp 2.3.0. Model us.anthropic.claude-sonnet-4: the status is sent for Claude models only.",
    model_view=judged(PYDANTIC, _model),
)
