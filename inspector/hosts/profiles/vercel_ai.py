"""`vercel-ai`: the tool-result part that Vercel's AI SDK hands to a language model provider."""

from inspector.hosts import javascript
from inspector.hosts.notes import Notes, Part
from inspector.hosts.obstacles import JAVASCRIPT
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import Answer, judged
from inspector.hosts.writing import rebuilt
from inspector.hosts.zod_check import Items, Kind, OneOf, Shape, Text, Union, check
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_DROPPED = frozenset({Part.STRUCTURED, Part.ERROR_FLAG, Part.RESULT_META})
_DROPPED_OF_KNOWN = frozenset({Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


def _contents(payload: str) -> Shape:
    members: dict[str, Kind] = {"uri": Text(), "mimeType": Text(), payload: Text(base64=payload == "blob")}
    return Shape(members=members, optional=frozenset({"mimeType"}), loose=True)


_BLOCK = Union(
    among=(
        Shape(members={"type": OneOf(values=("text",)), "text": Text()}, loose=True),
        Shape(
            members={"type": OneOf(values=("image",)), "data": Text(base64=True), "mimeType": Text()},
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


def _model(_call: Call, answer: Answer, notes: Notes) -> Json:
    if answer.failure:
        said = f": {answer.failure.message}" if answer.failure.message else ""
        return _part({"type": "error-text", "value": f"MCPClientError{said}"})
    content = answer.result.get("content")
    if not isinstance(content, list):
        notes.beyond("", "a result without content; all of it is handed over as JSON here")
        return _part({"type": "json", "value": rebuilt(answer.result, _double)})
    notes.dropped(answer.result, _DROPPED)
    notes.dropped(answer.result, _DROPPED_OF_KNOWN, frozenset({"text", "image"}))
    # Where a block is of a kind that the library does not know, it passes the whole result as it was.
    checked = check(content, Items(of=_BLOCK))
    blocks = content if checked.issues or not isinstance(checked.value, list) else checked.value
    value = [_converted(block, child("/content", index), notes) for index, block in enumerate(blocks)]
    return _part({"type": "content", "value": list[Json](value)})


def _part(output: Json) -> Json:
    return {"type": "tool-result", "output": output}


def _converted(block: Json, pointer: str, notes: Notes) -> JsonObject:
    if not isinstance(block, dict):
        notes.beyond(pointer, "content that is no object; its JSON is handed over here")
        return _text(javascript.stringify(block))
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return _text(block["text"])
    if block.get("type") == "image" and "data" in block and "mimeType" in block:
        data: Json = {"type": "data", "data": block["data"]}
        return {"type": "file", "mediaType": block["mimeType"], "data": data}
    notes.change(pointer, "the host hands over the JSON of what is neither text nor image")
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
    how="observed: adapter code run",
    source="npm ai 7.0.173 and @ai-sdk/mcp 2.0.99: the prompt that a LanguageModelV4 provider is handed",
    notes="Without schemas of one's own; with them, structured content replaces the rest.",
    hand_over=judged(JAVASCRIPT, _model),
)
