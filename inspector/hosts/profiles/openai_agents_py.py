"""`openai-agents-py`, `openai-agents-py-structured`: the function call output of the OpenAI Agents SDK (Python).

The option `use_structured_content` is off in the first and on in the second.
"""

from functools import partial

from inspector.hosts.facts import PYDANTIC
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.python_client import Names, PydanticRefused, dumped, model_of, receive
from inspector.hosts.python_text import compact, dumps
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child

_FAILED = "An error occurred while running the tool. Please try again."
_DROPPED = frozenset({Part.ERROR_FLAG, Part.RESULT_META, Part.UNKNOWN})
_OF_ITEMS = frozenset({Part.BLOCK_META, Part.ANNOTATIONS})
_ITEMS = frozenset({"text", "image"})


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes, *, use_structured: bool) -> Json:
    if answer.failure:
        notes.change("/error", "the model only learns that the call failed")
        return _FAILED
    received = receive(answer.result)
    match received:
        case PydanticRefused():
            notes.refused(in_words=False)
            return _FAILED
        case Received():
            notes.dropped(answer.result, _DROPPED)
            # An empty object is false in Python.
            if use_structured and received.structured and not received.is_error:
                if received.blocks:
                    notes.change("/content", "structured content replaces all content")
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
                pointer, "the host writes the JSON of the block as text, with null for missing members"
            )
            dump = dumped(block, model_of(block), Names.PYTHON, with_none=True)
            return {"type": "input_text", "text": compact(dump)}


def _host(name: str, option: str, *, use_structured: bool) -> Host:
    return Host(
        name=name,
        title=f"OpenAI Agents SDK (Python), {option}",
        version="0.24.0",
        as_of="2026-11",
        model_gets=f"{'structured content, or else the content;' if use_structured else 'no structured content,'} no error flag",
        how="observed: by running the code of the adapter",
        source="PyPI openai-agents 0.24.0, agents/mcp/util.py and agents/items.py: output of the function_call_output item",
        notes="Client library mcp 2.3.0.",
        model_view=judged(PYDANTIC, partial(_model, use_structured=use_structured)),
    )


HOSTS = (
    _host("openai-agents-py", "default", use_structured=False),
    _host("openai-agents-py-structured", "use_structured_content=True", use_structured=True),
)
