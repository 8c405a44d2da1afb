"""`codex` and `codex-known-model`: the function call output that Codex CLI sends.

In the first, Codex has no metadata of the model; in the second, it has.

Source: github.com/openai/codex, protocol/src/models.rs, core/src/tools/context.rs and utils/output-truncation.
"""

from functools import partial

from msgspec import Struct

from inspector.hosts.facts import SERDE, STRIDE, facts
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.python_text import compact_leaf, float_text
from inspector.hosts.received import ReceivedAnswer, ReceivedError, judged
from inspector.hosts.sharing import shared
from inspector.hosts.writing import WritingStyle, write
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_ANNOTATIONS = ("audience", "priority", "lastModified")
_LEAST, _MOST = -(2**63), 2**64


class CodexReceived(Struct, frozen=True, kw_only=True):
    """A result that the client library of Codex accepts."""

    blocks: tuple[JsonObject, ...]
    structured: Json
    """The structured content; None if it is missing or null."""

    @property
    def is_approximate(self) -> bool:
        """True if it is not known how the library writes a number in the structured content."""
        return _is_approximate(self.structured)


class CodexRefused(Struct, frozen=True, kw_only=True):
    """A result that the client library rejects, because it matches none of the library's response types."""

    certain: bool
    """True if Codex was observed to reject such a result; False if this is assumed."""


@shared
def _is_approximate(value: Json) -> bool:
    known = facts(value)
    if not (known.has_float or known.has_rounded):
        return False
    stack: list[Json] = [value]
    while stack:
        match stack.pop():
            case dict() as item:
                stack.extend(item.values())
            case list() as items:
                stack.extend(items)
            case bool():
                pass
            case int() as number if not _LEAST <= number < _MOST:
                return True
            case float() as number if "e" in float_text(number):
                return True
            case _:
                pass
    return False


@shared
def compact(value: Json) -> str:
    """The result of `serde_json::to_string(value)`."""
    return write(value, _COMPACT)


@shared
def receive(result: JsonObject) -> CodexReceived | CodexRefused:
    """`result` as the client library of Codex returns it, without unknown members."""
    content = result.get("content", [])
    if "content" not in result and result.get("structuredContent") is None:
        return CodexRefused(certain=False)
    if not isinstance(content, list) or not isinstance(result.get("isError"), (bool, type(None))):
        return CodexRefused(certain=False)
    blocks: list[JsonObject] = []
    for block in content:
        read = _block(block)
        if read is None:
            kind = block.get("type") if isinstance(block, dict) else None
            return CodexRefused(certain=isinstance(kind, str) and kind not in _READERS)
        blocks.append(read)
    return CodexReceived(blocks=tuple(blocks), structured=result.get("structuredContent"))


def _block(block: Json) -> JsonObject | None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str) or kind not in _READERS:
        return None
    required, optional = _READERS[kind]
    if not all(isinstance(block.get(key), str) for key in required):
        return None
    read: JsonObject = {"type": kind}
    if kind == "resource":
        resource = _resource(block.get("resource"))
        if resource is None:
            return None
        if block.get("_meta") is not None:
            read["_meta"] = block["_meta"]
        read["resource"] = resource
    else:
        read.update((key, block[key]) for key in (*required, *optional) if block.get(key) is not None)
    return _with_annotations(read, block.get("annotations"))


def _with_annotations(read: JsonObject, annotations: Json) -> JsonObject | None:
    """Add annotations to a block; None if they are invalid."""
    if annotations is None:
        return read
    if not isinstance(annotations, dict):
        return None
    known: JsonObject = {key: annotations[key] for key in _ANNOTATIONS if annotations.get(key) is not None}
    audience, priority = known.get("audience", []), known.get("priority", 0)
    if not isinstance(audience, list) or not all(role in ("user", "assistant") for role in audience):
        return None
    if isinstance(priority, bool) or not isinstance(priority, (int, float)):
        return None
    return {**read, "annotations": known} if isinstance(known.get("lastModified", ""), str) else None


def _resource(resource: Json) -> JsonObject | None:
    if not isinstance(resource, dict) or not isinstance(resource.get("uri"), str):
        return None
    payload = next((key for key in ("text", "blob") if isinstance(resource.get(key), str)), None)
    if payload is None:
        return None
    return {
        key: resource[key] for key in ("uri", "mimeType", payload, "_meta") if resource.get(key) is not None
    }


_READERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("text",), ("_meta",)),
    "image": (("data", "mimeType"), ("_meta",)),
    "audio": (("data", "mimeType"), ("_meta",)),
    "resource": ((), ()),
    "resource_link": (("uri", "name"), ("title", "description", "mimeType", "size", "icons", "_meta")),
}
"""For each type of content block: its required and its optional members, in the order of serialisation."""


_COMPACT = WritingStyle(leaf=compact_leaf)


_HEADER = "Wall time: <T> seconds\nOutput:"
_HIDDEN = len("0.0000") - len("<T>")
_NO_AUDIO = "<audio content omitted because you do not support audio input>"
_ENCRYPTED, _DETAIL = "codex/encryptedContent", "codex/imageDetail"
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.UNKNOWN})
_OF_ITEMS = frozenset({Part.BLOCK_META, Part.ANNOTATIONS})


class Budget(Struct, frozen=True, kw_only=True):
    """The limit on the length of an output, from the metadata of the model."""

    amount: int
    """The maximum size of an output in tokens or bytes, including the header with the wall time."""
    in_tokens: bool
    """True if `amount` is a number of tokens; False if it is a number of bytes."""
    image_detail: str

    def cost(self, text: str, *, hidden: int = 0) -> int:
        """The cost of a text in the unit of the budget.

        `hidden`: the number of further bytes that are not in `text`.
        """
        size = size_bytes(text) + hidden
        return tokens(size) if self.in_tokens else size

    def cut(self, text: str, left: int) -> str:
        """The start and the end of a text, whose cost is at most about `left`, in the unit of the budget."""
        return middle_by_tokens(text, left) if self.in_tokens else middle_by_bytes(text, left)


def _model(budget: Budget, call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        notes.change("/error", "the host adds its own text")
        return _fitting([_text(_failed(call, _error(answer.failure, notes)))], budget, notes)
    received = receive(answer.result)
    if isinstance(received, CodexRefused):
        notes.refused(in_words=False)
        if not received.certain:
            notes.beyond("", "a result of this form; the client library is assumed to refuse it")
        return _fitting([_text(_failed(call, "Unexpected response type"))], budget, notes)
    notes.dropped(answer.result, _DROPPED)
    if received.structured is not None and not any(map(_is_encrypted, received.blocks)):
        if received.blocks:
            notes.change("/content", "structured content replaces all content")
        if received.is_approximate:
            notes.beyond("/structuredContent", "a number that may be formatted differently")
        return _fitting_text(f"{_HEADER}\n{compact(received.structured)}", budget, notes)
    notes.dropped(answer.result, _OF_ITEMS, frozenset({"text", "image", "audio"}))
    items = [
        _item(block, child("/content", index), budget, notes) for index, block in enumerate(received.blocks)
    ]
    return _fitting(items, budget, notes)


def _failed(call: Call, why: str) -> str:
    return f"tool call error: tool call failed for `{call.server}/{call.tool}`\n\nCaused by:\n    {why}"


def _error(failure: ReceivedError, notes: Notes) -> str:
    text = f"Mcp error: {failure.code}: {failure.message}"
    if failure.data is not None:
        text += f"({compact(failure.data)})"
    if "\n" in text:
        notes.beyond("/error/message", "a message of several lines; all are indented here")
    return text.replace("\n", "\n    ")


def _item(block: JsonObject, pointer: str, budget: Budget, notes: Notes) -> JsonObject:
    meta = block.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    match block["type"]:
        case "text" if _is_encrypted(block):
            notes.beyond(pointer, "text that the server marks as encrypted for the model")
            return {"type": "encrypted_content", "encrypted_content": block["text"]}
        case "text":
            return _text(block["text"])
        case "image":
            if _DETAIL in meta:
                notes.beyond(
                    child(pointer, "_meta"),
                    "an image detail requested by the server; it is ignored here",
                )
            data = str(block["data"])
            url = data if data.startswith("data:") else f"data:{block['mimeType']};base64,{data}"
            return {"type": "input_image", "image_url": url, "detail": budget.image_detail}
        case "audio":
            notes.change(pointer, "the host replaces audio by a notice")
            return _text(_NO_AUDIO)
        case _:
            notes.change(pointer, "the host writes the JSON of the block as text")
            if "annotations" in block:
                notes.beyond(
                    child(pointer, "annotations"), "annotations of a link or resource; they come last here"
                )
            return _text(compact(block))


def _is_encrypted(block: JsonObject) -> bool:
    meta = block.get("_meta")
    return block["type"] == "text" and isinstance(meta, dict) and meta.get(_ENCRYPTED) is True


def _text(text: Json) -> JsonObject:
    return {"type": "input_text", "text": text}


def _fitting_text(text: str, budget: Budget, notes: Notes) -> str:
    if budget.cost(text, hidden=_HIDDEN) <= budget.amount:
        return text
    _note_cut(notes)
    return budget.cut(text, budget.amount)


def _fitting(items: list[JsonObject], budget: Budget, notes: Notes) -> Json:
    """The header, and the items that fit the budget.

    The text that exceeds the budget is cut, and later texts are left out. Items without text, such as images,
    cost nothing.
    """
    left = budget.amount - budget.cost(_HEADER, hidden=_HIDDEN)
    fitting: list[Json] = [_text(_HEADER)]
    omitted = 0
    for item in items:
        text = item.get("text")
        if not isinstance(text, str):
            fitting.append(item)
        elif left <= 0:
            omitted += 1
        elif budget.cost(text) <= left:
            fitting.append(item)
            left -= budget.cost(text)
        else:
            _note_cut(notes)
            fitting.append(_text(budget.cut(text, left)))
            left = 0
    if omitted:
        notes.change("/content", "the host omits texts that do not fit")
        fitting.append(_text(f"[omitted {omitted} text items ...]"))
    return fitting


def _note_cut(notes: Notes) -> None:
    notes.beyond("", "the exact place and text of this cut; only its approximate place was measured")


def size_bytes(text: str) -> int:
    """The size of a text in UTF-8."""
    if text.isascii():
        return len(text)
    stretches = (text[start : start + STRIDE] for start in range(0, len(text), STRIDE))
    return sum(len(_encoded(stretch)) for stretch in stretches)


def middle_by_bytes(text: str, max_bytes: int) -> str:
    """`text` itself if it has at most `max_bytes` bytes.

    Otherwise its start, a note of the number of characters left out, and its end.
    """
    if size_bytes(text) <= max_bytes:
        return text
    front, back = _ends(text, max_bytes)
    return f"{front}…{len(text) - len(front) - len(back)} chars truncated…{back}"


def middle_by_tokens(text: str, max_tokens: int) -> str:
    """The same as `middle_by_bytes`, with a budget of tokens. The note gives the number of tokens left out."""
    size = size_bytes(text)
    if size <= max_tokens * 4:
        return text
    front, back = _ends(text, max_tokens * 4)
    return f"{front}…{tokens(size - max_tokens * 4)} tokens truncated…{back}"


def tokens(count: int) -> int:
    """The estimated number of tokens in a number of bytes: four bytes each, rounded up."""
    return -(-count // 4)


def _ends(text: str, max_bytes: int) -> tuple[str, str]:
    """The start and the end of a text, each of at most half of `max_bytes`, cut at character boundaries.

    The text must be longer than `max_bytes`.
    """
    # A character has at least one byte.
    first, last = _encoded(text[:max_bytes]), _encoded(text[max(len(text) - max_bytes, 0) :])
    start = max_bytes // 2
    while start > 0 and first[start] & 0xC0 == 0x80:
        start -= 1
    stop = len(last) - (max_bytes - max_bytes // 2)
    while stop < len(last) and last[stop] & 0xC0 == 0x80:
        stop += 1
    return _decoded(first[:start]), _decoded(last[stop:])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def _host(name: str, knowledge: str, notes: str, budget: Budget) -> Host:
    limit = budget.amount * (4 if budget.in_tokens else 1)
    return Host(
        name=name,
        title=f"Codex CLI (model {knowledge} metadata in Codex)",
        version="0.169.0",
        as_of="2026-11",
        model_gets=f"structured content, or else the content, up to {limit:,} characters; no error flag",
        how="observed: by running the binary against a mock of the provider's API",
        source="npm @openai/codex 0.169.0, linux x64 binary: output of the function_call_output item of the next request",
        notes=notes,
        model_view=judged(SERDE, partial(_model, budget)),
    )


HOSTS = (
    _host(
        "codex",
        "without",
        "Model gpt-5: output of more than about 12,000 characters is cut.",
        Budget(amount=12_000, in_tokens=False, image_detail="high"),
    ),
    _host(
        "codex-known-model",
        "with",
        "Model gpt-5.5: output of more than about 48,000 characters is cut. The model finds MCP tools by a tool search.",
        Budget(amount=12_000, in_tokens=True, image_detail="original"),
    ),
)
