"""What the OpenAI Agents SDK for Python sends as the output of a function call."""

from collections.abc import Callable

from inspector.boundary.bounded import Bounded
from inspector.hosts.notes import Notes, Part
from inspector.hosts.obstacles import PYDANTIC
from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.python_client import Refused, receive
from inspector.hosts.python_models import Names, dumped, model_of
from inspector.hosts.python_text import compact, dumps
from inspector.hosts.received import Answer, Received, judge
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

FAILED = "An error occurred while running the tool. Please try again."
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.UNKNOWN})
_OF_ITEMS = frozenset({Part.BLOCK_META, Part.ANNOTATIONS})
_ITEMS = frozenset({"text", "image"})


def handing_over(*, use_structured: bool) -> Callable[[Bounded, Call], ModelContext]:
    """The host with or without `use_structured_content`."""

    def model(answer: Answer, notes: Notes) -> Json:
        return _output(answer, notes, use_structured=use_structured)

    return lambda bounded, _call: judge(bounded, PYDANTIC, model)


def _output(answer: Answer, notes: Notes, *, use_structured: bool) -> Json:
    if answer.failure:
        notes.change("/error", "the model only learns that something went wrong")
        return FAILED
    received = receive(answer.result)
    match received:
        case Refused():
            notes.change("", "the host's client library refuses the result; the model only learns that")
            return FAILED
        case Received():
            notes.dropped(answer.result, _DROPPED)
            # As Python has it, an empty object is none.
            if use_structured and received.structured and not received.is_error:
                if received.blocks:
                    notes.change("/content", "structured content takes the place of all content")
                return dumps(received.structured)
            notes.dropped(answer.result, frozenset({Part.STRUCTURED}))
            notes.dropped(answer.result, _OF_ITEMS, _ITEMS)
            return _items(received, notes)


def _items(received: Received, notes: Notes) -> Json:
    if not received.blocks:
        notes.change("/content", "the host writes an empty list as text")
        return "[]"
    return [_item(block, child("/content", index), notes) for index, block in enumerate(received.blocks)]


def _item(block: JsonObject, pointer: str, notes: Notes) -> JsonObject:
    match block["type"]:
        case "text":
            return {"type": "input_text", "text": block["text"]}
        case "image":
            return {"type": "input_image", "image_url": f"data:{block['mimeType']};base64,{block['data']}"}
        case _:
            notes.change(
                pointer, "the host writes the JSON of the block as text, with null for what it lacks"
            )
            dump = dumped(block, model_of(block), Names.PYTHON, with_none=True)
            return {"type": "input_text", "text": compact(dump)}
