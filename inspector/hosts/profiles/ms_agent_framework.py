"""`ms-agent-framework`: the function result that Microsoft's Agent Framework passes to a chat client."""

import base64

from inspector.hosts.facts import PYDANTIC
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.python_client import RESULT, Names, PydanticRefused, dumped, receive
from inspector.hosts.python_text import dumps, finite
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_FAILED = "Error: Function failed."
_DROPPED = frozenset({Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        return _failed({}, notes)
    received = receive(answer.result)
    match received:
        case PydanticRefused():
            notes.refused_with("the host's client library refuses the result")
            return _failed({}, notes)
        case Received():
            host_only = _host_only(received)
            if received.is_error:
                if received.meta:
                    notes.beyond("/_meta", "an error with metadata")
                return _failed(host_only, notes)
            return _success(received, answer, host_only, notes)


def _host_only(received: Received) -> JsonObject:
    """The data of a result that the host does not send to its model."""
    payload = dumped(received.value, RESULT, Names.WIRE)
    payload.setdefault("isError", False)
    payload["resultType"] = "complete"
    host_only: JsonObject = {"_meta": received.meta} if received.meta else {}
    return {**host_only, "_mcp_tool_result_host_payload": finite(payload)}


def _failed(host_only: JsonObject, notes: Notes) -> Json:
    notes.change("", "the model only learns that the call failed")
    aside: JsonObject = {"exception": "FunctionInvocationError", "additional_properties": host_only}
    return _result([_text(_FAILED, {})], aside)


def _success(received: Received, answer: ReceivedAnswer, host_only: JsonObject, notes: Notes) -> Json:
    beside: JsonObject = {"_meta": received.meta} if received.meta else {}
    items: list[JsonObject] = []
    if received.structured is not None:
        if received.blocks:
            notes.change("/content", "structured content replaces all content")
        if beside:
            notes.beyond("/_meta", "metadata beside structured content; it is passed on here")
        items.append(_text(dumps(received.structured), beside))
    else:
        for index, block in enumerate(received.blocks):
            item = _item(block, beside, child("/content", index), notes)
            if item is None:
                return _failed(host_only, notes)
            items.append(item)
    notes.dropped(answer.result, _DROPPED)
    if not items:
        notes.change("/content", "the host writes null for an empty result")
        items.append(_text("null", beside))
    return _result(items, {"additional_properties": host_only})


def _item(block: JsonObject, beside: JsonObject, pointer: str, notes: Notes) -> JsonObject | None:
    """A content block in the form of the framework; None if the framework would fail the whole call for it.

    `beside`: the `_meta` to add to it.
    """
    match block["type"], block.get("resource"):
        case "text", _:
            return _text(block["text"], beside)
        case "image" | "audio", _:
            try:
                data = base64.b64encode(base64.b64decode(str(block["data"]))).decode()
            except ValueError:
                notes.beyond(pointer, "data that is not base64; the call is assumed to fail")
                return None
            return _uri(f"data:{block['mimeType']};base64,{data}", block["mimeType"], beside, pointer, notes)
        case "resource", dict(resource):
            return _resource(resource, beside, pointer, notes)
        case _:
            notes.change(pointer, "only the URI and the type of a link are passed on")
            return _uri(str(block["uri"]), block.get("mimeType"), beside, pointer, notes)


def _resource(resource: JsonObject, beside: JsonObject, pointer: str, notes: Notes) -> JsonObject:
    notes.change(pointer, "only the content of a resource is passed on, not its URI")
    if "text" in resource:
        return _text(resource["text"], beside)
    mime_type = resource.get("mimeType") or "application/octet-stream"
    blob = str(resource["blob"])
    uri = blob if blob.startswith("data:") else f"data:{mime_type};base64,{blob}"
    return _uri(uri, mime_type, beside, pointer, notes)


def _uri(uri: str, mime_type: Json, beside: JsonObject, pointer: str, notes: Notes) -> JsonObject:
    kind = "data" if uri.startswith("data:") else "uri"
    item: JsonObject = {"type": kind, "uri": uri}
    if mime_type:
        item["media_type"] = mime_type
    else:
        notes.beyond(pointer, "a link without a type; no type is written here")
    return {**item, "additional_properties": beside}


def _text(text: Json, beside: JsonObject) -> JsonObject:
    return {"type": "text", "text": text, "additional_properties": beside}


def _result(items: list[JsonObject], aside: JsonObject) -> Json:
    text = "\n".join(str(item["text"]) for item in items if item["type"] == "text")
    return {"type": "function_result", "result": text, "items": list[Json](items), "$not_sent": aside}


HOST = Host(
    name="ms-agent-framework",
    title="Microsoft Agent Framework (Python), through Agent",
    version="1.23.0",
    as_of="2026-11",
    model_gets="structured content, or else the content; _meta too; nothing of an error",
    how="observed: by running the code of the adapter",
    source="PyPI agent-framework-core 1.23.0, _mcp.py and _tools.py: the function_result content for the next request",
    notes=(
        "Client library mcp 2.3.0. The model gets no error details unless include_detailed_errors is set; the provider's "
        "package sends `result` or `items`. `$not_sent` holds what the host does not send."
    ),
    model_view=judged(PYDANTIC, _model),
)
