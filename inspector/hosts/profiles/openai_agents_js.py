"""`openai-agents-js`, `openai-agents-js-structured`: the function call output of the OpenAI Agents SDK (JS).

The option `useStructuredContent` is off in the first and on in the second.
"""

from functools import partial

from inspector.hosts import javascript
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.hosts.typescript_client import Unread, ZodRefused, receive
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_FAILED = "An error occurred while running the tool. Please try again."
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.UNKNOWN})
_OF_ITEMS = frozenset({Part.BLOCK_META, Part.ANNOTATIONS})


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes, *, use_structured: bool) -> Json:
    output = _output(answer, notes, use_structured=use_structured)
    return None if output is None else {"type": "function_call_output", "output": output}


def _output(answer: ReceivedAnswer, notes: Notes, *, use_structured: bool) -> Json:
    if answer.failure:
        notes.change("/error", "the model only learns that the call failed")
        return _FAILED
    received = receive(answer.result)
    match received:
        case Unread():
            return notes.withhold(received.reason)
        case ZodRefused():
            notes.refused(in_words=False)
            return _FAILED
        case Received():
            notes.dropped(answer.result, _DROPPED)
            if use_structured and received.structured is not None and not received.is_error:
                return _structured(received, answer, notes)
            notes.dropped(answer.result, frozenset({Part.STRUCTURED}))
            return _items(received, answer, notes)


def _structured(received: Received, answer: ReceivedAnswer, notes: Notes) -> Json:
    if received.structured == {}:
        notes.beyond("/structuredContent", "empty structured content; it replaces everything else here")
    if received.blocks:
        notes.change("/content", "structured content replaces all content")
    javascript.note_structure_changes(answer.result, notes)
    return javascript.stringify(received.structured)


def _items(received: Received, answer: ReceivedAnswer, notes: Notes) -> Json:
    items = [_item(block) for block in received.blocks]
    ready = [item for item in items if item is not None]
    if items and len(ready) == len(items):
        notes.dropped(answer.result, _OF_ITEMS)
        return list[Json](ready)
    for index, item in enumerate(items):
        if item is None or len(items) > 1:
            notes.change(child("/content", index), "the host writes the JSON of the block as text")
    if not items:
        notes.change("/content", "the host writes the JSON of the empty list as text")
    blocks = list[Json](received.blocks)
    return javascript.stringify(blocks[0] if len(blocks) == 1 else blocks)


def _item(block: JsonObject) -> JsonObject | None:
    """A block as an input item; None if the host has no item for it."""
    match block["type"]:
        case "text":
            return {"type": "input_text", "text": block["text"]}
        case "image" if block["data"]:
            url = f"data:{block['mimeType']};base64,{block['data']}" if block["mimeType"] else block["data"]
            return {"type": "input_image", "image_url": url}
        case _:
            return None


def _host(name: str, option: str, *, use_structured: bool) -> Host:
    return Host(
        name=name,
        title=f"OpenAI Agents SDK (JS), {option}",
        version="0.20.0",
        as_of="2026-11",
        model_gets=f"{'structured content, or else the content;' if use_structured else 'no structured content,'} no error flag",
        how="observed: by running the code of the adapter",
        source="npm @openai/agents-core 0.20.0 and @openai/agents-openai 0.20.0: the item in the next request",
        notes="On the wire, with the Responses API.",
        model_view=judged(JAVASCRIPT, partial(_model, use_structured=use_structured)),
    )


HOSTS = (
    _host("openai-agents-js", "default, on the wire", use_structured=False),
    _host("openai-agents-js-structured", "useStructuredContent: true, on the wire", use_structured=True),
)
