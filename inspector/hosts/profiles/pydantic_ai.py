"""`pydantic-ai`: the message parts that Pydantic AI passes to a model."""

import base64
import hashlib
import json

from msgspec import Struct

from inspector.hosts.facts import PYDANTIC, obstacle
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.pydantic_check import Issue
from inspector.hosts.python_client import PydanticRefused, receive
from inspector.hosts.python_text import as_dict, compact, represented
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_DROPPED = frozenset({Part.RESULT_META, Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


class _File(Struct, frozen=True, kw_only=True):
    """Bytes, which are sent separately from the text."""

    class_name: str
    media_type: str
    raw: bytes

    @property
    def identifier(self) -> str:
        return hashlib.sha1(self.raw, usedforsecurity=False).hexdigest()[:6]

    @property
    def value(self) -> Json:
        data = base64.b64encode(self.raw).decode()
        described: JsonObject = {"$file": self.class_name, "media_type": self.media_type, "data": data}
        return {**described, "identifier": self.identifier}


class _CannotError(Exception):
    """Raised if the host raises an error, with the host's message."""


class _Content(Struct, frozen=True, kw_only=True):
    """The content of a result in the host's form."""

    items: tuple[Json | _File, ...]
    is_list: bool

    @property
    def files(self) -> list[_File]:
        return [item for item in self.items if isinstance(item, _File)]

    @property
    def text(self) -> str:
        """Everything except files as text: a string as it is, otherwise JSON; empty for null and an empty list."""
        data = [item for item in self.items if not isinstance(item, _File)]
        if not data:
            return ""
        value = data[0] if len(data) == 1 and (not self.is_list or self.files) else data
        return "" if value is None else _as_text(value)


def _model(call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        return _retry(answer.failure.message, notes)
    received = receive(answer.result)
    match received:
        case PydanticRefused():
            notes.refused(in_words=True, exact=received.exact)
            return _retry([_described(issue) for issue in received.issues], notes)
        case Received():
            notes.dropped(answer.result, _DROPPED)
            try:
                content = _content(received, notes)
            except _CannotError as error:
                notes.change("", "the host raises an error, so the model gets nothing from the call")
                return {"$raises": str(error)}
            return _tool_error(content, call, notes) if received.is_error else _returned(content, call, notes)


def _described(issue: Issue) -> Json:
    place: list[Json] = list(issue.place)
    return {"type": issue.type, "loc": place, "msg": issue.message, "input": issue.value}


def _retry(why: Json, notes: Notes) -> Json:
    notes.change("", "the host passes the failure on as JSON and asks the model to try again")
    return [_part(compact({"error": why}), "retried")]


def _part(text: str, outcome: str) -> JsonObject:
    return {"part": "ToolReturnPart", "model_response_str": text, "outcome": outcome}


def _tool_error(content: _Content, call: Call, notes: Notes) -> Json:
    text = content.text
    if content.files or not text:
        notes.beyond("/content", "an error without text; shown as in the public source")
    return _retry(text or f"Tool {represented(call.tool)} returned an error", notes)


def _returned(content: _Content, call: Call, notes: Notes) -> Json:
    part = _part(content.text, "success")
    files = content.files
    if not files:
        return [part]
    if len(files) > 1:
        notes.beyond("/content", "several files; each is treated like a single file here")
    parts = [
        f"See file {item.identifier}." if isinstance(item, _File) else _as_text(item)
        for item in content.items
    ]
    shown: list[Json] = []
    for file in files:
        opened = f'<pyai:tool_result tool_name="{call.tool}" tool_call_id="pyd_ai_<ID>" file_id="{file.identifier}">'
        shown.extend((opened, file.value, "</pyai:tool_result>"))
    part["files"] = [file.value for file in files]
    text = compact(list[Json](parts)) if content.is_list else parts[0]
    part["text_only_provider"] = {"tool_result": text, "user_content": shown}
    return [part]


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else compact(value)


def _content(received: Received, notes: Notes) -> _Content:
    structured = received.structured
    has_text_alone = all(block["type"] == "text" for block in received.blocks)
    if structured is not None and (received.is_error or has_text_alone):
        if received.blocks:
            notes.change("/content", "structured content replaces all content")
        if isinstance(structured, dict) and structured.keys() == {"result"}:
            notes.change("/structuredContent", "the host unwraps an object whose only member is `result`")
            return _of(structured["result"])
        return _of(structured)
    notes.dropped({"structuredContent": structured}, frozenset({Part.STRUCTURED}))
    mapped = [_mapped(block, child("/content", index), notes) for index, block in enumerate(received.blocks)]
    return _of(mapped[0]) if len(mapped) == 1 else _Content(items=tuple(mapped), is_list=True)


def _of(value: Json | _File) -> _Content:
    if isinstance(value, list):
        return _Content(items=tuple(value), is_list=True)
    return _Content(items=(value,), is_list=False)


def _mapped(block: JsonObject, pointer: str, notes: Notes) -> Json | _File:
    match block["type"], block.get("resource"):
        case "text", _:
            return _read(str(block["text"]), pointer, notes)
        case "image" | "audio" as kind, _:
            class_name = "BinaryImage" if kind == "image" else "BinaryContent"
            return _file(class_name, str(block["data"]), str(block["mimeType"]), pointer, notes)
        case "resource", dict(resource):
            notes.change(pointer, "only the content of a resource is passed on, not its URI")
            if "text" in resource:
                return resource["text"]
            media_type = str(resource.get("mimeType") or "application/octet-stream")
            class_name = "BinaryImage" if media_type.startswith("image/") else "BinaryContent"
            return _file(class_name, str(resource["blob"]), media_type, pointer, notes)
        case _:
            notes.change(pointer, "only the URI of a link is passed on")
            return block["uri"]


def _read(text: str, pointer: str, notes: Notes) -> Json:
    """The parsed value if the text is a JSON object or list; otherwise the text."""
    if not text.startswith(("[", "{")):
        return text
    try:
        value: Json = json.loads(text, object_pairs_hook=as_dict)
    except (ValueError, RecursionError):
        return text
    if obstacle(value, PYDANTIC):
        return text
    if compact(value) != text:
        notes.change(pointer, "the host parses a JSON text and writes it again")
    return value


def _file(class_name: str, data: str, media_type: str, pointer: str, notes: Notes) -> _File:
    try:
        raw = base64.b64decode(data)
    except ValueError as error:
        notes.beyond(pointer, "data that is not base64; the host is assumed to raise an error")
        raise _CannotError(f"Error: {error}") from error
    if class_name == "BinaryImage" and not media_type.startswith("image/"):
        notes.beyond(pointer, "an image without an image type; it is kept as an image here")
    notes.change(pointer, "the host passes bytes on separately from the text")
    return _File(class_name=class_name, media_type=media_type, raw=raw)


HOST = Host(
    name="pydantic-ai",
    title="Pydantic AI",
    version="2.68.0",
    as_of="2026-11",
    model_gets="structured content, or else the content; both beside images",
    how="observed: by running the code of the adapter",
    source="PyPI pydantic-ai-slim 2.68.0, mcp.py and messages.py: the parts passed to FunctionModel",
    notes=(
        "Client libraries fastmcp-slim 4.2.0 and mcp 2.3.0. `text_only_provider` is the form for providers that take no "
        "files in tool results."
    ),
    model_view=judged(PYDANTIC, _model),
)
