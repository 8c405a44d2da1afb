"""`vercel-ai`: the tool-result part that Vercel's AI SDK passes to a language model provider."""

from inspector.hosts import javascript
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import ReceivedAnswer, judged
from inspector.hosts.typescript_client import Kind, OneOf, Shape, Union, ZodItems, ZodText, check
from inspector.hosts.writing import rebuilt
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_DROPPED = frozenset({Part.STRUCTURED, Part.ERROR_FLAG, Part.RESULT_META})
_DROPPED_OF_KNOWN = frozenset({Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


def _contents(payload: str) -> Shape:
    members: dict[str, Kind] = {
        "uri": ZodText(),
        "mimeType": ZodText(),
        payload: ZodText(base64=payload == "blob"),
    }
    return Shape(members=members, optional=frozenset({"mimeType"}), loose=True)


_BLOCK = Union(
    among=(
        Shape(members={"type": OneOf(values=("text",)), "text": ZodText()}, loose=True),
        Shape(
            members={"type": OneOf(values=("image",)), "data": ZodText(base64=True), "mimeType": ZodText()},
            loose=True,
        ),
        Shape(
            members={
                "type": OneOf(values=("resource",)),
                "resource": Union(among=(_contents("text"), _contents("blob"))),
            },
            loose=True,
        ),
    )
)


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        suffix = f": {answer.failure.message}" if answer.failure.message else ""
        return _part({"type": "error-text", "value": f"MCPClientError{suffix}"})
    content = answer.result.get("content")
    if not isinstance(content, list):
        notes.beyond("", "a result without content; it is passed on as JSON here")
        return _part({"type": "json", "value": rebuilt(answer.result, _double)})
    notes.dropped(answer.result, _DROPPED)
    notes.dropped(answer.result, _DROPPED_OF_KNOWN, frozenset({"text", "image"}))
    # If a block has an unknown type, the library passes the whole result on unchanged.
    checked = check(content, ZodItems(of=_BLOCK))
    blocks = content if checked.issues or not isinstance(checked.value, list) else checked.value
    value = [_converted(block, child("/content", index), notes) for index, block in enumerate(blocks)]
    return _part({"type": "content", "value": list[Json](value)})


def _part(output: Json) -> Json:
    return {"type": "tool-result", "output": output}


def _converted(block: Json, pointer: str, notes: Notes) -> JsonObject:
    if not isinstance(block, dict):
        notes.beyond(pointer, "content that is not an object; its JSON is passed on here")
        return _text(javascript.stringify(block))
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return _text(block["text"])
    if block.get("type") == "image" and "data" in block and "mimeType" in block:
        data: Json = {"type": "data", "data": block["data"]}
        return {"type": "file", "mediaType": block["mimeType"], "data": data}
    notes.change(pointer, "the host passes on the JSON of blocks other than text and images")
    return _text(javascript.stringify(block))


def _text(text: Json) -> JsonObject:
    return {"type": "text", "text": text}


def _double(leaf: Json) -> Json:
    if isinstance(leaf, bool) or not isinstance(leaf, (int, float)):
        return leaf
    double = javascript.as_double(leaf)
    return int(double) if double.is_integer() else double


HOST = Host(
    name="vercel-ai",
    title="Vercel AI SDK generateText",
    version="ai 7.0.173",
    as_of="2026-11",
    model_gets="no structured content, no error flag",
    how="observed: by running the code of the adapter",
    source="npm ai 7.0.173 and @ai-sdk/mcp 2.0.99: the prompt passed to a LanguageModelV4 provider",
    notes="Without schemas set by the developer; with them, structured content replaces the rest.",
    model_view=judged(JAVASCRIPT, _model),
)
