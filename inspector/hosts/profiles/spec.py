"""`spec`: a host that follows the specification. Content comes first, then the other members as sent.

`_meta` is left out, and so are blocks whose audience excludes the model.

Source: MCP 2025-11-25 and 2026-07-28, Tools and Annotations.
"""

from inspector.boundary.bounded import Bounded
from inspector.hosts.profile import Call, Host, HostChange, ModelContext
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_PASSED_ON = frozenset({"structuredContent", "isError"})
_KNOWN = _PASSED_ON | {"content"}
_NO_RESULT = "a value that is not a tool result counts as structured content"
_NO_LIST = "content that is not a list is omitted"
FOR_OTHERS = "a block whose audience excludes the model is omitted"
FOR_PROGRAMS = "`_meta` is not shown to models"
_UNKNOWN = "only content, structured content and the error flag are passed to the model"


def model_view(bounded: Bounded, _call: Call) -> ModelContext:
    """The model's view of a bounded result in the host `spec`.

    `bounded` may hold any JSON value, because level `open` passes results as sent.
    """
    result = bounded.result
    if bounded.error and isinstance(result, dict) and result.keys() == {"error"}:
        return ModelContext(model=result)
    if not isinstance(result, dict) or not ("content" in result or "structuredContent" in result):
        changes = (HostChange(pointer="", what=_NO_RESULT),)
        return ModelContext(model={"structuredContent": result}, changes=changes)
    noted: list[HostChange] = []
    model: JsonObject = {}
    if "content" in result:
        model["content"] = _content(result["content"], noted)
    model |= {key: value for key, value in result.items() if key in _PASSED_ON}
    noted.extend(
        HostChange(pointer=child("", key), what=FOR_PROGRAMS if key == "_meta" else _UNKNOWN)
        for key in result
        if key not in _KNOWN
    )
    return ModelContext(model=model, changes=tuple(noted))


def _content(content: Json, noted: list[HostChange]) -> list[Json]:
    if not isinstance(content, list):
        noted.append(HostChange(pointer="/content", what=_NO_LIST))
        return []
    blocks: list[Json] = []
    for index, block in enumerate(content):
        pointer = child("/content", index)
        if not isinstance(block, dict):
            blocks.append(block)
        elif is_for_others(block):
            noted.append(HostChange(pointer=pointer, what=FOR_OTHERS))
        else:
            blocks.append(without_meta(block, pointer, noted))
    return blocks


def is_for_others(block: JsonObject) -> bool:
    """True if the audience of a block excludes the model."""
    annotations = block.get("annotations")
    audience = annotations.get("audience") if isinstance(annotations, dict) else None
    return isinstance(audience, list) and bool(audience) and "assistant" not in audience


def without_meta(block: JsonObject, pointer: str, noted: list[HostChange]) -> JsonObject:
    """A block, and the resource in it, without `_meta`."""
    left = block
    if "_meta" in block:
        noted.append(HostChange(pointer=child(pointer, "_meta"), what=FOR_PROGRAMS))
        left = {key: value for key, value in block.items() if key != "_meta"}
    resource = left.get("resource")
    if isinstance(resource, dict) and "_meta" in resource:
        noted.append(HostChange(pointer=child(child(pointer, "resource"), "_meta"), what=FOR_PROGRAMS))
        inner: JsonObject = {key: value for key, value in resource.items() if key != "_meta"}
        with_resource: JsonObject = {**left, "resource": inner}
        return with_resource
    return left


HOST = Host(
    name="spec",
    title="The specification",
    version="2025-11-25, 2026-07-28",
    as_of="2026-11",
    model_gets="text and structured content; honours the audience",
    how="specification",
    source="modelcontextprotocol.io/specification, Tools and Annotations",
    notes="Where the specification leaves a choice to the host, it passes on as much as allowed.",
    model_view=model_view,
)
