"""`codex` and `codex-known-model`: what Codex CLI sends as the output of a function call.

The two differ in what Codex knows of the model.
Source: github.com/openai/codex, protocol/src/models.rs, core/src/tools/context.rs and utils/output-truncation.
"""

from dataclasses import dataclass
from functools import partial

from inspector.hosts.facts import STRIDE
from inspector.hosts.notes import Notes, Part
from inspector.hosts.obstacles import SERDE
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import Answer, Failure, judged
from inspector.hosts.rust_client import Refused, compact, receive
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_HEADER = "Wall time: <T> seconds\nOutput:"
_HIDDEN = len("0.0000") - len("<T>")
_NO_AUDIO = "<audio content omitted because you do not support audio input>"
_ENCRYPTED, _DETAIL = "codex/encryptedContent", "codex/imageDetail"
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.UNKNOWN})
_OF_ITEMS = frozenset({Part.BLOCK_META, Part.ANNOTATIONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What Codex knows of a model."""

    amount: int
    """How much of an output is kept, wall time included."""
    in_tokens: bool
    """Whether `amount` counts tokens; else bytes."""
    image_detail: str

    def cost(self, text: str, *, hidden: int = 0) -> int:
        """What a text takes of the budget; `hidden` bytes of it are not written out here."""
        size = size_bytes(text) + hidden
        return tokens(size) if self.in_tokens else size

    def cut(self, text: str, left: int) -> str:
        """The ends of a text that fit."""
        return middle_by_tokens(text, left) if self.in_tokens else middle_by_bytes(text, left)


def _model(budget: Budget, call: Call, answer: Answer, notes: Notes) -> Json:
    if answer.failure:
        notes.change("/error", "the host adds words of its own")
        return _fitting([_text(_failed(call, _error(answer.failure, notes)))], budget, notes)
    received = receive(answer.result)
    if isinstance(received, Refused):
        notes.refused(in_words=False)
        if not received.certain:
            notes.beyond("", "a result of this form; the client library is taken to refuse it")
        return _fitting([_text(_failed(call, "Unexpected response type"))], budget, notes)
    notes.dropped(answer.result, _DROPPED)
    if received.structured is not None and not any(map(_is_encrypted, received.blocks)):
        if received.blocks:
            notes.change("/content", "structured content takes the place of all content")
        if received.is_approximate:
            notes.beyond("/structuredContent", "a number that may be spelled otherwise")
        return _fitting_text(f"{_HEADER}\n{compact(received.structured)}", budget, notes)
    notes.dropped(answer.result, _OF_ITEMS, frozenset({"text", "image", "audio"}))
    items = [
        _item(block, child("/content", index), budget, notes) for index, block in enumerate(received.blocks)
    ]
    return _fitting(items, budget, notes)


def _failed(call: Call, why: str) -> str:
    return f"tool call error: tool call failed for `{call.server}/{call.tool}`\n\nCaused by:\n    {why}"


def _error(failure: Failure, notes: Notes) -> str:
    said = f"Mcp error: {failure.code}: {failure.message}"
    if failure.data is not None:
        said += f"({compact(failure.data)})"
    if "\n" in said:
        notes.beyond("/error/message", "a message of several lines; all are set in here")
    return said.replace("\n", "\n    ")


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
                    "an image detail that the server asks for; it is not honoured here",
                )
            data = str(block["data"])
            url = data if data.startswith("data:") else f"data:{block['mimeType']};base64,{data}"
            return {"type": "input_image", "image_url": url, "detail": budget.image_detail}
        case "audio":
            notes.change(pointer, "the host leaves audio out and says so")
            return _text(_NO_AUDIO)
        case _:
            notes.change(pointer, "the host writes the JSON of the block as text")
            if "annotations" in block:
                notes.beyond(
                    child(pointer, "annotations"), "annotations of a link or resource; they stay last here"
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
    """The items behind the header, cut where the budget ends; images and the like cost nothing."""
    left = budget.amount - budget.cost(_HEADER, hidden=_HIDDEN)
    kept: list[Json] = [_text(_HEADER)]
    omitted = 0
    for item in items:
        text = item.get("text")
        if not isinstance(text, str):
            kept.append(item)
        elif left <= 0:
            omitted += 1
        elif budget.cost(text) <= left:
            kept.append(item)
            left -= budget.cost(text)
        else:
            _note_cut(notes)
            kept.append(_text(budget.cut(text, left)))
            left = 0
    if omitted:
        notes.change("/content", "the host leaves texts out for which there is no room")
        kept.append(_text(f"[omitted {omitted} text items ...]"))
    return kept


def _note_cut(notes: Notes) -> None:
    notes.beyond(
        "", "about where it is cut was measured; the exact place and the words there follow the public source"
    )


def size_bytes(text: str) -> int:
    """Of a text in UTF-8."""
    if text.isascii():
        return len(text)
    stretches = (text[start : start + STRIDE] for start in range(0, len(text), STRIDE))
    return sum(len(_encoded(stretch)) for stretch in stretches)


def middle_by_bytes(text: str, max_bytes: int) -> str:
    """Both ends of a text in UTF-8, and the count of the characters between: Codex, by a budget of bytes."""
    if size_bytes(text) <= max_bytes:
        return text
    front, back = _ends(text, max_bytes)
    return f"{front}…{len(text) - len(front) - len(back)} chars truncated…{back}"


def middle_by_tokens(text: str, max_tokens: int) -> str:
    """The same by a budget of tokens, four bytes each."""
    size = size_bytes(text)
    if size <= max_tokens * 4:
        return text
    front, back = _ends(text, max_tokens * 4)
    return f"{front}…{tokens(size - max_tokens * 4)} tokens truncated…{back}"


def tokens(count: int) -> int:
    """Tokens of so many bytes, by the rule of thumb that one is four bytes, rounded up."""
    return -(-count // 4)


def _ends(text: str, max_bytes: int) -> tuple[str, str]:
    """The front half and the back half that fit, on character boundaries. The text is longer."""
    # A character takes a byte at least, so that no more characters than bytes are needed.
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
    return Host(
        name=name,
        title=f"Codex CLI (model {knowledge} bundled metadata)",
        version="0.169.0",
        as_of="2026-11",
        how="observed: the binary against a mock of the provider's API",
        source="npm @openai/codex 0.169.0, linux x64 binary: output of the function_call_output item of the next request",
        notes=notes,
        hand_over=judged(SERDE, partial(_model, budget)),
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
        "Model gpt-5.5: output of more than about 48,000 characters is cut. Its MCP tools are behind a tool search.",
        Budget(amount=12_000, in_tokens=True, image_detail="original"),
    ),
)
