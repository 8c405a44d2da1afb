"""`google-adk`: the function response of Google's Agent Development Kit."""

from inspector.hosts.facts import PYDANTIC
from inspector.hosts.notes import Notes, Part
from inspector.hosts.profile import Call, Host
from inspector.hosts.python_client import RESULT, Names, PydanticRefused, dumped, receive
from inspector.hosts.python_text import finite
from inspector.hosts.received import Received, ReceivedAnswer, judged
from inspector.json.exact import Json


def _model(_call: Call, answer: ReceivedAnswer, notes: Notes) -> Json:
    if answer.failure:
        notes.change("/error", "the host adds its own text")
        return {"error": f"MCP tool execution failed: {answer.failure.message}"}
    received = receive(answer.result)
    match received:
        case PydanticRefused():
            notes.refused(in_words=True, exact=received.exact)
            return {"error": f"Unexpected error during MCP tool execution: {received.text}"}
        case Received():
            notes.dropped(answer.result, frozenset({Part.UNKNOWN}))
            dump = dumped(received.value, RESULT, Names.FIRST)
            dump.setdefault("isError", False)
            return finite(dump)


HOST = Host(
    name="google-adk",
    title="Google ADK (Python)",
    version="2.13.0",
    as_of="2026-11",
    model_gets="all of the result, _meta too",
    how="observed: by running the code of the adapter",
    source="PyPI google-adk 2.13.0, mcp_tool.py: the dict that becomes functionResponse.response",
    notes="Client library mcp 2.3.0. All of a result goes to the model: metadata, annotations and base64 too.",
    model_view=judged(PYDANTIC, _model),
)
