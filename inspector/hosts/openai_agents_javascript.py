"""What the OpenAI Agents SDK for JavaScript sends as the output of a function call."""

from collections.abc import Callable

from inspector.boundary.bounded import Bounded
from inspector.hosts import javascript
from inspector.hosts.notes import Notes, Part
from inspector.hosts.obstacles import JAVASCRIPT
from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.received import Answer, Received, judge
from inspector.hosts.structure_changes import note_structure_changes
from inspector.hosts.typescript_client import Refused, Unread, receive
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

FAILED = "An error occurred while running the tool. Please try again."
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.UNKNOWN})
_OF_ITEMS = frozenset({Part.BLOCK_META, Part.ANNOTATIONS})


def handing_over(*, use_structured: bool) -> Callable[[Bounded, Call], ModelContext]:
    """The host with or without `useStructuredContent`."""

    def model(answer: Answer, notes: Notes) -> Json:
        output = _output(answer, notes, use_structured=use_structured)
        return None if output is None else {"type": "function_call_output", "output": output}

    return lambda bounded, _call: judge(bounded, JAVASCRIPT, model)


def _output(answer: Answer, notes: Notes, *, use_structured: bool) -> Json:
    if answer.failure:
        notes.change("/error", "the model only learns that something went wrong")
        return FAILED
    received = receive(answer.result)
    match received:
        case Unread():
            return notes.withhold(received.reason)
        case Refused():
            notes.change("", "the host's client library refuses the result; the model only learns that")
            return FAILED
        case Received():
            notes.dropped(answer.result, _DROPPED)
            if use_structured and received.structured is not None and not received.is_error:
                return _structured(received, answer, notes)
            notes.dropped(answer.result, frozenset({Part.STRUCTURED}))
            return _items(received, answer, notes)


def _structured(received: Received, answer: Answer, notes: Notes) -> Json:
    if received.structured == {}:
        notes.beyond("/structuredContent", "empty structured content; it replaces all else here")
    if received.blocks:
        notes.change("/content", "structured content takes the place of all content")
    note_structure_changes(answer.result, notes)
    return javascript.stringify(received.structured)


def _items(received: Received, answer: Answer, notes: Notes) -> Json:
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
    """A block as an input item; None where the host has none for it."""
    match block["type"]:
        case "text":
            return {"type": "input_text", "text": block["text"]}
        case "image" if block["data"]:
            url = f"data:{block['mimeType']};base64,{block['data']}" if block["mimeType"] else block["data"]
            return {"type": "input_image", "image_url": url}
        case _:
            return None
