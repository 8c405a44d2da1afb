"""Calls of the demo's tools without any transport."""

from inspector.demo.server import DemoOptions, DemoServer
from inspector.demo.tools.tool import Slow
from inspector.json.exact import Json, JsonObject
from tests.demo.clients import call, member


def seeded() -> DemoServer:
    return DemoServer(DemoOptions(seed="1"))


def ignore(_level: str, _text: Json) -> None:
    pass


def result_of(server: DemoServer, name: str, arguments: JsonObject | None = None) -> JsonObject:
    return finished(server.call(call(name, arguments), ignore))


def blocks(result: JsonObject) -> list[JsonObject]:
    content = member(result, "content")
    assert isinstance(content, list)
    return [block for block in content if isinstance(block, dict)]


def said(result: JsonObject) -> str:
    return "\n".join(str(block["text"]) for block in blocks(result) if block["type"] == "text")


def finished(outcome: JsonObject | Slow) -> JsonObject:
    """A handler's result, without the wait."""
    return outcome.result if isinstance(outcome, Slow) else outcome
