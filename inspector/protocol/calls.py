"""Requests that are calls: of a tool, a resource or a prompt."""

from inspector.json.exact import Json
from inspector.json.members import object_at, text_at
from inspector.protocol.catalogue import Kind, unlisted

CALL, READ, GET = "tools/call", "resources/read", "prompts/get"


def called(method: str, params: Json) -> tuple[str, Json] | None:
    """The name or handle of the called item, and its arguments; None if the request is not a call."""
    match method:
        case "tools/call":
            return text_at(params, "name") or "", object_at(params).get("arguments", {})
        case "resources/read":
            return unlisted(Kind.RESOURCE, text_at(params, "uri") or "").handle, {}
        case "prompts/get":
            return unlisted(Kind.PROMPT, text_at(params, "name") or "").handle, object_at(params).get(
                "arguments", {}
            )
        case _:
            return None
