"""`claude-code`: the content of the tool_result block that Claude Code sends to Anthropic's API."""

import re

from inspector.hosts import javascript
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.hosts.typescript_client import Unread, ZodRefused, receive
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_LONG_ERROR, _ERROR_END = 11_000, 5_000
_LONG, _TOO_LONG, _PREVIEW = 50_000, 100_000, 2_000
_BIG_IMAGE = 64_000
"""The size, in base64 characters, beyond which an image may be scaled down; smaller ones stayed unchanged."""
_DROPPED = frozenset({Part.RESULT_META, Part.BLOCK_META, Part.ANNOTATIONS, Part.UNKNOWN})


def _model(call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        return _failed(answer.failure.message, notes)
    received = receive(answer.result)
    match received:
        case Unread():
            return notes.withhold(received.reason)
        case ZodRefused():
            notes.refused(in_words=True)
            start = f'MCP server "{call.server}" returned a malformed result that failed schema validation'
            return _failed(f"{start}: Invalid result for tools/call: {received.message}", notes)
        case Received():
            notes.dropped(answer.result, _DROPPED)
            return (
                _tool_error(received, notes) if received.is_error else _success(received, answer, call, notes)
            )


def _failed(text: str, notes: Notes) -> Json:
    if javascript.length(text) > _LONG_ERROR:
        front, back, gone = javascript.head_and_tail(text, _ERROR_END, _ERROR_END)
        text = f"{front}\n\n... [{gone} characters truncated] ...\n\n{back}"
        notes.beyond("", "the text between the two ends that remain; only the ends were measured")
    return {"content": text, "is_error": True}


def _tool_error(received: Received, notes: Notes) -> Json:
    if received.structured is not None:
        notes.change("/structuredContent", "only the text of a tool error is passed on")
    texts: list[str] = []
    for index, block in enumerate(received.blocks):
        if block["type"] == "text":
            texts.append(str(block["text"]))
        else:
            notes.change(child("/content", index), "only the text of a tool error is passed on")
    if len(received.blocks) != 1 or not any(texts):
        notes.beyond("/content", "an error that is not exactly one text; all texts are joined here")
    return _failed("\n".join(texts), notes)


def _success(received: Received, answer: ReceivedAnswer, call: Call, notes: Notes) -> Json:
    blocks: list[Json] = []
    has_structure = received.structured is not None
    for index, block in enumerate(received.blocks):
        pointer = child("/content", index)
        if has_structure and block["type"] == "text":
            notes.change(pointer, "structured content replaces text")
        else:
            blocks.extend(_converted(block, pointer, call, notes))
    if has_structure:
        javascript.note_structure_changes(answer.result, notes)
        text = javascript.stringify(received.structured)
        if not blocks:
            return {"content": _shortened(text, notes)}
        blocks.append({"type": "text", "text": text})
    return {"content": _content(blocks, call, notes)}


def _converted(block: JsonObject, pointer: str, call: Call, notes: Notes) -> list[Json]:
    match block["type"]:
        case "text":
            return [_text(str(block["text"]))]
        case "image":
            return _image(str(block["data"]), str(block["mimeType"]), pointer, notes)
        case "audio":
            notes.change(pointer, "the host saves audio to a file and names the file")
            data = str(block["data"])
            return [_text(f"[Audio from {call.server}] {_saved(data, str(block['mimeType']))}")]
        case "resource_link":
            notes.change(pointer, "the host writes a link as text")
            suffix = f" ({block['description']})" if block.get("description") else ""
            return [_text(f"[Resource link: {block['name']}] {block['uri']}{suffix}")]
        case _:
            return _resource(block, pointer, call, notes)


def _resource(block: JsonObject, pointer: str, call: Call, notes: Notes) -> list[Json]:
    resource = block["resource"]
    if not isinstance(resource, dict):
        return []
    source = f"[Resource from {call.server} at {resource['uri']}] "
    if "text" in resource:
        notes.change(pointer, "the host adds the origin of the resource before its text")
        return [_text(f"{source}{resource['text']}")]
    data, mime_type = str(resource["blob"]), resource.get("mimeType")
    if isinstance(mime_type, str) and mime_type.startswith("image/"):
        notes.beyond(pointer, "an image in a resource; it is treated like other images here")
        return [_text(source), *_image(data, mime_type, pointer, notes)]
    notes.change(pointer, "the host saves the resource to a file and names the file")
    return [_text(source + _saved(data, mime_type if isinstance(mime_type, str) else "unknown type"))]


def _image(data: str, mime_type: str, pointer: str, notes: Notes) -> list[Json]:
    if mime_type != "image/png" or len(data) > _BIG_IMAGE:
        notes.beyond(pointer, "an image other than a small PNG; the host may re-encode it")
    notes.change(pointer, "the host saves a copy of the image and names the file")
    source: Json = {"type": "base64", "media_type": mime_type, "data": data}
    return [{"type": "image", "source": source}, _text("[Image: source: <PATH>]")]


def _saved(data: str, mime_type: str) -> str:
    return f"Binary content ({mime_type}, {_size(javascript.base64_size(data))}) saved to <PATH>"


def _size(size_bytes: int) -> str:
    if size_bytes < 1024:
        return f"{size_bytes} bytes"
    for unit, power in (("KB", 1), ("MB", 2)):
        if size_bytes < 1024 ** (power + 1):
            return f"{size_bytes / 1024**power:.1f}".removesuffix(".0") + unit
    return f"{size_bytes / 1024**3:.1f}".removesuffix(".0") + "GB"


def _content(blocks: list[Json], call: Call, notes: Notes) -> Json:
    texts = [str(block["text"]) for block in blocks if isinstance(block, dict) and block["type"] == "text"]
    if len(texts) == len(blocks) and not any(map(javascript.trim, texts)):
        notes.change("/content", "the host reports that there is no output")
        if texts:
            notes.beyond("/content", "only blank texts; they count as no output here")
        return f"({_tool_name(call.server, call.tool)} completed with no output)"
    if sum(map(javascript.length, texts)) <= _LONG:
        return blocks
    if len(texts) != len(blocks):
        notes.beyond("/content", "long text beside an image; it is not cut here")
        return blocks
    size = sum(map(javascript.length, texts))
    if size > _TOO_LONG:
        return _too_long(size, notes)
    return _persisted(javascript.stringify(blocks, 2), notes)


def _shortened(text: str, notes: Notes) -> str:
    size = javascript.length(text)
    if size > _TOO_LONG:
        return _too_long(size, notes)
    return _persisted(text, notes) if size > _LONG else text


def _too_long(size: int, notes: Notes) -> str:
    notes.beyond("", "the advice after the start of this message; it is omitted here")
    count = javascript.grouped(size)
    return (
        f"Error: result ({count} characters) exceeds maximum allowed tokens. Output has been saved to <PATH>."
    )


def _persisted(text: str, notes: Notes) -> str:
    notes.beyond("", "the words around this preview; only the length of the preview was measured")
    preview = javascript.head(text, _PREVIEW)
    line_end = preview.rfind("\n")
    if line_end > _PREVIEW // 2:
        preview = preview[:line_end]
    return (
        f"<persisted-output>\nOutput too large ({_size(javascript.length(text))}). "
        f"Full output saved to: <PATH>\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )


def _tool_name(server: str, tool: str) -> str:
    return f"mcp__{_NOT_A_NAME.sub('_', server)}__{_NOT_A_NAME.sub('_', tool)}"


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


_NOT_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")

HOST = Host(
    name="claude-code",
    title="Claude Code",
    version="2.1.329",
    as_of="2026-11",
    model_gets="structured content, or else text; a long result goes to a file",
    how="observed: by running the binary against a mock of the provider's API",
    source="PyPI claude-agent-sdk 0.2.186, bundled claude binary: the tool_result block of the next request",
    notes=(
        "Run as `claude -p` with tool search off; with it on, an error of a tool that was not loaded yet gets a "
        "paragraph about its input schema in addition."
    ),
    model_view=judged(JAVASCRIPT, _model),
    tool_name=_tool_name,
)
